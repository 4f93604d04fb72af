package judge

import (
	"errors"
	"fmt"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// judge compares the outputs of a request that lie in a slot of the output memory which begins at base. All comparisons
// are one launch, unless the truths do not fit on the device together.
func (s *Session) judge(req *checker.Judge, base cuda.Ptr) (*checker.JudgeReply, error) {
	places, err := s.setup.Check.Places(req)
	if err != nil {
		return nil, err
	}
	var all []found
	var queued []Job
	for k, i := range req.Cases {
		jobs, err := s.jobs(i, req.Acc, base+cuda.Ptr(places[k]))
		if errors.Is(err, errNoRoom) { // then what is queued goes first, and what is wrong of it: its truths make room
			if all, err = s.run(all, queued); err != nil {
				return nil, err
			}
			if err := s.locateAll(all); err != nil {
				return nil, err
			}
			queued = nil
			s.truths.turn++
			jobs, err = s.jobs(i, req.Acc, base+cuda.Ptr(places[k]))
		}
		if err != nil {
			return nil, err
		}
		queued = append(queued, jobs...)
	}
	if all, err = s.run(all, queued); err != nil {
		return nil, err
	}
	return s.verdict(req, all)
}

// found is what came out for a job.
type found struct {
	Job
	Verdict
	located bool
}

// jobs are the comparisons of a case whose outputs begin at an address.
func (s *Session) jobs(i int, acc kernels.DType, at cuda.Ptr) ([]Job, error) {
	truth, err := s.truth(i)
	if err != nil {
		return nil, err
	}
	c, places := &s.setup.Check.Cases[i], s.setup.Check.Cases[i].Truths()
	var list []Job
	for j, b := range c.Buffers {
		if !b.Out {
			continue
		}
		out := len(list)
		list = append(list, Job{Out: uint64(at) + uint64(c.OutputAt(out)), Elems: b.Elems(), DType: b.DType,
			Model: s.setup.Check.Model(i, acc), Salt: device.Salt(j),
			Value: uint64(truth) + uint64(places[out].Value), Scale: uint64(truth) + uint64(places[out].Scale)})
	}
	return list, nil
}

// run compares and waits, and appends what it found.
func (s *Session) run(to []found, jobs []Job) ([]found, error) {
	if len(jobs) == 0 {
		return to, nil
	}
	table, blocks := Encode(jobs)
	if err := s.table.hold(s, len(table)); err != nil {
		return nil, err
	}
	if err := s.tallies.hold(s, blocks*TallyBytes); err != nil {
		return nil, err
	}
	if err := s.drv.HtoD(s.table.at, table); err != nil {
		return nil, err
	}
	l := launch(s.compare, blocks)
	l.Args.Ptr(s.table.at)
	l.Args.Int32(int32(len(jobs)))
	l.Args.Ptr(s.tallies.at)
	if err := s.drv.Start(l, s.stream); err != nil {
		return nil, err
	}
	data, err := s.read(s.tallies.at, blocks*TallyBytes)
	if err != nil {
		return nil, err
	}
	for i, v := range Decode(jobs, data) {
		to = append(to, found{Job: jobs[i], Verdict: v})
	}
	return to, nil
}

func launch(f cuda.Function, blocks int) *cuda.Launch {
	return &cuda.Launch{Func: f, Grid: cuda.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: cuda.Dim3{X: Threads, Y: 1, Z: 1}}
}

// verdict puts the reports together, and looks for the pattern of what is wrong where something is.
func (s *Session) verdict(req *checker.Judge, all []found) (*checker.JudgeReply, error) {
	first := s.firstOutputs(req.Cases)
	reply, err := s.setup.Check.Verdict(req, func(k, out int) (check.Report, error) {
		f := &all[first[k]+out]
		return f.Report, s.locate(f)
	})
	if err != nil {
		return nil, err
	}
	for k := range req.Cases {
		sum := uint64(0)
		for i := first[k]; i < first[k+1]; i++ {
			sum += all[i].Hash
		}
		reply.Hashes = append(reply.Hashes, sum)
	}
	return reply, nil
}

// firstOutputs is how many outputs the cases before the k-th have, and at the end how many all have. A verdict on 90
// cases that counted them anew for each took a millisecond, in which nobody else has the GPU.
func (s *Session) firstOutputs(cases []int) []int {
	first := make([]int, 1, len(cases)+1)
	for k, i := range cases {
		n := first[k]
		for j := range s.setup.Check.Cases[i].Buffers {
			if s.setup.Check.Cases[i].Buffers[j].Out {
				n++
			}
		}
		first = append(first, n)
	}
	return first
}

func (s *Session) locateAll(list []found) error {
	for i := range list {
		if err := s.locate(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// locate finds out which elements of an output are wrong, if some are. Its truth must be on the device yet.
func (s *Session) locate(f *found) error {
	if f.Bad == 0 || f.located {
		return nil
	}
	f.located = true
	table, _ := Encode([]Job{f.Job})
	if err := s.drv.HtoD(s.table.at, table); err != nil {
		return err
	}
	n := (f.Elems + 63) / 64 * 8
	bits, err := s.drv.Alloc(uint64(n))
	if err != nil {
		return err
	}
	l := launch(s.wrong, min(4096, 1+f.Elems/Threads))
	l.Args.Ptr(s.table.at)
	l.Args.Ptr(bits)
	data := make([]byte, n)
	if err = s.drv.Start(l, s.stream); err == nil {
		err = s.drv.SyncStream(s.stream)
	}
	if err == nil {
		err = s.drv.DtoH(data, bits)
	}
	f.Locate(Bitmap(f.Elems, data))
	return errors.Join(err, s.drv.Free(bits))
}

// read waits for the stream and returns n bytes, which are valid until the next call.
func (s *Session) read(from cuda.Ptr, n int) ([]byte, error) {
	if n > len(s.readback) {
		if s.readback != nil {
			if err := s.drv.HostFree(s.readback); err != nil {
				return nil, err
			}
		}
		var err error
		if s.readback, err = s.drv.HostAlloc(2 * n); err != nil {
			return nil, err
		}
	}
	if err := s.drv.DtoHAsync(s.readback[:n], from, s.stream); err != nil {
		return nil, err
	}
	return s.readback[:n], s.drv.SyncStream(s.stream)
}

// buffer is device memory that only grows.
type buffer struct {
	at    cuda.Ptr
	bytes int
}

// hold makes it at least n bytes.
func (b *buffer) hold(s *Session, n int) error {
	if n <= b.bytes {
		return nil
	}
	if b.at != 0 {
		if err := s.drv.Free(b.at); err != nil {
			return err
		}
	}
	*b = buffer{}
	at, err := s.drv.Alloc(uint64(2 * n))
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	*b = buffer{at, 2 * n}
	return nil
}
