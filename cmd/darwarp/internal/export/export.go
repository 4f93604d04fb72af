// Package export writes a kernel as a folder that stands by itself: the source, its launches with
// every number known, and a program that checks and times it with nvcc and nothing else.
package export

import (
	_ "embed" // the bench's device code
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	userfiles "darwarp/cmd/darwarp/internal/files"
	"darwarp/kernels"
	"darwarp/templates"
)

// Kernel is what is exported, with what is known about it.
type Kernel struct {
	Bundle    *templates.Bundle
	DType     kernels.DType
	Workloads []kernels.Workload
	Job       kernels.Job // rendered for Device
	Device    kernels.Device
	Candidate kernels.Candidate
	Lineage   []kernels.Candidate // from the naive start to Candidate
	Run       string              // the run's file as the user named it
	Record
	Extras
}

// Record is what was measured of a kernel.
type Record struct {
	Provenance *kernels.Provenance // what the figures stand on; nil: they are not written
	Baselines  []kernels.BaselineResult
	Trial      kernels.Trial  // what it stood as a would-be champion
	Pace       kernels.Pace   // of the run's scores
	Duels      []kernels.Duel // with baselines
}

// Extras are what a folder has besides its sources.
type Extras struct {
	Cubin     []byte   // nil: not written
	As        []string // further forms beside the folder's own files, of Targets
	NVCCFlags []string // what nvcc needs besides the architecture, for the same machine code
}

// Build is the command that builds the bench.
func (k Kernel) Build() code { return k.nvcc(k.NVCCFlags, "bench.cu", "kernel_0.cu", "-o", "bench") }

// Target is the architecture as nvcc takes it: the GPU's that the kernel was found on, or, where it was found without
// one, the only one that its family is for, or else that of the machine it is built on.
func (k Kernel) Target() string {
	if archRE.MatchString(k.Device.Arch) {
		return k.Device.Arch
	}
	if f, err := k.Bundle.Family(k.Job.Variant.Family); err == nil && !f.Portable() && archRE.MatchString(f.Arch) {
		return f.Arch
	}
	return "native"
}

// archRE is what nvcc calls an architecture.
var archRE = regexp.MustCompile(`^sm_[0-9]{2,3}[a-z]?$`)

// ArchFlag names the architecture to nvcc. The short form of one with a letter may have nvcc compile for the one
// without, too, which lacks its instructions.
func (k Kernel) ArchFlag() literal {
	target := k.Target()
	if number := strings.TrimPrefix(target, "sm_"); strings.TrimRight(number, "0123456789") != "" && number != target {
		return literal("-gencode=arch=compute_" + number + ",code=" + target)
	}
	return literal("-arch=" + target)
}

func (k Kernel) nvcc(flags []string, what ...string) code {
	all := append([]string{"nvcc", "-O3", "-std=c++17", string(k.ArchFlag())}, flags...)
	return shell(append(append(all, "-Iinclude"), what...)...)
}

// Verify is the command that gates and measures the candidate again.
func (k Kernel) Verify() code { return shell("darwarp", "verify", k.Run, k.Candidate.ID.Short()) }

// VerifyTrial is the command that tries what is pending.
func (k Kernel) VerifyTrial() code { return k.Verify() + " --trial" }

//go:embed harness.cuh
var harness []byte

// Write makes the folder. It refuses one that has anything in it.
func Write(dir string, k Kernel) error { return writeFolder(dir, k.files) }

func writeFolder(dir string, contents func() (map[string][]byte, error)) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder with -o", dir)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	out, err := contents()
	if err != nil {
		return err
	}
	return userfiles.WriteFolder(dir, out)
}

// files makes every file of the folder, by slash-separated name.
func (k Kernel) files() (map[string][]byte, error) {
	sheet, err := k.sheet()
	if err != nil {
		return nil, err
	}
	out := k.common()
	out["kernel.cu"], out[string(sheet.Unit.File)] = k.signed(), []byte(sheet.Unit.wrapper())
	if k.Cubin != nil {
		out["kernel.cubin"] = k.Cubin
	}
	if err := addJSON(out, map[string]any{
		"launch.json": sheet.Launches(), "PROVENANCE.json": k.provenance()}); err != nil {
		return nil, err
	}
	if err := sheet.addForms(out); err != nil {
		return nil, err
	}
	for _, name := range []string{"bench.cu", "CMakeLists.txt", "README.md"} {
		if out[name], err = page(name, sheet); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addForms makes the files of the forms that are asked for.
func (s *sheet) addForms(out map[string][]byte) (err error) {
	p := &portfolioSheet{sheet: s, Single: true}
	if wants(s.As, true) {
		if p, err = s.linked(); err != nil {
			return err
		}
	}
	err = p.addForms(s.As, out)
	s.Forms = p.Forms
	return err
}

// common are the files of every folder: the reference, and what is included.
func (k Kernel) common() map[string][]byte {
	out := map[string][]byte{"reference.cu": []byte(k.Bundle.ReferenceSource(k.DType)), "include/harness.cuh": harness}
	for name, data := range templates.Include() {
		if strings.HasPrefix(name, "darwarp/") && strings.HasSuffix(name, ".cuh") {
			out["include/"+name] = data
		}
	}
	return out
}

func addJSON(out map[string][]byte, values map[string]any) error {
	for name, v := range values {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out[name] = append(data, '\n')
	}
	return nil
}

// provenance is what PROVENANCE.json holds: everything that the figures stand on.
func (k Kernel) provenance() any {
	return struct {
		Problem    string                   `json:"problem"`
		Folder     string                   `json:"folder"`  // hash of the problem folder's files
		Include    string                   `json:"include"` // hash of the device include library
		DType      kernels.DType            `json:"dtype"`
		Provenance *kernels.Provenance      `json:"provenance,omitempty"`
		Candidate  kernels.Candidate        `json:"candidate"`
		Lineage    []kernels.Candidate      `json:"lineage,omitempty"`
		Baselines  []kernels.BaselineResult `json:"baselines,omitempty"`
		Standing   kernels.Standing         `json:"standing"` // on trial, or stood
		Trial      []kernels.Doubt          `json:"trial,omitempty"`
	}{k.Bundle.Problem.Name, k.Bundle.Hash(), templates.IncludeHash(), k.DType, k.Provenance, k.Candidate, k.Lineage,
		k.Baselines, k.Trial.Exported(), k.Trial.Parts}
}
