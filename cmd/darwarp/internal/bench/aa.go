// Package bench measures darwarp itself and what it stands on: devices, strategies, recordings, language models.
package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// AA say which kernel duels itself, and how often.
type AA struct {
	session.Target
	Duels int
	Seed  uint64
	JSON  bool
}

// sameness is what came of duels of a kernel with itself.
type sameness struct {
	Candidate kernels.ID              `json:"candidate"`
	Duels     int                     `json:"duels"`
	Verdicts  map[kernels.Verdict]int `json:"verdicts"`
	Median    float64                 `json:"median"` // of the ratios
	P99       float64                 `json:"p99"`    // of how far a ratio is from 1
	Worst     float64                 `json:"worst"`
	Seconds   float64                 `json:"seconds"`
}

// promotable is the share of A/A duels that may be won.
const promotable = 0.01

func (r *sameness) ok() bool {
	return float64(r.Verdicts[kernels.Faster]) <= math.Max(1, promotable*float64(r.Duels))
}

// Run duels a kernel with itself, and fails where it is promoted too often.
func (f AA) Run(ctx context.Context, con *console.Console) (err error) {
	s, err := session.Open(ctx, f.Target, con.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	job, err := firstRight(ctx, s, f.Seed)
	if err != nil {
		return err
	}
	r := &sameness{Candidate: job.ID, Verdicts: map[kernels.Verdict]int{}}
	var ratios, off []float64
	for start := time.Now(); r.Duels < f.Duels && ctx.Err() == nil; r.Seconds = time.Since(start).Seconds() {
		d, err := s.Duel(ctx, &job, &job)
		if err != nil && ctx.Err() != nil && r.Duels > 0 {
			break // what there is, is told
		}
		if err != nil {
			return err
		}
		r.Duels++
		r.Verdicts[d.Verdict]++
		ratios, off = append(ratios, d.Ratio), append(off, math.Abs(d.Ratio-1))
	}
	if r.Duels == 0 {
		return ctx.Err()
	}
	slices.Sort(ratios)
	slices.Sort(off)
	r.Median, r.P99, r.Worst = ratios[len(ratios)/2], off[(len(off)-1)*99/100], off[len(off)-1]
	if f.JSON {
		err = con.PrintJSON(r)
	} else {
		aaText(con, s, r)
	}
	if err == nil && !r.ok() {
		err = exit.Quietly(exit.Failed)
	}
	return errors.Join(err, ctx.Err())
}

// firstRight is the first of some random points that the gate accepts.
func firstRight(ctx context.Context, s *session.Session, seed uint64) (job kernels.Job, err error) {
	tries := 0
	for p := range s.RandomPoints(seed) {
		if job, err = s.Bundle.Job(p.Family, p.Genes, s.Device(), s.DType); err != nil {
			return job, err
		}
		res, err := s.Evaluate(ctx, &job)
		if err != nil || res.Outcome == kernels.OK {
			return job, err
		}
		if tries++; tries == 20 {
			return job, fmt.Errorf("none of %d random points is right; the last was %s: %s: %s", tries, job.Variant.Label(),
				res.Outcome, res.Detail)
		}
	}
	return job, errors.New("the space is empty")
}

func aaText(con *console.Console, s *session.Session, r *sameness) {
	promoted := r.Verdicts[kernels.Faster]
	report.Fields(con.Out, "",
		[2]string{"device", s.Device().Label()},
		[2]string{"candidate", r.Candidate.Short()},
		[2]string{"duels", fmt.Sprintf("%d of it with itself in %s", r.Duels, report.Duration(time.Duration(r.Seconds*1e9)))},
		[2]string{"promoted", fmt.Sprintf("%d (%s; at most %s may be)", promoted,
			report.Percent(float64(promoted)/float64(r.Duels)), report.Percent(promotable))},
		[2]string{"ratios", fmt.Sprintf("median %.5f; 99 %% within %.3f %% of 1, the worst %.3f %%", r.Median, 100*r.P99,
			100*r.Worst)})
}
