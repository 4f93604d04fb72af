package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
	"darwarp/store"
)

const (
	streamEnv    = "DARWARP_STREAM" // candidates of TestStream, if more
	streamed     = 20_000
	streamMemory = 16 << 20 // bytes on the heap that listing may take; 8 MiB for any run
)

// largeRun writes a run of n candidates, each bred from the one before, with n/10 questions to a language model of
// 10 KB each. Put would sync the disk n times.
func largeRun(t *testing.T, path string, n int) {
	t.Helper()
	t.Setenv("TESTDATA", "testdata")
	if err := makeRun(path, false); err != nil {
		t.Fatal(err)
	}
	parent := firstOf(t, path)
	for from := parent.Seq + 4; from < n; from += 2000 {
		err := changeRun(path, func(root *bolt.Bucket) error {
			for seq := from + 1; seq <= min(from+2000, n); seq++ {
				c := parent
				c.Seq, c.Score = seq, 1-float64(seq)/float64(2*n)
				c.ID = kernels.ID{byte(seq >> 16), byte(seq >> 8), byte(seq), 1}
				c.Origin = kernels.Origin{Operator: "mutate", Parents: []kernels.ID{parent.ID}, Generation: seq}
				if err := enter(root, c); err != nil {
					return err
				}
				parent.ID = c.ID
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := changeRun(path, func(root *bolt.Bucket) error { return ask(root, n) }); err != nil {
		t.Fatal(err)
	}
}

func firstOf(t *testing.T, path string) (first kernels.Candidate) {
	t.Helper()
	r, err := store.View(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Each(func(c kernels.Candidate) error {
		if c.Seq == 1 {
			first = c
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return first
}

func bigEndian(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// enter puts a candidate that is ok into the tree, as store does.
func enter(root *bolt.Bucket, c kernels.Candidate) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	seq := bigEndian(uint64(c.Seq))
	if err := root.Bucket([]byte("ids")).Put(c.ID[:], seq); err != nil {
		return err
	}
	if err := root.Bucket([]byte("rank")).Put(append(bigEndian(math.Float64bits(c.Score)), seq...), nil); err != nil {
		return err
	}
	return root.Bucket([]byte("candidates")).Put(seq, sealed(text))
}

// ask adds questions, and counts the candidates of a run of n.
func ask(root *bolt.Bucket, n int) error {
	e := kernels.Exchange{At: time.Unix(1760000200, 0).UTC(), Arm: "llm:m:improve", Refused: "no code",
		Asked: []kernels.Message{{Role: "user", Text: strings.Repeat("long ", 2000)}}, Reply: "none"}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	for i := range n / 10 {
		if err := root.Bucket([]byte("exchanges")).Put(bigEndian(uint64(i+1)), sealed(text)); err != nil {
			return err
		}
	}
	counts, err := json.Marshal(map[kernels.Outcome]int{kernels.OK: n - 2, kernels.Wrong: 1, kernels.CompileFailed: 1})
	if err != nil {
		return err
	}
	return root.Put([]byte("counts"), sealed(counts))
}

// tallyWriter counts what is written and forgets it.
type tallyWriter struct{ bytes, values atomic.Int64 }

func (c *tallyWriter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	c.values.Add(int64(bytes.Count(p, []byte(`"id": "`))))
	return len(p), nil
}

// heapDuring is how much more than before is in use on the heap while fn runs: the most over time of the least of three
// samples in a row. A single sample would not do, since a collection counts what is allocated while it runs, and a busy
// machine stretches it. What fn keeps is in every sample from then on.
func heapDuring(fn func()) int64 {
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, most := live(), int64(0)
	var last [3]int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	for i := 0; ; i++ {
		select {
		case <-done:
			return most
		case <-time.After(10 * time.Millisecond):
			last[i%len(last)] = live() - before
			most = max(most, slices.Min(last[:]))
		}
	}
}

// TestHeapDuring: what is kept counts, and what comes and goes does not.
func TestHeapDuring(t *testing.T) {
	const kept = 32 << 20
	for _, tt := range []struct {
		name        string
		keep        time.Duration
		least, most int64
	}{
		{"kept", time.Second, kept * 9 / 10, 2 * kept},
		{"never kept", 0, 0, kept / 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := heapDuring(func() {
				bytes := make([]byte, kept)
				time.Sleep(tt.keep)
				runtime.KeepAlive(bytes)
				bytes = nil
				time.Sleep(100 * time.Millisecond)
			})
			if got < tt.least || got > tt.most {
				t.Errorf("%d bytes, want %d to %d", got, tt.least, tt.most)
			}
		})
	}
}

// TestStream: what lists a run needs no more memory for a large one than for a small one. DARWARP_STREAM=200000 makes
// it one of 200,000 candidates.
func TestStream(t *testing.T) {
	n := streamed
	if more, err := strconv.Atoi(os.Getenv(streamEnv)); err == nil {
		n = max(n, more)
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	path := filepath.Join(dir, "large.db")
	largeRun(t, path, n)
	last := kernels.ID{byte(n >> 16), byte(n >> 8), byte(n), 1}.String()
	for _, tt := range []struct {
		args   []string
		values int // with an ID, at least
	}{
		{[]string{"top", path, "--all", "--json"}, n},
		{[]string{"top", path, "--json", "-n", fmt.Sprint(n)}, n - 2},
		{[]string{"top", path, "--all"}, 0},
		{[]string{"top", path}, 0}, // looks for the champion, which is far from the first
		{[]string{"lineage", path, last, "--json"}, n - 4},
		{[]string{"exchanges", path, "--json"}, 0},
		{[]string{"exchanges", path, fmt.Sprint(n / 10)}, 0},
		{[]string{"watch", path, "--json", "--replay", "1ms"}, 0},
		{[]string{"verify", path, "--file"}, 0},
	} {
		t.Run(strings.Join(append([]string{tt.args[0]}, tt.args[2:]...), " "), func(t *testing.T) {
			var out tallyWriter
			var talk bytes.Buffer
			code := -1
			most := heapDuring(func() { code = run(context.Background(), tt.args, strings.NewReader(""), &out, &talk) })
			if code != 0 || int(out.values.Load()) < tt.values || out.bytes.Load() == 0 {
				t.Fatalf("exit code %d, %d values in %d bytes: %.500s", code, out.values.Load(), out.bytes.Load(), talk.String())
			}
			t.Logf("%.1f MB written with %.1f MB of memory", float64(out.bytes.Load())/1e6, float64(most)/1e6)
			limit := int64(streamMemory + 64*(n-streamed)) // a lineage keeps IDs, of steps that nobody's has so many of
			if most > limit {
				t.Errorf("%.1f MB of memory, want at most %.1f", float64(most)/1e6, float64(limit)/1e6)
			}
		})
	}
}
