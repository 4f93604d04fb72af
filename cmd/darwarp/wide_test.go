package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"darwarp/kernels"
	"darwarp/templates"
)

// wideFamily has thousands of points, so that a search on their recording goes on for a while.
const wideFamily = `
arch = "sm_80"
[[gene]]
name = "p"
values = [%[1]s]
default = 1
[[gene]]
name = "q"
values = [%[1]s]
default = 1
[[gene]]
name = "r"
values = [%[1]s]
default = 1
[[constraint]]
rule = "p + q <= 36"
why = "there is no room for more"
[[launch]]
entry = "axpy"
grid = ["1"]
block = ["1"]
args = ["x", "y", "z", "n"]
`

// wideBundle is the axpy problem with wideFamily alone.
func wideBundle() (*templates.Bundle, error) {
	b, err := templates.Load(os.DirFS(os.Getenv("TESTDATA") + "/axpy"))
	if err != nil {
		return nil, err
	}
	var values []string
	for i := range 20 {
		values = append(values, fmt.Sprint(i+1))
	}
	files := map[string][]byte{
		"problem.toml": b.Files["problem.toml"], "reference.cu": b.Files["reference.cu"],
		"wide.toml": fmt.Appendf(nil, wideFamily, strings.Join(values,
			", ")), "wide.cu.tmpl": []byte("// {{.p}} {{.q}} {{.r}}\n"),
	}
	return templates.FromFiles(files)
}

// madeUpWide is a verdict on a point of wideFamily: the small workload wants a small p, the large one a
// large p.
func madeUpWide(i int, space *kernels.Space) *kernels.Candidate {
	p := space.At(i)
	c := &kernels.Candidate{Variant: kernels.Variant{Family: space.Family.Name, Genes: space.Genome(p)}}
	c.Result.Outcome, c.Result.Code, c.Result.Cost.Time = kernels.OK, fmt.Sprint(i), 0.5
	far := 1 + 0.1*math.Abs(float64(p[1])-12) + 0.02*math.Abs(float64(p[2])-float64(p[1]))
	for j, ns := range []float64{1000 * (1 + 0.1*float64(p[0])), 4000 * (3 - 0.1*float64(p[0]))} {
		c.Result.Times = append(c.Result.Times, kernels.Timing{Workload: []string{"small", "large"}[j], Median: ns * far,
			Lo: ns * far * 0.99, Hi: ns * far * 1.01})
	}
	return c
}
