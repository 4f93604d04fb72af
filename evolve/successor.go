package evolve

import (
	"slices"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// awaitsTrial makes the winner of a duel a successor where it has to stand something first.
func (t *trials) awaitsTrial(m *member, why string) bool {
	if !t.canDoubt() || len(t.missing(m, kernels.QuickTrial)) == 0 {
		return false
	}
	t.successor, t.why = m, why
	return true
}

// hasSuccessor reports whether somebody is to be champion next, and isSuccessor whether it is this member.
func (t *trials) hasSuccessor() bool { return t.successor != nil }

func (t *trials) isSuccessor(m *member) bool { return t.successor == m }

// takeSuccessor drops the successor, and gives it with the reason why it was to be champion.
func (t *trials) takeSuccessor() (m *member, why string) {
	m, t.successor = t.successor, nil
	return m, t.why
}

// notePredecessor notes who was champion before a new one.
func (t *trials) notePredecessor(before *member, now time.Duration) {
	if before != nil {
		t.predecessors = append(t.predecessors, before)
	}
	t.since = now
}

// lastPredecessor gives the last of the champions before, or otherwise the naive start.
func (t *trials) lastPredecessor(naive *member, now time.Duration) *member {
	t.since = now
	last := len(t.predecessors) - 1
	if last < 0 {
		return naive
	}
	m := t.predecessors[last]
	t.predecessors = t.predecessors[:last]
	return m
}

// leave takes a member that fell out of the succession.
func (t *trials) leave(m *member) {
	if m == t.successor {
		t.successor = nil
	}
	t.predecessors = slices.DeleteFunc(t.predecessors, func(o *member) bool { return o == m })
}

// successorParts are the parts that the successor has to stand, nil where its trial is going on.
func (t *trials) successorParts() (m *member, parts []kernels.TrialPart) {
	if t.successor == nil || t.quick != nil {
		return nil, nil
	}
	return t.successor, t.missing(t.successor, kernels.QuickTrial)
}

// overtaken drops a successor whom somebody else is far ahead of, and gives up its trial: it would be champion for
// moments, and its trial holds the device for seconds.
func (t *trials) overtaken(by *member) (successor *member) {
	if t.successor == nil || by == nil || by == t.successor || by.score >= farAhead*t.successor.score {
		return nil
	}
	successor, _ = t.takeSuccessor()
	if t.quick != nil {
		t.quick.drop()
		t.quick = nil
	}
	return successor
}

// predecessorsOf are those before the champion that still work: one that came back took the place that it had.
func predecessorsOf(history []store.Champion, pop *population, champion *member) (out []*member) {
	for _, h := range history {
		m := pop.member(h.ID)
		if m == nil {
			continue
		}
		if at := slices.Index(out, m); at >= 0 {
			out = out[:at]
		}
		out = append(out, m)
	}
	if at := slices.Index(out, champion); at >= 0 {
		return out[:at]
	}
	return out
}
