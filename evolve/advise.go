package evolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// Advisor proposes candidates from afar: language models. It is asked beside the loop, so that the device
// never waits for it; where it fails the search goes on without.
type Advisor interface {
	// Arms lists what can be asked, by kernels.Arm. Each is an operator that is paid like the others.
	Arms() []string
	// Ready reports whether an arm may be asked now.
	Ready(arm string) bool
	// Jobs is how many questions may be in flight.
	Jobs() int
	// Ask is called from many goroutines, and must return soon after its context ends.
	Ask(ctx context.Context, arm string, b llm.Brief, thread []kernels.Message) llm.Advice
}

// counsel is what the search keeps of its advisor. It belongs to the loop.
type counsel struct {
	ctx      context.Context // ends when nothing new is asked for
	cancel   context.CancelFunc
	answers  chan counselled
	asking   int
	spent    bool            // nothing more may be asked
	waiting  []*flight       // proposals, to be judged before what the operators propose
	repairs  []*thread       // conversations to go on with
	pursued  []*thread       // those of them that are being asked
	threads  threads         // of proposals whose verdict is not in
	prints   map[string]bool // fingerprints of own sources that were asked for
	book     map[string]cost // by arm
	told     []insight
	library  llm.Library
	stored   int // exchanges
	findings findings
	past     []kernels.Exchange // of earlier sessions, until their conversations are taken up
}

// counselled is the answer to a question.
type counselled struct {
	thread  *thread
	advice  llm.Advice
	draft   *templates.Draft // of a reply with a template
	mistake error            // why that is none
}

// cost is what an arm's questions took.
type cost struct {
	asked int
	usd   float64
	out   int // tokens
}

const (
	adviceShare = 0.15 // of proposals, before anything is known of the arms
	mostWaiting = 16   // proposals that wait for a slot; beyond it nothing is asked
)

// consult begins questions: as often as the advisor's arms are worth it beside the operators, and at will
// where these have nothing left to propose. It reports whether a question was begun.
func (s *Search) consult(idle bool) bool {
	c := &s.counsel
	if s.cfg.Advisor == nil || c.ctx == nil || c.spent || c.ctx.Err() != nil || idle && s.cfg.GenesOnly && len(s.open()) == 0 {
		return false
	}
	if c.asking >= max(1, s.cfg.Advisor.Jobs()) || len(c.waiting)+c.asking >= mostWaiting {
		return false
	}
	arms, shares, sum := s.arms()
	if len(arms) == 0 {
		return false
	}
	if others := s.shares(); !idle && s.strategy.name != BestOfN && s.rng.Float64() >= sum/(sum+others) {
		return false
	}
	at, arm := s.rng.Float64()*sum, arms[len(arms)-1]
	for i, share := range shares {
		if at -= share; at < 0 {
			arm = arms[i]
			break
		}
	}
	s.ask(s.thread(arm))
	return true
}

// arms lists the arms that may be asked with their shares. Repairs are asked by the model that is to
// repair, before anything new.
func (s *Search) arms() (arms []string, shares []float64, sum float64) {
	works := len(s.working)
	all := s.cfg.Advisor.Arms()
	for _, arm := range all {
		_, operator, _ := kernels.SplitArm(arm)
		if _, least := llm.Parents(operator); works <= least || !s.cfg.Advisor.Ready(arm) {
			continue
		}
		share := adviceShare / float64(len(all)) * s.counsel.thrift(arm)
		if s.strategy.paid {
			share *= s.purse.wage(arm)
		}
		arms, shares, sum = append(arms, arm), append(shares, share), sum+share
	}
	return arms, shares, sum
}

// shares is what the other operators together are worth.
func (s *Search) shares() (sum float64) {
	for _, a := range s.strategy.mix {
		share := a.share
		if s.strategy.paid {
			share *= s.purse.wage(a.Name())
		}
		sum += share
	}
	return sum
}

// thrift is how much less a question of the arm costs than one of all arms does: in money where there is a
// price, else in tokens.
func (c *counsel) thrift(arm string) float64 {
	var all cost
	for _, b := range c.book {
		all.asked, all.usd, all.out = all.asked+b.asked, all.usd+b.usd, all.out+b.out
	}
	own := c.book[arm]
	mean := func(c cost) float64 {
		if all.usd > 0 {
			return c.usd / float64(c.asked)
		}
		return float64(c.out) / float64(c.asked)
	}
	if own.asked == 0 || mean(own) <= 0 {
		return 1
	}
	return min(4, max(0.25, mean(all)/mean(own)))
}

// ask asks beside the loop; where results are taken in order the loop waits, so that a seed and the same
// replies make the same run.
func (s *Search) ask(t *thread) {
	c := &s.counsel
	c.asking++
	if t.Tries > 0 {
		c.pursued = append(c.pursued, t)
	}
	bundle, dev := s.cfg.Bundle, s.demes[0].space.Device
	do := func() counselled {
		a := counselled{thread: t, advice: s.cfg.Advisor.Ask(c.ctx, t.Arm, t.brief, t.said)}
		a.draft, a.mistake = draft(bundle, dev, s.cfg.DType, &t.brief, &a.advice)
		return a
	}
	if s.ev.InOrder() {
		s.heed(do())
		return
	}
	go func() { c.answers <- do() }()
}

// heed takes an answer: what it proposes waits for a slot, and everything is stored.
func (s *Search) heed(a counselled) {
	c, e := &s.counsel, &a.advice.Exchange
	c.asking--
	c.pursued = slices.DeleteFunc(c.pursued, func(t *thread) bool { return t == a.thread })
	if n := a.advice.Notice; n != "" {
		s.log.Warn(n)
		s.send(Event{Kind: KindAdvice, Note: n})
	}
	if !a.advice.Asked {
		c.spent = c.spent || e.Failed == llm.ErrSpent.Error()
		return
	}
	c.charge(e)
	c.stored++
	t := a.thread
	switch {
	case e.Failed == "":
		t.Exchange, t.said = c.stored, said(e)
	case t.Tries > 0 && c.ctx.Err() != nil: // the session ends: the next one asks again
		c.repairs = append(c.repairs, t)
	}
	mistaken := e.Refused != ""
	if a.advice.Reply != nil {
		mistaken = s.place(a, e)
	}
	if e.Refused != "" && len(e.Proposed) == 0 { // as good as a kernel that fails, or who proposes nothing would cost nothing
		s.purse.pay(e.Arm, 0, s.purse.second())
	}
	if mistaken && len(e.Proposed) == 0 {
		s.repair(t, "it was refused before it was compiled: "+e.Refused)
	}
	kept := *e
	s.save(func() error {
		if err := s.keep.PutExchange(kept); err != nil {
			return err
		}
		short := kept
		short.Asked, short.Reply = nil, ""
		s.send(Event{Kind: KindAdvice, Exchange: &short, Note: adviceNote(&short)})
		return nil
	})
}

// place enters what a reply proposes and notes what was refused, and why. It reports whether there was a
// mistake: that something was tried before is none, and asking again would buy nothing.
func (s *Search) place(a counselled, e *kernels.Exchange) (mistaken bool) {
	t, r := a.thread, a.advice.Reply
	var refused []string
	enter := func(f *flight, err error) {
		if err != nil {
			refused, mistaken = append(refused, err.Error()), mistaken || !errors.Is(err, errTried)
			return
		}
		s.ids[f.job.ID] = true
		s.learnPoint(f.Space, f.Index)
		s.counsel.waiting = append(s.counsel.waiting, f)
		s.counsel.threads[f.job.ID] = t
		e.Proposed = append(e.Proposed, f.job.ID)
	}
	variants, err := r.Variants(&t.brief)
	switch {
	case err != nil:
		enter(nil, err)
	case r.Template != "":
		f, err := s.planted(a)
		if enter(f, err); err == nil {
			s.announce(f, e)
		}
	default:
		for _, v := range variants {
			enter(s.proposed(t, v, r.Thought))
		}
	}
	e.Refused = llm.Line(strings.Join(refused, "; "), 1000)
	return mistaken
}

// advised is the origin of what a conversation proposed.
func (s *Search) advised(t *thread, thought string) kernels.Origin {
	return kernels.Origin{Operator: t.Arm, Parents: t.From, Generation: 1 + s.generation(t.From), Note: thought}
}

// proposed makes a flight of a proposal, or says why it is not worth one.
func (s *Search) proposed(t *thread, v kernels.Variant, thought string) (f *flight, err error) {
	if v.Family != "" {
		if f, err = s.placed(&v); err != nil {
			return nil, err
		}
	} else {
		f = &flight{Space: own, Index: -1, Variant: &v}
	}
	f.Origin = s.advised(t, thought)
	if f.job, err = s.job(f); err != nil {
		return nil, err
	}
	if s.ids[f.job.ID] || f.Space != own && s.demes[f.Space].isKnown(f.Index) {
		return nil, fmt.Errorf("%w: %s", errTried, f.job.ID.Short())
	}
	if f.Space == own {
		print := fingerprint(v.Source, *v.Plan)
		if s.counsel.prints[print] {
			return nil, fmt.Errorf("%w, but for comments and blanks", errTried)
		}
		s.counsel.prints[print] = true
	}
	return f, nil
}

// takeAdvised is the next proposal of a model.
func (s *Search) takeAdvised() (*flight, bool) {
	if len(s.counsel.waiting) == 0 {
		return nil, false
	}
	f := s.counsel.waiting[0]
	s.counsel.waiting = s.counsel.waiting[1:]
	return f, true
}

// charge enters what a question cost its arm.
func (c *counsel) charge(e *kernels.Exchange) {
	b := c.book[e.Arm]
	c.book[e.Arm] = cost{b.asked + 1, b.usd + e.USD, b.out + e.Tokens.Out}
}

// dismiss ends questions in flight and keeps what they cost.
func (s *Search) dismiss() {
	c := &s.counsel
	c.cancel()
	for c.asking > 0 {
		s.heed(<-c.answers)
	}
}

func adviceNote(e *kernels.Exchange) string {
	switch {
	case e.Failed != "":
		return e.Arm + " failed: " + e.Failed
	case e.Refused != "" && len(e.Proposed) == 0:
		return e.Arm + " refused: " + e.Refused
	}
	if e.Family != "" {
		return fmt.Sprintf("%s proposed family %s", e.Arm, e.Family)
	}
	return fmt.Sprintf("%s proposed %d", e.Arm, len(e.Proposed))
}

// remember keeps an own source of an earlier session from being tried again in other words.
func (c *counsel) remember(own *kernels.Candidate) {
	if v := own.Variant; v.Plan != nil {
		c.prints[fingerprint(v.Source, *v.Plan)] = true
	}
}

// wake ends the wait for an answer when time is up.
func (s *Search) wake() <-chan time.Time {
	if left := s.cfg.Budget.For - s.clock.elapsed(); s.counsel.asking > 0 && s.cfg.Budget.For > 0 && !s.paused {
		return time.After(max(0, left))
	}
	return nil
}
