package fleet

import (
	"slices"
	"sync"
	"time"
)

// turn is how long a worker stays with a search while another has none. Opening a device takes up to a minute.
const turn = 10 * time.Minute

// unfit is how long a worker is not sent to a search again that it could not work for. Most that cannot never can, but
// a full disk or a GPU that others use is so for a while.
const unfit = time.Minute

// tenant is a search that shares workers with others.
type tenant struct {
	id, about string
	seen      time.Time
	since     time.Time // it waits, or has had workers until then
}

// roamer is a worker that several searches share. It works for one at a time.
type roamer struct {
	name   string
	at     string               // the search that it is to work for; empty: none
	cannot map[string]time.Time // searches that it cannot work for, and since when
	seen   time.Time
	moved  time.Time
}

// shares is who works for whom. Every search has as many workers as any other, or one less; where there are more
// searches than workers, those without one get a turn.
type shares struct {
	mu      sync.Mutex
	tenants []*tenant // in the order of coming
	roamers []*roamer
	begun   time.Time // the server was started, perhaps again
}

// ask enters that a search is there. It tells how many workers it has and, where that is none, how many searches wait
// that came before.
func (s *shares) ask(id, about string, now time.Time) (have, before, tenants, workers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.tenant(id)
	if g == nil {
		g = &tenant{id: id, about: about, since: now}
		s.tenants = append(s.tenants, g)
	}
	g.seen = now
	s.divide(now)
	at := slices.Index(s.tenants, g)
	for i, o := range s.tenants {
		if s.has(o.id) == 0 && (o.since.Before(g.since) || o.since.Equal(g.since) && i < at) {
			before++
		}
	}
	return s.has(id), before, len(s.tenants), len(s.roamers)
}

// leave forgets a search.
func (s *shares) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(func(g *tenant) bool { return g.id == id })
}

// offer enters that a worker is there, with the search that it works for, and perhaps one that it cannot work for. It
// tells whom it is to work for; empty: for nobody else.
func (s *shares) offer(name, works, cannot string, leaving bool, now time.Time) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.roamers, func(r *roamer) bool { return r.name == name })
	if leaving {
		if at >= 0 {
			s.roamers = slices.Delete(s.roamers, at, at+1)
		}
		return ""
	}
	if at < 0 {
		at = len(s.roamers)
		s.roamers = append(s.roamers, &roamer{name: name, cannot: map[string]time.Time{}})
	}
	r := s.roamers[at]
	if r.at == "" && works != "" { // the server was started again, or the search was resumed
		r.at, r.moved = works, now
	}
	if r.seen = now; r.at == cannot {
		r.at = ""
	}
	if s.tenant(cannot) != nil {
		r.cannot[cannot] = now
	}
	if s.divide(now); s.tenant(r.at) == nil {
		return ""
	}
	return r.at
}

// isUnfit reports whether a worker is kept from a search that it could not work for.
func (r *roamer) isUnfit(g *tenant, now time.Time) bool {
	since, there := r.cannot[g.id]
	return there && now.Sub(since) < unfit
}

// knows reports whether a search is there.
func (s *shares) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tenant(id) != nil
}

func (s *shares) tenant(id string) *tenant {
	if i := slices.IndexFunc(s.tenants, func(g *tenant) bool { return g.id == id }); i >= 0 {
		return s.tenants[i]
	}
	return nil
}

// has is how many workers a search has.
func (s *shares) has(id string) (n int) {
	for _, r := range s.roamers {
		if r.at == id {
			n++
		}
	}
	return n
}

// forget drops searches, and what workers know of them.
func (s *shares) forget(gone func(*tenant) bool) {
	for _, g := range s.tenants {
		if !gone(g) {
			continue
		}
		for _, r := range s.roamers {
			if delete(r.cannot, g.id); r.at == g.id {
				r.at = ""
			}
		}
	}
	s.tenants = slices.DeleteFunc(s.tenants, gone)
}

// divide gives every worker a search: one that has none the search with the fewest, and then one of the search with
// the most to that with the fewest, until they differ by one. The caller holds mu.
func (s *shares) divide(now time.Time) {
	s.forget(func(g *tenant) bool { return now.Sub(g.seen) > silence })
	s.roamers = slices.DeleteFunc(s.roamers, func(r *roamer) bool { return now.Sub(r.seen) > silence })
	for _, r := range s.roamers {
		if s.tenant(r.at) == nil && now.Sub(s.begun) > silence { // until then it may be about to come back
			r.at = ""
		}
	}
	for range len(s.roamers) * (len(s.tenants) + 1) {
		if !s.move(now) {
			return
		}
	}
}

// move sends the worker whose move is worth the most to another search; false: all are where they should be.
func (s *shares) move(now time.Time) bool {
	var worker *roamer
	var to *tenant
	most := 1
	for _, r := range s.roamers {
		for _, g := range s.tenants {
			gain := s.gain(r, g, now)
			longer := to != nil && g.since.Before(to.since) // it has waited
			if !r.isUnfit(g, now) && (gain > most || gain == most && longer) {
				worker, to, most = r, g, gain
			}
		}
	}
	if worker == nil {
		return false
	}
	if from := s.tenant(worker.at); from != nil {
		from.since = now
	}
	worker.at, worker.moved = to.id, now
	return true
}

// gain is how many workers more than a search another has that a worker is with, as far as it may leave.
func (s *shares) gain(r *roamer, g *tenant, now time.Time) int {
	const free = 1 << 20
	switch have := s.has(g.id); {
	case r.at == g.id:
		return 0
	case r.at == "":
		return free - have
	case have == 0 && s.has(r.at) == 1 && now.Sub(r.moved) >= turn:
		return 2
	default:
		return s.has(r.at) - have
	}
}
