package store

import (
	"bytes"
	"errors"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// one puts a record into every bucket.
func one(t *testing.T) *Run {
	t.Helper()
	r := newRun(t)
	fill(t, r, 0, 1)
	id := hash("id", 0)
	_, err := r.PutProvenance(kernels.Provenance{Version: "v1.2.3"})
	err = errors.Join(err, r.PutDuel(kernels.Duel{Champion: "cublaslt", ChampionKind: kernels.BaselineName}),
		r.SetChampion(id, "test"),
		r.PutBaseline(kernels.BaselineResult{Name: "cublaslt", Kind: kernels.BaselineName}),
		r.PutInsight(kernels.Insight{Candidate: id, Outcome: kernels.OK}),
		r.PutPortfolio(kernels.Portfolio{K: 1, Kernels: []kernels.ID{id}}),
		r.PutExchange(kernels.Exchange{Arm: "llm:m:mutate", Took: time.Second}),
		r.PutTrial(kernels.Trial{ID: id}), r.Verify())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestVerifyReadsEverything spoils the first entry of one bucket after the other, of all that a run has: in its bytes,
// and so that it is a record still and nothing of the bucket's kind.
func TestVerifyReadsEverything(t *testing.T) {
	var names []string
	whole := one(t)
	if err := whole.read(func(root *bolt.Bucket) error {
		return root.ForEachBucket(func(name []byte) error {
			names = append(names, string(name))
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	same(t, "buckets", len(names), len(buckets))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := one(t)
			spoil(t, r, name, func(value []byte) []byte {
				value = bytes.Clone(value)
				value[len(value)-1] ^= 1
				return value
			})
			if err := r.Verify(); !errors.Is(err, ErrDamaged) {
				t.Errorf("a bit of %s is wrong: %v", name, err)
			}
		})
		if name == "checkpoint" {
			continue // what it holds is the search's own
		}
		t.Run(name+" of another kind", func(t *testing.T) {
			r := one(t)
			spoil(t, r, name, func([]byte) []byte { return must(encode([]string{"nothing of that kind"}))(t) })
			if err := r.Verify(); err == nil {
				t.Errorf("a record of another kind in %s was taken", name)
			}
		})
	}
}

// spoil replaces the value of a bucket's first key, or where it has none, the key.
func spoil(t *testing.T, r *Run, bucket string, change func(value []byte) []byte) {
	t.Helper()
	if err := r.update(func(root *bolt.Bucket) error {
		b := root.Bucket([]byte(bucket))
		k, v := b.Cursor().First()
		switch {
		case k == nil:
			t.Fatalf("%s is empty: put a record into it in one()", bucket)
		case len(v) == 0:
			k, v = bytes.Clone(k), nil
			return errors.Join(b.Delete(k), b.Put(change(k), nil))
		}
		return b.Put(bytes.Clone(k), change(v))
	}); err != nil {
		t.Fatal(err)
	}
}
