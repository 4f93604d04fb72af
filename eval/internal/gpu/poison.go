package gpu

import "fmt"

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
	nan := 0
	if s.coin() {
		nan = 1
	}
	smem := s.dev.SmemPerBlock &^ 15
	f, err := s.harness.widen("dw_poison", smem)
	if err != nil {
		return err
	}
	// A block that takes all of it has a multiprocessor to itself.
	key := func() arg { return u64(int(s.rng.Uint64())) }
	s.encoding.refills = EncodeRefills(s.encoding.refills, list)
	if err := s.harness.launch(f, s.dev.SMs, poisonThreads, smem, bytesArg(s.encoding.refills),
		u64(smem), key(), i32(nan)); err != nil {
		return err
	}
	if p == nil || p.local == 0 {
		return nil
	}
	if f, err = s.harness.kernel(fmt.Sprintf("dw_poison_%d", poisonFrame(p.local))); err != nil {
		return err
	}
	blocks := s.dev.SMs * max(1, s.dev.ThreadsPerSM/frameThreads)
	return s.harness.launch(f, blocks, frameThreads, 0, key(), i32(nan), ptr(0))
}

// Threads of a block of either kernel: as many as a multiprocessor can have, in whole blocks.
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
