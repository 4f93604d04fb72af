package checker

import (
	"fmt"
	"slices"
	"unsafe"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Model is the error model of case i for a candidate that adds in acc.
func (s *Setup) Model(i int, acc kernels.DType) check.Model {
	return check.Model{K: s.Terms[i].K, Chain: s.Terms[i].Chain, Acc: acc, ULPs: s.ULPs, Terms: s.Rounded,
		Coherent: s.Coherent, Scattered: s.Scattered && s.Cases[i].Class == "normal", Exact: s.Cases[i].Class == "exact"}
}

// Truths maps the truth of case i, one per output, in the truth memory.
func (s *Setup) Truths(i int, memory []byte) []check.Truth {
	c := &s.Cases[i]
	return TruthsOf(c, memory[c.TruthAt:])
}

// TruthsOf maps the truth of a case that begins where memory does.
func TruthsOf(c *device.Case, memory []byte) []check.Truth {
	var out []check.Truth
	for k, p := range c.Truths() {
		n := c.Outputs()[k].Elems()
		out = append(out, check.Truth{
			Value: unsafe.Slice((*float64)(unsafe.Pointer(&memory[p.Value])), n),
			Scale: unsafe.Slice((*float32)(unsafe.Pointer(&memory[p.Scale])), n),
		})
	}
	return out
}

// Places says where in the output memory each case of a request begins.
func (s *Setup) Places(req *Judge) ([]int, error) {
	for _, i := range req.Cases {
		if i < 0 || i >= len(s.Cases) {
			return nil, fmt.Errorf("checker: no case %d", i)
		}
	}
	places, total := device.Pack(s.Cases, req.Cases)
	if total > s.SlotBytes {
		return nil, fmt.Errorf("checker: outputs of %d bytes in a slot of %d", total, s.SlotBytes)
	}
	for k := range places {
		places[k] += req.Slot * s.SlotBytes
	}
	return places, nil
}

// Verdict judges a request by the reports on its outputs, wherever they were compared: report gives the one on output
// number out of the k-th case. The first that is wrong ends it.
func (s *Setup) Verdict(req *Judge, report func(k, out int) (check.Report, error)) (*JudgeReply, error) {
	reply := &JudgeReply{}
	for k, i := range req.Cases {
		c := &s.Cases[i]
		for out, b := range c.Outputs() {
			r, err := report(k, out)
			if err != nil {
				return nil, err
			}
			reply.add(c, b, r, req.Loose)
			if reply.Wrong != "" {
				return reply, nil
			}
		}
		reply.Report.Checks++
	}
	return reply, nil
}

// loosest is the relative Frobenius error that loose outputs of the type may have, its own rounding besides.
func loosest(d kernels.DType) float64 {
	if d.Size() == 1 {
		return looseError + d.Roundoff()
	}
	return looseError
}

func (reply *JudgeReply) add(c *device.Case, b kernels.Buffer, r check.Report, loose bool) {
	reply.Report.Elements += b.Elems()
	if !(r.Worst <= reply.Report.Worst) {
		reply.Report.Worst, reply.Report.Where = r.Worst, c.Name
	}
	if c.Workload != "" || loose {
		reply.Report.Frobenius = max(reply.Report.Frobenius, r.Frobenius)
	}
	if !r.Pass() && !(loose && r.Missing == 0 && r.Frobenius <= loosest(b.DType)) {
		reply.Report.Where = c.Name
		reply.Wrong = c.Name + ": " + r.Explain(b.Name, b.Shape)
	}
}

// SelfTest tries the comparisons of the outputs of case i with their truths: the reply's Wrong says where a right
// output is refused, and Tried which wrong ones are.
func (s *Setup) SelfTest(i int, truths []check.Truth, compare func(number int) check.Comparison) (*JudgeReply, error) {
	c := &s.Cases[i]
	reply := &JudgeReply{}
	tells := slices.ContainsFunc(truths, func(t check.Truth) bool { return !t.Alike() })
	for j, t := range truths {
		if tells && t.Alike() { // as the exponents of rows that are about as large: beside another output, that is no fault
			continue
		}
		b := c.Outputs()[j]
		trial := check.Trial{DType: b.DType, Model: s.Model(i, kernels.FP32), Truth: t, Shape: b.Shape, Compare: compare(j)}
		tried, err := check.SelfTest(trial)
		if err != nil {
			reply.Wrong = fmt.Sprintf("%s: %s: %s", c.Name, b.Name, err)
		}
		for _, wrong := range tried {
			wrong.Name = b.Name + ": the check accepts " + wrong.Name
			reply.Tried = append(reply.Tried, wrong)
		}
	}
	return reply, nil
}

// Palette is values like those of a case's outputs, one output's after the other's.
func (s *Setup) Palette(i int, truths []check.Truth) []byte {
	var all []byte
	for out, b := range s.Cases[i].Outputs() {
		all = append(all, truths[out].Palette(b.DType, device.SecretNumbers())...)
	}
	return all
}
