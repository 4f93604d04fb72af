package fleet

import "time"

// A member that is set aside takes no candidates, and belongs to the fleet as before: it has other work, and takes too
// long for what all time. It is asked again after a while.

// firstPause and lastPause are how long a member is aside for the first time, and at most: each time is twice the last.
// Tests shorten the first.
var firstPause = 15 * time.Second

const lastPause = 2 * time.Minute

// setAside says for how long; false: it is aside already, or not here.
func (c *roster) setAside(m *member, why string) (pause time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.asked || !m.here() {
		return 0, false
	}
	m.ready, m.aside, m.asked, m.backs = false, why, true, 0
	m.pause = min(lastPause, max(firstPause, 2*m.pause))
	return m.pause, true
}

// recall reports whether a member is still aside, and lets it be set aside anew.
func (c *roster) recall(m *member) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.asked = false
	return m.here() && m.aside != ""
}

// readmit lets a member take candidates. The caller holds mu.
func (c *roster) readmit(m *member) {
	m.ready, m.aside = true, ""
	close(c.changed)
	c.changed = make(chan struct{})
}

// readmitAll lets in who is aside where nobody else is left. The caller holds mu.
func (c *roster) readmitAll() {
	for _, m := range c.members {
		if m.ready && !m.drain && !m.helps {
			return
		}
	}
	for _, m := range c.members {
		if m.here() && m.aside != "" {
			c.readmit(m)
		}
	}
}

// countClaim counts a claim that a member did not repeat.
func (c *roster) countClaim(m *member) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.wrong++
	return m.wrong
}
