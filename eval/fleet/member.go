package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/ratio"
	"darwarp/kernels"
)

// member is a worker of the fleet. All of it belongs to the roster, whose lock guards it.
type member struct {
	identity
	presence
	standing
	tally
	ready  bool        // it may take candidates
	ratios ratio.Table // of its times to the first worker's
	noise  float64
}

// identity is who a member is. It never changes.
type identity struct {
	name  string
	proof kernels.Provenance // as it joined
	key   string             // of proof
	times bool               // it can time a kernel for comparison
	helps bool               // it has no device, and compiles
}

// presence is whether a member is there.
type presence struct {
	last  hello
	seen  time.Time
	gone  chan struct{} // closed when it has left, or is silent
	left  bool          // gone is closed
	queue bool          // it has one of its own
	drain bool          // it is to leave
}

// standing is what is held against a member.
type standing struct {
	out   string        // why it is left out; empty: it is not
	aside string        // why it gets no candidates for a while; empty: it does
	asked bool          // again, once that is over: somebody waits for it
	pause time.Duration // the last one
	wrong int           // claims that it did not repeat
}

// tally is how many answers a member gave.
type tally struct {
	done   int
	failed int // in a row that were none
	backs  int // requests that it has given back since it joined
	pace   pace
}

// pace is a member's answers of late.
type pace struct{ from, to mark }

// mark is how many answers there were at a time.
type mark struct {
	done int
	at   time.Time
}

// paceSpan is how long answers are counted at least, and half of how long at most.
const paceSpan = 30 * time.Second

// hear notes how many answers there are.
func (p *pace) hear(done int, now time.Time) {
	switch here := (mark{done, now}); {
	case p.to.at.IsZero():
		p.from, p.to = here, here
	case now.Sub(p.to.at) >= paceSpan:
		p.from, p.to = p.to, here
	}
}

// perMinute is the rate of answers.
func (p *pace) perMinute(done int, now time.Time) float64 {
	passed := now.Sub(p.from.at).Minutes()
	if p.from.at.IsZero() || passed <= 0 {
		return 0
	}
	return float64(done-p.from.done) / passed
}

func (m *member) here() bool { return !m.left && m.out == "" }

// kindOf names a device by what its figures depend on, but for which one of them it is.
func kindOf(d kernels.Device) string {
	d.UUID, d.MemoryBytes = "", 0
	sum := sha256.Sum256(encode(d))
	return hex.EncodeToString(sum[:6])
}

var nameRE = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkName checks that a worker's name can be part of a subject.
func checkName(name string) error {
	if !nameRE.MatchString(name) {
		return fmt.Errorf("%q: expected a worker's name of letters, digits, - and _, at most 64", name)
	}
	return nil
}

// alike reports whether times of two devices can be compared.
func alike(one, other kernels.Device) bool {
	a, b := env.SeenGPU{Device: one}, env.SeenGPU{Device: other}
	return a.Alike(&b)
}

func described(d kernels.Device) string {
	return fmt.Sprintf("%s %s, driver %s, %s", d.Label(), d.Arch, cmp.Or(d.Driver, "-"), cmp.Or(d.Toolchain, "-"))
}

func newMember(h *hello) *member {
	if h.Proof == nil {
		return &member{identity: identity{name: h.Worker, helps: true}}
	}
	return &member{identity: identity{name: h.Worker, proof: *h.Proof, key: h.Proof.Key(), times: h.Times}}
}

// join enters a member that is new, or has come back.
func (m *member) join() {
	m.left, m.ready, m.queue, m.gone, m.backs = false, false, !m.helps, make(chan struct{}), 0
	m.pace = pace{}
	m.aside, m.asked = "", false
}

func (m *member) leave() {
	m.left, m.ready = true, false
	close(m.gone)
}
