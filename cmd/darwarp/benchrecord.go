package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
	"darwarp/kernels"
)

type recordFlags struct {
	session.Target
	out    string
	points string
	seed   uint64
}

func (a *app) benchRecordCmd() *cobra.Command {
	var f recordFlags
	c := &cobra.Command{
		Use:   "record PROBLEM|DIR --out FILE",
		Short: "Evaluate a whole space, or a sample of it, into a recording",
		Long: "record evaluates every point of a space, or a random sample, and writes a recording that `search` and\n" +
			"`bench search` replay without a GPU. It may be interrupted: the same command goes on where it stopped.",
		Example: "  darwarp bench record gemm --workload 2048 --points 3000 --out gemm.json.gz",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem = args[0]
			if f.out == "" {
				return exit.Usagef("--out is missing: name the file to write, as in --out gemm.json.gz")
			}
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.benchRecord(stop.Soft, f))
		},
	}
	c.Flags().StringVar(&f.out, "out", "", "the recording to write or go on with")
	c.Flags().StringVar(&f.points, "points", "all", "how many points of each family, drawn at random, or all")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the draw")
	addTarget(c, &f.Target)
	return c
}

// saveEvery is how often an unfinished recording is written.
const saveEvery = time.Minute

func (a *app) benchRecord(ctx context.Context, f recordFlags) (err error) {
	n, err := pointCount(f.points)
	if err != nil {
		return err
	}
	s, err := session.Open(ctx, f.Target, a.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	rec, err := startRecord(f.out, s)
	if err != nil {
		return err
	}
	todo, err := draw(s, rec, n, f.seed)
	if err != nil {
		return err
	}
	a.Sayf("%s: %s recorded, %s to go", f.out, report.Quantity(rec.Len(), "point"), report.Quantity(len(todo), "point"))
	r := &recorder{app: a, session: s, record: rec, out: f.out, todo: todo, printer: a.Printer(false)}
	if err := r.run(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		a.Sayf("Interrupted; %s has %s. The same command goes on.", f.out, report.Quantity(rec.Len(), "point"))
		return exit.Quietly(exit.Interrupted)
	}
	if n := len(r.copies); n > 0 {
		a.Sayf("%s left out: duplicates of points without a verdict. The same command tries them again.", report.Quantity(n, "point"))
	}
	a.Sayf("%s has %s.", f.out, report.Quantity(rec.Len(), "point"))
	return nil
}

func pointCount(s string) (int, error) {
	if s == "all" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, exit.Usagef("--points %q: expected a number, or all", s)
	}
	return n, nil
}

// startRecord opens a recording to go on with, or begins one.
func startRecord(path string, s *session.Session) (*replay.Record, error) {
	files := map[string]string{}
	for name, data := range s.Bundle.Files {
		files[name] = string(data)
	}
	rec := &replay.Record{Format: replay.Format, About: "darwarp bench record", Problem: s.Bundle.Problem.Name, DType: s.DType, Cache: s.Cache,
		Workloads: s.Workloads, Device: s.Device(), Provenance: s.Provenance(), Files: files}
	if !session.IsFile(path) {
		return rec, nil
	}
	old, err := session.ReadRecording(path)
	if err != nil {
		return nil, err
	}
	same := old.Problem == rec.Problem && old.DType == rec.DType && old.Cache == rec.Cache && old.Device.Name == rec.Device.Name &&
		slices.EqualFunc(old.Workloads, rec.Workloads, func(x, y kernels.Workload) bool { return x.Name == y.Name })
	if !same {
		return nil, exit.Usagef("--out %s: it records something else (%s %s on %s): name a new file", path, old.Problem, old.DType, old.Device.Name)
	}
	for name, text := range files {
		if old.Files[name] != text {
			return nil, exit.Usagef("--out %s: %s has changed since it was begun: name a new file", path, name)
		}
	}
	return old, nil
}

// draw lists the points to evaluate: of each space the default and up to n at random (0: all), less
// those that the recording has.
func draw(s *session.Session, rec *replay.Record, n int, seed uint64) ([]session.Point, error) {
	have := map[string]bool{}
	if rec.Len() > 0 {
		spaces, err := rec.Spaces(s.Bundle.Families)
		if err != nil {
			return nil, err
		}
		for _, x := range spaces {
			for i := range x.Len() {
				have[x.Family.Name+" "+x.Genome(x.At(i)).Key()] = true
			}
		}
	}
	var out []session.Point
	add := func(f *kernels.Family, g kernels.Genome) {
		if key := f.Name + " " + g.Key(); !have[key] {
			have[key] = true
			out = append(out, session.Point{Family: f, Genes: g})
		}
	}
	for _, x := range s.Spaces {
		add(x.Family, x.Family.Defaults())
		order := rand.New(rand.NewPCG(seed, 0)).Perm(x.Len())
		if n > 0 {
			order = order[:min(n, len(order))]
		}
		for _, i := range order {
			add(x.Family, x.Genome(x.At(i)))
		}
	}
	return out, nil
}

// recorder evaluates points and keeps the recording.
type recorder struct {
	*app
	session *session.Session
	record  *replay.Record
	out     string
	todo    []session.Point
	printer *progress.Printer
	failed  int
	done    int
	copies  []session.Verdict // duplicates whose original is not recorded yet
}

func (r *recorder) run(ctx context.Context) error {
	start, saved := time.Now(), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	verdicts := r.session.EvaluateAll(ctx, slices.Values(r.todo))
	var first error
	for verdicts != nil {
		select {
		case v, more := <-verdicts:
			if !more {
				verdicts = nil
			} else if err := r.take(ctx, v); err != nil && first == nil {
				first = err
			}
		case now := <-tick.C:
			r.show(now.Sub(start), now)
			if now.Sub(saved) > saveEvery {
				saved = now
				if err := r.save(); err != nil && first == nil {
					first = err
				}
			}
		}
	}
	r.printer.Clear()
	return errors.Join(first, r.save())
}

// take adds a verdict; duplicates wait until their original is there.
func (r *recorder) take(ctx context.Context, v session.Verdict) error {
	if v.Err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return v.Err
	}
	r.done++
	if progress.IsFailure(v.C.Result.Outcome) {
		r.failed++
	}
	waiting := append([]session.Verdict{v}, r.copies...) // v may be the original of some
	r.copies = nil
	for _, w := range waiting {
		if err := r.record.Add(w.Point.Family, &w.C); err != nil {
			if w.C.Result.Outcome != kernels.Duplicate {
				return err
			}
			r.copies = append(r.copies, w)
		}
	}
	return nil
}

func (r *recorder) show(elapsed time.Duration, now time.Time) {
	st := progress.State{Elapsed: elapsed, Done: r.done, Evals: len(r.todo), Failed: r.failed, Rate: float64(r.done) / elapsed.Seconds()}
	if r.done > 0 {
		st.Left = time.Duration(float64(elapsed) * float64(len(r.todo)-r.done) / float64(r.done))
	}
	r.printer.Tick(st, now)
}

// save writes the recording beside its place and renames it there.
func (r *recorder) save() error {
	if r.record.Len() == 0 {
		return nil
	}
	if err := console.WriteFile(r.out, r.record.Write); err != nil {
		return fmt.Errorf("%s: %w", r.out, err)
	}
	return nil
}
