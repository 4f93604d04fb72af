package store

import (
	"bytes"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// PutTrial stores how a would-be champion has fared until now, in place of what was stored of it before.
func (r *Run) PutTrial(t kernels.Trial) error {
	return r.update(func(root *bolt.Bucket) error { return putTrial(root, t) })
}

func putTrial(root *bolt.Bucket, t kernels.Trial) error {
	return putRecord(root.Bucket(trials), t.ID[:], t)
}

// Trial is how a candidate has fared on trial; the zero Trial of its ID where it never was.
func (r *Run) Trial(id kernels.ID) (t kernels.Trial, err error) {
	t.ID = id
	err = r.read(func(root *bolt.Bucket) error {
		record := root.Bucket(trials).Get(id[:])
		if record == nil {
			return nil
		}
		t, err = decodeTrial(id[:], record)
		return err
	})
	return t, err
}

// Trials lists all trials in the order of IDs.
func (r *Run) Trials() (all []kernels.Trial, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		all = nil
		return eachRecord(root.Bucket(trials), func(k, record []byte) error {
			t, err := decodeTrial(k, record)
			all = append(all, t)
			return err
		})
	})
	return all, err
}

// decodeTrial reads the trial of the candidate that the key names: one that was put in another's place would hide that
// a candidate fell.
func decodeTrial(id, record []byte) (t kernels.Trial, err error) {
	if err = decode(record, &t); err == nil && !bytes.Equal(t.ID[:], id) {
		err = damaged("it says that it is of %s", t.ID.Short())
	}
	return t, within(err, "trial of %x", id[:min(5, len(id))])
}

// Fell stores a candidate that failed its trial as what it was found to be, without times and
// rank. Unless successor is zero it is champion again, and why says so. All of that and the checkpoint are one
// transaction.
func (r *Run) Fell(t kernels.Trial, successor kernels.ID, why string, checkpoint []byte) (
	c kernels.Candidate, err error) {
	if f := t.Fault(); f == nil || !f.Outcome.Failed() {
		return c, fmt.Errorf("store: candidate %s has not fallen: %s", t.ID.Short(), t.Text())
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	var next *tally
	err = r.write(func(root *bolt.Bucket) error {
		if c, err = byID(root, t.ID[:]); err != nil {
			return err
		}
		next = r.tally.Load().moved(c.Result.Outcome, t.Fault().Outcome)
		if err := degrade(root, &c, &t); err != nil {
			return err
		}
		if err := putTrial(root, t); err != nil {
			return err
		}
		if !successor.IsZero() {
			if err := appendRecord(root.Bucket(champions), Champion{successor, why, r.stamp(time.Now())}); err != nil {
				return err
			}
		}
		if err := putCheckpoint(root, checkpoint); err != nil {
			return err
		}
		return putRecord(root, countsKey, next.counts)
	})
	if err == nil {
		r.tally.Store(next)
	}
	return c, err
}

// degrade makes a candidate what its trial has found, here and in the file.
func degrade(root *bolt.Bucket, c *kernels.Candidate, t *kernels.Trial) error {
	if c.Result.Outcome == kernels.OK {
		if err := root.Bucket(rank).Delete(rankKey(c)); err != nil {
			return err
		}
	}
	t.Degrade(c)
	return putRecord(root.Bucket(candidates), number(uint64(c.Seq)), c)
}

// moved is the tally after a candidate has turned out to be something else.
func (t *tally) moved(from, to kernels.Outcome) *tally {
	next := &tally{t.last - 1, t.counts}
	next = next.plus(to)
	if next.counts[from]--; next.counts[from] == 0 {
		delete(next.counts, from)
	}
	return next
}
