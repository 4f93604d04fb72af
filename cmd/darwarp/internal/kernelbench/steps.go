package kernelbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/evolve"
)

// importModule makes the problem folder of a module, or takes one that was made before.
func (b Bench) importModule(ctx context.Context, path, dir string) (*importer.Made, error) {
	req := b.Import
	req.Dir, req.Say = dir, func(string) {}
	if err := req.Read(path); err != nil {
		return nil, err
	}
	if ok, err := b.imported(req.Source, dir); ok || err != nil {
		return &importer.Made{}, err
	}
	return importer.Run(ctx, req)
}

// searchProblem searches a problem and measures what was found. What is said meanwhile goes to a file beside the run's.
func (b Bench) searchProblem(stop *console.Interrupts, p *Problem, o search.Options) (err error) {
	said, err := os.OpenFile(strings.TrimSuffix(o.Store, ".db")+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, said.Close()) }()
	talk := console.New(nil, said, said)
	o.Watch.Begin("opening")
	s, err := search.Open(stop.Soft, o, talk.Sayf)
	if err != nil {
		return err
	}
	defer func() {
		o.Watch.Begin("closing")
		err = errors.Join(err, s.Close())
	}()
	sum, _, err := s.Execute(stop, func(_ *evolve.Search, events <-chan evolve.Event) error {
		for range events { // a line a problem is enough
		}
		return nil
	})
	if errors.Is(err, evolve.ErrNoStart) { // which a table should have, too
		p.Why, err = oneLine(err.Error()), nil
	}
	if err != nil {
		return err
	}
	o.Watch.Begin("reading the run")
	p.Verdicts += sum.Evals
	return p.fill(s, sum)
}

// fill takes the figures of a search's champion.
func (p *Problem) fill(s *search.Search, sum evolve.Summary) error {
	r := s.Record()
	m := r.Meta()
	p.Found = Found{Run: r.Path(), Device: m.Device.Label(), Precision: r.Bundle.Problem.Precision(m.DType)}
	for _, w := range m.Workloads {
		p.Workloads = append(p.Workloads, w.Name)
	}
	if sum.Champion.IsZero() {
		if p.Why == "" {
			p.Why = "no candidate is right"
		}
		return nil
	}
	c, err := r.Get(sum.Champion)
	if err != nil {
		return err
	}
	p.Champion, p.Standing = c.ID.Short(), sum.Standing
	f, err := r.Figures(c)
	if err != nil {
		return err
	}
	shapes, err := f.Shapes()
	if err == nil {
		p.times(shapes, m.Cache, len(m.Workloads))
	}
	return err
}

// times are the geometric means over the workloads. A baseline counts if it was measured at all of them.
func (p *Problem) times(shapes []figures.Shape, cache string, workloads int) {
	var ns []float64
	ratios := map[string][]float64{}
	for _, s := range shapes {
		if s.Cache != cache {
			continue
		}
		ns = append(ns, s.Median)
		for name, ratio := range s.Speedups {
			ratios[name] = append(ratios[name], ratio)
		}
	}
	p.NS, p.Speedups = mean(ns), map[string]float64{}
	for name, all := range ratios {
		if len(all) == workloads {
			p.Speedups[name] = mean(all)
		}
	}
}

// mean is the geometric one; 0 of nothing.
func mean(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range all {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(all)))
}

// oneLine is a reason for a table: a first line that only announces what follows has the next one behind it.
func oneLine(why string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(why), "\n")
	if strings.HasSuffix(line, ":") {
		next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
		line = strings.TrimSpace(line + " " + next)
	}
	return printable.Line(fmt.Sprintf("%.400s", line))
}
