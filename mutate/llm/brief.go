package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"darwarp/kernels"
)

// Brief is what a prompt may tell: the information, apart from its wording. I1, I2 and I3 are the paper's
// names for task and hardware, earlier solutions, and insights.
type Brief struct {
	Task // I1

	Base Solution // what edits apply to; its code is shown in every configuration

	// I2
	Others []Solution // further parents, best first

	// I3
	Insights  []string // what was tried and what came of it, one line each
	Findings  []string // what choices buy that were taken back and measured, one line each
	Explained string   // the kernel whose choices they are; empty: the base
	Counters  []string // a profiler's figures of the base, one line a workload
	Figures   bool     // solutions show their resources, too

	Why string // repair: what was wrong with the reply before, bounded and printable
}

// Task is what is to be computed on what, and in which forms a reply may come.
type Task struct {
	Problem   *kernels.Problem
	Reference string // source of the reference kernel
	DType     kernels.DType
	Device    kernels.Device
	Ceilings  *kernels.Ceilings // null: not measured
	Workloads []kernels.Workload
	Families  []*kernels.Family // whose genes may be set
	GenesOnly bool              // the device can judge points of the families and nothing else
	Templates bool              // a template with genes of its own is taken
	Headers   map[string]string // files of the device library that the base uses, by name
}

// Solution is a candidate as a prompt shows it.
type Solution struct {
	ID        kernels.ID
	Label     string // family and genes
	Source    string // without comments
	Plan      kernels.PlanSpec
	Acc       kernels.DType
	Speedup   float64 // over the naive start
	Times     []kernels.Timing
	Resources []kernels.Resources
}

// PlanJSON is the launch plan as a reply would write it.
func (s Solution) PlanJSON() (string, error) {
	b, err := json.MarshalIndent(s.Plan, "", "  ")
	return string(b), err
}

// MapPlan is an example of a plan with a tensor map, over the problem's first tensor; empty where the device has none.
func (b Brief) MapPlan() (string, error) {
	if b.Device.CC < 90 || len(b.Problem.Tensors) == 0 {
		return "", nil
	}
	t := b.Problem.Tensors[0]
	inner := len(t.Shape) - 1
	box := slices.Repeat([]string{"1"}, inner+1)
	box[inner] = "128 / elem"
	if inner > 0 {
		box[inner-1] = "64"
	}
	name := t.Name + "_boxes"
	plan, err := json.Marshal(kernels.PlanSpec{Launches: []kernels.LaunchSpec{{
		When: fmt.Sprintf("(%s) * elem %% 16 == 0", t.Shape[inner]), Entry: "name", Grid: []string{"device.sms"},
		Block: []string{"128"}, Args: []string{name},
		TensorMaps: []kernels.TensorMapSpec{{Name: name, Tensor: t.Name, Box: box, Swizzle: "128"}},
	}}})
	return string(plan), err
}

// Facts are a solution's measured figures in lines, with its resources where they are wanted.
func (s Solution) Facts(resources bool) (out []string) {
	if s.Speedup > 0 {
		out = append(out, fmt.Sprintf("%.2f times as fast as the naive start", s.Speedup))
	}
	for _, t := range s.Times {
		out = append(out, fmt.Sprintf("%s: %.4g ns", t.Workload, t.Median))
	}
	if !resources {
		return out
	}
	for _, r := range s.Resources {
		out = append(out, fmt.Sprintf("%s: %d registers, %d bytes spilled, %d bytes of static and %d of dynamic shared "+
			"memory, %d blocks a multiprocessor, occupancy %.0f %%",
			r.Entry, r.Registers, r.SpillStores+r.SpillLoads, r.StaticSmem, r.DynamicSmem, r.BlocksPerSM, 100*r.Occupancy))
	}
	return out
}

// Config is how much a prompt tells: one of the paper's three.
type Config struct {
	Name      string
	About     string
	solutions bool // I2
	insights  bool // I3
	operators []string
}

// Repair is the operator that tells a model what was wrong with its reply.
const Repair = "repair"

var configs = []Config{
	{Name: "free", About: "the task and the best kernel's code", operators: []string{"init"}},
	{Name: "insight", About: "and what was tried and what came of it", insights: true, operators: []string{"init"}},
	{Name: "full", About: "and earlier kernels with their figures", solutions: true, insights: true,
		operators: []string{"init", "mutate", "crossover", "explain"}},
}

// Configs lists the names of configurations, from telling little to telling all.
func Configs() (names []string) {
	for _, c := range configs {
		names = append(names, c.Name)
	}
	return names
}

// FindConfig finds a configuration by name.
func FindConfig(name string) (Config, error) {
	for _, c := range configs {
		if c.Name == name {
			return c, nil
		}
	}
	return Config{}, fmt.Errorf("%q: expected %s", name, strings.Join(Configs(), ", "))
}

// Parents is how many further solutions an operator is shown, and how many it cannot do without.
func Parents(operator string) (most, least int) {
	switch operator {
	case "crossover":
		return 2, 1
	case "mutate":
		return 1, 0
	}
	return 0, 0
}

// Variants makes what a reply proposes: points, or a source of its own with its plan. The error is one
// line for the model. A template is no variant: it is a family of them.
func (r *Reply) Variants(b *Brief) ([]kernels.Variant, error) {
	switch {
	case b.GenesOnly && len(r.Points) == 0:
		return nil, errors.New("only the section genes can be used here")
	case r.Template != "" && !b.Templates:
		return nil, errors.New("the section template cannot be used here: the run has as many families as it takes")
	case r.Template != "":
		return nil, nil
	}
	if len(r.Points) > 0 {
		return r.Points, nil
	}
	v := kernels.Variant{Source: r.Kernel, Plan: r.Plan, Acc: kernels.FP32}
	if len(r.Edits) > 0 {
		var err error
		if v.Source, err = Apply(b.Base.Source, r.Edits); err != nil {
			return nil, err
		}
		v.Acc = cmp.Or(b.Base.Acc, kernels.FP32)
	}
	if v.Plan == nil {
		plan := b.Base.Plan
		v.Plan = &plan
	}
	return []kernels.Variant{v}, CheckSource(v.Source, *v.Plan)
}

var wordsRE = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// CheckSource refuses what cannot be a kernel of a plan, before it costs anything.
func CheckSource(source string, plan kernels.PlanSpec) error {
	if len(source) > maxKernel {
		return fmt.Errorf("the source has %d bytes: at most %d", len(source), maxKernel)
	}
	words := map[string]bool{}
	for t := range tokens(source) {
		if wordsRE.MatchString(t) {
			words[t] = true
		}
	}
	if !words["__global__"] {
		return errors.New("the source has no __global__ function")
	}
	for _, l := range plan.Launches {
		if !words[l.Entry] {
			return fmt.Errorf("the source has no function %q, which the plan launches", Line(l.Entry, 60))
		}
	}
	return nil
}

// told is what an outcome means to the author of the kernel.
var told = map[kernels.Outcome]string{
	kernels.Invalid:       "its launch plan cannot be used",
	kernels.Unsupported:   "it uses what this device does not have",
	kernels.CompileFailed: "it does not compile",
	kernels.Wrong:         "its results are wrong",
	kernels.Crashed:       "it crashed",
	kernels.TimedOut:      "it did not finish in time",
	kernels.Suspect:       "it was refused: it writes where it must not, or is faster than the hardware can be",
	kernels.Flaky:         "its results differ from run to run",
	kernels.Duplicate:     "it compiles to the machine code of an earlier candidate",
}
