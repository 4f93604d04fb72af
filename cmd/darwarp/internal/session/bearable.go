package session

import (
	"time"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// What a call of a naive kernel takes on the cpu device, at the least: emulated kernels of gemm reach some GFLOP/s on
// two cores, and those of softmax some hundred MB/s. A size whose calls would take longer than longestCall is not
// begun: every candidate is called some ten times, and the truth is computed before.
const (
	emulatedFlops = 1e9
	emulatedBytes = 2e8
	longestCall   = time.Minute
)

// bearable refuses sizes that no tensor can have and, on the cpu device, sizes that would take it hours, before
// anything is opened or any memory is asked for.
func (s *Session) bearable(kind string) error {
	for _, w := range s.Workloads {
		if _, err := s.Bundle.Problem.Buffers(w.Dims, s.DType); err != nil {
			return exit.Usagef("workload %s: %v: choose a smaller size with --workload", w.Name, err)
		}
		took, err := emulated(s.Bundle.Problem, w, s.DType)
		if err != nil {
			return exit.Usagef("workload %s: %v: choose a smaller size with --workload", w.Name, err)
		}
		if kind == "cpu" && took > longestCall {
			return exit.Usagef("workload %s is too large for the cpu device, which emulates CUDA: one call would take about "+
				"%s: choose a smaller size, as in --workload %s", w.Name, report.Duration(took), s.smaller())
		}
	}
	return nil
}

// emulated is about how long a call takes on the cpu device.
func emulated(p *kernels.Problem, w kernels.Workload, t kernels.DType) (time.Duration, error) {
	flops, bytes, err := p.Work(w.Dims, t)
	seconds := flops/emulatedFlops + bytes/emulatedBytes
	return time.Duration(min(seconds, 1e9) * float64(time.Second)), err
}

// smaller names a size that the cpu device can run: a workload, else the sizes of a check shape, which are small.
func (s *Session) smaller() string {
	p := s.Bundle.Problem
	for _, w := range p.SmallWorkloads() {
		if took, err := emulated(p, w, s.DType); err == nil && took <= longestCall {
			return w.Name
		}
	}
	return p.Check.Shapes[0].String()
}
