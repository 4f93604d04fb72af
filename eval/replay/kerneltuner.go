package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"darwarp/kernels"
)

// ktCache is a cache file of Kernel Tuner: https://kerneltuner.github.io/kernel_tuner/, "Cache files".
// Times are in ms. A configuration that failed has a word in place of its time.
type ktCache struct {
	Device  string                    `json:"device_name"`
	Kernel  string                    `json:"kernel_name"`
	Problem json.RawMessage           `json:"problem_size"`
	Keys    []string                  `json:"tune_params_keys"`
	Params  map[string][]any          `json:"tune_params"`
	Cache   map[string]map[string]any `json:"cache"`
}

// closed adds the braces that Kernel Tuner leaves out of a cache that it is still writing.
func closed(text []byte) []byte {
	if json.Valid(text) {
		return text
	}
	fixed := append(bytes.TrimRight(text[:len(text):len(text)], ", \r\n\t"), "}}"...)
	if json.Valid(fixed) {
		return fixed
	}
	return text
}

// kernelTuner makes a record of a cache: a problem with one family whose genes are the parameters.
// There is no source, so what can be rendered is only the list of genes. The default is the first
// configuration in the order of values that worked.
func kernelTuner(text []byte) (*Record, error) {
	var c ktCache
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("Kernel Tuner cache: %w", err)
	}
	f, err := c.family()
	if err != nil {
		return nil, fmt.Errorf("Kernel Tuner cache: %w", err)
	}
	dev := kernels.Device{Kind: "replay", Name: c.Device}
	r := &Record{
		Format: Format, About: "Kernel Tuner cache of " + c.Kernel, Problem: identifier(c.Kernel), DType: kernels.FP32, Cache: "hot",
		Workloads: []kernels.Workload{{Name: "recorded", Dims: kernels.Dims{"n": 1}, Weight: 1, Default: true}},
		Device:    dev, Provenance: kernels.Provenance{Device: dev, Protocol: "Kernel Tuner", DType: kernels.FP32, CacheMode: "hot"},
		Families: []Family{*f},
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("Kernel Tuner cache: %w", err)
	}
	r.Files, err = ktFiles(r.Problem, f)
	return r, err
}

func (c *ktCache) family() (*Family, error) {
	f := &Family{Name: "recorded", Outcomes: []kernels.Outcome{kernels.OK, kernels.CompileFailed, kernels.Crashed, kernels.Invalid}}
	index := make([]map[string]int, len(c.Keys))
	for i, key := range c.Keys {
		index[i] = map[string]int{}
		g := Gene{Name: identifier(key)}
		for _, raw := range c.Params[key] {
			index[i][fmt.Sprint(raw)] = len(g.Values)
			g.Values = append(g.Values, ktValue(raw))
		}
		f.Genes = append(f.Genes, g)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Cache)) {
		row := c.Cache[name]
		config := make([]int, len(c.Keys))
		for i, key := range c.Keys {
			v, ok := index[i][fmt.Sprint(row[key])]
			if !ok {
				return nil, fmt.Errorf("%s: %s is %v, which is not one of its values", name, key, row[key])
			}
			config[i] = v
		}
		f.Configs = append(f.Configs, config)
	}
	if len(f.Configs) == 0 {
		return nil, errors.New("it is empty")
	}
	return f, c.fill(f)
}

// fill adds the verdicts in the order of configurations.
func (c *ktCache) fill(f *Family) error {
	names := slices.Sorted(maps.Keys(c.Cache))
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(f.Configs[a], f.Configs[b]) })
	configs := f.Configs
	f.Configs = nil
	for _, i := range order {
		outcome, ns := ktVerdict(c.Cache[names[i]])
		f.Configs = append(f.Configs, configs[i])
		f.Status = append(f.Status, f.status(outcome))
		f.Cost = append(f.Cost, ktCost(c.Cache[names[i]]))
		if outcome == kernels.OK {
			f.Times = append(f.Times, []float64{ns, ns, ns})
		} else {
			f.Times = append(f.Times, nil)
		}
	}
	return nil
}

func ktVerdict(row map[string]any) (kernels.Outcome, float64) {
	why, _ := row["__error__"].(string)
	switch t := row["time"].(type) {
	case float64:
		if ns := t * 1e6; why == "" && ns > 0 && t < 1e20 {
			return kernels.OK, ns
		}
	case string:
		why = t
	}
	switch {
	case strings.Contains(why, "Compilation"):
		return kernels.CompileFailed, 0
	case strings.Contains(why, "Runtime"):
		return kernels.Crashed, 0
	}
	return kernels.Invalid, 0
}

// ktCost is the seconds that a configuration took: the cache has ms.
func ktCost(row map[string]any) float64 {
	sum := 0.0
	for _, key := range []string{"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"} {
		if ms, ok := row[key].(float64); ok && ms > 0 {
			sum += ms / 1e3
		}
	}
	return sum
}

// ktValue is a parameter's value as a gene's: what is not an integer or a truth value becomes a word.
func ktValue(raw any) kernels.Value {
	switch x := raw.(type) {
	case bool:
		return kernels.Bool(x)
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1<<31 {
			return kernels.Int(int(x))
		}
	}
	return kernels.String("v" + word(fmt.Sprint(raw), "_.+-"))
}

// identifier makes a name that a gene or a problem may have; the suffix keeps it apart from words of
// the expression language.
func identifier(s string) string { return "p_" + word(s, "_") }

func word(s, also string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(also, r) {
			return r
		}
		return '_'
	}, s)
}

// ktFiles is a problem folder for the record. Nothing of it can be compiled.
func ktFiles(problem string, f *Family) (map[string]string, error) {
	p := kernels.Problem{
		Name: problem, About: "recorded by Kernel Tuner: times only", DimNames: []string{"n"}, DTypes: []kernels.DType{kernels.FP32},
		Flops: "n", Bytes: "n", Tensors: []kernels.Tensor{{Name: "out", Role: "out", Shape: []string{"n"}}},
		Workloads: []kernels.Workload{{Name: "recorded", Dims: kernels.Dims{"n": 1}, Weight: 1, Default: true}},
		Check:     kernels.Check{Reduction: "1", Shapes: []kernels.Dims{{"n": 1}}},
		Reference: kernels.Reference{File: "reference.cu", Entry: "reference", Grid: []string{"1"}, Block: []string{"1"}},
	}
	start := slices.Index(f.Status, f.status(kernels.OK))
	if start < 0 {
		return nil, errors.New("Kernel Tuner cache: no configuration worked")
	}
	fam := kernels.Family{Arch: "sm_80", PlanSpec: kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "recorded", Grid: []string{"1"}, Block: []string{"1"}, Args: []string{"out"}}}}}
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
