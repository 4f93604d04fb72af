// Package checker is the process that gives verdicts. It maps the output memory that the device
// worker writes and the truth memory that it does not have, and runs no CUDA.
package checker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// Request asks for one thing. Exactly one field is set.
type Request struct {
	Setup     *Setup     `json:"setup,omitempty"`
	Judge     *Judge     `json:"judge,omitempty"`
	Reference *Reference `json:"reference,omitempty"`
	SelfTest  *SelfTest  `json:"self_test,omitempty"`
}

// Setup tells what lies where in the two memories.
type Setup struct {
	Cases     []gpu.Case    `json:"cases"`
	Terms     []int         `json:"terms"` // by case: K of the error model
	ULPs      float64       `json:"ulps"`
	Rounded   kernels.DType `json:"rounded,omitempty"` // type that terms are rounded to before they are added
	SlotBytes int           `json:"slot_bytes"`
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
}

// Reference holds a case's inputs against a double-precision reference in Go, for problems that
// have one: the check of reference.cu itself.
type Reference struct {
	Problem string   `json:"problem"`
	Case    int      `json:"case"`
	Inputs  [][]byte `json:"inputs"` // by buffer
}

// SelfTest asks whether the check of a case can tell right from wrong. The reply's Wrong says how not.
type SelfTest struct {
	Case int `json:"case"`
}

type server struct {
	out, truth []byte
	setup      Setup
	seen       *seen
}

// Main serves requests; its inherited files are the output memory and the truth memory.
func Main([]string) int {
	var maps [2][]byte
	for i := range maps {
		f, err := proc.Inherited(i)
		if err == nil {
			var m *proc.Shared
			if m, err = proc.OpenShared(f); err == nil {
				maps[i] = m.Map()
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return proc.ExitInternal
		}
	}
	s := &server{out: maps[0], truth: maps[1]}
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		var req Request
		if err := f.Decode(&req); err != nil {
			return err
		}
		reply, err := s.handle(&req)
		if err != nil {
			return err
		}
		return c.Reply(reply)
	})
}

func (s *server) handle(req *Request) (*JudgeReply, error) {
	switch {
	case req.Setup != nil:
		s.setup, s.seen = *req.Setup, newSeen()
		return &JudgeReply{}, nil
	case req.Judge != nil:
		return s.judge(req.Judge)
	case req.Reference != nil:
		return s.reference(req.Reference)
	case req.SelfTest != nil:
		return s.selfTest(req.SelfTest.Case)
	}
	return nil, errors.New("checker: empty request")
}

// Model is the error model of case i for a candidate that adds in acc.
func (s *Setup) Model(i int, acc kernels.DType) check.Model {
	return check.Model{K: s.Terms[i], Acc: acc, ULPs: s.ULPs, Terms: s.Rounded, Exact: s.Cases[i].Class == "exact"}
}

// Truths maps the truth of case i, one per output, in the truth memory.
func (s *Setup) Truths(i int, memory []byte) []check.Truth {
	c := &s.Cases[i]
	at := c.TruthAt
	var out []check.Truth
	for _, b := range c.Outputs() {
		n := b.Elems()
		t := check.Truth{Value: unsafe.Slice((*float64)(unsafe.Pointer(&memory[at])), n)}
		at += align(8 * n)
		t.Scale = unsafe.Slice((*float32)(unsafe.Pointer(&memory[at])), n)
		at += align(4 * n)
		out = append(out, t)
	}
	return out
}

func align(n int) int { return (n + 255) &^ 255 }

// places says where in the output memory each case of a request begins.
func (s *Setup) places(req *Judge) ([]int, error) {
	for _, i := range req.Cases {
		if i < 0 || i >= len(s.Cases) {
			return nil, fmt.Errorf("checker: no case %d", i)
		}
	}
	places, total := gpu.Pack(s.Cases, req.Cases)
	if total > s.SlotBytes {
		return nil, fmt.Errorf("checker: outputs of %d bytes in a slot of %d", total, s.SlotBytes)
	}
	for k := range places {
		places[k] += req.Slot * s.SlotBytes
	}
	return places, nil
}

func (s *server) judge(req *Judge) (*JudgeReply, error) {
	reply := &JudgeReply{}
	places, err := s.setup.places(req)
	if err != nil {
		return nil, err
	}
	for k, i := range req.Cases {
		c := &s.setup.Cases[i]
		at, out := places[k], 0
		truths := s.setup.Truths(i, s.truth)
		for _, b := range c.Buffers {
			if !b.Out {
				continue
			}
			r := s.seen.judge(i, out, s.out[at:at+b.Bytes()], b.DType, truths[out], s.setup.Model(i, req.Acc))
			reply.Report.Elements += b.Elems()
			if !(r.Worst <= reply.Report.Worst) {
				reply.Report.Worst, reply.Report.Where = r.Worst, c.Name
			}
			if c.Workload != "" || req.Loose {
				reply.Report.Frobenius = max(reply.Report.Frobenius, r.Frobenius)
			}
			if !r.Pass() && !(req.Loose && r.Missing == 0 && r.Frobenius <= looseError) {
				reply.Report.Where = c.Name
				reply.Wrong = c.Name + ": " + r.Explain(b.Name, b.Shape)
				return reply, nil
			}
			at += align(b.Bytes())
			out++
		}
		reply.Report.Checks++
	}
	return reply, nil
}

func (s *server) selfTest(i int) (*JudgeReply, error) {
	c := &s.setup.Cases[i]
	reply := &JudgeReply{}
	for j, t := range s.setup.Truths(i, s.truth) {
		b := c.Outputs()[j]
		for _, fault := range check.SelfTest(check.Trial{DType: b.DType, Model: s.setup.Model(i, kernels.FP32), Truth: t, Shape: b.Shape}) {
			reply.Wrong = fmt.Sprintf("%s: %s: the check %s", c.Name, b.Name, fault)
		}
	}
	return reply, nil
}

// references are the problems whose truth is also known in Go.
var references = map[string]func(d kernels.Dims, in [][]float64) []check.Truth{
	"gemm": func(d kernels.Dims, in [][]float64) []check.Truth {
		return []check.Truth{check.GEMM64(in[0], transpose(in[1], d["n"], d["k"]), d["m"], d["n"], d["k"])}
	},
	"attention": func(d kernels.Dims, in [][]float64) []check.Truth {
		return []check.Truth{check.Attention64(in[0], in[1], in[2], d["b"]*d["h"], d["s"], d["d"], d["causal"] == 1)}
	},
}

func transpose(a []float64, rows, cols int) []float64 {
	out := make([]float64, len(a))
	for i := range rows {
		for j := range cols {
			out[j*rows+i] = a[i*cols+j]
		}
	}
	return out
}

// HasReference reports whether a problem's reference kernel can be checked.
func HasReference(problem string) bool { return references[problem] != nil }

func (s *server) reference(req *Reference) (*JudgeReply, error) {
	ref := references[req.Problem]
	if ref == nil {
		return nil, fmt.Errorf("checker: no reference in Go for %s", req.Problem)
	}
	c := &s.setup.Cases[req.Case]
	var in [][]float64
	for i, b := range c.Buffers {
		if !b.Out {
			values := make([]float64, b.Elems())
			check.Decode(b.DType, req.Inputs[i], values)
			in = append(in, values)
		}
	}
	reply := &JudgeReply{}
	for i, want := range ref(c.Dims, in) {
		if err := s.setup.Truths(req.Case, s.truth)[i].Agrees(want, s.setup.Terms[req.Case]); err != nil {
			reply.Wrong = fmt.Sprintf("reference kernel on %s: %v", c.Name, err)
		}
	}
	return reply, nil
}
