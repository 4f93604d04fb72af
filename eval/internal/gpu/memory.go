package gpu

import (
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/cuda"
)

// room is how much address space on either side of an allocation stays without memory, so that a far stray is an
// illegal address instead of a write to something else.
const room = 1 << 30

// block is memory of a session with nothing mapped beside it.
type block struct {
	at    cuda.Ptr // 0: given back
	bytes int      // all that is mapped
	spare bool     // may be given back when memory is short: its owner can make another
	used  int      // the request that used it last
	free  func() error
}

// memory allocates for a session. The request that is being answered keeps what it has used.
type memory struct {
	drv     *cuda.Driver
	id      cuda.Device
	virtual bool // the driver maps memory where we want it
	blocks  []*block
	request int
	most    int // bytes that may be mapped; 0: what the device has
}

// take allocates n bytes at least. Where memory is short, spare blocks of earlier requests are given back for it.
func (m *memory) take(n int, spare bool) (*block, error) {
	for {
		b, err := m.alloc(max(n, 1))
		if err == nil {
			b.spare, b.used = spare, m.request
			m.blocks = append(m.blocks, b)
			return b, nil
		}
		if !outOfMemory(err) {
			return nil, err
		}
		old := oldest(m.blocks, m.request)
		if old == nil {
			return nil, fmt.Errorf("%d bytes: %w", n, err)
		}
		if err := m.release(old); err != nil {
			return nil, err
		}
	}
}

func outOfMemory(err error) bool {
	var e *cuda.Error
	return errors.As(err, &e) && e.Code == cuda.OutOfMemory
}

func (m *memory) alloc(n int) (*block, error) {
	if held := m.held(); m.most > 0 && held+n > m.most {
		return nil, &cuda.Error{Code: cuda.OutOfMemory, Name: fmt.Sprintf("%d of %d bytes are taken", held, m.most),
			Call: "allocate"}
	}
	if !m.virtual {
		at, err := m.drv.Alloc(uint64(n))
		return &block{at: at, bytes: n, free: func() error { return m.drv.Free(at) }}, err
	}
	r, err := m.drv.AllocBetween(m.id, uint64(n), room)
	if err != nil {
		return nil, err
	}
	return &block{at: r.At, bytes: int(r.Bytes), free: r.Free}, nil
}

// held is how many bytes are mapped.
func (m *memory) held() (n int) {
	for _, b := range m.blocks {
		n += b.bytes
	}
	return n
}

// spares reports whether n bytes more can be had in the present request, with all given back that it does not use.
func (m *memory) spares(n int) bool {
	for _, b := range m.blocks {
		if !b.spare || b.used == m.request {
			n += b.bytes
		}
	}
	return m.most == 0 || n <= m.most
}

// idleRequests is after how many requests that did not use it a spare block is given back. All memory is looked at when
// a request ends: what a duel has taken at a large size makes every request after it milliseconds longer.
const idleRequests = 48

// giveBackIdle gives back what has not been used for long.
func (m *memory) giveBackIdle() error { return m.giveBack(m.request - idleRequests) }

// giveBack gives back all spare blocks that were used last before the request of that number.
func (m *memory) giveBack(request int) error {
	for b := oldest(m.blocks, request); b != nil; b = oldest(m.blocks, request) {
		if err := m.release(b); err != nil {
			return err
		}
	}
	return nil
}

// oldest is the spare block that has not been used for longest, nil where the present request uses all.
func oldest(blocks []*block, request int) *block {
	var found *block
	for _, b := range blocks {
		if b.spare && b.used < request && (found == nil || b.used < found.used) {
			found = b
		}
	}
	return found
}

// release gives a block back. Its owner sees that it has no address any more.
func (m *memory) release(b *block) error {
	m.blocks = slices.DeleteFunc(m.blocks, func(x *block) bool { return x == b })
	b.at = 0
	return b.free()
}

// gone reports whether there is no such block, or none any more.
func (b *block) gone() bool { return b == nil || b.at == 0 }
