package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestRecords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	for _, payload := range [][]byte{{}, {0}, []byte("{}"), noise, bytes.Repeat([]byte("darwarp "), 100_000)} {
		record := must(pack(payload))(t)
		if got := must(unpack(record, maxRecord))(t); !bytes.Equal(got, payload) {
			t.Errorf("%d bytes came back as %d", len(payload), len(got))
		}
		if len(record) > len(payload)+headerSize {
			t.Errorf("%d bytes became %d", len(payload), len(record))
		}
		for range 50 {
			bad := bytes.Clone(record)
			bad[rnd.IntN(len(bad))] ^= 1 << rnd.IntN(8)
			if _, err := unpack(bad, maxRecord); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a flipped bit gave %v", err)
			}
		}
	}
	for _, short := range [][]byte{nil, {}, {'p'}, {'f', 0, 0, 0}} {
		if _, err := unpack(short, maxRecord); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes gave %v", len(short), err)
		}
	}
}

// TestBombs: what inflates to more than its kind may have is not read to its end.
func TestBombs(t *testing.T) {
	bomb := must(pack([]byte(`{"detail":"` + strings.Repeat("x", maxSmall) + `"}`)))(t)
	if len(bomb) > maxSmall/500 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	if err := decode(bomb, &kernels.Duel{}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "decompress") {
		t.Errorf("decoded: %v", err)
	}
	if _, err := unpack(bomb, maxRecord); err != nil {
		t.Errorf("as a checkpoint: %v", err)
	}
	large := kernels.Exchange{Asked: []kernels.Message{{Text: strings.Repeat("x", maxSmall)}}}
	if _, err := encode(&large); err == nil {
		t.Error("a record is written that cannot be read")
	}
}

// TestAdmitted: records of every kind are admitted when they are written, by value or not, and when they are read.
func TestAdmitted(t *testing.T) {
	bad := candidate(0)
	bad.Result.Times[0].Median = 0
	for _, v := range []any{bad, *bad, Meta{}, &Meta{}, kernels.Provenance{Noise: -1}, kernels.Duel{Ratio: -1}, Champion{},
		kernels.BaselineResult{}, kernels.Insight{Alone: -1}, kernels.Portfolio{}, kernels.Exchange{Took: -1},
		kernels.Trial{Parts: []kernels.Doubt{{Seconds: -1}}}} {
		if _, err := encode(v); err == nil {
			t.Errorf("%T is written", v)
		}
		text := must(json.Marshal(v))(t)
		into := pointed(v)
		if err := decode(must(pack(text))(t), into); !errors.Is(err, ErrDamaged) {
			t.Errorf("%T is read: %v", v, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for i := range 4 {
		record, err := encode(candidate(i))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		payload, err := unpack(record, maxRecord)
		if err != nil && !errors.Is(err, ErrDamaged) || err == nil && len(payload) > maxRecord {
			t.Errorf("%d bytes, %v", len(payload), err)
		}
	})
}
