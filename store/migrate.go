package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// migration takes a root from one version of the layout to the next.
type migration func(root *bolt.Bucket) error

// migrations[i] leads from version i+1 to version i+2. Never change one that was released: add one,
// with a test that starts from a file of the version before.
var migrations = []migration{
	addBuckets("insights", "portfolios"),
	addBuckets("exchanges"),
	nameKinds,
}

// addBuckets is a migration that only needs new buckets.
func addBuckets(names ...string) migration {
	return func(root *bolt.Bucket) error {
		for _, name := range names {
			if _, err := root.CreateBucketIfNotExists([]byte(name)); err != nil {
				return fmt.Errorf("bucket %s: %w", name, err)
			}
		}
		return nil
	}
}

// migrate brings a root up to the present version, all steps in the caller's one transaction.
func migrate(root *bolt.Bucket) error {
	v, err := storedVersion(root)
	if err != nil {
		return err
	}
	for ; v < schemaVersion(); v++ {
		if err := migrations[v-1](root); err != nil {
			return fmt.Errorf("migrate layout %d to %d: %w", v, v+1, err)
		}
	}
	return root.Put(schemaKey, number(v))
}

// nameKinds makes layout 4 of layout 3: a duel's champion and the name of a measurement are told to be of a baseline
// where they are of no candidate. There is a bucket of trials from the start.
func nameKinds(root *bolt.Bucket) error {
	if err := addBuckets("trials")(root); err != nil {
		return err
	}
	for _, x := range []struct{ bucket, name, kind string }{
		{"duels", "champion", "champion_kind"},
		{"baselines", "name", "kind"},
	} {
		b := root.Bucket([]byte(x.bucket))
		if b == nil {
			return damaged("bucket %s is missing", x.bucket)
		}
		changed := map[string][]byte{} // bbolt's buckets must not change while they are walked
		err := eachRecord(b, func(k, record []byte) (err error) {
			if record, err = nameKind(root, record, x.name, x.kind); err != nil {
				return fmt.Errorf("%s %x: %w", x.bucket, k, err)
			}
			changed[string(k)] = record
			return nil
		})
		if err != nil {
			return err
		}
		for k, record := range changed {
			if err := b.Put([]byte(k), record); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameKind adds to a record what one of its keys names. The record is no more than JSON here, for what its type is
// today must not decide what a migration does.
func nameKind(root *bolt.Bucket, record []byte, name, kind string) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := decode(record, &all); err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(all[name], &text); err != nil {
		return nil, damaged("%s: %w", name, err)
	}
	if !isShortID(root, text) {
		all[kind] = json.RawMessage(`"baseline"`)
	}
	return encode(all)
}

// isShortID reports whether a candidate's ID begins with these ten digits.
func isShortID(root *bolt.Bucket, digits string) bool {
	from, err := hex.DecodeString(digits)
	if err != nil || len(from) != 5 {
		return false
	}
	k, _ := root.Bucket(ids).Cursor().Seek(from)
	return bytes.HasPrefix(k, from)
}

// upgrade keeps a copy of a file of an older layout, migrates the file and opens it.
func upgrade(path string) (*Run, error) {
	if err := keepOld(path); err != nil {
		return nil, fmt.Errorf("keep a copy of the old layout: %w", noSpace(err))
	}
	if err := migrateFile(path); err != nil {
		return nil, err
	}
	return open(path, true)
}

// keepOld copies a run to PATH.layoutN. A copy that is there already is from an upgrade that did not
// come to its end, and is replaced.
func keepOld(path string) error {
	db, err := openBolt(path, true)
	if err != nil {
		return err
	}
	defer db.Close()
	return guard(func() error {
		return db.View(func(tx *bolt.Tx) error {
			v, err := storedVersion(tx.Bucket(rootName))
			if err != nil {
				return err
			}
			return replaceFile(fmt.Sprintf("%s.layout%d", path, v), func(w io.Writer) error { // and not where a link leads
				_, err := tx.WriteTo(w)
				return err
			})
		})
	})
}

// migrateFile brings a file to the present layout in one transaction.
func migrateFile(path string) error {
	db, err := openBolt(path, true)
	if err != nil {
		return err
	}
	err = guard(func() error {
		return db.Update(func(tx *bolt.Tx) error { return migrate(tx.Bucket(rootName)) })
	})
	return noSpace(errors.Join(err, db.Close()))
}
