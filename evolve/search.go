// Package evolve is the search: one loop that proposes candidates, takes verdicts, keeps a population
// and a champion, and stores everything as it comes.
package evolve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/store"
	"darwarp/templates"
)

// Evaluator gives verdicts. Evaluate and Duel are called from many goroutines, and must return soon
// after their context ends.
type Evaluator interface {
	Device() kernels.Device
	// Slots is how many Evaluate calls are kept in flight.
	Slots() int
	// InOrder says that results are taken in the order of asking, so that a seed fixes the run.
	InOrder() bool
	// Evaluate fails only when darwarp itself is broken: what a candidate does wrong is its Outcome.
	Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error)
	// Duel compares two candidates in turn.
	Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error)
	Provenance() kernels.Provenance
}

// Simulated is what an Evaluator may also be: one whose time passes as its results' costs say, divided
// by its slots, and not by the clock on the wall.
type Simulated interface{ Simulated() bool }

// Budget bounds a search. Zero fields bound nothing.
type Budget struct {
	Evals int           `json:"evals,omitempty"` // verdicts, duplicates not counted
	For   time.Duration `json:"for,omitempty"`   // ns elapsed over all sessions of the run
	Stall int           `json:"stall,omitempty"` // verdicts in a row without a faster candidate
}

// Config is what to search.
type Config struct {
	Bundle    *templates.Bundle
	DType     kernels.DType
	Workloads []kernels.Workload
	Spaces    []*kernels.Space // one per family; the default of the first is the naive start
	Objective kernels.Objective
	Portfolio int    // candidates that are the best at one workload are bred from too: more than 1 kernel is wanted
	Strategy  string // one of Strategies; empty is DefaultStrategy
	Seed      uint64
	Budget    Budget
	Hints     []Hint       // what another run found out; a run that is resumed keeps its own
	Advisor   Advisor      // proposes too; nil: none
	GenesOnly bool         // the evaluator judges points of the spaces and nothing else: recordings
	Log       *slog.Logger // nil: nothing is logged

	// Job gives the job of a space's point, the default's for -1; nil: it is rendered from Bundle. Where many
	// searches of one recording are scored they share the rendering. It is called by the search alone.
	Job func(space, index int) (kernels.Job, error)
}

// keeper is the store as the search uses it.
type keeper interface {
	Put(c *kernels.Candidate, checkpoint []byte) error
	PutCheckpoint(state []byte) error
	Checkpoint() ([]byte, error)
	Each(func(kernels.Candidate) error) error
	PutProvenance(p kernels.Provenance) (string, error)
	PutDuel(d kernels.Duel) error
	Duels() ([]kernels.Duel, error)
	Weigh(workloads []kernels.Workload, score func(*kernels.Candidate) float64, checkpoint []byte) error
	Grow(files map[string][]byte, checkpoint []byte) error
	PutExchange(e kernels.Exchange) error
	Exchanges() ([]kernels.Exchange, error)
	Insights() ([]kernels.Insight, error)
	SetChampion(id kernels.ID, why string) error
	Champion() (kernels.ID, bool)
	Champions() ([]store.Champion, error)
	PutTrial(t kernels.Trial) error
	Trials() ([]kernels.Trial, error)
	Fell(t kernels.Trial, heir kernels.ID, why string, checkpoint []byte) (kernels.Candidate, error)
}

// Search is one run of a search. All fields below the line belong to the goroutine that is in Run.
type Search struct {
	cfg      Config
	strategy *strategy
	ev       Evaluator
	keep     keeper
	log      *slog.Logger
	hard     context.Context // ends on Abort
	abort    context.CancelFunc
	retry    time.Duration   // between attempts to store on a full disk
	respites []time.Duration // after the outages of our own side

	orders   chan order    // from Steer
	ended    chan struct{} // closed when Run returns
	machines chan kernels.Machine
	every    time.Duration // between samples of the machine

	// ---
	pcg      *rand.PCG
	rng      *rand.Rand
	demes    []*deme
	purse    purse
	hints    []Hint
	ids      map[kernels.ID]bool // asked for, in this session or one before
	codes    map[string]float64  // score by machine code
	working  map[kernels.ID]*member
	owns     []*member          // those with sources of their own
	naive    *member            // the default that scores are relative to
	base     map[string]float64 // its times by workload, ns
	champion *member
	trials   trials
	bar      kernels.Bar                // of all that is in flight
	beaten   map[kernels.ID]bool        // lost against the champion
	fought   map[[2]string]kernels.Duel // by short IDs of champion and challenger
	duels    int                        // stored
	dead     map[kernels.ID]bool        // killed, or descending from one that was
	twins    map[kernels.ID]string      // machine code of duplicates
	steering Steering
	paused   bool
	proof    string // key of what this session's figures stand on
	niches   niches
	counsel  counsel
	queue    flights
	outage   outage
	control  control
	progress progress
	clock    clock
	saves    []func() error // store operations in order; nothing is taken while one waits
	full     bool           // the disk is
	stopping bool           // nothing new is asked for
	err      error          // ours
	reason   Reason
	emit     func(Event)
	events   int
}

// New prepares a search. When run has a checkpoint the search goes on from it. A nil run keeps
// nothing, for scoring strategies.
func New(cfg Config, ev Evaluator, run *store.Run) (*Search, error) {
	if run == nil {
		return newSearch(cfg, ev, nowhere{})
	}
	return newSearch(cfg, ev, run)
}

func newSearch(cfg Config, ev Evaluator, keep keeper) (*Search, error) {
	switch {
	case len(cfg.Spaces) == 0:
		return nil, errors.New("search: no family has a legal point on this device")
	case len(cfg.Workloads) == 0:
		return nil, errors.New("search: no workload")
	case cfg.Objective.Check(cfg.Workloads) != nil:
		return nil, fmt.Errorf("search: %w", cfg.Objective.Check(cfg.Workloads))
	case cfg.Strategy == "":
		cfg.Strategy = DefaultStrategy
	}
	mix, err := findStrategy(cfg.Strategy, cfg.Advisor != nil)
	if err != nil {
		return nil, err
	}
	s := &Search{
		cfg: cfg, strategy: mix, ev: ev, keep: keep, log: cfg.Log, retry: 3 * time.Second, respites: respites, control: control{every: controlEvery},
		pcg: rand.NewPCG(cfg.Seed, 0x6461727761727000), ids: map[kernels.ID]bool{}, codes: map[string]float64{},
		working: map[kernels.ID]*member{}, beaten: map[kernels.ID]bool{}, fought: map[[2]string]kernels.Duel{},
		dead: map[kernels.ID]bool{}, twins: map[kernels.ID]string{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.rng = rand.New(s.pcg)
	s.hard, s.abort = context.WithCancel(context.Background())
	s.trials = newTrials(s.hard)
	s.orders, s.ended, s.machines, s.every = make(chan order), make(chan struct{}), make(chan kernels.Machine), sampleEvery
	s.inhabit(hints(cfg.Hints))
	s.progress.sample = firstSample(len(s.demes))
	if len(s.hints) > 0 {
		s.progress.sample += mutate.MostRecalled * len(s.demes)
	}
	s.clock.simulated, s.clock.now = simulated(ev), time.Now
	if err := s.hire(); err != nil {
		return nil, err
	}
	if err := s.resume(); err != nil {
		return nil, fmt.Errorf("resuming: %w", err)
	}
	return s, nil
}

// Abort ends Run without waiting for what is in flight. It may be called at any time, from anywhere.
func (s *Search) Abort() { s.abort() }

// Run searches until the budget is spent, ctx ends, or something of ours breaks. When ctx ends, what
// is in flight is finished and stored, unless results are taken in order: then it is asked for again on
// resuming, so that the run goes on as if it had not been interrupted. emit is called from the loop and
// must be quick; nil is allowed. Run may be called once.
func (s *Search) Run(ctx context.Context, emit func(Event)) (Summary, error) {
	s.emit = emit
	s.clock.begin()
	watched := s.monitor()
	defer func() {
		s.abort()
		<-watched
		close(s.ended)
	}()
	if err := s.begin(); err != nil {
		s.fail(err)
	}
	s.startControl()
	s.counsel.ctx, s.counsel.cancel = context.WithCancel(s.hard)
	unhook := context.AfterFunc(ctx, s.counsel.cancel)
	s.loop(ctx)
	unhook()
	s.dismiss()
	if s.flush() && s.hard.Err() == nil {
		if err := s.keep.PutCheckpoint(s.state()); err != nil {
			s.fail(err)
		}
	}
	sum := s.summary()
	s.send(Event{Kind: KindEnd, Note: string(sum.Reason), Summary: &sum})
	return sum, s.err
}

// begin stores what figures stand on and asks again for what was in flight when the run was left.
func (s *Search) begin() error {
	var err error
	if s.proof, err = s.keep.PutProvenance(s.ev.Provenance()); err != nil {
		return err
	}
	s.send(Event{Kind: KindStart, Start: s.startInfo()})
	if _, ok := s.keep.Champion(); !ok && s.naive != nil { // killed between the first verdict and its coronation
		s.crown(s.naive, "the naive start")
	}
	s.condemn()
	pending := s.queue.pending
	s.queue.pending = nil
	for _, f := range pending {
		if err := s.launch(f); err != nil {
			return err
		}
	}
	return nil
}

// loop is the select that owns everything. It returns when nothing is in flight any more.
func (s *Search) loop(ctx context.Context) {
	done, aborted := ctx.Done(), s.hard.Done()
	for {
		s.advance()
		if s.queue.out == 0 && (s.outage.over == nil || s.stopping) && (s.counsel.asking == 0 || s.stopping || s.reason != "") && (len(s.saves) == 0 && !s.paused || s.stopping) {
			return
		}
		var retry <-chan time.Time
		if len(s.saves) > 0 && !s.stopping {
			retry = time.After(s.retry)
		}
		select {
		case a := <-s.queue.answers():
			s.queue.receive(a)
		case a := <-s.counsel.answers:
			s.heed(a)
		case <-s.wake():
		case <-s.outage.over:
			s.outage.over = nil
		case <-s.control.due:
			s.askControl()
		case o := <-s.orders:
			s.obey(o)
		case m := <-s.machines:
			s.sampled(m)
		case <-retry:
		case <-done:
			done = nil
			s.drain(ReasonInterrupted)
		case <-aborted:
			aborted = nil
			s.drain(ReasonAborted)
		}
	}
}

// advance takes the answers that are due. After each one what follows from it is asked for at once,
// so that the state between two answers does not depend on how many had come in.
func (s *Search) advance() {
	for s.err == nil || !s.ev.InOrder() {
		if !s.flush() {
			return
		}
		s.challenge()
		s.fill()
		s.doubt()
		a, ok := s.queue.next(s.ev.InOrder())
		if !ok {
			return
		}
		if s.discards() {
			s.queue.pending = append(s.queue.pending, a.flight)
			continue
		}
		s.take(a)
	}
}

// discards reports whether answers are left for the next session: after Abort always, after any stop
// when results are taken in order.
func (s *Search) discards() bool {
	return s.hard.Err() != nil || s.stopping && s.ev.InOrder()
}

// drain stops asking.
func (s *Search) drain(why Reason) {
	if s.err == nil {
		s.reason = why
	}
	s.stopping = true
	s.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: %d in flight", why, s.queue.out)})
}

// fail notes the first error of ours and stops asking.
func (s *Search) fail(err error) {
	if s.err == nil {
		s.err, s.reason = err, ReasonFailed
		s.log.Error("search stops", "err", err)
	}
	s.stopping = true
}

// fill keeps the evaluator's slots busy.
func (s *Search) fill() {
	for !s.stopping && !s.paused && s.queue.evals < max(1, s.ev.Slots()) {
		if s.outage.on() {
			s.probe()
			return
		}
		if s.naive == nil {
			s.startNaive()
			return
		}
		f, ok := s.takeInjected()
		if s.reason = s.spent(); s.reason != "" && !ok {
			return
		}
		if !ok {
			s.consult(false)
			f, ok = s.takeAdvised()
		}
		if !ok {
			f, ok = s.nextFlight()
		}
		if !ok && s.consult(true) {
			continue
		}
		if !ok && s.counsel.asking > 0 {
			return
		}
		if !ok && len(s.outage.held) > 0 && s.queue.evals == 0 {
			s.sound() // nobody else is left to wait for
			continue
		}
		if !ok {
			s.reason = ReasonExhausted
			return
		}
		if err := s.launch(f); err != nil {
			s.fail(err)
		}
	}
}

// evaluate runs beside the loop. A panic of the evaluator is an error like any other: the run is saved.
func (s *Search) evaluate(f *flight) (a answer) {
	a.flight = f
	defer func() {
		if p := recover(); p != nil {
			a.err = fmt.Errorf("evaluator panicked: %v\n%s", p, debug.Stack())
		}
	}()
	switch {
	case f.aside == controlling:
		a.err = s.ev.(Controlled).Control(s.hard, f.job)
	case f.aside == doubting:
		a.trial, a.err = s.ev.(Doubter).Trial(s.trials.ctx, f.job, f.parts...)
	case f.Challenger.IsZero():
		a.result, a.err = s.ev.Evaluate(s.hard, f.job)
	default:
		a.duel, a.err = s.ev.Duel(s.hard, f.champion, f.job)
	}
	return a
}
