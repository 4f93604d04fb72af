package figures

import (
	"fmt"
	"io"
	"math"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

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

// Counters lists the winner's counters by workload, and those that move without a choice.
func Counters(w io.Writer, own []kernels.Counters, singles []kernels.Insight) {
	if len(own) == 0 {
		return
	}
	fmt.Fprintf(w, "\ncounters (ncu) of the winner; below, those that change without a choice\n")
	head, align := []string{"choice", "counter"}, "ll"
	for _, c := range own {
		head, align = append(head, c.Workload), align+"r"
	}
	t := report.NewTable(align, head...)
	t.Indent = "  "
	for _, n := range counterNames {
		row := []any{"", n.name}
		for _, c := range own {
			row = append(row, counterText(c.Values, n.metric, n.percent))
		}
		t.Row(row...)
	}
	for _, i := range singles {
		addMoved(t, own, i)
	}
	t.Write(w)
}

// addMoved adds the counters that move at one workload at least, there with -> without.
func addMoved(t *report.Table, own []kernels.Counters, i kernels.Insight) {
	choice := ChangeText(i.Genes)
	for _, n := range counterNames {
		row, some := []any{choice, n.name}, false
		for w, c := range own {
			if w >= len(i.Counters) || !moved(c.Values[n.metric], i.Counters[w].Values[n.metric], n.percent) {
				row = append(row, "")
				continue
			}
			some = true
			row = append(row, counterText(c.Values, n.metric, n.percent)+" -> "+counterText(i.Counters[w].Values, n.metric,
				n.percent))
		}
		if some {
			t.Row(row...)
			choice = ""
		}
	}
}

// counterText is a metric's value; "-" where ncu gave none.
func counterText(values map[string]float64, metric string, percent bool) string {
	v, ok := values[metric]
	switch {
	case !ok:
		return "-"
	case percent:
		return fmt.Sprintf("%.1f%%", v)
	case v >= 1000:
		return report.Count(int(v))
	}
	return fmt.Sprintf("%.2f", v)
}
