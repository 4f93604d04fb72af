// Package replay answers a search from a recording: every configuration's time on a named GPU. A
// search strategy is scored in seconds on it, and darwarp can be tried on a machine without a GPU.
package replay

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"darwarp/kernels"
)

// Format names the file format and its version.
const Format = "darwarp-space/1"

// Record is a recorded space: what was measured, on what, and every verdict.
type Record struct {
	Format     string             `json:"format"`
	About      string             `json:"about,omitempty"`
	Problem    string             `json:"problem"`
	DType      kernels.DType      `json:"dtype"`
	Cache      string             `json:"cache"`            // hot or cold: what the times are
	Kernel     string             `json:"kernel,omitempty"` // the problem's name in the file that it was read from
	Size       json.RawMessage    `json:"size,omitempty"`   // its problem_size there
	Workloads  []kernels.Workload `json:"workloads"`
	Device     kernels.Device     `json:"device"`
	Provenance kernels.Provenance `json:"provenance"`
	Files      map[string]string  `json:"files,omitempty"` // the problem folder as it was: the record stands alone
	Families   []Family           `json:"families"`
}

// Family is the recorded part of one template's space, as columns.
type Family struct {
	Name     string            `json:"name"`
	Genes    []Gene            `json:"genes"`
	Outcomes []kernels.Outcome `json:"outcomes"` // those that Status counts into
	Configs  [][]int           `json:"configs"`  // by configuration: value index by gene, -1 where the gene does not exist
	Status   []int             `json:"status"`   // by configuration: index into Outcomes
	Times    [][]float64       `json:"times"`    // by configuration: median, lo, hi (ns) of each workload; empty unless OK
	Cost     []float64         `json:"cost"`     // by configuration: seconds of compiling, checking and timing
	Code     []string          `json:"code,omitempty"`

	judged []judged // by configuration, where it was added from a run in this process
}

// judged is what a run knows of a configuration's verdict and a recording does not keep.
type judged struct {
	at   time.Time
	cost kernels.Cost
}

// Gene is a gene as it was when the record was made.
type Gene struct {
	Name   string          `json:"name"`
	Values []kernels.Value `json:"values"`
	Origin *Origin         `json:"origin,omitempty"`
}

// Origin is a gene as the file has it that it was read from, where its words are not those of a gene:
// as many values as the gene has.
type Origin struct {
	Name   string `json:"name"`
	Values []any  `json:"values"`
}

// Bounds of a record. A record is data from elsewhere: it must not make the reader take any amount of
// memory.
const (
	maxConfigs  = 1 << 20
	maxGenes    = 64
	maxValues   = 255
	maxFamilies = 256
)

// Len is the number of recorded configurations.
func (r *Record) Len() int {
	n := 0
	for i := range r.Families {
		n += len(r.Families[i].Configs)
	}
	return n
}

// admit cleans what is only shown, and refuses what names something and is no name.
func (r *Record) admit() error {
	r.About = kernels.CleanLine(r.About, kernels.MaxAbout)
	r.Kernel = kernels.CleanLine(r.Kernel, kernels.MaxLine)
	r.Cache = kernels.CleanLine(r.Cache, kernels.MaxName)
	switch {
	case r.Format != Format:
		return fmt.Errorf("format %.60q: expected %q", r.Format, Format)
	case kernels.CheckLabel(r.Problem) != nil:
		return fmt.Errorf("problem: %.60q: expected a problem's name", r.Problem)
	case !r.DType.Valid():
		return fmt.Errorf("dtype %.60q: unknown", r.DType)
	case len(r.Size) > maxValue:
		return fmt.Errorf("size: %d bytes: expected at most %d", len(r.Size), maxValue)
	}
	if err := kernels.AdmitWorkloads(r.Workloads); err != nil {
		return err
	}
	if err := r.Device.Admit(); err != nil {
		return fmt.Errorf("device: %w", err)
	}
	if err := r.Provenance.Admit(); err != nil {
		return fmt.Errorf("provenance: %w", err)
	}
	return nil
}

// check finds what would trip a reader of the record.
func (r *Record) check() error {
	if err := r.admit(); err != nil {
		return err
	}
	switch {
	case len(r.Families) == 0 || len(r.Families) > maxFamilies:
		return fmt.Errorf("families: %d: expected 1 to %d", len(r.Families), maxFamilies)
	case r.Len() == 0 || r.Len() > maxConfigs:
		return fmt.Errorf("%d configurations: expected 1 to %d", r.Len(), maxConfigs)
	}
	names := map[string]bool{}
	for i := range r.Families {
		f := &r.Families[i]
		if kernels.CheckLabel(f.Name) != nil || names[f.Name] {
			return fmt.Errorf("families[%d]: %.60q: expected a new name", i, f.Name)
		}
		names[f.Name] = true
		if err := f.check(len(r.Workloads)); err != nil {
			return fmt.Errorf("family %s: %w", f.Name, err)
		}
	}
	return nil
}

func (f *Family) check(workloads int) error {
	n := len(f.Configs)
	switch {
	case len(f.Genes) == 0 || len(f.Genes) > maxGenes:
		return fmt.Errorf("%d genes: expected 1 to %d", len(f.Genes), maxGenes)
	case len(f.Status) != n || len(f.Times) != n || len(f.Cost) != n:
		return fmt.Errorf("%d configs, %d status, %d times, %d cost: expected as many of each", n, len(f.Status),
			len(f.Times), len(f.Cost))
	case len(f.Code) != 0 && len(f.Code) != n:
		return fmt.Errorf("%d code: expected none or %d", len(f.Code), n)
	}
	for i, code := range f.Code {
		if kernels.CheckLine(code, kernels.MaxName) != nil {
			return fmt.Errorf("code[%d]: %.60q: expected a hash", i, code)
		}
	}
	if err := f.checkGenes(); err != nil {
		return err
	}
	keys := map[string]bool{}
	for i := range f.Configs {
		if err := f.checkConfig(i, workloads); err != nil {
			return fmt.Errorf("configs[%d]: %w", i, err)
		}
		key := f.genome(i).Key()
		if keys[key] {
			return fmt.Errorf("configs[%d]: %s is there twice", i, key)
		}
		keys[key] = true
	}
	return nil
}

func (f *Family) checkGenes() error {
	names, origins := map[string]bool{}, map[string]bool{}
	for _, g := range f.Genes {
		if kernels.CheckIdentifier(g.Name) != nil || names[g.Name] || len(g.Values) == 0 || len(g.Values) > maxValues {
			return fmt.Errorf("gene %.60q with %d values: expected a new name and 1 to %d values", g.Name, len(g.Values),
				maxValues)
		}
		names[g.Name] = true
		for _, v := range g.Values {
			if err := v.Admit(); err != nil {
				return fmt.Errorf("gene %s: %w", g.Name, err)
			}
		}
		if err := g.checkOrigin(origins); err != nil {
			return fmt.Errorf("gene %s: origin: %w", g.Name, err)
		}
		if v := slices.Compact(slices.Sorted(texts(g.Values))); len(v) != len(g.Values) {
			return fmt.Errorf("gene %s: a value occurs twice", g.Name)
		}
	}
	return nil
}

// checkOrigin holds a gene's name and values in its source against those of the genes before it.
func (g *Gene) checkOrigin(taken map[string]bool) error {
	o := g.was()
	if len(o.Values) != len(g.Values) {
		return fmt.Errorf("%d values: expected %d", len(o.Values), len(g.Values))
	}
	if taken[o.Name] || kernels.CheckLine(o.Name, kernels.MaxLine) != nil {
		return fmt.Errorf("%.60q: expected a new name", o.Name)
	}
	taken[o.Name] = true
	p := param{name: o.Name}
	for _, v := range o.Values {
		if err := checkValue(v); err != nil {
			return err
		}
		if p.find(v) >= 0 {
			return fmt.Errorf("%v occurs twice", v)
		}
		p.values = append(p.values, v)
	}
	return nil
}

func texts(values []kernels.Value) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range values {
			if !yield(v.String()) {
				return
			}
		}
	}
}

func (f *Family) checkConfig(i, workloads int) error {
	c := f.Configs[i]
	if len(c) != len(f.Genes) {
		return fmt.Errorf("%d values: expected %d", len(c), len(f.Genes))
	}
	for g, v := range c {
		if v < -1 || v >= len(f.Genes[g].Values) {
			return fmt.Errorf("gene %s: value index %d: expected -1 to %d", f.Genes[g].Name, v, len(f.Genes[g].Values)-1)
		}
	}
	if s := f.Status[i]; s < 0 || s >= len(f.Outcomes) {
		return fmt.Errorf("status %d: expected 0 to %d", s, len(f.Outcomes)-1)
	}
	o, times := f.Outcomes[f.Status[i]], f.Times[i]
	switch {
	case o != kernels.OK && !o.Failed() || o == kernels.Duplicate:
		return fmt.Errorf("outcome %s: not a verdict that can be recorded", o)
	case o == kernels.OK && len(times) != 3*workloads:
		return fmt.Errorf("%d times: expected median, lo and hi of %d workloads", len(times), workloads)
	case o != kernels.OK && len(times) != 0:
		return fmt.Errorf("outcome %s with times", o)
	case !(f.Cost[i] >= 0 && f.Cost[i] <= 1e9):
		return fmt.Errorf("cost %g s", f.Cost[i])
	}
	for k := 0; k+2 < len(times); k += 3 {
		if m, lo, hi := times[k], times[k+1], times[k+2]; !(lo > 0 && lo <= m && m <= hi && hi <= math.MaxFloat64) {
			return fmt.Errorf("times %g %g %g: expected 0 < lo <= median <= hi", m, lo, hi)
		}
	}
	return nil
}
