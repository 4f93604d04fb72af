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

// threads are the conversations that may go on.
type threads struct {
	proposals map[kernels.ID]*thread // about proposals whose verdict is not in
	repairs   []*thread              // to go on with
	pursued   []*thread              // those of them that are being asked
	past      []kernels.Exchange     // of earlier sessions, until their conversations are taken up
}

func newThreads() *threads { return &threads{proposals: map[kernels.ID]*thread{}} }

// repairOf takes the first conversation that is to be repaired by a model. Repairs are asked by the model that is to
// repair, before anything new.
func (x *threads) repairOf(model string) *thread {
	for i, t := range x.repairs {
		if m, _, _ := kernels.SplitArm(t.Arm); m == model {
			x.repairs = slices.Delete(x.repairs, i, i+1)
			return t
		}
	}
	return nil
}

// repair has a model go on with a conversation, a bounded number of times.
func (x *threads) repair(t *thread, why string) {
	if t.Tries >= maxTries || len(x.repairs) >= mostRepairs {
		return
	}
	model, _, _ := kernels.SplitArm(t.Arm)
	next := *t
	next.Arm, next.Tries, next.Why = kernels.Arm(model, llm.Repair), t.Tries+1, why
	next.brief.Why = why
	x.repairs = append(x.repairs, &next)
}

// retry has a question asked again.
func (x *threads) retry(t *thread) { x.repairs = append(x.repairs, t) }

// asked and replied note which repairs are in flight: a checkpoint has them asked again.
func (x *threads) asked(t *thread) {
	if t.Tries > 0 {
		x.pursued = append(x.pursued, t)
	}
}

func (x *threads) replied(t *thread) {
	x.pursued = slices.DeleteFunc(x.pursued, func(o *thread) bool { return o == t })
}

// follow notes the conversation about a proposal; close gives it back with the verdict.
func (x *threads) follow(id kernels.ID, t *thread) { x.proposals[id] = t }

func (x *threads) close(id kernels.ID) *thread {
	t := x.proposals[id]
	delete(x.proposals, id)
	return t
}

// open are the conversations that a checkpoint keeps.
func (x *threads) open() (proposals map[kernels.ID]*thread, repairs []*thread) {
	return x.proposals, slices.Concat(x.pursued, x.repairs)
}

// takeUp has what earlier sessions said.
func (x *threads) takeUp(past []kernels.Exchange) { x.past = past }

// goOn takes up conversations of earlier sessions. One whose base is no longer there, or whose last reply was not
// stored before a kill, is given up.
func (x *threads) goOn(proposals map[kernels.ID]*thread, repairs []*thread, about func(*thread) (llm.Brief, bool)) {
	for id, t := range proposals {
		if x.recover(t, about) {
			x.proposals[id] = t
		}
	}
	for _, t := range repairs {
		if x.recover(t, about) {
			x.repairs = append(x.repairs, t)
		}
	}
	x.past = nil
}

func (x *threads) recover(t *thread, about func(*thread) (llm.Brief, bool)) bool {
	if t == nil || t.Exchange < 1 || t.Exchange > len(x.past) {
		return false
	}
	brief, ok := about(t)
	if ok {
		t.said, t.brief = said(&x.past[t.Exchange-1]), brief
		t.brief.Why = t.Why
	}
	return ok
}

// said is a conversation up to a reply.
func said(e *kernels.Exchange) []kernels.Message {
	return append(slices.Clone(e.Asked), kernels.Message{Role: "assistant", Text: e.Reply})
}
