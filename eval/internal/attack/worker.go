package attack

import (
	"context"
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/proc"
)

// Request has a worker make one attack on a target, or open the GPU's driver as a device worker does.
type Request struct {
	Target *Target `json:"target,omitempty"`
	Number int     `json:"number"` // of All
	Driver string  `json:"driver,omitempty"`
	GPU    int     `json:"gpu,omitempty"`
}

// Main is the worker that stands for one of a kind: it has its fence, and Go's code in the place of what would have
// been taken over.
func Main([]string) int {
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		var req Request
		if err := f.Decode(&req); err != nil {
			return err
		}
		if req.Driver != "" {
			if err := drive(req.Driver, req.GPU); err != nil {
				return err
			}
		}
		if req.Target == nil {
			return c.Reply(Outcome{})
		}
		all := All(req.Target)
		if req.Number < 0 || req.Number >= len(all) {
			return fmt.Errorf("no attack %d", req.Number)
		}
		return c.Reply(try(&all[req.Number]))
	})
}

// drive opens a GPU.
func drive(driver string, index int) error {
	d, err := cuda.Open(driver)
	if err != nil {
		return err
	}
	device, err := d.Device(index)
	if err != nil {
		return err
	}
	_, err = d.Retain(device)
	return err
}
