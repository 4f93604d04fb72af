package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
	"darwarp/kernels"
)

// Record says which points are recorded, and where.
type Record struct {
	session.Target
	Out    string
	Points string
	Seed   uint64
}

// saveEvery is how often an unfinished recording is written.
const saveEvery = time.Minute

// Run records the points that the recording does not have yet.
func (f Record) Run(ctx context.Context, con *console.Console) (err error) {
	n, err := pointCount(f.Points)
	if err != nil {
		return err
	}
	if err := console.CheckFile(f.Out); err != nil {
		return err
	}
	if session.IsFile(f.Out) { // the device takes long
		if _, err := session.ReadRecording(f.Out); err != nil {
			return err
		}
	}
	s, err := session.Open(ctx, f.Target, con.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	rec, err := startRecord(f.Out, s)
	if err != nil {
		return err
	}
	todo, err := draw(s, rec, n, f.Seed)
	if err != nil {
		return err
	}
	con.Sayf("%s: %s recorded, %s to go", f.Out, report.Quantity(rec.Len(), "point"), report.Quantity(len(todo), "point"))
	r := &recorder{Console: con, session: s, record: rec, out: f.Out, todo: todo, printer: con.Printer(false)}
	if err := r.run(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		con.Sayf("Interrupted; %s has %s. The same command continues.", f.Out, report.Quantity(rec.Len(), "point"))
		return exit.Quietly(exit.Interrupted)
	}
	if n := len(r.copies); n > 0 {
		con.Sayf("%s left out: duplicates of points without a verdict. The same command tries them again.",
			report.Quantity(n, "point"))
	}
	con.Sayf("%s has %s.", f.Out, report.Quantity(rec.Len(), "point"))
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
	rec := &replay.Record{Format: replay.Format, About: "darwarp bench record", Problem: s.Bundle.Problem.Name,
		DType: s.DType, Cache: s.Cache,
		Workloads: s.Workloads, Device: s.Device(), Provenance: s.Provenance(), Files: files}
	if !session.IsFile(path) {
		return rec, nil
	}
	old, err := session.ReadRecording(path)
	if err != nil {
		return nil, err
	}
	same := old.Problem == rec.Problem && old.DType == rec.DType && old.Cache == rec.Cache &&
		old.Device.Name == rec.Device.Name &&
		slices.EqualFunc(old.Workloads, rec.Workloads, func(x, y kernels.Workload) bool { return x.Name == y.Name })
	if !same {
		return nil, exit.Usagef("--out %s: it records something else (%s %s on %s): name a new file", path, old.Problem,
			old.DType, old.Device.Name)
	}
	for name, text := range files {
		if old.Files[name] != text {
			return nil, exit.Usagef("--out %s: %s has changed since it was started; name a new file", path, name)
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
	*console.Console
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
	st := progress.State{Elapsed: elapsed, Done: r.done, Evals: len(r.todo), Failed: r.failed,
		Rate: float64(r.done) / elapsed.Seconds()}
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
