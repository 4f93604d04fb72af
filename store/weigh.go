package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// Weigh gives the run's workloads other weights: Meta's workloads, the score of every candidate that is OK as score
// gives it, the order by score, and the checkpoint change in one transaction. Besides what Fell does it is the only
// thing about a stored candidate that ever changes. It takes 0.1 ms a candidate.
func (r *Run) Weigh(workloads []kernels.Workload, score func(*kernels.Candidate) float64, checkpoint []byte) error {
	meta := r.Meta()
	meta.Workloads = workloads
	return r.replaceMeta(meta, checkpoint, func(root *bolt.Bucket) error { return rescore(root, score) })
}

// rescore writes the candidates whose score changes, and their order.
func rescore(root *bolt.Bucket, score func(*kernels.Candidate) float64) error {
	if err := root.DeleteBucket(rank); err != nil {
		return err
	}
	order, err := root.CreateBucket(rank)
	if err != nil {
		return err
	}
	for seq := uint64(1); root.Bucket(candidates).Get(number(seq)) != nil; seq++ {
		c, err := bySeq(root, number(seq))
		if err != nil {
			return err
		}
		if c.Result.Outcome != kernels.OK {
			continue
		}
		c.Score = score(&c)
		if err := storable(&c); err != nil {
			return err
		}
		if err := putRecord(root.Bucket(candidates), number(seq), &c); err != nil {
			return fmt.Errorf("candidate %s: %w", c.ID.Short(), err)
		}
		if err := order.Put(rankKey(&c), nil); err != nil {
			return err
		}
	}
	return nil
}
