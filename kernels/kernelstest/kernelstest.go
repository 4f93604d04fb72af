// Package kernelstest has the small problems that tests of several packages search.
package kernelstest

import (
	_ "embed"
	"testing"

	"darwarp/kernels"
)

// Toy is a problem that nothing computes: one output of n numbers, and two workloads, of which the large one counts
// three times as much.
//
//go:embed toy.toml
var Toy string

// Launch is the end of a family's declaration for Toy: its launch plan.
const Launch = `
[[launch]]
entry = "k"
grid = ["1"]
block = ["1"]
args = ["out"]
`

// Scale is a problem that kernels are written for: y = 2 x.
//
//go:embed scale.toml
var Scale string

// Product is a product of matrices, with two square sizes.
const Product = `name = "product"
dims = ["m", "n", "k"]
dtypes = ["fp16"]
flops = "2 * m * n * k"
bytes = "elem * (m * k + n * k + m * n)"
[[tensor]]
name = "A"
role = "in"
shape = ["m", "k"]
[[tensor]]
name = "B"
role = "in"
shape = ["n", "k"]
[[tensor]]
name = "C"
role = "out"
shape = ["m", "n"]
[[workload]]
name = "64"
dims = { m = 64, n = 64, k = 64 }
[[workload]]
name = "128"
dims = { m = 128, n = 128, k = 128 }
[check]
reduction = "k"
inputs = ["normal", "uniform", "wide"]
shapes = [{ m = 1, n = 1, k = 1 }, { m = 33, n = 9, k = 17 }]
[reference]
file = "reference.cu"
entry = "reference"
grid = ["m"]
block = ["n"]
`

// Problem reads the declaration of a problem.
func Problem(t testing.TB, text string) *kernels.Problem {
	t.Helper()
	p, err := kernels.ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Family reads the declaration of a family of Toy.
func Family(t testing.TB, name, text string) *kernels.Family {
	t.Helper()
	f, err := kernels.ParseFamily(name+".toml", name, []byte(text), Problem(t, Toy))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Device has the limits of an architecture.
func Device(t testing.TB, arch string) kernels.Device {
	t.Helper()
	dev, err := kernels.ArchDevice(arch)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// Space has the legal points of a family on sm_90a, in fp32.
func Space(t testing.TB, f *kernels.Family) *kernels.Space {
	t.Helper()
	s, err := kernels.NewSpace(f, Device(t, "sm_90a"), kernels.FP32, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
