package fleet

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"darwarp/eval/fleet/broker"
)

// nameHolders know which process has a worker's name. Two with one name would share what is asked of one: times of two
// devices would count as those of one, and each would end the other.
type nameHolders struct {
	mu      sync.Mutex
	holders map[string]holder
}

type holder struct {
	instance string
	heard    time.Time
}

// mostNames bounds how many are known, whoever makes them up.
const mostNames = 1 << 14

// isTaken enters that a worker is heard, and reports whether another process has its name. One that was killed has it
// until it is held to be gone, and a little longer: by then everybody has noticed.
func (n *nameHolders) isTaken(h *hello, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	gone := func(b holder) bool { return now.Sub(b.heard) > silence+silence/5 }
	b, there := n.holders[h.Worker]
	if there && b.instance != h.Instance && !gone(b) {
		return true
	}
	if h.Leaving {
		delete(n.holders, h.Worker)
		return false
	}
	if len(n.holders) >= mostNames {
		maps.DeleteFunc(n.holders, func(_ string, b holder) bool { return gone(b) })
	}
	if n.holders == nil || len(n.holders) >= mostNames {
		n.holders = map[string]holder{}
	}
	n.holders[h.Worker] = holder{h.Instance, now}
	return false
}

// awaitName waits for another worker with this one's name to be gone, as one that was killed and started again does.
// One that stays has the name.
func (w *worker) awaitName() error {
	if w.taken.IsZero() {
		w.taken = time.Now()
		w.cfg.Say("another worker is there as %s: waiting for it to leave", w.cfg.Name)
	}
	if time.Since(w.taken) < 2*silence {
		return nil
	}
	return broker.Mistaken(fmt.Errorf("another worker is there as %s, and stays: choose another --name", w.cfg.Name))
}
