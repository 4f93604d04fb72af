package gpu

import (
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// bursts is the stream that disturbs, with what it wears out.
type bursts struct {
	stream     cuda.Stream
	begin, end cuda.Event
	memory     *block
}

// A burst lasts between shortBurst and longBurst, ns. As many blocks as there can be leave no multiprocessor free, and
// one block with all of its shared memory leaves it to kernels that need none: a kernel that waits for such a place
// gets it when the burst ends.
const (
	shortBurst = 20e3
	longBurst  = 5e6
)

// disturb runs the cases of a request one after the other.
func (s *Session) disturb(req *device.Disturb, phase func(string)) (*device.DisturbReply, error) {
	reply := &device.DisturbReply{}
	if len(req.Cases) > device.MostDisturbed {
		return nil, fmt.Errorf("%d runs: at most %d", len(req.Cases), device.MostDisturbed)
	}
	if err := s.beginRequest(); err != nil {
		return nil, err
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
		where, err = "disturb", s.disturbed(p, req, reply)
	}
	if err != nil {
		if reply.Fault, err = fault(where, err); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if reply.Fault.Sticky {
			return reply, nil
		}
		if _, reply.Strays, err = s.endRequest(); err != nil {
			return nil, err
		}
	}
	return reply, s.unload(p)
}

// disturbed queues all runs and then waits for them.
func (s *Session) disturbed(p *program, req *device.Disturb, reply *device.DisturbReply) error {
	places, total := device.Pack(s.prep.Cases, req.Cases)
	if len(req.Expect) == 0 && total > s.prep.SlotBytes {
		return fmt.Errorf("outputs of %d bytes in a slot of %d", total, s.prep.SlotBytes)
	}
	s.clock.reset()
	var looks []*inspection
	var hashes []int
	lap, err := s.clock.next(func() error {
		for k, i := range req.Cases {
			v, hash, err := s.disturbOnce(p, req, k, i, req.Slot*s.prep.SlotBytes+places[k])
			if err != nil {
				return fmt.Errorf("run %d of %s: %w", k+1, s.prep.Cases[i].Name, err)
			}
			looks, hashes = append(looks, v), append(hashes, hash)
		}
		return nil
	})
	if err != nil {
		return err
	}
	got, found, err := s.endRequest(looks...)
	if err != nil {
		return err
	}
	reply.Strays = found
	for k, i := range req.Cases {
		if len(req.Expect) > 0 && got[hashes[k]] != req.Expect[i] {
			reply.Wrong = append(reply.Wrong, k)
		}
	}
	reply.Nanos, err = s.clock.nanos(lap)
	return err
}

// disturbOnce queues the k-th run, of case i, and returns the counter of its outputs' hash.
func (s *Session) disturbOnce(p *program, req *device.Disturb, k, i, place int) (v *inspection, hash int, err error) {
	c, call := &s.prep.Cases[i], req.Calls[i]
	w, err := s.bound(p, call, i)
	if err != nil {
		return nil, 0, err
	}
	how, list := s.anyRefill(), call.Scratch
	if req.Stays(k) && s.coin() {
		list = device.Staying(list)
	}
	if _, err := s.pack([]*packing{w.packed}, ownSeed); err != nil {
		return nil, 0, err
	}
	if err := s.poisonShared(p, s.refills(w.arena, w.scratch, list, how)...); err != nil {
		return nil, 0, err
	}
	if err := s.burst(req, k); err != nil {
		return nil, 0, err
	}
	if err := s.loseStep(); err != nil {
		return nil, 0, err
	}
	if err := s.put(w.work); err != nil {
		return nil, 0, err
	}
	if len(req.Expect) > 0 {
		place = nowhere
	}
	return s.lookAfter(p, c, w, call, place)
}

// mostIdle bounds the launches before a run that do nothing, 2 us each.
const mostIdle = 6

// loseStep launches nothing, a random number of times. The driver numbers all launches (%gridid), of which our own lie
// between two runs. Were they always as many, a kernel that is wrong in every 5000th might never have such a number.
func (s *Session) loseStep() error {
	for range s.rng.IntN(mostIdle + 1) {
		if err := s.harness.run("dw_nothing", 1); err != nil {
			return err
		}
	}
	return nil
}

// ready makes the second stream, and the memory that it wears out: a power of two, more than L2 holds.
func (b *bursts) ready(s *Session) (err error) {
	n := 16 << 20
	for n < 2*s.dev.L2Bytes {
		n *= 2
	}
	if b.memory.gone() {
		if b.memory, err = s.mem.take(n, true); err != nil {
			return fmt.Errorf("memory to disturb with: %w", err)
		}
	}
	b.memory.used = s.mem.request
	if b.stream != 0 {
		return nil
	}
	if b.begin, err = s.drv.NewEvent(); err != nil {
		return err
	}
	if b.end, err = s.drv.NewEvent(); err != nil {
		return err
	}
	if _, err = s.harness.widen("dw_disturb", s.dev.SmemPerBlock); err != nil {
		return err
	}
	b.stream, err = s.drv.NewStream()
	return err
}

// burst begins to disturb the k-th run, which comes next in the session's stream. How long, by how many blocks and
// with how much shared memory is random each time. The next burst comes after this one, and so does the next run.
func (s *Session) burst(req *device.Disturb, k int) error {
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
	f, err := s.harness.kernel("dw_disturb")
	if err != nil {
		return err
	}
	l := s.burstLaunch(splitmix(req.Seed, 2*k), splitmix(req.Seed, 2*k+1))
	l.Func = f
	if err := drv.Start(l, b.stream); err != nil {
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
	l := &cuda.Launch{Block: cuda.Dim3{X: threads, Y: 1, Z: 1}}
	l.Shared = uint32(bits>>16) % uint32(s.dev.SmemPerBlock>>(bits>>48&7)) // small ones are the most
	const reserved = 1 << 10                                               // bytes that each block takes besides
	resident := max(1, min(s.dev.ThreadsPerSM/threads, s.dev.SmemPerSM/(int(l.Shared)+reserved)))
	// One wave at most, for each block takes ns.
	l.Grid = cuda.Dim3{X: 1 + uint32(bits%uint64(s.dev.SMs*resident)), Y: 1, Z: 1}
	ns := uint64(shortBurst)
	// Short ones are the most, and all together take 0.12 ms each: what a burst shows that outlasts a run many times over
	// one in twenty shows, too.
	for shift := min(bits>>40&7, bits>>43&7, bits>>51&7); shift > 0 && 2*ns < longBurst; shift-- {
		ns *= 2
	}
	l.Args.Ptr(s.bursts.memory.at)
	l.Args.Int64(int64(words))
	l.Args.Int64(int64(max(1, near)))
	l.Args.Int64(int64(seed))
	l.Args.Int64(int64(ns))
	return l
}

// splitmix is the turn-th number of splitmix64's stream (Steele, Lea, Flood, 2014).
func splitmix(key uint64, turn int) uint64 {
	z := key + uint64(turn)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
