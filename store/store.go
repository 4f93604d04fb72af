package store

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// Run is an open run. Its methods may be called from many goroutines; writes take turns.
type Run struct {
	db       opened
	path     string // as the user named it
	readOnly bool
	remark   string // what was odd about the file, and what Open did about it
	meta     atomic.Pointer[Meta]
	writing  sync.Mutex
	newest   time.Time // At of the candidate that was stored last in this session
	put      time.Time // when that was, by the monotonic clock
	tally    atomic.Pointer[tally]
	broken   atomic.Bool // a write panicked: bbolt may hold its own locks for ever
	owed     bool        // the last transaction is in the file, and perhaps not on the disk

	// What a full disk is tried with: the database's own, but in tests
	commit func(func(*bolt.Tx) error) error
	sync   func() error
}

// tally is what Len and Counts answer from. It is replaced, never changed.
type tally struct {
	last   int // Seq of the newest candidate; they count from 1 without gaps
	counts map[kernels.Outcome]int
}

// checkIndexes holds the sizes of the indexes against the counts: lists are read from them, and one that was emptied
// would look like a run that found nothing. It reads the indexes' pages, a millisecond for 20,000 candidates.
func (t *tally) checkIndexes(root *bolt.Bucket) error {
	if n := root.Bucket(ids).Stats().KeyN; n != t.last {
		return damaged("%d IDs of %d candidates", n, t.last)
	}
	if n := root.Bucket(rank).Stats().KeyN; n != t.counts[kernels.OK] {
		return damaged("%d ranks of %d candidates that are ok", n, t.counts[kernels.OK])
	}
	return nil
}

// plus is the tally after one more candidate.
func (t *tally) plus(o kernels.Outcome) *tally {
	next := &tally{t.last + 1, maps.Clone(t.counts)}
	next.counts[o]++
	return next
}

// Create starts a run in a new file and opens it for writing.
// Errors: ErrExists, ErrNetwork, ErrNoSpace.
func Create(path string, m Meta) (*Run, error) {
	err := createFile(path, func(tx *bolt.Tx) error { return createTree(tx, m) })
	if err != nil {
		return nil, named(path, err)
	}
	return Open(path)
}

// Open opens a run for writing, which locks out every other process, and brings its layout up to
// date; the file as it was is then kept beside it, as PATH.layoutN. A damaged file is replaced by its snapshot, where
// there is an intact one, and kept as PATH.damaged.
// Errors: ErrLocked, ErrNewer, ErrNotOurs, ErrDamaged, ErrNetwork, ErrDenied.
func Open(path string) (*Run, error) {
	r, err := open(path, true)
	if errors.Is(err, errOlder) {
		r, err = upgrade(path)
	}
	if errors.Is(err, ErrDamaged) && hasSnapshot(path) {
		r, err = restore(path, err)
	}
	if err != nil {
		return nil, named(path, err)
	}
	r.path = path
	return r, nil
}

// open opens a run of the present layout.
func open(path string, write bool) (*Run, error) {
	db, err := openBolt(path, write)
	if err != nil {
		return nil, err
	}
	r := &Run{db: db, path: path, readOnly: !write, commit: db.Update, sync: db.Sync}
	if db.single {
		r.remark = fmt.Sprintf("%s: one of its two meta pages is damaged: what was stored last may be missing", path)
	}
	if err := r.load(); err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// load reads what is kept in memory.
func (r *Run) load() error {
	return r.transact(r.db.View, func(root *bolt.Bucket) error {
		v, err := storedVersion(root)
		if err != nil {
			return err
		}
		if v < schemaVersion() {
			return fault{errOlder, fmt.Errorf("layout %d", v)}
		}
		if err := checkTree(root); err != nil {
			return err
		}
		var m Meta
		if err := decode(root.Bucket(metaName).Get(metaKey), &m); err != nil {
			return fmt.Errorf("meta: %w", err)
		}
		if c, err := lastChampion(root); err != nil {
			return err
		} else if c != nil && root.Bucket(ids).Get(c.ID[:]) == nil {
			return damaged("champion %s is no candidate", c.ID.Short())
		}
		r.meta.Store(&m)
		return r.loadTally(root)
	})
}

// loadTally reads the counts and compares them with the newest candidate.
func (r *Run) loadTally(root *bolt.Bucket) error {
	t := &tally{counts: map[kernels.Outcome]int{}}
	if record := root.Get(countsKey); record != nil {
		if err := decode(record, &t.counts); err != nil {
			return fmt.Errorf("counts: %w", err)
		}
	}
	for _, n := range t.counts {
		t.last += n
	}
	newest := uint64(0)
	if k, _ := root.Bucket(candidates).Cursor().Last(); k != nil {
		n, err := toNumber(k)
		if err != nil {
			return err
		}
		newest = n
	}
	if newest != uint64(t.last) {
		return damaged("%d candidates are counted, the newest is %d", t.last, newest)
	}
	if err := t.checkIndexes(root); err != nil {
		return err
	}
	r.tally.Store(t)
	return nil
}

// transact runs fn in a transaction with the root bucket.
func (r *Run) transact(in func(func(*bolt.Tx) error) error, fn func(root *bolt.Bucket) error) error {
	return guard(func() error {
		return in(func(tx *bolt.Tx) error { return fn(tx.Bucket(rootName)) })
	})
}

// read runs fn on a consistent state. Transactions are kept short: while one is open no page is
// reused, and the writer waits when it has to enlarge its map.
func (r *Run) read(fn func(root *bolt.Bucket) error) error {
	return named(r.path, r.transact(r.db.View, fn))
}

// write runs fn in one fsynced transaction. The caller holds r.writing.
func (r *Run) write(fn func(root *bolt.Bucket) error) error {
	if r.readOnly {
		return named(r.path, fault{ErrReadOnly, errors.New("a view")})
	}
	if r.broken.Load() {
		return named(r.path, damaged("a write failed before"))
	}
	if err := r.settle(); err != nil {
		return named(r.path, err)
	}
	id := 0
	err := noSpace(r.transact(func(do func(*bolt.Tx) error) error {
		return r.commit(func(tx *bolt.Tx) error {
			id = tx.ID()
			return do(tx)
		})
	}, fn))
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(panicked)):
		r.broken.Store(true)
		return named(r.path, err)
	case errors.Is(err, ErrNoSpace) && r.holds(id):
		// All but the sync of the meta page has come through: done again, it would be there twice.
		r.owed = true
		_ = r.settle() // or before the next write, or on closing
		return nil
	}
	// A sync that fails at the very end leaves open which state the file has: ask it.
	if again := r.transact(r.db.View, r.loadTally); again != nil {
		err = fmt.Errorf("%w; then: %w", err, again)
	}
	return named(r.path, err)
}

// Path is the file as Create, Open or View was given it.
func (r *Run) Path() string { return r.path }

// Meta is what the run is about.
func (r *Run) Meta() Meta { return *r.meta.Load() }

// Len is the number of stored candidates.
func (r *Run) Len() int { return r.tally.Load().last }

// Counts is the number of stored candidates by outcome.
func (r *Run) Counts() map[kernels.Outcome]int { return maps.Clone(r.tally.Load().counts) }

// Close waits for open transactions and releases the file.
func (r *Run) Close() error {
	if r.broken.Load() { // waiting could last for ever; the lock goes with the process
		return nil
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	err := r.settle()
	r.owed = false // it has been told
	return named(r.path, errors.Join(err, r.db.Close()))
}
