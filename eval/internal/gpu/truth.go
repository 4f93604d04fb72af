package gpu

import (
	"bytes"
	"fmt"

	"darwarp/eval/internal/cuda"
)

// makeTruth runs the reference kernel on every case and writes value and scale of each output to the
// truth memory, and returns the inputs that the request asks for.
func (s *Session) makeTruth(req *Truth, phase func(string)) (*TruthReply, error) {
	mod, err := s.drv.LoadModule(req.Cubin)
	if err != nil {
		return nil, err
	}
	for i := range s.prep.Cases {
		if s.prep.Cases[i].Trial { // nobody has asked for its outputs yet
			continue
		}
		phase("reference " + s.prep.Cases[i].Name)
		if err := s.truthOf(mod, i, req); err != nil {
			return nil, fmt.Errorf("reference kernel on %s: %w", s.prep.Cases[i].Name, err)
		}
	}
	reply := &TruthReply{}
	for _, i := range req.Inputs {
		bufs, err := s.readInputs(i)
		if err != nil {
			return nil, err
		}
		reply.Inputs = append(reply.Inputs, bufs)
	}
	return reply, nil
}

// readInputs copies a case's inputs, by buffer; nothing for its outputs.
func (s *Session) readInputs(i int) ([][]byte, error) {
	if i < 0 || i >= len(s.prep.Cases) {
		return nil, fmt.Errorf("no case %d", i)
	}
	var bufs [][]byte
	for j, b := range s.prep.Cases[i].Buffers {
		var data []byte
		if !b.Out {
			data = make([]byte, b.Bytes())
			if err := s.drv.DtoH(data, s.arenas[i].at[j]); err != nil {
				return nil, err
			}
		}
		bufs = append(bufs, data)
	}
	return bufs, nil
}

// inputs gives a case's inputs away.
func (s *Session) inputs(req *Inputs) (*InputsReply, error) {
	if err := s.drv.SyncStream(s.stream); err != nil {
		return nil, err
	}
	bufs, err := s.readInputs(req.Case)
	return &InputsReply{bytes.Join(bufs, nil)}, err
}

func (s *Session) truthOf(mod cuda.Module, i int, req *Truth) error {
	c, a, l := &s.prep.Cases[i], s.arenas[i], req.Launches[i]
	f, err := s.drv.Function(mod, l.Entry)
	if err != nil {
		return err
	}
	launch := &cuda.Launch{Func: f, Grid: dim(l.Grid), Block: dim(l.Block)}
	for j, b := range c.Buffers {
		if !b.Out {
			launch.Args.Ptr(a.at[j])
		}
	}
	var results []zone
	for _, b := range c.Buffers {
		if !b.Out {
			continue
		}
		for _, width := range []int{8, 4} { // value, scale
			at, err := s.drv.Alloc(uint64(width * b.Elems()))
			if err != nil {
				return err
			}
			defer s.drv.Free(at)
			launch.Args.Ptr(at)
			results = append(results, zone{at, width * b.Elems()})
		}
	}
	for _, x := range l.Args {
		launch.Args.Int32(int32(x.Int))
	}
	if err := s.drv.Start(launch, s.stream); err != nil {
		return err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return err
	}
	off := c.TruthAt
	for _, z := range results {
		if err := s.drv.DtoH(s.truth[off:off+z.bytes], z.at); err != nil {
			return err
		}
		off += align(z.bytes)
	}
	return nil
}
