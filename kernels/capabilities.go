package kernels

import "context"

// Capabilities is what an evaluator can do beside giving verdicts and fighting duels. What it cannot do is nil, or
// false. A function fails only when darwarp itself is broken, and with an ErrLost in the chain where it may be asked
// again.
type Capabilities struct {
	// Simulated says that time passes as the costs of its results say, divided by its slots, and not by the clock on
	// the wall.
	Simulated bool

	// Machine tells how busy its machine is. It is called from one goroutine, every 2 s, and must return soon after its
	// context ends.
	Machine func(context.Context) Machine

	// Load is the share of the time that the device was in use, and how many device workers it took.
	Load func() (busy float64, workers int)

	// Provenances are what the figures of its devices stand on, where it has several: that of each.
	Provenances func() []Provenance

	// Remember tells which candidate was the first with some machine code, in an earlier session.
	Remember func(code string, id ID)

	// Code compiles a candidate, and names its machine code with its launches as Result.Code does.
	Code func(ctx context.Context, job *Job) (string, error)

	// Weigh has duels follow new weights of the workloads from now on.
	Weigh func([]Workload)

	// Control measures its noise, by a duel of the champion with itself. Provenance tells the noise, which never
	// shrinks within a session.
	Control func(ctx context.Context, champion *Job) error

	// Pace times a champion and the naive start in turn, in a few pairs: how much faster it is now. Its duel decides
	// nothing.
	Pace func(ctx context.Context, start, champion *Job) (Duel, error)

	// Trial holds a would-be champion against more than every candidate is. Parts that it cannot try it calls
	// impossible, with the reason.
	Trial func(ctx context.Context, job *Job, parts ...TrialPart) (Trial, error)

	// Sanitize watches every access of a candidate, and Counters reads hardware counters, by candidate. why says in one
	// line why it cannot be done here.
	Sanitize func(ctx context.Context, job *Job) (found []Sanitized, why string, err error)
	Counters func(ctx context.Context, jobs []*Job) (found map[ID][]Counters, why string, err error)

	// Time times a candidate once more beside the others and before those that wait, with the samples of a final
	// measurement, or brief with those of a verdict: its times are held against those on other devices.
	Time func(ctx context.Context, job *Job, brief bool) ([]Timing, error)

	// Ahead begins, beside a search, what the Publisher's measurement of baselines (none: of all) begins with, on the
	// processor only. It does not wait.
	Ahead func(baselines []string)

	// Publisher measures a winner for publication. A recording cannot: its times are what they are.
	Publisher Publisher
}

// Publisher measures a winner for publication, and beside it what people would run instead.
type Publisher interface {
	// Provenance is what its figures stand on.
	Provenance() Provenance
	// Final times a candidate once more, on fresh inputs, with more samples and both states of the caches.
	Final(ctx context.Context, job *Job) (Result, error)
	// FindBaseline looks for one of the problem's baselines: missing says under its name why it does not run here, and
	// under "NAME at WORKLOAD" why it does not there.
	FindBaseline(ctx context.Context, name string) (missing map[string]string, err error)
	// BaselineTimes times a baseline that was found as Final does a candidate.
	BaselineTimes(ctx context.Context, name string) (BaselineResult, error)
	// About says which algorithm a baseline takes at a workload.
	About(name, workload string) string
	// Compare has a candidate fight a baseline.
	Compare(ctx context.Context, name string, job *Job, cache string) (Duel, error)
	// Versus has two candidates fight at every workload, hot or cold.
	Versus(ctx context.Context, champion, challenger *Job, cache string) (Duel, error)
}
