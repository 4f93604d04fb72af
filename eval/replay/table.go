package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"darwarp/kernels"
)

// table is a recorded space as other tuners have it: parameters with plain JSON values, one time a
// configuration.
type table struct {
	tool   string // that wrote it
	kernel string
	device string
	size   json.RawMessage
	params []param
	rows   []row
}

type param struct {
	name   string
	values []any
}

type row struct {
	values  []int // by parameter: index of its value
	outcome kernels.Outcome
	median  float64 // ns; 0 unless OK
	lo, hi  float64
	cost    float64 // s
	judged  judged  // when, and what cost consists of; only to be written
}

// stamp is when a configuration was judged, as both formats want it. Recordings do not keep it: 1970 stands for that.
func (r *row) stamp() string {
	if r.judged.at.IsZero() {
		return "1970-01-01T00:00:00+00:00"
	}
	return r.judged.at.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

// find gives a parameter's value its index, -1 when it is none of them.
func (p *param) find(v any) int {
	return slices.IndexFunc(p.values, func(w any) bool { return same(v, w) })
}

// same compares plain JSON values. Lists and objects are the same when their texts are.
func same(a, b any) bool {
	switch a.(type) {
	case float64, string, bool, nil:
		return a == b
	}
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

// record makes a record of the table: a problem with one family whose genes are the parameters. There
// is no source, so what can be rendered is only the list of genes. The default is the first
// configuration in the order of values that worked.
func (t *table) record() (*Record, error) {
	f, err := t.family()
	if err != nil {
		return nil, err
	}
	dev := kernels.Device{Kind: "replay", Name: t.device}
	taken := map[string]bool{}
	r := &Record{
		Format: Format, About: t.tool + " recording of " + t.kernel, Problem: identifier(t.kernel, taken), Kernel: t.kernel,
		Size:  t.size,
		DType: kernels.FP32, Cache: "hot",
		Workloads: []kernels.Workload{{Name: "recorded", Dims: kernels.Dims{"n": 1}, Weight: 1, Default: true}},
		Device:    dev, Provenance: kernels.Provenance{Device: dev, Protocol: t.tool, DType: kernels.FP32, CacheMode: "hot"},
		Families: []Family{*f},
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	r.Files, err = stubs(r.Problem, t.tool, f)
	return r, err
}

func (t *table) family() (*Family, error) {
	f := &Family{Name: "recorded", Outcomes: []kernels.Outcome{kernels.OK}}
	taken := map[string]bool{}
	for _, p := range t.params {
		g := Gene{Name: identifier(p.name, taken), Values: geneValues(p.values)}
		if !plain(&g, p) {
			g.Origin = &Origin{p.name, p.values}
		}
		f.Genes = append(f.Genes, g)
	}
	slices.SortStableFunc(t.rows, func(a, b row) int { return slices.Compare(a.values, b.values) })
	for i, r := range t.rows {
		if i > 0 && slices.Equal(r.values, t.rows[i-1].values) {
			continue // visited again
		}
		f.Configs = append(f.Configs, r.values)
		f.Status = append(f.Status, f.status(r.outcome))
		f.Cost = append(f.Cost, r.cost)
		if r.outcome != kernels.OK {
			f.Times = append(f.Times, nil)
			continue
		}
		f.Times = append(f.Times, []float64{r.median, cmp.Or(min(r.lo, r.median), r.median), max(r.hi, r.median)})
	}
	switch {
	case len(f.Configs) == 0:
		return nil, errors.New("there is no configuration in it")
	case !slices.Contains(f.Status, 0):
		return nil, errors.New("no configuration worked: expected at least one with a time")
	}
	return f, nil
}

// plain reports whether a gene says all that the parameter did.
func plain(g *Gene, p param) bool {
	for i, v := range g.Values {
		text, err := json.Marshal(v)
		if err != nil {
			return false
		}
		var back any
		if json.Unmarshal(text, &back) != nil || !same(back, p.values[i]) {
			return false
		}
	}
	return g.Name == p.name
}

// geneValues makes values of one kind, as a gene has them: integers or truth values where all are,
// else words, each of them new.
func geneValues(raw []any) []kernels.Value {
	ints, bools := true, true
	for _, v := range raw {
		x, isNumber := v.(float64)
		ints = ints && isNumber && x == math.Trunc(x) && math.Abs(x) < 1<<31
		_, isBool := v.(bool)
		bools = bools && isBool
	}
	var out []kernels.Value
	taken := map[string]bool{}
	for _, v := range raw {
		switch {
		case ints:
			out = append(out, kernels.Int(int(v.(float64))))
		case bools:
			out = append(out, kernels.Bool(v.(bool)))
		default:
			out = append(out, kernels.String(unused("v"+word(fmt.Sprint(v), "_.+-"), taken)))
		}
	}
	return out
}

// identifier makes a name that a gene or a problem may have; the prefix keeps it apart from words of
// the expression language.
func identifier(s string, taken map[string]bool) string { return unused("p_"+word(s, "_"), taken) }

func unused(s string, taken map[string]bool) string {
	for taken[s] {
		s += "_"
	}
	taken[s] = true
	return s
}

// longest is the number of characters that are kept of a word.
const longest = 48

func word(s, also string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(also, r) {
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), longest)]
}

// stubs is a problem folder for a record without sources. Nothing of it can be compiled.
func stubs(problem, tool string, f *Family) (map[string]string, error) {
	p := kernels.Problem{
		Name: problem, About: "recorded by " + tool + ": times only", DimNames: []string{"n"},
		DTypes: []kernels.DType{kernels.FP32},
		Flops:  "n", Bytes: "n", Tensors: []kernels.Tensor{{Name: "out", Role: "out", Shape: []string{"n"}}},
		Workloads: []kernels.Workload{{Name: "recorded", Dims: kernels.Dims{"n": 1}, Weight: 1, Default: true}},
		Check:     kernels.Check{Reduction: "1", Shapes: []kernels.Dims{{"n": 1}}},
		Reference: kernels.Reference{File: "reference.cu", Entry: "reference", Grid: []string{"1"}, Block: []string{"1"}},
	}
	start := slices.Index(f.Status, f.status(kernels.OK))
	fam := kernels.Family{Arch: "sm_80", PlanSpec: kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "recorded",
		Grid: []string{"1"}, Block: []string{"1"}, Args: []string{"out"}}}}}
	source := "// A recorded configuration: times only.\n"
	for i, g := range f.Genes {
		gene := kernels.Gene{Name: g.Name, Default: g.Values[f.Configs[start][i]].Any()}
		for _, v := range g.Values {
			gene.Values = append(gene.Values, v.Any())
		}
		fam.Genes = append(fam.Genes, gene)
		source += fmt.Sprintf("// %s = {{.%s}}\n", g.Name, g.Name)
	}
	problemTOML, err := toml.Marshal(p)
	if err != nil {
		return nil, err
	}
	familyTOML, err := toml.Marshal(fam)
	return map[string]string{
		"problem.toml": string(problemTOML), f.Name + ".toml": string(familyTOML), f.Name + ".cu.tmpl": source,
		"reference.cu": "// Recorded elsewhere: there is no reference to compile.\n",
	}, err
}
