package evolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"darwarp/kernels"
)

// stateVersion is raised when a checkpoint means something else than before.
const stateVersion = 2

// maxSample bounds the points of a sample that are still to be asked for: far more than any search spreads.
const maxSample = 1 << 16

// state is a checkpoint: with the stored candidates it is the whole search.
type state struct {
	Version  int          `json:"version"`
	Strategy string       `json:"strategy"`
	Seed     uint64       `json:"seed"`
	Spaces   []spaceState `json:"spaces"`
	RNG      []byte       `json:"rng"`
	Progress progress     `json:"progress"`
	Sample   int          `json:"sample"`
	unfinished
	Champion kernels.ID    `json:"champion,omitzero"`
	Beaten   []kernels.ID  `json:"beaten,omitempty"`
	Elapsed  time.Duration `json:"elapsed"`
	Hints    []Hint        `json:"hints,omitempty"`
	Credit   credit        `json:"purse,omitzero"`
	Steering *Steering     `json:"steering,omitempty"`
	Settled  bool          `json:"settled,omitempty"` // nothing is left but to try new candidates
}

// unfinished is what the search was at when the checkpoint was written.
type unfinished struct {
	Pending []*task                `json:"pending,omitempty"`
	Waiting []*task                `json:"waiting,omitempty"` // proposals of language models
	Threads map[kernels.ID]*thread `json:"threads,omitempty"` // conversations about proposals without a verdict
	Repairs []*thread              `json:"repairs,omitempty"` // and those to go on with
}

type spaceState struct {
	Family string `json:"family"`
	Points int    `json:"points"`
}

// state is the checkpoint of this moment.
func (s *Search) state() []byte {
	st := state{
		Version: stateVersion, Strategy: s.cfg.Strategy, Seed: s.cfg.Seed, Elapsed: s.clock.elapsed(),
		unfinished: unfinished{Pending: s.unanswered()}, Steering: s.steering.checkpoint(), Settled: s.settled(),
	}
	s.proposer.save(&st)
	s.pop.save(&st)
	s.advice.save(&st)
	s.championship.save(&st)
	b, err := json.Marshal(st)
	if err != nil { // numbers were made finite before they came here
		panic(err)
	}
	return b
}

// resume takes up a checkpoint and the candidates that are stored.
func (s *Search) resume(keep keeper) error {
	data, err := keep.Checkpoint()
	if err != nil || data == nil {
		return err
	}
	var st state
	if err := json.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := st.fits(&s.cfg, s.pop); err != nil {
		return err
	}
	if err := s.proposer.takeUp(st.RNG); err != nil {
		return err
	}
	s.pop.newDemes(s.cfg.Spaces, st.Hints)
	if err := s.takeUpSteering(st.Steering); err != nil {
		return err
	}
	if err := s.load(keep, st.Progress.EpochSeen); err != nil {
		return err
	}
	if err := s.restore(&st); err != nil {
		return err
	}
	if err := s.championship.load(keep); err != nil {
		return err
	}
	return s.takeUpInsights(keep)
}

// fits refuses a checkpoint of another search: points are kept as indices.
func (st *state) fits(cfg *Config, pop *population) error {
	if st.Version != stateVersion {
		return fmt.Errorf("the checkpoint has version %d: this darwarp reads %d", st.Version, stateVersion)
	}
	if st.Strategy != cfg.Strategy || st.Seed != cfg.Seed {
		return fmt.Errorf("the run was started with strategy %s and seed %d: resume it with the same",
			st.Strategy, st.Seed)
	}
	if now := pop.spaces(); !slices.Equal(now, st.Spaces) {
		return fmt.Errorf("the run was started on spaces %v, here they are %v: another device or other pins",
			st.Spaces, now)
	}
	if st.Sample < 0 || st.Sample > maxSample || st.Elapsed < 0 {
		return fmt.Errorf("the checkpoint has a sample of %d points after %s: expected 0 to %d", st.Sample, st.Elapsed,
			maxSample)
	}
	for _, t := range slices.Concat(st.Pending, st.Waiting) {
		if err := pop.check(t); err != nil {
			return err
		}
	}
	return st.Progress.checkPassed(pop)
}

// takeUpSteering brings what was asked of earlier sessions into force, before the candidates are loaded.
func (s *Search) takeUpSteering(asked *Steering) error {
	if err := s.steering.takeUp(asked, s.pop); err != nil {
		return err
	}
	s.cfg.Budget = s.steering.budget(s.cfg.Budget)
	if s.steering.weighed() > 0 {
		return s.useWeights(asked.Weights)
	}
	return nil
}

// load enters what is stored. The last epoch began when so many points were judged.
func (s *Search) load(keep keeper, epoch int) error {
	err := keep.Each(func(c kernels.Candidate) error {
		s.clock.follow(c.At)
		s.loadCandidate(&c, epoch)
		return nil
	})
	if err != nil {
		return err
	}
	duels, err := keep.Duels()
	if err != nil {
		return err
	}
	s.championship.takeUp(duels, s.steering.void())
	return nil
}

// loadCandidate enters a stored candidate, with its score under the weights in force. Of families that are not searched
// it counts as asked for and no more.
func (s *Search) loadCandidate(c *kernels.Candidate, epoch int) {
	d, index, ok := s.pop.of(&c.Variant)
	if !ok {
		s.pop.note(c.ID)
		return
	}
	s.pop.beginEpoch(epoch)
	if s.steering.weighed() > 0 && s.pop.started() && c.Result.Outcome == kernels.OK {
		c.Score = s.pop.rescored(c)
	}
	s.admit(c, d, index)
}

// restore goes on where the checkpoint was made.
func (s *Search) restore(st *state) error {
	s.pop.beginEpoch(st.Progress.EpochSeen)
	s.progress.takeUp(st.Progress, st.Sample)
	s.queue.takeUp(st.Pending)
	s.advice.restore(st)
	s.clock.takeUp(st.Elapsed)
	s.pop.restore(st)
	for _, t := range slices.Concat(st.Pending, st.Waiting, s.steering.waiting()) {
		s.pop.claimPoint(t)
	}
	s.progress.claimPassed(s.pop)
	return s.championship.restore(st, s.pop)
}
