package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// TopOptions say what of a leaderboard is listed.
type TopOptions struct {
	N      int // how many
	JSON   bool
	All    bool // every outcome, failures by cause
	Shapes bool // a line for each shape
}

// Top lists the leaderboard of a run.
func (to Lister) Top(f TopOptions, r *record.Record) error {
	if f.All {
		return to.topAll(f, r)
	}
	switch {
	case f.JSON && f.Shapes:
		return to.shapesJSON(r, f.N)
	case f.JSON:
		return to.topJSON(r, f.N)
	}
	to.headRun(r)
	placed, err := placed(r, f.N)
	if err != nil {
		return err
	}
	if len(placed) == 0 {
		to.Sayf("No candidate is right yet (%s stored). `%s` shows why.",
			report.Quantity(r.Len(), "candidate"), cmdline.Of("top", r.Path(), "--all"))
		return nil
	}
	if f.Shapes {
		return to.shapesTable(r, placed)
	}
	return errors.Join(to.topTable(r, placed), to.showArms(r), to.showGrown(r), to.ShowIslands(r))
}

// topJSON is the leaderboard for programs.
func (to Lister) topJSON(r *record.Record, n int) error {
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	type entry struct {
		kernels.Candidate
		Speedup  float64 `json:"speedup,omitempty"`  // over the naive start
		Estimate bool    `json:"estimate,omitempty"` // Speedup is not of a final measurement
	}
	return to.PrintList(func(add func(any) error) error {
		return eachBest(r, n, func(c kernels.Candidate) error {
			return add(entry{c, pace.Speedup(c.Score), pace.Guesses(c.ID, c.Score)})
		})
	})
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// enough is the error of a walk that may have ended early.
func enough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// eachBest calls fn with the best n.
func eachBest(r *record.Record, n int, fn func(kernels.Candidate) error) error {
	return enough(r.EachTop(func(c kernels.Candidate) error {
		if n == 0 {
			return errEnough
		}
		n--
		return fn(c)
	}))
}

// placed is the leaderboard of the best n with the champion, wherever that is.
func placed(r *record.Record, n int) ([]report.Placed, error) {
	champion, _ := r.Champion()
	l := report.Leaders{N: n, Champion: champion, Workloads: r.Meta().Workloads}
	err := r.EachTop(func(c kernels.Candidate) error {
		if !l.Add(c) {
			return errEnough
		}
		return nil
	})
	return l.Rows(), enough(err)
}

// headRun says on stderr what a table is about.
func (to Lister) headRun(r *record.Record) {
	m := r.Meta()
	to.Sayf("%s %s on %s; %s times, %s\n", m.Problem, m.DType,
		strings.Join(report.NonEmpty(m.Device.Label(), m.Device.Toolchain), ", "), m.Cache, report.Quantity(r.Len(),
			"candidate"))
}

func (to Lister) topAll(f TopOptions, r *record.Record) error {
	if f.JSON {
		return to.PrintList(func(add func(any) error) error {
			return r.Each(func(c kernels.Candidate) error { return add(c) })
		})
	}
	causes, err := r.Causes()
	if err != nil {
		return err
	}
	to.headRun(r)
	figures.Outcomes(r.Counts()).Write(to.Out)
	if len(causes) == 0 {
		return nil
	}
	fmt.Fprintln(to.Out)
	t := report.NewTable("rlll", "count", "outcome", "example", "cause")
	for _, c := range causes[:min(len(causes), f.N)] {
		t.Row(c.Count, c.Outcome, c.Example.Short(), c.Detail)
	}
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	if more := len(causes) - f.N; more > 0 {
		to.Sayf("%d more causes: -n %d", more, len(causes))
	}
	at := slices.IndexFunc(causes, func(c *record.Cause) bool { return figures.Explained(c.Outcome) })
	if at >= 0 && r.Meta().Device.Kind != "replay" {
		to.SayWatch(r.Path(), causes[at].Example)
	}
	return nil
}
