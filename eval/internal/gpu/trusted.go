package gpu

import (
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// What follows is for the judge, which makes inputs and truth on the device and never loads a candidate.

// Open takes the device.
func (s *Session) Open(req *device.Open) (*device.OpenReply, error) { return s.open(req) }

// Do runs f on the thread that the device's context is current on.
func (s *Session) Do(f func() error) error { return s.ctx.Do(f) }

// Device is the open device, for calls of the driver inside of Do.
func (s *Session) Device() (*cuda.Driver, cuda.Device, cuda.Stream) { return s.drv, s.id, s.stream }

// UseMaker says which program has the kernels of Case.Maker.
func (s *Session) UseMaker(mod cuda.Module) { s.maker = mod }

// MakeInputs queues the making of a case's inputs in buffers at the given addresses.
func (s *Session) MakeInputs(c *device.Case, at []cuda.Ptr) error {
	return s.fill(c, &arena{at: at}, c.Seed)
}
