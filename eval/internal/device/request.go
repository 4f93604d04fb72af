// Package device is what the workers that run candidates have in common, whatever they run them on: the requests that
// they answer and the cases that they know, how both are laid out in memory, and the loops of a measurement.
package device

import (
	"fmt"
	"slices"
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

	Code []int `json:"code,omitempty"` // sizes of the machine code that goes beside the JSON
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

// Pack gives the request without its machine code, and that.
func (r *Request) Pack() (message any, blob []byte) {
	bare := *r
	bare.Gate, bare.Time, bare.Duel, bare.Disturb = copied(r.Gate), copied(r.Time), copied(r.Duel), copied(r.Disturb)
	for _, c := range bare.code() {
		bare.Code, blob = append(bare.Code, len(*c)), append(blob, *c...)
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

// Unpack puts machine code back that came beside the request.
func (r *Request) Unpack(blob []byte) error {
	list := r.code()
	if len(r.Code) == 0 && len(blob) == 0 {
		return nil
	}
	if len(r.Code) != len(list) {
		return fmt.Errorf("machine code of %d programs: %d expected", len(r.Code), len(list))
	}
	for i, n := range r.Code {
		if n < 0 || n > len(blob) {
			return fmt.Errorf("machine code of %d bytes: there are %d", n, len(blob))
		}
		if n > 0 {
			*list[i] = slices.Clip(blob[:n])
		}
		blob = blob[n:]
	}
	return nil
}
