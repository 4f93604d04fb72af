package kernels

import (
	"fmt"
	"math"
	"strings"
)

// Objective says how the figures of several workloads become the one that decides: Geomean (also
// ""), Worst, or the name of a workload that alone counts. The others are checked and timed all the same.
type Objective string

// The objectives that are not a workload's name.
const (
	Geomean Objective = "geomean" // the weighted geometric mean
	Worst   Objective = "worst"   // the greatest ratio to the start: no shape may be left behind
)

// Check refuses a name that none of the workloads has.
func (o Objective) Check(workloads []Workload) error {
	names := []string{string(Geomean), string(Worst)}
	for _, w := range workloads {
		names = append(names, w.Name)
	}
	if o == "" || o == Geomean || o == Worst || o.find(workloads) >= 0 {
		return nil
	}
	return fmt.Errorf("unknown objective %q: expected %s", string(o), strings.Join(names, ", "))
}

func (o Objective) find(workloads []Workload) int {
	for i, w := range workloads {
		if w.Name == string(o) {
			return i
		}
	}
	return -1
}

// Deciding are the indices of the workloads that the objective looks at.
func (o Objective) Deciding(workloads []Workload) []int {
	if i := o.find(workloads); i >= 0 && o != Geomean && o != Worst {
		return []int{i}
	}
	all := make([]int, len(workloads))
	for i := range all {
		all[i] = i
	}
	return all
}

// Combine makes one figure of the workloads' logarithms, in their order. Where the workload that alone
// counts is not among them, it is their mean.
func (o Objective) Combine(logs []float64, workloads []Workload) float64 {
	if o == Worst {
		most := math.Inf(-1)
		for _, x := range logs {
			most = max(most, x)
		}
		return most
	}
	sum, weight := 0.0, 0.0
	for _, i := range o.Deciding(workloads) {
		sum, weight = sum+workloads[i].Weight*logs[i], weight+workloads[i].Weight
	}
	return sum / weight
}

// Score is the objective of time over base time: below 1 is faster than the base. It fails when a
// workload has no time.
func (o Objective) Score(times []Timing, base map[string]float64, workloads []Workload) (float64, error) {
	got := map[string]float64{}
	for _, t := range times {
		got[t.Workload] = t.Median
	}
	logs := make([]float64, len(workloads))
	weight := 0.0
	for i, w := range workloads {
		t, b := got[w.Name], base[w.Name]
		if !(t > 0) || !(b > 0) {
			return 0, fmt.Errorf("workload %s has no time", w.Name)
		}
		logs[i] = math.Log(t / b)
		weight += w.Weight
	}
	if !(weight > 0) {
		return 0, fmt.Errorf("no workload has a weight")
	}
	return math.Exp(o.Combine(logs, workloads)), nil
}

// String is the objective in words for a line about a score.
func (o Objective) String() string {
	if o == "" {
		return string(Geomean)
	}
	return string(o)
}
