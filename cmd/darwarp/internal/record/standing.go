package record

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Standing is a candidate's trial with a word on it for whoever reigns; the word is empty where there is nothing to
// doubt it with, or by: of recordings, and of the naive start.
func (r *Record) Standing(c kernels.Candidate) (t kernels.Trial, word string) {
	t, err := r.Trial(c.ID)
	if err != nil || r.Meta().Device.Kind == "replay" || c.Origin.Operator == kernels.NaiveStart && len(t.Parts) == 0 {
		return t, ""
	}
	return t, string(t.Standing())
}

// FallenError refuses a candidate that fell on trial where only one that is believed will do.
func (r *Record) FallenError(c kernels.Candidate) error {
	t, err := r.Trial(c.ID)
	if err != nil {
		return err
	}
	if f := t.Fault(); f != nil {
		return exit.Usagef("candidate %s failed its trial (%s): %s", c.ID.Short(), f.Part, report.FirstLine(f.Detail))
	}
	return nil
}

// TrialText is one line for whoever is shown with its trial; empty where there is none to speak of.
func (r *Record) TrialText(c kernels.Candidate) string {
	t, word := r.Standing(c)
	champion, _ := r.Champion()
	if word == "" || len(t.Parts) == 0 && c.ID != champion {
		return ""
	}
	if len(t.Parts) == 0 {
		return fmt.Sprintf("%s: nothing was tried yet: darwarp verify %s %s --trial", word, r.Path(), c.ID.Short())
	}
	return t.Text()
}

// ChampionNote says where the champion stands, after other words; empty where there is nothing to say.
func (r *Record) ChampionNote(after string, id kernels.ID) string {
	c, err := r.Get(id)
	if err != nil {
		return ""
	}
	switch _, word := r.Standing(c); word {
	case "":
		return ""
	case string(kernels.Stood):
		return after + "has passed its trial"
	case string(kernels.Fell):
		return after + "failed its trial"
	default:
		return after + "is " + word
	}
}
