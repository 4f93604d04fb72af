package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

// job is a kernels.Job as it travels: rendered, with the values that its plan reads. Env has those of them that are no
// genes.
// What is long lies behind the JSON, which says how long: nothing of it is escaped, or looked at twice.
type job struct {
	ID      kernels.ID      `json:"id"`
	Variant kernels.Variant `json:"variant"`
	Bytes   []int           `json:"bytes"` // of what lies behind, in the order of behind

	Source   string          `json:"-"`
	Compiled json.RawMessage `json:"-"` // by another worker; empty: by nobody
	Plan     json.RawMessage `json:"-"` // a kernels.PlanSpec
	Device   json.RawMessage `json:"-"` // a kernels.Device

	Env  map[string]kernels.Value `json:"env"`
	Acc  kernels.DType            `json:"acc,omitempty"`
	Bar  map[string]float64       `json:"bar,omitempty"` // ns a call on the first worker
	Each bool                     `json:"each,omitempty"`
	Base map[string]float64       `json:"base,omitempty"`
}

// parts is how many pieces of a job lie behind the JSON.
const parts = 4

// encodeRequest writes a request: a line of JSON, and what lies behind it. It writes into buf where there is room.
func encodeRequest(buf []byte, r *request) []byte {
	size := 0
	for _, j := range r.Jobs {
		j.Bytes = []int{len(j.Source), len(j.Compiled), len(j.Plan), len(j.Device)}
		for _, n := range j.Bytes {
			size += n
		}
	}
	head := encode(r)
	data := append(append(slices.Grow(buf[:0], len(head)+1+size), head...), '\n')
	for _, j := range r.Jobs {
		data = append(append(append(append(data, j.Source...), j.Compiled...), j.Plan...), j.Device...)
	}
	return data
}

// decodeRequest reads what encodeRequest wrote.
func decodeRequest(data []byte) (r request, err error) {
	head, rest, _ := bytes.Cut(data, []byte{'\n'})
	if err := json.Unmarshal(head, &r); err != nil {
		return r, err
	}
	for _, j := range r.Jobs {
		if j == nil || len(j.Bytes) != parts {
			return r, errors.New("a request without its candidate")
		}
		var behind [parts][]byte
		for i, n := range j.Bytes {
			if n < 0 || n > len(rest) {
				return r, errors.New("a request without its candidate")
			}
			behind[i], rest = rest[:n], rest[n:]
		}
		j.Source, j.Compiled, j.Plan, j.Device = string(behind[0]), behind[1], behind[2], behind[3]
	}
	return r, nil
}

// packer writes plans and devices once: a family has one plan, and candidates are many.
type packer struct {
	plans   memo[*kernels.Plan, json.RawMessage]
	devices memo[kernels.Device, json.RawMessage]
}

func (p *packer) pack(j *kernels.Job) (*job, error) {
	out := &job{ID: j.ID, Variant: j.Variant, Source: j.Source, Env: map[string]kernels.Value{}, Acc: j.Acc,
		Bar: j.Bar.Times(), Each: j.Each, Base: j.Base}
	if j.Plan != nil { // a recording needs none
		out.Plan, _ = p.plans.get(j.Plan, func() (json.RawMessage, error) { return encode(j.Plan.Spec), nil })
	}
	var device kernels.Device
	for name, v := range j.Env {
		if d, ok := v.(kernels.Device); ok {
			device = d
			continue
		}
		if j.Plan != nil && !slices.Contains(j.Plan.Reads(), name) {
			continue
		}
		value, err := kernels.NewValue(v)
		if err != nil {
			return nil, fmt.Errorf("%s of candidate %s: %w", name, j.ID.Short(), err)
		}
		if g, ok := j.Variant.Genes[name]; !ok || g != value {
			out.Env[name] = value
		}
	}
	out.Device, _ = p.devices.get(device, func() (json.RawMessage, error) { return encode(device), nil })
	return out, nil
}

// unpacker has what a worker has compiled of plans and read of devices.
type unpacker struct {
	plans   memo[string, *kernels.Plan]
	devices memo[string, kernels.Device]
}

// unpack is the job with its plan compiled again.
func (u *unpacker) unpack(j *job, problem *kernels.Problem) (out *kernels.Job, err error) {
	device, err := u.devices.get(string(j.Device), func() (d kernels.Device, err error) {
		return d, json.Unmarshal(j.Device, &d)
	})
	if err != nil {
		return nil, err
	}
	out = &kernels.Job{ID: j.ID, Variant: j.Variant, Source: j.Source, Env: expr.Env{"device": device}, Acc: j.Acc,
		Each: j.Each, Base: j.Base}
	for _, values := range []map[string]kernels.Value{j.Variant.Genes, j.Env} {
		for name, v := range values {
			out.Env[name] = v.Any()
		}
	}
	if len(j.Plan) > 0 {
		out.Plan, err = u.compile(j, out.Env, problem)
	}
	return out, err
}

// compile compiles a plan against the problem that the worker has. A plan depends on the names and kinds that it may
// read, and not on their values.
func (u *unpacker) compile(j *job, env expr.Env, problem *kernels.Problem) (*kernels.Plan, error) {
	key := append(make([]byte, 0, len(j.Plan)+1024), j.Plan...)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		key = append(append(append(key, ' '), name...), kindOfValue(env[name])...)
	}
	return u.plans.get(string(key), func() (*kernels.Plan, error) {
		var spec kernels.PlanSpec
		if err := json.Unmarshal(j.Plan, &spec); err != nil {
			return nil, err
		}
		scope := expr.Scope(maps.Clone(env))
		for _, d := range problem.DimNames {
			scope[d] = 0
		}
		return kernels.CompilePlan("plan", spec, problem, scope)
	})
}

func kindOfValue(v any) string {
	switch v.(type) {
	case int:
		return "=int"
	case string:
		return "=string"
	case bool:
		return "=bool"
	}
	return fmt.Sprintf("=%T", v)
}

// memo keeps what was made of each key. It may be used by many goroutines.
type memo[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]V
}

// mostKept bounds the memory of a memo: sources of their own have a plan each.
const mostKept = 1024

func (m *memo[K, V]) get(key K, make func() (V, error)) (V, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.known[key]; ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	if len(m.known) >= mostKept || m.known == nil {
		m.known = map[K]V{}
	}
	m.known[key] = v
	return v, nil
}
