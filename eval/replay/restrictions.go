package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/eval/replay/restrict"
)

// Declared is a space as its author states it: parameters and what restricts them.
type Declared struct {
	Params       []restrict.Param
	Restrictions []*restrict.Expr
}

// Params are the recorded parameters in the words of their source; several families have one more,
// "family".
func (r *Record) Params() ([]restrict.Param, error) {
	t, err := r.table(r.Workloads[0].Name)
	if err != nil {
		return nil, err
	}
	var out []restrict.Param
	for _, p := range t.params {
		out = append(out, restrict.Param{Name: p.name, Values: p.values})
	}
	return out, nil
}

// ReadRestrictions reads a file of restrictions on parameters: a JSON list of Python expressions; an
// object with such a list under "expressions"; an object of those by name, of which name picks one; or
// a T1 file, which has parameters of its own (params may then be nil).
func ReadRestrictions(data []byte, name string, params []restrict.Param) (*Declared, error) {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		return declare(params, list, "[%d]")
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("not restrictions: %w", explained(data, err))
	}
	if raw := keys["ConfigurationSpace"]; raw != nil {
		return t1(raw)
	}
	if raw, ok := keys["expressions"]; ok {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("expressions: expected a list of strings")
		}
		return declare(params, list, "expressions[%d]")
	}
	one, ok := keys[name]
	if !ok || name == "expressions" {
		return nil, fmt.Errorf("restrictions of %q: expected a list, an object with expressions, a T1 file, or one of the "+
			"names %s (FILE:NAME)",
			name, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
	}
	var named struct{ Expressions []string }
	if err := json.Unmarshal(one, &named); err != nil {
		return nil, fmt.Errorf("%s: %w", name, explained(one, err))
	}
	return declare(params, named.Expressions, name+".expressions[%d]")
}

func declare(params []restrict.Param, texts []string, key string) (*Declared, error) {
	d := &Declared{Params: params}
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for i, text := range texts {
		e, err := restrict.Parse(text, names)
		if err != nil {
			return nil, fmt.Errorf(key+": %w", i, err)
		}
		d.Restrictions = append(d.Restrictions, e)
	}
	return d, nil
}

// t1 reads the ConfigurationSpace of a T1 file, schema 1.0.0: kernel_tuner/schema/T1. Values are a
// list, or a Python list in a string.
func t1(raw []byte) (*Declared, error) {
	var space struct {
		TuningParameters []struct {
			Name   string
			Values any
		}
		Conditions []struct{ Expression string }
	}
	if err := json.Unmarshal(raw, &space); err != nil {
		return nil, fmt.Errorf("ConfigurationSpace: %w", explained(raw, err))
	}
	var params []restrict.Param
	for i, p := range space.TuningParameters {
		values, ok := p.Values.([]any)
		if text, isText := p.Values.(string); isText {
			values, ok = pythonList(text)
		}
		if !ok || len(values) == 0 || p.Name == "" {
			return nil, fmt.Errorf("ConfigurationSpace.TuningParameters[%d] (%s).Values: expected a list, as in \"[16, 32, "+
				"64]\"", i, p.Name)
		}
		params = append(params, restrict.Param{Name: p.Name, Values: values})
	}
	var texts []string
	for _, c := range space.Conditions {
		texts = append(texts, c.Expression)
	}
	return declare(params, texts, "ConfigurationSpace.Conditions[%d].Expression")
}

func pythonList(text string) ([]any, bool) {
	e, err := restrict.Parse(text, nil)
	if err != nil {
		return nil, false
	}
	v, err := e.Value(nil)
	list, ok := v.([]any)
	return list, ok && err == nil
}

// Agreement compares what restrictions allow with what was recorded.
type Agreement struct {
	Cartesian float64 `json:"cartesian"` // combinations of all values
	Passing   int     `json:"passing"`
	Recorded  int     `json:"recorded"`
	Both      int     `json:"passing_and_recorded"`
}

// Compare counts the configurations that are allowed, recorded, and both; the space's parameters are
// those of Params.
func (r *Record) Compare(d *Declared) (Agreement, error) {
	a := Agreement{Cartesian: restrict.Cartesian(d.Params), Recorded: r.Len()}
	t, err := r.table(r.Workloads[0].Name)
	if err != nil {
		return a, err
	}
	recorded := map[string]bool{}
	for _, row := range t.rows {
		recorded[fmt.Sprint(row.values)] = true
	}
	err = restrict.Each(d.Params, d.Restrictions, func(config []int) bool {
		a.Passing++
		if recorded[fmt.Sprint(config)] {
			a.Both++
		}
		return true
	})
	return a, err
}
