package inputs

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// folder is a problem of the gate test.
func folder(t *testing.T, name string) *kernels.Problem {
	t.Helper()
	path := filepath.Join("../../../../cmd/darwarp/internal/gatetest/problems", name, "problem.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kernels.ParseProblem(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSampledZeros: whoever takes a share of a row's second factors for zeros by every 64th of them meets one that is
// none, whatever a session draws: on a GPU at the gate, and on the cpu device on trial at the latest.
func TestSampledZeros(t *testing.T) {
	p := folder(t, "longdot")
	for _, on := range []struct {
		name   string
		effort cases.Effort
		sms    int
		load   kernels.Workload
		trial  bool
	}{
		{"a GPU", cases.OnGPU(1 << 36), 132, p.Workloads[0], false},
		{"the cpu device", cases.Emulated(), 2, p.Workloads[1], true},
	} {
		missed := 0
		const sessions = 60
		for seed := range uint64(sessions) {
			set, err := cases.New(cases.Wanted{Problem: p, DType: kernels.FP32, Workloads: []kernels.Workload{on.load},
				Effort: on.effort, RNG: rand.New(rand.NewPCG(seed, 77))})
			if err != nil {
				t.Fatal(err)
			}
			told := false
			for i := range set.List {
				c := &set.List[i]
				told = told || (on.trial || !c.Trial) && device.ByLine(c.Class) && sampledShows(t, c, on.sms)
			}
			if !told {
				missed++
			}
		}
		if missed > 0 {
			t.Errorf("%s: missed in %d of %d sessions", on.name, missed, sessions)
		}
	}
}

// sampledShows reports whether cheat second_sampled of longdot is wrong on a case.
func sampledShows(t *testing.T, c *device.Case, sms int) bool {
	t.Helper()
	rows, cols := c.Dims["rows"], c.Dims["cols"]
	each := (cols + min(sms, (cols+1023)/1024) - 1) / min(sms, (cols+1023)/1024)
	var number [2]func(uint64) float32
	for i := range number {
		f, err := c.Fill(i)
		if err == nil {
			number[i], err = numbersOf(kernels.FP32, f, uint64(rows*cols), c.Seed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for share := 0; share < rows*cols; share += each {
		begin, end := uint64(share), uint64(min(share+each, share/cols*cols+cols))
		if share+each > share/cols*cols+cols { // the next one begins with the next row
			share = int(end) - each
		}
		if end-begin > 512 && sampledWrong(number, begin, end) {
			return true
		}
	}
	return false
}

// sampledWrong reports whether the second factors of a share are taken for zeros, and its sum is none.
func sampledWrong(number [2]func(uint64) float32, begin, end uint64) bool {
	for i := begin; i < end; i += 64 {
		if number[1](i) != 0 {
			return false
		}
	}
	sum := float32(0)
	for i := begin; i < end; i++ {
		sum += number[0](i) * number[1](i)
	}
	return !(sum < 0.01 && sum > -0.01)
}
