package compile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// cache keeps compiled programs on disk, under a hash of everything that decides the outcome. Several processes may
// use one folder: an entry is written to a temporary file and renamed, and has a checksum. A broken cache only costs
// time, so its faults are logged, once, and not returned.
type cache struct {
	dir    string
	log    *slog.Logger
	warned sync.Once
}

const (
	cacheMagic = "darwarp compiled 5 " // before the checksum
	staleAfter = time.Hour             // after this, an unfinished entry has no writer any more
)

// key hashes what decides the outcome.
func (p *Pool) key(source string) string {
	h := sha256.New()
	put := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	}
	put(cacheMagic, source, p.Toolchain(), p.cfg.Arch, fmt.Sprint(p.cfg.Checked))
	put(p.cfg.IncludeDirs...)
	for _, headers := range []map[string][]byte{p.cfg.Headers, p.cfg.Overlay} {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			put(name, string(headers[name]))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CacheError says that the folder of compiled kernels cannot be used.
type CacheError struct{ Err error }

func (e *CacheError) Error() string { return fmt.Sprintf("cache of compiled kernels: %v", e.Err) }

// Unwrap is what the system says.
func (e *CacheError) Unwrap() error { return e.Err }

// openCache opens the folder and cuts it down to size bytes; without a folder there is no cache.
func openCache(dir string, size int64, log *slog.Logger) (*cache, error) {
	c := &cache{dir: dir, log: log}
	if dir == "" {
		return c, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &CacheError{err}
	}
	c.trim(size)
	return c, nil
}

func (c *cache) path(key string) string { return filepath.Join(c.dir, key[:2], key[2:]) }

// get returns an entry. A damaged one is removed.
func (c *cache) get(key string) (Output, bool) {
	var out Output
	if c.dir == "" {
		return out, false
	}
	path := c.path(key)
	data, err := os.ReadFile(path)
	if err != nil {
		return out, false
	}
	if err := unseal(key, data, &out); err != nil {
		c.log.Warn("damaged entry in the cache of compiled kernels", "file", path, "error", err)
		_ = os.Remove(path)
		return Output{}, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // used recently: trimmed last
	return out, true
}

// put stores an outcome.
func (c *cache) put(key string, out Output) {
	if c.dir == "" {
		return
	}
	if err := c.write(key, out); err != nil {
		c.warned.Do(func() { c.log.Warn("compiled kernels are not cached", "error", err) })
	}
}

func (c *cache) write(key string, out Output) error {
	path := c.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(seal(key, out))
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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

// trim removes the least recently used entries until the rest fits, and unfinished ones. Files that vanish meanwhile
// were removed by another process.
func (c *cache) trim(size int64) {
	type entry struct {
		path string
		info fs.FileInfo
	}
	var all []entry
	_ = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, entry{path, info})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Compare(b.info.ModTime().UnixNano(), a.info.ModTime().UnixNano())
	})
	total := int64(0)
	for _, e := range all {
		unfinished := strings.HasPrefix(filepath.Base(e.path), "new-")
		if total += e.info.Size(); total > size || unfinished && time.Since(e.info.ModTime()) > staleAfter {
			_ = os.Remove(e.path)
		}
	}
}
