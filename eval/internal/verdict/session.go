package verdict

import (
	"sync"

	"darwarp/eval/internal/rig"
	"darwarp/kernels"
)

// Session is a rig with what was found out on it about candidates.
type Session struct {
	*rig.Rig
	mu    sync.Mutex
	seen  map[string]kernels.ID // machine code with launches -> first candidate
	gated []gated               // the latest, for duels
}

// NewSession is one that knows nothing yet.
func NewSession(r *rig.Rig) *Session { return &Session{Rig: r, seen: map[string]kernels.ID{}} }

// claim registers the candidate as the first with its machine code, or names the one that was.
func (e *Evaluation) claim(code string) (kernels.ID, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if first, ok := e.seen[code]; ok && first != e.Job.ID {
		return first, true
	}
	e.seen[code] = e.Job.ID
	return e.Job.ID, false
}

// forget lets a candidate that was lost be judged again.
func (p *Session) forget(job *kernels.Job, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[code] == job.ID {
		delete(p.seen, code)
	}
}

// Remember tells the session of machine code that an earlier session has judged.
func (p *Session) Remember(code string, id kernels.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if code != "" {
		p.seen[code] = id
	}
}
