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

// CandidateRanks are the places of candidates, given best first, by the intervals of their scores.
func CandidateRanks(best []kernels.Candidate, workloads []kernels.Workload) []int {
	var bounds [][2]float64
	for _, c := range best {
		spread := Spread(c.Result.Times, workloads)
		bounds = append(bounds, [2]float64{c.Score * (1 - spread), c.Score * (1 + spread)})
	}
	return Ranks(bounds)
}

// Placed is a candidate on a leaderboard.
type Placed struct {
	kernels.Candidate
	Rank  int    // its group's
	Shown string // the rank, empty where the row above has the same
}

// Leaderboard is the first n of candidates that are given best first: the champion, which won its duels whatever one
// timing says, and then by score. A rank is that among all.
func Leaderboard(best []kernels.Candidate, workloads []kernels.Workload, champion kernels.ID, n int) []Placed {
	var out []Placed
	ranks := CandidateRanks(best, workloads)
	for i, c := range best {
		p := Placed{Candidate: c, Rank: ranks[i]}
		if c.ID == champion {
			out = append([]Placed{p}, out...)
		} else {
			out = append(out, p)
		}
	}
	out = out[:min(n, len(out))]
	for i := range out {
		if i == 0 || out[i].Rank != out[i-1].Rank {
			out[i].Shown = strconv.Itoa(out[i].Rank)
		}
	}
	return out
}

// Ranks are the places of scores, given best first with the bounds of their intervals. Those whose interval
// reaches that of the first of their group cannot be told from it and share its rank, and the next group
// counts them: 1, 1, 3.
func Ranks(bounds [][2]float64) []int {
	out := make([]int, len(bounds))
	for i := range bounds {
		out[i] = i + 1
		if i > 0 && bounds[i][0] <= bounds[out[i-1]-1][1] {
			out[i] = out[i-1]
		}
	}
	return out
}
