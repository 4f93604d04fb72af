package store

import (
	bolt "go.etcd.io/bbolt"
)

// Grow replaces the files of the run's problem and the checkpoint in one transaction: the checkpoint has points of a
// family that came with the files. No family is taken away: its candidates could not be rendered any more.
func (r *Run) Grow(files map[string][]byte, checkpoint []byte) error {
	meta := r.Meta()
	meta.Files = files
	err := r.update(func(root *bolt.Bucket) error {
		if err := putCheckpoint(root, checkpoint); err != nil {
			return err
		}
		return putRecord(root.Bucket(metaName), metaKey, meta)
	})
	if err == nil {
		r.meta.Store(&meta)
	}
	return err
}
