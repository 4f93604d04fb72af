package export

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// target is a form, besides the folder itself, in which a kernel is handed on: files that stand beside
// those of the folder, so that its bench and its provenance go with them.
type target struct {
	name   string
	pages  map[string]string // file: template
	refuse func(*sheet) error
}

// targets are the forms; Targets lists their names.
var targets = []target{
	{"header", map[string]string{"launch.cuh": "launch.cuh.tmpl"}, nil},
	{"cupy", map[string]string{"cupy_example.py": "cupy_example.py.tmpl"}, (*sheet).noClusters},
	{"ktuner", map[string]string{"kernel_tuner.h": "kernel_tuner.h.tmpl"}, (*sheet).hasGenes},
}

// Targets lists what Kernel.As may hold: bundle is the folder alone.
func Targets() []string {
	names := []string{"bundle"}
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// CheckTargets refuses names that are not targets.
func CheckTargets(names []string) error {
	for _, name := range names {
		if !slices.Contains(Targets(), name) {
			return fmt.Errorf("unknown form %q: expected some of %s", name, strings.Join(Targets(), ", "))
		}
	}
	return nil
}

// addTargets makes the files of the forms that are asked for.
func (s *sheet) addTargets(out map[string][]byte) error {
	for _, t := range targets {
		if !slices.Contains(s.As, t.name) {
			continue
		}
		if t.refuse != nil {
			if err := t.refuse(s); err != nil {
				return fmt.Errorf("as %s: %w", t.name, err)
			}
		}
		for file, page := range t.pages {
			var b bytes.Buffer
			if err := pages.ExecuteTemplate(&b, page, s); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			out[file] = b.Bytes()
		}
	}
	return nil
}

// noClusters refuses what CuPy's launches cannot say.
func (s *sheet) noClusters() error {
	for _, c := range s.Calls {
		for _, l := range c.Call.Launches {
			if l.Cluster[0]*l.Cluster[1]*l.Cluster[2] > 1 {
				return fmt.Errorf("kernel %s is launched in clusters, which CuPy cannot do: export it as header", l.Entry)
			}
		}
	}
	return nil
}

func (s *sheet) hasGenes() error {
	if len(s.Job.Variant.Genes) == 0 {
		return fmt.Errorf("the candidate is a source of its own and has no parameters")
	}
	return nil
}

// MostSmem is the launch of a kernel that takes the most shared memory at any size, nil where none takes
// any: a limit that is raised for one size must hold for the others.
func (s *sheet) MostSmem(entry string) (most *kernels.Launch) {
	for _, c := range s.Calls {
		for i, l := range c.Call.Launches {
			if l.Entry == entry && l.Smem > 0 && (most == nil || l.Smem > most.Smem) {
				most = &c.Call.Launches[i]
			}
		}
	}
	return most
}

// Tensors are those of the problem with the types they have here.
func (s *sheet) Tensors() []kernels.Buffer { return s.Calls[0].Buffers }

// define is a gene as a macro: truth values are 1 and 0.
func define(v kernels.Value) string {
	switch v.String() {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return v.String()
}

// Macros are the genes, and the shape of the first kernel's block under the names that Kernel Tuner
// gives it.
func (s *sheet) Macros() [][2]string {
	all := map[string]string{}
	for i, name := range []string{"block_size_x", "block_size_y", "block_size_z"} {
		all[name] = fmt.Sprint(s.Calls[0].Call.Launches[0].Block[i])
	}
	for name, v := range s.Job.Variant.Genes {
		all[name] = define(v)
	}
	var out [][2]string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, [2]string{name, all[name]})
	}
	return out
}

// TargetMacro is the GPU as Kernel Tuner names it in a macro: TARGET_NVIDIA_H200.
func (s *sheet) TargetMacro() string {
	return "TARGET_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s.Device.Name)
}

// Figure is the candidate's time of a workload in one line, or nothing when it stands on nothing.
func (s *sheet) Figure(workload string) string {
	for _, t := range s.Timings(workload) {
		if s.Provenance != nil {
			return fmt.Sprintf("%s %s on %s", report.Interval(t.Median, t.Lo, t.Hi), t.Cache, s.Provenance.Device.Name)
		}
	}
	return ""
}

// aligned is where each scratch buffer of a call begins in one piece of memory, and its end.
func aligned(scratch []kernels.Scratch) (at []int, end int) {
	const align = 256 // what cudaMalloc gives, too
	for _, s := range scratch {
		at = append(at, end)
		end += (s.Bytes + align - 1) / align * align
	}
	return at, end
}

var targetFuncs = template.FuncMap{
	"workspace": func(c kernels.Call) int { _, end := aligned(c.Scratch); return end },
	"offset":    func(c kernels.Call, i int) int { at, _ := aligned(c.Scratch); return at[i] },
	"sameDims": func(p *kernels.Problem, d kernels.Dims) string {
		var parts []string
		for _, n := range p.DimNames {
			parts = append(parts, fmt.Sprintf("%s == %d", n, d[n]))
		}
		return strings.Join(parts, " && ")
	},
	"params":    func(p *kernels.Problem) string { return "int " + strings.Join(p.DimNames, ", int ") },
	"list":      func(p *kernels.Problem) string { return strings.Join(p.DimNames, ", ") },
	"clustered": func(l kernels.Launch) bool { return l.Cluster[0]*l.Cluster[1]*l.Cluster[2] > 1 },
	"ctype":     func(t kernels.DType) string { return t.CType() },
	"snake":     snake,
}

// snake is a problem's name as part of an identifier.
func snake(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
}
