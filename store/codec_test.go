package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

func TestRecords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	for _, payload := range [][]byte{{}, {0}, []byte("{}"), noise, bytes.Repeat([]byte("darwarp "), 100_000)} {
		record := must(pack(payload))(t)
		if got := must(unpack(record))(t); !bytes.Equal(got, payload) {
			t.Errorf("%d bytes came back as %d", len(payload), len(got))
		}
		if len(record) > len(payload)+headerSize {
			t.Errorf("%d bytes became %d", len(payload), len(record))
		}
		for range 50 {
			bad := bytes.Clone(record)
			bad[rnd.IntN(len(bad))] ^= 1 << rnd.IntN(8)
			if _, err := unpack(bad); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a flipped bit gave %v", err)
			}
		}
	}
	for _, short := range [][]byte{nil, {}, {'p'}, {'f', 0, 0, 0}} {
		if _, err := unpack(short); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes gave %v", len(short), err)
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
		payload, err := unpack(record)
		if err != nil && !errors.Is(err, ErrDamaged) || err == nil && len(payload) > maxRecord {
			t.Errorf("%d bytes, %v", len(payload), err)
		}
	})
}
