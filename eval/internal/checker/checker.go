// Package checker is the process that gives verdicts. It maps the output memory that the device
// worker writes and the truth memory that it does not have, and runs no CUDA.
package checker

import (
	"errors"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// Request asks for one thing. Exactly one field is set.
type Request struct {
	Setup     *Setup     `json:"setup,omitempty"`
	Judge     *Judge     `json:"judge,omitempty"`
	Reference *Reference `json:"reference,omitempty"`
	SelfTest  *SelfTest  `json:"self_test,omitempty"`
	Palette   *Palette   `json:"palette,omitempty"`
}

// Setup tells what lies where in the two memories.
type Setup struct {
	Cases     []device.Case  `json:"cases"`
	Terms     []check.Length `json:"terms"` // by case
	ULPs      float64        `json:"ulps"`
	Rounded   kernels.DType  `json:"rounded,omitempty"` // type that terms are rounded to before they are added
	Coherent  bool           `json:"coherent,omitempty"`
	Scattered bool           `json:"scattered,omitempty"` // on normal inputs
	SlotBytes int            `json:"slot_bytes"`
}

// Judge compares one slot's outputs with the truth.
type Judge struct {
	Slot  int           `json:"slot"`
	Acc   kernels.DType `json:"acc"`
	Cases []int         `json:"cases"` // those whose outputs lie in the slot, in this order; one may occur several times
	// Loose bears rounding beyond the tolerance, and refuses only another result: what people run instead
	// may round as it likes.
	Loose bool `json:"loose,omitempty"`
}

// looseError is the relative Frobenius error up to which rounding may be the reason, in bf16 chains too.
const looseError = 0.03

// JudgeReply is the verdict: Wrong is empty when every element of every case is within its tolerance.
type JudgeReply struct {
	Report kernels.GateReport `json:"report"`
	Wrong  string             `json:"wrong,omitempty"`
	// Hashes are of the outputs of each case, as device.CaseReply.Hash; a GPU's judge tells them.
	Hashes  []uint64 `json:"hashes,omitempty"`
	Palette []byte   `json:"palette,omitempty"`
	// Tried are wrong outputs that a SelfTest tried
	Tried []check.Tried `json:"tried,omitempty"`
}

// Reference holds a case's inputs against a double-precision reference in Go, for problems that
// have one: the check of reference.cu itself.
type Reference struct {
	Problem string `json:"problem"`
	Case    int    `json:"case"`
	At      int    `json:"at"` // where its inputs begin in the input memory
}

// SelfTest asks whether the check of a case can tell right from wrong: the reply's Tried says what of wrong outputs,
// and Wrong where it refuses a right one.
type SelfTest struct {
	Case int `json:"case"`
}

// Palette asks for values like those of a case's outputs, check.PaletteSize of each, which do not give its
// truth away.
type Palette struct {
	Case int `json:"case"`
}

type server struct {
	out, truth, inputs []byte
	setup              Setup
	seen               *seen
}

// Main serves requests; its inherited files are the output memory, the truth memory and the input memory.
func Main([]string) int {
	s := &server{}
	for i, into := range []*[]byte{&s.out, &s.truth, &s.inputs} {
		var err error
		if *into, err = device.Mapped(i); err != nil {
			return proc.Fail(err)
		}
	}
	return device.Serve(s.handle)
}

func (s *server) handle(req *Request, _ func(string)) (any, error) {
	switch {
	case req.Setup != nil:
		s.setup, s.seen = *req.Setup, newSeen()
		return &JudgeReply{}, nil
	case req.Judge != nil:
		return s.judge(req.Judge)
	case req.Reference != nil:
		return s.reference(req.Reference)
	case req.SelfTest != nil:
		i := req.SelfTest.Case
		return s.setup.SelfTest(i, s.setup.Truths(i, s.truth), func(int) check.Comparison { return check.Judge })
	case req.Palette != nil:
		i := req.Palette.Case
		return &JudgeReply{Palette: s.setup.Palette(i, s.setup.Truths(i, s.truth))}, nil
	}
	return nil, errors.New("checker: empty request")
}

func (s *server) judge(req *Judge) (*JudgeReply, error) {
	places, err := s.setup.Places(req)
	if err != nil {
		return nil, err
	}
	return s.setup.Verdict(req, func(k, out int) (check.Report, error) {
		i := req.Cases[k]
		c := &s.setup.Cases[i]
		at, b := places[k]+c.OutputAt(out), c.Outputs()[out]
		return s.seen.judge(i, out, s.out[at:at+b.Bytes()], b.DType, s.setup.Truths(i, s.truth)[out],
			s.setup.Model(i, req.Acc)), nil
	})
}

func (s *server) reference(req *Reference) (*JudgeReply, error) {
	c := &s.setup.Cases[req.Case]
	inputs, err := c.Inputs(s.inputs, req.At)
	if err != nil {
		return nil, err
	}
	return s.setup.Agrees(req, inputs, s.setup.Truths(req.Case, s.truth))
}
