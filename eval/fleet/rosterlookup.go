package fleet

import (
	"context"
	"slices"
	"time"
)

// find is a member by name; nil: there is none. The caller holds mu.
func (c *roster) find(name string) *member { return c.byName[name] }

// enter adds a member. The caller holds mu.
func (c *roster) enter(m *member) {
	c.members, c.byName[m.name] = append(c.members, m), m
}

// mostOpening bounds how many workers are listed whose devices are not open yet.
const mostOpening = 4096

// noteOpening lists a worker that opens its devices, until it joins, here or on an island.
func (c *roster) noteOpening(h *hello, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.opening, h.Worker); h.Proof == nil && h.Compiles == "" && !h.Leaving && len(c.opening) < mostOpening {
		c.opening[h.Worker] = now
	}
}

// takes reports whether a member takes candidates.
func (m *member) takes() bool { return m.ready && !m.drain && !m.helps }

// ready are the members that take candidates; home is the first.
func (c *roster) ready() (all []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.takes() {
			all = append(all, m)
		}
	}
	return all
}

// noCompiler is closed when the machine without a device that joined last is gone; nil: there is none.
func (c *roster) noCompiler() (gone <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.helps && m.ready && !m.drain {
			gone = m.gone
		}
	}
	return gone
}

// home waits for a member that takes candidates.
func (c *roster) home(ctx context.Context) (*member, error) {
	for {
		m, changed := c.first()
		if m != nil {
			return m, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// first is the first member that takes candidates; nil: there is none, until changed is closed.
func (c *roster) first() (m *member, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.members, (*member).takes); i >= 0 {
		m = c.members[i]
	}
	return m, c.changed
}

// others are the members, ready or not, that can time a kernel for two that do not agree.
func (c *roster) others(one, other *member) (all []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m != one && m != other && m.here() && m.times {
			all = append(all, m)
		}
	}
	return all
}

// waiting are the members that are here and not ready.
func (c *roster) waiting() (all []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.here() && !m.ready {
			all = append(all, m)
		}
	}
	return all
}

// joined are the members that have not left.
func (c *roster) joined() (all []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if !m.left {
			all = append(all, m)
		}
	}
	return all
}

// anyHere reports whether a member with a device is here, ready or not.
func (c *roster) anyHere() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.members, func(m *member) bool { return m.here() && !m.helps })
}

func (c *roster) isHere(m *member) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.here()
}
