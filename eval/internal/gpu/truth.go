package gpu

import (
	"bytes"
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// makeTruth runs the reference kernel on every case and writes value and scale of each output to the
// truth memory, and the inputs that the request asks for to the input memory.
func (s *Session) makeTruth(req *device.Truth, phase func(string)) error {
	if len(req.Cubin) > 0 {
		if err := s.runReference(req, phase); err != nil {
			return err
		}
	}
	offsets, _ := device.PackInputs(s.prep.Cases, req.Inputs)
	for k, i := range req.Inputs {
		into, err := s.prep.Cases[i].Inputs(s.files.Inputs, offsets[k])
		if err == nil {
			err = s.readInputs(into, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runReference runs the reference kernel on every case.
func (s *Session) runReference(req *device.Truth, phase func(string)) error {
	mod, err := s.drv.LoadModule(req.Cubin)
	if err != nil {
		return err
	}
	for i := range s.prep.Cases {
		phase("reference " + s.prep.Cases[i].Name)
		if err := s.truthOf(mod, i, req); err != nil {
			return fmt.Errorf("reference kernel on %s: %w", s.prep.Cases[i].Name, err)
		}
	}
	return nil
}

// readInputs copies a case's inputs to where they are wanted, by buffer.
func (s *Session) readInputs(into [][]byte, i int) error {
	a, err := s.arenaOf(i)
	if err != nil {
		return err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return err
	}
	for j, to := range into {
		if err := s.drv.DtoH(to, a.at[j]); err != nil {
			return err
		}
	}
	return nil
}

// inputs gives a case's inputs away.
func (s *Session) inputs(req *device.Inputs) (*device.InputsReply, error) {
	if req.Of != nil {
		return s.inputsOf(req.Of, req.Omission)
	}
	if req.Case < 0 || req.Case >= len(s.prep.Cases) {
		return nil, fmt.Errorf("no case %d", req.Case)
	}
	var bufs [][]byte
	for _, b := range s.prep.Cases[req.Case].Buffers {
		n := b.Bytes()
		if b.Out {
			n = 0
		}
		bufs = append(bufs, make([]byte, n))
	}
	if err := s.beginRequest(); err != nil {
		return nil, err
	}
	if err := s.readInputs(bufs, req.Case); err != nil {
		return nil, err
	}
	return &device.InputsReply{Bytes: bytes.Join(bufs, nil)}, s.protect()
}

// inputsOf gives the inputs of a case away that was not prepared, less an omission if there is one.
func (s *Session) inputsOf(c *device.Case, o *device.Omission) (*device.InputsReply, error) {
	offsets, total := device.Layout(device.Sizes(c.Buffers))
	base, err := s.drv.Alloc(uint64(total))
	if err != nil {
		return nil, err
	}
	defer s.drv.Free(base)
	var at []cuda.Ptr
	for _, off := range offsets {
		at = append(at, base+cuda.Ptr(off))
	}
	if err := s.lackingInputs(c, at, o); err != nil {
		return nil, err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return nil, err
	}
	reply := &device.InputsReply{}
	for j, b := range c.Buffers {
		if b.Out {
			continue
		}
		data := make([]byte, b.Bytes())
		if err := s.drv.DtoH(data, at[j]); err != nil {
			return nil, err
		}
		reply.Bytes = append(reply.Bytes, data...)
	}
	return reply, nil
}

func (s *Session) truthOf(mod cuda.Module, i int, req *device.Truth) error {
	c := &s.prep.Cases[i]
	a, err := s.arenaOf(i)
	if err != nil {
		return err
	}
	at, err := s.drv.Alloc(uint64(max(c.TruthBytes(), 1)))
	if err != nil {
		return err
	}
	defer s.drv.Free(at)
	if err := s.StartReference(mod, c, req.Launches[i], a.at, at); err != nil {
		return err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return err
	}
	return s.drv.DtoH(s.files.Truth[c.TruthAt:c.TruthAt+c.TruthBytes()], at)
}

// StartReference queues the reference kernel on a case. at are its inputs, by buffer; value and scale of each output
// go to truth, as Case.Truths says.
func (s *Session) StartReference(mod cuda.Module, c *device.Case, l kernels.Launch, at []cuda.Ptr,
	truth cuda.Ptr) error {
	f, err := s.drv.Function(mod, l.Entry)
	if err != nil {
		return err
	}
	launch := &cuda.Launch{Func: f, Grid: dim(l.Grid), Block: dim(l.Block)}
	for j, b := range c.Buffers {
		if !b.Out {
			launch.Args.Ptr(at[j])
		}
	}
	for _, p := range c.Truths() {
		launch.Args.Ptr(truth + cuda.Ptr(p.Value))
		launch.Args.Ptr(truth + cuda.Ptr(p.Scale))
	}
	for _, x := range l.Args {
		launch.Args.Int32(int32(x.Int))
	}
	return s.drv.Start(launch, s.stream)
}
