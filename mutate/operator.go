// Package mutate makes new candidates from old ones. Every operator is a pure function of its random
// source and the pool of what was measured, so that a seed fixes what it proposes.
package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"darwarp/kernels"
)

// Individual is a point of a space whose verdict is in.
type Individual struct {
	ID         kernels.ID
	Index      int           // in its space
	Point      kernels.Point // not to be changed
	Score      float64       // lower is better, +Inf when it failed
	Noise      float64       // of log Score: half of its 95 % interval
	Cost       float64       // seconds of work that its verdict took
	Niche      string        // what it is like, not how fast
	Recalled   bool          // from another run
	Generation int
}

// Pool is what is known about one space when a proposal is due.
type Pool struct {
	Space   *kernels.Space
	Best    []*Individual    // usable ones to breed from, best first
	Niches  []*Individual    // the best of every niche of Best, best first
	Seen    []*Individual    // every one that was judged, failures included, in the order of verdicts
	Order   []*Individual    // Seen by score, of equals the first before the others; nil: made where it is needed
	Pending []int            // points in flight
	Known   func(i int) bool // whether a point was asked for already
	Hurry   bool             // time is what the search has to spend, and not evaluations
	Live    bool             // verdicts come when they come: no seed fixes the search, and models are kept across some
	View    *View            // of Space; made when it is first needed
	Outlook *Outlook         // of this population; nil: every proposal has a forest of its own
}

func (p *Pool) view() *View {
	if p.View == nil {
		p.View = NewView(p.Space)
	}
	return p.View
}

// Proposal is a point to try next.
type Proposal struct {
	Index   int           // in the pool's space
	Note    string        // what changed, in a few words: "stages 3 -> 4"
	Parents []*Individual // the one that Note compares with first
}

// Operator proposes a point that may be known already: the caller asks again then. ok is false when
// the operator has nothing to offer on this pool.
type Operator interface {
	Name() string
	Propose(rng *rand.Rand, pool *Pool) (p Proposal, ok bool)
}

// elites is how many of the best are bred from. Of 10, 15 and 25 the middle one found the optimum of
// recorded spaces most often.
const elites = 15

// parent picks among the elites; the better of two draws, so that rank counts and units do not. Now
// and then it is the best of any niche.
func (p *Pool) parent(rng *rand.Rand) *Individual {
	const strange = 0.1
	if len(p.Niches) > 1 && rng.Float64() < strange {
		return p.Niches[rng.IntN(len(p.Niches))]
	}
	n := min(elites, len(p.Best))
	return p.Best[min(rng.IntN(n), rng.IntN(n))]
}

// describe says in what genes two points differ: "stages 3 -> 4, loader vec16 -> cp_async".
func describe(s *kernels.Space, from, to kernels.Point) string {
	const most = 4 // differences spelled out: the genes themselves are beside the note
	var parts []string
	more := 0
	for i := range to {
		if from[i] == to[i] {
			continue
		}
		if len(parts) == most {
			more++
			continue
		}
		v := s.Family.Genes[i].All()
		parts = append(parts, fmt.Sprintf("%s %v -> %v", s.Family.Genes[i].Name, v[from[i]], v[to[i]]))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

// distance is the number of genes in which two points differ.
func distance(a, b kernels.Point) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
