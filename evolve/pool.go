package evolve

import (
	"darwarp/kernels"
	"darwarp/mutate"
	"slices"
)

// pool is what operators see. In an epoch that starts afresh only what it found is bred from. What was best in another
// run is measured first and may become champion at once, but it is held back here for some verdicts: a search that
// breeds from it at once looks nowhere else (docs/manual/search.md).
func (d *pointDeme) pool(fresh bool) *mutate.Pool {
	p := &mutate.Pool{Space: d.space, Best: d.best, Seen: d.seen, Order: d.ordered(), Known: d.claimed, View: d.view,
		Outlook: &d.outlook}
	if fresh {
		p.Best = d.fresh
	}
	if rest := withoutRecalled(d.seen); len(rest) < heldBack {
		p.Seen, p.Order, p.Best = rest, nil, withoutRecalled(p.Best)
		p.Niches = archive(p.Best)
		return p
	}
	p.Niches = d.archive(fresh)
	return p
}

// withoutRecalled leaves out what another run has known. It shares the list where there is nothing to leave out.
func withoutRecalled(list []*mutate.Individual) []*mutate.Individual {
	is := func(o *mutate.Individual) bool { return o.Recalled }
	if len(list) > heldBack+mutate.MostRecalled || !slices.ContainsFunc(list, is) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), is)
}

// pins are those of some candidates that are in the population.
func (d *pointDeme) pins(ids []kernels.ID) (out []*mutate.Individual) {
	if len(ids) == 0 { // as ever, but where somebody steers
		return nil
	}
	for _, o := range d.best {
		if slices.Contains(ids, o.ID) {
			out = append(out, o)
		}
	}
	return out
}

// breeding is what the space is bred from: pinned candidates first, whatever their rank.
func (d *pointDeme) breeding(fresh bool, pinned []kernels.ID) *mutate.Pool {
	p := d.pool(fresh)
	pins := d.pins(pinned)
	if len(pins) == 0 {
		return p
	}
	others := slices.DeleteFunc(slices.Clone(p.Best), func(o *mutate.Individual) bool {
		return slices.Contains(pinned, o.ID)
	})
	p.Best, p.Outlook = append(pins, others...), nil
	return p
}

// pinned is a pool with nothing but pinned candidates to breed from.
func (d *pointDeme) pinned(ids []kernels.ID) *mutate.Pool {
	p := d.pool(false)
	p.Best, p.Niches, p.Outlook = d.pins(ids), nil, nil
	return p
}
