package evolve

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"

	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// advice is all that language models need: when they are asked, what, and what becomes of their replies. It belongs to
// the loop.
type advice struct {
	advisor  Advisor // nil: none
	briefs   *briefer
	strategy *strategy
	rng      *rand.Rand
	pop      *population
	render   *renderer
	journal  *journal
	waiting  *backlog
	talks    *threads
	book     ledger
	dialogue dialogue
	log      *slog.Logger
	stored   int        // exchanges
	lifted   kernels.ID // the last champion whose constants were made genes, or could not be
	inOrder  bool       // the loop waits for every reply
}

const (
	adviceShare = 0.15 // of proposals, before anything is known of the arms
	mostWaiting = 16   // proposals that wait for a slot; beyond it nothing is asked
)

var errTried = errors.New("it was tried before")

func newAdvice(s *Search, x *proposer) *advice {
	return &advice{
		advisor: s.cfg.Advisor, briefs: newBriefer(s, x), strategy: x.strategy, rng: x.rng, pop: s.pop,
		render: s.pop.render, journal: s.journal, waiting: x.waiting, talks: newThreads(), book: ledger{},
		dialogue: newDialogue(), log: s.cfg.Log, inOrder: s.ev.InOrder(),
	}
}

// takeUp prepares to ask, and takes up what earlier sessions asked.
func (a *advice) takeUp(keep keeper) error {
	if a.advisor == nil {
		return nil
	}
	past, err := keep.Exchanges()
	for i := range past {
		a.book.charge(&past[i])
	}
	a.stored = len(past)
	a.talks.takeUp(past)
	a.briefs.readLibrary()
	if err != nil {
		return err
	}
	known, err := keep.Insights()
	a.briefs.takeFindings(known)
	return err
}

// poll asks as often as the arms are worth it beside the operators, and proposes nothing itself.
func (a *advice) poll() (*task, bool) {
	a.consider(false)
	return nil, false
}

// consider begins a question, perhaps: at will where the operators have nothing left to propose. It reports whether one
// was begun.
func (a *advice) consider(idle bool) bool {
	d := &a.dialogue
	if a.advisor == nil || !d.open() || idle && a.briefs.nothingLeft() {
		return false
	}
	if n := d.questions(); n >= max(1, a.advisor.Jobs()) || a.waiting.len()+n >= mostWaiting {
		return false
	}
	arms, shares := a.arms()
	if len(arms) == 0 {
		return false
	}
	all, others := sum(shares), sum(a.strategy.shares(a.pop.earned()))
	if !idle && a.strategy.name != BestOfN && a.rng.Float64() >= all/(all+others) {
		return false
	}
	a.ask(a.thread(pick(a.rng, arms, shares)))
	return true
}

// pick draws an arm by its share.
func pick(rng *rand.Rand, arms []string, shares []float64) string {
	at := rng.Float64() * sum(shares)
	for i, share := range shares {
		if at -= share; at < 0 {
			return arms[i]
		}
	}
	return arms[len(arms)-1]
}

// arms lists the arms that may be asked with their shares.
func (a *advice) arms() (arms []string, shares []float64) {
	all := a.advisor.Arms()
	for _, arm := range all {
		_, operator, _ := kernels.SplitArm(arm)
		if _, least := llm.Parents(operator); a.pop.size() <= least || !a.advisor.Ready(arm) {
			continue
		}
		share := adviceShare / float64(len(all)) * a.book.costWeight(arm) * a.strategy.weight(arm, a.pop.earned())
		arms, shares = append(arms, arm), append(shares, share)
	}
	return arms, shares
}

// thread is the next conversation with an arm's model: one that is to be repaired, or a new one.
func (a *advice) thread(arm string) *thread {
	model, operator, _ := kernels.SplitArm(arm)
	if t := a.talks.repairOf(model); t != nil {
		return t
	}
	brief, from := a.briefs.brief(operator)
	return &thread{Arm: arm, Base: brief.Base.ID, From: from, brief: brief}
}

// ask asks beside the loop; where results are taken in order the loop waits, so that a seed and the same
// replies make the same run.
func (a *advice) ask(t *thread) {
	a.talks.asked(t)
	advisor, check := a.advisor, a.render.drafts(a.pop.device())
	do := func(ctx context.Context) reply {
		r := reply{thread: t, advice: advisor.Ask(ctx, t.Arm, t.brief, t.said)}
		r.draft, r.mistake = check(&t.brief, &r.advice)
		return r
	}
	if a.inOrder {
		a.handle(a.dialogue.wait(do))
		return
	}
	a.dialogue.start(do)
}

// handle takes a reply: what it proposes waits for a slot, and everything is stored.
func (a *advice) handle(r reply) {
	d, e, t := &a.dialogue, &r.advice.Exchange, r.thread
	d.answered(&r.advice)
	a.talks.replied(t)
	if n := r.advice.Notice; n != "" {
		a.log.Warn(n)
		a.journal.send(Event{Kind: KindAdvice, Note: n})
	}
	if !r.advice.Asked {
		return
	}
	a.book.charge(e)
	a.stored++
	switch {
	case e.Failed == "":
		t.Exchange, t.said = a.stored, said(e)
	case t.Tries > 0 && d.ended(): // the next session asks again
		a.talks.retry(t)
	}
	mistaken := e.Refused != "" && !r.advice.Declined
	if r.advice.Reply != nil {
		mistaken = a.place(r, e)
	}
	if e.Refused != "" && len(e.Proposed) == 0 {
		a.pop.earned().charge(e.Arm)
		if mistaken {
			a.talks.repair(t, "it was refused before it was compiled: "+e.Refused)
		}
	}
	a.journal.exchange(*e)
}

// follow takes up the verdict on a proposal. A kernel that was suspect is not repaired: its author is not told how
// it was found out.
func (a *advice) follow(c *kernels.Candidate, authored bool) {
	t := a.talks.close(c.ID)
	o := c.Result.Outcome
	if t == nil || !authored || !o.Failed() || o == kernels.Suspect || o == kernels.Duplicate {
		return
	}
	a.talks.repair(t, llm.Why(o, c.Result.Detail))
}

// note keeps what came of a proposal, for those that are asked next.
func (a *advice) note(c *kernels.Candidate, score float64) {
	if a.advisor != nil {
		a.briefs.note(c, score)
	}
}

// close ends questions in flight and keeps what they cost.
func (a *advice) close() {
	a.stop()
	for a.asking() {
		a.handle(<-a.replies())
	}
}

// asking reports whether an answer is waited for.
func (a *advice) asking() bool { return a.dialogue.questions() > 0 }

// replies has the answers, for handle.
func (a *advice) replies() <-chan reply { return a.dialogue.replies }

// begin lets questions be asked until ctx ends.
func (a *advice) begin(ctx context.Context) { a.dialogue.begin(ctx) }

// stop lets nothing more be asked.
func (a *advice) stop() { a.dialogue.stop() }

// save puts proposals and conversations into a checkpoint.
func (a *advice) save(st *state) {
	st.Waiting = a.waiting.all()
	st.Threads, st.Repairs = a.talks.open()
}

// restore goes on with the proposals and conversations of earlier sessions.
func (a *advice) restore(st *state) {
	a.waiting.takeUp(st.Waiting)
	a.talks.goOn(st.Threads, st.Repairs, a.briefAgain)
}

// briefAgain is what a conversation of an earlier session is about; ok is false where that is gone.
func (a *advice) briefAgain(t *thread) (brief llm.Brief, ok bool) {
	base := a.pop.member(t.Base)
	if a.advisor == nil || base == nil {
		return brief, false
	}
	return a.briefs.about(base), true
}
