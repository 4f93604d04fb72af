// Package verdict brings one candidate to its verdict on a rig: it is compiled, run on every case between guards, its
// outputs are judged, and it is timed. What a session has found out so is kept for duels and trials.
package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/trace"
	"darwarp/kernels"
	"darwarp/kernels/source"
)

// Session is a rig with what was found out on it about candidates.
type Session struct {
	*rig.Rig
	mu    sync.Mutex
	seen  map[string]kernels.ID // machine code with launches -> first candidate
	gated []gated               // the latest, for duels
}

// NewSession is one that knows nothing yet.
func NewSession(r *rig.Rig) *Session { return &Session{Rig: r, seen: map[string]kernels.ID{}} }

// Result brings the candidate to its verdict.
func (e *Evaluation) Result(ctx context.Context) (kernels.Result, error) {
	began := e.Session
	lane := e.Cfg.Trace.Take("candidates")
	defer lane.Free()
	span := lane.Begin("candidate")
	defer span.End()
	err := e.run(trace.With(ctx, lane))
	span.Note("id", e.Job.ID.Short())
	span.Note("outcome", e.Res.Outcome)
	if err != nil {
		if ctx.Err() != nil {
			return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
		}
		lost := kernels.Result{Outcome: kernels.Lost, Detail: kernels.CleanDetail(err.Error())}
		if errors.Is(err, kernels.ErrLost) {
			began.forget(e.Job, e.Res.Code)
			return lost, nil
		}
		return lost, err
	}
	e.Res.Detail = kernels.CleanDetail(e.Res.Detail)
	e.Res.Provenance = e.Proof.Key() // of the GPU that it got
	return e.Res, nil
}

// Evaluation is one candidate on its way.
type Evaluation struct {
	*Session
	Job     *kernels.Job
	Place   func(context.Context, *Evaluation) error // finds it a GPU once it is compiled; nil: it stays where it is
	Res     kernels.Result
	Cubin   []byte
	Checked []byte                   // with every access reported, where races are looked for
	Calls   []kernels.Call           // by case
	Elapsed map[string]float64       // ns a call at the gate, by workload: the least of its sets of inputs
	laps    map[string]int           // how many these were
	Again   bool                     // machine code that was seen before is judged like any other
	Outputs *[]byte                  // where the outputs of the gate are wanted as well
	Urgent  bool                     // goes before other candidates
	only    []int                    // cases to gate; nil: those of every candidate
	Right   map[int]device.CaseReply // of cases whose outputs were judged right
	lost    bool                     // it was so slow at the gate that not all of it was run
}

// Fail files the candidate as something.
func (e *Evaluation) Fail(o kernels.Outcome, format string, args ...any) {
	e.Res.Outcome, e.Res.Detail = o, fmt.Sprintf(format, args...)
}

// run goes from step to step until one gives a verdict.
func (e *Evaluation) run(ctx context.Context) error {
	if err := e.Steps(ctx, e.Resolve, e.Compile, e.onDevice); err != nil || e.Res.Outcome != kernels.Unknown {
		return err
	}
	e.Res.Outcome = kernels.OK
	if len(e.Job.Bar.Times()) == 0 { // the naive start, the first champion
		c := e.Contestant()
		c.Naive = true
		e.keep(e.Job.ID, c)
	}
	return nil
}

// Steps takes steps until one of them gives a verdict.
func (e *Evaluation) Steps(ctx context.Context, all ...func(context.Context) error) error {
	for _, step := range all {
		if err := step(ctx); err != nil || e.Res.Outcome != kernels.Unknown {
			return err
		}
	}
	return nil
}

// onDevice is what of a verdict takes the device: of several, the one that the host has free.
func (e *Evaluation) onDevice(ctx context.Context) error {
	if e.Place != nil {
		return e.Place(ctx, e)
	}
	return e.Measured(ctx)
}

// Measured gates and times what was compiled.
func (e *Evaluation) Measured(ctx context.Context) error { return e.Steps(ctx, e.Gate, e.Time) }

// Resolve gives the plan its numbers at every size.
func (e *Evaluation) Resolve(context.Context) error {
	for i := range e.Cases.List {
		c, err := e.Job.Resolve(e.Cases.List[i].Dims)
		if err != nil {
			e.Fail(kernels.Invalid, "at %s: %v", e.Cases.List[i].Name, err)
			return nil
		}
		for _, l := range c.Launches {
			if l.Smem > e.Device.SmemPerBlock {
				e.Fail(kernels.Invalid, "kernel %s needs %d bytes of shared memory, %s allows %d per block", l.Entry, l.Smem,
					e.Device.Name, e.Device.SmemPerBlock)
				return nil
			}
		}
		e.Calls = append(e.Calls, c)
	}
	return nil
}

// Compile has the source compiled, and looks whether its machine code was seen before.
func (e *Evaluation) Compile(ctx context.Context) error {
	span := trace.Begin(ctx, "compile")
	defer span.End()
	start := time.Now()
	out, err := e.Compiler.Compile(ctx, e.Job.Source)
	span.Note("cached", out.Cached)
	if err != nil { // no compiler could be started
		return fmt.Errorf("%w: %w", kernels.ErrLost, err)
	}
	e.Res.Cost.Compile = out.Seconds
	e.Res.Cost.Wait = max(0, time.Since(start).Seconds()-out.Seconds)
	if out.Failure != "" {
		outcome := kernels.CompileFailed
		if out.Unsupported {
			outcome = kernels.Unsupported
		}
		e.Fail(outcome, "%s", out.Failure)
		return nil
	}
	if why := source.Check(e.Job.Source); why != "" { // an export is built where NVRTC does not look
		e.Fail(kernels.CompileFailed, "%s", why)
		return nil
	}
	if p := e.Checkers; p != nil {
		watched, err := p.Compile(ctx, e.Job.Source)
		if err != nil {
			return fmt.Errorf("%w: %w", kernels.ErrLost, err)
		}
		if watched.Failure != "" {
			return fmt.Errorf("compiles, but not with its accesses reported: %s", watched.Failure)
		}
		e.Checked = watched.Cubin
	}
	if out.State != "" {
		e.Fail(kernels.Suspect, device.Keeps, out.State)
		return nil
	}
	e.Cubin, e.Res.Resources = out.Cubin, out.Resources
	e.Res.Code = codeKey(out, e.Calls)
	if first, dup := e.claim(e.Res.Code); dup && !e.Again {
		e.Fail(kernels.Duplicate, "same machine code and launches as %s", first.Short())
	}
	return nil
}

// codeKey names machine code together with how it is launched.
func codeKey(out compile.Output, calls []kernels.Call) string {
	h := sha256.New()
	h.Write([]byte(out.Code))
	if err := json.NewEncoder(h).Encode(calls); err != nil { // numbers and strings
		panic(err)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// claim registers the candidate as the first with its machine code, or names the one that was.
func (e *Evaluation) claim(code string) (kernels.ID, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if first, ok := e.seen[code]; ok && first != e.Job.ID {
		return first, true
	}
	e.seen[code] = e.Job.ID
	return e.Job.ID, false
}

// forget lets a candidate that was lost be judged again.
func (p *Session) forget(job *kernels.Job, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[code] == job.ID {
		delete(p.seen, code)
	}
}

// Remember tells the session of machine code that an earlier session has judged.
func (p *Session) Remember(code string, id kernels.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if code != "" {
		p.seen[code] = id
	}
}

// describe adds what the driver knows to what the compiler said.
func (e *Evaluation) describe(fromDriver []kernels.Resources) {
	for _, d := range fromDriver {
		for i := range e.Res.Resources {
			if r := &e.Res.Resources[i]; r.Entry == d.Entry {
				r.Registers, r.StaticSmem, r.DynamicSmem, r.BlocksPerSM, r.Occupancy = d.Registers, d.StaticSmem, d.DynamicSmem,
					d.BlocksPerSM, d.Occupancy
				r.Stack = max(r.Stack, d.Stack)
			}
		}
	}
}

// remember keeps what is known of right outputs, for the check of timed launches.
func (e *Evaluation) remember(reply device.GateReply) {
	right := withAll(nil, e.Right)
	for _, i := range ran(&reply) {
		right[i] = reply.Cases[i]
	}
	e.mu.Lock() // a later gate of the same kernel may be looking at it
	e.Right = right
	e.mu.Unlock()
	if e.only != nil {
		return
	}
	if e.Elapsed == nil {
		e.Elapsed = map[string]float64{}
	}
	e.lost = reply.Lost
	e.prepared(right)
	e.laps = map[string]int{}
	for _, w := range e.Cfg.Workloads {
		for _, i := range e.Cases.Seeds(w.Name) {
			if !right[i].Ran {
				continue
			}
			if ns := right[i].Nanos; e.laps[w.Name] == 0 || ns < e.Elapsed[w.Name] {
				e.Elapsed[w.Name] = ns
			}
			e.laps[w.Name]++
		}
	}
}

// preparing is how many ns what is done before a call takes at a workload: the most of its sets.
func (e *Evaluation) preparing(workload string) (ns float64) {
	for _, i := range e.Cases.Seeds(workload) {
		ns = max(ns, e.Right[i].Prepared)
	}
	return ns
}

// prepared keeps what was done before the calls at each workload.
func (e *Evaluation) prepared(right map[int]device.CaseReply) {
	e.Res.Prepared = nil
	for _, w := range e.Cfg.Workloads {
		one := kernels.Prepared{Workload: w.Name}
		for _, i := range e.Cases.Seeds(w.Name) {
			if ns := right[i].Prepared; ns > 0 && (one.Nanos == 0 || ns < one.Nanos) {
				one.Nanos, one.Bytes = ns, e.Calls[i].PackedBytes()
			}
		}
		if one.Nanos > 0 {
			e.Res.Prepared = append(e.Res.Prepared, one)
		}
	}
}

// hash is what the outputs on a case have to hash to, where that is known: of a problem with atomics equal outputs may
// differ in their bits.
func (e *Evaluation) hash(i int) (uint64, bool) {
	r, ok := e.Right[i]
	return r.Hash, ok && !e.Cfg.Problem.Check.Atomics
}

// Learn gates a candidate on those of the cases that it was not judged on yet. It reports whether all went well; if
// not, the outcome says what did not.
func (e *Evaluation) Learn(ctx context.Context, cases []int) (bool, error) {
	var missing []int
	for _, i := range cases {
		if _, ok := e.Right[i]; !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return true, nil
	}
	slices.Sort(missing)
	e.only = missing
	err := e.Gate(ctx)
	return err == nil && e.Res.Outcome == kernels.Unknown, err
}
