package evolve

import (
	"strings"

	"darwarp/kernels"
	"fmt"
)

// candidate stores a candidate with the state after it.
func (j *journal) candidate(c kernels.Candidate) {
	state := j.state()
	j.save(func() error {
		if err := j.keep.Put(&c, state); err != nil {
			return err
		}
		j.send(Event{Kind: KindResult, Candidate: &c, ID: c.ID, Family: c.Variant.Family, Score: c.Score})
		return nil
	})
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

// hasChampion is false where a run was killed between its first verdict and the coronation.
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

// fall stores that a candidate fell on trial, and who reigns again where it reigned: one operation, so that no run
// is left with a champion that fell.
func (j *journal) fall(t kernels.Trial, heir kernels.ID, score float64, why string) {
	state := j.state()
	j.save(func() error {
		c, err := j.keep.Fell(t, heir, why, state)
		if err != nil {
			return err
		}
		j.send(Event{Kind: KindTrial, ID: t.ID, Candidate: &c, Trial: &t, Note: "fell: " + c.Result.Detail})
		if !heir.IsZero() {
			j.send(Event{Kind: KindChampion, ID: heir, Score: score, Note: why})
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

// provenance stores what this session's figures stand on.
func (j *journal) provenance(p kernels.Provenance) (err error) {
	j.key, err = j.keep.PutProvenance(p)
	return err
}
