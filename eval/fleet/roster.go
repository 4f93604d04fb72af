package fleet

import (
	"maps"
	"slices"
	"sync"
	"time"

	"darwarp/eval/internal/ratio"
	"darwarp/kernels"
)

// roster is who belongs to a fleet.
type roster struct {
	version string
	mu      sync.Mutex
	kind    string         // names the device that all have
	device  kernels.Device // the first worker's
	members []*member      // in the order of joining; the first that is ready is home
	byName  map[string]*member
	changed chan struct{}        // closed and replaced when somebody is ready
	over    bool                 // the search of an island has ended: nobody is taken any more
	opening map[string]time.Time // when a worker whose devices are not open yet was last heard
}

func newRoster(version string) *roster {
	return &roster{version: version, changed: make(chan struct{}), byName: map[string]*member{},
		opening: map[string]time.Time{}}
}

// times reports whether the workers' devices can time kernels: those of one that is here, or was. All are of one kind.
func (c *roster) times() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.members, func(m *member) bool { return m.times })
}

// excuse has the silence of all that are here begin now: nobody could be heard until then.
func (c *roster) excuse(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		m.seen = now
	}
	for name := range c.opening {
		c.opening[name] = now
	}
}

// turnAway undoes a joining: the worker's next hello is as its first.
func (c *roster) turnAway(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.queue = false; !m.left {
		m.leave()
	}
}

// sweep notes who has been silent for too long. departed are those whose queue nobody will take from any more.
func (c *roster) sweep(now time.Time) (silent, departed []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if !m.left && now.Sub(m.seen) > silence {
			m.leave()
			silent = append(silent, m)
		}
		if m.left && m.queue {
			m.queue = false
			departed = append(departed, m)
		}
	}
	maps.DeleteFunc(c.opening, func(_ string, heard time.Time) bool { return now.Sub(heard) > silence })
	c.readmitAll()
	return silent, departed
}

// countBack counts a request that a worker has given back; it gives one that has given back more than it can have had
// when it left.
func (c *roster) countBack(name string) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.find(name)
	if m == nil {
		return nil
	}
	if m.backs++; m.backs <= m.last.Slots+atOnce || m.out != "" {
		return nil
	}
	return m
}

// setReady lets a member take candidates, with these ratios.
func (c *roster) setReady(m *member, of ratio.Table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.ratios = of; !m.ready && m.here() {
		c.readmit(m)
	}
}

// goneOf is closed when a member leaves.
func (c *roster) goneOf(m *member) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.gone
}

// leaveOut takes a member out of the fleet, for good.
func (c *roster) leaveOut(m *member, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.out == "" {
		m.out, m.ready = why, false
		if !m.left {
			m.leave()
		}
	}
}

// ratiosOf are a member's.
func (c *roster) ratiosOf(m *member) ratio.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.ratios
}

// setDrain has a member finish what it does and leave.
func (c *roster) setDrain(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.find(name)
	if m == nil || !m.here() {
		return false
	}
	m.drain = true
	return true
}

// lead makes a member home, to whose times all others are compared.
func (c *roster) lead(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.members, m)
	c.members = slices.Concat(c.members[i:i+1], c.members[:i], c.members[i+1:])
	m.ratios = nil
}

// proof is what a member's figures stand on.
func (c *roster) proof(m *member) kernels.Provenance {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := m.proof
	p.Noise = max(p.Noise, m.noise)
	return p
}

// hearNoise notes the noise of a member's device. It never shrinks.
func (c *roster) hearNoise(m *member, noise float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if noise > m.noise && noise < 1 {
		m.noise = noise
	}
}
