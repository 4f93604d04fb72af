package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// UsualCache is how many bytes of compiled programs are kept on disk.
const UsualCache = 1 << 30

// shares says how much is written before the folder is looked through again, and how much is made free then: a part in
// so many of its size. So a process exceeds the size by nothing, and several at once by a share for each further one.
const shares = 8

// grew counts what was written, and trims when that was a share.
func (c *cache) grew(bytes int64) {
	c.mu.Lock()
	c.written += bytes
	due := c.written > c.size/shares
	if due {
		c.written = 0
	}
	c.mu.Unlock()
	if due {
		c.trim()
	}
}

// kept is a file of the cache.
type kept struct {
	path string
	size int64
	used time.Time
}

// list finds all files of a cache.
func list(dir string) (all []kept) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, kept{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	return all
}

// trim removes the least recently used entries until the rest fits with room for a share, and unfinished ones. Files
// that vanish meanwhile were removed by another process.
func (c *cache) trim() {
	all := list(c.dir)
	slices.SortFunc(all, func(a, b kept) int { return b.used.Compare(a.used) })
	total := int64(0)
	for _, e := range all {
		unfinished := strings.HasPrefix(filepath.Base(e.path), "new-")
		if total += e.size; total > c.size-c.size/shares || unfinished && time.Since(e.used) > staleAfter {
			_ = os.Remove(e.path)
		}
	}
}

// CacheUse is how many files a cache has, and how many bytes they take. The error says why it is not used.
func CacheUse(dir string) (files int, bytes int64, err error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err == nil {
		err = owned(dir, info)
	}
	if err != nil {
		return 0, 0, err
	}
	for _, e := range list(dir) {
		files++
		bytes += e.size
	}
	return files, bytes, nil
}

// installed names the state of the compiler's files: another one in the same place, also one that calls itself by the
// same version, compiles anew.
func (c *Config) installed() string {
	paths := []string{c.Library}
	for _, dir := range c.IncludeDirs {
		for _, name := range []string{"cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp", "cuda_fp8.h",
			"cuda_fp8.hpp", "mma.h", "crt/mma.h", "crt/mma.hpp"} {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	var text strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&text, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text.String()
}
