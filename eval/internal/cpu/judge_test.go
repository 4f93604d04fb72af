package cpu

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/judge/judgetest"
	"darwarp/kernels"
)

// addressOf is where the first element lies, outside of Go's view; the slice must stay alive.
func addressOf[T any](v []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(v)))) }

// started runs one kernel of the judge.
func started(t *testing.T, p *program, entry string, blocks int, args ...uint64) {
	t.Helper()
	w := &work{program: p}
	l := newLaunch(p, kernels.Launch{Entry: entry, Grid: [3]int{blocks, 1, 1}, Block: [3]int{judge.Threads, 1, 1},
		Cluster: [3]int{1, 1, 1}})
	l.args = args
	w.launches = []*launch{l}
	if err := w.do(runOptions{}); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
}

// aligned copies an output to where words of 8 bytes may be read.
func aligned(out []byte) []byte {
	words := make([]uint64, (len(out)+7)/8)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(out))
	copy(b, out)
	return b
}

// TestJudgeAsTheProcessor holds the comparison of the GPU, run on emulated threads, against check.Judge: the same
// verdict in the same words, on outputs of every type that are right, or wrong in every way that has a name.
func TestJudgeAsTheProcessor(t *testing.T) {
	p := programOf(t, judge.Source, kernels.Call{Launches: []kernels.Launch{{Entry: judge.Compare}, {Entry: judge.Wrong}}})
	rng := rand.New(rand.NewPCG(1, 17))
	const samples, batch = 12000, 300
	passed := 0
	for first := 0; first < samples; first += batch {
		var list []*judgetest.Sample
		var jobs []judge.Job
		for i := range batch {
			s := judgetest.Random(rng, first+i)
			s.Out = aligned(s.Out)
			list = append(list, s)
			jobs = append(jobs, judge.Job{Out: addressOf(s.Out), Value: addressOf(s.Truth.Value),
				Scale: addressOf(s.Truth.Scale),
				Elems: len(s.Truth.Value), DType: s.DType, Model: s.Model, Salt: uint64(i) << 48})
		}
		table, blocks := judge.Encode(jobs)
		tallies := make([]byte, blocks*judge.TallyBytes)
		started(t, p, judge.Compare, blocks, addressOf(table), uint64(len(jobs)), addressOf(tallies))
		runtime.KeepAlive(table)
		for i, v := range judge.Decode(jobs, tallies) {
			if v.Bad > 0 {
				v.Locate(wrongOf(t, p, &jobs[i]))
			}
			if why := list[i].Differ(v.Report); why != "" {
				t.Fatalf("sample %d: %s", first+i, why)
			}
			if want := hash(list[i].Out, uint64(i)<<48); v.Hash != want {
				t.Fatalf("sample %d: hash %x, want %x", first+i, v.Hash, want)
			}
			if v.Pass() {
				passed++
			}
		}
	}
	if passed < samples/10 || passed > samples/2 {
		t.Errorf("%d of %d samples pass: they do not try both", passed, samples)
	}
}

func wrongOf(t *testing.T, p *program, j *judge.Job) []uint64 {
	t.Helper()
	table, _ := judge.Encode([]judge.Job{*j})
	bits := make([]byte, (j.Elems+63)/64*8)
	started(t, p, judge.Wrong, 1+j.Elems/(4*judge.Threads), addressOf(table), addressOf(bits))
	runtime.KeepAlive(table)
	return judge.Bitmap(j.Elems, bits)
}
