package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/eval/trace"
	"darwarp/kernels"
	"darwarp/kernels/source"
)

// Evaluate compiles, gates and times one candidate. What the candidate does wrong is the Result's
// Outcome; an error means that we are broken, or that ctx ended.
func (p *Pool) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	p.flying.Add(1)
	defer p.flying.Add(-1)
	lane := p.cfg.Trace.Take("candidates")
	defer lane.Free()
	span := lane.Begin("candidate")
	defer span.End()
	e := &evaluation{Pool: p, job: job}
	err := e.run(trace.With(ctx, lane))
	span.Note("id", job.ID.Short())
	span.Note("outcome", e.res.Outcome)
	if err != nil {
		if ctx.Err() != nil {
			return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
		}
		lost := kernels.Result{Outcome: kernels.Lost, Detail: kernels.CleanDetail(err.Error())}
		if errors.Is(err, kernels.ErrLost) {
			p.forget(job, e.res.Code)
			return lost, nil
		}
		return lost, err
	}
	e.res.Detail = kernels.CleanDetail(e.res.Detail)
	e.res.Provenance = p.Provenance().Key()
	return e.res, nil
}

// evaluation is one candidate on its way.
type evaluation struct {
	*Pool
	job     *kernels.Job
	res     kernels.Result
	cubin   []byte
	checked []byte                   // with every access reported, where races are looked for
	calls   []kernels.Call           // by case
	elapsed map[string]float64       // ns a call at the gate, by workload
	again   bool                     // machine code that was seen before is judged like any other
	outputs *[]byte                  // where the outputs of the gate are wanted as well
	urgent  bool                     // goes before other candidates
	only    []int                    // cases to gate; nil: those of every candidate
	right   map[int]device.CaseReply // of cases whose outputs were judged right
	lost    bool                     // it was so slow at the gate that not all of it was run
}

func (e *evaluation) fail(o kernels.Outcome, format string, args ...any) {
	e.res.Outcome, e.res.Detail = o, fmt.Sprintf(format, args...)
}

// run goes from step to step until one gives a verdict.
func (e *evaluation) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{e.resolve, e.compile, e.gate, e.time} {
		if err := step(ctx); err != nil {
			return err
		}
		if e.res.Outcome != kernels.Unknown {
			return nil
		}
	}
	e.res.Outcome = kernels.OK
	if len(e.job.Bar.Times()) == 0 { // the naive start, the first champion
		c := e.contestant()
		c.naive = true
		e.keep(e.job.ID, c)
	}
	return nil
}

// resolve gives the plan its numbers at every size.
func (e *evaluation) resolve(context.Context) error {
	for i := range e.cases.List {
		c, err := e.job.Resolve(e.cases.List[i].Dims)
		if err != nil {
			e.fail(kernels.Invalid, "at %s: %v", e.cases.List[i].Name, err)
			return nil
		}
		for _, l := range c.Launches {
			if l.Smem > e.device.SmemPerBlock {
				e.fail(kernels.Invalid, "kernel %s needs %d bytes of shared memory, %s allows %d per block", l.Entry, l.Smem,
					e.device.Name, e.device.SmemPerBlock)
				return nil
			}
		}
		e.calls = append(e.calls, c)
	}
	return nil
}

func (e *evaluation) compile(ctx context.Context) error {
	defer trace.Begin(ctx, "compile").End()
	start := time.Now()
	out, err := e.compiler.Compile(ctx, e.job.Source)
	if err != nil { // no compiler could be started
		return fmt.Errorf("%w: %w", kernels.ErrLost, err)
	}
	e.res.Cost.Compile = out.Seconds
	e.res.Cost.Wait = max(0, time.Since(start).Seconds()-out.Seconds)
	if out.Failure != "" {
		outcome := kernels.CompileFailed
		if out.Unsupported {
			outcome = kernels.Unsupported
		}
		e.fail(outcome, "%s", out.Failure)
		return nil
	}
	if why := source.Check(e.job.Source); why != "" { // an export is built where NVRTC does not look
		e.fail(kernels.CompileFailed, "%s", why)
		return nil
	}
	if p := e.checkers; p != nil {
		watched, err := p.Compile(ctx, e.job.Source)
		if err != nil {
			return fmt.Errorf("%w: %w", kernels.ErrLost, err)
		}
		if watched.Failure != "" {
			return fmt.Errorf("compiles, but not with its accesses reported: %s", watched.Failure)
		}
		e.checked = watched.Cubin
	}
	if out.State != "" {
		e.fail(kernels.Suspect, device.Keeps, out.State)
		return nil
	}
	e.cubin, e.res.Resources = out.Cubin, out.Resources
	e.res.Code = codeKey(out, e.calls)
	if first, dup := e.claim(e.res.Code); dup && !e.again {
		e.fail(kernels.Duplicate, "same machine code and launches as %s", first.Short())
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
func (e *evaluation) claim(code string) (kernels.ID, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if first, ok := e.seen[code]; ok && first != e.job.ID {
		return first, true
	}
	e.seen[code] = e.job.ID
	return e.job.ID, false
}

// forget lets a candidate that was lost be judged again.
func (p *Pool) forget(job *kernels.Job, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[code] == job.ID {
		delete(p.seen, code)
	}
}

// Remember tells the pool of machine code that an earlier session has judged.
func (p *Pool) Remember(code string, id kernels.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if code != "" {
		p.seen[code] = id
	}
}

// describe adds what the driver knows to what the compiler said.
func (e *evaluation) describe(fromDriver []kernels.Resources) {
	for _, d := range fromDriver {
		for i := range e.res.Resources {
			if r := &e.res.Resources[i]; r.Entry == d.Entry {
				r.Registers, r.StaticSmem, r.DynamicSmem, r.BlocksPerSM, r.Occupancy = d.Registers, d.StaticSmem, d.DynamicSmem,
					d.BlocksPerSM, d.Occupancy
				r.Stack = max(r.Stack, d.Stack)
			}
		}
	}
}

// remember keeps what is known of right outputs, for the check of timed launches.
func (e *evaluation) remember(reply device.GateReply) {
	if e.right == nil {
		e.right = map[int]device.CaseReply{}
	}
	for _, i := range ran(&reply) {
		e.right[i] = reply.Cases[i]
	}
	if e.only != nil {
		return
	}
	e.elapsed, e.lost = map[string]float64{}, reply.Lost
	for _, w := range e.cfg.Workloads {
		for _, i := range e.cases.Seeds(w.Name) {
			if reply.Cases[i].Ran {
				e.elapsed[w.Name] = reply.Cases[i].Nanos
			}
		}
	}
}

// hash is what the outputs on a case have to hash to, where that is known: of a problem with atomics equal outputs may
// differ in their bits.
func (e *evaluation) hash(i int) (uint64, bool) {
	r, ok := e.right[i]
	return r.Hash, ok && !e.cfg.Problem.Check.Atomics
}

// learn gates a candidate on those of the cases that it was not judged on yet, in requests of as many as fit a slot. It
// reports whether all went well; if not, the outcome says what did not.
func (e *evaluation) learn(ctx context.Context, cases []int) (bool, error) {
	var missing []int
	for _, i := range cases {
		if _, ok := e.right[i]; !ok {
			missing = append(missing, i)
		}
	}
	slices.Sort(missing)
	for len(missing) > 0 {
		n := e.cases.Fitting(missing)
		e.only, missing = missing[:n], missing[n:]
		if err := e.gate(ctx); err != nil || e.res.Outcome != kernels.Unknown {
			return false, err
		}
	}
	return true, nil
}
