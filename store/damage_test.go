package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"darwarp/kernels"
)

const (
	childEnv    = "DARWARP_STORE_CHILD"     // what the re-executed test binary does
	longEnv     = "DARWARP_STORE_LONG"      // multiplies the rounds of the tests that try at random
	damageCount = 200                       // candidates of the file that is damaged
	typed       = "neither clean nor typed" // a damaged file must be one of them
)

// rounds is how often a random test tries.
func rounds(t *testing.T, n int) int {
	if s := os.Getenv(longEnv); s != "" {
		n *= must(strconv.Atoi(s))(t)
	}
	return n
}

// sample is the bytes of an intact run, with free pages and every kind of record.
var sample = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "darwarp-store-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	r, err := Create(filepath.Join(dir, "sample.run"), testMeta())
	if err != nil {
		panic(err)
	}
	r.db.NoSync = true
	for i := range damageCount {
		c := candidate(i)
		err = errors.Join(err, r.Put(c, bytes.Repeat([]byte("state"), i)), r.PutDuel(kernels.Duel{Champion: c.ID.Short()}),
			r.SetChampion(c.ID, "test"))
	}
	b, e := os.ReadFile(r.path)
	if err = errors.Join(err, r.Verify(), r.Close(), e); err != nil {
		panic(err)
	}
	return b
})

// use does everything with a file that may be damaged. It gives nil only if all that it read is what
// was written, and else an error that must be typed.
func use(path string) error {
	for _, open := range []func(string) (*Run, error){View, Open} {
		r, err := open(path)
		if err != nil {
			return err
		}
		err = errors.Join(readAll(r), r.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

func readAll(r *Run) error {
	seen := 0
	each := r.Each(func(c kernels.Candidate) error {
		want := candidate(seen)
		if seen++; c.ID != want.ID || c.Seq != seen || c.Score != want.Score ||
			c.Result.Times == nil != (want.Result.Times == nil) {
			return fmt.Errorf("candidate %d is not what was stored", seen)
		}
		return nil
	})
	_, top := r.Top(20)
	_, state := r.Checkpoint()
	_, duels := r.Duels()
	_, history := r.Champions()
	var put error
	if !r.readOnly {
		r.db.NoSync = true // thousands of files, and none is to outlive a power cut
		put = r.Put(candidate(damageCount), []byte("new state"))
	}
	return errors.Join(each, top, state, duels, history, put)
}

func isTyped(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNotOurs) || errors.Is(err, ErrNewer)
}

func TestSampleIsIntact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "intact.run")
	write(t, path, sample())
	if err := errors.Join(use(path), verify(path)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFiles(t *testing.T) {
	page := os.Getpagesize()
	whole := sample()
	zero := func(from, to int) []byte {
		b := bytes.Clone(whole)
		clear(b[from:to])
		return b
	}
	garbage := make([]byte, 64<<10)
	for i := range garbage {
		garbage[i] = byte(i * 7)
	}
	tests := []struct {
		name string
		data []byte
		want error // nil: opens and holds everything
	}{
		{"empty", nil, ErrDamaged},
		{"one byte", []byte{1}, ErrDamaged},
		{"text", []byte(strings.Repeat("not a database\n", 1000)), ErrNotOurs},
		{"garbage", garbage, ErrNotOurs},
		{"all zero", make([]byte, len(whole)), ErrDamaged},
		{"both metas zero", zero(0, 2*page), ErrDamaged},
		{"no metas, cut to them", whole[:2*page], ErrDamaged},
		{"half", whole[:len(whole)/2], ErrDamaged},
		{"all but the metas zero", zero(2*page, len(whole)), ErrDamaged},
		{"tail added", append(bytes.Clone(whole), garbage...), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.run")
			write(t, path, tt.data)
			err := use(path)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v: expected %v", err, tt.want)
			}
			if tt.want != nil && (!strings.Contains(err.Error(), "x.run") || !strings.Contains(err.Error(), advice[tt.want])) {
				t.Errorf("no name or no advice in %q", err)
			}
			if got, _ := os.ReadFile(path); tt.want != nil && !bytes.Equal(got, tt.data) {
				t.Error("the bad file was changed")
			}
		})
	}
}

// One meta page lost is what a torn write leaves: the state of one transaction before is there.
func TestOneMetaZeroed(t *testing.T) {
	page := os.Getpagesize()
	for i := range 2 {
		b := bytes.Clone(sample())
		clear(b[i*page : (i+1)*page])
		path := filepath.Join(t.TempDir(), "x.run")
		write(t, path, b)
		if err := errors.Join(use(path), verify(path)); err != nil {
			t.Errorf("meta %d: %v", i, err)
		}
	}
}

// Files are cut anywhere, and at the end of each page: what is missing of what is in use is always noticed.
func TestCutFiles(t *testing.T) {
	whole, page := sample(), os.Getpagesize()
	var sizes []int
	for size := 1; size < len(whole); size *= 2 {
		sizes = append(sizes, size, size-1, size+size/2)
	}
	for at := page; at < len(whole); at += page {
		sizes = append(sizes, at)
	}
	path := filepath.Join(t.TempDir(), "x.run")
	for _, n := range sizes {
		write(t, path, whole[:min(n, len(whole))])
		verified := verify(path)
		switch err := use(path); {
		case err != nil && !isTyped(err):
			t.Errorf("cut to %d bytes: %s: %v", n, typed, err)
		case err != nil && verified == nil:
			t.Errorf("cut to %d bytes: Verify saw nothing of %v", n, err)
		}
	}
}

// Bytes are damaged in the fields that bbolt follows as well as anywhere in a page.
func TestFlippedPages(t *testing.T) {
	whole, page := sample(), os.Getpagesize()
	pages := int(order.Uint64(whole[pageHeader+40:]))
	rnd := rand.New(rand.NewPCG(11, 13))
	dir, clean, found := t.TempDir(), 0, 0
	for i := range rounds(t, 100) {
		b := bytes.Clone(whole)
		at := rnd.IntN(pages) * page
		switch i % 5 {
		case 0: // one bit of the page's header or first elements
			b[at+rnd.IntN(48)] ^= 1 << rnd.IntN(8)
		case 1: // one bit anywhere
			b[at+rnd.IntN(page)] ^= 1 << rnd.IntN(8)
		case 2: // the whole page inverted
			for j := range page {
				b[at+j] ^= 0xff
			}
		case 3: // another page in its place
			copy(b[at:at+page], whole[rnd.IntN(pages)*page:])
		case 4: // a page id or size of our choice in some element
			order.PutUint32(b[at+pageHeader+4*rnd.IntN(64):], []uint32{0, 1, 2, 3, 0xffff, 0xffffffff,
				uint32(rnd.IntN(pages))}[rnd.IntN(7)])
		}
		path := filepath.Join(dir, "x.run")
		write(t, path, b)
		verified := verify(path)
		err := use(path)
		switch {
		case err != nil && !isTyped(err):
			t.Fatalf("round %d, page %d: %s: %v", i, at/page, typed, err)
		case err != nil && verified == nil:
			t.Fatalf("round %d, page %d: Verify saw nothing of %v", i, at/page, err)
		case err == nil:
			clean++
		default:
			found++
		}
	}
	if clean == 0 || found == 0 {
		t.Errorf("%d opened clean, %d did not: the test has lost its teeth", clean, found)
	}
	t.Logf("%d of %d opened clean", clean, clean+found)
}
