// Package portfolio chooses the few kernels of a run that together are fastest over all its workloads.
package portfolio

import (
	"math"
	"slices"

	"darwarp/kernels"
)

// exactSubsets is how many subsets are all looked at; beyond it a greedy choice is improved by exchanges,
// which on a submodular aim such as this one is at least 63 % of the best gain (Nemhauser, Wolsey, Fisher,
// "An analysis of approximations for maximizing submodular set functions", 1978) and mostly all of it.
const exactSubsets = 200_000

// leastGain is how much an added kernel must gain: the logarithm of 0.1 %. A kernel more is code more.
const leastGain = 0.001

// Choose picks the at most k rows with which the objective is best when each workload takes the
// best of them: logs has the logarithm of time over base by candidate and workload. Rows that add nothing
// are left out.
func Choose(logs [][]float64, k int, o kernels.Objective, workloads []kernels.Workload) []int {
	c := &chooser{logs: logs, objective: o, workloads: workloads}
	var sets [][]int
	var last []int
	least := math.Inf(1)
	for n := 1; n <= min(k, len(logs)); n++ {
		last = c.choose(n, last)
		sets, least = append(sets, last), min(least, c.value(last))
	}
	for _, set := range sets { // the smallest that is as good as any
		if c.value(set) <= least+leastGain {
			return c.trim(set)
		}
	}
	return nil
}

// Assign gives each workload the row among chosen that is fastest there, as an index into chosen.
func Assign(logs [][]float64, chosen []int, workloads int) []int {
	out := make([]int, workloads)
	for w := range out {
		for i, row := range chosen {
			if logs[row][w] < logs[chosen[out[w]]][w] {
				out[w] = i
			}
		}
	}
	return out
}

type chooser struct {
	logs      [][]float64
	objective kernels.Objective
	workloads []kernels.Workload
}

// value is the objective of a set. What the objective does not see, the other shapes, decides between equals.
func (c *chooser) value(set []int) float64 {
	least := make([]float64, len(c.workloads))
	for w := range least {
		least[w] = math.Inf(1)
		for _, row := range set {
			least[w] = min(least[w], c.logs[row][w])
		}
	}
	const tie = 1e-6
	return c.objective.Combine(least, c.workloads) + tie*kernels.Geomean.Combine(least, c.workloads)
}

// choose finds n rows: the best of all where they are few, else greedily from the best n-1 on.
func (c *chooser) choose(n int, from []int) []int {
	if subsets(len(c.logs), n) <= exactSubsets {
		best, set := []int(nil), make([]int, n)
		c.each(set, 0, 0, func() {
			if best == nil || c.value(set) < c.value(best) {
				best = slices.Clone(set)
			}
		})
		return best
	}
	return c.exchange(c.add(from))
}

// each visits every ascending set from position at on.
func (c *chooser) each(set []int, at, least int, visit func()) {
	if at == len(set) {
		visit()
		return
	}
	for row := least; row < len(c.logs); row++ {
		set[at] = row
		c.each(set, at+1, row+1, visit)
	}
}

// add adds the row that gains most.
func (c *chooser) add(set []int) []int {
	var best []int
	for row := range c.logs {
		next := append(slices.Clone(set), row)
		if !slices.Contains(set, row) && (best == nil || c.value(next) < c.value(best)) {
			best = next
		}
	}
	return best
}

// exchange replaces one row by another as long as that gains.
func (c *chooser) exchange(set []int) []int {
	for better := true; better; {
		better = false
		for i := range set {
			for row := range c.logs {
				next := slices.Clone(set)
				next[i] = row
				if !slices.Contains(set, row) && c.value(next) < c.value(set) {
					set, better = next, true
				}
			}
		}
	}
	slices.Sort(set)
	return set
}

// trim leaves out rows that no workload takes.
func (c *chooser) trim(set []int) []int {
	var out []int
	for _, i := range Assign(c.logs, set, len(c.workloads)) {
		if !slices.Contains(out, set[i]) {
			out = append(out, set[i])
		}
	}
	slices.Sort(out)
	return out
}

// subsets is n over k, at most a little beyond exactSubsets.
func subsets(n, k int) int {
	out := 1
	for i := range k {
		if out = out * (n - i) / (i + 1); out > exactSubsets {
			return out
		}
	}
	return out
}
