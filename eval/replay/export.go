package replay

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"darwarp/kernels"
)

// Formats are what Convert writes: darwarp's own, Kernel Tuner's cache, T4 results.
var Formats = []string{"darwarp", "kerneltuner", "t4"}

// Convert writes the record in one of Formats; zip packs the foreign ones too, darwarp's own always is.
// Kernel Tuner and T4 know one time a configuration: workload names whose times are meant, empty is
// allowed where there is only one. Several families become one space with a parameter "family"; a
// parameter that does not exist at a point has the first of its values there.
func (r *Record) Convert(w io.Writer, format, workload string, zip bool) error {
	if format == "darwarp" {
		return r.Write(w)
	}
	t, err := r.table(workload)
	if err != nil {
		return err
	}
	text, err := t.text(format)
	if err != nil {
		return err
	}
	if !zip {
		_, err = w.Write(text)
		return err
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(text); err != nil {
		return err
	}
	return z.Close()
}

// text is the table in a foreign format.
func (t *table) text(format string) ([]byte, error) {
	switch format {
	case "kerneltuner":
		c, err := t.kernelTuner()
		if err != nil {
			return nil, err
		}
		return c.text()
	case "t4":
		f, err := t.t4()
		if err != nil {
			return nil, err
		}
		return encode(f)
	}
	return nil, fmt.Errorf("format %q: expected one of %s", format, strings.Join(Formats, ", "))
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// table is the record as other tuners have it, with the times of one workload.
func (r *Record) table(workload string) (*table, error) {
	at := slices.IndexFunc(r.Workloads, func(w kernels.Workload) bool { return w.Name == workload })
	if workload == "" && len(r.Workloads) == 1 {
		at = 0
	}
	if at < 0 {
		return nil, fmt.Errorf("workload %q: expected one of %s: the format has one time per configuration", workload,
			strings.Join(r.workloadNames(), ", "))
	}
	t := &table{tool: "darwarp", kernel: cmp.Or(r.Kernel, r.Problem), device: r.Device.Name, size: r.Size}
	place := r.params(t)
	if _, clash := place[familyParam]; clash && len(r.Families) > 1 {
		return nil, fmt.Errorf("a gene is called %q: the format needs that name for the family", familyParam)
	}
	for i := range r.Families {
		f := &r.Families[i]
		for k := range f.Configs {
			x := f.row(k, at)
			x.values = t.valuesOf(f, f.Configs[k], place)
			if len(r.Families) > 1 {
				x.values[0] = i
			}
			t.rows = append(t.rows, x)
		}
	}
	return t, nil
}

// row is what was found of a configuration, with its time at one workload; not its values.
func (f *Family) row(k, workload int) row {
	x := row{outcome: f.Outcomes[f.Status[k]], cost: f.Cost[k], judged: judged{cost: kernels.Cost{Time: f.Cost[k]}}}
	if len(f.judged) == len(f.Configs) {
		x.judged = f.judged[k]
	}
	if times := f.Times[k]; len(times) > 0 {
		x.median, x.lo, x.hi = times[3*workload], times[3*workload+1], times[3*workload+2]
	}
	return x
}

// valuesOf are a configuration's values among those of the parameters, whose places are known by name.
func (t *table) valuesOf(f *Family, config []int, place map[string]int) []int {
	values := make([]int, len(t.params))
	for g, v := range config {
		if v >= 0 {
			gene := f.Genes[g].was()
			p := place[gene.Name]
			values[p] = t.params[p].find(gene.Values[v])
		}
	}
	return values
}

// familyParam is the parameter that says which of several families a configuration is of.
const familyParam = "family"

// params gathers the genes of all families as parameters, and gives them their places.
func (r *Record) params(t *table) map[string]int {
	place := map[string]int{}
	if len(r.Families) > 1 {
		p := param{name: familyParam}
		for _, f := range r.Families {
			p.values = append(p.values, f.Name)
		}
		t.params = append(t.params, p)
	}
	for i := range r.Families {
		for g := range r.Families[i].Genes {
			was := r.Families[i].Genes[g].was()
			at, ok := place[was.Name]
			if !ok {
				at = len(t.params)
				place[was.Name] = at
				t.params = append(t.params, param{name: was.Name})
			}
			for _, v := range was.Values {
				if t.params[at].find(v) < 0 {
					t.params[at].values = append(t.params[at].values, v)
				}
			}
		}
	}
	return place
}

// was is the gene as plain JSON values, as it was read where it was read.
func (g *Gene) was() Origin {
	if g.Origin != nil {
		return *g.Origin
	}
	o := Origin{Name: g.Name}
	for _, v := range g.Values {
		if i, ok := v.Any().(int); ok {
			o.Values = append(o.Values, float64(i))
		} else {
			o.Values = append(o.Values, v.Any())
		}
	}
	return o
}
