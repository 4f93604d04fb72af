package gpu

import (
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// ceilings measures what this device can do at most: device memory, L2 and the matrix units.
func (s *Session) ceilings(req *device.Ceilings) (*kernels.Ceilings, error) {
	out := &kernels.Ceilings{}
	large := min(1<<30, s.dev.MemoryBytes/8)
	engine, err := s.copyRate(large, 4, func(dst, src cuda.Ptr) error {
		return s.drv.DtoDAsync(dst, src, uint64(large), s.stream)
	})
	if err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	kernel, err := s.copyRate(large, 4, func(dst, src cuda.Ptr) error {
		return s.harness.run("dw_copy", 32*s.dev.SMs, ptr(dst), ptr(src), u64(large/16))
	})
	if err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	out.Bandwidth = max(engine, kernel) // which of them is faster depends on the GPU
	small := s.dev.L2Bytes / 8 &^ 255
	if out.L2, err = s.copyRate(small, 100, func(dst, src cuda.Ptr) error {
		return s.harness.run("dw_copy", 8*s.dev.SMs, ptr(dst), ptr(src), u64(small/16))
	}); err != nil {
		return nil, fmt.Errorf("copy in L2: %w", err)
	}
	if out.Launch, err = s.launchCost(); err != nil {
		return nil, fmt.Errorf("empty launches: %w", err)
	}
	if s.library != nil {
		out.Matrix, err = s.library.peak(s, req.DType)
	}
	return out, err
}

// How launches are timed: in graphs of one and of many, each as often.
const (
	manyLaunches = 64
	launchTries  = 15
)

// launchCost is how many ns a launch of an empty kernel takes longer on its own than as one of many: what a single
// call of a candidate pays that calls in a row do not.
func (s *Session) launchCost() (float64, error) {
	alone, err := s.emptyGraph(1)
	if err != nil {
		return 0, err
	}
	many, err := s.emptyGraph(manyLaunches)
	return max(0, alone-many/manyLaunches), err
}

// emptyGraph is the median time of a graph of n empty kernels.
func (s *Session) emptyGraph(n int) (float64, error) {
	g, err := s.drv.Capture(s.stream, func() error {
		for range n {
			if err := s.harness.run("dw_nothing", 1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	defer s.drv.DestroyGraph(g)
	var times []float64
	for range launchTries {
		s.clock.reset()
		lap, err := s.timedLaunch(g, n)
		if err == nil {
			err = s.drv.SyncStream(s.stream)
		}
		if err != nil {
			return 0, err
		}
		ns, err := s.clock.nanos(lap)
		if err != nil {
			return 0, err
		}
		times = append(times, ns)
	}
	return stats.Median(times), nil
}

// timed measures what f queues, in ns, and waits for it.
func (s *Session) timed(f func() error, ns *float64) error {
	s.clock.reset()
	lap, err := s.clock.next(f)
	if err != nil {
		return err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return err
	}
	*ns, err = s.clock.nanos(lap)
	return err
}

// copyRate is the rate of copying n bytes again and again, in bytes read and written per second: the
// best of three replays of a graph of `times` copies.
func (s *Session) copyRate(n, times int, put func(dst, src cuda.Ptr) error) (float64, error) {
	at, err := s.drv.Alloc(uint64(2 * n))
	if err != nil {
		return 0, err
	}
	defer s.drv.Free(at)
	g, err := s.drv.Capture(s.stream, func() error {
		for range times {
			if err := put(at+cuda.Ptr(n), at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	defer s.drv.DestroyGraph(g)
	best := 0.0
	for range 3 {
		var ns float64
		if err := s.timed(func() error { return s.drv.LaunchGraph(g, s.stream) }, &ns); err != nil {
			return 0, err
		}
		best = max(best, 2*float64(n)*float64(times)/(ns*1e-9))
	}
	return best, nil
}
