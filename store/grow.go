package store

import (
	bolt "go.etcd.io/bbolt"
)

// Grow replaces the files of the run's problem and the checkpoint in one transaction: the checkpoint has points of a
// family that came with the files. No family is taken away: its candidates could not be rendered any more.
func (r *Run) Grow(files map[string][]byte, checkpoint []byte) error {
	meta := r.Meta()
	meta.Files = files
	return r.replaceMeta(meta, checkpoint, func(*bolt.Bucket) error { return nil })
}

// replaceMeta writes another Meta and the checkpoint that belongs to it, after what else the transaction changes.
func (r *Run) replaceMeta(meta Meta, checkpoint []byte, change func(root *bolt.Bucket) error) error {
	err := r.update(func(root *bolt.Bucket) error {
		if err := change(root); err != nil {
			return err
		}
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
