package gpu

import (
	"errors"
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
)

// outputs is the output memory: one of the two.
type outputs struct {
	host cuda.Pinned
	dev  *cuda.Range
}

// openOutputs opens the output memory as Prepare says. A process that runs no candidate writes none.
func (s *Session) openOutputs(req *device.Prepare) (err error) {
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

// reach is where n bytes of the output memory lie at a place, for a kernel of ours; 0 where it is not the device's, or
// not where an inspection's copies go.
func (o *outputs) reach(place, n int) cuda.Ptr {
	if o.dev == nil || uint64(o.dev.At)+uint64(place+n) > copyEnd {
		return 0
	}
	return o.dev.At + cuda.Ptr(place)
}

// take queues the copy of n bytes to a place in the output memory.
func (o *outputs) take(s *Session, at int, from cuda.Ptr, n int) error {
	if o.dev != nil {
		return s.drv.DtoDAsync(o.dev.At+cuda.Ptr(at), from, uint64(n), s.stream)
	}
	return s.drv.DtoHAsync(o.host[at:at+n], from, s.stream)
}

// record queues the copies of a sample's outputs to the tape.
func (s *Session) record(t *device.Tape, arenas []*arena) error {
	var cases []int
	for _, a := range arenas {
		cases = append(cases, a.holds)
	}
	return t.Take(cases, s.rng, func(k, at int) error { return s.copyOut(&s.prep.Cases[cases[k]], arenas[k], at) })
}
