package report

import (
	"strconv"

	"darwarp/kernels"
)

// Spread is the half width of a score's interval over the score: the weighted mean of the half widths of
// the times over their medians, 0 where no workload has a time.
func Spread(times []kernels.Timing, workloads []kernels.Workload) float64 {
	sum, weights := 0.0, 0.0
	for _, w := range workloads {
		if t := Find(times, w.Name); t != nil && t.Median > 0 {
			sum += w.Weight * max(0, t.Hi-t.Lo) / 2 / t.Median
			weights += w.Weight
		}
	}
	if weights == 0 {
		return 0
	}
	return sum / weights
}

// Placed is a candidate on a leaderboard.
type Placed struct {
	kernels.Candidate
	Rank  int    // its group's
	Shown string // the rank, empty where the row above has the same
}

// Leaders takes candidates, best first, and keeps the rows of a leaderboard: the champion, which won its duels whatever
// one timing says, and then by score. It holds no more than N rows, however many candidates it is given.
type Leaders struct {
	N         int
	Champion  kernels.ID // zero: none
	Workloads []kernels.Workload

	rows     []Placed
	champion *Placed
	ranks    Ranks
}

// Add takes the next candidate. It reports whether one more can change the rows.
func (l *Leaders) Add(c kernels.Candidate) (more bool) {
	spread := Spread(c.Result.Times, l.Workloads)
	p := Placed{Candidate: c, Rank: l.ranks.Next(c.Score*(1-spread), c.Score*(1+spread))}
	switch {
	case !l.Champion.IsZero() && c.ID == l.Champion:
		l.champion = &p
	case len(l.rows) < l.N:
		l.rows = append(l.rows, p)
	}
	return len(l.rows) < l.N || !l.Champion.IsZero() && l.champion == nil
}

// Rows are the first N. A rank is that among all.
func (l *Leaders) Rows() []Placed {
	out := l.rows
	if l.champion != nil {
		out = append([]Placed{*l.champion}, out...)
	}
	out = out[:min(l.N, len(out))]
	for i := range out {
		if i == 0 || out[i].Rank != out[i-1].Rank {
			out[i].Shown = strconv.Itoa(out[i].Rank)
		}
	}
	return out
}

// Leaderboard is the first n of candidates that are given best first.
func Leaderboard(best []kernels.Candidate, workloads []kernels.Workload, champion kernels.ID, n int) []Placed {
	l := Leaders{N: n, Champion: champion, Workloads: workloads}
	for _, c := range best {
		l.Add(c)
	}
	return l.Rows()
}

// Ranks gives places to scores, best first, by the bounds of their intervals. Those whose interval reaches that of the
// first of their group cannot be told from it and share its rank, and the next group counts them: 1, 1, 3.
type Ranks struct {
	seen, rank int
	reach      float64 // the upper bound of the first of the group
}

// Next is the place of the next score.
func (r *Ranks) Next(lo, hi float64) int {
	if r.seen++; r.seen == 1 || !(lo <= r.reach) {
		r.rank, r.reach = r.seen, hi
	}
	return r.rank
}
