package judge

import (
	"errors"
	"fmt"
	"unsafe"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// judgeGiven judges outputs that lie in the host memory.
func (s *Session) judgeGiven(req *checker.Judge) (*checker.JudgeReply, error) {
	first := *req
	first.Slot = 0
	n := 0
	for _, i := range req.Cases {
		n += s.setup.Check.Cases[i].OutBytes()
	}
	if n > len(s.host) {
		return nil, fmt.Errorf("judge: given outputs of %d bytes: at most %d", n, len(s.host))
	}
	var reply *checker.JudgeReply
	err := s.with(s.host[:n], func(at cuda.Ptr) (err error) {
		reply, err = s.judge(&first, at)
		return err
	})
	return reply, err
}

// with copies bytes to the device for the time of f.
func (s *Session) with(data []byte, f func(cuda.Ptr) error) error {
	at, err := s.drv.Alloc(uint64(len(data) + 1))
	if err != nil {
		return err
	}
	if err = s.drv.HtoD(at, data); err == nil {
		err = f(at)
	}
	return errors.Join(err, s.drv.Free(at))
}

// agrees holds the truth of a case against a reference in Go.
func (s *Session) agrees(req *checker.Reference) (*checker.JudgeReply, error) {
	c := &s.setup.Check.Cases[req.Case]
	truths, err := s.truthsOnHost(req.Case)
	if err != nil {
		return nil, err
	}
	inputs := make([][]byte, len(c.Buffers))
	err = s.withInputs(c, func(at []cuda.Ptr) error {
		if err := s.drv.SyncStream(s.stream); err != nil {
			return err
		}
		for j, b := range c.Buffers {
			if b.Out {
				continue
			}
			inputs[j] = make([]byte, b.Bytes())
			if err := s.drv.DtoH(inputs[j], at[j]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.setup.Check.Agrees(req, inputs, truths)
}

func (s *Session) truthsOnHost(i int) ([]check.Truth, error) {
	at, err := s.truth(i)
	if err != nil {
		return nil, err
	}
	c := &s.setup.Check.Cases[i]
	data := make([]byte, c.TruthBytes())
	return checker.TruthsOf(c, data), s.drv.DtoH(data, at)
}

// A palette is made of so many stretches of a truth, of so many values each: to copy all of a large one takes longer.
const (
	paletteStretches = 64
	paletteStretch   = 64
)

// palette is values like those of a case's outputs.
func (s *Session) palette(i int) (*checker.JudgeReply, error) {
	at, err := s.truth(i)
	if err != nil {
		return nil, err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return nil, err
	}
	c, rng := &s.setup.Check.Cases[i], device.SecretNumbers()
	var truths []check.Truth
	for out, b := range c.Outputs() {
		from, n, step := c.Truths()[out].Value, b.Elems(), paletteStretch
		if n <= paletteStretches*paletteStretch {
			step = n
		}
		data := make([]byte, 0, 8*min(n, paletteStretches*paletteStretch))
		for len(data) < cap(data) {
			next := make([]byte, min(8*step, cap(data)-len(data)))
			first := rng.IntN(n - len(next)/8 + 1)
			if err := s.drv.DtoH(next, at+cuda.Ptr(from+8*first)); err != nil {
				return nil, err
			}
			data = append(data, next...)
		}
		truths = append(truths, check.Truth{Value: unsafe.Slice((*float64)(unsafe.Pointer(&data[0])), len(data)/8)})
	}
	return &checker.JudgeReply{Palette: s.setup.Check.Palette(i, truths)}, nil
}

// selfTest asks whether the comparison on the device can tell right from wrong, and whether it says of every output
// that is tried what the processor says.
func (s *Session) selfTest(i int) (*checker.JudgeReply, error) {
	truths, err := s.truthsOnHost(i)
	if err != nil {
		return nil, err
	}
	jobs, err := s.jobs(i, kernels.FP32, 0)
	if err != nil {
		return nil, err
	}
	t := &trial{Session: s, outputs: s.setup.Check.Cases[i].Outputs(), jobs: jobs}
	reply, err := s.setup.Check.SelfTest(i, truths, t.comparison)
	if err == nil && t.differs != "" {
		reply.Wrong = t.differs
	}
	return reply, errors.Join(err, t.failed)
}

// trial is the self-test of one case.
type trial struct {
	*Session
	outputs []kernels.Buffer
	jobs    []Job // by output
	differs string
	failed  error
}

// comparison is that of one output, on the device and here.
func (t *trial) comparison(number int) check.Comparison {
	b := t.outputs[number]
	return func(out []byte, d kernels.DType, truth check.Truth, m check.Model) check.Report {
		job := t.jobs[number]
		job.Model = m
		r, err := t.one(job, out)
		t.failed = errors.Join(t.failed, err)
		want := check.Judge(out, d, truth, m)
		if got, want := r.Explain(b.Name, b.Shape), want.Explain(b.Name, b.Shape); got != want {
			t.differs = fmt.Sprintf("the GPU's judge says %q, the processor's %q", got, want)
		}
		return r
	}
}

// one compares a single output that lies here.
func (s *Session) one(job Job, out []byte) (r check.Report, err error) {
	err = s.with(out, func(at cuda.Ptr) error {
		job.Out = uint64(at)
		got, err := s.run(nil, []Job{job})
		if err != nil {
			return err
		}
		if got[0].Bad > 0 {
			err = s.locate(&got[0])
		}
		r = got[0].Report
		return err
	})
	return r, err
}
