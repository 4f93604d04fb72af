package cpu

import (
	"time"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// packing is what a call's launches with `prepare` make of the weights in one arena. A call reads it, and no more.
type packing struct {
	arena *arena // of the buffers that are packed
	call  kernels.Call
	work  *work  // the launches
	hash  uint64 // of what they have made
}

// packedKey makes the guard pattern around packed buffers another than around tensors and scratch.
const packedKey = 0x9ac4ed

// newPacking maps the packed buffers of a call on an arena, of which only the weights are shown to the launches; nil
// where nothing is prepared. The caller frees it.
func (s *Session) newPacking(p *program, call kernels.Call, a *arena) (*packing, error) {
	if len(call.Prepare) == 0 {
		return nil, nil
	}
	sizes := device.ScratchSizes(kernels.Call{Scratch: call.Packed})
	to, err := newArena(sizes, s.prep.GuardKey^packedKey)
	if err != nil {
		return nil, err
	}
	c := &s.prep.Cases[a.holds]
	only := kernels.Call{Scratch: call.Packed, Launches: call.Prepare}
	w, err := p.bind(only, c, a, to, nil)
	k := &packing{arena: to, call: call, work: w}
	if err == nil {
		w.buffers = nil
		for j, b := range c.Buffers {
			if b.Weights {
				w.add(b.Name, a.buffers[j], false)
			}
		}
		k.show(w, true)
	}
	return k, err
}

func (k *packing) free() error {
	if k == nil {
		return nil
	}
	return k.arena.free()
}

// show lets work use the packed buffers.
func (k *packing) show(w *work, writable bool) {
	for j, sc := range k.call.Packed {
		w.add(sc.Name, k.arena.buffers[j], writable)
	}
}

// pack does what is prepared for arenas. All of the inputs but the weights, all outputs and all scratch that the
// process can reach are noise meanwhile: what is packed knows nothing of what is to be multiplied, nor of earlier
// calls. It takes ns in all.
func (s *Session) pack(arenas []*arena, list []*packing, o runOptions, scratch ...*arena) (ns float64, err error) {
	if len(list) == 0 || list[0] == nil {
		return 0, nil
	}
	noise := func(b []byte) { fillWith(b, device.Wild, nil, kernels.FP32, s.rng) }
	for _, a := range arenas {
		s.eachBut(a, noise)
	}
	for _, a := range scratch {
		if a != nil {
			s.refillScratch(a, list[0].call.Scratch, device.Wild)
		}
	}
	for _, k := range list {
		for _, b := range k.arena.buffers {
			noise(b)
		}
	}
	start := time.Now()
	for _, k := range list {
		if err := k.work.do(o); err != nil {
			return 0, err
		}
	}
	ns = float64(time.Since(start).Nanoseconds())
	for _, k := range list {
		k.hash = k.hashed()
	}
	for _, a := range arenas {
		s.restoreBut(a)
	}
	return ns, nil
}

// eachBut visits all buffers of an arena but the weights.
func (s *Session) eachBut(a *arena, visit func([]byte)) {
	for j, b := range s.prep.Cases[a.holds].Buffers {
		if !b.Weights {
			visit(a.buffers[j])
		}
	}
}

// restoreBut makes the inputs of an arena again that are not weights.
func (s *Session) restoreBut(a *arena) {
	for j, b := range s.prep.Cases[a.holds].Buffers {
		if !b.Weights && !b.Out {
			copy(a.buffers[j], s.pristine[a.holds][j])
		}
	}
}

func (k *packing) hashed() (sum uint64) {
	for j, b := range k.arena.buffers {
		sum += hash(b, device.Salt(j))
	}
	return sum
}

// inspect looks around what was packed, and whether a call has changed it.
func (k *packing) inspect(name string) *device.Strays {
	if k == nil {
		return nil
	}
	found := device.Strays{Where: name, Bytes: k.arena.damage(), Repacked: k.hashed() != k.hash}
	if found.Bytes == 0 && !found.Repacked {
		return nil
	}
	k.arena.setGuards()
	return &found
}
