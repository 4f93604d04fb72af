package gpu

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/proc"
)

// Files are what a device worker inherits: the output memory, and what its arguments name, in this order. "inputs" is
// the input memory, "truth" the truth memory, which only a process has that runs no candidate.
type Files struct {
	Out    *os.File
	Inputs []byte
	Truth  []byte
}

// Inherit opens the files of a worker with the given arguments. The output memory may be the device's: it is opened when
// Prepare has told so.
func Inherit(args []string) (f Files, err error) {
	if f.Out, err = proc.Inherited(0); err != nil {
		return f, err
	}
	next := 1
	for name, into := range map[string]*[]byte{"inputs": &f.Inputs, "truth": &f.Truth} {
		at := slices.Index(args, name)
		if at < 0 {
			continue
		}
		if *into, err = shared(next + at); err != nil {
			return f, err
		}
	}
	return f, nil
}

func shared(i int) ([]byte, error) {
	f, err := proc.Inherited(i)
	if err != nil {
		return nil, err
	}
	m, err := proc.OpenShared(f)
	if err != nil {
		return nil, err
	}
	return m.Map(), nil
}

// outputs is the output memory: one of the two.
type outputs struct {
	host cuda.Pinned
	dev  *cuda.Range
}

// openOutputs opens the output memory as Prepare says. A process that runs no candidate writes none.
func (s *Session) openOutputs(req *Prepare) (err error) {
	need := req.Slots * req.SlotBytes
	switch {
	case need == 0 || s.files.Truth != nil:
		return nil
	case s.files.Out == nil:
		return errors.New("there is no output memory")
	case req.OnDevice:
		s.out.dev, err = s.importOutputs(need)
		return err
	}
	m, err := proc.OpenShared(s.files.Out)
	if err != nil {
		return err
	}
	if len(m.Map()) < need {
		return fmt.Errorf("output memory of %d bytes: %d are needed", len(m.Map()), need)
	}
	if s.out.host, err = s.drv.HostRegister(m.Map()); err != nil {
		return fmt.Errorf("pin the output memory: %w", err)
	}
	return nil
}

// importOutputs maps what the judge has allocated.
func (s *Session) importOutputs(bytes int) (*cuda.Range, error) {
	g, err := s.drv.Granularity(s.id)
	if err != nil {
		return nil, err
	}
	n := (uint64(bytes) + g - 1) / g * g
	p, err := s.drv.ImportPhysical(s.id, s.files.Out, n)
	if err != nil {
		return nil, fmt.Errorf("the judge's output memory: %w", err)
	}
	return p.MapAlone(g, cuda.ReadWrite)
}

// take queues the copy of n bytes to a place in the output memory.
func (o *outputs) take(s *Session, at int, from cuda.Ptr, n int) error {
	if o.dev != nil {
		return s.drv.DtoDAsync(o.dev.At+cuda.Ptr(at), from, uint64(n), s.stream)
	}
	return s.drv.DtoHAsync(o.host[at:at+n], from, s.stream)
}
