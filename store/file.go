package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

const (
	lockWait = time.Second            // for a writer: the one before may be closing
	viewWait = 100 * time.Millisecond // for a reader, which can ask the writer for a copy
)

// opened is a bolt file with the handle that bbolt keeps.
type opened struct {
	*bolt.DB
	file   *os.File
	single bool // one of the two meta pages is damaged
}

// openBolt opens a file after locking and walking it, all on the one file handle that bbolt then
// keeps, so that nothing can change in between. It never creates a file.
func openBolt(path string, write bool) (o opened, err error) {
	options := &bolt.Options{
		Timeout: lockWait, ReadOnly: !write, FreelistType: bolt.FreelistMapType, NoStatistics: true,
		OpenFile: func(_ string, flag int, _ os.FileMode) (f *os.File, err error) {
			o.file, o.single, err = openChecked(path, flag&^os.O_CREATE, write)
			return o.file, err
		},
	}
	err = guard(func() (err error) {
		o.DB, err = bolt.Open(path, 0o600, options)
		return err
	})
	if err != nil && o.file != nil {
		o.file.Close() // bbolt has done so, except where it panicked
	}
	return o, err
}

// openChecked opens, locks and checks a file that must exist.
func openChecked(path string, flag int, write bool) (f *os.File, single bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its other end
		return nil, false, fault{ErrNotOurs, fmt.Errorf("a %s", info.Mode().Type())}
	}
	f, err = os.OpenFile(path, flag|syscall.O_NONBLOCK, 0) // it may have become one
	if err != nil {
		return nil, false, denied(err, write)
	}
	check := func() (err error) {
		if write {
			if err := refuseNetwork(path); err != nil {
				return err
			}
		}
		if err := lock(f, write); err != nil {
			return err
		}
		single, err = checkFile(f)
		return err
	}
	if err := check(); err != nil {
		f.Close()
		return nil, false, err
	}
	return f, single, nil
}

// denied says what a file may not be opened for, without its name, which whoever hears of it knows.
func denied(err error, write bool) error {
	known := new(os.PathError)
	if !errors.As(err, &known) {
		return err
	}
	what := "for reading"
	if write {
		what = "for writing"
	}
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fault{ErrDenied, fmt.Errorf("%s: %w", what, known.Err)}
	}
	return known.Err
}

// lock takes the lock that bbolt takes again on the same handle.
func lock(f *os.File, write bool) error {
	how, wait := syscall.LOCK_SH, viewWait
	if write {
		how, wait = syscall.LOCK_EX, lockWait
	}
	for end := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(end) {
			return fault{ErrLocked, holder(f)}
		}
	}
}

// holder says which process has the lock, as far as the kernel tells.
func holder(f *os.File) error {
	unknown := errors.New("process unknown")
	info, err := f.Stat()
	if err != nil {
		return unknown
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	locks, err := os.Open("/proc/locks")
	if !ok || err != nil {
		return unknown
	}
	defer locks.Close()
	dev := uint64(st.Dev)
	major, minor := dev>>8&0xfff|dev>>32&^0xfff, dev&0xff|dev>>12&^0xff
	inode := fmt.Sprintf("%02x:%02x:%d", major, minor, st.Ino)
	for s := bufio.NewScanner(locks); s.Scan(); {
		// 1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF
		if w := strings.Fields(s.Text()); len(w) > 5 && w[1] == "FLOCK" && w[5] == inode && w[4] != "0" {
			return errors.New(processText(w[4]))
		}
	}
	return unknown
}

// networks are the file systems that are refused, by the numbers that statfs(2) lists.
var networks = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x65735546: "FUSE",
	0x01021997: "9P",
	0x5346414f: "AFS",
}

func refuseNetwork(path string) error {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return fmt.Errorf("statfs: %w", err)
	}
	return networkFault(uint32(st.Type))
}

func networkFault(kind uint32) error {
	if name, ok := networks[kind]; ok {
		return fault{ErrNetwork, errors.New(name)}
	}
	return nil
}

// panicked is what guard caught.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprint(p.value) }

// guard turns a fault of this goroutine into an error: a page of the map that cannot be read because
// the disk fails or somebody cut the file, or a page that the walk took for good.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fault{ErrDamaged, panicked{p}}
		}
	}()
	return fn()
}

// createFile makes a new bolt file with what fill writes. It appears under its name complete and
// synced, or not at all, and never replaces a file.
func createFile(path string, fill func(*bolt.Tx) error) error {
	dir := filepath.Dir(path)
	if _, err := os.Lstat(path); err == nil {
		return fault{ErrExists, errors.New("a new run needs a new file")}
	}
	if _, err := os.Stat(dir); err != nil {
		return unwritable(dir, err)
	}
	if err := refuseNetwork(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return unwritable(dir, err)
	}
	temp := f.Name()
	defer os.Remove(temp)
	if err := f.Close(); err != nil {
		return err
	}
	db, err := bolt.Open(temp, 0o600, &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return noSpace(err)
	}
	if err := errors.Join(db.Update(fill), db.Sync(), db.Close()); err != nil {
		return noSpace(err)
	}
	err = place(temp, path, renameNew)
	if errors.Is(err, os.ErrExist) {
		return fault{ErrExists, err}
	}
	return errors.Join(noSpace(err), syncDir(dir))
}

// unwritable says that no file can be made in a folder, without the name that it would have had for a moment.
func unwritable(dir string, err error) error {
	if known := new(os.PathError); errors.As(err, &known) {
		err = fmt.Errorf("cannot write to the folder %s: %w", dir, known.Err)
	}
	return noSpace(err)
}

// renameNew gives a file another name unless that is taken, in one step.
func renameNew(from, to string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// place gives a file its name unless that is taken. Where the file system cannot do so in one step, the name is taken
// by an empty file first, which the file then replaces.
func place(temp, path string, rename func(from, to string) error) error {
	err := rename(temp, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	claim, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(claim.Close(), os.Rename(temp, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// syncDir makes names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
