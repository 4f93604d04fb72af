package evolve

import (
	"strings"

	"darwarp/kernels"
	"fmt"
)

// candidate stores a candidate with the state after it. Candidates in a row are stored together.
func (j *journal) candidate(c kernels.Candidate) {
	e := Event{Kind: KindResult, Candidate: &c, ID: c.ID, Family: c.Variant.Family, Score: c.Score}
	if j.figures(&e); j.group == nil {
		g := &group{}
		j.saves = append(j.saves, func() error { return g.store(j) })
		j.group = g
	}
	j.group.verdicts = append(j.group.verdicts, e)
}

// group is verdicts that came together: each is in the file before it is told, and the file is synced once.
type group struct {
	verdicts []Event
	state    []byte     // after the last
	stored   chan error // what came of storing it beside the loop; nil: that was not begun
	later    []Event    // told meanwhile
}

// begin stores the group beside the loop.
func (g *group) begin(keep keeper) {
	g.stored = make(chan error, 1)
	go func() { g.stored <- g.put(keep) }()
}

func (g *group) put(keep keeper) error {
	var all []*kernels.Candidate
	for _, e := range g.verdicts {
		all = append(all, e.Candidate)
	}
	return keep.PutAll(all, g.state)
}

// store stores the group, or waits until it is, and tells it.
func (g *group) store(j *journal) (err error) {
	if g.stored == nil {
		err = g.put(j.keep)
	} else {
		err = <-g.stored
		g.stored, j.beside = nil, nil
	}
	if err != nil {
		return err
	}
	for _, e := range append(g.verdicts, g.later...) {
		j.tellNow(e)
	}
	return nil
}

// duel tells a duel, and stores it unless it is stored already.
func (j *journal) duel(challenger kernels.ID, d kernels.Duel, stored bool) {
	if !stored {
		j.save(func() error { return j.keep.PutDuel(d) })
	}
	j.save(func() error {
		j.send(Event{Kind: KindDuel, ID: challenger, Duel: &d,
			Note: strings.TrimSuffix(string(d.Verdict)+": "+d.Detail, ": ")})
		return nil
	})
}

// pace stores and tells how much faster than the naive start the champion is now.
func (j *journal) pace(champion kernels.ID, d kernels.Duel) {
	j.save(func() error {
		if err := j.keep.PutDuel(d); err != nil {
			return err
		}
		j.send(Event{Kind: KindPace, ID: champion, Duel: &d})
		return nil
	})
}

// champion stores a new champion.
func (j *journal) champion(m *member, why string) {
	j.save(func() error {
		if id, ok := j.keep.Champion(); !ok || id != m.id {
			if err := j.keep.SetChampion(m.id, why); err != nil {
				return err
			}
		}
		j.send(Event{Kind: KindChampion, ID: m.id, Score: m.score, Note: why})
		return nil
	})
}

// hasChampion is false where a run was killed between its first verdict and its first champion.
func (j *journal) hasChampion() bool { _, ok := j.keep.Champion(); return ok }

// trial stores and tells the parts that a would-be champion stood.
func (j *journal) trial(known kernels.Trial, note string) {
	j.save(func() error {
		if err := j.keep.PutTrial(known); err != nil {
			return err
		}
		j.send(Event{Kind: KindTrial, ID: known.ID, Trial: &known, Note: note})
		return nil
	})
}

// fall stores that a candidate fell on trial, and who is champion again where it was: one operation, so that no run
// is left with a champion that fell.
func (j *journal) fall(t kernels.Trial, successor kernels.ID, score float64, why string) {
	state := j.state()
	j.save(func() error {
		c, err := j.keep.Fell(t, successor, why, state)
		if err != nil {
			return err
		}
		j.send(Event{Kind: KindTrial, ID: t.ID, Candidate: &c, Trial: &t, Note: "fell: " + c.Result.Detail})
		if !successor.IsZero() {
			j.send(Event{Kind: KindChampion, ID: successor, Score: score, Note: why})
		}
		return nil
	})
}

// family stores a language model's family, with the state in which its default waits.
func (j *journal) family(files map[string][]byte, e Event) {
	state := j.state()
	j.save(func() error {
		if err := j.keep.Grow(files, state); err != nil {
			return err
		}
		j.send(e)
		return nil
	})
}

// exchange stores what a language model was asked, and tells it without the texts.
func (j *journal) exchange(e kernels.Exchange) {
	j.save(func() error {
		if err := j.keep.PutExchange(e); err != nil {
			return err
		}
		short := e
		short.Asked, short.Reply = nil, ""
		j.send(Event{Kind: KindAdvice, Exchange: &short, Note: adviceNote(&short)})
		return nil
	})
}

func adviceNote(e *kernels.Exchange) string {
	switch {
	case e.Failed != "":
		return e.Arm + " failed: " + e.Failed
	case e.Refused != "" && len(e.Proposed) == 0:
		return e.Arm + " refused: " + e.Refused
	}
	if e.Family != "" {
		return fmt.Sprintf("%s proposed family %s", e.Arm, e.Family)
	}
	return fmt.Sprintf("%s proposed %d", e.Arm, len(e.Proposed))
}

// command stores that a command was done, tells it, and answers.
func (j *journal) command(put func(k keeper, state []byte) error, e Event, answer func()) {
	state := j.state()
	j.save(func() error {
		if err := put(j.keep, state); err != nil {
			return err
		}
		if e.Note != "" {
			j.send(e)
		}
		answer()
		return nil
	})
}

// provenances stores what this session's figures stand on, on each device where there are several.
func (j *journal) provenances(ev Evaluator) error {
	if of := ev.Capabilities().Provenances; of != nil {
		for _, p := range of() {
			if err := j.provenance(p); err != nil {
				return err
			}
		}
	}
	return j.provenance(ev.Provenance())
}

// provenance stores what this session's figures stand on.
func (j *journal) provenance(p kernels.Provenance) (err error) {
	j.key, err = j.keep.PutProvenance(p)
	j.proofs[j.key] = true
	return err
}

// storeProvenance stores what a verdict stands on before the verdict, where that is a device which joined during the
// search.
func (j *journal) storeProvenance(ev Evaluator, key string) {
	if j.proofs[key] {
		return
	}
	j.proofs[key] = true // also where nobody knows of it: it is asked once
	j.save(func() error { return j.provenances(ev) })
}
