package gpu

import (
	"fmt"
	"slices"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// packing is what a call's launches with `prepare` make of the weights in one arena. A call reads it, and no more.
type packing struct {
	arena *arena // of the buffers that are packed
	bytes []int  // of each
	work  *work  // the launches
	hash  int    // counter of what they have made
}

// newPacking places the packed buffers of a call on an arena; nil where nothing is prepared. set tells those of one
// contender apart.
func (s *Session) newPacking(p *program, at seat, set int, call kernels.Call, c *device.Case, a *arena) (
	*packing, error) {
	if len(call.Prepare) == 0 {
		return nil, nil
	}
	only := kernels.Call{Scratch: call.Packed, Launches: call.Prepare}
	to, err := s.place(at.key(set, true), call.Packed, c.Name)
	if err != nil {
		return nil, err
	}
	w, err := s.bind(p, only, c, a, to, nil)
	return &packing{arena: to, bytes: device.ScratchSizes(only), work: w}, err
}

// zones are the packed buffers.
func (k *packing) zones() (list []zone) {
	for j, n := range k.bytes {
		list = append(list, zone{k.arena.at[j], n})
	}
	return list
}

// pack queues what is prepared for a contender's arenas. All of the inputs but the weights, all outputs and all scratch
// are noise meanwhile: what is packed knows nothing of what is to be multiplied, nor of earlier calls. Inputs are made
// again with the given seed. It returns the lap of the launches, or -1 where nothing is prepared.
func (s *Session) pack(list []*packing, seed func(*device.Case) uint64) (lap int, err error) {
	if len(list) == 0 || list[0] == nil {
		return -1, nil
	}
	wiped, err := s.wipe()
	if err != nil {
		return -1, err
	}
	lap, err = s.clock.next(func() error {
		for _, k := range list {
			if err := s.put(k.work); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return lap, err
	}
	v := s.newInspection()
	for _, k := range list {
		k.hash = v.note(note{arena: k.arena})
		v.add(HashKind, k.hash, 0, k.zones()...)
	}
	if err := s.look(v); err != nil {
		return lap, err
	}
	for _, a := range wiped {
		if a.used != s.mem.request { // whoever needs it has it made again
			continue
		}
		if err := s.unwipe(a, seed); err != nil {
			return lap, err
		}
	}
	return lap, nil
}

// packFirst packs for a run of a case, in a step of its own. It returns the lap, as pack does.
func (s *Session) packFirst(w bound, step func(string) error) (lap int, err error) {
	if w.packed != nil {
		if err := step("prepare"); err != nil {
			return -1, err
		}
	}
	if lap, err = s.pack([]*packing{w.packed}, ownSeed); err != nil {
		return lap, err
	}
	return lap, step("gate")
}

// ownSeed is that of a case's inputs.
func ownSeed(c *device.Case) uint64 { return c.Seed }

// wipe queues noise for all that a launch which prepares must not know. It returns the arenas whose inputs are spoilt.
func (s *Session) wipe() (spoilt []*arena, err error) {
	var list []Refilling
	noise := func(z zone) {
		if z.bytes > 0 {
			list = append(list, s.refilling(z.at, z.bytes, device.Wild, 0, kernels.FP32))
		}
	}
	for a := range s.all() {
		if a.unprotected {
			for _, z := range a.open {
				noise(z)
			}
		}
		if a.holds < 0 {
			continue
		}
		for j, b := range s.prep.Cases[a.holds].Buffers {
			if !b.Out && !b.Weights {
				noise(zone{a.at[j], b.Bytes()})
			}
		}
		a.wiped = true
		spoilt = append(spoilt, a)
	}
	return spoilt, s.refill(list...)
}

// unwipe makes the inputs of an arena again that are not weights.
func (s *Session) unwipe(a *arena, seed func(*device.Case) uint64) error {
	c := &s.prep.Cases[a.holds]
	err := s.fillSome(c, a, seed(c), func(b *kernels.Buffer) bool { return !b.Weights })
	a.wiped = err != nil
	return err
}

// repacked looks whether a call has changed what was prepared.
func (v *inspection) repacked(list ...*packing) {
	for _, k := range list {
		if k != nil {
			at := v.note(note{arena: k.arena, finding: repacked, before: k.hash})
			v.add(HashKind, at, 0, k.zones()...)
			v.guards(k.arena)
		}
	}
}

// packOnce prepares for a call of a process that is watched, in which nothing else runs.
func (s *Session) packOnce(c *contender, call kernels.Call, i int, apart bool) (*packing, error) {
	if len(call.Prepare) == 0 {
		return nil, nil
	}
	a, err := s.arenaOf(i)
	if err != nil {
		return nil, err
	}
	only := kernels.Call{Scratch: call.Packed, Launches: call.Prepare}
	to, err := s.scratchOnce(only, s.prep.Cases[i].Name, apart)
	if err != nil {
		return nil, err
	}
	w, err := s.bind(c.program, only, &s.prep.Cases[i], a, to, nil)
	if err != nil {
		return nil, err
	}
	return &packing{arena: to, work: w}, s.put(w)
}

// addPacked tells the addresses of what was prepared.
func addPacked(at map[string]cuda.Ptr, call kernels.Call, k *packing) error {
	if k == nil {
		if len(call.Packed) > 0 {
			return fmt.Errorf("%s was not prepared", call.Packed[0].Name)
		}
		return nil
	}
	for i, sc := range call.Packed {
		at[sc.Name] = k.arena.at[i]
	}
	return nil
}

// everyLaunch are those of a call and those before it.
func everyLaunch(call kernels.Call) []kernels.Launch {
	return slices.Concat(call.Prepare, call.Launches)
}
