package evolve

import (
	"slices"

	"darwarp/kernels"
	"darwarp/mutate/llm"
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

// counters are the profiler's figures of a candidate, as the one that was explained or as what one became without a choice.
func (all findings) counters(id kernels.ID) (out []kernels.Counters) {
	for _, i := range all {
		if len(i.Counters) > 0 && (i.Candidate == id && len(i.Genes) == 0 || i.Without == id && len(i.Genes) > 0) {
			out = i.Counters
		}
	}
	return out
}

// explained tells a prompt what is known of the choices of its base, or else of those of the last candidate that was
// explained, and what the profiler counted.
func (s *Search) explained(b *llm.Brief, base kernels.ID) {
	all := s.counsel.findings
	if len(all) == 0 {
		return
	}
	known := all.of(base)
	if m := s.working[all[len(all)-1].Candidate]; len(known) == 0 && m != nil {
		known, b.Explained = all.of(m.id), m.variant.Label()
	}
	b.Findings, b.Counters = llm.Findings(known), llm.Counted(all.counters(base))
}
