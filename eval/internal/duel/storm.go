package duel

import (
	"context"

	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// A machine on which no block stays undisturbed, as one whose processors others use, cannot tell near equals apart. It
// can tell that a kernel takes half of the other's time: so many pairs are taken as they come, and one side has to win
// all but a tenth of them by more than stormLead. A coin favours the challenger in 18 of 20 once in 5,000 times.
const (
	stormPairs = 20
	stormLead  = 0.5
)

// throughStorm tries to decide a half that was given up.
func (p *Duels) throughStorm(ctx context.Context, a, b verdict.Contestant, t terms, left *fight) (*fight, error) {
	f, err := p.fight(ctx, a, b, t, stormPairs)
	if err != nil {
		return nil, err
	}
	f.given, f.stormed, f.discarded = true, f.almostAll(stormLead), left.discarded
	return f, nil
}

// almostAll is the verdict when one side won all pairs but a tenth by more than lead, and empty otherwise.
func (f *fight) almostAll(lead float64) kernels.Verdict {
	var faster, slower int
	for _, r := range f.ratios {
		switch {
		case r < 1-lead:
			faster++
		case r*(1-lead) > 1:
			slower++
		}
	}
	switch least := len(f.ratios) - len(f.ratios)/10; {
	case len(f.ratios) < stormPairs:
	case faster >= least:
		return kernels.Faster
	case slower >= least:
		return kernels.Slower
	}
	return ""
}
