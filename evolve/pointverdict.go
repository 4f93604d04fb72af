package evolve

import (
	"darwarp/kernels"
	"darwarp/mutate"
)

func (d *pointDeme) judge(_ *kernels.Candidate, index int, r rating) (opened bool) {
	if index < 0 {
		return false
	}
	was := d.closed
	d.claim(index)
	d.closed = d.closed && r.failed()
	if r.teaches() {
		d.judged++
	}
	return was && !d.closed
}

func (d *pointDeme) gain(index int, r rating) (float64, bool) {
	if d.authored(index) {
		return gainOverAll(d.all, r)
	}
	if index < 0 || !r.teaches() {
		return 0, false
	}
	return gain(len(d.best), func(i int) float64 { return d.best[i].Score }, r.score), true
}

// gainOverAll is what a model gains that wrote a candidate as a whole: over everything that works.
func gainOverAll(members func() []*member, r rating) (float64, bool) {
	if r.duplicate {
		return 0, false
	}
	all := members()
	return gain(len(all), func(i int) float64 { return all[i].score }, r.score), true
}

func (d *pointDeme) insert(c *kernels.Candidate, index int, r rating, alone []float64) {
	if index < 0 || !r.teaches() {
		return
	}
	o := d.individual(c, index, r.score)
	d.add(o, r.duplicate)
	if !r.duplicate {
		d.insertNiches(o, alone)
	}
}

// add enters a judged point.
func (d *pointDeme) add(o *mutate.Individual, duplicate bool) {
	d.claim(o.Index)
	d.ranking.add(o, duplicate)
}

// individual is a judged candidate as operators see it.
func (d *pointDeme) individual(c *kernels.Candidate, index int, score float64) *mutate.Individual {
	o := &mutate.Individual{
		ID: c.ID, Index: index, Point: d.space.At(index), Score: score, Cost: c.Result.Cost.Total(),
		Generation: c.Origin.Generation, Niche: niche(d.space.Family, c),
		Recalled: c.Origin.Operator == mutate.Recall{}.Name(),
	}
	for _, t := range c.Result.Times {
		if t.Median > 0 {
			o.Noise = max(o.Noise, (t.Hi-t.Lo)/2/t.Median)
		}
	}
	return o
}

func (d *pointDeme) removeDead(dead map[kernels.ID]bool) int {
	for _, n := range d.niches {
		n.removeDead(dead)
	}
	return d.ranking.removeDead(dead)
}
