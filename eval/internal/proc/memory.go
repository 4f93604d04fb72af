package proc

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Vmstat counts, among other things, the processes that the kernel has ended because memory ran out, also those of
// containers (proc_vmstat(5)). Tests have their own: what another has the kernel end meanwhile is none of theirs.
var Vmstat = "/proc/vmstat"

// shortages is how many processes of this machine the kernel has ended for memory, -1 where it does not say.
func shortages() int {
	text, err := os.ReadFile(Vmstat)
	if err != nil {
		return -1
	}
	_, rest, ok := bytes.Cut(append([]byte("\n"), text...), []byte("\noom_kill "))
	number, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(number))
	if !ok || err != nil {
		return -1
	}
	return n
}

// shortage tells whether the kernel has ended a process for memory since it looked. A worker is the first that it ends
// (package sandbox), so that a worker that was killed meanwhile has taken the memory.
type shortage struct {
	mu   sync.Mutex
	seen int
	at   time.Time
}

// lookEvery is how old the figure may be with which a call begins: reading it takes a tenth of a millisecond.
const lookEvery = time.Second

// look notes how many there were until now.
func (s *shortage) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) > lookEvery {
		s.seen, s.at = shortages(), time.Now()
	}
}

// struck reports whether a worker that ended by a signal was ended for memory.
func (s *shortage) struck(by syscall.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return by == syscall.SIGKILL && s.seen >= 0 && shortages() > s.seen
}
