package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// Throughput say which points are evaluated, and until when.
type Throughput struct {
	session.Target
	Span   time.Duration // 0: until all points are
	Points int           // 0: as many as there is time for
	Seed   uint64
	JSON   bool
}

// rates is what throughput found.
type rates struct {
	subject

	Seconds  float64                            `json:"seconds"`
	Evals    int                                `json:"evals"`
	Rate     float64                            `json:"rate"` // a second
	Slots    int                                `json:"slots"`
	CPU      float64                            `json:"cpu"`            // seconds of processor time each, of all processes
	Cost     kernels.Cost                       `json:"cost"`           // mean seconds an evaluation
	Busy     float64                            `json:"busy,omitempty"` // share of the time that the device worked
	Outcomes map[kernels.Outcome]int            `json:"outcomes"`
	Families map[string]map[kernels.Outcome]int `json:"families"`
	Failed   []failedPoint                      `json:"failed,omitempty"`
}

// Run evaluates the points and prints how fast that went.
func (f Throughput) Run(ctx context.Context, con *console.Console) (err error) {
	end, err := f.Record()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	s, err := session.Open(ctx, f.Target, con.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	con.Sayf("evaluating %s: %s ...", s.Bundle.Problem.Name, f.share())
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	if f.Span > 0 {
		defer time.AfterFunc(f.Span, cancel).Stop()
	}
	r := newRates(s, f.Seed)
	start, spent := time.Now(), processorTime()
	for v := range s.EvaluateAll(short, session.FirstPoints(s.RandomPoints(f.Seed), f.Points)) {
		if v.Err == nil {
			r.add(v.C)
		} else if short.Err() == nil { // our own fault: what was found so far is told with it
			err = errors.Join(err, v.Err)
			cancel()
		}
	}
	r.Seconds = time.Since(start).Seconds()
	r.Rate = float64(r.Evals) / r.Seconds
	r.CPU = (processorTime() - spent) / float64(max(1, r.Evals))
	if load := s.Capabilities().Load; load != nil {
		r.Busy, _ = load()
	}
	if f.JSON {
		return errors.Join(err, con.PrintJSON(r))
	}
	throughputText(con, r)
	return errors.Join(err, ctx.Err())
}

// subject is what was evaluated, and where.
type subject struct {
	Problem   string        `json:"problem"`
	DType     kernels.DType `json:"dtype"`
	Workloads []string      `json:"workloads"`
	Device    string        `json:"device"`
	Seed      uint64        `json:"seed"`
}

// share says how much of the space is evaluated.
func (f *Throughput) share() string {
	switch {
	case f.Points == 0:
		return "random points for " + report.Duration(f.Span)
	case f.Span == 0:
		return report.Quantity(f.Points, "random point")
	}
	return fmt.Sprintf("%s, for %s at most", report.Quantity(f.Points, "random point"), report.Duration(f.Span))
}

func newRates(s *session.Session, seed uint64) rates {
	r := rates{
		subject:  subject{Problem: s.Bundle.Problem.Name, DType: s.DType, Device: s.Device().Label(), Seed: seed},
		Slots:    s.Slots(),
		Outcomes: map[kernels.Outcome]int{}, Families: map[string]map[kernels.Outcome]int{},
	}
	for _, w := range s.Workloads {
		r.Workloads = append(r.Workloads, w.Name)
	}
	return r
}

func (r *rates) add(c kernels.Candidate) {
	x := c.Result
	r.Evals++
	r.Outcomes[x.Outcome]++
	of := r.Families[c.Variant.Family]
	if of == nil {
		of = map[kernels.Outcome]int{}
		r.Families[c.Variant.Family] = of
	}
	of[x.Outcome]++
	if x.Outcome != kernels.OK && x.Outcome != kernels.Duplicate {
		r.Failed = append(r.Failed, failedPoint{c.ID, c.Variant, x.Outcome, x.Detail, again(c.Variant)})
	}
	n := float64(r.Evals)
	mean := func(m *float64, v float64) { *m += (v - *m) / n }
	mean(&r.Cost.Compile, x.Cost.Compile)
	mean(&r.Cost.Gate, x.Cost.Gate)
	mean(&r.Cost.Time, x.Cost.Time)
	mean(&r.Cost.Wait, x.Cost.Wait)
}

func throughputText(con *console.Console, r rates) {
	busy := ""
	if r.Busy > 0 {
		busy = report.Percent(r.Busy) + " of the time"
	}
	report.Fields(con.Out, "",
		[2]string{"rate", fmt.Sprintf("%.2f evaluations per second (%s in %.1f s, %d slots)", r.Rate, report.Count(r.Evals),
			r.Seconds, r.Slots)},
		[2]string{"mean cost", fmt.Sprintf("compile %.3f s, gate %.3f s, time %.3f s, waiting %.3f s", r.Cost.Compile,
			r.Cost.Gate, r.Cost.Time, r.Cost.Wait)},
		[2]string{"processor", fmt.Sprintf("%.3f s per evaluation, all processes together", r.CPU)},
		[2]string{"device busy", busy})
	fmt.Fprintln(con.Out)
	figures.Outcomes(r.Outcomes).Write(con.Out)
	writeFailed(con.Out, r.Failed)
}
