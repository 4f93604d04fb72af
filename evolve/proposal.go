package evolve

import (
	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
	"errors"
	"fmt"
	"strings"
)

// place enters what a reply proposes and notes what was refused, and why. It reports whether there was a
// mistake: that something was tried before is none, and asking again would buy nothing.
func (a *advice) place(r reply, e *kernels.Exchange) (mistaken bool) {
	t, text := r.thread, r.advice.Reply
	var refused []string
	enter := func(task *task, err error) {
		if err != nil {
			refused, mistaken = append(refused, err.Error()), mistaken || !errors.Is(err, errTried)
			return
		}
		a.pop.claim(task)
		a.waiting.push(task)
		a.talks.follow(task.job.ID, t)
		e.Proposed = append(e.Proposed, task.job.ID)
	}
	variants, err := text.Variants(&t.brief)
	switch {
	case err != nil:
		enter(nil, err)
	case text.Template != "":
		task, err := a.newFamily(r)
		if enter(task, err); err == nil {
			a.announce(task, e)
		}
	default:
		for _, v := range variants {
			enter(a.proposed(t, v, text.Thought))
		}
	}
	e.Refused = llm.Line(strings.Join(refused, "; "), 1000)
	return mistaken
}

// origin is that of what a conversation proposed.
func (a *advice) origin(t *thread, thought string) kernels.Origin {
	return kernels.Origin{Operator: t.Arm, Parents: t.From, Generation: 1 + a.pop.generation(t.From), Note: thought}
}

// proposed makes a task of a proposal, or says why it is not worth one.
func (a *advice) proposed(t *thread, v kernels.Variant, thought string) (x *task, err error) {
	if v.Family == "" {
		x = &task{Space: sourceNumber, Index: -1, Variant: &v}
	} else if x, err = a.pop.place(&v); err != nil {
		return nil, err
	}
	x.Origin = a.origin(t, thought)
	if err = a.pop.prepare(x); err != nil {
		return nil, err
	}
	return x, a.pop.tried(x)
}

// newFamily makes a family of a draft and asks for its default.
func (a *advice) newFamily(r reply) (*task, error) {
	if r.mistake != nil {
		return nil, r.mistake
	}
	return a.grow(r.draft, a.origin(r.thread, r.advice.Reply.Thought))
}

// grow makes a family of a draft and a task of its default.
func (a *advice) grow(draft *templates.Draft, origin kernels.Origin) (*task, error) {
	b, space, err := a.render.family(draft)
	if err != nil {
		return nil, err
	}
	job, err := a.render.defaultOf(b, space)
	if err == nil && a.pop.asked(job.ID) {
		err = fmt.Errorf("%w: the default is candidate %s", errTried, job.ID.Short())
	}
	if err != nil {
		return nil, err
	}
	t := a.pop.grow(b, space).startTask(origin)
	t.job = job
	return t, nil
}

// announce stores a family that was just taken, with the state that has its default waiting, and tells of it.
func (a *advice) announce(t *task, e *kernels.Exchange) {
	family, points := a.pop.familyOf(t)
	e.Family = family.Name
	a.journal.family(a.render.files(), Event{
		Kind: KindFamily, Family: family.Name, ID: t.job.ID,
		Note: fmt.Sprintf("%s, %s, by %s", family.Title(), kernels.Quantity(points, "point"), e.Arm),
	})
}
