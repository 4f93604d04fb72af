package evolve

import (
	"darwarp/kernels"
	"math"
)

// insertion is what an inserted candidate has changed.
type insertion struct {
	score  float64
	member *member // nil: it does not work
	opened bool    // a language model's family turned out to work
}

// insert enters a judged candidate.
func (p *population) insert(c *kernels.Candidate, d deme, index int) (in insertion) {
	p.ids[c.ID] = true
	r := p.rate(c)
	in.score, in.opened = r.score, d.judge(c, index, r)
	if g, counts := d.gain(index, r); counts {
		p.credit.reward(c.Origin.Operator, g, c.Result.Cost.Total())
	}
	if !p.markDead(c) {
		d.insert(c, index, r, p.alone(c))
	}
	if c.Result.Outcome == kernels.OK {
		in.member = p.addMember(c, d, index)
	}
	return in
}

// rate notes what is known of a candidate's machine code now.
func (p *population) rate(c *kernels.Candidate) rating {
	code := c.Result.Code
	twin, known := p.codes[code]
	r := rating{score: math.Inf(1), duplicate: c.Result.Outcome == kernels.Duplicate, known: known}
	switch {
	case c.Result.Outcome == kernels.OK:
		r.score = c.Score
	case r.duplicate && known:
		r.score, p.twins[c.ID] = twin, code
	}
	if code != "" && !r.duplicate {
		p.codes[code] = r.score
	}
	return r
}

// addMember enters a candidate that works. The first one is the naive start.
func (p *population) addMember(c *kernels.Candidate, d deme, index int) *member {
	p.born++
	m := &member{
		id: c.ID, variant: c.Variant, deme: d, index: index, score: c.Score, times: medians(c.Result.Times),
		parents: c.Origin.Parents, born: p.born, code: c.Result.Code, timings: c.Result.Times,
		generation: c.Origin.Generation, resources: c.Result.Resources,
	}
	if p.naive == nil {
		p.naive = m
		p.scale.startAt(m.times)
	}
	m.upper = max(m.score, p.scale.scoreOr(uppers(m.timings), m.score))
	p.members[c.ID] = m
	return m
}
