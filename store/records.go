package store

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// Champion is an entry of the history of champions.
type Champion struct {
	ID  kernels.ID `json:"id"`
	Why string     `json:"why"`
	At  time.Time  `json:"at"`
}

// Admit checks an entry; what it says is only shown.
func (c *Champion) Admit() error {
	c.Why = kernels.CleanLine(c.Why, kernels.MaxAbout)
	if c.ID.IsZero() {
		return errors.New("id: expected one that is not zero")
	}
	return nil
}

// Checkpoint is the search's state as the last Put or PutCheckpoint left it, nil before the first.
func (r *Run) Checkpoint() (state []byte, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		record := root.Bucket(checkpoints).Get(lastKey)
		if record == nil {
			return nil
		}
		state, err = unpack(record, maxRecord)
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		return nil
	})
	return state, err
}

// PutCheckpoint replaces the search's state without a candidate, as at the end of a drain.
func (r *Run) PutCheckpoint(state []byte) error {
	return r.update(func(root *bolt.Bucket) error { return putCheckpoint(root, state) })
}

func putCheckpoint(root *bolt.Bucket, state []byte) error {
	record, err := pack(state)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return root.Bucket(checkpoints).Put(lastKey, record)
}

// update is write for callers that do not hold r.writing.
func (r *Run) update(fn func(root *bolt.Bucket) error) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.write(fn)
}

// PutProvenance stores what figures stand on, under its own key; storing it again changes nothing.
func (r *Run) PutProvenance(p kernels.Provenance) (key string, err error) {
	key = p.Key()
	return key, r.update(func(root *bolt.Bucket) error {
		return putRecord(root.Bucket(provenances), []byte(key), p)
	})
}

// Provenance gives what the figures with this key stand on, or ErrNotFound.
func (r *Run) Provenance(key string) (p kernels.Provenance, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		record := root.Bucket(provenances).Get([]byte(key))
		if record == nil {
			return fmt.Errorf("provenance %q: %w", key, ErrNotFound)
		}
		return decode(record, &p)
	})
	return p, err
}

// PutDuel appends a duel.
func (r *Run) PutDuel(d kernels.Duel) error { return appendTo(r, duels, d) }

// Duels lists the duels in the order of being stored.
func (r *Run) Duels() ([]kernels.Duel, error) { return list[kernels.Duel](r, duels) }

// PutBaseline appends a baseline's result.
func (r *Run) PutBaseline(b kernels.BaselineResult) error { return appendTo(r, baselines, b) }

// Baselines lists the baselines' results in the order of being stored: of one name, the last counts.
func (r *Run) Baselines() ([]kernels.BaselineResult, error) {
	return list[kernels.BaselineResult](r, baselines)
}

// PutInsight appends what a choice of a candidate buys.
func (r *Run) PutInsight(i kernels.Insight) error { return appendTo(r, insights, i) }

// Insights lists what is known of choices, in the order of being stored: of the same genes of the same
// candidate, the last counts.
func (r *Run) Insights() ([]kernels.Insight, error) { return list[kernels.Insight](r, insights) }

// PutPortfolio appends a portfolio.
func (r *Run) PutPortfolio(p kernels.Portfolio) error { return appendTo(r, portfolios, p) }

// Portfolios lists the portfolios in the order of being stored: of the same size, the last counts.
func (r *Run) Portfolios() ([]kernels.Portfolio, error) {
	return list[kernels.Portfolio](r, portfolios)
}

// PutExchange appends a question to a language model with its reply.
func (r *Run) PutExchange(e kernels.Exchange) error { return appendTo(r, exchanges, e) }

// Exchanges lists the questions to language models in the order of being stored.
func (r *Run) Exchanges() ([]kernels.Exchange, error) { return list[kernels.Exchange](r, exchanges) }

// EachExchange calls fn with the questions in that order, with one of them in memory at a time and outside of any
// transaction. An error from fn ends it and is returned as it is.
func (r *Run) EachExchange(fn func(kernels.Exchange) error) error {
	var last []byte
	for {
		var e *kernels.Exchange
		err := r.read(func(root *bolt.Bucket) (err error) {
			last, e, err = recordAfter[kernels.Exchange](root.Bucket(exchanges), last)
			return err
		})
		if err != nil || e == nil {
			return err
		}
		if err := fn(*e); err != nil {
			return err
		}
	}
}

// recordAfter is the record behind a key, nil: the first one, with its own key; nil where there is none.
func recordAfter[T any](b *bolt.Bucket, after []byte) (key []byte, v *T, err error) {
	cursor := b.Cursor()
	k, record := cursor.Seek(after)
	if after != nil && bytes.Equal(k, after) {
		k, record = cursor.Next()
	}
	if k == nil {
		return after, nil, nil
	}
	if record == nil {
		return after, nil, fault{ErrDamaged, errors.New("a bucket where a record should be")}
	}
	v = new(T)
	if err := decode(record, v); err != nil {
		return after, nil, fmt.Errorf("record %x: %w", k, err)
	}
	return bytes.Clone(k), v, nil
}

// SetChampion makes a stored candidate the champion and says why.
func (r *Run) SetChampion(id kernels.ID, why string) error {
	return r.update(func(root *bolt.Bucket) error {
		if root.Bucket(ids).Get(id[:]) == nil {
			return fmt.Errorf("champion %s: %w", id.Short(), ErrNotFound)
		}
		return appendRecord(root.Bucket(champions), Champion{id, why, r.stamp(time.Now())})
	})
}

// stamp is the time of day as candidates tell it: what passed since the last one was stored, after its own. A clock
// that is set meanwhile does not put a champion before its candidate, or hours behind. The caller holds writing.
func (r *Run) stamp(now time.Time) time.Time {
	if r.put.IsZero() || r.newest.IsZero() {
		return now
	}
	return r.newest.Add(now.Sub(r.put))
}

// Champion is the champion, if there is one.
func (r *Run) Champion() (kernels.ID, bool) {
	var last *Champion
	err := r.read(func(root *bolt.Bucket) (err error) {
		last, err = lastChampion(root)
		return err
	})
	if err != nil || last == nil {
		return kernels.ID{}, false
	}
	return last.ID, true
}

// Champions is the history of champions, the present one last.
func (r *Run) Champions() ([]Champion, error) { return list[Champion](r, champions) }

func lastChampion(root *bolt.Bucket) (*Champion, error) {
	k, record := root.Bucket(champions).Cursor().Last()
	if k == nil {
		return nil, nil
	}
	var c Champion
	if err := decode(record, &c); err != nil {
		return nil, fmt.Errorf("champion: %w", err)
	}
	return &c, nil
}

func appendTo(r *Run, bucket []byte, v any) error {
	return r.update(func(root *bolt.Bucket) error { return appendRecord(root.Bucket(bucket), v) })
}

// appendRecord takes the number after the last key and not bbolt's sequence, which a damaged page
// could set back so that a record is overwritten.
func appendRecord(b *bolt.Bucket, v any) error {
	n := uint64(0)
	if k, _ := b.Cursor().Last(); k != nil {
		last, err := toNumber(k)
		if err != nil {
			return err
		}
		n = last
	}
	return putRecord(b, number(n+1), v)
}

// list decodes the records of a bucket in the order of its keys.
func list[T any](r *Run, bucket []byte) (all []T, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		all = nil
		return eachRecord(root.Bucket(bucket), func(k, record []byte) error {
			var v T
			if err := decode(record, &v); err != nil {
				return fmt.Errorf("%s %x: %w", bucket, k, err)
			}
			all = append(all, v)
			return nil
		})
	})
	return all, err
}

// eachRecord visits the values of a bucket that must hold no buckets.
func eachRecord(b *bolt.Bucket, fn func(k, record []byte) error) error {
	return b.ForEach(func(k, record []byte) error {
		if record == nil {
			return fault{ErrDamaged, errors.New("a bucket where a record should be")}
		}
		return fn(k, record)
	})
}
