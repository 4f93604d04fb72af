package fleet

import (
	"slices"
	"sync"

	"darwarp/kernels"
)

// facts are what a fleet remembers of candidates and baselines. Of an island it is the island's own.
type facts struct {
	mu      sync.Mutex            // guards what follows
	codes   map[string]kernels.ID // the first candidate with each machine code
	claims  map[kernels.ID]claim  // who timed the candidates of late, and how
	helped  map[kernels.ID]helped // by machines that only compile
	about   map[string]string     // of baselines, by name and workload
	weights []kernels.Workload    // of duels; nil: those of the task
	yard    *sheet                // the kernel that all workers time: the naive start, and then each winner of a duel
}

// claim is a candidate's times, as they are compared, by whoever judged it.
type claim struct {
	by    *member
	times []kernels.Timing
}

// mostClaims bounds the memory of claims; a challenger's is a few verdicts old.
const mostClaims = 4096

// helped is machine code that another machine has made.
type helped struct {
	code string
	by   *member
}

func newFacts() *facts {
	return &facts{codes: map[string]kernels.ID{}, claims: map[kernels.ID]claim{}, helped: map[kernels.ID]helped{},
		about: map[string]string{}}
}

// known registers a candidate as the first with its machine code, or names the one that was.
func (l *facts) known(code string, id kernels.ID) (kernels.ID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first, ok := l.codes[code]; ok && first != id {
		return first, true
	}
	if code != "" {
		l.codes[code] = id
	}
	return id, false
}

// note remembers by whom a candidate was timed, and how.
func (l *facts) note(id kernels.ID, m *member, times []kernels.Timing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.claims) >= mostClaims {
		clear(l.claims)
	}
	l.claims[id] = claim{m, slices.Clone(times)}
}

func (l *facts) forget(id kernels.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.claims, id)
}

// claimOf is nobody's for a candidate that was not timed of late.
func (l *facts) claimOf(id kernels.ID) claim {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.claims[id]
}

// noteHelp remembers who compiled what a verdict is of.
func (l *facts) noteHelp(id kernels.ID, code string, by *member) {
	if by == nil || code == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.helped[id] = helped{code, by}
}

func (l *facts) helpOf(id kernels.ID) (h helped, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h, ok = l.helped[id]
	return h, ok
}

func (l *facts) forgetHelp(id kernels.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.helped, id)
}

// describe remembers what a baseline does, by workload.
func (l *facts) describe(baseline string, about map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for workload, text := range about {
		l.about[baseline+" "+workload] = kernels.CleanLine(text, kernels.MaxAbout)
	}
}

func (l *facts) described(baseline, workload string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.about[baseline+" "+workload]
}

// weigh has duels follow new weights of the workloads from now on.
func (l *facts) weigh(workloads []kernels.Workload) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.weights = slices.Clone(workloads)
}

func (l *facts) weighed() []kernels.Workload {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.weights
}

// begin makes a kernel the first that all workers are to time, and reports whether it is.
func (l *facts) begin(first func() *sheet) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.yard != nil {
		return false
	}
	l.yard = first()
	return true
}

// succeed has all workers time another kernel from now on.
func (l *facts) succeed(s *sheet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.yard = s
}

func (l *facts) yardstick() *sheet {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.yard
}
