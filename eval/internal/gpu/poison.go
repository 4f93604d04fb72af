package gpu

import (
	"fmt"

	"darwarp/eval/internal/cuda"
)

// poisonShared leaves dirt in the memory on the multiprocessors, other dirt each time: NaNs or numbers in the shared
// memory of each and, where a program keeps anything there, in the local memory of all threads that they can have at
// once. Before that it fills what is to be filled: at small sizes a gate takes as long as its launches do.
func (s *Session) poisonShared(p *program, list ...Refilling) error {
	if !fewRefills(list) {
		if err := s.refill(list...); err != nil {
			return err
		}
		list = nil
	}
	f, err := s.harness.widen("dw_poison", s.poisonBytes())
	if err != nil {
		return err
	}
	return s.poisonWith(f, p, nil, list)
}

// poisonAfter is poisonShared after a look at what the call before has left, if there is one: where both are little,
// and nothing is filled that is looked at, in one launch.
func (s *Session) poisonAfter(due *inspection, p *program, list ...Refilling) error {
	if due == nil {
		return s.poisonShared(p, list...)
	}
	if !due.few() || !fewRefills(list) || due.meets(list) {
		if err := s.queue(due); err != nil {
			return err
		}
		return s.poisonShared(p, list...)
	}
	f, err := s.harness.widen("dw_turn", s.poisonBytes())
	if err != nil {
		return err
	}
	s.encoding.regions, _ = EncodeRegions(s.encoding.regions, due.regions)
	return s.poisonWith(f, p, []arg{bytesArg(s.encoding.regions), ptr(s.counters)}, list)
}

// few reports whether an inspection is so little that one launch of another kernel may do it.
func (v *inspection) few() bool {
	sum := 0
	for _, r := range v.regions {
		sum += r.Bytes
	}
	return len(v.regions) <= regionsPerLaunch && sum <= fewBytes
}

// meets reports whether something is to be filled that the inspection reads.
func (v *inspection) meets(list []Refilling) bool {
	for _, f := range list {
		for _, r := range v.regions {
			if r.At < f.At+uint64(f.Bytes) && f.At < r.At+uint64(r.Bytes) {
				return true
			}
		}
	}
	return false
}

// poisonBytes is all the shared memory that a block can have. One that takes it has a multiprocessor to itself.
func (s *Session) poisonBytes() int { return s.dev.SmemPerBlock &^ 15 }

// poisonWith launches dw_poison or dw_turn, which has more arguments before those of dw_poison, and poisons local
// memory.
func (s *Session) poisonWith(f cuda.Function, p *program, more []arg, list []Refilling) error {
	nan, smem := 0, s.poisonBytes()
	if s.coin() {
		nan = 1
	}
	key := func() arg { return u64(int(s.rng.Uint64())) }
	s.encoding.refills = EncodeRefills(s.encoding.refills, list)
	args := append(more, bytesArg(s.encoding.refills), u64(smem), key(), i32(nan))
	err := s.harness.launch(f, s.dev.SMs, poisonThreads, smem, args...)
	if err != nil || p == nil || p.local == 0 {
		return err
	}
	if f, err = s.harness.kernel(fmt.Sprintf("dw_poison_%d", poisonFrame(p.local))); err != nil {
		return err
	}
	blocks := s.dev.SMs * max(1, s.dev.ThreadsPerSM/frameThreads)
	return s.harness.launch(f, blocks, frameThreads, 0, key(), i32(nan), ptr(0))
}

// Threads of a block of these kernels: as many as a multiprocessor can have, in whole blocks.
const (
	poisonThreads = 1024
	frameThreads  = 512
)

// poisonFrame is how much of each thread's local memory is poisoned for a program that needs so many bytes. Larger
// frames than needed would make the driver set aside more memory for all threads.
func poisonFrame(stack int) int {
	for _, n := range []int{256, 1024, 4096} {
		if stack <= n {
			return n
		}
	}
	return 16384
}
