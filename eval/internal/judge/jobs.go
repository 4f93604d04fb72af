package judge

import (
	_ "embed"
	"encoding/binary"
	"math"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// Source is the trusted device code, to be compiled for the device before a judge starts.
//
//go:embed judge.cu
var Source string

// The kernels of judge.cu, and how many threads a block of theirs has. A block of Compare takes one check.Span.
const (
	Compare = "judge_compare"
	Wrong   = "judge_wrong"
	Threads = 256
)

// Job is one output to be compared with its truth. Addresses are those of the device and multiples of 8.
type Job struct {
	Out, Value, Scale uint64
	Elems             int
	DType             kernels.DType
	Model             check.Model
	Salt              uint64 // of the hash, as device.Salt tells
}

// Blocks is how many blocks of Compare, and tallies, the job takes.
func (j *Job) Blocks() int { return check.Spans(j.Elems) }

// TallyBytes is the size of struct Tally in judge.cu.
const TallyBytes = 96

// dtypeCodes are the element types by the numbers that judge.cu knows them by.
var dtypeCodes = map[kernels.DType]uint16{kernels.FP16: 0, kernels.BF16: 1, kernels.FP32: 2, kernels.I32: 3,
	kernels.E4M3: 4}

// Encode writes jobs as the array that Compare takes, and returns how many blocks they are.
func Encode(jobs []Job) (table []byte, blocks int) {
	for i := range jobs {
		table = jobs[i].put(table, blocks)
		blocks += jobs[i].Blocks()
	}
	return table, blocks
}

// put appends struct Job.
func (j *Job) put(to []byte, first int) []byte {
	le, b := binary.LittleEndian, j.Model.Bounds(j.DType)
	for _, v := range []uint64{j.Out, j.Value, j.Scale, uint64(j.Elems)} { // 0
		to = le.AppendUint64(to, v)
	}
	for _, v := range []float64{b.Rel, b.Sum, b.Walk, b.Terms, b.Floor, b.Overflow} { // 32
		to = le.AppendUint64(to, math.Float64bits(v))
	}
	to = le.AppendUint64(to, j.Salt)              // 80
	to = le.AppendUint32(to, uint32(first))       // 88
	to = le.AppendUint16(to, dtypeCodes[j.DType]) // 92
	exact := uint16(0)
	if b.Exact {
		exact = 1
	}
	return le.AppendUint16(to, exact) // 94
}

// Verdict is what Compare found about one job.
type Verdict struct {
	check.Report
	Hash uint64 // of the output's bits
}

// Decode reads the tallies of jobs, in the order of Encode. A report with wrong elements does not know yet which.
// Nobody else has the GPU meanwhile, and a search at 2^27 elements has thousands of them for each candidate.
func Decode(jobs []Job, data []byte) []Verdict {
	out := make([]Verdict, len(jobs))
	var t check.Tally
	for i := range jobs {
		j, g := &jobs[i], check.NewGathering(jobs[i].Elems, jobs[i].DType, jobs[i].Model)
		for range j.Blocks() {
			out[i].Hash += takeTally(&t, (*[TallyBytes]byte)(data))
			g.Add(&t)
			data = data[TallyBytes:]
		}
		out[i].Report = g.Report()
	}
	return out
}

// takeTally reads struct Tally, and returns the hash in it.
func takeTally(t *check.Tally, b *[TallyBytes]byte) (hash uint64) {
	le := binary.LittleEndian
	t.Worst, t.Got = math.Float64frombits(le.Uint64(b[0:])), math.Float64frombits(le.Uint64(b[8:]))
	t.Want, t.Tol = math.Float64frombits(le.Uint64(b[16:])), math.Float64frombits(le.Uint64(b[24:]))
	t.Err2, t.Ref2 = math.Float64frombits(le.Uint64(b[32:])), math.Float64frombits(le.Uint64(b[40:]))
	t.Scale2 = math.Float64frombits(le.Uint64(b[48:]))
	t.Index, t.First = int(le.Uint64(b[56:])), int(le.Uint64(b[64:]))
	t.Bad, t.Poison = int(le.Uint32(b[80:])), int(le.Uint32(b[84:]))
	t.Odd, t.Differs = le.Uint32(b[88:]) != 0, le.Uint32(b[92:]) != 0
	return le.Uint64(b[72:])
}

// Bitmap reads the words that Wrong wrote for an output of n elements.
func Bitmap(n int, data []byte) []uint64 {
	words := make([]uint64, (n+63)/64)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return words
}
