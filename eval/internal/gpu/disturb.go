package gpu

import (
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/cuda"
	"darwarp/kernels"
)

// Disturb runs a candidate's calls again and again, each over poison of its own, and holds the outputs of each against
// those that were judged, or leaves them to the judge. With Bursts a second stream takes multiprocessors, bandwidth and L2
// away meanwhile: what waits for too little, or for nothing, gives other bits then.
type Disturb struct {
	Cubin  []byte         `json:"cubin"`
	Calls  []kernels.Call `json:"calls"`            // by case
	Cases  []int          `json:"cases"`            // in the order of running, MostDisturbed at most; one may occur several times
	Expect []uint64       `json:"expect,omitempty"` // by case: hash of outputs that are right; empty: they go to the slot, packed in the order of Cases
	Slot   int            `json:"slot"`
	Bursts bool           `json:"bursts,omitempty"`
	Seed   uint64         `json:"seed"` // of poison and bursts
}

// DisturbReply says what happened. A Fault ends it early.
type DisturbReply struct {
	Wrong   []int   `json:"wrong,omitempty"`   // runs, as indices of Cases, whose outputs were not as expected
	Guard   int     `json:"guard,omitempty"`   // bytes written outside of the buffers
	Mutated string  `json:"mutated,omitempty"` // an input that was written to, with its case
	Left    int     `json:"left,omitempty"`    // bytes that are not zero in scratch that a call must leave cleared
	Nanos   float64 `json:"ns"`                // of all runs together
	Fault   *Fault  `json:"fault,omitempty"`
}

// MostDisturbed bounds the runs of one request: each has a counter.
const MostDisturbed = 1024

// Counters of a Disturb after those of its runs.
const (
	counterStray = MostDisturbed + iota
	counterUncleared
	counterWritten // one for each case that ran
)

// bursts is the stream that disturbs, with what it wears out.
type bursts struct {
	stream     cuda.Stream
	begin, end cuda.Event
	memory     block
}

// A burst lasts between shortBurst and longBurst, ns. As many blocks as there can be leave no multiprocessor free, and one
// block with all of its shared memory leaves it to kernels that need none: who waits for such a place gets it when
// the burst ends.
const (
	shortBurst = 20e3
	longBurst  = 5e6
)

// disturb runs the cases of a request one after the other.
func (s *Session) disturb(req *Disturb, phase func(string)) (*DisturbReply, error) {
	reply := &DisturbReply{}
	if len(req.Cases) > MostDisturbed {
		return nil, fmt.Errorf("%d runs: at most %d", len(req.Cases), MostDisturbed)
	}
	if req.Bursts {
		if err := s.bursts.ready(s); err != nil {
			return nil, err
		}
	}
	phase("load")
	p, err := s.load(req.Cubin, req.Calls)
	where := "load"
	if err == nil {
		phase("disturb")
		where, err = s.disturbed(p, req, reply)
	}
	if err != nil {
		if reply.Fault, err = fault(where, err); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if reply.Fault.Sticky {
			return reply, nil
		}
	}
	return reply, s.unload(p)
}

// disturbed returns, beside an error, where it came up.
func (s *Session) disturbed(p *program, req *Disturb, reply *DisturbReply) (string, error) {
	places, total := Pack(s.prep.Cases, req.Cases)
	if len(req.Expect) == 0 && total > s.prep.SlotBytes {
		return "disturb", fmt.Errorf("outputs of %d bytes in a slot of %d", total, s.prep.SlotBytes)
	}
	if err := s.clearCounters(); err != nil {
		return "disturb", err
	}
	err := s.timed(func() error {
		for k, i := range req.Cases {
			if err := s.disturbOnce(p, req, k, i); err != nil {
				return fmt.Errorf("run %d of %s: %w", k+1, s.prep.Cases[i].Name, err)
			}
			if len(req.Expect) > 0 {
				continue
			}
			if err := s.copyOut(&s.prep.Cases[i], s.arenas[i], req.Slot*s.prep.SlotBytes+places[k]); err != nil {
				return err
			}
		}
		return nil
	}, &reply.Nanos)
	if err != nil {
		return "disturb", err
	}
	return "disturb", errors.Join(s.unchanged(p), s.inspectDisturbed(req, reply))
}

// disturbOnce queues the k-th run, of case i.
func (s *Session) disturbOnce(p *program, req *Disturb, k, i int) error {
	c, a, call := &s.prep.Cases[i], s.arenas[i], req.Calls[i]
	poison := SecretByte(req.Seed, k)
	scratch, err := s.placeScratch(&s.scratch[0], call, poison)
	if err != nil {
		return err
	}
	w, err := s.bind(p, call, c, a, scratch)
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { return s.poison(c, a, poison) },
		func() error { return s.harness.soil(s.dev) },
		func() error { return s.burst(req, k) },
		func() error { return s.put(w) },
		func() error { return s.hashOutputs(a, c, k) },
		func() error { return s.countLeft(scratch, call.Scratch, counterUncleared) },
	}
	for _, f := range steps {
		if err := f(); err != nil {
			return err
		}
	}
	if scratch == nil {
		return nil
	}
	return s.checkGuards(scratch, s.prep.GuardKey^scratchKey, counterStray)
}

// inspectDisturbed looks at what the runs have left.
func (s *Session) inspectDisturbed(req *Disturb, reply *DisturbReply) error {
	ran := slices.Compact(slices.Sorted(slices.Values(req.Cases)))
	at := counterWritten
	for _, i := range ran {
		if err := s.checkGuards(s.arenas[i], s.prep.GuardKey, counterStray); err != nil {
			return err
		}
		for j, b := range s.prep.Cases[i].Buffers {
			if !b.Out {
				if err := s.hash(s.arenas[i], &s.prep.Cases[i], j, at+j); err != nil {
					return err
				}
			}
		}
		at += len(s.prep.Cases[i].Buffers)
	}
	got, err := s.readCounters(at)
	if err != nil {
		return err
	}
	for k, i := range req.Cases {
		if len(req.Expect) > 0 && got[k] != req.Expect[i] {
			reply.Wrong = append(reply.Wrong, k)
		}
	}
	reply.Guard, reply.Left = int(got[counterStray]), int(got[counterUncleared])
	reply.Mutated = s.written(ran, got[counterWritten:])
	if reply.Guard > 0 || reply.Mutated != "" {
		return s.resetAll()
	}
	return nil
}

// written names the first input whose hash is another than it was.
func (s *Session) written(ran []int, hashes []uint64) string {
	for _, i := range ran {
		c := &s.prep.Cases[i]
		for j, b := range c.Buffers {
			if !b.Out && hashes[j] != s.inHash[i][j] {
				return b.Name + " of " + c.Name
			}
		}
		hashes = hashes[len(c.Buffers):]
	}
	return ""
}

// ready makes the second stream, and the memory that it wears out: a power of two, more than L2 holds.
func (b *bursts) ready(s *Session) (err error) {
	if b.stream != 0 {
		return nil
	}
	n := 16 << 20
	for n < 2*s.dev.L2Bytes {
		n *= 2
	}
	if err = s.grow(&b.memory, n); err != nil {
		return fmt.Errorf("memory to disturb with: %w", err)
	}
	if b.begin, err = s.drv.NewEvent(); err != nil {
		return err
	}
	if b.end, err = s.drv.NewEvent(); err != nil {
		return err
	}
	if err = s.drv.SetFuncAttr(s.harness.kernels["dw_disturb"], cuda.FuncMaxDynamicShared, s.dev.SmemPerBlock); err != nil {
		return err
	}
	b.stream, err = s.drv.NewStream()
	return err
}

// burst begins to disturb the k-th run, which comes next in the session's stream. How long, by how many blocks and with how much
// shared memory each is drawn anew. The next burst comes after this one, and so does the next run.
func (s *Session) burst(req *Disturb, k int) error {
	if !req.Bursts {
		return nil
	}
	b, drv := &s.bursts, s.drv
	if k > 0 {
		if err := drv.WaitEvent(s.stream, b.end); err != nil {
			return err
		}
	}
	if err := drv.Record(b.begin, s.stream); err != nil {
		return err
	}
	if err := drv.WaitEvent(b.stream, b.begin); err != nil {
		return err
	}
	if err := drv.Start(s.burstLaunch(splitmix(req.Seed, 2*k), splitmix(req.Seed, 2*k+1)), b.stream); err != nil {
		return err
	}
	return drv.Record(b.end, b.stream)
}

// burstLaunch draws a burst: of 64 random bits those for its shape, seed for what its blocks do.
func (s *Session) burstLaunch(bits, seed uint64) *cuda.Launch {
	words := uint64(s.bursts.memory.bytes / 16)
	near := words
	for near*16 > uint64(s.dev.L2Bytes)/2 {
		near /= 2
	}
	l := &cuda.Launch{Func: s.harness.kernels["dw_disturb"], Block: cuda.Dim3{X: threads, Y: 1, Z: 1}}
	l.Shared = uint32(bits>>16) % uint32(s.dev.SmemPerBlock>>(bits>>48&7)) // small ones are the most
	const reserved = 1 << 10                                               // bytes of shared memory that each block takes besides
	resident := max(1, min(s.dev.ThreadsPerSM/threads, s.dev.SmemPerSM/(int(l.Shared)+reserved)))
	l.Grid = cuda.Dim3{X: 1 + uint32(bits%uint64(s.dev.SMs*resident)), Y: 1, Z: 1} // one wave at most: each block takes ns
	ns := uint64(shortBurst)
	for shift := bits >> 40 & 7; shift > 0 && 2*ns < longBurst; shift-- { // short ones are the most
		ns *= 2
	}
	l.Args.Ptr(s.bursts.memory.at)
	l.Args.Int64(int64(words))
	l.Args.Int64(int64(max(1, near)))
	l.Args.Int64(int64(seed))
	l.Args.Int64(int64(ns))
	return l
}
