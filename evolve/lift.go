package evolve

import (
	"fmt"

	"darwarp/kernels"
)

// Lifted is the operator of families that were made of whole kernels.
const Lifted = "constants"

// lift gives the run a family of one champion that is a whole kernel, so that its constants are tuned as genes are. It
// is a family as those of models: its default is judged first, and the gate finds out which values are right.
func (a *advice) lift(m *member) {
	if m == nil || m.variant.Family != "" || m.id == a.lifted {
		return
	}
	a.lifted = m.id
	draft, err := a.render.lift(&m.variant, a.pop.device())
	if draft == nil && err == nil {
		return
	}
	var t *task
	if err == nil {
		t, err = a.grow(draft, kernels.Origin{Operator: Lifted, Parents: []kernels.ID{m.id}, Generation: 1 + m.generation,
			Note: "its constants as genes"})
	}
	if err != nil { // one from an earlier session, or constants that no other place agrees with
		a.log.Info("no family is made of a champion's constants", "champion", m.id.Short(), "why", err)
		return
	}
	a.pop.claim(t)
	a.waiting.push(t)
	family, points := a.pop.familyOf(t)
	a.journal.family(a.render.files(), Event{Kind: KindFamily, Family: family.Name, ID: t.job.ID,
		Note: fmt.Sprintf("%s %s, %s", family.Title(), m.id.Short(), kernels.Quantity(points, "point"))})
}
