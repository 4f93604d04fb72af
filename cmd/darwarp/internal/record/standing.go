package record

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
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

// Challenges are the duels that a candidate has fought with champions, the first one first.
func (r *Record) Challenges(c kernels.Candidate) ([]kernels.Duel, error) {
	all, err := r.Duels()
	return slices.DeleteFunc(all, func(d kernels.Duel) bool {
		return d.Challenger != c.ID.Short() || d.ChampionKind != kernels.CandidateName
	}), err
}

// Fought are the last duels of candidates with the champion that said something under the weights of today, by the
// challenger's short ID.
func (r *Record) Fought() (map[string]kernels.Duel, error) {
	champion, ok := r.Champion()
	checkpoint, err := r.Checkpoint()
	if err != nil {
		return nil, err
	}
	steering, err := evolve.ReadSteering(checkpoint)
	if err != nil {
		return nil, err
	}
	all, err := r.Duels()
	last := map[string]kernels.Duel{}
	for _, d := range all[min(steering.Void, len(all)):] {
		if ok && !d.WithBaseline() && d.Champion == champion.Short() && d.Lo > 0 && d.Ratio > 0 {
			last[d.Challenger] = d
		}
	}
	return last, err
}

// Budget is that of a run's last session, with what was added to it.
func Budget(run *store.Run) (store.Budget, error) {
	checkpoint, err := run.Checkpoint()
	if err != nil {
		return store.Budget{}, err
	}
	steering, err := evolve.ReadSteering(checkpoint)
	return store.Budget(steering.InForce(evolve.Budget(run.Meta().Budget))), err
}

// ChallengeText is how they ended. A candidate that was measured faster than the champion and has fought none is told
// so: only a duel makes a champion.
func (r *Record) ChallengeText(c kernels.Candidate) (string, error) {
	duels, err := r.Challenges(c)
	var lines []string
	for i := range duels {
		lines = append(lines, figures.Duel(&duels[i]))
	}
	champion, ok := r.Champion()
	if err != nil || len(lines) > 0 || !ok || c.Result.Outcome != kernels.OK || c.ID == champion {
		return strings.Join(lines, "; "), err
	}
	if m, err := r.Get(champion); err != nil || c.Score >= m.Score {
		return "", err
	}
	return fmt.Sprintf("none: it was measured faster than the champion %s, within its noise or too late to challenge",
		champion.Short()), nil
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
		return fmt.Sprintf("%s: nothing was tried yet: %s", word,
			cmdline.Of("verify", r.Path(), c.ID.Short(), "--trial"))
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
