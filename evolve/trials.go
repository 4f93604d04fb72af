package evolve

import (
	"context"
	"slices"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// tryer holds a would-be champion against more than every candidate is: kernels.Capabilities.Trial.
type tryer func(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error)

// slowTrialAfter is how long somebody is champion before what takes long is begun beside the search: the first
// champions of a search follow each other within seconds.
const slowTrialAfter = 20 * time.Second

// trials is what the search knows of would-be champions. The winner of a duel is a successor until it has stood the
// quick parts, so that most of what is wrong never becomes champion; the slow parts follow while it does, of one
// champion at a time; and all that is missing of the last one at the end.
type trials struct {
	tryer        tryer // nil: there are no trials
	known        map[kernels.ID]kernels.Trial
	predecessors []*member          // who was champion before the champion, in order
	successor    *member            // nil: none
	why          string             // the successor becomes champion
	since        time.Duration      // when the champion became it, by the search's clock
	after        time.Duration      // the slow parts begin so long after that
	quick        *task              // a successor's trial that is going on
	slow         []*task            // parts of a champion's
	lost         map[kernels.ID]int // attempts
	waited       bool               // it was said that the search's end waits

	ctx    context.Context // of what is being tried
	cancel context.CancelFunc
}

func newTrials(work context.Context, tryer tryer) *trials {
	ctx, cancel := context.WithCancel(work)
	return &trials{
		ctx: ctx, cancel: cancel, tryer: tryer, known: map[kernels.ID]kernels.Trial{}, lost: map[kernels.ID]int{},
		after: slowTrialAfter,
	}
}

// canDoubt reports whether anybody can be doubted.
func (t *trials) canDoubt() bool { return t.tryer != nil }

// try asks the evaluator, beside the loop.
func (t *trials) try(ctx context.Context, x *task) (kernels.Trial, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	return t.tryer(ctx, x.job, x.parts...)
}

// skipTrials ends what is being tried: nobody waits for it any more.
func (t *trials) skipTrials()         { t.cancel() }
func (t *trials) trialsSkipped() bool { return t.ctx.Err() != nil }

// of is what is known of a candidate.
func (t *trials) of(id kernels.ID) kernels.Trial { return t.known[id] }

// missing are those of some parts that a candidate was not tried by.
func (t *trials) missing(m *member, parts []kernels.TrialPart) []kernels.TrialPart {
	return t.known[m.id].Missing(parts)
}

// fell reports whether one of some candidates fell on trial.
func (t *trials) fell(ids ...kernels.ID) bool {
	return slices.ContainsFunc(ids, func(id kernels.ID) bool { return t.known[id].Standing() == kernels.Fell })
}

// mayTryChampion reports whether a champion may be tried: nobody is to follow it, and it is not tried already.
func (t *trials) mayTryChampion() bool { return t.successor == nil && len(t.slow) == 0 }

// partsInFlight is how many of the answers that are not in are parts of a champion's trial.
func (t *trials) partsInFlight() int { return len(t.slow) }

// firstFree is the first of some parts that can go on beside what is going on: the source is emulated on the processor,
// all else takes the device.
func (t *trials) firstFree(parts []kernels.TrialPart) []kernels.TrialPart {
	emulated := func(p kernels.TrialPart) bool { return p == kernels.TrialEmulated }
	at := slices.IndexFunc(parts, func(p kernels.TrialPart) bool {
		return !slices.ContainsFunc(t.slow, func(x *task) bool { return emulated(x.parts[0]) == emulated(p) })
	})
	if at < 0 {
		return nil
	}
	return parts[at : at+1]
}

// exhausted reports whether a member's trial was lost too often.
func (t *trials) exhausted(m *member) bool { return t.lost[m.id] >= attempts }

// champions are the parts of the champion's trial that follow next, soon where time runs out. One that was champion
// before there were trials has not stood the quick ones.
func (t *trials) champions(m *member, now time.Duration, soon bool) []kernels.TrialPart {
	if now-t.since < t.after && !soon {
		return nil
	}
	if quick := t.missing(m, kernels.QuickTrial); len(quick) > 0 {
		return quick
	}
	return t.missing(m, kernels.SlowTrial)
}

// beginTrial notes a task: of the successor, or of the champion.
func (t *trials) beginTrial(x *task) {
	if x.doubts == t.successor {
		t.quick = x
	} else {
		t.slow = append(t.slow, x)
	}
}

// endTrial notes that a task has its answer.
func (t *trials) endTrial(x *task) {
	if x == t.quick {
		t.quick = nil
	} else {
		t.slow = slices.DeleteFunc(t.slow, func(o *task) bool { return o == x })
	}
}

// waitForTrial notes that the search's end waits; first is true once. waitNoMore notes that it does not any more.
func (t *trials) waitForTrial() (first bool) {
	first, t.waited = !t.waited, true
	return first
}
func (t *trials) waitsForTrial() bool { return t.waited }
func (t *trials) waitNoMore()         { t.waited = false }

// enter takes what came of parts of a member's trial. missing reports parts without a verdict, where none failed.
func (t *trials) enter(x *task, found kernels.Trial) (known kernels.Trial, missing bool) {
	known = t.known[x.doubts.id]
	known.ID = x.doubts.id
	known.Enter(validateDoubts(found.Parts)...)
	known.At, known.Provenance = found.At, found.Provenance
	if missing = known.Fault() == nil && len(known.Missing(x.parts)) > 0; !missing {
		t.known[known.ID] = known
	}
	return known, missing
}

// enterFault enters what a duel has found out.
func (t *trials) enterFault(id kernels.ID, d *kernels.Duel, proof string, at time.Time) kernels.Trial {
	known := t.known[id]
	known.ID, known.Provenance, known.At = id, proof, at
	known.Enter(kernels.Doubt{
		Part: kernels.TrialDuel, Verdict: kernels.Failed, Outcome: d.Outcome, Detail: kernels.CleanDetail(d.Detail),
	})
	t.known[id] = known
	return known
}

// retry counts an attempt that our side lost. What was lost several times is given up: a successor does not become
// champion, a champion stays on trial.
func (t *trials) retry(m *member) (attempt int, dropped bool) {
	t.lost[m.id]++
	attempt = t.lost[m.id]
	if dropped = attempt >= attempts && m == t.successor; dropped {
		t.successor = nil
		delete(t.lost, m.id)
	}
	return attempt, dropped
}

// standingOf is a champion's, empty where nobody can doubt it. The naive start is never doubted: it is what all
// others are held against.
func (t *trials) standingOf(m, naive *member) kernels.Standing {
	if !t.canDoubt() || m == nil || m == naive {
		return ""
	}
	return t.known[m.id].Standing()
}

// load takes the trials of earlier sessions, and who was champion before whom.
func (t *trials) load(all []kernels.Trial, history []store.Champion, pop *population, champion *member) {
	for _, known := range all {
		t.known[known.ID] = known
	}
	t.predecessors = predecessorsOf(history, pop, champion)
}
