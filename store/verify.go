package store

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// Verify reads everything in a run that nobody writes and reports the first thing that is wrong: the pages by bbolt's
// own check, after the walk that opening is, every record, and that indexes and counts agree with the candidates. It
// takes about as long as decoding all of them.
func (r *Run) Verify() error {
	return named(r.path, guard(func() error {
		return r.db.View(func(tx *bolt.Tx) error {
			var first error
			for err := range tx.Check() { // to its end, or its goroutine stays
				if first == nil {
					first = err
				}
			}
			if first != nil {
				return fault{ErrDamaged, first}
			}
			root := tx.Bucket(rootName)
			if err := verifyCandidates(root, r.tally.Load()); err != nil {
				return err
			}
			return verifyRecords(root)
		})
	}))
}

// verifyCandidates compares every candidate with its index entries, and the sizes of the indexes, so
// that none has an entry too many.
func verifyCandidates(root *bolt.Bucket, want *tally) error {
	got := &tally{counts: map[kernels.Outcome]int{}}
	err := root.Bucket(candidates).ForEach(func(k, _ []byte) error {
		c, err := bySeq(root, k)
		if err != nil {
			return err
		}
		got = got.plus(c.Result.Outcome)
		if c.Seq != got.last || !bytes.Equal(root.Bucket(ids).Get(c.ID[:]), k) {
			return damaged("candidate %d of ID %s is out of place", c.Seq, c.ID.Short())
		}
		if ranked := root.Bucket(rank).Get(rankKey(&c)) != nil; ranked != (c.Result.Outcome == kernels.OK) {
			return damaged("candidate %d is %s, ranked: %v", c.Seq, c.Result.Outcome, ranked)
		}
		return verifyCode(root, &c)
	})
	if err != nil {
		return err
	}
	for _, o := range append(kernels.Outcomes(), kernels.Unknown) {
		if got.counts[o] != want.counts[o] {
			return damaged("%d candidates are %s: %d are counted", got.counts[o], o, want.counts[o])
		}
	}
	return got.checkIndexes(root)
}

// verifyCode checks that the candidate's machine code leads to it or to an older one.
func verifyCode(root *bolt.Bucket, c *kernels.Candidate) error {
	if c.Result.Code == "" || c.Result.Outcome == kernels.Lost {
		return nil
	}
	id := root.Bucket(codes).Get([]byte(c.Result.Code))
	if bytes.Equal(id, c.ID[:]) {
		return nil
	}
	first, err := bySeq(root, root.Bucket(ids).Get(id))
	if err != nil {
		return fmt.Errorf("machine code of candidate %d: %w", c.Seq, err)
	}
	if first.Result.Code != c.Result.Code || first.Seq > c.Seq {
		return damaged("machine code of candidate %d leads to %d", c.Seq, first.Seq)
	}
	return nil
}

// contents says what the buckets of records hold; the others are indexes of candidates. TestVerifyReadsEverything fails
// where one of the tree is in neither.
var contents = []struct {
	bucket []byte
	read   func(record []byte) error
}{
	{metaName, reads[Meta]},
	{checkpoints, func(record []byte) error { _, err := unpack(record, maxRecord); return err }}, // the search's own
	{provenances, reads[kernels.Provenance]},
	{duels, reads[kernels.Duel]},
	{champions, reads[Champion]},
	{baselines, reads[kernels.BaselineResult]},
	{insights, reads[kernels.Insight]},
	{portfolios, reads[kernels.Portfolio]},
	{exchanges, reads[kernels.Exchange]},
	{trials, reads[kernels.Trial]},
}

// reads decodes a record and forgets it.
func reads[T any](record []byte) error {
	var v T
	return decode(record, &v)
}

// verifyRecords reads what is not a candidate.
func verifyRecords(root *bolt.Bucket) error {
	for _, c := range contents {
		err := eachRecord(root.Bucket(c.bucket), func(k, record []byte) error {
			if err := c.read(record); err != nil {
				return fmt.Errorf("%s %x: %w", c.bucket, k, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
