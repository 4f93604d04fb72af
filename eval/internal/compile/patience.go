package compile

import (
	"slices"
	"sync"
	"time"
)

// patience is how long a compile may take: three times the time that nearly all took, within bounds.
type patience struct {
	cap time.Duration

	times sync.Mutex
	last  []float64 // seconds, the newest at the end
}

// LongestTimeout is how long a compile may take where nothing else is said. Tests of other packages give it more:
// theirs are not about slow compilers, and a busy machine has some.
var LongestTimeout = 60 * time.Second

const (
	shortestTimeout = 10 * time.Second
	readyTimeout    = 5 * time.Minute // of a program of ours: an emulation is compiled before it
	remembered      = 200
	enough          = 20 // compiles that must have been seen
)

func (p *patience) learn(seconds float64) {
	p.times.Lock()
	defer p.times.Unlock()
	p.last = append(p.last, seconds)
	p.last = p.last[max(0, len(p.last)-remembered):]
}

func (p *patience) limit() time.Duration {
	p.times.Lock()
	defer p.times.Unlock()
	if len(p.last) < enough {
		return p.cap
	}
	sorted := slices.Sorted(slices.Values(p.last))
	usual := 3 * sorted[len(sorted)*95/100]
	return min(p.cap, max(shortestTimeout, time.Duration(usual*float64(time.Second))))
}
