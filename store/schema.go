// Package store keeps a search in one bbolt file: every candidate with its evidence, the search's
// own state, and what its figures stand on.
//
// One process writes and holds the file's lock. Each candidate is one fsynced transaction that also
// carries the checkpoint, so a kill at any moment loses at most what was in flight. Other processes
// read a live run through the socket beside it (Serve, View, Watch).
//
// The tree. A layout that changes needs a new version and a migration:
//
//	darwarp                root; what makes a bolt file a run
//	├── schema             version of this layout: 8 bytes, big-endian, no codec
//	├── counts             outcome -> number of candidates, one record
//	├── meta/meta          Meta
//	├── checkpoint/last    the search's state, opaque
//	├── candidates/SEQ     Candidate
//	├── ids/ID             SEQ
//	├── codes/HASH         ID of the first candidate with this machine code
//	├── rank/SCORE SEQ     nothing; candidates that are OK, best first
//	├── provenance/KEY     Provenance
//	├── duels/N            Duel
//	├── champions/N        Champion; the last one is champion now
//	├── baselines/N        BaselineResult
//	├── insights/N         Insight; layout 2
//	├── portfolios/N       Portfolio; layout 2
//	├── exchanges/N        Exchange with a language model; layout 3
//	└── trials/ID          Trial; in layout 3 made with the first one
//
// Since layout 4 a record of duels and baselines says what its name names.
//
// SEQ and N are 8 bytes, big-endian, from 1. SCORE is the bits of a positive float64, big-endian,
// which sort as the numbers do. Values other than SEQ, ID and the version are records: see codec.go.
//
// meta and checkpoint are large and have buckets of their own, so that they are not rewritten with
// the root's page by every transaction.
package store

import (
	"encoding/binary"
	"fmt"
	"math"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// The names of the tree.
var (
	rootName    = []byte("darwarp")
	schemaKey   = []byte("schema")
	countsKey   = []byte("counts")
	metaKey     = []byte("meta")
	lastKey     = []byte("last")
	metaName    = []byte("meta")
	checkpoints = []byte("checkpoint")
	candidates  = []byte("candidates")
	ids         = []byte("ids")
	codes       = []byte("codes")
	rank        = []byte("rank")
	provenances = []byte("provenance")
	duels       = []byte("duels")
	champions   = []byte("champions")
	baselines   = []byte("baselines")
	insights    = []byte("insights")
	portfolios  = []byte("portfolios")
	exchanges   = []byte("exchanges")
	trials      = []byte("trials")

	buckets = [][]byte{metaName, checkpoints, candidates, ids, codes, rank, provenances, duels, champions, baselines,
		insights, portfolios, exchanges, trials}
)

// schemaVersion is the layout that this program writes.
func schemaVersion() uint64 { return uint64(len(migrations) + 1) }

// createTree makes the empty tree of the present version.
func createTree(tx *bolt.Tx, m Meta) error {
	root, err := tx.CreateBucket(rootName)
	if err != nil {
		return err
	}
	for _, name := range buckets {
		if _, err := root.CreateBucket(name); err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	if err := root.Put(schemaKey, number(schemaVersion())); err != nil {
		return err
	}
	return putRecord(root.Bucket(metaName), metaKey, m)
}

// storedVersion reads the layout's version and refuses what this program cannot know.
func storedVersion(root *bolt.Bucket) (uint64, error) {
	if root == nil {
		return 0, fault{ErrNotOurs, fmt.Errorf("a bolt file without a %q bucket", rootName)}
	}
	v, err := toNumber(root.Get(schemaKey))
	switch {
	case err != nil || v == 0:
		return 0, damaged("no readable schema version")
	case v > schemaVersion():
		return 0, fault{ErrNewer, fmt.Errorf("layout %d, this darwarp knows up to %d", v, schemaVersion())}
	}
	return v, nil
}

// checkTree reports a bucket that is missing, so that no reader has to expect one.
func checkTree(root *bolt.Bucket) error {
	for _, name := range buckets {
		if root.Bucket(name) == nil {
			return damaged("bucket %s is missing", name)
		}
	}
	return nil
}

// number is a key or value that sorts as the number does.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func toNumber(b []byte) (uint64, error) {
	if len(b) != 8 {
		return 0, damaged("a number of %d bytes", len(b))
	}
	return binary.BigEndian.Uint64(b), nil
}

// rankKey orders candidates by score, then by age. The score must be positive and finite.
func rankKey(c *kernels.Candidate) []byte {
	return append(number(math.Float64bits(c.Score)), number(uint64(c.Seq))...)
}
