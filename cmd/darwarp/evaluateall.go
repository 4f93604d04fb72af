package main

import (
	"context"
	"iter"
	"sync"

	"darwarp/kernels"
)

// evaluateAll keeps the session's slots busy with points and closes the channel after the last
// verdict. When ctx ends, nothing new is begun.
func evaluateAll(ctx context.Context, s *session, todo iter.Seq[point]) <-chan verdict {
	out := make(chan verdict)
	next := make(chan point)
	go func() {
		defer close(next)
		for p := range todo {
			select {
			case next <- p:
			case <-ctx.Done():
				return
			}
		}
	}()
	var wg sync.WaitGroup
	for range s.Slots() {
		wg.Go(func() {
			for p := range next {
				out <- s.evaluate(ctx, p)
			}
		})
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	return out
}

// evaluate renders and evaluates one point.
func (s *session) evaluate(ctx context.Context, p point) verdict {
	j, err := s.bundle.Job(p.family, p.genes, s.Device(), s.dtype)
	if err != nil {
		return verdict{point: p, err: err}
	}
	j.Bar = p.bar
	r, err := s.Evaluate(ctx, &j)
	return verdict{p, kernels.Candidate{ID: j.ID, Variant: j.Variant, Result: r}, err}
}
