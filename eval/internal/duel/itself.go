package duel

import (
	"context"
	"fmt"
	"slices"

	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// twinPairs is how many fresh pairs a candidate on trial fights with itself, and fewTwinPairs how many of them are
// enough where the others could change nothing: so many ratios on the honest side are above the lower bound of a median
// of all, and below the upper one.
const (
	twinPairs    = 10
	fewTwinPairs = 6
)

// settled reports whether a fight of fewTwinPairs pairs with itself shows already what twinPairs would show: a kernel
// that keeps nothing.
func (p *Duels) settled(f *fight) bool {
	for i, w := range p.Cfg.Workloads {
		again := repeats{slices.Concat(f.repeat[i][0], f.repeat[i][1]), f.Rounds()[i].Champion}
		least, honest := p.fewestRepeat(again, p.usualRepeat(w.Name, false, 0)), 0
		for _, r := range again.ratios {
			if r >= least {
				honest++
			}
		}
		if honest < fewTwinPairs {
			return false
		}
	}
	return slices.Max(f.ratios) <= 1+unseenMargin
}

// unseenMargin is by how much more calls may take on inputs that never come again, with the whole interval. The times
// of a kernel whose work depends on its data differ by what was drawn.
const unseenMargin = 0.1

// unseenTooSlow says why a round, of a kernel on inputs that come again and on others, is none of a kernel that keeps
// nothing.
func unseenTooSlow(workload string, r kernels.DuelRound) string {
	if r.Lo <= 1+unseenMargin {
		return ""
	}
	return fmt.Sprintf("%s: keeps answers: calls on inputs that never came before take %.2f of the time of those on "+
		"inputs that come again", workload, r.Ratio)
}

// Itself has a contestant fight itself, one side on inputs that come again and the other on such as never do. why says
// what of it shows that it keeps answers; empty: nothing.
func (p *Duels) Itself(ctx context.Context, c verdict.Contestant) (pairs int, why string, err error) {
	twin := c
	twin.Itself = true
	by := terms{cache: p.Cfg.Cache, which: p.All(), fresh: true, unseen: true}
	f, err := p.fight(ctx, c, twin, by, fewTwinPairs)
	if err == nil && !p.settled(f) {
		f, err = p.fight(ctx, c, twin, by, twinPairs)
	}
	if err != nil {
		return 0, "", err
	}
	for i, w := range p.Cfg.Workloads {
		again := repeats{slices.Concat(f.repeat[i][0], f.repeat[i][1]), f.Rounds()[i].Champion}
		if why := p.repeatsTooFast(w.Name, again, p.usualRepeat(w.Name, false, 0), most); why != "" {
			return 0, why, nil
		}
		if why := unseenTooSlow(w.Name, f.Rounds()[i]); why != "" {
			return 0, why, nil
		}
	}
	return f.Pairs(), "", nil
}
