package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
)

// bbolt trusts its pages: on a damaged file it reads outside its map, recurses for ever or panics in
// a goroutine of its own, which no recover of ours can catch. So the file is walked with plain reads
// before bbolt sees it: everything that bbolt will follow leads to a page that exists, is of
// the kind expected, is used once, and holds its elements inside itself, in order.
//
// Layout (bbolt, internal/common): a page is id u64, flags u16, count u16, overflow u32, then
// elements. Numbers are in the machine's own byte order.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2
	noFreelist  = math.MaxUint64

	pageHeader = 16
	metaSize   = 64
	elemSize   = 16 // of leaf and branch elements alike

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketFlag   = 0x01

	maxDepth = 64 // of pages and nested buckets; ours need about 8
)

var order = binary.NativeEndian

// boltMeta is what one of the two meta pages says.
type boltMeta struct{ pageSize, root, freelist, pages, txid uint64 }

// checkFile walks the file and reports anything that bbolt could trip over. single says that only one of the two meta
// pages is intact.
func checkFile(f *os.File) (single bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() == 0 {
		return false, damaged("the file is empty")
	}
	m, single, err := findMeta(f, uint64(info.Size()))
	if err != nil {
		return false, err
	}
	if m.pages < 4 || m.pages > uint64(info.Size())/m.pageSize {
		return false, damaged("%d bytes: expected at least %d pages of %d bytes", info.Size(), m.pages, m.pageSize)
	}
	w := walker{f: f, meta: m, used: make([]uint64, m.pages/64+1)}
	if err := w.walk(m.root, 0, nil, nil); err != nil {
		return false, err
	}
	return single, w.walkFreelist()
}

// findMeta picks the meta page that bbolt will use: the valid one with the higher transaction. Where there is a single
// one, it may be of the transaction before the last.
func findMeta(f *os.File, size uint64) (m boltMeta, single bool, err error) {
	first, err := readMeta(f, 0)
	if err == nil {
		second, err := readMeta(f, first.pageSize)
		if err == nil && second.txid > first.txid {
			return second, false, second.samePages(first)
		}
		return first, err != nil, nil
	}
	// The first is unreadable, so the page size is unknown: bbolt tries these, in this order.
	for at := uint64(1024); at <= 1024<<14 && at+1024 < size; at <<= 1 {
		if second, err := readMeta(f, at); err == nil {
			if second.pageSize != at {
				return second, true, damaged("the second meta page is at %d: expected %d", at, second.pageSize)
			}
			return second, true, nil
		}
	}
	return boltMeta{}, false, err
}

func (m boltMeta) samePages(o boltMeta) error {
	if m.pageSize != o.pageSize {
		return damaged("pages of %d and of %d bytes", o.pageSize, m.pageSize)
	}
	return nil
}

// isText reports whether a file begins with text: what a damaged run begins with has control characters.
func isText(b []byte) bool {
	return len(b) > 0 && !bytes.ContainsFunc(b, func(c rune) bool { return c < '\t' })
}

// readMeta reads and verifies the meta page at an offset.
func readMeta(f *os.File, at uint64) (boltMeta, error) {
	var m boltMeta
	page := make([]byte, pageHeader+metaSize)
	n, err := f.ReadAt(page, int64(at))
	if err != nil && err != io.EOF {
		return m, err
	}
	b := page[pageHeader:]
	magic, version := order.Uint32(b), order.Uint32(b[4:])
	h := fnv.New64a()
	h.Write(b[:56])
	switch {
	case magic != boltMagic && isText(page[:n]):
		return m, fault{ErrNotOurs, errors.New("a text file")}
	case magic != boltMagic && (n < len(page) || len(bytes.Trim(page, "\x00")) == 0):
		return m, damaged("the first page is missing or zero")
	case magic != boltMagic:
		return m, fault{ErrNotOurs, fmt.Errorf("starts with %x", magic)}
	case version != boltVersion:
		return m, fault{ErrNotOurs, fmt.Errorf("a bolt file of version %d", version)}
	case order.Uint64(b[56:]) != h.Sum64():
		return m, damaged("a meta page's checksum does not match")
	}
	m = boltMeta{uint64(order.Uint32(b[8:])), order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]),
		order.Uint64(b[48:])}
	if m.pageSize < 1024 || m.pageSize > 1<<24 || m.pageSize&(m.pageSize-1) != 0 {
		return m, damaged("pages of %d bytes", m.pageSize)
	}
	return m, nil
}
