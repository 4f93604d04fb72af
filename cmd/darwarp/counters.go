package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// profiler is an evaluator that can read hardware counters. why says in one line why it cannot here.
type profiler interface {
	Counters(ctx context.Context, jobs []*kernels.Job) (found map[kernels.ID][]kernels.Counters, why string, err error)
}

// profile reads the counters of the winner, and of it without the choices that buy most.
func (e *explanation) profile(ctx context.Context, singles []kernels.Insight, most int) (own []kernels.Counters, why string, err error) {
	p, ok := e.Evaluator.(profiler)
	if !ok {
		return nil, "", nil
	}
	jobs := []*kernels.Job{&e.job}
	for _, i := range singles {
		if i.Outcome == kernels.OK && i.Gain.Clear() && len(jobs) <= most {
			jobs = append(jobs, e.jobs[i.Without])
		}
	}
	e.app.sayf("reading counters with ncu ...")
	found, why, err := p.Counters(ctx, jobs)
	for k := range singles {
		singles[k].Counters = found[singles[k].Without]
	}
	return found[e.winner.ID], why, err
}

// counterNames are the metrics in words, in the order of being shown.
var counterNames = []struct {
	metric, name string
	percent      bool
}{
	{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "tensor pipe", true},
	{"smsp__issue_active.avg.pct_of_peak_sustained_active", "issue slots", true},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", "warps active", true},
	{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram", true},
	{"dram__bytes.sum", "dram bytes", false},
	{"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2", true},
	{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "bank conflicts", false},
	{"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "stall: global memory", false},
	{"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "stall: shared memory", false},
	{"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "stall: mio queue", false},
	{"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "stall: lsu queue", false},
	{"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "stall: math pipe", false},
	{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "stall: barrier", false},
	{"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "stall: fixed latency", false},
}

// A counter moved when it changed by a tenth, and by more than a trifle: two points of a percentage, a
// tenth of a warp waiting, a thousand conflicts.
const movedShare = 0.1

func moved(was, is float64, percent bool) bool {
	least := 0.1
	if percent {
		least = 2
	} else if max(was, is) > 1000 {
		least = 1000
	}
	return math.Abs(is-was) > max(least, movedShare*math.Max(was, is))
}

// showCounters lists the winner's counters, and how they move without a choice.
func (a *app) showCounters(own []kernels.Counters, singles []kernels.Insight) {
	if len(own) == 0 {
		return
	}
	fmt.Fprintf(a.out, "\ncounters (ncu): as it is, and where they moved without a choice\n")
	t := report.NewTable("lllrr", "choice", "workload", "counter", "with", "without")
	t.Indent = "  "
	for _, c := range own {
		for _, n := range counterNames {
			if v, ok := c.Values[n.metric]; ok {
				t.Row("as it is", c.Workload, n.name, counterText(v, n.percent), "")
			}
		}
	}
	for _, i := range singles {
		for _, c := range i.Counters {
			at := slices.IndexFunc(own, func(o kernels.Counters) bool { return o.Workload == c.Workload })
			if at < 0 {
				continue
			}
			for _, n := range counterNames {
				was, is := own[at].Values[n.metric], c.Values[n.metric]
				if moved(was, is, n.percent) {
					t.Row(changeText(i.Genes), c.Workload, n.name, counterText(was, n.percent), counterText(is, n.percent))
				}
			}
		}
	}
	t.Write(a.out)
}

func counterText(v float64, percent bool) string {
	switch {
	case percent:
		return fmt.Sprintf("%.1f%%", v)
	case v >= 1000:
		return report.Count(int(v))
	}
	return fmt.Sprintf("%.2f", v)
}
