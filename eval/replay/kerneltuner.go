package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/kernels"
)

// ktCache is a cache file of Kernel Tuner, schema 1.0.0 to 1.1.0 and those before it had a version:
// kernel_tuner/schema/cache. Times are in ms. A configuration that failed has a word in place of its
// time, in newer files under __error__.
type ktCache struct {
	Schema    string                    `json:"schema_version,omitempty"`
	Device    string                    `json:"device_name"`
	Kernel    string                    `json:"kernel_name"`
	Size      json.RawMessage           `json:"problem_size"`
	Keys      []string                  `json:"tune_params_keys"`
	Params    ktParams                  `json:"tune_params"`
	Objective any                       `json:"objective"` // a string; since Kernel Tuner 1.4 a list of them
	Cache     map[string]map[string]any `json:"cache"`
}

const ktSchema = "1.1.0"

// ktParams are the values by parameter. They are written in the order of keys, for Kernel Tuner takes a
// cache only with tune_params in that order, and people hand it those of the file.
type ktParams struct {
	keys []string
	of   map[string][]any
}

func (p *ktParams) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &p.of) }

// MarshalJSON writes an object.
func (p ktParams) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, key := range p.keys {
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		values, err := json.Marshal(p.of[key])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = slices.Concat(b, name, []byte{':'}, values)
	}
	return append(b, '}'), nil
}

// closed mends what keeps a cache from being JSON: the braces that Kernel Tuner leaves out while it is
// still writing, and Python's NaN and Infinity, which become null.
func closed(text []byte) []byte {
	if json.Valid(text) {
		return text
	}
	fixed := nulled(bytes.TrimRight(text, ", \r\n\t"))
	for range 3 {
		if json.Valid(fixed) {
			return fixed
		}
		fixed = append(fixed, '}')
	}
	return text
}

// nulled writes null for the numbers that JSON does not have; it copies the text.
func nulled(text []byte) []byte {
	out := make([]byte, 0, len(text)+3)
	inString := false
	for i := 0; i < len(text); {
		n := 0
		for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
			if !inString && bytes.HasPrefix(text[i:], []byte(w)) {
				n = len(w)
			}
		}
		if n > 0 {
			out, i = append(out, "null"...), i+n
			continue
		}
		switch c := text[i]; {
		case inString && c == '\\' && i+1 < len(text):
			out, i = append(out, c), i+1
		case c == '"':
			inString = !inString
		}
		out, i = append(out, text[i]), i+1
	}
	return out
}

func kernelTuner(text []byte) (*Record, error) {
	r, err := readCache(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", "Kernel Tuner cache", err)
	}
	return r, nil
}

func readCache(text []byte) (*Record, error) {
	var c ktCache
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, explained(text, err)
	}
	t, err := c.table()
	if err != nil {
		return nil, err
	}
	return t.record()
}

func (c *ktCache) table() (*table, error) {
	t := &table{tool: "Kernel Tuner", kernel: c.Kernel, device: c.Device, size: c.Size}
	for _, key := range c.Keys {
		if len(c.Params.of[key]) == 0 {
			return nil, fmt.Errorf("tune_params: %q has no values: expected a list", key)
		}
		if err := checkParam(key); err != nil {
			return nil, fmt.Errorf("tune_params_keys: %w", err)
		}
		p := param{name: key}
		for _, v := range c.Params.of[key] { // some lists have a value twice
			if err := p.add(v); err != nil {
				return nil, fmt.Errorf("tune_params: %w", err)
			}
		}
		t.params = append(t.params, p)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Cache)) {
		r, err := t.ktRow(c.Cache[name])
		if err != nil {
			return nil, fmt.Errorf("cache: %q: %w", name, err)
		}
		t.rows = append(t.rows, *r)
	}
	return t, nil
}

func (t *table) ktRow(fields map[string]any) (*row, error) {
	r := &row{values: make([]int, len(t.params))}
	for i := range t.params {
		p := &t.params[i]
		v := fields[p.name]
		if err := checkValue(v); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if r.values[i] = p.find(v); r.values[i] < 0 {
			return nil, fmt.Errorf("%s is %v: expected one of its values in tune_params", p.name, v)
		}
	}
	r.outcome, r.median = ktVerdict(fields)
	if lo, ok := fields[keyLo].(float64); ok {
		r.lo = lo * 1e6
	}
	if hi, ok := fields[keyHi].(float64); ok {
		r.hi = hi * 1e6
	}
	for _, key := range ktCosts {
		if ms, ok := fields[key].(float64); ok && ms > 0 {
			r.cost += ms / 1e3
		}
	}
	return r, nil
}

// Keys of darwarp's own in a Kernel Tuner cache, and measurements in T4: the bounds of a time in ms,
// and how a configuration failed where the format has fewer words.
const (
	keyLo      = "time_lo"
	keyHi      = "time_hi"
	keyOutcome = "darwarp_outcome"
)

// ktCosts are what a configuration took, in ms; ktFields are all keys that cannot be a parameter's.
var (
	ktCosts  = []string{"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"}
	ktFields = append([]string{"time", "times", "timestamp", "__error__", keyLo, keyHi, keyOutcome}, ktCosts...)
)

// ktVerdict is a configuration's outcome and time in ns. Kernel Tuner's optimizers wrote 1e20 for a failure.
func ktVerdict(fields map[string]any) (kernels.Outcome, float64) {
	why, _ := fields["__error__"].(string)
	ms, timed := fields["time"].(float64)
	if s, ok := fields["time"].(string); ok && why == "" {
		why = s
	}
	if list, ok := fields["times"].([]any); ok && !timed && why == "" {
		ms, timed = meanOf(list)
	}
	if ns := ms * 1e6; timed && why == "" && ns > 0 && ms < 1e20 {
		return kernels.OK, ns
	}
	var own kernels.Outcome
	if s, ok := fields[keyOutcome].(string); ok && own.UnmarshalText([]byte(s)) == nil && own.Failed() &&
		own != kernels.Duplicate {
		return own, 0
	}
	switch {
	case strings.Contains(why, "Compil"):
		return kernels.CompileFailed, 0
	case strings.Contains(why, "Runtime"):
		return kernels.Crashed, 0
	case strings.Contains(why, "Timeout"):
		return kernels.TimedOut, 0
	case strings.Contains(why, "Correctness"), strings.Contains(why, "Verification"):
		return kernels.Wrong, 0
	}
	return kernels.Invalid, 0
}

func meanOf(list []any) (float64, bool) {
	sum := 0.0
	for _, v := range list {
		x, ok := v.(float64)
		if !ok {
			return 0, false
		}
		sum += x
	}
	return sum / float64(max(1, len(list))), len(list) > 0
}
