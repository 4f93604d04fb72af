package evolve

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/store"
	"darwarp/templates"
)

// wideConfig searches ten genes of four values, of which the third is the best: 1,048,576 points, all of them legal.
func wideConfig(t testing.TB) Config {
	t.Helper()
	family, source := strings.Builder{}, strings.Builder{}
	family.WriteString("arch = \"sm_80\"\n")
	source.WriteString("//")
	for g := range 10 {
		fmt.Fprintf(&family, "[[gene]]\nname = \"g%d\"\nvalues = [1, 2, 3, 4]\ndefault = 1\n", g)
		fmt.Fprintf(&source, " {{.g%d}}", g)
	}
	family.WriteString(kernelstest.Launch)
	b, err := templates.FromFiles(map[string][]byte{"problem.toml": []byte(kernelstest.Toy),
		"reference.cu": []byte("// none\n"), "wide.toml": []byte(family.String()),
		"wide.cu.tmpl": []byte(source.String() + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	space, err := kernels.NewSpace(b.Families[0], dev, kernels.FP32, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Bundle: b, DType: kernels.FP32, Workloads: b.Problem.Workloads, Seed: 1,
		Spaces: []*kernels.Space{space}}
}

func wideTime(g kernels.Genome) float64 {
	v := 100.0
	for i := range 10 {
		at, _ := g[fmt.Sprint("g", i)].Any().(int)
		v += float64(10*(i+1)) * math.Abs(float64(at)-3)
	}
	return v
}

// devices are so many that each take a while for a verdict. They count what they were asked.
type devices struct {
	*fake
	free  chan struct{}
	takes time.Duration
	asked atomic.Int64
	told  sync.Map // by ID: how much was asked for when its verdict was there
}

func newDevices(n int, takes time.Duration) *devices {
	return &devices{fake: newFake(5*n, false), free: make(chan struct{}, n), takes: takes}
}

func (d *devices) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	d.asked.Add(1)
	select {
	case d.free <- struct{}{}:
	case <-ctx.Done():
		return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
	}
	time.Sleep(d.takes)
	<-d.free
	v := wideTime(job.Variant.Genes)
	d.told.Store(job.ID, d.asked.Load())
	return kernels.Result{Outcome: kernels.OK, Code: job.ID.String(), Times: timesOf(v, 2*v),
		Cost: kernels.Cost{Time: 1}}, nil
}

func (d *devices) Duel(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	return duelOf(wideTime(challenger.Variant.Genes) / wideTime(champion.Variant.Genes)), nil
}

// BenchmarkInFlight is the cost of a verdict to a search with many in flight: five for each of so many devices, which
// take 20 ms. unseen/verdict is how much was asked for, on average, while a verdict lay there untaken.
func BenchmarkInFlight(b *testing.B) {
	for _, n := range []int{4, 64, 256} {
		b.Run(fmt.Sprint(5*n), func(b *testing.B) {
			cfg, ev := wideConfig(b), newDevices(n, 20*time.Millisecond)
			cfg.Budget.Evals = b.N
			run, err := store.Create(filepath.Join(b.TempDir(), "run.db"), store.Meta{Problem: "toy", DType: cfg.DType,
				Workloads: cfg.Workloads, Files: cfg.Bundle.Files})
			if err != nil {
				b.Fatal(err)
			}
			defer run.Close()
			s := mustSearch(b, cfg, ev, run)
			unseen := int64(0)
			_, err = s.Run(b.Context(), func(e Event) {
				if at, ok := ev.told.Load(e.ID); ok && e.Kind == KindResult {
					unseen += ev.asked.Load() - at.(int64)
				}
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(unseen)/float64(b.N), "unseen/verdict")
		})
	}
}

// TestTakenAsTheyCome: verdicts that are there are taken before many more candidates are asked for, however many slots
// are free. Nobody waits for anything but the search here: all answers are there whenever it proposes.
func TestTakenAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := wideConfig(t)
		cfg.Budget.Evals = 300
		cfg.Job = func(space, index int) (kernels.Job, error) {
			synctest.Wait()
			s := cfg.Spaces[space]
			return cfg.Bundle.Job(s.Family, s.Genome(s.At(max(0, index))), s.Device, cfg.DType)
		}
		ev := newDevices(200, 0)
		most := 0
		if _, err := mustSearch(t, cfg, ev, &memory{}).Run(t.Context(), func(e Event) {
			if e.Kind == KindResult {
				most = max(most, e.InFlight)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if most > 5*mostAsked { // a group ends where a champion is stored, too: not all that is there was taken then
			t.Errorf("%d were in flight when a verdict was taken", most)
		}
	})
}
