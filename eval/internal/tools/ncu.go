package tools

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// metrics are what is asked of Nsight Compute: the tensor pipe, issue slots, resident warps, memory, bank
// conflicts, and for what warps wait (Nsight Compute, Profiling Guide, metrics reference).
var metrics = []string{
	durationMetric,
	"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
	"smsp__issue_active.avg.pct_of_peak_sustained_active",
	"sm__warps_active.avg.pct_of_peak_sustained_active",
	"dram__throughput.avg.pct_of_peak_sustained_elapsed",
	"dram__bytes.sum",
	"lts__throughput.avg.pct_of_peak_sustained_elapsed",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
	"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
	"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
	"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
	"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
	"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
	"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
	"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
}

const durationMetric = "gpu__time_duration.sum" // ns

// profileDeadline bounds ncu: it runs every kernel some ten times.
const profileDeadline = 3 * time.Minute

// Count reads hardware counters with Nsight Compute, by contender and call, on a device whose caches are hot or cold.
// Where that cannot be, why says so in one line and nothing else is wrong. An error is ours, or the context's.
func Count(ctx context.Context, ncu string, req *gpu.Profile, cache string) (
	found [][]map[string]float64, why string, err error) {
	report, why, err := runNCU(ctx, ncu, req, cache)
	if why != "" || err != nil {
		return nil, why, err
	}
	rows, err := parseNCU(report)
	if err == nil {
		found, err = perCall(req, rows)
	}
	if err != nil {
		return nil, "ncu: " + err.Error(), nil
	}
	return found, "", nil
}

// entries are the kernels that a request launches.
func entries(req *gpu.Profile) (list []string) {
	for _, c := range req.Contenders {
		for _, call := range c.Calls {
			for _, l := range call.Launches {
				if !slices.Contains(list, l.Entry) {
					list = append(list, l.Entry)
				}
			}
		}
	}
	return list
}

// runNCU runs the profile worker under ncu and returns its report.
func runNCU(ctx context.Context, ncu string, req *gpu.Profile, state string) (
	report []byte, why string, err error) {
	cache := map[string]string{"hot": "none", "cold": "all"}[state]
	t := watcher{tool: ncu, deadline: profileDeadline, options: []string{"--csv", "--page", "raw", "--print-units", "base",
		"--clock-control", "none", "--cache-control", cache,
		"--kernel-name", "regex:^(" + strings.Join(entries(req), "|") + ")$",
		"--metrics", strings.Join(metrics, ",")}}
	w, err := t.watch(ctx, req)
	if err != nil {
		return nil, "", err
	}
	if why := ncuTrouble(append(w.said, w.report...)); why != "" {
		return nil, why, nil
	}
	if w.late {
		return nil, fmt.Sprintf("ncu: not done after %v", profileDeadline), nil
	}
	if w.failed != nil {
		return nil, fmt.Sprintf("ncu: %v", w.failed), ctx.Err()
	}
	return w.report, "", nil
}

// ncuTrouble is ncu's own first complaints, in one line; empty where it has none.
func ncuTrouble(said []byte) string {
	if bytes.Contains(said, []byte("ERR_NVGPUCTRPERM")) {
		return "ncu: not permitted (the driver gives counters to the administrator only: ERR_NVGPUCTRPERM)"
	}
	var all []string
	for line := range strings.Lines(string(said)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "==ERROR== "); ok && len(all) < 2 {
			all = append(all, kernels.CleanDetail(text))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "ncu: " + strings.Join(all, "; ")
}

// parseNCU reads ncu's CSV: lines that begin with == are talk, the second line of the table is units,
// numbers have separators of thousands.
func parseNCU(report []byte) ([]map[string]float64, error) {
	var table strings.Builder
	for line := range strings.Lines(string(report)) {
		if !strings.HasPrefix(line, "==") {
			table.WriteString(line)
		}
	}
	r := csv.NewReader(strings.NewReader(table.String()))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("it profiled nothing")
	}
	head := lines[0]
	var rows []map[string]float64
	for _, line := range lines[1:] {
		if len(line) == 0 || line[0] == "" { // units
			continue
		}
		row := map[string]float64{}
		for i, cell := range line {
			v, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64)
			if i < len(head) && err == nil && slices.Contains(metrics, head[i]) {
				row[head[i]] = v
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// perCall gives each contender's calls their rows, which come in the order of being launched: of several launches of a
// call, the longest.
func perCall(req *gpu.Profile, rows []map[string]float64) ([][]map[string]float64, error) {
	found, at := make([][]map[string]float64, len(req.Contenders)), 0
	for i, c := range req.Contenders {
		for _, call := range c.Calls {
			if at+len(call.Launches) > len(rows) {
				return nil, fmt.Errorf("it profiled %d launches, more were made", len(rows))
			}
			longest := slices.MaxFunc(rows[at:at+len(call.Launches)], func(x, y map[string]float64) int {
				return int(x[durationMetric] - y[durationMetric])
			})
			at += len(call.Launches)
			found[i] = append(found[i], longest)
		}
	}
	if at != len(rows) {
		return nil, fmt.Errorf("it profiled %d launches of %d", len(rows), at)
	}
	return found, nil
}
