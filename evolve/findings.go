package evolve

import (
	"slices"

	"darwarp/kernels"
)

// findings are what `darwarp explain` found out about a run's candidates before this session, each but the last of its
// kind left out.
type findings []kernels.Insight

// collect keeps of equal questions the last answer.
func collect(all []kernels.Insight) (out findings) {
	for _, i := range all {
		out = append(slices.DeleteFunc(out, func(o kernels.Insight) bool {
			return o.Candidate == i.Candidate && slices.Equal(o.Genes, i.Genes) && o.Cache == i.Cache
		}), i)
	}
	return out
}

// of are the findings about a candidate.
func (all findings) of(id kernels.ID) (out []kernels.Insight) {
	for _, i := range all {
		if i.Candidate == id {
			out = append(out, i)
		}
	}
	return out
}

// counters are the profiler's figures of a candidate, as the one that was explained or as what one became without a
// choice.
func (all findings) counters(id kernels.ID) (out []kernels.Counters) {
	for _, i := range all {
		if len(i.Counters) > 0 && (i.Candidate == id && len(i.Genes) == 0 || i.Without == id && len(i.Genes) > 0) {
			out = i.Counters
		}
	}
	return out
}

// last is the candidate that was explained last.
func (all findings) last() kernels.ID { return all[len(all)-1].Candidate }
