package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"darwarp/kernels"
)

// admit refuses a worker that cannot belong to the fleet.
func (c *roster) admit(h *hello) error {
	h.Version = kernels.CleanLine(h.Version, kernels.MaxName)
	if err := checkName(h.Worker); err != nil {
		return err
	}
	switch {
	case h.Protocol != Protocol && h.Version == c.version: // builds of a checkout bear the same name
		return fmt.Errorf("the worker and the search are two builds of darwarp %s, and speak protocols %d and %d: "+
			"start the search's build", h.Version, h.Protocol, Protocol)
	case h.Protocol != Protocol || h.Version != c.version:
		return fmt.Errorf("the worker is darwarp %s, the search is %s: start the search's version", h.Version, c.version)
	case h.Compiles != "" && c.kind != "" && h.Compiles != c.device.Toolchain:
		return fmt.Errorf("the fleet compiles with %s, this worker with %s: machine code of the two may differ",
			cmp.Or(c.device.Toolchain, "-"), kernels.CleanLine(h.Compiles, kernels.MaxName))
	case h.Proof == nil && h.Compiles == "":
		return nil
	case len(h.Doing) > len(abilities):
		return fmt.Errorf("doing: %d kinds of work", len(h.Doing))
	case h.Slots < 1 || h.Slots > 4096:
		return fmt.Errorf("slots: %d: expected 1 to 4096", h.Slots)
	}
	if h.Machine != nil {
		if err := h.Machine.Admit(); err != nil {
			return err
		}
	}
	if h.Proof == nil {
		return nil
	}
	if err := cmp.Or(h.Proof.Admit(), kernels.AdmitFigures("busy", h.Busy),
		kernels.AdmitCounts("workers", h.Workers)); err != nil {
		return err
	}
	if c.kind != "" && !alike(c.device, h.Proof.Device) {
		return fmt.Errorf("the fleet is %s; this is %s: times of the two cannot be compared", described(c.device),
			described(h.Proof.Device))
	}
	return nil
}

// hear enters what a worker tells. joined is the worker where it is new, and its device is open.
func (c *roster) hear(h hello, now time.Time) (w welcome, joined *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.admit(&h); err != nil {
		return welcome{Refused: err.Error()}, nil
	}
	m := c.find(h.Worker)
	switch {
	case c.over && (m == nil || m.left) && !h.Leaving:
		return welcome{Refused: errIslandOver.Error()}, nil
	case m != nil && m.out != "":
		return welcome{Refused: "left out: " + m.out}, nil
	case h.Proof == nil && (h.Compiles == "" || c.kind == "") || m == nil && h.Leaving ||
		m != nil && m.helps != (h.Proof == nil):
		return welcome{Arch: c.device.Arch}, nil
	case m == nil:
		m = newMember(&h)
		c.enter(m)
		fallthrough
	case m.left && !h.Leaving:
		m.join()
		joined = m
	}
	if c.kind == "" {
		c.kind, c.device = kindOf(h.Proof.Device), h.Proof.Device
	}
	m.pace.hear(m.done, now)
	if m.last, m.seen = h, now; h.Leaving && !m.left {
		m.leave()
	}
	return m.welcome(c.kind), joined
}

// welcome is what the search answers to a member. The caller holds mu.
func (m *member) welcome(kind string) welcome {
	w := welcome{Kind: kind, Ready: m.ready, Aside: m.aside, Drain: m.drain}
	if m.ratios != nil {
		w.Ratios = map[string]float64{}
		for load, r := range m.ratios {
			w.Ratios[load] = r.Of
		}
	}
	return w
}

// errOutsider says that an answer is of a worker that is left out.
var errOutsider = errors.New("it has no place in the fleet")

// admitAnswer is who has given an answer, and counts it. An answer of one that is left out is none.
func (c *roster) admitAnswer(name string, failed bool) (m *member, inARow int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m = c.find(name)
	if m == nil || m.out != "" {
		return nil, 0, fmt.Errorf("%w: %s: %w", kernels.ErrLost, name, errOutsider)
	}
	if m.done++; failed {
		m.failed++
	} else {
		m.failed = 0
	}
	return m, m.failed, nil
}
