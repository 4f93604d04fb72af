package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
)

// t4File is a results file of the auto-tuning community, schema 1.0.0:
// https://github.com/odgaard/TuningSchema, results-schema.json.
type t4File struct {
	Schema   string     `json:"schema_version"`
	Metadata t4Metadata `json:"metadata"`
	Results  []t4Result `json:"results"`
}

// t4Metadata: only the unit is of the schema, of the rest a reader takes what is there.
type t4Metadata struct {
	Unit   string          `json:"timeunit,omitempty"`
	Device string          `json:"device,omitempty"`
	Kernel string          `json:"kernel,omitempty"`
	Size   json.RawMessage `json:"problem_size,omitempty"`
}

type t4Result struct {
	Timestamp    string          `json:"timestamp,omitempty"`
	Config       json.RawMessage `json:"configuration"`
	Times        map[string]any  `json:"times"`
	Invalidity   string          `json:"invalidity"`
	Correctness  float64         `json:"correctness"`
	Measurements []t4Measurement `json:"measurements,omitempty"`
	Objectives   []any           `json:"objectives,omitempty"`
}

type t4Measurement struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
	Unit  string `json:"unit,omitempty"`
}

const t4Schema = "1.0.0"

// t4Words are the schema's words for an outcome; the first of an outcome is written.
var t4Words = []struct {
	word    string
	outcome kernels.Outcome
}{
	{"correct", kernels.OK}, {"timeout", kernels.TimedOut}, {"compile", kernels.CompileFailed},
	{"runtime", kernels.Crashed},
	{"correctness", kernels.Wrong}, {"constraints", kernels.Invalid},
	{"constraints", kernels.Unsupported}, {"correctness", kernels.Suspect}, {"correctness", kernels.Flaky},
}

// units are in ns. The last two are how files in the field spell the schema's words.
var units = map[string]float64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "nanoseconds": 1, "microseconds": 1e3,
	"milliseconds": 1e6, "seconds": 1e9,
	"": 1e6, "miliseconds": 1e6}

func t4(text []byte) (*Record, error) {
	var f t4File
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("T4 results: %w", explained(text, err))
	}
	if f.Schema != "" && !strings.HasPrefix(f.Schema, "1.") {
		return nil, fmt.Errorf("T4 results: schema_version %q: expected 1.0.0", f.Schema)
	}
	t, err := f.table()
	if err != nil {
		return nil, fmt.Errorf("T4 results: %w", err)
	}
	r, err := t.record()
	if err != nil {
		return nil, fmt.Errorf("T4 results: %w", err)
	}
	return r, nil
}

func (f *t4File) table() (*table, error) {
	unit, ok := units[f.Metadata.Unit]
	if !ok {
		return nil, fmt.Errorf("metadata.timeunit %q: expected ms, s, us or ns", f.Metadata.Unit)
	}
	t := &table{tool: "T4", kernel: cmp.Or(f.Metadata.Kernel, "kernel"), device: f.Metadata.Device, size: f.Metadata.Size}
	raw := make([]map[string]any, len(f.Results))
	for i := range f.Results {
		var err error
		if raw[i], err = t.read(f.Results[i].Config); err != nil {
			return nil, fmt.Errorf("results[%d].configuration: %w", i, err)
		}
	}
	for i := range t.params {
		t.params[i].order()
	}
	for i := range f.Results {
		r, err := f.Results[i].row(unit)
		if err != nil {
			return nil, fmt.Errorf("results[%d].%w", i, err)
		}
		for k := range t.params {
			r.values = append(r.values, t.params[k].find(raw[i][t.params[k].name]))
		}
		t.rows = append(t.rows, *r)
	}
	return t, nil
}

// read parses a configuration and notes its values. The first one says what parameters there are.
func (t *table) read(text json.RawMessage) (config map[string]any, err error) {
	if err := json.Unmarshal(text, &config); err != nil || len(config) == 0 {
		return nil, errors.New("expected an object of parameters")
	}
	if t.params == nil {
		for _, name := range keysInOrder(text) {
			if err := checkParam(name); err != nil {
				return nil, err
			}
			t.params = append(t.params, param{name: name})
		}
	}
	return config, t.note(config)
}

// note enters a configuration's values among those of the parameters.
func (t *table) note(config map[string]any) error {
	for k := range t.params {
		p := &t.params[k]
		v, ok := config[p.name]
		if !ok || len(config) != len(t.params) {
			return fmt.Errorf("%d parameters: expected the same ones in every result, %q among them", len(config), p.name)
		}
		if err := p.add(v); err != nil {
			return err
		}
	}
	return nil
}

// order sorts numbers; other values stay as they were met.
func (p *param) order() {
	for _, v := range p.values {
		if _, ok := v.(float64); !ok {
			return
		}
	}
	slices.SortFunc(p.values, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) })
}

func keysInOrder(object []byte) []string {
	var keys []string
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var skipped json.RawMessage
		if err != nil || !ok || d.Decode(&skipped) != nil {
			return keys
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	return keys
}

// t4 is the table as a results file. The order of parameters is kept.
func (t *table) t4() (any, error) {
	f := t4File{Schema: t4Schema, Metadata: t4Metadata{Unit: "ms", Device: t.device, Kernel: t.kernel, Size: t.size}}
	for _, r := range t.rows {
		config, err := t.config(&r)
		if err != nil {
			return nil, err
		}
		x := t4Result{Timestamp: r.stamp(), Config: config, Objectives: []any{"time"},
			Times: map[string]any{"compilation": r.judged.cost.Compile * 1e3, "benchmark": r.judged.cost.Time * 1e3,
				"framework": 0, "search_algorithm": 0,
				"validation": r.judged.cost.Gate * 1e3, "runtimes": []float64{}}}
		for _, w := range t4Words {
			if w.outcome == r.outcome {
				x.Invalidity = w.word
			}
		}
		if r.outcome == kernels.OK {
			ms := r.median / 1e6
			x.Correctness, x.Times["runtimes"] = 1, []float64{ms}
			x.Measurements = []t4Measurement{{"time", ms, "ms"}, {keyLo, r.lo / 1e6, "ms"}, {keyHi, r.hi / 1e6, "ms"}}
		} else {
			x.Measurements = []t4Measurement{{keyOutcome, r.outcome.String(), ""}}
		}
		f.Results = append(f.Results, x)
	}
	return f, nil
}

func (t *table) config(r *row) (json.RawMessage, error) {
	var b bytes.Buffer
	for i, p := range t.params {
		name, err := json.Marshal(p.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.values[r.values[i]])
		if err != nil {
			return nil, err
		}
		b.WriteByte(",{"[b2i(i == 0)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
