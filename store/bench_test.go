package store

import (
	"bytes"
	"testing"

	bolt "go.etcd.io/bbolt"
)

func BenchmarkPut(b *testing.B) {
	r := newRun(b)
	state := bytes.Repeat([]byte("state of the search "), 50)
	for i := 0; b.Loop(); i++ {
		if err := r.Put(candidate(i), state); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenTop100k opens a run of 100,000 candidates and lists the best 20.
func BenchmarkOpenTop100k(b *testing.B) {
	r := newRun(b)
	path := r.path
	buildLarge(b, r, 100_000)
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if top, err := r.Top(20); err != nil || len(top) != 20 || r.Len() != 100_000 {
			b.Fatal(len(top), r.Len(), err)
		}
		r.Close()
	}
}

// buildLarge puts many candidates in a transaction: one each takes minutes.
func buildLarge(tb testing.TB, r *Run, n int) {
	tb.Helper()
	for i := 0; i < n; {
		next := r.tally.Load()
		err := r.update(func(root *bolt.Bucket) error {
			for end := min(n, i+100); i < end; i++ {
				c := candidate(i)
				next = next.plus(c.Result.Outcome)
				c.Seq = next.last
				record, err := encode(c)
				if err != nil {
					return err
				}
				if err := insert(root, c, record); err != nil {
					return err
				}
			}
			return putRecord(root, countsKey, next.counts)
		})
		if err != nil {
			tb.Fatal(err)
		}
		r.tally.Store(next)
	}
}
