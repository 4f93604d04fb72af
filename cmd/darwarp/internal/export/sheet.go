package export

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// sheet is a Kernel with every number known: what the page templates see.
type sheet struct {
	Kernel
	Problem *kernels.Problem
	Calls   []call
	Entries []string // kernels of the source that are launched, each once
	Ref     refUnit
	Unit    unit   // of the kernel alone
	Units   []unit // of a portfolio: a translation unit for each kernel; none: Unit
	Through bool   // the bench goes through launch.h
	Forms   []Form // the folder's further forms
}

// call is one workload resolved.
type call struct {
	kernels.Workload
	Flops, Bytes float64
	Terms        int // summed per output element
	Buffers      []kernels.Buffer
	Reference    kernels.Launch
	Call         kernels.Call
}

// Possible says why kernels of a problem cannot be exported, nil where they can.
func Possible(p *kernels.Problem) error {
	for _, t := range p.Tensors {
		if t.Made {
			return fmt.Errorf("%s is made of other inputs: kernels of such a problem cannot be exported yet", t.Name)
		}
	}
	return nil
}

func (k Kernel) sheet() (*sheet, error) {
	s := &sheet{Kernel: k, Problem: k.Bundle.Problem}
	if err := Possible(s.Problem); err != nil {
		return nil, err
	}
	for _, w := range k.Workloads {
		c, err := k.resolve(w)
		if err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.Name, err)
		}
		s.Calls = append(s.Calls, c)
		for _, l := range slices.Concat(c.Call.Prepare, c.Call.Launches) {
			if !slices.Contains(s.Entries, l.Entry) {
				s.Entries = append(s.Entries, l.Entry)
			}
		}
	}
	var err error
	if s.Unit, err = k.unit("kernel_0", "kernel.cu"); err != nil {
		return nil, err
	}
	s.Ref, err = k.reference()
	return s, err
}

func (k Kernel) resolve(w kernels.Workload) (c call, err error) {
	p := k.Bundle.Problem
	c.Workload = w
	if c.Flops, c.Bytes, err = p.Work(w.Dims, k.DType); err != nil {
		return c, err
	}
	if c.Terms, err = p.Reduction(w.Dims, k.DType); err != nil {
		return c, err
	}
	if c.Buffers, err = p.Buffers(w.Dims, k.DType); err != nil {
		return c, err
	}
	if c.Reference, err = p.ReferenceLaunch(w.Dims, k.DType); err != nil {
		return c, err
	}
	c.Call, err = k.Job.Resolve(w.Dims)
	return c, err
}

// Launches is what launch.json holds.
func (s *sheet) Launches() any {
	type workload struct {
		Name    string           `json:"name"`
		Dims    kernels.Dims     `json:"dims"`
		Tensors []kernels.Buffer `json:"tensors"`
		kernels.Call
	}
	var all []workload
	for _, c := range s.Calls {
		all = append(all, workload{c.Name, c.Dims, c.Buffers, c.Call})
	}
	return struct {
		Problem   string         `json:"problem"`
		Kind      string         `json:"kind"` // of the device that it was found on
		Flags     []string       `json:"flags,omitempty"`
		Source    string         `json:"source"`
		Arch      string         `json:"arch"`
		Family    string         `json:"family,omitempty"`
		Genes     kernels.Genome `json:"genes,omitempty"`
		Workloads []workload     `json:"workloads"`
		// What the module takes and gives otherwise
		Module *kernels.Signature `json:"module,omitempty"`
	}{s.Problem.Name, s.Device.Kind, s.TorchFlags(),
		"kernel.cu", s.Device.Arch, s.Job.Variant.Family, s.Job.Variant.Genes, all, s.Problem.Reference.Module}
}

// Acc is the type that the sums are kept in.
func (s *sheet) Acc() kernels.DType {
	if s.Job.Acc == "" {
		return kernels.FP32
	}
	return s.Job.Acc
}

// TermRoundoff is the unit roundoff of the type that terms are rounded to before they are added, or 0.
func (s *sheet) TermRoundoff() float64 {
	switch t := s.Problem.Check.TermType(s.DType); t {
	case "":
		return 0
	case kernels.TF32: // of both factors
		return 2 * t.Roundoff()
	default:
		return t.Roundoff()
	}
}

// Timings are the candidate's times of a workload.
func (s *sheet) Timings(workload string) []kernels.Timing {
	return slices.DeleteFunc(slices.Clone(s.Candidate.Result.Times),
		func(t kernels.Timing) bool { return t.Workload != workload })
}

// Doubts are all parts of the trial in order, those that are pending included.
func (s *sheet) Doubts() (all []kernels.Doubt) {
	for _, part := range kernels.WholeTrial {
		all = append(all, s.Trial.Part(part))
	}
	return all
}

// TrialLine is the trial in one line.
func (s *sheet) TrialLine() string {
	return fmt.Sprintf("%s: %s", s.Trial.Exported(), s.Trial.Of(kernels.WholeTrial))
}

// Doubted reports whether a part of the trial is pending.
func (s *sheet) Doubted() bool { return len(s.Trial.Missing(kernels.WholeTrial)) > 0 }

// Cold reports whether the run's times are of inputs that are not in L2.
func (s *sheet) Cold() bool { return s.Provenance != nil && s.Provenance.CacheMode == "cold" }

// Gencode is the architecture as CMake writes it: 90a, or native.
func (s *sheet) Gencode() string { return strings.TrimPrefix(s.Target(), "sm_") }

// funcs are what the templates call. Those that return code make it of numbers and of names that they check.
var funcs = template.FuncMap{
	"time":      func(ns float64) code { return code(report.Time(ns)) },
	"interval":  func(t kernels.Timing) code { return code(report.Interval(t.Median, t.Lo, t.Hi)) },
	"rate":      func(work, ns float64) float64 { return work / (ns * 1e-9) },
	"flops":     func(rate float64) code { return code(report.Flops(rate)) },
	"bandwidth": func(rate float64) code { return code(report.Bandwidth(rate)) },
	"last":      func(list []string) int { return len(list) - 1 },
	"quote":     func(s any) literal { return literal(fmt.Sprint(s)) },
	"prose":     func(s any) prose { return prose(fmt.Sprint(s)) },
	"name":      func(s string) (code, error) { return list("", []string{s}) },
	"span":      func(s any) code { return span(code(line(fmt.Sprint(s)))) },
	"dim3":      func(d [3]int) code { return code(fmt.Sprintf("dim3(%d, %d, %d)", d[0], d[1], d[2])) },
	"dtype":     func(t kernels.DType) string { return strings.ToUpper(string(t)) }, // as bench.cu's enum has it
	"dims":      dimList,
	"baseline":  figures.BaselineText,
	"origin":    figures.OriginText,
	"over": func(p kernels.Pace, c kernels.Candidate) code {
		return code(report.Headline(p.Speedup(c.Score), p.Guesses(c.ID, c.Score)))
	},
	"firstLine": report.FirstLine,
	"short":     func(id kernels.ID) code { return code(id.Short()) },
	"hex":       func(f float64) code { return code(fmt.Sprintf("%g", f)) },
	"genes":     sortedGenes,
	"join":      strings.Join,
	"list":      func(names []string) (code, error) { return list("", names) },
	"add":       func(a, b int) int { return a + b },
	"drawn_as":  drawnAs,
	"ctype":     func(t kernels.DType) code { return code(t.CType()) },
	"aten":      func(t kernels.DType) string { return torchTypes[t][0] },
	"pytype":    func(t kernels.DType) string { return torchTypes[t][1] },
	"pydraw":    pyDraw,
	"pyshape":   func(b kernels.Buffer) code { return "[" + join(numbers(b.Shape), ", ") + "]" },
	"snake":     identifier,
	"dim":       func(d [3]int) code { return code(fmt.Sprintf("(%d, %d, %d)", d[0], d[1], d[2])) },
	"dimOf":     func(name string, d kernels.Dims) int { return d[name] },
	"gain": func(g kernels.Gain) code {
		return code(report.Gain(g.Ratio, g.Lo, g.Hi))
	},
}

// sortedGenes lists a genome by name.
func sortedGenes(g kernels.Genome) [][2]string {
	var out [][2]string
	for name, v := range g {
		out = append(out, [2]string{name, v.String()})
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// dimList writes a workload's sizes in the problem's order: 128, 64.
func dimList(p *kernels.Problem, d kernels.Dims) code {
	parts := make([]string, len(p.DimNames))
	for i, name := range p.DimNames {
		parts[i] = fmt.Sprint(d[name])
	}
	return code(strings.Join(parts, ", "))
}

// Over is how many times as fast as a baseline the candidate is, in pairs where they were measured so.
func (s *sheet) Over(b kernels.BaselineResult, t kernels.Timing) code {
	if v := (figures.Figures{Duels: s.Duels}).Speedup(b, t); v > 0 {
		return code(report.Ratio(v))
	}
	return "-"
}

// drawCodes are ways to draw whole numbers, as harness.cuh knows them.
var drawCodes = map[kernels.Draw]int{kernels.Evenly: 1, kernels.Lengths: 2, kernels.Permutation: 3,
	kernels.Offsets: 4, kernels.Skewed: 4}

// scales is the way to draw numbers that are not whole, as harness.cuh knows it.
const scales = 5

// drawnAs is how the numbers of an input are drawn, and from which range; 0, 0, 0 where they are those of no range.
func drawnAs(b kernels.Buffer) code {
	if b.Drawn == nil {
		return "0, 0, 0"
	}
	how := scales
	if b.DType.Whole() {
		how = drawCodes[b.Drawn.How]
	}
	return code(fmt.Sprintf("%d, %.17g, %.17g", how, b.Drawn.Low, b.Drawn.High))
}
