package dl

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// loaderDirs are the folders in which dlopen would find one of sonames: LD_LIBRARY_PATH, then the cache that ldconfig
// keeps. Reading the cache instead of opening a plain name tells us the real path, and loads nothing into a process
// that may only ask for the path.
func (f Finder) loaderDirs(sonames []string) []string {
	var dirs []string
	for _, d := range strings.FieldsFunc(f.Getenv("LD_LIBRARY_PATH"), func(r rune) bool { return r == ':' || r == ';' }) {
		dirs = append(dirs, quote(d))
	}
	cache, err := fs.ReadFile(f.FS, "etc/ld.so.cache")
	if err != nil {
		return dirs
	}
	for _, file := range cachedPaths(cache) {
		if slices.Contains(sonames, path.Base(file)) {
			dirs = append(dirs, quote(path.Dir(file)))
		}
	}
	return dirs
}

const (
	cacheMagic  = "glibc-ld.so.cache1.1"
	cacheHeader = 48 // magic, entry count, string bytes, flags, extension offset, 12 unused bytes
	cacheEntry  = 24 // flags, key offset, value offset, OS version, hardware capabilities
)

// cachedPaths lists the library paths in an ld.so.cache; none if the file has another format.
// String offsets count from the magic. An old-style table may stand before it.
func cachedPaths(cache []byte) []string {
	start := bytes.Index(cache, []byte(cacheMagic))
	if start < 0 || len(cache)-start < cacheHeader {
		return nil
	}
	cache = cache[start:]
	n := int(binary.LittleEndian.Uint32(cache[20:]))
	if n > (len(cache)-cacheHeader)/cacheEntry {
		return nil
	}
	var paths []string
	for i := range n {
		at := binary.LittleEndian.Uint32(cache[cacheHeader+i*cacheEntry+8:])
		if uint64(at) < uint64(len(cache)) {
			paths = append(paths, Trim(cache[at:min(len(cache), int(at)+4096)]))
		}
	}
	return paths
}
