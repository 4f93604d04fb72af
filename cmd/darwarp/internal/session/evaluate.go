package session

import (
	"context"
	"iter"
	"sync"

	"darwarp/kernels"
)

// EvaluateAll keeps the session's slots busy with points and closes the channel after the last
// verdict. When ctx ends, nothing new is begun.
func (s *Session) EvaluateAll(ctx context.Context, todo iter.Seq[Point]) <-chan Verdict {
	out := make(chan Verdict)
	next := make(chan Point)
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
func (s *Session) evaluate(ctx context.Context, p Point) Verdict {
	j, err := s.Bundle.Job(p.Family, p.Genes, s.Device(), s.DType)
	if err != nil {
		return Verdict{Point: p, Err: err}
	}
	j.Bar = p.Bar
	r, err := s.Evaluate(ctx, &j)
	return Verdict{p, kernels.Candidate{ID: j.ID, Variant: j.Variant, Result: r}, err}
}
