package soak

import (
	"context"
	"math/rand/v2"
	"regexp"
	"sync"

	"darwarp/evolve"
	"darwarp/kernels"
)

// fault is a mistake that is written into a kernel. No gate may let it pass.
type fault struct {
	name   string
	weight int    // how often, relative to the others
	text   string // goes in after the kernel's opening brace
}

var faults = []fault{
	{"does not compile", 3, "\n#error planted\n"},
	{"a block that does nothing", 3, " if (blockIdx.x == 0) return; "},
	{"a trap", 3, " if (blockIdx.x == 0 && threadIdx.x == 0) __trap(); "},
	{"an illegal address", 3, " if (blockIdx.x == 0 && threadIdx.x == 0) *(volatile int*)64 = 1; "},
	// In shared memory, for ptxas takes a loop over a volatile local for one that ends, and leaves it out. It costs its
	// deadline.
	{"an endless loop", 1, " __shared__ volatile int spin; spin = 1; while (blockIdx.x == 0 && threadIdx.x == 0 && " +
		"spin) {} "},
}

var opening = regexp.MustCompile(`__global__\b[^{;]*\{`)

// plant writes a fault into the first kernel of a source.
func plant(source string, f fault) string {
	at := opening.FindStringIndex(source)
	if at == nil {
		return source
	}
	return source[:at[1]] + f.text + source[at[1]:]
}

// Pool is an evaluator with all that a search asks of one that has a machine: without them there would be no figures of
// the GPU's memory, no control of the noise, and no trials in a soak.
type Pool interface {
	evolve.Evaluator
	evolve.Monitored
	evolve.Controlled
	evolve.Doubter
}

// Saboteur is a pool that gets a share of its candidates with a fault planted. The first few are spared, for
// a search cannot begin without its naive start.
type Saboteur struct {
	Pool
	Share float64

	mu      sync.Mutex
	rng     *rand.Rand
	seen    int
	planted map[kernels.ID]string
}

// spared is how many candidates at the beginning have no fault planted.
const spared = 8

// NewSaboteur plants faults in a share of what pool is given, drawn by seed.
func NewSaboteur(pool Pool, share float64, seed uint64) *Saboteur {
	return &Saboteur{Pool: pool, Share: share, rng: rand.New(rand.NewPCG(seed, 1)), planted: map[kernels.ID]string{}}
}

// Evaluate has a candidate judged, or what is left of it.
func (s *Saboteur) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	if f, ok := s.draw(job.ID); ok {
		spoiled := *job
		spoiled.Source = plant(job.Source, f)
		job = &spoiled
	}
	return s.Pool.Evaluate(ctx, job)
}

// draw decides about a candidate once: one that is asked for again has the same fault.
func (s *Saboteur) draw(id kernels.ID) (fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		if s.planted[id] == f.name {
			return f, true
		}
	}
	if s.seen++; s.seen <= spared || s.rng.Float64() >= s.Share {
		return fault{}, false
	}
	total := 0
	for _, f := range faults {
		total += f.weight
	}
	k := s.rng.IntN(total)
	for _, f := range faults {
		if k -= f.weight; k < 0 {
			s.planted[id] = f.name
			return f, true
		}
	}
	panic("unreachable")
}

// Planted is the fault of each candidate that has one.
func (s *Saboteur) Planted() map[kernels.ID]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.planted
}
