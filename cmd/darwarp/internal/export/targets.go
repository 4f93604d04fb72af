package export

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// target is a form, besides the folder itself, in which a kernel is handed on: files that stand beside
// those of the folder, so that its bench and its provenance go with them.
type target struct {
	name   string
	about  code
	pages  map[string]string // file: template
	linked bool              // it needs launch.h and the kernels as units of their own
	refuse func(*portfolioSheet) error
	proof  func(*portfolioSheet) code
	whole  func(*portfolioSheet, map[string][]byte) error // adds files made of those of linked forms; or nil
}

// linkedPages are what every form in C++ stands on; a portfolio has dispatch.h anyway.
var linkedPages = map[string]string{"dispatch.h": "dispatch.h", "launch.h": "launch.h", "header_bench.cu": "bench.cu"}

// targets are the forms; Targets lists their names.
var targets = []target{
	{"header", "`launch(tensors..., workspace, sizes..., stream)` for C++: `launch.h` to link with the kernels; where " +
		"there is one kernel, `launch.cuh` has it too", nil, true, nil,
		func(s *portfolioSheet) code { return s.HeaderBuild() + " && ./header_bench" }, nil},
	{"torch", "an operator of PyTorch: `torch_op.py` builds and loads it",
		map[string]string{"torch_op.cpp": "torch_op.cpp", "torch_op.py": "torch_op.py", "torch_check.py": "torch_check.py",
			"torch_reference.cu": "torch_reference.cu"},
		true, (*portfolioSheet).refuseTorch, func(*portfolioSheet) code { return "python3 torch_check.py" }, nil},
	{"kernels", "`hub/`, a project in the layout of Hugging Face's kernel-builder", nil, true, (*portfolioSheet).refuseHub,
		func(*portfolioSheet) code { return "cd hub && nix run .#ci-test" }, (*portfolioSheet).addHub},
	{"cupy", "`cupy_example.py`, the kernel through CuPy", map[string]string{"cupy_example.py": "cupy_example.py"}, false,
		(*portfolioSheet).refuseCuPy,
		func(*portfolioSheet) code { return "python3 cupy_example.py" }, nil},
	{"ktuner", "`kernel_tuner.h`, the parameters as Kernel Tuner's `create_device_targets` writes them",
		map[string]string{"kernel_tuner.h": "kernel_tuner.h"}, false, (*portfolioSheet).refuseTuner,
		(*portfolioSheet).benchProof, nil},
	{"flashinfer", "`solution.json`, a Solution of FlashInfer-Bench for the definition of the problem's name", nil, true,
		(*portfolioSheet).refuseHub, (*portfolioSheet).benchProof, (*portfolioSheet).addSolution},
}

// Targets lists what As may hold: bundle is the folder alone.
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

// RefusedError says why a kernel cannot be handed on in a form.
type RefusedError struct {
	Form string
	Err  error
}

func (e *RefusedError) Error() string { return e.Form + ": " + e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// Form is a form as the folder's README tells of it.
type Form struct {
	Name         string
	About, Proof code
}

func wants(as []string, linked bool) bool {
	return slices.ContainsFunc(targets, func(t target) bool {
		return slices.Contains(as, t.name) && (t.linked || !linked)
	})
}

// addForms makes the files of the forms that are asked for.
func (s *portfolioSheet) addForms(as []string, out map[string][]byte) error {
	pages := map[string]string{}
	for _, t := range targets {
		if !slices.Contains(as, t.name) {
			continue
		}
		if err := s.permits(t); err != nil {
			return &RefusedError{t.name, err}
		}
		maps.Copy(pages, t.pages)
		s.Forms = append(s.Forms, Form{t.name, t.about, t.proof(s)})
	}
	if wants(as, true) {
		s.Through = true
		maps.Copy(pages, linkedPages)
		if s.Single {
			pages["launch.cuh"] = "launch.cuh"
		}
	}
	for file, template := range pages {
		var err error
		if out[file], err = page(template, s); err != nil {
			return err
		}
	}
	s.Through = false
	for _, t := range targets {
		if t.whole == nil || !slices.Contains(as, t.name) {
			continue
		}
		if err := t.whole(s, out); err != nil {
			return err
		}
	}
	return nil
}

// permits says why the kernels cannot be handed on in a form.
func (s *portfolioSheet) permits(t target) error {
	if s.Several() && t.name != "header" {
		return errors.New("the kernels are for several architectures: export each run by itself")
	}
	if t.refuse == nil {
		return nil
	}
	return t.refuse(s)
}

func (s *portfolioSheet) benchProof() code { return s.sheet.Build() + " && ./bench" }

// severalKernels refuses a portfolio.
func (s *portfolioSheet) severalKernels() error {
	if !s.Single {
		return fmt.Errorf("a portfolio has several kernels: export one of them by its ID")
	}
	return nil
}

// refuseCuPy refuses what CuPy's launches cannot say.
func (s *portfolioSheet) refuseCuPy() error {
	for _, c := range s.Calls {
		for _, l := range slices.Concat(c.Call.Prepare, c.Call.Launches) {
			if l.Cluster[0]*l.Cluster[1]*l.Cluster[2] > 1 {
				return fmt.Errorf("kernel %s is launched in clusters, which CuPy cannot do: export it as header", l.Entry)
			}
		}
	}
	return s.severalKernels()
}

func (s *portfolioSheet) refuseTuner() error {
	if len(s.Job.Variant.Genes) == 0 {
		return fmt.Errorf("the candidate is a source of its own and has no parameters")
	}
	return s.severalKernels()
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

// between is what Kernel Tuner's store_results takes out of the name of a device.
var between = regexp.MustCompile("[^0-9a-zA-Z]+")

// TargetMacro is the GPU as Kernel Tuner names it in a macro: TARGET_NVIDIA_H200.
func (s *sheet) TargetMacro() string {
	return "TARGET_" + between.ReplaceAllString(strings.TrimSpace(s.Device.Name), "_")
}

// Figures are the candidate's times, a line for each; none when they stand on nothing.
func (s *sheet) Figures() []string {
	var out []string
	for _, t := range s.Candidate.Result.Times {
		if s.Provenance != nil {
			out = append(out, fmt.Sprintf("%s: %s %s on %s", t.Workload, report.Interval(t.Median, t.Lo, t.Hi), t.Cache,
				s.Provenance.Device.Label()))
		}
	}
	return out
}

// identifier is a name in C and Python of a name: what cannot be part of one is replaced.
func identifier(s string) code {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return code(s)
}
