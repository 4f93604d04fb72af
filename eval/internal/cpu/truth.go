package cpu

import (
	"errors"
	"fmt"

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
		if err != nil {
			return err
		}
		for j := range into {
			copy(into[j], s.pristine[i][j])
		}
	}
	return nil
}

// runReference runs the reference kernel on every case.
func (s *Session) runReference(req *device.Truth, phase func(string)) error {
	p, err := load(req.Cubin, []kernels.Call{{Launches: req.Launches}})
	if err != nil {
		return err
	}
	for i := range s.prep.Cases {
		phase("reference " + s.prep.Cases[i].Name)
		c, a := &s.prep.Cases[i], s.arenas[i]
		err := a.unprotect()
		if err == nil {
			err = errors.Join(s.reference(p, c, a, req.Launches[i], s.files.Truth[c.TruthAt:]), a.protect())
		}
		if err != nil {
			return fmt.Errorf("reference kernel on %s: %w", c.Name, err)
		}
	}
	return p.unload()
}

// inputs gives the inputs of a case away that was not prepared.
func (s *Session) inputs(req *device.Inputs) (reply *device.InputsReply, err error) {
	if req.Of == nil {
		return nil, errors.New("cpu worker: inputs of no case")
	}
	c := req.Of
	a, err := newArena(device.Sizes(c.Buffers), s.prep.GuardKey)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.free()) }()
	if err := s.fillInputs(c, a); err != nil {
		return nil, err
	}
	if req.Omission != nil {
		erase(c, a, req.Omission)
	}
	reply = &device.InputsReply{}
	for j, b := range c.Buffers {
		if !b.Out {
			reply.Bytes = append(reply.Bytes, a.buffers[j]...)
		}
	}
	return reply, nil
}

// reference runs the reference kernel on the inputs in a, and writes value and scale of each output.
func (s *Session) reference(p *program, c *device.Case, a *arena, l kernels.Launch, into []byte) (err error) {
	var sizes []int // a float64 value and a float32 scale for every output
	for _, b := range c.Buffers {
		if b.Out {
			sizes = append(sizes, 8*b.Elems(), 4*b.Elems())
		}
	}
	results, err := newArena(sizes, s.prep.GuardKey)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, results.free()) }()
	w, x := &work{program: p}, newLaunch(p, l)
	for j, b := range c.Buffers {
		if !b.Out {
			x.args = append(x.args, uint64(address(a.buffers[j])))
			w.add(b.Name, a.buffers[j], false)
		}
	}
	for j, r := range results.buffers {
		x.args = append(x.args, uint64(address(r)))
		w.add(fmt.Sprintf("result %d", j), r, true)
	}
	for _, arg := range l.Args {
		x.args = append(x.args, uint64(uint32(int32(arg.Int))))
	}
	w.launches = []*launch{x}
	if err := w.do(runOptions{}); err != nil {
		return err
	}
	at := 0
	for _, r := range results.buffers {
		copy(into[at:], r)
		at += device.Align(len(r))
	}
	return nil
}
