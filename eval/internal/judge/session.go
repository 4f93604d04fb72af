package judge

import (
	"errors"
	"fmt"
	"os"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/proc"
)

// Session is the judge's hold on a GPU.
type Session struct {
	gpu     *gpu.Session
	channel *os.File // to the parent
	host    []byte   // outputs that come from elsewhere

	drv    *cuda.Driver
	dev    cuda.Device
	stream cuda.Stream

	setup     Setup
	compare   cuda.Function
	wrong     cuda.Function
	reference cuda.Module
	slots     *cuda.Range // read only
	truths    *truths
	table     buffer
	tallies   buffer
	readback  cuda.Pinned
}

// NewSession serves requests. The output memory goes through the channel; host is where outputs lie that come from
// elsewhere.
func NewSession(channel *os.File, host []byte) *Session {
	return &Session{gpu: gpu.NewSession(device.Files{}), channel: channel, host: host}
}

// Handle answers one request. phase is told what is about to be done. An error is ours.
func (s *Session) Handle(req *Request, phase func(string)) (any, error) {
	if req.Open != nil {
		reply, err := s.gpu.Open(req.Open)
		s.drv, s.dev, s.stream = s.gpu.Device()
		return reply, err
	}
	if s.drv == nil {
		return nil, errors.New("judge: not open")
	}
	var reply any
	err := s.gpu.Do(func() (err error) {
		reply, err = s.handle(req, phase)
		return err
	})
	return reply, err
}

func (s *Session) handle(req *Request, phase func(string)) (any, error) {
	if req.Setup != nil {
		return nil, s.prepare(req.Setup)
	}
	if s.truths == nil {
		return nil, errors.New("judge: not set up")
	}
	s.truths.turn++
	switch {
	case req.Truth != nil:
		for _, i := range req.Truth.Cases {
			phase("reference " + s.setup.Check.Cases[i].Name)
			if _, err := s.truth(i); err != nil {
				return nil, err
			}
			s.truths.turn++
		}
		return nil, nil
	case req.Check != nil:
		phase("judge")
		return s.check(req.Check, req.Given)
	}
	return nil, errors.New("judge: empty request")
}

func (s *Session) check(req *checker.Request, given bool) (*checker.JudgeReply, error) {
	switch {
	case req.Judge != nil && given:
		return s.judgeGiven(req.Judge)
	case req.Judge != nil:
		return s.judge(req.Judge, s.slots.At)
	case req.Reference != nil:
		return s.agrees(req.Reference)
	case req.SelfTest != nil:
		return s.selfTest(req.SelfTest.Case)
	case req.Palette != nil:
		return s.palette(req.Palette.Case)
	}
	return nil, errors.New("judge: nothing to check")
}

// prepare loads the kernels, and allocates the output memory and gives it away.
func (s *Session) prepare(req *Setup) error {
	s.setup, s.truths = *req, newTruths(req.Budget)
	own, err := s.drv.LoadModule(req.Compare)
	if err != nil {
		return fmt.Errorf("the judge's kernels: %w", err)
	}
	if s.compare, err = s.drv.Function(own, Compare); err != nil {
		return err
	}
	if s.wrong, err = s.drv.Function(own, Wrong); err != nil {
		return err
	}
	if s.reference, err = s.drv.LoadModule(req.Reference); err != nil {
		return fmt.Errorf("reference kernel: %w", err)
	}
	s.gpu.UseMaker(s.reference)
	return s.share(req.Slots * req.Check.SlotBytes)
}

// share allocates n bytes of output memory, sends them to the parent, and maps them here to be read only.
func (s *Session) share(n int) error {
	p, err := s.drv.NewPhysical(s.dev, uint64(n))
	if err != nil {
		return fmt.Errorf("output memory of %d bytes: %w", n, err)
	}
	f, err := p.Export()
	if err != nil {
		return fmt.Errorf("output memory: %w", err)
	}
	if err := errors.Join(proc.SendFile(s.channel, f), f.Close()); err != nil {
		return err
	}
	s.slots, err = p.MapAlone(0, cuda.ReadOnly)
	return err
}

// truth is where the truth of a case lies. It is made when it is first asked for. Where it does not fit beside what
// this turn has asked for, the error is errNoRoom.
func (s *Session) truth(i int) (cuda.Ptr, error) {
	if got := s.truths.get(i); got != nil {
		return got.at, nil
	}
	n := s.setup.Check.Cases[i].TruthBytes()
	victims, enough := s.truths.victims(n)
	if !enough {
		return 0, errNoRoom
	}
	for _, v := range victims {
		if err := s.drv.Free(s.truths.kept[v].at); err != nil {
			return 0, err
		}
		s.truths.drop(v)
	}
	at, err := s.makeTruth(i)
	if err != nil {
		return 0, fmt.Errorf("reference kernel on %s: %w", s.setup.Check.Cases[i].Name, err)
	}
	s.truths.add(i, at, n)
	return at, nil
}

var errNoRoom = errors.New("no room for another truth")

// makeTruth runs the reference kernel on inputs that are made for it.
func (s *Session) makeTruth(i int) (at cuda.Ptr, err error) {
	c := &s.setup.Check.Cases[i]
	err = s.withInputs(c, func(inputs []cuda.Ptr) error {
		if at, err = s.drv.Alloc(uint64(max(1, c.TruthBytes()))); err != nil {
			return err
		}
		if err := s.gpu.StartReference(s.reference, c, s.setup.Launches[i], inputs, at); err != nil {
			return err
		}
		return s.drv.SyncStream(s.stream)
	})
	return at, err
}

// withInputs has a case's inputs made for the time of f, which waits for what it queues. They are given by buffer.
func (s *Session) withInputs(c *device.Case, f func(inputs []cuda.Ptr) error) error {
	base, err := s.drv.Alloc(uint64(max(1, c.InBytes())))
	if err != nil {
		return err
	}
	at := make([]cuda.Ptr, len(c.Buffers))
	for j, place := range c.InputsAt() {
		at[j] = base + cuda.Ptr(place)
	}
	if err = s.gpu.MakeInputs(c, at); err == nil {
		err = f(at)
	}
	return errors.Join(err, s.drv.Free(base))
}
