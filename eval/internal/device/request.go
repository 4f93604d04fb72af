// Package device is what the workers that run candidates have in common, whatever they run them on: the requests that
// they answer and the cases that they know, how both are laid out in memory, and the loops of a measurement.
package device

import (
	"fmt"
	"slices"

	"darwarp/kernels"
)

// Request asks a device worker for one thing. Exactly one field is set.
type Request struct {
	Open     *Open     `json:"open,omitempty"`
	Prepare  *Prepare  `json:"prepare,omitempty"`
	Truth    *Truth    `json:"truth,omitempty"`
	Power    *Power    `json:"power,omitempty"`
	Gate     *Gate     `json:"gate,omitempty"`
	Time     *Time     `json:"time,omitempty"`
	Duel     *Duel     `json:"duel,omitempty"`
	Disturb  *Disturb  `json:"disturb,omitempty"`
	Library  *Library  `json:"library,omitempty"`
	Ceilings *Ceilings `json:"ceilings,omitempty"`
	Inputs   *Inputs   `json:"inputs,omitempty"`
	Trim     *Trim     `json:"trim,omitempty"`

	Code []int `json:"code,omitempty"` // sizes of the machine code and of the calls that go beside the JSON
}

// Name says what the request is for, in a word.
func (r *Request) Name() string {
	for _, is := range []struct {
		asked bool
		name  string
	}{
		{r.Open != nil, "open"}, {r.Prepare != nil, "prepare"}, {r.Truth != nil, "truth"}, {r.Power != nil, "power"},
		{r.Gate != nil, "gate"}, {r.Time != nil, "time"}, {r.Duel != nil, "duel"}, {r.Disturb != nil, "disturb"},
		{r.Library != nil, "library"}, {r.Ceilings != nil, "ceilings"}, {r.Inputs != nil, "inputs"},
		{r.Trim != nil, "trim"},
	} {
		if is.asked {
			return is.name
		}
	}
	return "nothing"
}

// code are the fields of a request that are machine code. They are large: as JSON they took milliseconds on either
// side.
func (r *Request) code() (list []*[]byte) {
	if r.Gate != nil {
		list = append(list, &r.Gate.Cubin, &r.Gate.Checked)
	}
	if r.Time != nil {
		list = append(list, &r.Time.Cubin)
	}
	if r.Duel != nil {
		list = append(list, &r.Duel.A.Cubin, &r.Duel.B.Cubin)
	}
	if r.Disturb != nil {
		list = append(list, &r.Disturb.Cubin)
	}
	return list
}

// calls are the fields of a request that are calls.
func (r *Request) calls() (list []*[]kernels.Call) {
	if r.Gate != nil {
		list = append(list, &r.Gate.Calls)
	}
	if r.Time != nil {
		list = append(list, &r.Time.Calls)
	}
	if r.Duel != nil {
		list = append(list, &r.Duel.A.Calls, &r.Duel.B.Calls)
	}
	if r.Disturb != nil {
		list = append(list, &r.Disturb.Calls)
	}
	return list
}

// Pack gives the request without its machine code and its calls, and these.
func (r *Request) Pack() (message any, blob []byte) {
	bare := *r
	bare.Gate, bare.Time, bare.Duel, bare.Disturb = copied(r.Gate), copied(r.Time), copied(r.Duel), copied(r.Disturb)
	add := func(b []byte) { bare.Code, blob = append(bare.Code, len(b)), append(blob, b...) }
	for _, c := range bare.code() {
		add(*c)
		*c = nil
	}
	for _, c := range bare.calls() {
		add(packCalls(*c))
		*c = nil
	}
	return &bare, blob
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// Unpack puts machine code and calls back that came beside the request.
func (r *Request) Unpack(blob []byte) error {
	code, calls := r.code(), r.calls()
	if len(r.Code) == 0 && len(blob) == 0 {
		return nil
	}
	if len(r.Code) != len(code)+len(calls) {
		return fmt.Errorf("%d programs and calls: expected %d and %d", len(r.Code), len(code), len(calls))
	}
	for i, n := range r.Code {
		if n < 0 || n > len(blob) {
			return fmt.Errorf("a program or calls of %d bytes: there are %d", n, len(blob))
		}
		part := slices.Clip(blob[:n])
		blob = blob[n:]
		if n == 0 {
			continue
		}
		if i < len(code) {
			*code[i] = part
			continue
		}
		var err error
		if *calls[i-len(code)], err = unpackCalls(part); err != nil {
			return fmt.Errorf("calls: %w", err)
		}
	}
	return nil
}
