package store

import bolt "go.etcd.io/bbolt"

// holds reports whether the file is in the state that a transaction was to bring about.
func (r *Run) holds(id int) (yes bool) {
	err := guard(func() error {
		return r.db.View(func(tx *bolt.Tx) error {
			yes = tx.ID() == id
			return nil
		})
	})
	return err == nil && yes
}

// settle brings the meta pages to the disk where the last write could not. They are written once more: after a sync
// that failed, the kernel may take what it could not write for written. Everything else was synced before them.
func (r *Run) settle() error {
	if !r.owed {
		return nil
	}
	pages := make([]byte, 2*r.db.Info().PageSize)
	if _, err := r.db.file.ReadAt(pages, 0); err != nil {
		return err
	}
	if _, err := r.db.file.WriteAt(pages, 0); err != nil {
		return noSpace(err)
	}
	if err := r.sync(); err != nil {
		return noSpace(err)
	}
	r.owed = false
	return nil
}
