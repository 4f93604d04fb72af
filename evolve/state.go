package evolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// stateVersion is raised when a checkpoint means something else than before.
const stateVersion = 2

// progress is where the search stands, as far as stored candidates do not say it themselves.
type progress struct {
	Evals      int      `json:"evals"`     // verdicts, duplicates not counted
	Best       float64  `json:"best"`      // lowest score measured, 0 none
	LastGain   int      `json:"last_gain"` // Evals when Best was found
	Epoch      int      `json:"epoch"`
	EpochStart int      `json:"epoch_start"` // Evals when it began
	EpochSeen  int      `json:"epoch_seen"`  // judged points when it began
	Duels      int      `json:"duels"`
	Lost       int      `json:"lost"`             // verdicts that were lost
	Passed     [][2]int `json:"passed,omitempty"` // space and index of points without a verdict

	sample   int // points of the first sample still to ask for
	outcomes map[kernels.Outcome]int
}

// afresh says that only what was found in this epoch is bred from.
func (p *progress) afresh() bool { return p.Epoch%2 == 1 }

func (p *progress) count(o kernels.Outcome) {
	if p.outcomes == nil {
		p.outcomes = map[kernels.Outcome]int{}
	}
	p.outcomes[o]++
	if o != kernels.Duplicate {
		p.Evals++
	}
}

// state is a checkpoint: with the stored candidates it is the whole search.
type state struct {
	Version  int           `json:"version"`
	Strategy string        `json:"strategy"`
	Seed     uint64        `json:"seed"`
	Spaces   []spaceState  `json:"spaces"`
	RNG      []byte        `json:"rng"`
	Progress progress      `json:"progress"`
	Sample   int           `json:"sample"`
	Pending  []*flight     `json:"pending,omitempty"`
	Waiting  []*flight     `json:"waiting,omitempty"` // proposals of language models
	Threads  threads       `json:"threads,omitempty"` // conversations about proposals without a verdict
	Repairs  []*thread     `json:"repairs,omitempty"` // and those to go on with
	Champion kernels.ID    `json:"champion,omitzero"`
	Beaten   []kernels.ID  `json:"beaten,omitempty"`
	Elapsed  time.Duration `json:"elapsed"`
	Hints    []Hint        `json:"hints,omitempty"`
	Purse    purse         `json:"purse,omitzero"`
	Steering *Steering     `json:"steering,omitempty"`
}

type spaceState struct {
	Family string `json:"family"`
	Points int    `json:"points"`
}

func (s *Search) spaceStates() []spaceState {
	var out []spaceState
	for _, d := range s.demes {
		out = append(out, spaceState{d.space.Family.Name, d.space.Len()})
	}
	return out
}

// state is the checkpoint of this moment.
func (s *Search) state() []byte {
	rng, err := s.pcg.MarshalBinary()
	if err != nil { // never fails
		panic(err)
	}
	st := state{
		Version: stateVersion, Strategy: s.cfg.Strategy, Seed: s.cfg.Seed, Spaces: s.spaceStates(), RNG: rng,
		Progress: s.progress, Sample: s.progress.sample, Pending: s.unanswered(), Waiting: s.counsel.waiting,
		Threads: s.counsel.threads, Repairs: slices.Concat(s.counsel.pursued, s.counsel.repairs), Elapsed: s.clock.elapsed(),
		Hints: s.hints, Purse: s.purse,
	}
	if len(s.steering.Log) > 0 {
		st.Steering = &s.steering
	}
	if s.champion != nil {
		st.Champion = s.champion.id
	}
	for id := range s.beaten {
		st.Beaten = append(st.Beaten, id)
	}
	b, err := json.Marshal(st)
	if err != nil { // numbers were made finite before they came here
		panic(err)
	}
	return b
}

// resume takes up a checkpoint and the candidates that are stored.
func (s *Search) resume() error {
	data, err := s.keep.Checkpoint()
	if err != nil || data == nil {
		return err
	}
	var st state
	if err := json.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := s.fits(&st); err != nil {
		return err
	}
	if err := s.pcg.UnmarshalBinary(st.RNG); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	s.inhabit(st.Hints)
	if err := s.takeUp(st.Steering); err != nil {
		return err
	}
	s.progress.EpochSeen = st.Progress.EpochSeen
	if err := s.keep.Each(s.recall); err != nil {
		return err
	}
	duels, err := s.keep.Duels()
	if err != nil {
		return err
	}
	s.duels = len(duels)
	for _, d := range duels[min(s.steering.Void, len(duels)):] {
		s.fought[[2]string{d.Champion, d.Challenger}] = d
	}
	return s.restore(&st)
}

// fits refuses a checkpoint of another search: points are kept as indices.
func (s *Search) fits(st *state) error {
	if st.Version != stateVersion {
		return fmt.Errorf("the checkpoint has version %d: this darwarp reads %d", st.Version, stateVersion)
	}
	if st.Strategy != s.cfg.Strategy || st.Seed != s.cfg.Seed {
		return fmt.Errorf("the run was started with strategy %s and seed %d: resume it with the same", st.Strategy, st.Seed)
	}
	now := s.spaceStates()
	same := len(now) == len(st.Spaces)
	for i := 0; same && i < len(now); i++ {
		same = now[i] == st.Spaces[i]
	}
	if !same {
		return fmt.Errorf("the run was started on spaces %v, here they are %v: another device or other pins", st.Spaces, now)
	}
	for _, f := range slices.Concat(st.Pending, st.Waiting) {
		if err := s.checkFlight(f); err != nil {
			return err
		}
	}
	for _, p := range st.Progress.Passed {
		if p[0] < 0 || p[0] >= len(s.demes) || p[1] < -1 || p[1] >= s.demes[p[0]].space.Len() {
			return errors.New("the checkpoint passes over a point that is not there")
		}
	}
	return nil
}

func (s *Search) checkFlight(f *flight) error {
	if f != nil && f.Space == own {
		return checkOwn(f)
	}
	if f == nil || f.Space < 0 || f.Space >= len(s.demes) || f.Index < -1 || f.Index >= s.demes[f.Space].space.Len() {
		return errors.New("the checkpoint asks for a point that is not there")
	}
	return nil
}

// recall enters a stored candidate. Points of families that are not searched count as seen and no more.
func (s *Search) recall(c kernels.Candidate) error {
	if c.At.After(s.clock.latest) {
		s.clock.latest = c.At
	}
	for i, d := range s.demes {
		if c.Variant.Family != d.space.Family.Name {
			continue
		}
		index := -1
		if p, err := d.space.Point(c.Variant.Genes); err == nil {
			if at, ok := d.space.Index(p); ok {
				index = at
			}
		}
		s.forget()
		s.recallAt(&c, i, index)
		return nil
	}
	if c.Variant.Family == "" {
		s.recallAt(&c, own, -1)
		return nil
	}
	s.ids[c.ID] = true
	return nil
}

// recallAt enters a stored candidate of a space, with its score under the weights in force.
func (s *Search) recallAt(c *kernels.Candidate, space, index int) {
	if s.steering.Weighed > 0 && s.naive != nil && c.Result.Outcome == kernels.OK {
		c.Score = s.anew(c)
	}
	s.admit(c, space, index)
}

// forget empties the epoch's population where the last epoch began.
func (s *Search) forget() {
	if n := s.progress.EpochSeen; n > 0 && n == s.seen() {
		for _, d := range s.demes {
			d.fresh = nil
		}
	}
}

func (s *Search) restore(st *state) error {
	s.forget()
	outcomes := s.progress.outcomes
	s.progress = st.Progress
	s.progress.sample, s.progress.outcomes = st.Sample, outcomes
	s.queue.pending, s.counsel.waiting = st.Pending, st.Waiting
	s.takeUpThreads(st)
	s.clock.before = st.Elapsed
	s.purse = st.Purse
	for _, f := range slices.Concat(st.Pending, st.Waiting, s.steering.Injected) {
		s.learnPoint(f.Space, f.Index)
	}
	for _, p := range st.Progress.Passed {
		s.demes[p[0]].learn(p[1])
	}
	for _, id := range st.Beaten {
		s.beaten[id] = true
	}
	if st.Champion.IsZero() {
		return nil
	}
	if s.champion = s.working[st.Champion]; s.champion == nil {
		return fmt.Errorf("the checkpoint's champion %s is not in the run", st.Champion.Short())
	}
	return s.recallTrials()
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) Put(*kernels.Candidate, []byte) error             { return nil }
func (nowhere) PutCheckpoint([]byte) error                       { return nil }
func (nowhere) Checkpoint() ([]byte, error)                      { return nil, nil }
func (nowhere) Each(func(kernels.Candidate) error) error         { return nil }
func (nowhere) PutProvenance(kernels.Provenance) (string, error) { return "", nil }
func (nowhere) Weigh([]kernels.Workload, func(*kernels.Candidate) float64, []byte) error {
	return nil
}
func (nowhere) Grow(map[string][]byte, []byte) error   { return nil }
func (nowhere) PutDuel(kernels.Duel) error             { return nil }
func (nowhere) Duels() ([]kernels.Duel, error)         { return nil, nil }
func (nowhere) SetChampion(kernels.ID, string) error   { return nil }
func (nowhere) PutExchange(kernels.Exchange) error     { return nil }
func (nowhere) Exchanges() ([]kernels.Exchange, error) { return nil, nil }
func (nowhere) Insights() ([]kernels.Insight, error)   { return nil, nil }
func (nowhere) Champion() (kernels.ID, bool)           { return kernels.ID{}, false }
func (nowhere) Champions() ([]store.Champion, error)   { return nil, nil }
func (nowhere) PutTrial(kernels.Trial) error           { return nil }
func (nowhere) Trials() ([]kernels.Trial, error)       { return nil, nil }
func (nowhere) Fell(kernels.Trial, kernels.ID, string, []byte) (kernels.Candidate, error) {
	return kernels.Candidate{}, nil
}
