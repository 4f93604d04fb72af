package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"darwarp/kernels"
)

// Evaluate asks whichever worker is free first.
func (f *Fleet) Evaluate(ctx context.Context, j *kernels.Job) (kernels.Result, error) {
	r, err := f.evaluate(ctx, j)
	switch {
	case ctx.Err() != nil:
		return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
	case errors.Is(err, kernels.ErrLost):
		return kernels.Result{Outcome: kernels.Lost, Detail: kernels.CleanDetail(err.Error())}, nil
	}
	return r, err
}

func (f *Fleet) evaluate(ctx context.Context, j *kernels.Job) (r kernels.Result, err error) {
	packed, err := f.packer.pack(j)
	if err != nil {
		return r, err
	}
	if _, err := f.roster.home(ctx); err != nil { // nobody is there; the wait is no part of a request's three deliveries
		return r, err
	}
	r, m, compiler, err := f.judge(ctx, packed)
	if err != nil || r.Outcome != kernels.OK {
		return r, err
	}
	if f.first(j, m, r.Times) {
		f.begun(ctx, m)
	}
	f.roster.ratiosOf(m).Scale(r.Times)
	f.facts.note(j.ID, m, r.Times)
	f.facts.noteHelp(j.ID, r.Code, compiler)
	if first, dup := f.facts.known(r.Code, j.ID); dup {
		r.Outcome, r.Times = kernels.Duplicate, nil
		r.Detail = fmt.Sprintf("same machine code and launches as %s", first.Short())
	}
	return r, nil
}

// askAny asks whichever worker is free first. One that is left out may take requests until it hears of that, with its
// next hello; others are asked then.
func (f *Fleet) askAny(ctx context.Context, req request) (a answer, m *member, err error) {
	for range deliveries {
		a, err = f.post.ask(ctx, f.names.AnyOf(f.kind()), req, nil)
		if m, err = f.answered(&a, err); !errors.Is(err, errOutsider) {
			break
		}
		select {
		case <-time.After(helloEvery):
		case <-ctx.Done():
		}
	}
	return a, m, err
}

func (f *Fleet) kind() string {
	f.roster.mu.Lock()
	defer f.roster.mu.Unlock()
	return f.roster.kind
}

// answered is who has answered. A worker that fails again and again is left out.
func (f *Fleet) answered(a *answer, failed error) (*member, error) {
	if a.Number == 0 { // nobody did
		return nil, failed
	}
	m, inARow, err := f.roster.admitAnswer(a.Worker, failed != nil || a.Result != nil && a.Result.Outcome == kernels.Lost)
	if err != nil {
		return nil, err
	}
	if inARow >= mostFailed {
		f.leaveOut(m, fmt.Sprintf("it failed %d times in a row: %v", inARow, failed))
	}
	return m, failed
}

// returned counts what a worker has given back. One that leaves gives back what it was about to begin, and no more.
func (f *Fleet) returned(worker string) {
	for _, i := range f.every() {
		if m := i.roster.countBack(worker); m != nil {
			i.leaveOut(m, "it gives back what it is handed, and stays")
		}
	}
}

func (f *Fleet) leaveOut(m *member, why string) {
	f.roster.leaveOut(m, kernels.CleanLine(why, kernels.MaxLine))
	f.cfg.Say("worker %s is left out: %s", m.name, why)
}

// verdict is the result, admitted as everything is that another process tells. Its figures stand on what has this key.
func (a *answer) verdict(proof string) (r kernels.Result, err error) {
	if a.Result == nil {
		return r, fmt.Errorf("%w: %s answered without a verdict", kernels.ErrLost, a.Worker)
	}
	r = *a.Result
	if err := r.Admit(); err != nil {
		return r, fmt.Errorf("%w: %s: %w", kernels.ErrLost, a.Worker, err)
	}
	if r.Outcome == kernels.OK && slices.ContainsFunc(r.Times, func(t kernels.Timing) bool { return t.Lo > t.Hi }) {
		return r, fmt.Errorf("%w: %s: an interval ends before it begins", kernels.ErrLost, a.Worker)
	}
	r.Provenance = proof
	return r, nil
}

// remember tells the fleet of machine code that an earlier session has judged.
func (f *Fleet) remember(code string, id kernels.ID) { f.facts.known(code, id) }
