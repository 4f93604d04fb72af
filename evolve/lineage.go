package evolve

import (
	"slices"

	"darwarp/kernels"
)

// kill takes a candidate and all that descend from it out of the populations, and says how many of them worked.
// They are neither bred nor learned from, and challenge nobody. A champion among them stays champion until it is
// beaten.
func (p *population) kill(id kernels.ID) (n int) {
	p.dead[id] = true
	asked := map[kernels.ID]bool{}
	for id := range p.members {
		p.descends(id, asked)
	}
	for _, d := range p.demes {
		n += d.removeDead(p.dead)
	}
	p.sources.removeDead(p.dead)
	return n
}

// takeUpKilled notes candidates that were killed in earlier sessions, before they are inserted.
func (p *population) takeUpKilled(ids []kernels.ID) {
	for _, id := range ids {
		p.dead[id] = true
	}
}

// descends reports whether a candidate is dead or descends from one that is, and notes it.
func (p *population) descends(id kernels.ID, asked map[kernels.ID]bool) bool {
	if m := p.members[id]; m != nil && !p.dead[id] && !asked[id] {
		asked[id] = true
		for _, parent := range m.parents {
			if p.descends(parent, asked) {
				p.dead[id] = true
			}
		}
	}
	return p.dead[id]
}

// markDead notes and reports whether a new candidate is of a lineage that was killed.
func (p *population) markDead(c *kernels.Candidate) bool {
	if slices.ContainsFunc(c.Origin.Parents, p.isDead) {
		p.dead[c.ID] = true
	}
	return p.dead[c.ID]
}

func (p *population) isDead(id kernels.ID) bool { return p.dead[id] }
