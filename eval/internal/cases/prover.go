package cases

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// ErrUnfit says that the problem's check cannot tell right from wrong.
var ErrUnfit = errors.New("the problem's check cannot be used")

// Power is what a session has found out about the check at one workload.
type Power struct {
	Bank  string   // input class of the bank: it tells whatever a wrong kernel may leave out
	Unfit []string // classes that do not suit an accumulator in use
	Tails bool     // needles are needed beside the bank, on which a few terms at the end of a sum could go unseen
	Whole float64  // up to which int32 inputs without a range may hold numbers; 0: there are none
}

// Prover finds out what the check would find.
type Prover struct {
	Wanted
	Acc []kernels.DType // what candidates may keep sums in; empty: fp32
	Ask func(context.Context, *device.Proof) (device.ProofReply, error)
	Say func(string) // to who waits for the session
	Log *slog.Logger
}

// Prove gives the check's power at each workload. An ErrUnfit says that there is one where no class of inputs would do.
func (q *Prover) Prove(ctx context.Context) (map[string]Power, error) {
	powers := map[string]Power{}
	for _, w := range q.Workloads {
		found, err := q.workload(ctx, w)
		if err != nil {
			return nil, err
		}
		powers[w.Name] = found
	}
	return powers, nil
}

// workload finds the first input class that tells everything, and those that do not suit the accumulators.
func (q *Prover) workload(ctx context.Context, w kernels.Workload) (found Power, err error) {
	size, classes := q.smallest(w.Dims), q.classes()
	if found.Whole, err = q.whole(ctx, size); err != nil || len(classes) == 0 {
		found.Bank = "exact" // integers, which are compared bit for bit
		return found, err
	}
	why, left := "", q.omissions
	for _, class := range classes {
		got, err := q.ask(ctx, size, class, left)
		if err != nil {
			return found, err
		}
		if got.Unfit != "" {
			found.Unfit = append(found.Unfit, class)
			got.Missed = "an error larger than a right kernel may have with sums in " + got.Unfit
		}
		switch {
		case got.Missed == "" && found.Bank == "":
			found.Bank, left = class, nothing
		case got.Missed != "":
			q.Log.Info("power", "workload", w.Name, "class", class, "passes", got.Missed)
			if why == "" {
				why = fmt.Sprintf("%s, on inputs of class %s", got.Missed, class)
			}
		}
	}
	if found.Bank == "" {
		found.Bank, err = q.redraw(ctx, size, classes, found.Unfit)
	}
	switch {
	case err != nil:
		return found, err
	case found.Bank == "":
		return found, fmt.Errorf("%w: at %s it would accept %s, and no other class detects more", ErrUnfit, w.Name, why)
	case found.Bank != q.Problem.Check.Inputs[0]:
		q.Say(fmt.Sprintf("%s is scored on inputs of class %s, because the check would otherwise accept %s",
			w.Name, found.Bank, why))
	}
	if slices.Contains(classes, kernels.Needles) {
		found.Tails, err = q.needsNeedles(ctx, size, found)
	}
	return found, err
}

// redraws is how many new draws a class must pass after one in which it told too little.
const redraws = 2

// redraw finds a class among those that told too little, empty: there is none. A draw of few numbers may be such that
// what is left out is worth no more than rounding. A class that often tells too little does not pass all of its new
// draws: where half of them would, it is accepted once in four times, and not three times in four as by the best of
// three.
func (q *Prover) redraw(ctx context.Context, size kernels.Dims, classes, unfit []string) (string, error) {
	for _, class := range classes {
		passed := 0
		for ; passed < redraws && !slices.Contains(unfit, class); passed++ {
			got, err := q.ask(ctx, size, class, q.omissions)
			if err != nil {
				return "", err
			}
			if got.Missed != "" || got.Unfit != "" {
				break
			}
		}
		if passed == redraws {
			return class, nil
		}
	}
	return "", nil
}

// classes are those that can tell something of rounding, in the order of being tried.
func (q *Prover) classes() []string {
	list := slices.DeleteFunc(slices.Clone(q.Problem.Check.Inputs), func(c string) bool { return c == "exact" })
	if len(list) > 0 && slices.Contains(q.Problem.Hard(), kernels.Needles) {
		list = append(list, kernels.Needles)
	}
	return list
}

// needsNeedles reports whether a few terms at either end of a sum, less than the part that every bank must tell, go
// unseen on a class and are seen on needles. A tail that a loop forgets is no larger.
func (q *Prover) needsNeedles(ctx context.Context, size kernels.Dims, found Power) (bool, error) {
	if found.Bank == kernels.Needles || slices.Contains(found.Unfit, kernels.Needles) {
		return false, nil
	}
	got, err := q.ask(ctx, size, found.Bank, q.ends)
	if err != nil || got.Missed == "" {
		return false, err
	}
	got, err = q.ask(ctx, size, kernels.Needles, q.omissions)
	return err == nil && got.Missed == "" && got.Unfit == "", err
}

// ask proves one class: that a right kernel is within the tolerance, and that none is that leaves out what is listed.
func (q *Prover) ask(ctx context.Context, size kernels.Dims, class string,
	left func(*device.Proof) []device.Omission) (device.ProofReply, error) {
	p, err := q.proof(size, class)
	if err != nil {
		return device.ProofReply{}, err
	}
	p.Omissions = left(p)
	return q.Ask(ctx, p)
}

func (q *Prover) proof(size kernels.Dims, class string) (*device.Proof, error) {
	problem := q.Problem
	c := device.Case{Name: sizeName(problem, size) + " " + class, Dims: size, Class: class, Seed: q.RNG.Uint64(),
		Terms: device.TermsOf(problem)}
	var err error
	if c.Buffers, err = problem.Buffers(size, q.DType); err != nil {
		return nil, err
	}
	if c.Maker, err = problem.MakerLaunch(size, q.DType); err != nil {
		return nil, err
	}
	p := &device.Proof{Case: c, ULPs: problem.Check.ULPs, Acc: q.Acc}
	if p.Length, err = terms(problem, q.DType, &c); err != nil {
		return nil, err
	}
	if p.Launch, err = reference(problem, q.DType, size); err != nil {
		return nil, err
	}
	p.Coherent = problem.Check.Coherent
	p.Rounded = problem.Check.TermType(q.DType)
	if len(p.Acc) == 0 {
		p.Acc = []kernels.DType{kernels.FP32}
	}
	return p, nil
}

// smallest is the workload with the dims that no sum runs over made small, which makes the proof cheap: the model asks
// for the terms of a sum, and no output knows how many others there are. Fewer outputs make the check of the whole less
// sharp: a square of them is kept.
func (q *Wanted) smallest(w kernels.Dims) kernels.Dims {
	size, apart := maps.Clone(w), q.apart()
	for _, dim := range apart {
		r := q.Problem.Range(dim)
		size[dim] = min(w[dim], max(1, q.Effort.lines/r.Step)*r.Step)
	}
	d := &drawer{p: q.Problem, t: q.DType}
	if _, ok := d.work(size); !ok {
		return w
	}
	size = q.halvedTo(size, apart, q.Effort.drawn)
	if ok, err := q.fits(size); !ok || err != nil { // an error comes again with the cases
		return w
	}
	return size
}
