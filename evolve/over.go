package evolve

import (
	"encoding/json"
	"fmt"
	"slices"

	"darwarp/kernels"
	"darwarp/store"
)

// settled reports whether nothing is left to do but to try new candidates.
func (s *Search) settled() bool {
	m := s.championship.champion()
	return m != nil && s.queue.running() == 0 && len(s.unanswered()) == 0 && len(s.steering.waiting()) == 0 &&
		!s.championship.hasSuccessor() && s.championship.challenger(s.pop) == nil &&
		(!s.championship.canDoubt() || m == s.pop.start() || len(s.championship.missing(m, kernels.WholeTrial)) == 0)
}

// Over says what a search of a run would end with at once, which the file alone tells: a budget that is used up, and
// nothing that was begun before and is not settled. An empty reason: it may have something to do. simulated says
// that the run's time is that of a recording.
func Over(run *store.Run, b Budget, simulated bool) (Summary, error) { return over(run, b, simulated) }

func over(run keeper, b Budget, simulated bool) (Summary, error) {
	data, err := run.Checkpoint()
	if err != nil || data == nil {
		return Summary{}, err
	}
	var st state
	if err := json.Unmarshal(data, &st); err != nil {
		return Summary{}, fmt.Errorf("checkpoint: %w", err)
	}
	found, err := run.Insights()
	if err != nil || !st.Settled || slices.ContainsFunc(found, func(i kernels.Insight) bool {
		return Beats(&i) && i.Candidate == st.Champion && !slices.Contains(st.Beaten, i.Without)
	}) {
		return Summary{}, err
	}
	if st.Steering != nil {
		b = (&steering{asked: *st.Steering}).budget(b)
	}
	elapsed := st.Elapsed
	if !simulated {
		elapsed += b.settling()
	}
	return Summary{Reason: b.spent(&st.Progress, 0, elapsed), Evals: st.Progress.Evals, Elapsed: st.Elapsed}, nil
}
