package checker

import (
	"encoding/binary"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// seen remembers the reports of outputs that were right. Most candidates of a family add in the same order and so give
// the same bits, and to hash these takes a small part of the time of comparing them with the truth. The hash is keyed
// with what no candidate can know: one that wanted to pass for an output that was right has to guess 64 bits.
type seen struct {
	seed  maphash.Seed
	right map[output]check.Report
}

// output is what a report is about: bits of one output of a case, and the accumulator that its tolerance allows for.
type output struct {
	at, out int
	acc     kernels.DType
	hash    uint64
}

const (
	mostSeen = 1 << 12 // reports; beyond it all are forgotten
	hashed   = 1 << 20 // bytes that one step of a goroutine hashes
)

func newSeen() *seen { return &seen{seed: maphash.MakeSeed(), right: map[output]check.Report{}} }

// judge is check.Judge for output number out of case at.
func (s *seen) judge(at, out int, bits []byte, d kernels.DType, truth check.Truth, m check.Model) check.Report {
	key := output{at: at, out: out, acc: m.Acc, hash: s.hash(bits)}
	if r, ok := s.right[key]; ok {
		return r
	}
	r := check.Judge(bits, d, truth, m)
	if r.Pass() {
		if len(s.right) >= mostSeen {
			clear(s.right)
		}
		s.right[key] = r
	}
	return r
}

// hash is that of all bytes, in their order, by as many goroutines as there are processors.
func (s *seen) hash(bits []byte) uint64 {
	n := (len(bits) + hashed - 1) / hashed
	sums := make([]byte, 8*n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				sum := maphash.Bytes(s.seed, bits[i*hashed:min(len(bits), (i+1)*hashed)])
				binary.LittleEndian.PutUint64(sums[8*i:], sum)
			}
		})
	}
	wg.Wait()
	return maphash.Bytes(s.seed, sums)
}
