package evolve

import (
	"fmt"
	"time"

	"darwarp/kernels"
)

// Doing is a duel, or parts of a trial, that go on beside the candidates.
type Doing struct {
	What    string              `json:"what"`             // duel or trial
	ID      kernels.ID          `json:"id"`               // the challenger, or the one on trial
	Against kernels.ID          `json:"against,omitzero"` // the champion, of a duel
	Score   float64             `json:"score,omitempty"`  // of ID, at the pace of the champion's speedup
	Parts   []kernels.TrialPart `json:"parts,omitempty"`  // of a trial
	Step    string              `json:"step,omitempty"`   // how far it is
	Took    time.Duration       `json:"took"`             // ns until now
}

// String names it: "duel of 24.93x d4c57e11dc with ae268179ee (fresh, 3 pairs)".
func (d Doing) String() string {
	text := d.What + " of "
	if d.Score > 0 {
		text += fmt.Sprintf("~%.2fx ", 1/d.Score)
	}
	text += d.ID.Short()
	if !d.Against.IsZero() {
		text += " with " + d.Against.Short()
	}
	switch {
	case d.Step != "":
		text += " (" + d.Step + ")"
	case len(d.Parts) > 0:
		text += " (" + partNames(d.Parts) + ")"
	}
	return text
}

// doing is what goes on beside the candidates. Where time is simulated it takes none.
func (s *Search) doing() (all []Doing) {
	if s.clock.simulated {
		return nil
	}
	for _, t := range s.queue.waiting() {
		if t.watch == nil || t.withdrawn || t.dropped || !t.isDuel() && t.purpose != forTrial {
			continue
		}
		d := Doing{What: "duel", ID: t.Challenger, Against: t.Champion, Step: t.watch.Step(), Took: time.Since(t.asked)}
		if t.purpose == forTrial {
			d.What, d.ID, d.Parts = "trial", t.doubts.id, t.parts
		}
		if m := s.pop.member(d.ID); m != nil {
			d.Score = s.championship.pace().Score(m.score)
		}
		all = append(all, d)
	}
	return all
}
