package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cache keeps compiled programs on disk, under a hash of everything that decides the outcome. Several processes may
// use one folder: an entry is written to a temporary file and renamed, and has a checksum. A broken cache only costs
// time, so its faults are logged, once, and not returned.
type cache struct {
	dir    string
	size   int64               // bytes that it may have
	check  func(*Output) error // whether what was read is what a compile worker may give; nil: it is
	log    *slog.Logger
	warned sync.Once

	mu      sync.Mutex
	written int64 // bytes since it was last trimmed
}

const (
	cacheMagic = "darwarp compiled 8 " // before the checksum
	staleAfter = time.Hour             // after this, an unfinished entry has no writer any more
	maxEntry   = 64 << 20              // bytes of one: several times maxImage in base64
)

// key hashes what decides the outcome.
func (p *Pool) key(source string) string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	}
	put(cacheMagic, source, p.Toolchain(), p.installed, p.cfg.Arch, fmt.Sprint(p.cfg.Checked))
	put(p.cfg.IncludeDirs...)
	for _, headers := range []map[string][]byte{p.cfg.Headers, p.cfg.Overlay} {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			put(name, string(headers[name]))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// openCache opens the folder and cuts it down to size bytes; without a folder there is no cache. Nor is there one where
// others than its owner may have put something.
func openCache(dir string, size int64, log *slog.Logger) (*cache, error) {
	c := &cache{dir: dir, size: size, log: log}
	if dir == "" {
		return c, nil
	}
	if err := makeCache(dir); err != nil {
		return nil, err
	}
	if err := private(dir); err != nil {
		log.Warn("compiled kernels are not cached", "error", err)
		c.dir = ""
		return c, nil
	}
	c.trim()
	return c, nil
}

// private makes a folder one that nobody else writes to, if it is ours.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err == nil {
		err = owned(dir, info)
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// owned is an error if a folder is another user's.
func owned(dir string, info fs.FileInfo) error {
	if owner, ours := ownerOf(info), os.Geteuid(); owner != ours {
		return fmt.Errorf("%s belongs to user %d, and this is user %d", dir, owner, ours)
	}
	return nil
}

// ownerOf is the user that a file belongs to, -1 where that is not told.
func ownerOf(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

func (c *cache) path(key string) string { return filepath.Join(c.dir, key[:2], key[2:]) }

// get returns an entry. A damaged one is removed, and so is one that a compile worker could not have given.
func (c *cache) get(key string) (Output, bool) {
	var out Output
	if c.dir == "" {
		return out, false
	}
	path := c.path(key)
	data, err := readOwn(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, false
	}
	if err == nil {
		err = unseal(key, data, &out)
	}
	if err == nil && c.check != nil {
		err = c.check(&out)
	}
	if err != nil {
		c.log.Warn("damaged entry in the cache of compiled kernels", "file", path, "error", err)
		_ = os.Remove(path)
		return Output{}, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // used recently: trimmed last
	return out, true
}

// readOwn reads a regular file of this user's, which is no link and not longer than an entry.
func readOwn(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("not a file: %v", info.Mode())
	case ownerOf(info) != os.Geteuid():
		return nil, fmt.Errorf("it belongs to user %d", ownerOf(info))
	case info.Size() > maxEntry:
		return nil, fmt.Errorf("%d bytes", info.Size())
	}
	return io.ReadAll(io.LimitReader(f, maxEntry))
}

// put stores an outcome.
func (c *cache) put(key string, out Output) {
	if c.dir == "" {
		return
	}
	data := seal(key, out)
	if err := c.write(key, data); err != nil {
		c.warned.Do(func() { c.log.Warn("compiled kernels are not cached", "error", err) })
		return
	}
	c.grew(int64(len(data)))
}

func (c *cache) write(key string, data []byte) error {
	path := c.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	// Another process that makes room may have taken the file for an old one: then this entry is not kept.
	if err = os.Rename(f.Name(), path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// seal writes the checksum over key and content, so that a file under a wrong name is noticed.
func seal(key string, out Output) []byte {
	body, err := json.Marshal(out)
	if err != nil { // strings, numbers and bytes
		panic(err)
	}
	return append([]byte(cacheMagic+checksum(key, body)+"\n"), body...)
}

func unseal(key string, data []byte, out *Output) error {
	head, body, _ := strings.Cut(string(data), "\n")
	if head != cacheMagic+checksum(key, []byte(body)) {
		return fmt.Errorf("checksum of %d bytes does not match", len(data))
	}
	return json.Unmarshal([]byte(body), out)
}

func checksum(key string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(key))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}
