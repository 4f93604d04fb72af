package gpu

import (
	"darwarp/eval/internal/device"
	"fmt"
)

// runArenas chooses the arenas that a run rotates through, and which of its sets each holds.
func (s *Session) runArenas(run device.Run) (arenas []*arena, seeds []int, err error) {
	if run.Cache == "cold" {
		return s.coldArenas(run)
	}
	for _, i := range run.Cases {
		if err := s.keepInStock(i); err != nil {
			return nil, nil, err
		}
	}
	for i := range s.prep.Cases[run.Cases[0]].Rotation("hot", len(run.Cases), s.dev.L2Bytes) {
		a, err := s.arenaOf(run.Cases[i])
		if err != nil {
			return nil, nil, err
		}
		arenas, seeds = append(arenas, a), append(seeds, i)
	}
	return arenas, seeds, nil
}

// coldArenas makes, once per workload, what a cold run needs.
func (s *Session) coldArenas(run device.Run) (arenas []*arena, seeds []int, err error) {
	arenas = s.cold[run.Workload]
	for i := range s.prep.Cases[run.Cases[0]].ColdArenas(s.dev.L2Bytes) {
		seeds = append(seeds, i%len(run.Cases))
		if i == len(arenas) {
			arenas = append(arenas, nil)
		}
		if arenas[i] == nil || arenas[i].gone() {
			if arenas[i], err = s.makeArena(run.Cases[0], true); err != nil {
				return nil, nil, fmt.Errorf("cold buffers: %w", err)
			}
			s.cold[run.Workload] = arenas
		}
		s.unprotect(arenas[i])
		if err := s.hold(arenas[i], run.Cases[seeds[i]]); err != nil {
			return nil, nil, err
		}
	}
	return arenas, seeds, nil
}

// flushL2 queues writes of twice L2, which push everything else out. What is written is the guards' pattern, so
// that nobody can leave anything there.
func (s *Session) flushL2() error {
	if s.flush == nil || s.flush.gone() {
		b, err := s.mem.take(device.FlushBytes(s.dev.L2Bytes), true)
		if err != nil {
			return fmt.Errorf("flush buffer: %w", err)
		}
		s.flush = newArena(b, "the buffer that flushes L2", nil, nil)
	}
	s.flush.used = s.mem.request
	return s.writeGuards(s.flush.zones...)
}
