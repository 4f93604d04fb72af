package eval

import (
	"context"
	"errors"
	"fmt"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/check"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// Twins runs candidates on a GPU and on the cpu device, on the same inputs, and compares what comes out.
type Twins struct {
	GPU, CPU *Pool
}

// OpenTwins readies both devices for the problem of a configuration, whose Kind is not asked. They share
// the cases, which are those of the cpu device, their secret seeds, and the inputs as the GPU made them.
// An *env.Error says what this machine lacks.
func OpenTwins(ctx context.Context, cfg Config) (*Twins, error) {
	return openTwins(ctx, cfg, "cuda")
}

func openTwins(ctx context.Context, cfg Config, first string) (t *Twins, err error) {
	if err := cfg.Locate().CXX.Missing(); err != nil { // before a GPU is set to work
		return nil, err
	}
	both := &rig.Shared{}
	if both.Cases, err = cases.New(cases.Wanted{Problem: cfg.Problem, DType: cfg.DType,
		Workloads: cfg.Workloads, Effort: cases.Emulated(), RNG: rig.SecretNumbers()}); err != nil {
		return nil, err
	}
	t = &Twins{}
	cfg.Kind = first
	if t.GPU, err = openAs(ctx, cfg, rig.Options{Shared: both}); err != nil {
		return nil, err
	}
	cfg.Kind = "cpu"
	if t.CPU, err = openAs(ctx, cfg, rig.Options{Shared: both}); err != nil {
		return nil, errors.Join(err, t.GPU.Close())
	}
	return t, nil
}

// Close ends all workers.
func (t *Twins) Close() error { return errors.Join(t.GPU.Close(), t.CPU.Close()) }

// Spread is how far the outputs of two devices are apart on the cases of one input class.
type Spread struct {
	Elements int     `json:"elements"`
	Equal    int     `json:"equal"`           // of them, with the same bits
	Outside  int     `json:"outside"`         // apart by more than one output may be from the truth
	Worst    float64 `json:"worst"`           // the greatest difference, of that tolerance
	Where    string  `json:"where,omitempty"` // the case with the greatest difference
}

// Compared is one candidate on both devices.
type Compared struct {
	GPU     kernels.Result    `json:"gpu"` // the verdict of the gate; nothing is timed
	CPU     kernels.Result    `json:"cpu"`
	Classes map[string]Spread `json:"classes,omitempty"` // by input class; empty unless both ran every case
}

// Agree reports whether the verdicts are the same and no output is further apart than the error model allows
// one of them.
func (c *Compared) Agree() bool {
	for _, s := range c.Classes {
		if s.Outside > 0 {
			return false
		}
	}
	return c.GPU.Outcome == c.CPU.Outcome
}

// Compare gates one candidate on both devices; the jobs are of the same source, rendered for each of them.
// Candidates with the same machine code are not told apart. An error means that we are broken, or
// that ctx ended.
func (t *Twins) Compare(ctx context.Context, onGPU, onCPU *kernels.Job) (Compared, error) {
	var c Compared
	var outputs [2][]byte
	for i, side := range []struct {
		pool *Pool
		job  *kernels.Job
		res  *kernels.Result
	}{{t.GPU, onGPU, &c.GPU}, {t.CPU, onCPU, &c.CPU}} {
		e := &verdict.Evaluation{Session: side.pool.Session, Job: side.job, Again: true, Outputs: &outputs[i]}
		for _, step := range []func(context.Context) error{e.Resolve, e.Compile, e.Gate} {
			if err := step(ctx); err != nil {
				return c, err
			}
			if e.Res.Outcome != kernels.Unknown {
				break
			}
		}
		if e.Res.Outcome == kernels.Unknown {
			e.Res.Outcome = kernels.OK
		}
		e.Res.Detail = kernels.CleanDetail(e.Res.Detail)
		*side.res = e.Res
	}
	if outputs[0] != nil && outputs[1] != nil {
		c.Classes = t.spread(outputs[0], outputs[1], onGPU.Acc)
	}
	return c, nil
}

// spread compares the outputs of all cases, class by class, in units of the tolerance that the GPU's own
// truth gives.
func (t *Twins) spread(a, b []byte, acc kernels.DType) map[string]Spread {
	p, classes, at := t.GPU, map[string]Spread{}, 0
	for _, i := range p.Cases.Gated() {
		c := &p.Cases.List[i]
		model := p.Runner.Judge.Setup.Model(i, acc)
		s := classes[c.Class]
		for j, truth := range p.Runner.Judge.Setup.Truths(i, p.Truth.Map()) {
			o := c.Outputs()[j]
			d := check.Between(a[at:at+o.Bytes()], b[at:at+o.Bytes()], o.DType, truth, model)
			s.Elements, s.Equal, s.Outside = s.Elements+o.Elems(), s.Equal+d.Equal, s.Outside+d.Outside
			if d.Worst > s.Worst {
				s.Worst, s.Where = d.Worst, fmt.Sprintf("%s: %s", c.Name, o.Name)
			}
			at += (o.Bytes() + 255) &^ 255
		}
		classes[c.Class] = s
	}
	return classes
}
