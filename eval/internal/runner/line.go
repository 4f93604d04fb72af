package runner

import (
	"context"
	"slices"
)

// rank is who goes before whom.
type rank uint8

const (
	first rank = iota // duels, and what a challenger has to stand before it is champion
	soon              // candidates that are likely to be fast: the sooner one of them is timed, the less others are worth
	later
)

// caller is who asks for something, and how. By default it goes last, and nothing that is kept for somebody else is
// kept from it.
type caller struct {
	rank rank
	// yields says that it may be made to wait for as long as something is kept: a candidate that holds nothing that others
	// wait for.
	yields bool
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	if c, ok := ctx.Value(callerKey{}).(caller); ok {
		return c
	}
	return caller{rank: later}
}

func (c caller) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// Urgently is a context whose calls of the device go first: those of duels, and of what a challenger has to stand
// before it is champion. They come one after the other; each would wait for all candidates otherwise. At large sizes
// some take a second.
func Urgently(ctx context.Context) context.Context { return caller{rank: first}.with(ctx) }

// Candidate is the context of a candidate's evaluation; one that is likely to be fast goes before the others.
func Candidate(ctx context.Context, likely bool) context.Context {
	c := caller{rank: later, yields: true}
	if likely {
		c.rank = soon
	}
	return c.with(ctx)
}

// Holding is the context of somebody who holds a slot. Nobody keeps the device from it: who does may need that slot.
func Holding(ctx context.Context) context.Context {
	c := callerOf(ctx)
	c.yields = false
	return c.with(ctx)
}

// line is who waits for something, in the order of asking. Its owner locks it.
type line struct {
	waiting []*waiter
	kept    int // by so many is it kept from those who yield
}

type waiter struct {
	caller
	ready chan int // of room for one: what it gets
}

// bars reports whether somebody has to wait, whatever is free.
func (l *line) bars(c caller) bool { return c.yields && l.kept > 0 }

func (l *line) join(c caller) *waiter {
	w := &waiter{c, make(chan int, 1)}
	l.waiting = append(l.waiting, w)
	return w
}

// leave takes somebody out, and reports whether it was still waiting.
func (l *line) leave(w *waiter) bool {
	at := slices.Index(l.waiting, w)
	if at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
	}
	return at >= 0
}

// next takes out who is next, nil for none: the one of the least rank that asked first, or with firstLast one of the
// others where there are any.
func (l *line) next(firstLast bool) *waiter {
	place := func(w *waiter) rank {
		if w.rank == first && firstLast {
			return later + 1
		}
		return w.rank
	}
	var best *waiter
	for _, w := range l.waiting {
		if !l.bars(w.caller) && (best == nil || place(w) < place(best)) {
			best = w
		}
	}
	if best != nil {
		l.leave(best)
	}
	return best
}
