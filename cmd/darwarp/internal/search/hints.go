package search

import (
	"context"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
)

// enter has a search of the fleet take part in the exchange of hints.
func (a *islands) enter(ctx context.Context, x *islandSearch) {
	if x.stand.Run == "" {
		x.stand = kernels.Island{Device: x.Session.Device().Label(), Run: x.Run.Path()}
	}
	a.mu.Lock()
	a.all = append(a.all, x)
	a.mu.Unlock()
	x.began = func(s *evolve.Search) {
		a.mu.Lock()
		defer a.mu.Unlock()
		x.running = s
	}
	x.Listen(func(e evolve.Event) { a.follow(ctx, x, e) })
}

// follow notes where a search stands. Its new champion is a hint to the others, and theirs are hints to it as soon as
// its naive start is judged.
func (a *islands) follow(ctx context.Context, x *islandSearch, e evolve.Event) {
	changed := e.Kind == evolve.KindChampion || e.Kind == evolve.KindStart // of a run that goes on
	var best *kernels.Variant
	if changed {
		best = x.hintOf(e.Champion)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x.at, x.drains = e.At, x.drains || e.Kind == evolve.KindDrain
	x.stand.Evals, x.stand.Champion, x.stand.Speedup, x.stand.Estimate = e.Evals, e.Champion, e.Speedup, e.Estimate
	for _, o := range a.all {
		if o == x || e.Champion.IsZero() {
			continue
		}
		if best != nil {
			a.hint(ctx, o, x.stand.Device, best)
		}
		if !x.met && o.best != nil {
			a.hint(ctx, x, o.stand.Device, o.best)
		}
	}
	if x.met = x.met || !e.Champion.IsZero(); changed {
		x.best = best
	}
}

// hintOf is a champion as a hint to others; nil where there is none, or it is nothing that they can make: the naive
// start, or a whole kernel.
func (x *islandSearch) hintOf(champion kernels.ID) *kernels.Variant {
	if champion.IsZero() {
		return nil
	}
	c, err := x.Run.Get(champion)
	if err != nil || c.Variant.Family == "" || c.Origin.Operator == kernels.NaiveStart {
		return nil
	}
	return &c.Variant
}

// hint asks a search to judge another's champion. What it has judged before, or has no family for, it refuses, which
// changes nothing. The caller holds the lock.
func (a *islands) hint(ctx context.Context, to *islandSearch, from string, v *kernels.Variant) {
	if to.running == nil || to.stand.Champion.IsZero() { // it is told when it has a start to compare with
		return
	}
	search := to.running
	c := evolve.Command{Do: "inject", From: from, Variant: &kernels.Variant{Family: v.Family, Genes: v.Genes}}
	a.work.Go(func() { _ = search.Steer(ctx, c) })
}

// elapsed is how long the first search has taken.
func (a *islands) elapsed() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all[0].at
}

// stands are where all searches stand, the first one's first; none where there is but one.
func (a *islands) stands() (all []kernels.Island) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) < 2 {
		return nil
	}
	for _, x := range a.all {
		all = append(all, x.stand)
	}
	return all
}
