package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// The names that users have for candidates beside their IDs. Best is the champion, and the lowest score only as long as
// there is none: of many timings the lowest is the luckiest, and only duels tell who is faster.
const (
	Best         = "best"
	ChampionName = "champion"
	LowestScore  = "lowest-score" // of one timing, whoever is champion
)

// Find gives a candidate as a user names it: the first digits of its ID, or one of the names above.
// Errors: ErrNotFound, ErrAmbiguous.
func (r *Run) Find(name string) (c kernels.Candidate, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		switch name {
		case Best, ChampionName:
			champion, err := lastChampion(root)
			switch {
			case err != nil || champion == nil && name == ChampionName:
				return orNotFound(err, "there is no champion yet")
			case champion != nil:
				c, err = byID(root, champion.ID[:])
				return err
			}
			fallthrough
		case LowestScore:
			first, _, err := topAfter(root, nil, 1)
			if err != nil || len(first) == 0 {
				return orNotFound(err, "no candidate is right yet")
			}
			c = first[0]
			return nil
		}
		id, err := byPrefix(root, strings.ToLower(name))
		if err != nil {
			return err
		}
		c, err = byID(root, id)
		return err
	})
	return c, err
}

func orNotFound(err error, what string) error {
	if err != nil {
		return err
	}
	return absent(what)
}

// absent is ErrNotFound in words that say so themselves.
type absent string

func (a absent) Error() string        { return string(a) }
func (a absent) Is(target error) bool { return target == ErrNotFound }

// byPrefix finds the one ID that starts with these hexadecimal digits.
func byPrefix(root *bolt.Bucket, digits string) ([]byte, error) {
	even := digits
	if len(even)%2 == 1 {
		even += "0"
	}
	from, err := hex.DecodeString(even)
	if err != nil || digits == "" {
		return nil, absent(fmt.Sprintf("candidate %q: expected the first digits of an ID, best or lowest-score", digits))
	}
	var found []byte
	cursor := root.Bucket(ids).Cursor()
	for k, _ := cursor.Seek(from); strings.HasPrefix(hex.EncodeToString(k), digits); k, _ = cursor.Next() {
		if found != nil {
			return nil, fmt.Errorf("candidate %s: %w: %x, %x and perhaps more begin so", digits, ErrAmbiguous, found[:8],
				k[:min(8, len(k))])
		}
		if len(k) != len(kernels.ID{}) {
			return nil, damaged("an ID of %d bytes", len(k))
		}
		found = bytes.Clone(k)
	}
	if found == nil {
		return nil, fmt.Errorf("candidate %s: %w", digits, ErrNotFound)
	}
	return found, nil
}

// EachTop calls fn with the candidates that are OK, lowest score first and older before younger, outside of any
// transaction as Each does. One that is stored meanwhile is among them if its turn is still to come.
func (r *Run) EachTop(fn func(kernels.Candidate) error) error {
	var last []byte
	for {
		var batch []kernels.Candidate
		err := r.read(func(root *bolt.Bucket) (err error) {
			batch, last, err = topAfter(root, last, eachBatch)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, c := range batch {
			if err := fn(c); err != nil {
				return err
			}
		}
	}
}

// topAfter gives at most n candidates behind a key of the ranks, nil: the first ones, and the last one's key.
func topAfter(root *bolt.Bucket, after []byte, n int) (best []kernels.Candidate, last []byte, err error) {
	cursor := root.Bucket(rank).Cursor()
	k, _ := cursor.Seek(after)
	if after != nil && bytes.Equal(k, after) {
		k, _ = cursor.Next()
	}
	for ; k != nil && len(best) < n; k, _ = cursor.Next() {
		if len(k) != 16 {
			return nil, nil, damaged("a rank of %d bytes", len(k))
		}
		c, err := bySeq(root, k[8:])
		if err != nil {
			return nil, nil, err
		}
		if !bytes.Equal(rankKey(&c), k) || c.Result.Outcome != kernels.OK {
			return nil, nil, damaged("candidate %d is not what its rank says", c.Seq)
		}
		best, last = append(best, c), bytes.Clone(k)
	}
	return best, last, nil
}
