package evolve

import (
	"fmt"
	"strings"

	"darwarp/kernels"
	"darwarp/store"
)

// reign is who reigns and who may follow: a duel is won in the contest, and what the winner has to stand besides are
// its trials. When either is asked for is the loop's affair.
type reign struct {
	*contest
	*trials
	pop      *population
	journal  *journal
	progress *progress
	steering *steering
	clock    *clock
}

// SetAside begins the note of a duel that decides nothing any more.
const SetAside = "set aside: "

// decide enters a duel. Only Faster changes the champion.
func (r *reign) decide(t *task, d kernels.Duel) {
	d.Champion, d.Challenger = t.Champion.Short(), t.Challenger.Short()
	validateDuel(&d)
	if why := r.setsAside(t); why != "" {
		r.journal.send(Event{Kind: KindDuel, ID: t.Challenger, Duel: &d, Note: SetAside + why})
		return
	}
	r.progress.countDuel()
	r.journal.duel(t.Challenger, d, r.contest.enter(d))
	if d.Outcome.Failed() && r.fallInDuel(t, &d) {
		return
	}
	if d.Verdict != kernels.Faster {
		r.defeat(t.Challenger)
		return
	}
	if m := r.pop.member(t.Challenger); m != r.reigning() { // else a kill has left a duel whose winner reigns
		r.succeed(m, fmt.Sprintf("%.3fx over %s in a duel", 1/d.Ratio, d.Champion))
	}
}

// setsAside says why a duel decides nothing any more, empty where it does.
func (r *reign) setsAside(t *task) string {
	switch {
	case t.Weighed != r.steering.weighed():
		return "the weights were changed meanwhile"
	case r.fell(t.Champion, t.Challenger):
		return "one of them fell on trial meanwhile"
	}
	return ""
}

// succeed makes the winner of a duel the champion, or first an heir where it can be doubted.
func (r *reign) succeed(m *member, why string) {
	if !r.inherits(m, why) {
		r.crown(m, why)
	}
}

// crown makes a member the champion.
func (r *reign) crown(m *member, why string) {
	r.reign(r.reigning(), r.clock.elapsed())
	r.setChampion(m)
	r.journal.champion(m, why)
}

// tried takes what came of parts of a trial.
func (r *reign) tried(a answer) {
	t, m := a.task, a.task.doubts
	r.endTrial(t)
	if r.fell(m.id) { // by another part, meanwhile
		return
	}
	if a.err != nil {
		if !r.trialsSkipped() && !t.dropped {
			r.lose(t, a.err)
		}
		return
	}
	known, missing := r.trials.enter(t, a.trial)
	switch {
	case missing:
		r.lose(t, fmt.Errorf("%w: the evaluator gave no verdict", kernels.ErrLost))
	case known.Fault() != nil:
		r.fall(m, known)
	default:
		r.journal.trial(known, known.Of(t.parts))
		if r.isHeir(m) {
			r.inherit()
		}
	}
}

// inherit crowns the heir, who has stood the quick parts of its trial.
func (r *reign) inherit() {
	m, why := r.disinherit()
	if r.pop.isDead(m.id) { // its lineage was killed meanwhile
		r.defeat(m.id)
		return
	}
	r.crown(m, why)
}

// lose asks again for what our side lost, which the next call of doubt does, or gives it up.
func (r *reign) lose(t *task, err error) {
	m := t.doubts
	r.progress.countLost()
	attempt, dropped := r.retry(m)
	note := fmt.Sprintf("trial of %s (%s), attempt %d of %d: %v",
		m.id.Short(), partNames(t.parts), attempt, attempts, err)
	r.journal.send(Event{Kind: KindLost, Family: r.pop.familyName(t), ID: m.id, Note: strings.TrimSpace(line(note))})
	if attempt < attempts {
		return
	}
	what := "it stays on trial"
	if dropped {
		r.defeat(m.id)
		what = "it is not crowned"
	}
	r.journal.send(Event{Kind: KindSkip, Family: r.pop.familyName(t), ID: m.id,
		Note: "its trial was lost too often: " + what})
}

// load takes up trials of earlier sessions. What is missing of a champion's trial is tried in this one.
func (r *reign) load(keep keeper) error {
	all, err := keep.Trials()
	if err != nil {
		return err
	}
	history, err := keep.Champions()
	if err != nil {
		return err
	}
	r.takeUpLast(history)
	r.trials.load(all, history, r.pop, r.reigning())
	return nil
}

// takeUpLast has the champion reign that was stored last: a search that was killed before its next checkpoint has one
// of which the checkpoint does not know.
func (r *reign) takeUpLast(history []store.Champion) {
	if len(history) == 0 {
		return
	}
	if m := r.pop.member(history[len(history)-1].ID); m != nil && m != r.reigning() {
		r.setChampion(m)
	}
}

// standing is the champion's, empty where nobody doubts it.
func (r *reign) standing() kernels.Standing {
	return r.standingOf(r.reigning(), r.pop.start())
}
