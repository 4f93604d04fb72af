package export

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
)

// hostCall is what testdata/launch_host.cpp says of a call of launch.
type hostCall struct {
	Status   int
	Launches []hostLaunch
}

type hostLaunch struct {
	Kernel, Cluster, Y int
	Grid, Sizes        []int
	Map                *hostMap
}

// hostMap is what the driver was given: dimensions innermost first; flags are interleave, swizzle, promotion and fill.
type hostMap struct {
	Type, At                          int
	Shape, Strides, Box, Steps, Flags []int
}

// hosted builds a program with a folder's launch.h that needs no GPU.
func hosted(t *testing.T, dir string, s *portfolioSheet, flags ...string) (program string) {
	t.Helper()
	headers := os.Getenv("DARWARP_CUDA")
	if headers == "" {
		t.Skip("not tested: DARWARP_CUDA is not set: launch.h is not run")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("not tested: no g++: launch.h is not run")
	}
	host, err := filepath.Abs("testdata/launch_host.cpp")
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "host")
	command := append([]string{"g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-attributes",
		"-Wno-deprecated-declarations", "-Wno-missing-field-initializers",
		"-isystem", filepath.Join(headers, "include"), "-isystem", filepath.Join(headers, "include", "cccl"), "-I.", host,
		"-o", program, "-DNAMESPACE=" + string(s.Namespace()), "-DELEMENT=" + s.DType.CType()}, flags...)
	for i, u := range s.Units {
		command = append(command, fmt.Sprintf("-DUNIT_%d=%s", i, u.Symbol))
	}
	if parses(t, dir, command...); t.Failed() {
		t.FailNow()
	}
	return program
}

// calls runs a program of hosted.
func calls(t *testing.T, program, mode string, sizes ...kernels.Dims) (all []hostCall) {
	t.Helper()
	var in strings.Builder
	for _, d := range sizes {
		fmt.Fprintln(&in, d["rows"], d["columns"])
	}
	run := exec.Command(program, mode)
	run.Stdin = strings.NewReader(in.String())
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var c hostCall
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, c)
	}
	if len(all) != len(sizes) {
		t.Fatalf("%d answers to %d sizes", len(all), len(sizes))
	}
	return all
}

// planned is the call as the plan has it.
func planned(t *testing.T, k Kernel, unit int, d kernels.Dims) hostCall {
	t.Helper()
	c, err := k.Job.Resolve(d)
	if err != nil {
		t.Fatal(err)
	}
	l := c.Launches[0]
	out := hostLaunch{Kernel: 100 * (unit + 1), Cluster: l.Cluster[0], Y: 0x20000, Grid: l.Grid[:],
		Sizes: []int{d["rows"], d["columns"]}}
	if l.Entry == "scale_plain" {
		out.Kernel++
		return hostCall{0, []hostLaunch{out}}
	}
	out.Map = &hostMap{At: 0x10000, Type: map[kernels.DType]int{kernels.BF16: 9, kernels.FP32: 7}[k.DType],
		Shape:   []int{d["columns"], d["rows"]},
		Strides: []int{d["columns"] * k.DType.Size()}, Box: []int{l.Maps[0].Box[1], l.Maps[0].Box[0]}, Steps: []int{1, 1},
		Flags: []int{0, 3, 2, 0}}
	return hostCall{0, []hostLaunch{out}}
}
