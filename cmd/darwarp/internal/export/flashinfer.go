package export

import (
	"fmt"
	"strings"
)

// solution is a Solution of FlashInfer-Bench (flashinfer_bench/data/solution.py, version 0.1.2).
type solution struct {
	Name        string           `json:"name"`
	Definition  string           `json:"definition"`
	Author      string           `json:"author"`
	Spec        solutionSpec     `json:"spec"`
	Sources     []solutionSource `json:"sources"`
	Description string           `json:"description"`
}

type solutionSpec struct {
	Language     string   `json:"language"`
	Hardware     []string `json:"target_hardware"`
	EntryPoint   string   `json:"entry_point"`
	Dependencies []string `json:"dependencies"`
	Destination  bool     `json:"destination_passing_style"` // outputs are arguments
	Binding      string   `json:"binding"`
}

type solutionSource struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// addSolution makes solution.json. Each .cu and .cpp of a solution is compiled by itself, so that the kernels' sources,
// which their units include, are headers there.
func (s *portfolioSheet) addSolution(out map[string][]byte) error {
	binding, err := page("flashinfer_binding.cpp", s)
	if err != nil {
		return err
	}
	sources := []solutionSource{{"binding.cpp", string(binding)}}
	for _, name := range append([]string{"dispatch.h", "launch.h"}, s.IncludeFiles()...) {
		sources = append(sources, solutionSource{strings.TrimPrefix(name, "include/"), string(out[name])})
	}
	for i, u := range s.Units {
		u.Source = code(strings.TrimSuffix(string(u.Source), ".cu") + ".cuh")
		sources = append(sources, solutionSource{string(u.Source), string(s.Sheets[i].signed())},
			solutionSource{string(u.File), u.wrapper()})
	}
	return addJSON(out, map[string]any{"solution.json": solution{
		Name:       "darwarp_" + strings.ToLower(string(s.Namespace())),
		Definition: s.Problem.Name, Author: "darwarp", Description: s.solutionAbout(),
		Spec: solutionSpec{Language: "cuda", Hardware: []string{strings.ReplaceAll(s.Device.Name, " ", "_")},
			EntryPoint: "binding.cpp::run", Dependencies: []string{}, Binding: "torch"},
		Sources: sources}})
}

// solutionAbout says what the builder has to be told, which a solution has no field for.
func (s *portfolioSheet) solutionAbout() string {
	about := fmt.Sprintf("Found and measured by darwarp on %s. Build it with TORCH_CUDA_ARCH_LIST=%s.", s.Device.Name,
		s.Capability())
	for _, u := range s.Units {
		if len(u.NVCCFlags) > 0 {
			about += fmt.Sprintf(" %s was measured with %s.", u.File, strings.Join(u.NVCCFlags, " "))
		}
	}
	return about
}
