package evolve

import (
	"fmt"
	"strings"

	"darwarp/kernels"
	"darwarp/store"
)

// championship is who is champion and who may become it: a duel is won in the contest, and what the winner has to stand
// besides are its trials. When either is asked for is the loop's affair.
type championship struct {
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
func (r *championship) decide(t *task, d kernels.Duel) {
	d.Champion, d.Challenger = t.Champion.Short(), t.Challenger.Short()
	validateDuel(&d)
	if why := r.setsAside(t); why != "" {
		r.journal.send(Event{Kind: KindDuel, ID: t.Challenger, Duel: &d, Note: SetAside + why})
		return
	}
	r.progress.countDuel()
	r.journal.duel(t.Challenger, d, r.contest.enter(d))
	if d.Outcome.Failed() && r.demoteInDuel(t, &d) {
		return
	}
	if d.Verdict != kernels.Faster {
		r.defeat(t.Challenger)
		return
	}
	if m := r.pop.member(t.Challenger); m != r.champion() { // else a kill has left a duel whose winner is champion already
		r.promoteOrTry(m, fmt.Sprintf("%.3fx over %s in a duel", 1/d.Ratio, d.Champion))
	}
}

// setsAside says why a duel decides nothing any more, empty where it does.
func (r *championship) setsAside(t *task) string {
	switch {
	case t.Weighed != r.steering.weighed():
		return "the weights were changed meanwhile"
	case r.fell(t.Champion, t.Challenger):
		return "one of them fell on trial meanwhile"
	}
	return ""
}

// promoteOrTry makes the winner of a duel the champion, or first its successor, where there are trials.
func (r *championship) promoteOrTry(m *member, why string) {
	if !r.awaitsTrial(m, why) {
		r.promote(m, why)
	}
}

// promote makes a member the champion.
func (r *championship) promote(m *member, why string) {
	r.notePredecessor(r.champion(), r.clock.elapsed())
	r.setChampion(m)
	r.journal.champion(m, why)
}

// tried takes what came of parts of a trial.
func (r *championship) tried(a answer) {
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
		r.demote(m, known)
	default:
		r.journal.trial(known, known.Of(t.parts))
		if r.isSuccessor(m) {
			r.promoteSuccessor()
		}
	}
}

// promoteSuccessor makes the successor champion, once it has stood the quick parts of its trial.
func (r *championship) promoteSuccessor() {
	m, why := r.takeSuccessor()
	if r.pop.isDead(m.id) { // its lineage was killed meanwhile
		r.defeat(m.id)
		return
	}
	r.promote(m, why)
}

// lose asks again for what our side lost, which the next call of doubt does, or gives it up.
func (r *championship) lose(t *task, err error) {
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
		what = "it does not become champion"
	}
	r.journal.send(Event{Kind: KindSkip, Family: r.pop.familyName(t), ID: m.id,
		Note: "its trial was lost too often: " + what})
}

// load takes up trials of earlier sessions. What is missing of a champion's trial is tried in this one.
func (r *championship) load(keep keeper) error {
	all, err := keep.Trials()
	if err != nil {
		return err
	}
	history, err := keep.Champions()
	if err != nil {
		return err
	}
	r.restoreLast(history)
	r.trials.load(all, history, r.pop, r.champion())
	return nil
}

// restoreLast makes the one champion that was stored as such last: a search that was killed before its next checkpoint
// has one of which the checkpoint does not know.
func (r *championship) restoreLast(history []store.Champion) {
	if len(history) == 0 {
		return
	}
	if m := r.pop.member(history[len(history)-1].ID); m != nil && m != r.champion() {
		r.setChampion(m)
	}
}

// standing is the champion's, empty where nobody doubts it.
func (r *championship) standing() kernels.Standing {
	return r.standingOf(r.champion(), r.pop.start())
}
