package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// quickPairs is how long the first pairs may take for more of them to be measured.
const quickPairs = 300 * time.Millisecond

// Pace times the naive start and a champion in turn, in as few pairs as the openings of a duel have: neither is gated
// again if this session has gated it. A side that faults is our loss here, for nothing is decided.
func (p *Duels) Pace(ctx context.Context, start, champion *kernels.Job) (kernels.Duel, error) {
	ctx, end := p.Doubting(ctx, "pace "+champion.ID.Short())
	defer end()
	d, err := p.keepPace(ctx, start, champion)
	if errors.Is(err, verdict.ErrFaulted) {
		err = fmt.Errorf("%w: the champion beside the naive start: %w", kernels.ErrLost, err)
	}
	return d, err
}

func (p *Duels) keepPace(ctx context.Context, start, champion *kernels.Job) (d kernels.Duel, err error) {
	a, err := p.Standing(ctx, start)
	if err != nil {
		return d, err
	}
	b, err := p.Standing(ctx, champion)
	if err != nil {
		return d, err
	}
	t := terms{cache: p.Cfg.Cache, which: p.All()}
	f := p.begin(a, b, t)
	for _, o := range p.openingsOf(a, b, terms{which: t.which, both: true}) {
		began := time.Now()
		if err = p.goOn(ctx, a, b, t, f, o.pairs); err != nil {
			return d, err
		}
		if time.Since(began) > quickPairs {
			break
		}
	}
	d = kernels.Duel{Provenance: p.Proof.Key(), Rounds: f.Rounds()}
	d.Verdict, d.Ratio, d.Lo, d.Hi = f.Verdict()
	for i := range f.workloads {
		f.describe(i, &d.Rounds[i], t)
	}
	return d, nil
}
