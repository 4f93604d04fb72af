package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels"
)

// text is the cache as Kernel Tuner leaves it: it goes on writing a file by cutting off the last three
// bytes, which have to be two braces on two lines.
func (c *ktCache) text() ([]byte, error) {
	b, err := encode(c)
	return append(bytes.TrimSuffix(b, []byte("}\n")), "\n}\n"...), err
}

// kernelTuner is the table as a cache that Kernel Tuner's simulation mode reads.
func (t *table) kernelTuner() (*ktCache, error) {
	c := &ktCache{Schema: ktSchema, Device: t.device, Kernel: t.kernel, Size: t.size, Objective: "time",
		Params: ktParams{of: map[string][]any{}}, Cache: map[string]map[string]any{}}
	if c.Size == nil {
		c.Size = json.RawMessage("1")
	}
	for _, p := range t.params {
		if slices.Contains(ktFields, p.name) {
			return nil, fmt.Errorf("a gene is called %q: the format has that key for something else", p.name)
		}
		c.Keys = append(c.Keys, p.name)
		c.Params.of[p.name] = p.values
	}
	c.Params.keys = c.Keys
	for _, r := range t.rows {
		fields := map[string]any{"compile_time": r.judged.cost.Compile * 1e3, "verification_time": r.judged.cost.Gate * 1e3,
			"benchmark_time": r.judged.cost.Time * 1e3,
			"strategy_time":  0, "framework_time": 0, "timestamp": r.stamp()}
		var name []string
		for i, p := range t.params {
			fields[p.name] = p.values[r.values[i]]
			name = append(name, python(p.values[r.values[i]]))
		}
		if r.outcome == kernels.OK {
			ms := r.median / 1e6
			fields["time"], fields["times"], fields[keyLo], fields[keyHi] = ms, []float64{ms}, r.lo/1e6, r.hi/1e6
		} else {
			fields["time"], fields[keyOutcome] = ktWord(r.outcome), r.outcome
		}
		c.Cache[strings.Join(name, ",")] = fields
	}
	return c, nil
}

// python writes a value as Kernel Tuner does in the name of a configuration.
func python(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case float64:
		if a := math.Abs(x); x == math.Trunc(x) && a < 1e21 || a >= 1e-4 && a < 1e16 {
			return strconv.FormatFloat(x, 'f', -1, 64) // the former is an int in JSON, the latter what repr does
		}
	}
	return fmt.Sprint(v)
}

func ktWord(o kernels.Outcome) string {
	switch o {
	case kernels.CompileFailed:
		return "CompilationFailedConfig"
	case kernels.Invalid, kernels.Unsupported:
		return "InvalidConfig"
	}
	return "RuntimeFailedConfig"
}
