package evolve

import (
	"fmt"

	"darwarp/kernels"
)

// contest is who is champion, and who has fought for it. Only a duel makes a champion: scores are measured at different
// times.
type contest struct {
	holder   *member
	beaten   map[kernels.ID]bool        // lost against the champion
	invited  map[kernels.ID]bool        // to challenge it, whatever their own timing says
	fought   map[[2]string]kernels.Duel // by short IDs of champion and challenger
	stored   int                        // duels, those under other weights included
	recorded bool                       // times come from a recording
	yielded  map[kernels.ID]bool        // gave up a duel with the champion to one far faster
	led      []kernels.Duel             // from the naive start to champions, in order
	bar      kernels.Bar                // of all that is in flight
}

func newContest(dev kernels.Device) *contest {
	return &contest{recorded: dev.Kind == "replay", beaten: map[kernels.ID]bool{}, invited: map[kernels.ID]bool{},
		yielded: map[kernels.ID]bool{}, fought: map[[2]string]kernels.Duel{}}
}

// champion is the champion; nil before the naive start is judged.
func (c *contest) champion() *member { return c.holder }

// setChampion makes a champion, whom nobody has challenged yet.
func (c *contest) setChampion(m *member) {
	c.holder = m
	clear(c.beaten)
	clear(c.yielded)
	delete(c.invited, m.id)
}

// invite lets a candidate challenge the champion once, when it is judged.
func (c *contest) invite(id kernels.ID) { c.invited[id] = true }

// isBeaten reports whether a candidate may not challenge the champion again. A champion of before that the one of now
// has won against may have been timed a little faster.
func (c *contest) isBeaten(id kernels.ID) bool {
	d, ok := c.duelOf(id, c.holder.id)
	return c.beaten[id] || ok && d.Verdict == kernels.Faster
}

// outdone reports whether a challenger's duel is to be given up for somebody else, and notes it: once only, so that
// claims that come to nothing cannot keep it from the champion for ever.
func (c *contest) outdone(m, by *member) bool {
	if m == nil || by == nil || by == m || c.yielded[m.id] || by.score >= farAhead*m.score {
		return false
	}
	c.yielded[m.id] = true
	return true
}

// defeat files a duel as not won.
func (c *contest) defeat(challenger kernels.ID) {
	c.beaten[challenger] = true
	delete(c.invited, challenger)
}

// challenger is the member that should fight the champion next, nil for none.
func (c *contest) challenger(pop *population) *member {
	if c.holder == nil {
		return nil
	}
	if m := c.bestInvited(pop); m != nil {
		return m
	}
	return pop.claimer(c.holder, c.isBeaten)
}

// bestInvited is the best of those that were invited, nil for none.
func (c *contest) bestInvited(pop *population) (best *member) {
	for id := range c.invited {
		m := pop.sameCode(id)
		if m == nil || m == c.holder || c.isBeaten(m.id) || pop.isDead(m.id) {
			continue
		}
		if best == nil || m.before(best) < 0 {
			best = m
		}
	}
	return best
}

// duelOf is what was stored of a duel before this session.
func (c *contest) duelOf(champion, challenger kernels.ID) (d kernels.Duel, ok bool) {
	d, ok = c.fought[[2]string{champion.Short(), challenger.Short()}]
	return d, ok
}

// enter takes a duel and reports whether it was stored before.
func (c *contest) enter(d kernels.Duel) (stored bool) {
	key := [2]string{d.Champion, d.Challenger}
	if _, stored = c.fought[key]; !stored {
		c.follow(d)
		c.fought[key] = d
		c.stored++
	}
	return stored
}

// takeUp takes the stored duels, of which the first so many are void, and those that lost against the champion.
func (c *contest) takeUp(duels []kernels.Duel, void int) {
	c.stored = len(duels)
	for i, d := range duels {
		c.follow(d)
		if i >= void && d.ChampionKind == kernels.CandidateName {
			c.fought[[2]string{d.Champion, d.Challenger}] = d
		}
	}
}

// remember takes a duel with the naive start that decides nothing.
func (c *contest) remember(d kernels.Duel) {
	c.follow(d)
	c.stored++
}

// follow keeps a duel that says how much faster than the naive start somebody is.
func (c *contest) follow(d kernels.Duel) {
	if d.Leads() {
		c.led = append(c.led, d)
	}
}

// restore takes up the champion and those that lost against it.
func (c *contest) restore(st *state, pop *population) error {
	for _, id := range st.Beaten {
		c.beaten[id] = true
	}
	if st.Champion.IsZero() {
		return nil
	}
	if c.holder = pop.member(st.Champion); c.holder == nil {
		return fmt.Errorf("the checkpoint's champion %s is not in the run", st.Champion.Short())
	}
	return nil
}

// void drops what duels have decided, and says how many are stored.
func (c *contest) void() (stored int) {
	clear(c.beaten)
	clear(c.fought)
	return c.stored
}

// setBar gives a job the times to beat. It is one bar for all jobs, so that those on their way get to know of a
// faster champion as soon as the next is asked for. Where each shape may get a kernel of its own, the bar is the
// best time that is known there. A claimer that is far ahead sets the bar before its duel is over: while a naive start
// is champion, which can take minutes where each call takes 100 ms, everything would be measured that is not as slow.
func (c *contest) setBar(job *kernels.Job, pop *population) {
	if c.holder == nil {
		return
	}
	job.Bar, job.Each = &c.bar, pop.byShape()
	best := c.holder
	if m := c.challenger(pop); m != nil && m.score < farAhead*best.score {
		best = m
	}
	c.bar.Set(pop.bar(best))
}

// farAhead is the share of the champion's score below which no noise can be what makes a claimer faster.
const farAhead = 0.5

// save puts the champion and those that lost against it into a checkpoint.
func (c *contest) save(st *state) {
	if c.holder != nil {
		st.Champion = c.holder.id
	}
	for id := range c.beaten {
		st.Beaten = append(st.Beaten, id)
	}
}
