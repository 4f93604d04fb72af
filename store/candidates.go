package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// Put stores a candidate and, unless it is nil, the checkpoint, which replaces the last one, in one
// fsynced transaction, and sets c.Seq. After ErrNoSpace the run is as it was, and the same Put can be
// tried again. An ID that is stored already is ErrExists.
func (r *Run) Put(c *kernels.Candidate, checkpoint []byte) error {
	return r.PutAll([]*kernels.Candidate{c}, checkpoint)
}

// PutAll stores several as Put stores one: all of them and the checkpoint that follows the last, or none.
func (r *Run) PutAll(all []*kernels.Candidate, checkpoint []byte) error {
	for _, c := range all {
		if err := storable(c); err != nil {
			return err
		}
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	next, stored := r.tally.Load(), make([]kernels.Candidate, len(all))
	for i, c := range all {
		next, stored[i] = next.plus(c.Result.Outcome), *c
		stored[i].Seq = next.last
	}
	records, err := encodeAll(stored)
	if err != nil {
		return err
	}
	err = r.write(func(root *bolt.Bucket) error {
		for i := range stored {
			if err := insert(root, &stored[i], records[i]); err != nil {
				return err
			}
		}
		if checkpoint != nil {
			if err := putCheckpoint(root, checkpoint); err != nil {
				return err
			}
		}
		return putRecord(root, countsKey, next.counts)
	})
	if err != nil {
		return err
	}
	r.tally.Store(next)
	for i, c := range all {
		r.newest, r.put, c.Seq = c.At, time.Now(), stored[i].Seq
	}
	return nil
}

// storable refuses candidates that cannot be right.
func storable(c *kernels.Candidate) error {
	switch {
	case c.ID.IsZero():
		return errors.New("store: a candidate without an ID")
	case c.Result.Outcome == kernels.Unknown:
		return fmt.Errorf("store: candidate %s has no verdict", c.ID.Short())
	case c.Result.Outcome == kernels.OK && !(c.Score > 0 && c.Score <= math.MaxFloat64):
		return fmt.Errorf("store: candidate %s is ok with score %v: expected a positive number", c.ID.Short(), c.Score)
	}
	return nil
}

// encodeAll makes the records of candidates, side by side: of a fleet's search there are hundreds at a time, and it
// waits for them.
func encodeAll(all []kernels.Candidate) ([][]byte, error) {
	records, errs := make([][]byte, len(all)), make([]error, len(all))
	var work sync.WaitGroup
	step := min(len(all), runtime.GOMAXPROCS(0))
	for first := range step {
		work.Go(func() {
			for i := first; i < len(all); i += step {
				records[i], errs[i] = encode(&all[i])
			}
		})
	}
	work.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("candidate %s: %w", all[i].ID.Short(), err)
		}
	}
	return records, nil
}

// insert writes a candidate's record and its index entries.
func insert(root *bolt.Bucket, c *kernels.Candidate, record []byte) error {
	index, seq := root.Bucket(ids), number(uint64(c.Seq))
	if index.Get(c.ID[:]) != nil {
		return fmt.Errorf("candidate %s: %w", c.ID.Short(), ErrExists)
	}
	if err := index.Put(c.ID[:], seq); err != nil {
		return err
	}
	all := root.Bucket(candidates)
	all.FillPercent = 0.95 // appended in order: half-full pages would stay so
	if err := all.Put(seq, record); err != nil {
		return fmt.Errorf("candidate %s: %w", c.ID.Short(), err)
	}
	// A lost candidate was not judged, so others must not be called its duplicates.
	if code := []byte(c.Result.Code); len(code) > 0 && c.Result.Outcome != kernels.Lost &&
		root.Bucket(codes).Get(code) == nil {
		if err := root.Bucket(codes).Put(code, c.ID[:]); err != nil {
			return err
		}
	}
	if c.Result.Outcome != kernels.OK {
		return nil
	}
	return root.Bucket(rank).Put(rankKey(c), nil)
}

// Get gives a candidate by its ID, or ErrNotFound.
func (r *Run) Get(id kernels.ID) (c kernels.Candidate, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		c, err = byID(root, id[:])
		return err
	})
	return c, err
}

func byID(root *bolt.Bucket, id []byte) (kernels.Candidate, error) {
	seq := root.Bucket(ids).Get(id)
	if seq == nil {
		return kernels.Candidate{}, fmt.Errorf("candidate %x: %w", id[:5], ErrNotFound)
	}
	c, err := bySeq(root, seq)
	if err == nil && !bytes.Equal(c.ID[:], id) {
		err = damaged("index of candidate %x leads to %s", id[:5], c.ID.Short())
	}
	return c, err
}

func bySeq(root *bolt.Bucket, key []byte) (c kernels.Candidate, err error) {
	seq, err := toNumber(key)
	if err != nil {
		return c, err
	}
	if err := decode(root.Bucket(candidates).Get(key), &c); err != nil {
		return c, fmt.Errorf("candidate %d: %w", seq, err)
	}
	if uint64(c.Seq) != seq {
		return c, damaged("candidate %d says that it is %d", seq, c.Seq)
	}
	return c, nil
}

// eachBatch is how many candidates Each reads in one transaction.
const eachBatch = 256

// Each calls fn with the candidates that are stored now, in Seq order, outside of any transaction: fn
// may take its time and may use the run. An error from fn ends it and is returned as it is.
func (r *Run) Each(fn func(kernels.Candidate) error) error {
	last := r.Len()
	for next := 1; next <= last; {
		batch := make([]kernels.Candidate, 0, eachBatch)
		err := r.read(func(root *bolt.Bucket) error {
			for ; next <= last && len(batch) < eachBatch; next++ {
				c, err := bySeq(root, number(uint64(next)))
				if err != nil {
					return err
				}
				batch = append(batch, c)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, c := range batch {
			if err := fn(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// SeenCode gives the first judged candidate with this machine code.
func (r *Run) SeenCode(hash string) (id kernels.ID, seen bool) {
	err := r.read(func(root *bolt.Bucket) error {
		b := root.Bucket(codes).Get([]byte(hash))
		seen = len(b) == len(id) && copy(id[:], b) == len(id)
		return nil
	})
	return id, seen && err == nil
}
