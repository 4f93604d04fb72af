package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"darwarp/eval/internal/trial"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// first reports whether the evaluation that asks is to be the first yardstick, if it comes out right.
func (h *Host) first() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun {
		return false
	}
	h.begun = true
	return true
}

// begin times the first kernel that is right on the other GPUs, before its verdict is told: in a search it is the naive
// start, alone. A GPU where that fails is left out, since nobody doubts it.
func (h *Host) begin(ctx context.Context, y yardstick, err error) {
	if err != nil || y.e.Res.Outcome != kernels.Unknown || !whole(y.e.Res.Times) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.begun = false // another one
		return
	}
	kept := yardstick{&verdict.Evaluation{Job: y.e.Job, Cubin: y.e.Cubin, Checked: y.e.Checked, Calls: y.e.Calls,
		Elapsed: y.e.Elapsed}, y.at}
	kept.e.Res.Resources = y.e.Res.Resources
	h.mu.Lock()
	h.start = &kept
	h.mu.Unlock()
	h.timeOnAll(ctx, kept, y.e.Res.Times, func(p *place, err error) {
		if len(y.e.Job.Bar.Times()) == 0 && !errors.Is(err, kernels.ErrLost) {
			h.leaveOut(p, fmt.Errorf("a kernel that is right on %s: %w", y.at.name(), err))
		}
	})
}

// examine asks a GPU for the first yardstick again, and leaves it out where that is not right any more.
func (h *Host) examine(ctx context.Context, at *place) {
	h.mu.Lock()
	y := h.start
	h.mu.Unlock()
	if y == nil {
		return
	}
	_, err := y.timeOn(ctx, at, false)
	if err = h.blame(ctx, at, err); err != nil && ctx.Err() == nil && !errors.Is(err, kernels.ErrLost) {
		h.leaveOut(at, fmt.Errorf("candidate after candidate failed there, and so does %s, which was right on %s: %w",
			y.e.Job.ID.Short(), y.at.name(), err))
	}
}

// whole reports whether no time is that of a candidate that was given up.
func whole(times []kernels.Timing) bool {
	given := func(t kernels.Timing) bool { return t.Tier != "fitness" && t.Tier != "final" }
	return len(times) > 0 && !slices.ContainsFunc(times, given)
}

// timeOnAll times a kernel on all GPUs but that whose times are given. failed hears where it could not.
func (h *Host) timeOnAll(ctx context.Context, y yardstick, at []kernels.Timing, failed func(*place, error)) {
	var all sync.WaitGroup
	for _, p := range h.places.in() {
		if p == y.at {
			continue
		}
		all.Go(func() {
			on, err := y.timeOn(ctx, p, at[0].Tier == "final")
			if err = h.blame(ctx, p, err); err == nil {
				err = h.places.compare(y.at, p, at, on)
			}
			if err != nil && ctx.Err() == nil {
				h.log.Warn("times of a GPU cannot be compared", "gpu", p.name(), "kernel", y.e.Job.ID.Short(), "error", err)
				failed(p, err)
			}
		})
	}
	all.Wait()
}

// follow times the winner of a duel on all GPUs, beside the search: it is about to be the champion.
func (h *Host) follow(id kernels.ID, at *place) {
	c, ok := at.pool.Recall(id)
	if !ok || c.Gate == nil {
		return
	}
	h.mu.Lock()
	h.latest++
	mine := h.latest
	h.mu.Unlock()
	h.work.Go(func() {
		h.timing.Lock()
		defer h.timing.Unlock()
		h.mu.Lock()
		late := mine != h.latest
		h.mu.Unlock()
		if late { // there is a newer one
			return
		}
		y := yardstick{c.Gate, at}
		times, err := y.timeOn(h.ctx, at, true)
		if err = h.blame(h.ctx, at, err); err == nil {
			h.timeOnAll(h.ctx, y, times, func(*place, error) {}) // what was known of it stays
		}
	})
}

// Duel is Pool.Duel at home.
func (h *Host) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	at := h.places.home()
	d, err := at.pool.Duel(ctx, champion, challenger)
	if err = h.blame(ctx, at, err); err == nil && d.Verdict == kernels.Faster {
		h.follow(challenger.ID, at)
	}
	return d, err
}

// timeAgain is Pool.timeAgain at home.
func (h *Host) timeAgain(ctx context.Context, job *kernels.Job, brief bool) ([]kernels.Timing, error) {
	at := h.places.home()
	times, err := at.pool.timeAgain(ctx, job, brief)
	return times, h.blame(ctx, at, err)
}

// Trial is Pool.Trial: what has to be stood before somebody becomes champion at home, where its duel was, and the rest
// elsewhere.
func (h *Host) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	at := h.places.aside()
	if trial.Quick(parts) {
		at = h.places.home()
	}
	t, err := at.pool.Trial(ctx, job, parts...)
	return t, h.blame(ctx, at, err)
}

// Control is Pool.Control at home.
func (h *Host) Control(ctx context.Context, champion *kernels.Job) error {
	at := h.places.home()
	return h.blame(ctx, at, at.pool.Control(ctx, champion))
}

// Sanitize is Pool.Sanitize where no duel waits for it.
func (h *Host) Sanitize(ctx context.Context, job *kernels.Job) (found []kernels.Sanitized, why string, err error) {
	return h.places.aside().pool.Sanitize(ctx, job)
}

// Counters is Pool.Counters at home.
func (h *Host) Counters(ctx context.Context, jobs []*kernels.Job) (
	found map[kernels.ID][]kernels.Counters, why string, err error) {
	return h.places.home().pool.Counters(ctx, jobs)
}
