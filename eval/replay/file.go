package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"

	"darwarp/kernels"
)

// maxText bounds an unpacked record in bytes: gzip can make gigabytes of a small file.
const maxText = 256 << 20

// Open reads a recording: darwarp's own format, a Kernel Tuner cache, or T4 results; plain or gzip.
func Open(data []byte) (*Record, error) {
	text, err := unpack(data)
	if err != nil {
		return nil, err
	}
	if nested(text) > maxNested {
		return nil, fmt.Errorf("not a recording: nested deeper than %d", maxNested)
	}
	var head struct {
		Format  json.RawMessage `json:"format"`
		Keys    json.RawMessage `json:"tune_params_keys"`
		Results json.RawMessage `json:"results"`
	}
	text = closed(text)
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("not a recording: %w", explained(text, err))
	}
	switch {
	case head.Format != nil:
		return decode(text)
	case head.Keys != nil:
		return kernelTuner(text)
	case head.Results != nil:
		return t4(text)
	}
	return nil, fmt.Errorf("not a recording: expected %q under the key format (darwarp), or the key tune_params_keys "+
		"(Kernel Tuner cache) or results (T4)", Format)
}

// explained says in which line a JSON text is broken, or which key holds what it must not.
func explained(text []byte, err error) error {
	var wrong *json.UnmarshalTypeError
	var broken *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("key %s: found a %s, expected %s", wrong.Field, wrong.Value, jsonName(wrong.Type.Kind()))
	case errors.As(err, &broken):
		at := min(int(broken.Offset), len(text))
		return fmt.Errorf("line %d: not JSON, or cut short", 1+bytes.Count(text[:at], []byte("\n")))
	}
	return err
}

func jsonName(k reflect.Kind) string {
	switch k {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	}
	return "a number"
}

func unpack(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("a recording of more than %d bytes", maxText)
	}
	return text, nil
}

func decode(text []byte) (*Record, error) {
	r := &Record{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("recording: %w", explained(text, err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("recording: there is more after its end")
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return r, nil
}

// Write stores the record as gzip JSON. Times keep five digits: more would be noise.
func (r *Record) Write(w io.Writer) error {
	out := *r
	out.Format, out.Families = Format, make([]Family, len(r.Families))
	for i, f := range r.Families {
		f.Times, f.Cost = make([][]float64, len(f.Times)), round(f.Cost, 3)
		for k, t := range r.Families[i].Times {
			f.Times[k] = round(t, 5)
		}
		out.Families[i] = f
	}
	if err := out.check(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(z)
	if err := json.NewEncoder(b).Encode(&out); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return z.Close()
}

// round keeps so many significant digits; rounding is monotone, so lo <= median <= hi stays true.
func round(in []float64, digits int) []float64 {
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = v
		if r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64); err == nil && !math.IsInf(r, 0) {
			out[i] = r
		}
	}
	return out
}

// Add appends a judged candidate of a family's point. A duplicate must come after the candidate whose
// machine code it has, and takes its times: on its own it would have measured the same. Candidates
// that were not judged, and own sources, are left out.
func (r *Record) Add(family *kernels.Family, c *kernels.Candidate) error {
	if c.Variant.Family == "" || c.Result.Outcome == kernels.Lost {
		return nil
	}
	f := r.family(family)
	config := make([]int, len(f.Genes))
	for g, gene := range f.Genes {
		config[g] = -1
		if v, ok := c.Variant.Genes[gene.Name]; ok {
			for k, w := range gene.Values {
				if v == w {
					config[g] = k
				}
			}
		}
	}
	outcome, times, err := r.verdict(f, c)
	if err != nil {
		return fmt.Errorf("candidate %s: %w", c.ID.Short(), err)
	}
	f.Configs = append(f.Configs, config)
	f.Status = append(f.Status, f.status(outcome))
	f.Times = append(f.Times, times)
	f.Cost = append(f.Cost, c.Result.Cost.Total())
	f.Code = append(f.Code, c.Result.Code)
	f.judged = append(f.judged, judged{c.At, c.Result.Cost})
	return nil
}

func (r *Record) verdict(f *Family, c *kernels.Candidate) (kernels.Outcome, []float64, error) {
	switch c.Result.Outcome {
	case kernels.OK:
		times, err := r.columns(c.Result.Times)
		return kernels.OK, times, err
	case kernels.Duplicate:
		for i := range r.Families {
			for k, code := range r.Families[i].Code {
				if code == c.Result.Code && code != "" {
					return r.Families[i].Outcomes[r.Families[i].Status[k]], r.Families[i].Times[k], nil
				}
			}
		}
		return 0, nil, errors.New("a duplicate of a configuration that was not recorded")
	}
	return c.Result.Outcome, nil, nil
}

func (r *Record) columns(times []kernels.Timing) ([]float64, error) {
	var out []float64
	for _, w := range r.Workloads {
		n := len(out)
		for _, t := range times {
			if t.Workload == w.Name && len(out) == n {
				out = append(out, t.Median, t.Lo, t.Hi)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("workload %s has no time", w.Name)
		}
	}
	return out, nil
}

func (r *Record) family(family *kernels.Family) *Family {
	for i := range r.Families {
		if r.Families[i].Name == family.Name {
			return &r.Families[i]
		}
	}
	f := Family{Name: family.Name}
	for i := range family.Genes {
		f.Genes = append(f.Genes, Gene{Name: family.Genes[i].Name, Values: family.Genes[i].All()})
	}
	r.Families = append(r.Families, f)
	return &r.Families[len(r.Families)-1]
}

func (f *Family) status(o kernels.Outcome) int {
	for i, have := range f.Outcomes {
		if have == o {
			return i
		}
	}
	f.Outcomes = append(f.Outcomes, o)
	return len(f.Outcomes) - 1
}
