package store

import (
	"bytes"
	"fmt"
	"os"
)

// walker visits each page once.
type walker struct {
	f       *os.File
	meta    boltMeta
	used    []uint64 // bit set of pages
	buffers [][]byte // one per depth
}

// take marks a page as used.
func (w *walker) take(id uint64) error {
	if id < 2 || id >= w.meta.pages {
		return damaged("page %d: expected 2 to %d", id, w.meta.pages-1)
	}
	if w.used[id/64]&(1<<(id%64)) != 0 {
		return damaged("page %d is used twice", id)
	}
	w.used[id/64] |= 1 << (id % 64)
	return nil
}

// read takes a page with what overflows from it, into the buffer of its depth.
func (w *walker) read(id uint64, depth int) ([]byte, error) {
	if depth >= maxDepth {
		return nil, damaged("page %d is nested too deep", id)
	}
	if err := w.take(id); err != nil {
		return nil, err
	}
	for len(w.buffers) <= depth {
		w.buffers = append(w.buffers, make([]byte, w.meta.pageSize))
	}
	b, offset := w.buffers[depth][:w.meta.pageSize], int64(id*w.meta.pageSize)
	if _, err := w.f.ReadAt(b, offset); err != nil {
		return nil, fmt.Errorf("read page %d: %w", id, err)
	}
	if order.Uint64(b) != id {
		return nil, damaged("page %d says that it is page %d", id, order.Uint64(b))
	}
	more := uint64(order.Uint32(b[12:]))
	if more == 0 {
		return b, nil
	}
	if more >= w.meta.pages-id {
		return nil, damaged("page %d overflows the file", id)
	}
	for i := id + 1; i <= id+more; i++ {
		if err := w.take(i); err != nil {
			return nil, err
		}
	}
	b = make([]byte, (more+1)*w.meta.pageSize)
	w.buffers[depth] = b
	_, err := w.f.ReadAt(b, offset)
	return b, err
}

// walk visits the tree below a page; its keys lie in [lo, hi), where nil is unbounded.
func (w *walker) walk(id uint64, depth int, lo, hi []byte) error {
	page, err := w.read(id, depth)
	if err != nil {
		return err
	}
	if flags := order.Uint16(page[8:]); flags == branchPage {
		return w.walkBranch(id, page, depth, lo, hi)
	}
	return w.walkLeaf(id, page, depth, lo, hi)
}

func (w *walker) walkBranch(id uint64, page []byte, depth int, lo, hi []byte) error {
	count := int(order.Uint16(page[10:]))
	if count == 0 || pageHeader+count*elemSize > len(page) {
		return damaged("page %d: a branch of %d elements", id, count)
	}
	keys := make([][]byte, count+1)
	for i := range count {
		at := pageHeader + i*elemSize
		key, err := slice(page, at, order.Uint32(page[at:]), order.Uint32(page[at+4:]), 0)
		if err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
		keys[i] = key
	}
	if err := ordered(keys[:count], lo, hi); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	keys[count] = hi
	for i := range count {
		child := order.Uint64(page[pageHeader+i*elemSize+8:])
		if err := w.walk(child, depth+1, keys[i], keys[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// walkLeaf visits a leaf page, or the page that a small bucket keeps inside its value.
func (w *walker) walkLeaf(id uint64, page []byte, depth int, lo, hi []byte) error {
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if flags != leafPage || pageHeader+count*elemSize > len(page) {
		return damaged("page %d: kind %#x with %d elements", id, flags, count)
	}
	keys := make([][]byte, count)
	for i := range count {
		at := pageHeader + i*elemSize
		ksize, vsize := order.Uint32(page[at+8:]), order.Uint32(page[at+12:])
		both, err := slice(page, at, order.Uint32(page[at+4:]), ksize, vsize)
		if err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
		keys[i] = both[:ksize]
		if order.Uint32(page[at:])&bucketFlag != 0 {
			if err := w.walkBucket(id, both[ksize:], depth); err != nil {
				return err
			}
		}
	}
	if err := ordered(keys, lo, hi); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return nil
}

// walkBucket visits the bucket that a leaf element holds: root page u64, sequence u64, and the page
// itself where the root is 0.
func (w *walker) walkBucket(id uint64, value []byte, depth int) error {
	if len(value) < 16 || depth+1 >= maxDepth {
		return damaged("page %d: a bucket of %d bytes at depth %d", id, len(value), depth)
	}
	if root := order.Uint64(value); root != 0 {
		return w.walk(root, depth+1, nil, nil)
	}
	if len(value) < 16+pageHeader {
		return damaged("page %d: an inline bucket of %d bytes", id, len(value))
	}
	return w.walkLeaf(id, value[16:], depth+1, nil, nil)
}

// slice is the key and value of the element at an offset.
func slice(page []byte, at int, pos, ksize, vsize uint32) ([]byte, error) {
	from := uint64(at) + uint64(pos)
	to := from + uint64(ksize) + uint64(vsize)
	if ksize == 0 || to > uint64(len(page)) {
		return nil, damaged("an element outside its page")
	}
	return page[from:to], nil
}

// ordered reports keys that do not rise, or leave [lo, hi).
func ordered(keys [][]byte, lo, hi []byte) error {
	for i, k := range keys {
		if i > 0 && bytes.Compare(keys[i-1], k) >= 0 || i == 0 && bytes.Compare(k, lo) < 0 {
			return damaged("keys are out of order")
		}
		if hi != nil && bytes.Compare(k, hi) >= 0 {
			return damaged("a key is beyond its branch")
		}
	}
	return nil
}

// walkFreelist checks that pages listed as free are in the file, listed once, and not in use.
func (w *walker) walkFreelist() error {
	if w.meta.freelist == noFreelist {
		return nil
	}
	page, err := w.read(w.meta.freelist, 0)
	if err != nil {
		return err
	}
	flags, count, at := order.Uint16(page[8:]), uint64(order.Uint16(page[10:])), uint64(pageHeader)
	if count == 0xFFFF { // does not fit: it is the first entry
		count, at = order.Uint64(page[at:]), at+8
	}
	if flags != freelistPage || count > (uint64(len(page))-at)/8 {
		return damaged("page %d: kind %#x: expected a list of %d free pages", w.meta.freelist, flags, count)
	}
	for i := range count {
		if err := w.take(order.Uint64(page[at+8*i:])); err != nil {
			return fmt.Errorf("free list: %w", err)
		}
	}
	return nil
}
