package gpu

import (
	"fmt"

	"darwarp/eval/internal/cublaslt"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// library is cuBLASLt with the best algorithm found for each workload.
type library struct {
	lt        *cublaslt.Library
	workspace *block
	best      map[string]*cublaslt.Plan
	seen      map[string]*device.LibraryReply
}

// The workspace that the library may use, and how many of its algorithms are tried.
const (
	libraryWorkspace = 64 << 20
	libraryTries     = 16
)

func (s *Session) openLibrary(path string) (*library, error) {
	lt, err := cublaslt.Open(path)
	if err != nil {
		return nil, err
	}
	l := &library{lt: lt, best: map[string]*cublaslt.Plan{}, seen: map[string]*device.LibraryReply{}}
	if err := lt.Create(); err != nil {
		return nil, err
	}
	l.workspace, err = s.mem.take(libraryWorkspace, false)
	return l, err
}

var libraryTypes = map[kernels.DType]cublaslt.Type{kernels.FP16: cublaslt.Float16, kernels.BF16: cublaslt.BFloat16,
	kernels.FP32: cublaslt.Float32}

func (l *library) run(s *Session, p *cublaslt.Plan, a, b, c cuda.Ptr) error {
	return p.Run(uintptr(s.stream), uint64(a), uint64(b), uint64(c), uint64(l.workspace.at))
}

// work is one call of the best algorithm for a run. The problem's buffers are A, B, C in order.
func (l *library) work(s *Session, run device.Run, a *arena) (*work, error) {
	p := l.best[run.Workload]
	if p == nil {
		return nil, fmt.Errorf("cuBLASLt algorithms were not searched at %s", run.Workload)
	}
	return &work{library: func() error { return l.run(s, p, a.at[0], a.at[1], a.at[2]) }}, nil
}

// findLibrary times the library's algorithms on a run and keeps the best one. Its outputs on the cases that are asked
// for go to slot 0, so that the checker can judge it like any candidate.
func (s *Session) findLibrary(req *device.Library, phase func(string)) (*device.LibraryReply, error) {
	l := s.library
	if l == nil {
		return nil, fmt.Errorf("cuBLASLt is not open")
	}
	if err := s.beginRequest(); err != nil {
		return nil, err
	}
	if l.seen[req.Run.Workload] == nil {
		found, err := s.searchLibrary(req, phase)
		if err != nil {
			return nil, err
		}
		l.seen[req.Run.Workload] = found
	}
	reply := *l.seen[req.Run.Workload]
	return &reply, s.libraryOutputs(req, &reply)
}

// searchLibrary times the library's algorithms on a run.
func (s *Session) searchLibrary(req *device.Library, phase func(string)) (*device.LibraryReply, error) {
	l := s.library
	t := libraryTypes[req.DType]
	mm, err := l.lt.Matmul(cublaslt.Product{M: req.Dims["m"], N: req.Dims["n"], K: req.Dims["k"], In: t, Out: t},
		libraryWorkspace, libraryTries)
	if err != nil {
		return nil, fmt.Errorf("cuBLASLt: %w", err)
	}
	reply := &device.LibraryReply{}
	for _, p := range mm.Plans {
		phase("cublaslt " + p.Describe())
		ns, err := s.timeLibrary(p, req.Run)
		if err != nil {
			continue // some heuristics do not run; the others are tried
		}
		reply.Tried++
		if reply.Best == 0 || ns < reply.Best {
			reply.Best, reply.About = ns, p.Describe()
			l.best[req.Run.Workload] = p
		}
	}
	if reply.Tried == 0 {
		return nil, fmt.Errorf("cuBLASLt: none of %d algorithms runs", len(mm.Plans))
	}
	return reply, nil
}

// timeLibrary is the best of a few replays of one algorithm, in ns a call.
func (s *Session) timeLibrary(p *cublaslt.Plan, run device.Run) (float64, error) {
	l := s.library
	a, err := s.arenaOf(run.Cases[0])
	if err != nil {
		return 0, err
	}
	one := func() error { return l.run(s, p, a.at[0], a.at[1], a.at[2]) }
	if err := s.timed(one, &run.Estimate); err != nil {
		return 0, err
	}
	if err := s.timed(one, &run.Estimate); err != nil { // the first call sets up
		return 0, err
	}
	m, err := s.newSteady(&steady{timed: timed{s: s, run: run, contender: &contender{}}}, func(a *arena) (*work, error) {
		return &work{library: func() error { return l.run(s, p, a.at[0], a.at[1], a.at[2]) }}, nil
	})
	if err != nil {
		return 0, err
	}
	defer m.Close()
	best := 0.0
	for range 8 {
		r, err := m.Sample(nil)
		if err != nil {
			return 0, err
		}
		if best == 0 || r.Nanos < best {
			best = r.Nanos
		}
	}
	return best, nil
}

// libraryOutputs has the best algorithm's outputs on some cases hashed and copied to slot 0.
func (s *Session) libraryOutputs(req *device.Library, reply *device.LibraryReply) error {
	if err := s.clearCounters(); err != nil {
		return err
	}
	places, _ := device.Pack(s.prep.Cases, req.Outputs)
	v := s.newInspection()
	var counters []int
	for k, i := range req.Outputs {
		c := &s.prep.Cases[i]
		a, err := s.arenaOf(i)
		if err != nil {
			return err
		}
		if err := s.refill(s.outputRefills(a, device.Wild)...); err != nil {
			return err
		}
		if err := s.library.run(s, s.library.best[req.Run.Workload], a.at[0], a.at[1], a.at[2]); err != nil {
			return err
		}
		counters = append(counters, v.outputs(c, a))
		if err := s.copyOut(c, a, places[k]); err != nil {
			return err
		}
	}
	if err := s.look(v); err != nil {
		return err
	}
	got, _, err := s.endRequest()
	if err != nil {
		return err
	}
	for _, at := range counters {
		reply.Hash = append(reply.Hash, got[at])
	}
	return nil
}

// The product that fills the device, and how often an algorithm is run in a row, and such a row timed.
const (
	peakSize = 4096
	peakRow  = 10
	peakRows = 3
)

// peak is the rate of the library's best algorithm on a product that fills the device, in flop/s.
func (l *library) peak(s *Session, d kernels.DType) (float64, error) {
	t, ok := libraryTypes[d]
	if !ok {
		return 0, nil
	}
	mm, err := l.lt.Matmul(cublaslt.Product{M: peakSize, N: peakSize, K: peakSize, In: t, Out: t}, libraryWorkspace, 4)
	if err != nil {
		return 0, fmt.Errorf("cuBLASLt: %w", err)
	}
	defer mm.Close()
	size := d.Size() * peakSize * peakSize
	at, err := s.drv.Alloc(uint64(3 * size))
	if err != nil {
		return 0, err
	}
	defer s.drv.Free(at)
	a := &arena{at: []cuda.Ptr{at, at + cuda.Ptr(size), at + cuda.Ptr(2*size)}}
	if err := s.fill(peakFactors(d), a, 1); err != nil {
		return 0, err
	}
	best := 0.0
	for _, p := range mm.Plans {
		rate, err := l.rate(s, p, a)
		if err != nil {
			return 0, err
		}
		best = max(best, rate)
	}
	return best, nil
}

// peakFactors are the inputs of the product, as a case.
func peakFactors(d kernels.DType) *device.Case {
	factor := func(name string) kernels.Buffer {
		return kernels.Buffer{Name: name, DType: d, Shape: []int{peakSize, peakSize}}
	}
	return &device.Case{Class: "normal", Buffers: []kernels.Buffer{factor("A"), factor("B")}}
}

// rate is that of one algorithm, in flop/s: the best of several rows.
func (l *library) rate(s *Session, p *cublaslt.Plan, a *arena) (best float64, err error) {
	row := func() error {
		for range peakRow {
			if err := l.run(s, p, a.at[0], a.at[1], a.at[2]); err != nil {
				return err
			}
		}
		return nil
	}
	for range peakRows {
		var ns float64
		if err := s.timed(row, &ns); err != nil {
			return 0, err
		}
		best = max(best, peakRow*2.0*peakSize*peakSize*peakSize/(ns*1e-9))
	}
	return best, nil
}
