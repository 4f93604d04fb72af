package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"darwarp/kernels"
)

// answer does what is asked. What goes wrong is said, and never ends the worker.
func (w *worker) answer(ctx context.Context, req *request) (a answer) {
	defer func() {
		if v := recover(); v != nil { // a request that nobody should have sent
			a = answer{Error: fmt.Sprintf("%s: %v", req.Do, v)}
		}
	}()
	var jobs []*kernels.Job
	for _, j := range req.Jobs {
		u, err := w.unpack(ctx, j)
		if err != nil {
			return answer{Error: err.Error()}
		}
		jobs = append(jobs, u)
	}
	do, ok := abilities[req.Do]
	if !ok || len(jobs) < do.jobs {
		return answer{Error: fmt.Sprintf("cannot %q with %d candidates", req.Do, len(jobs))}
	}
	if (w.station.Compiler != nil) != (req.Do == doCompile) {
		return answer{Error: "this is the work of another kind of worker"}
	}
	if w.station.Compiler != nil {
		if err := w.compile(ctx, req, jobs, &a); err != nil {
			a.Error = err.Error()
		}
		return a
	}
	if weigh := w.station.Capabilities().Weigh; weigh != nil && len(req.Weights) > 0 {
		weigh(req.Weights)
	}
	if err := do.fn(w, ctx, req, jobs, &a); err != nil {
		a.Error, a.Lost = err.Error(), errors.Is(err, kernels.ErrLost)
	}
	a.Noise = w.station.Provenance().Noise
	return a
}

// abilities are what can be asked of a worker, with how many candidates it needs at least.
var abilities = map[string]struct {
	jobs int
	fn   func(w *worker, ctx context.Context, req *request, jobs []*kernels.Job, a *answer) error
}{
	doEvaluate: {1, (*worker).evaluate},
	doCompile:  {1, (*worker).compile},
	doCode:     {1, (*worker).code},
	doDuel: {2, func(w *worker, ctx context.Context, _ *request, jobs []*kernels.Job, a *answer) error {
		d, err := w.station.Duel(ctx, jobs[0], jobs[1])
		a.Duel = &d
		return err
	}},
	doPace: {2, func(w *worker, ctx context.Context, _ *request, jobs []*kernels.Job, a *answer) error {
		pace := w.station.Capabilities().Pace
		if pace == nil {
			return fmt.Errorf("%w: this device is not paced", kernels.ErrLost)
		}
		d, err := pace(ctx, jobs[0], jobs[1])
		a.Duel = &d
		return err
	}},
	doControl: {1, func(w *worker, ctx context.Context, _ *request, jobs []*kernels.Job, _ *answer) error {
		control := w.station.Capabilities().Control
		if control == nil {
			return nil
		}
		return control(ctx, jobs[0])
	}},
	doTrial: {1, func(w *worker, ctx context.Context, req *request, jobs []*kernels.Job, a *answer) error {
		try := w.station.Capabilities().Trial
		if try == nil {
			return errors.New("this device tries nobody")
		}
		t, err := try(ctx, jobs[0], req.Parts...)
		a.Trial = &t
		return err
	}},
	doTime: {1, func(w *worker, ctx context.Context, req *request, jobs []*kernels.Job, a *answer) error {
		again := w.station.Capabilities().Time
		if again == nil {
			return errors.New("this device has no times of its own")
		}
		times, err := again(ctx, jobs[0], req.Brief)
		a.Result = &kernels.Result{Outcome: kernels.OK, Times: times}
		return err
	}},
	doFinal: {1, func(w *worker, ctx context.Context, _ *request, jobs []*kernels.Job, a *answer) error {
		return w.published(func(p kernels.Publisher) error {
			r, err := p.Final(ctx, jobs[0])
			a.Result = &r
			return err
		})
	}},
	doFind: {0, func(w *worker, ctx context.Context, req *request, _ []*kernels.Job, a *answer) error {
		return w.published(func(p kernels.Publisher) (err error) {
			a.Missing, err = p.FindBaseline(ctx, req.Name)
			return err
		})
	}},
	doBaseline: {0, func(w *worker, ctx context.Context, req *request, _ []*kernels.Job, a *answer) error {
		return w.published(func(p kernels.Publisher) error {
			r, err := p.BaselineTimes(ctx, req.Name)
			a.Times, a.About = &r, map[string]string{}
			for _, t := range r.Times {
				a.About[t.Workload] = p.About(req.Name, t.Workload)
			}
			return err
		})
	}},
	doCompare: {1, func(w *worker, ctx context.Context, req *request, jobs []*kernels.Job, a *answer) error {
		return w.published(func(p kernels.Publisher) error {
			d, err := p.Compare(ctx, req.Name, jobs[0], req.Cache)
			a.Duel = &d
			return err
		})
	}},
	doVersus: {2, func(w *worker, ctx context.Context, req *request, jobs []*kernels.Job, a *answer) error {
		return w.published(func(p kernels.Publisher) error {
			d, err := p.Versus(ctx, jobs[0], jobs[1], req.Cache)
			a.Duel = &d
			return err
		})
	}},
}

// published asks the part of the evaluator that measures winners.
func (w *worker) published(ask func(kernels.Publisher) error) error {
	p := w.station.Capabilities().Publisher
	if p == nil {
		return errors.New("this device measures no winners")
	}
	return ask(p)
}

// evaluate judges a candidate. Its bar is what the search knew when the newest request was sent, and not its own.
func (w *worker) evaluate(ctx context.Context, req *request, jobs []*kernels.Job, a *answer) error {
	if bar := req.Jobs[0].Bar; len(bar) > 0 {
		w.local.raise(req.Number, bar)
		jobs[0].Bar = w.local.bar
	}
	if made := req.Jobs[0].Compiled; len(made) > 0 && w.station.Compiled != nil {
		ctx = w.station.Compiled(ctx, made)
	}
	r, err := w.station.Evaluate(ctx, jobs[0])
	a.Result = &r
	return err
}

// encodeAnswer writes an answer, of so many bytes at most. What JSON cannot say, as an output that is infinitely
// wrong, is as large as can be.
func encodeAnswer(a *answer, most int64) []byte {
	if a.Result != nil && a.Result.Gate != nil {
		g := *a.Result.Gate
		for _, v := range []*float64{&g.Worst, &g.Frobenius} {
			if math.IsNaN(*v) || math.IsInf(*v, 0) {
				*v = math.MaxFloat64
			}
		}
		a.Result.Gate = &g
	}
	data, err := json.Marshal(a)
	if err != nil {
		data = encode(answer{Session: a.Session, Number: a.Number, Worker: a.Worker, Error: err.Error(), Lost: true})
	}
	if int64(len(data)) > most {
		data = encode(answer{Session: a.Session, Number: a.Number, Worker: a.Worker,
			Error: fmt.Sprintf("an answer of %d bytes", len(data))})
	}
	return data
}
