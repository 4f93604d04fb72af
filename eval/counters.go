package eval

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

	"darwarp/eval/internal/device"
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

// Counters reads hardware counters of candidates at every workload with Nsight Compute, in a process of
// their own. Where that cannot be, why says so in one line and nothing else is wrong.
func (p *Pool) Counters(ctx context.Context, jobs []*kernels.Job) (
	found map[kernels.ID][]kernels.Counters, why string, err error) {
	if p.device.Kind != "cuda" {
		return nil, "ncu: reads the counters of a GPU only", nil
	}
	ncu := findTool("ncu", "/opt/nvidia/nsight-compute/*/ncu")
	if ncu == "" {
		return nil, "ncu: not found (Nsight Compute comes with the CUDA toolkit)", nil
	}
	req, entries, err := p.profileOf(ctx, jobs)
	if err != nil {
		return nil, "", err
	}
	report, why, err := p.runNCU(ctx, ncu, req, entries)
	if why != "" || err != nil {
		return nil, why, err
	}
	rows, err := parseNCU(report)
	if err != nil {
		return nil, "ncu: " + err.Error(), nil
	}
	found, err = p.perWorkload(req, jobs, rows)
	if err != nil {
		return nil, "ncu: " + err.Error(), nil
	}
	return found, "", nil
}

// profileOf makes the request: one case a workload, and the candidates' machine code.
func (p *Pool) profileOf(ctx context.Context, jobs []*kernels.Job) (*gpu.Profile, []string, error) {
	req := &gpu.Profile{Open: p.runner.open, Prepare: device.Prepare{GuardKey: p.cases.GuardKey}}
	req.Open.Library = ""
	for _, w := range p.cfg.Workloads {
		req.Prepare.Cases = append(req.Prepare.Cases, p.cases.List[p.cases.Banks[w.Name][0]])
	}
	var entries []string
	for _, job := range jobs {
		e := &evaluation{Pool: p, job: job}
		for _, step := range []func(context.Context) error{e.resolve, e.compile} {
			if err := step(ctx); err != nil {
				return nil, nil, err
			}
		}
		if len(e.cubin) == 0 {
			return nil, nil, fmt.Errorf("candidate %s: %s", job.ID.Short(), e.res.Detail)
		}
		c := e.contestant().Contender
		for _, call := range c.Calls {
			for _, l := range call.Launches {
				if !slices.Contains(entries, l.Entry) {
					entries = append(entries, l.Entry)
				}
			}
		}
		req.Contenders = append(req.Contenders, c)
	}
	return req, entries, nil
}

// runNCU runs the profile worker under ncu and returns its report.
func (p *Pool) runNCU(ctx context.Context, ncu string, req *gpu.Profile, entries []string) (
	report []byte, why string, err error) {
	cache := map[string]string{"hot": "none", "cold": "all"}[p.cfg.Cache]
	t := watcher{tool: ncu, deadline: profileDeadline, options: []string{"--csv", "--page", "raw", "--print-units", "base",
		"--clock-control", "none", "--cache-control", cache, "--kernel-name", "regex:^(" + strings.Join(entries, "|") + ")$",
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

// perWorkload gives each candidate's workloads their rows, which come in the order of being launched: of
// several launches of a call, the longest.
func (p *Pool) perWorkload(req *gpu.Profile, jobs []*kernels.Job, rows []map[string]float64) (
	map[kernels.ID][]kernels.Counters, error) {
	found, at := map[kernels.ID][]kernels.Counters{}, 0
	for i, c := range req.Contenders {
		for w, call := range c.Calls {
			if at+len(call.Launches) > len(rows) {
				return nil, fmt.Errorf("it profiled %d launches, more were made", len(rows))
			}
			longest := slices.MaxFunc(rows[at:at+len(call.Launches)], func(x, y map[string]float64) int {
				return int(x[durationMetric] - y[durationMetric])
			})
			at += len(call.Launches)
			found[jobs[i].ID] = append(found[jobs[i].ID], kernels.Counters{Workload: p.cfg.Workloads[w].Name, Values: longest})
		}
	}
	if at != len(rows) {
		return nil, fmt.Errorf("it profiled %d launches of %d", len(rows), at)
	}
	return found, nil
}
