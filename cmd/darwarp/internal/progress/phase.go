package progress

import (
	"sync"
	"time"

	"darwarp/cmd/darwarp/internal/report"
)

// The times after which a phase is named again while it lasts: soon, so that nobody takes what works for what hangs,
// and then as often as a search writes a line.
const (
	phaseFirst = 5 * time.Second
	phaseEvery = LogEvery
)

// Phases says what is done while there is nothing else to see: each phase when it begins, and again while it lasts.
type Phases struct {
	Say func(format string, args ...any) // from one goroutine at a time

	mu  sync.Mutex
	end func()
}

// Begin ends the phase before.
func (p *Phases) Begin(what string) {
	p.End()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Say("%s ...", what)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		p.remind(what, done)
	}()
	p.end = func() {
		close(done)
		<-gone
	}
}

// End ends the phase; after it nothing more is said of it.
func (p *Phases) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end != nil {
		p.end()
		p.end = nil
	}
}

func (p *Phases) remind(what string, done <-chan struct{}) {
	begun := time.Now()
	next := time.NewTimer(phaseFirst)
	defer next.Stop()
	for {
		select {
		case <-done:
			return
		case <-next.C:
			p.Say("%s: %s so far ...", what, report.Duration(time.Since(begun)))
			next.Reset(phaseEvery)
		}
	}
}

// Phase says what is done until end is called.
func Phase(say func(string, ...any), what string) (end func()) {
	p := &Phases{Say: say}
	p.Begin(what)
	return p.End
}
