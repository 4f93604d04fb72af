package cpu

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Session is one worker's state. It answers the same requests as a GPU's.
type Session struct {
	out   []byte // the shared output memory
	files device.Files

	dev      kernels.Device
	maker    *program // of inputs that follow from others; nil where there are none
	prep     device.Prepare
	arenas   []*arena   // by case
	pristine [][][]byte // by case and buffer: the inputs as they were made
	rng      *rand.Rand // secret
	turn     int        // of all samples: the inputs change with each
	flush    []byte     // what a cold sample writes to push everything out of the caches
}

// NewSession serves requests over the given memories.
func NewSession(out []byte, files device.Files) *Session {
	return &Session{out: out, files: files, rng: device.SecretNumbers()}
}

// Handle answers one request. phase is told what is about to be done. An error is ours; what a
// candidate does wrong is a Fault in the reply.
func (s *Session) Handle(req *device.Request, phase func(string)) (any, error) {
	switch {
	case req.Open != nil:
		s.dev = Describe()
		return &device.OpenReply{Count: 1, Device: s.dev, Free: s.dev.MemoryBytes}, nil
	case req.Prepare != nil:
		return nil, s.prepare(req.Prepare)
	case req.Truth != nil:
		return nil, s.makeTruth(req.Truth, phase)
	case req.Power != nil:
		return s.power(req.Power, phase)
	case req.Gate != nil:
		return s.gate(req.Gate, phase)
	case req.Time != nil:
		return s.time(req.Time, phase)
	case req.Duel != nil:
		return s.duel(req.Duel, phase)
	case req.Disturb != nil:
		return s.disturb(req.Disturb, phase)
	case req.Ceilings != nil:
		return ceilings(s.dev), nil
	case req.Inputs != nil:
		return s.inputs(req.Inputs)
	case req.Trim != nil:
		return nil, nil // memory is mapped for good, and the operating system has the rest
	case req.Library != nil:
		return nil, errors.New("cpu worker: there is no library to compare with")
	}
	return nil, errors.New("cpu worker: empty request")
}

// prepare maps and fills every case.
func (s *Session) prepare(req *device.Prepare) error {
	s.prep = *req
	if need := req.Slots * req.SlotBytes; need > len(s.out) && s.files.Truth == nil {
		return fmt.Errorf("output memory of %d bytes: %d are needed", len(s.out), need)
	}
	if err := s.loadMaker(req); err != nil {
		return err
	}
	given := 0
	for i := range req.Cases {
		c := &req.Cases[i]
		a, err := newArena(device.Sizes(c.Buffers), req.GuardKey)
		if err == nil && req.Given {
			err = takeInputs(c, a, s.files.Inputs, given)
			given += c.InBytes()
		} else if err == nil {
			err = s.fillInputs(c, a)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		var inputs [][]byte
		for j, b := range c.Buffers {
			var keep []byte
			if !b.Out {
				keep = append(keep, a.buffers[j]...)
			}
			inputs = append(inputs, keep)
		}
		a.holds = i
		s.arenas, s.pristine = append(s.arenas, a), append(s.pristine, inputs)
		if err := a.protect(); err != nil {
			return err
		}
	}
	return nil
}

// hold makes an arena hold the inputs of a case, which may be another of the same size.
func (s *Session) hold(a *arena, i int) {
	if a.holds != i {
		s.restore(a, i)
	}
}

func (s *Session) restore(a *arena, i int) {
	a.holds = i
	for j, in := range s.pristine[i] {
		if in != nil {
			copy(a.buffers[j], in)
		}
	}
}

// scratchKey makes the guard pattern around scratch another than around tensors.
const scratchKey = 0x5c7a7c4

// placeScratch maps a call's scratch buffers with guards between them. The caller frees them.
func (s *Session) placeScratch(call kernels.Call) (*arena, error) {
	if len(call.Scratch) == 0 {
		return nil, nil
	}
	a, err := newArena(device.ScratchSizes(call), s.prep.GuardKey^scratchKey)
	if err != nil {
		return nil, fmt.Errorf("scratch: %w", err)
	}
	return a, nil
}
