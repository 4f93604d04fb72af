// Package export writes a kernel as a folder that stands by itself: the source, its launches with
// every number known, and a program that checks and times it with nvcc and nothing else.
package export

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"darwarp/kernels"
	"darwarp/templates"
)

// Kernel is what is exported, with what is known about it.
type Kernel struct {
	Bundle     *templates.Bundle
	DType      kernels.DType
	Workloads  []kernels.Workload
	Job        kernels.Job // rendered for Device
	Device     kernels.Device
	Candidate  kernels.Candidate
	Lineage    []kernels.Candidate // from the naive start to Candidate
	Baselines  []kernels.BaselineResult
	Provenance *kernels.Provenance // what the figures stand on; nil: they are not written
	Run        string              // the run's file as the user named it
	Cubin      []byte              // nil: not written
	NVCCFlags  []string            // what nvcc needs besides the architecture, for the same machine code
	As         []string            // further forms beside the folder's own files, of Targets
}

// Build is the command that builds the bench.
func (k Kernel) Build() string {
	flags := append([]string{"-O3", "-std=c++17", "-arch=" + k.Device.Arch}, k.NVCCFlags...)
	return "nvcc " + strings.Join(flags, " ") + " -Iinclude bench.cu -o bench"
}

//go:embed *.tmpl
var files embed.FS

//go:embed harness.cuh
var harness []byte

var pages = template.Must(template.New("").Funcs(funcs).Funcs(targetFuncs).ParseFS(files, "*.tmpl"))

// Write makes the folder. It refuses one that has anything in it.
func Write(dir string, k Kernel) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder with -o", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	out, err := k.files()
	if err != nil {
		return err
	}
	for name, data := range out {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files makes every file of the folder, by slash-separated name.
func (k Kernel) files() (map[string][]byte, error) {
	sheet, err := k.sheet()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{
		"kernel.cu":           []byte(k.Job.Source),
		"reference.cu":        []byte(k.Bundle.ReferenceSource(k.DType)),
		"include/harness.cuh": harness,
	}
	for name, data := range templates.Include() {
		if strings.HasPrefix(name, "darwarp/") && strings.HasSuffix(name, ".cuh") {
			out["include/"+name] = data
		}
	}
	if k.Cubin != nil {
		out["kernel.cubin"] = k.Cubin
	}
	for _, name := range []string{"bench.cu", "CMakeLists.txt", "README.md"} {
		var b strings.Builder
		if err := pages.ExecuteTemplate(&b, name+".tmpl", sheet); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = []byte(b.String())
	}
	for name, v := range map[string]any{"launch.json": sheet.Launches(), "PROVENANCE.json": k.proof()} {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = append(data, '\n')
	}
	return out, sheet.addTargets(out)
}

// proof is what PROVENANCE.json holds: everything that the figures stand on.
func (k Kernel) proof() any {
	return struct {
		Problem    string                   `json:"problem"`
		Folder     string                   `json:"folder"`  // hash of the problem folder's files
		Include    string                   `json:"include"` // hash of the device include library
		DType      kernels.DType            `json:"dtype"`
		Provenance *kernels.Provenance      `json:"provenance,omitempty"`
		Candidate  kernels.Candidate        `json:"candidate"`
		Lineage    []kernels.Candidate      `json:"lineage,omitempty"`
		Baselines  []kernels.BaselineResult `json:"baselines,omitempty"`
	}{k.Bundle.Problem.Name, k.Bundle.Hash(), templates.IncludeHash(), k.DType, k.Provenance, k.Candidate, k.Lineage, k.Baselines}
}
