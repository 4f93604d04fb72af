package eval

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// power is what a session has found out about the check at one workload.
type power struct {
	bank  string   // input class of the bank: it tells whatever a wrong kernel may leave out
	unfit []string // classes that do not suit an accumulator in use
	tails bool     // needles are needed beside the bank, on which a few terms at the end of a sum could go unseen
}

// provenCases makes the case list, with input classes of which it is proved that the check can tell right from wrong on
// them.
func (p *Pool) provenCases(ctx context.Context, open device.Open, reference []byte) (*caseSet, error) {
	rng, e := device.SecretNumbers(), p.effort()
	powers, err := p.provePower(ctx, open, reference, rng, e)
	if err != nil {
		return nil, err
	}
	return newCases(wanted{p.cfg.Problem, p.cfg.DType, p.cfg.Workloads, e, powers, rng})
}

// prover asks a process of its own, which never sees a candidate, what the check would find.
type prover struct {
	*Pool
	rng       *rand.Rand
	e         effort
	reference []byte
	worker    *proc.Worker
}

// powerDeadline bounds one workload's proof.
const powerDeadline = fillDeadline

func (p *Pool) provePower(ctx context.Context, open device.Open, reference []byte, rng *rand.Rand, e effort) (
	map[string]power, error) {
	p.cfg.progress("proving what the check detects")
	none, err := proc.NewShared("darwarp-none", 4096)
	if err != nil {
		return nil, err
	}
	defer none.Close()
	open.Library = ""
	w, _, err := startWorker(ctx, p.role, open, nil, none.File())
	if err != nil {
		return nil, err
	}
	defer w.Close()
	q := &prover{Pool: p, rng: rng, e: e, reference: reference, worker: w}
	powers := map[string]power{}
	for _, load := range p.cfg.Workloads {
		if powers[load.Name], err = q.workload(ctx, load); err != nil {
			return nil, err
		}
	}
	return powers, nil
}

// workload finds the first input class that tells everything, and those that do not suit the accumulators.
func (q *prover) workload(ctx context.Context, w kernels.Workload) (found power, err error) {
	size, classes := q.smallest(w.Dims), q.classes()
	if len(classes) == 0 { // integers, which are compared bit for bit
		return power{bank: "exact"}, nil
	}
	why := ""
	for _, class := range classes {
		left := q.omissions
		if found.bank != "" {
			left = nothing
		}
		got, err := q.ask(ctx, size, class, left)
		if err != nil {
			return found, err
		}
		if got.Unfit != "" {
			found.unfit = append(found.unfit, class)
			got.Missed = "an error larger than a right kernel may have with sums in " + got.Unfit
		}
		switch {
		case got.Missed == "" && found.bank == "":
			found.bank = class
		case got.Missed != "":
			q.log.Info("power", "workload", w.Name, "class", class, "passes", got.Missed)
			if why == "" {
				why = fmt.Sprintf("%s, on inputs of class %s", got.Missed, class)
			}
		}
	}
	switch {
	case found.bank == "":
		return found, fmt.Errorf("%w: at %s it would accept %s, and no other class detects more", ErrUnfit, w.Name, why)
	case found.bank != q.cfg.Problem.Check.Inputs[0]:
		q.cfg.progress(fmt.Sprintf("%s is scored on inputs of class %s, because the check would otherwise accept %s",
			w.Name, found.bank,
			why))
	}
	if found.bank != kernels.Needles && slices.Contains(classes, kernels.Needles) &&
		!slices.Contains(found.unfit, kernels.Needles) {
		found.tails, err = q.needsNeedles(ctx, size, found.bank)
	}
	return found, err
}

// classes are those that can tell something of rounding, in the order of being tried.
func (q *prover) classes() []string {
	list := slices.DeleteFunc(slices.Clone(q.cfg.Problem.Check.Inputs), func(c string) bool { return c == "exact" })
	if len(list) > 0 && slices.Contains(q.cfg.Problem.Hard(), kernels.Needles) {
		list = append(list, kernels.Needles)
	}
	return list
}

// needsNeedles reports whether a few terms at either end of a sum, less than the part that every bank must tell, go
// unseen on a class and are seen on needles. A tail that a loop forgets is no larger.
func (q *prover) needsNeedles(ctx context.Context, size kernels.Dims, class string) (bool, error) {
	got, err := q.ask(ctx, size, class, ends)
	if err != nil || got.Missed == "" {
		return false, err
	}
	got, err = q.ask(ctx, size, kernels.Needles, q.omissions)
	return err == nil && got.Missed == "" && got.Unfit == "", err
}

// ask proves one class: that a right kernel is within the tolerance, and that none is that leaves out what is listed.
func (q *prover) ask(ctx context.Context, size kernels.Dims, class string,
	left func(*device.Proof) []device.Omission) (device.ProofReply, error) {
	p, err := q.proof(size, class)
	if err != nil {
		return device.ProofReply{}, err
	}
	p.Omissions = left(p)
	var reply device.PowerReply
	req := device.Request{Power: &device.Power{Cubin: q.reference, Proofs: []device.Proof{*p}}}
	if err := q.worker.Call(ctx, req, &reply, powerDeadline, nil); err != nil {
		return device.ProofReply{}, fmt.Errorf("prove the check's power: %w", err)
	}
	if len(reply.Proofs) != 1 {
		return device.ProofReply{}, fmt.Errorf("prove the check's power: %d answers", len(reply.Proofs))
	}
	return reply.Proofs[0], nil
}

func (q *prover) proof(size kernels.Dims, class string) (*device.Proof, error) {
	problem := q.cfg.Problem
	c := device.Case{Name: sizeName(problem, size) + " " + class, Dims: size, Class: class, Seed: q.rng.Uint64(),
		Terms: device.TermsOf(problem)}
	var err error
	if c.Buffers, err = problem.Buffers(size, q.cfg.DType); err != nil {
		return nil, err
	}
	p := &device.Proof{Case: c, ULPs: problem.Check.ULPs, Acc: q.cfg.Acc}
	if p.K, err = q.terms(&c); err != nil {
		return nil, err
	}
	if p.Launch, err = q.referenceAt(size); err != nil {
		return nil, err
	}
	if problem.Check.RoundedTerms {
		p.Rounded = q.cfg.DType
	}
	if len(p.Acc) == 0 {
		p.Acc = []kernels.DType{kernels.FP32}
	}
	return p, nil
}

// terms is K of the error model.
func (p *Pool) terms(c *device.Case) (int, error) {
	k, err := p.cfg.Problem.Reduction(c.Dims, p.cfg.DType)
	if err != nil {
		return 0, fmt.Errorf("check.reduction: %w", err)
	}
	if c.Class == kernels.Needles {
		k = min(k, device.MostNeedles)
	}
	if len(c.Terms) > 0 { // sums of one term are made as those of several
		k = max(k, 2)
	}
	return k, nil
}

// smallest is the workload with the dims that no sum runs over made small, which makes the proof cheap: the model asks
// for the terms of a sum, and no output knows how many others there are. Fewer outputs make the check of the whole less
// sharp.
func (q *prover) smallest(w kernels.Dims) kernels.Dims {
	size := maps.Clone(w)
	for _, dim := range q.cfg.Problem.DimNames {
		r := q.cfg.Problem.Range(dim)
		if len(r.Values) == 0 && !q.cfg.Problem.Sums(dim) {
			size[dim] = min(w[dim], max(1, q.e.lines/r.Step)*r.Step)
		}
	}
	if _, ok := (&drawer{p: q.cfg.Problem, t: q.cfg.DType}).work(size); !ok {
		return w
	}
	return size
}
