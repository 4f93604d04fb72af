package evolve

import (
	"slices"

	"darwarp/kernels"
	"darwarp/mutate/llm"
)

const (
	mostRepairs = 8 // conversations that wait
	maxTries    = 2 // repairs of one proposal
)

type threads map[kernels.ID]*thread

// thread is a conversation about one proposal. Its exported fields are what a checkpoint keeps of it.
type thread struct {
	Arm      string       `json:"arm"`
	Exchange int          `json:"exchange"`        // number of the stored one that has what was said until now
	Base     kernels.ID   `json:"base"`            // what edits apply to
	Why      string       `json:"why,omitempty"`   // the last reply was not good
	Tries    int          `json:"tries,omitempty"` // replies before
	From     []kernels.ID `json:"from,omitempty"`  // parents

	said  []kernels.Message // question and reply, from the first on
	brief llm.Brief
}

// thread is the next conversation with an arm's model: one that is to be repaired, or a new one.
func (s *Search) thread(arm string) *thread {
	model, operator, _ := kernels.SplitArm(arm)
	for i, t := range s.counsel.repairs {
		if m, _, _ := kernels.SplitArm(t.Arm); m == model {
			s.counsel.repairs = slices.Delete(s.counsel.repairs, i, i+1)
			return t
		}
	}
	brief, from := s.tell(operator)
	return &thread{Arm: arm, Base: brief.Base.ID, From: from, brief: brief}
}

// repair has a model go on with a conversation, a bounded number of times.
func (s *Search) repair(t *thread, why string) {
	if t.Tries >= maxTries || len(s.counsel.repairs) >= mostRepairs {
		return
	}
	model, _, _ := kernels.SplitArm(t.Arm)
	next := *t
	next.Arm, next.Tries, next.Why = kernels.Arm(model, llm.Repair), t.Tries+1, why
	next.brief.Why = why
	s.counsel.repairs = append(s.counsel.repairs, &next)
}

// follow takes up the verdict on a proposal. A kernel that was suspect is not repaired: its author is not
// told how it was found out.
func (s *Search) follow(f *flight, c *kernels.Candidate) {
	t := s.counsel.threads[c.ID]
	delete(s.counsel.threads, c.ID)
	if t == nil || f.Space != own && !s.isFirst(f.Space, f.Index) || !c.Result.Outcome.Failed() || c.Result.Outcome == kernels.Suspect || c.Result.Outcome == kernels.Duplicate {
		return
	}
	s.repair(t, llm.Why(c.Result.Outcome, c.Result.Detail))
}

// said is a conversation up to a reply.
func said(e *kernels.Exchange) []kernels.Message {
	return append(slices.Clone(e.Asked), kernels.Message{Role: "assistant", Text: e.Reply})
}

// takeUpThreads goes on with the conversations of earlier sessions. One whose base is no longer there, or whose last reply
// was not stored before a kill, is given up.
func (s *Search) takeUpThreads(st *state) {
	c := &s.counsel
	for id, t := range st.Threads {
		if s.takeUpThread(t) {
			c.threads[id] = t
		}
	}
	for _, t := range st.Repairs {
		if s.takeUpThread(t) {
			c.repairs = append(c.repairs, t)
		}
	}
	c.past = nil
}

func (s *Search) takeUpThread(t *thread) bool {
	if t == nil || s.cfg.Advisor == nil {
		return false
	}
	base := s.working[t.Base]
	if base == nil || t.Exchange < 1 || t.Exchange > len(s.counsel.past) {
		return false
	}
	t.said, t.brief = said(&s.counsel.past[t.Exchange-1]), s.about(base)
	t.brief.Why = t.Why
	return true
}
