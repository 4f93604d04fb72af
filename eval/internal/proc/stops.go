package proc

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"time"
)

// stopsEvery is how often a call looks whether its worker was stopped (SIGSTOP, a debugger, a frozen terminal). One
// that is at two looks in a row is killed: nothing that it was asked to do stops a process, so it would sit out its
// deadline in vain, and the deadline would be blamed on its work.
const stopsEvery = 500 * time.Millisecond

// watchStops looks after the worker until the function that it returns is called.
func (w *Worker) watchStops() (end func()) {
	var mu sync.Mutex
	var timer *time.Timer
	over, seen := false, 0
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		if seen++; !stopped(w.pid) {
			seen = 0
		}
		if seen > 1 {
			w.kill()
			return
		}
		timer.Reset(w.spec.stops)
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(w.spec.stops, look)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		timer.Stop()
	}
}

// stopped reports whether a process is, by the state in its stat file (proc(5)).
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := bytes.Cut(stat, []byte(") ")) // what is before may hold anything
	return err == nil && ok && len(rest) > 0 && (rest[0] == 'T' || rest[0] == 't')
}
