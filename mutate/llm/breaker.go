package llm

import (
	"errors"
	"sync"
	"time"
)

// breaker keeps a model that fails from being asked: after some failures in a row for a while, each time
// longer; after a failure that does not pass, for the rest of the session. One question is let through
// when the time is up.
type breaker struct {
	mu     sync.Mutex
	now    func() time.Time
	row    int       // failures in a row
	until  time.Time // asked no sooner
	closed string    // why it is asked no more
}

const (
	tolerated  = 3 // failures in a row
	firstPause = 30 * time.Second
	longPause  = 15 * time.Minute
)

// ready reports whether the model may be asked.
func (b *breaker) ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed == "" && !b.now().Before(b.until)
}

// note enters what came of a question. told is not empty where that changes anything for a person.
func (b *breaker) note(err error) (told string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var f *Failure
	switch {
	case err == nil:
		if b.row >= tolerated {
			told = "answers again"
		}
		b.row, b.until = 0, time.Time{}
		return told
	case errors.As(err, &f) && f.Permanent():
		if b.closed == "" {
			told = "is not asked any more: " + err.Error()
		}
		b.closed = err.Error()
		return told
	}
	b.row++
	pause := time.Duration(0)
	if b.row >= tolerated {
		pause = min(longPause, firstPause<<min(10, b.row-tolerated))
	}
	if errors.As(err, &f) && f.After > pause {
		pause = min(f.After, longPause)
	}
	if b.row == tolerated {
		told = "does not answer, and is asked again now and then: " + err.Error()
	}
	b.until = b.now().Add(pause)
	return told
}
