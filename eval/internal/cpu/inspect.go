package cpu

import (
	"bytes"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// inspect looks at an unprotected arena for what a candidate must not touch, guard zones and inputs, and makes it
// as new. No other arena can be reached.
func (s *Session) inspect(a *arena) *device.Strays {
	buffers := s.prep.Cases[a.holds].Buffers
	found := device.Strays{Where: s.prep.Cases[a.holds].Name, Bytes: a.damage()}
	if found.Bytes > 0 {
		found.Place = a.strayed(func(i int) string { return buffers[i].Name })
	}
	for j, in := range s.pristine[a.holds] {
		if in != nil && found.Input == "" && !bytes.Equal(in, a.buffers[j]) {
			found.Input = buffers[j].Name
		}
	}
	if found.Bytes == 0 && found.Input == "" {
		return nil
	}
	a.setGuards()
	s.restore(a, a.holds)
	return &found
}

// inspectScratch looks around scratch, and for what a call has left in scratch that it must leave cleared.
func inspectScratch(a *arena, list []kernels.Scratch, name string) *device.Strays {
	if a == nil {
		return nil
	}
	found := device.Strays{Where: name, Bytes: a.damage()}
	if found.Bytes > 0 {
		found.Place = a.strayed(func(i int) string { return "scratch " + list[i].Name })
	}
	found.Left, found.Scratch = a.left(list)
	if found.Bytes == 0 && found.Left == 0 {
		return nil
	}
	a.setGuards()
	return &found
}
