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
// What is long lies behind the JSON, which says how long: nothing of it is escaped, or looked at twice. So do the
// values, of which a candidate has dozens.
type job struct {
	ID      kernels.ID      `json:"id"`
	Variant kernels.Variant `json:"variant"` // its genes lie behind
	Bytes   []int           `json:"bytes"`   // of what lies behind, in the order of encodeRequest

	Like string `json:"like,omitempty"` // the model that the source is sent as a difference to; empty: it is whole
	sent string // that difference

	Source   string          `json:"-"` // empty on its way, where it is like another
	Compiled json.RawMessage `json:"-"` // by another worker; empty: by nobody
	Plan     json.RawMessage `json:"-"` // a kernels.PlanSpec
	Device   json.RawMessage `json:"-"` // a kernels.Device
	Genes    values          `json:"-"`
	Env      values          `json:"-"`

	Acc  kernels.DType      `json:"acc,omitempty"`
	Bar  map[string]float64 `json:"bar,omitempty"` // ns a call on the first worker
	Base map[string]float64 `json:"base,omitempty"`
	manner
}

// manner is how a job is to be done.
type manner struct {
	Each     bool `json:"each,omitempty"`
	Likely   bool `json:"likely,omitempty"`
	Foremost bool `json:"foremost,omitempty"`
}

// written is the source as it travels.
func (j *job) written() string {
	if j.Like != "" {
		return j.sent
	}
	return j.Source
}

// parts is how many pieces of a job lie behind the JSON.
const parts = 6

// encodeRequest writes a request: a line of JSON, and what lies behind it. It writes into buf where there is room.
func encodeRequest(buf []byte, r *request) []byte {
	size := 0
	for _, j := range r.Jobs {
		j.Bytes = []int{len(j.written()), len(j.Compiled), len(j.Plan), len(j.Device), len(j.Genes), len(j.Env)}
		for _, n := range j.Bytes {
			size += n
		}
	}
	head := encode(r)
	data := append(append(slices.Grow(buf[:0], len(head)+1+size), head...), '\n')
	for _, j := range r.Jobs {
		data = append(append(append(append(data, j.written()...), j.Compiled...), j.Plan...), j.Device...)
		data = append(append(data, j.Genes...), j.Env...)
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
		if j.sent = string(behind[0]); j.Like == "" {
			j.Source = j.sent
		}
		j.Compiled, j.Plan, j.Device = behind[1], behind[2], behind[3]
		j.Genes, j.Env = behind[4], behind[5]
	}
	return r, nil
}

// packer writes plans and devices once: a family has one plan, and candidates are many.
type packer struct {
	plans   memo[*kernels.Plan, json.RawMessage]
	devices memo[kernels.Device, json.RawMessage]
}

func (p *packer) pack(j *kernels.Job) (*job, error) {
	out := &job{ID: j.ID, Variant: j.Variant, Source: j.Source, Acc: j.Acc, Bar: j.Bar.Times(), Base: j.Base,
		manner: manner{Each: j.Each, Likely: j.Likely, Foremost: j.Foremost}}
	for name, v := range j.Variant.Genes {
		out.Genes = out.Genes.with(name, v)
	}
	out.Variant.Genes = nil
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
			out.Env = out.Env.with(name, value)
		}
	}
	out.Device, _ = p.devices.get(device, func() (json.RawMessage, error) { return encode(device), nil })
	return out, nil
}

// unpacker has what a worker has compiled of plans and read of devices.
type unpacker struct {
	plans   memo[string, *compiled]
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
	genes, more := j.Genes.about(), j.Env.about()
	out = &kernels.Job{ID: j.ID, Variant: j.Variant, Source: j.Source, Env: make(expr.Env, 1+genes+more), Acc: j.Acc,
		Each: j.Each, Base: j.Base, Likely: j.Likely, Foremost: j.Foremost}
	out.Env["device"] = device
	if genes > 0 {
		out.Variant.Genes = make(kernels.Genome, genes)
	}
	err = errors.Join(
		j.Genes.each(func(name string, v kernels.Value) { out.Variant.Genes[name], out.Env[name] = v, v.Any() }),
		j.Env.each(func(name string, v kernels.Value) { out.Env[name] = v.Any() }))
	if err != nil || len(j.Plan) == 0 {
		return out, err
	}
	known, err := u.plans.get(string(j.Plan), func() (*compiled, error) {
		c := &compiled{}
		return c, json.Unmarshal(j.Plan, &c.spec)
	})
	if err == nil {
		out.Plan, err = known.plan(out.Env, problem)
	}
	return out, err
}

// compiled is a plan, compiled against the problem that the worker has. It depends on the kinds of what it reads, and
// not on their values, and so there is one for each choice of these that was met.
type compiled struct {
	spec  kernels.PlanSpec
	mu    sync.Mutex
	plans []scoped
}

type scoped struct {
	kinds []string // of what the plan reads, in its order
	plan  *kernels.Plan
}

// mostScopes bounds the memory of one plan: of a family all candidates have the same names.
const mostScopes = 64

// plan is the one for such values.
func (c *compiled) plan(env expr.Env, problem *kernels.Problem) (*kernels.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.plans {
		if s.fits(env) {
			return s.plan, nil
		}
	}
	scope := expr.Scope(maps.Clone(env))
	for _, d := range problem.DimNames {
		scope[d] = 0
	}
	plan, err := kernels.CompilePlan("plan", c.spec, problem, scope)
	if err != nil {
		return nil, err
	}
	if len(c.plans) >= mostScopes {
		c.plans = nil
	}
	of := scoped{plan: plan}
	for _, name := range plan.Reads() {
		of.kinds = append(of.kinds, kindOfValue(env[name]))
	}
	c.plans = append(c.plans, of)
	return plan, nil
}

func (s *scoped) fits(env expr.Env) bool {
	for i, name := range s.plan.Reads() {
		if s.kinds[i] != kindOfValue(env[name]) {
			return false
		}
	}
	return true
}

func kindOfValue(v any) string {
	switch v.(type) {
	case int:
		return "int"
	case string:
		return "string"
	case bool:
		return "bool"
	case kernels.Device:
		return "device"
	}
	return fmt.Sprintf("%T", v)
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
