package evolve

import (
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"darwarp/kernels"
	"darwarp/store"
)

// levelled is a device on which many kernels are as fast as the memory allows, within the noise of a measurement: each
// seems a little faster or slower than it is, one in eight fails, and one in sixteen is the machine code of another.
func levelled() *fake {
	f := newFake(22, false)
	f.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		chance := binary.LittleEndian.Uint64(job.ID[:])
		r := kernels.Result{Outcome: kernels.OK, Code: job.ID.String(), Cost: kernels.Cost{Time: 1}}
		switch {
		case chance%8 == 1:
			return kernels.Result{Outcome: kernels.CompileFailed, Detail: "no", Cost: r.Cost}, nil
		case chance%16 == 2:
			r.Code = "one of " + job.ID.String()[:2]
		}
		v := levelTime(job.Variant.Genes) * (1 + 0.02*(float64(chance>>11)/(1<<53)-0.5))
		for _, name := range []string{"small", "large"} {
			r.Times = append(r.Times, kernels.Timing{Workload: name, Median: v, Lo: 0.997 * v, Hi: 1.003 * v})
		}
		return r, nil
	}
	f.duel = func(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
		if ratio := levelTime(challenger.Variant.Genes) / levelTime(champion.Variant.Genes); ratio != 1 {
			return duelOf(ratio), nil
		}
		return kernels.Duel{Ratio: 1, Lo: 0.999, Hi: 1.001, Verdict: kernels.Ambiguous}, nil
	}
	return f
}

func levelTime(g kernels.Genome) float64 { return math.Max(600, wideTime(g)) }

// BenchmarkNight is the processor time of a verdict to a long search with 22 in flight, its file included, in the first
// and the last tenth of the verdicts. With -benchtime 40000x it is a night of one GPU.
func BenchmarkNight(b *testing.B) {
	cfg, ev := wideConfig(b), levelled()
	cfg.Budget.Evals = b.N
	run, err := store.Create(filepath.Join(b.TempDir(), "run.db"), store.Meta{Problem: "toy", DType: cfg.DType,
		Workloads: cfg.Workloads, Files: cfg.Bundle.Files})
	if err != nil {
		b.Fatal(err)
	}
	defer run.Close()
	at := make([]float64, b.N+1)
	_, err = mustSearch(b, cfg, ev, run).Run(b.Context(), func(e Event) {
		if e.Evals <= b.N {
			at[e.Evals] = processed(b)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	if part := b.N / 10; part > 1 {
		b.ReportMetric((at[part]-at[1])/float64(part-1), "first-us/verdict")
		b.ReportMetric((at[b.N]-at[b.N-part])/float64(part), "last-us/verdict")
	}
}

// processed is the processor time of this process, us.
func processed(t testing.TB) float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}
