package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// Find gives a candidate as a user names it: the first digits of its ID, "best" or "champion".
// Errors: ErrNotFound, ErrAmbiguous.
func (r *Run) Find(name string) (c kernels.Candidate, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		switch name {
		case "best":
			first, err := top(root, 1)
			if err != nil || len(first) == 0 {
				return orNotFound(err, "best: no candidate is right yet")
			}
			c = first[0]
			return nil
		case "champion":
			champion, err := reigning(root)
			if err != nil || champion == nil {
				return orNotFound(err, "champion: none yet")
			}
			c, err = byID(root, champion.ID[:])
			return err
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
	return fmt.Errorf("%s: %w", what, ErrNotFound)
}

// byPrefix finds the one ID that starts with these hexadecimal digits.
func byPrefix(root *bolt.Bucket, digits string) ([]byte, error) {
	even := digits
	if len(even)%2 == 1 {
		even += "0"
	}
	from, err := hex.DecodeString(even)
	if err != nil || digits == "" {
		return nil, fmt.Errorf("candidate %q: expected the first digits of an ID, best or champion: %w", digits, ErrNotFound)
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

// Top gives at most n candidates that are OK, lowest score first and older before younger.
func (r *Run) Top(n int) (best []kernels.Candidate, err error) {
	err = r.read(func(root *bolt.Bucket) error {
		best, err = top(root, n)
		return err
	})
	return best, err
}

func top(root *bolt.Bucket, n int) ([]kernels.Candidate, error) {
	var best []kernels.Candidate
	cursor := root.Bucket(rank).Cursor()
	for k, _ := cursor.First(); k != nil && len(best) < n; k, _ = cursor.Next() {
		if len(k) != 16 {
			return nil, damaged("a rank of %d bytes", len(k))
		}
		c, err := bySeq(root, k[8:])
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(rankKey(&c), k) || c.Result.Outcome != kernels.OK {
			return nil, damaged("candidate %d is not what its rank says", c.Seq)
		}
		best = append(best, c)
	}
	return best, nil
}
