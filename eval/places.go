package eval

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"darwarp/eval/internal/ratio"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// place is a GPU of a host. All but the pool belongs to places.
type place struct {
	pool    *Pool
	seats   int         // one more than there are slots for outputs: somebody is always next
	taken   int         // of the seats
	resting bool        // it has lost a worker, and gets nothing before there is another
	lost    int         // verdicts in a row
	bad     int         // candidates in a row that were found out as something
	out     string      // why it is left out; empty: it is not
	ratios  ratio.Table // of its times to the first GPU's; nil: they are not known
}

func (p *place) name() string { return fmt.Sprintf("GPU %d", p.pool.Cfg.GPU) }

// places hands out the GPUs of a host. An evaluation is given one only when that has a seat, so that nobody waits for a
// GPU while another is free.
type places struct {
	mu   sync.Mutex
	all  []*place      // the first one that is not left out is home
	line []chan *place // who waits
}

func newPlaces(pools []*Pool) *places {
	s := &places{}
	for _, p := range pools {
		s.all = append(s.all, &place{pool: p, seats: p.Runner.Prepare.Slots + 1})
	}
	return s
}

// in are the GPUs that are not left out, at least one.
func (s *places) in() []*place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.all), func(p *place) bool { return p.out != "" })
}

// home is where duels are fought and winners are measured.
func (s *places) home() *place {
	return s.in()[0]
}

// aside is where that is done which needs not be done at home, and takes long.
func (s *places) aside() *place {
	in := s.in()
	return in[len(in)-1]
}

// take waits for a seat: at one GPU, or at any.
func (s *places) take(ctx context.Context, at *place) (*place, error) {
	defer trace.Begin(ctx, "wait for a GPU").End()
	s.mu.Lock()
	if at != nil && at.out == "" { // whoever asks for one may wait for it
		at.taken++
		s.mu.Unlock()
		return at, nil
	}
	mine := make(chan *place, 1)
	s.line = append(s.line, mine)
	s.serve()
	s.mu.Unlock()
	select {
	case p := <-mine:
		return p, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = slices.DeleteFunc(s.line, func(c chan *place) bool { return c == mine })
	select {
	case p := <-mine: // it came meanwhile
		p.taken--
		s.serve()
	default:
	}
	return nil, ctx.Err()
}

// leave gives a seat back.
func (s *places) leave(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.taken--
	s.serve()
}

// serve gives seats to those that wait. The caller holds mu.
func (s *places) serve() {
	for len(s.line) > 0 {
		p := s.freest()
		if p == nil {
			return
		}
		p.taken++
		s.line[0] <- p
		s.line = s.line[1:]
	}
}

// freest is the GPU with the fewest evaluations that has a seat; nil: none has. Home, which has the duels besides,
// comes last among equals.
func (s *places) freest() (best *place) {
	for _, p := range slices.Backward(s.all) {
		if p.out == "" && !p.resting && p.taken < p.seats && (best == nil || p.taken < best.taken) {
			best = p
		}
	}
	return best
}

// rest has a GPU get nothing until it is resumed, and reports whether somebody has to see to it.
func (s *places) rest(p *place) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = !p.resting && p.out == ""
	p.resting = true
	return first
}

func (s *places) resume(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.resting = false
	s.serve()
}

// count notes whether a verdict was lost on a GPU, and is how many were in a row.
func (s *places) count(p *place, lost bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.lost++; !lost {
		p.lost = 0
	}
	return p.lost
}

// judge notes a candidate's outcome, and reports whether so many in a row failed that it may be the GPU: mostBad, or
// half as many that crash or hang.
func (s *places) judge(p *place, o kernels.Outcome) (suspect bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o {
	case kernels.Unknown: // it is right
		p.bad = 0
	case kernels.Wrong, kernels.Flaky, kernels.Suspect:
		p.bad++
	case kernels.Crashed, kernels.TimedOut: // each takes seconds
		p.bad += 2
	}
	suspect = p.bad >= mostBad
	if suspect {
		p.bad = 0
	}
	return suspect
}

// leaveOut takes a GPU out of service, unless it is the last: what becomes of that is for the search to say. It reports
// whether others are left.
func (s *places) leaveOut(p *place, why string) (others bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	others = slices.ContainsFunc(s.all, func(q *place) bool { return q != p && q.out == "" })
	if others && p.out == "" {
		p.out = why
		s.serve()
	}
	return others
}
