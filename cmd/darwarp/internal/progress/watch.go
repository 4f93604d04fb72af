package progress

import (
	"math"
	"sync"
	"time"
)

// Watch tells where time went: each phase lasts until the next one begins. The zero value is ready, and a nil one
// watches nothing.
type Watch struct {
	mu    sync.Mutex
	phase string // empty: none has begun
	begun time.Time
	spent map[string]time.Duration
}

// Begin ends the phase before. A phase may begin again.
func (w *Watch) Begin(phase string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.phase != "" {
		w.spent[w.phase] += now.Sub(w.begun)
	}
	if w.spent == nil {
		w.spent = map[string]time.Duration{}
	}
	w.phase, w.begun = phase, now
}

// End ends the phase, and gives the seconds that each took, to the millisecond.
func (w *Watch) End() map[string]float64 {
	w.Begin("")
	all := map[string]float64{}
	if w != nil {
		for phase, d := range w.spent {
			all[phase] = math.Round(d.Seconds()*1e3) / 1e3
		}
	}
	return all
}
