package gpu

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// Profile is what a process under a profiler runs: each contender's call on each case once, in order.
type Profile struct {
	Open       device.Open        `json:"open"`
	Prepare    device.Prepare     `json:"prepare"`
	Contenders []device.Contender `json:"contenders"` // Calls by case
	// Apart gives every buffer an allocation of its own that ends where it ends, and leaves outputs unwritten: for tools
	// that watch every access.
	Apart bool `json:"apart,omitempty"`
}

// ProfileMain runs the Profile in a file and ends. It speaks to nobody: a profiler starts it.
func ProfileMain(args []string) int {
	if len(args) != 1 {
		return proc.Fail(errors.New("worker profile: expected a file"))
	}
	var req Profile
	data, err := os.ReadFile(args[0])
	if err == nil {
		err = json.Unmarshal(data, &req)
	}
	if err == nil {
		err = profile(&req)
	}
	if err != nil {
		return proc.Fail(err)
	}
	return 0
}

func profile(req *Profile) error {
	s := NewSession(device.Files{})
	s.watched = true
	if _, err := s.open(&req.Open); err != nil {
		return err
	}
	return s.ctx.Do(func() error {
		prepare := s.prepare
		if req.Apart {
			prepare = s.prepareApart
		}
		if err := prepare(&req.Prepare); err != nil {
			return err
		}
		for _, c := range req.Contenders {
			if err := s.runOnce(c, req.Apart); err != nil {
				return err
			}
		}
		return nil
	})
}

// prepareApart is prepare without arenas.
func (s *Session) prepareApart(req *device.Prepare) error {
	s.prep = *req
	if err := s.preparePalettes(); err != nil {
		return err
	}
	if err := s.loadMaker(req.Maker); err != nil {
		return err
	}
	for i := range req.Cases {
		c, a := &req.Cases[i], &arena{name: req.Cases[i].Name, holds: i}
		for _, b := range c.Buffers {
			at, err := s.drv.Alloc(uint64(max(1, b.Bytes())))
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.Name, b.Name, err)
			}
			a.at = append(a.at, at)
		}
		a.block = &block{at: a.at[0]}
		s.arenas = append(s.arenas, a)
		if err := s.fill(c, a, c.Seed); err != nil {
			return err
		}
	}
	return nil
}

// runOnce runs a contender's call on every case.
func (s *Session) runOnce(req device.Contender, apart bool) error {
	c, err := s.enter(req, 0)
	if err != nil {
		return err
	}
	for i, call := range req.Calls {
		scratch, err := s.scratchOnce(call, s.prep.Cases[i].Name, apart)
		if err != nil {
			return err
		}
		packed, err := s.packOnce(c, call, i, apart)
		if err != nil {
			return err
		}
		if err := s.callOnce(c, call, i, scratch, packed); err != nil {
			return fmt.Errorf("%s: %w", s.prep.Cases[i].Name, err)
		}
	}
	return s.leave(c)
}

// scratchOnce places a call's scratch. Apart, each buffer has an allocation of its own in which only what the plan
// clears is written, so that initcheck sees reads of what the kernel never wrote, and memcheck those behind the end.
func (s *Session) scratchOnce(call kernels.Call, name string, apart bool) (*arena, error) {
	if !apart {
		a, err := s.placeScratch(seat{}, 0, call, name)
		if a == nil || err != nil {
			return nil, err
		}
		return a, s.refill(s.scratchRefills(a, call.Scratch, device.Wild)...)
	}
	a := &arena{name: name}
	for _, sc := range call.Scratch {
		at, err := s.drv.Alloc(uint64(max(1, sc.Bytes)))
		if err == nil && sc.Once && sc.Bytes > 0 {
			err = s.drv.Memset8(at, 0, uint64(sc.Bytes), s.stream)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errScratch, sc.Name, err)
		}
		a.at = append(a.at, at)
	}
	return a, nil
}

func (s *Session) callOnce(c *contender, call kernels.Call, i int, scratch *arena, packed *packing) error {
	a, err := s.arenaOf(i)
	if err != nil {
		return err
	}
	w, err := s.bind(c.program, call, &s.prep.Cases[i], a, scratch, packed)
	if err != nil {
		return err
	}
	if err := s.put(w); err != nil {
		return err
	}
	return s.drv.SyncStream(s.stream)
}
