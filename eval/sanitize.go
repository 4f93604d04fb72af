package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// sanitizers are compute-sanitizer's tools: accesses out of bounds, reads of global memory that nothing wrote, races
// in shared memory, wrong use of barriers (Compute Sanitizer documentation).
var sanitizers = []string{"memcheck", "initcheck", "racecheck", "synccheck"}

// sanitizeDeadline bounds one tool: it slows a kernel down ten to a hundred times.
const sanitizeDeadline = 2 * time.Minute

// errUnwatched says that there is nothing to run under a tool.
var errUnwatched = errors.New("compute-sanitizer: the problem has no check shape that is small enough to watch")

// Sanitize runs a candidate on the check shapes under each tool of compute-sanitizer. Only a complete report without
// a finding counts as clean: one that is missing, empty or cut off says nothing. Where no tool can run, why says so in
// one line.
func (p *Pool) Sanitize(ctx context.Context, job *kernels.Job) (found []kernels.Sanitized, why string, err error) {
	if p.device.Kind != "cuda" {
		return nil, "compute-sanitizer: watches kernels on a GPU only (--races does it on the processor)", nil
	}
	tool := findTool("compute-sanitizer")
	if tool == "" {
		return nil, "compute-sanitizer: not found (it comes with the CUDA toolkit)", nil
	}
	req, err := p.sanitizeOf(ctx, job)
	if err != nil {
		return nil, "", err
	}
	found = make([]kernels.Sanitized, len(sanitizers))
	errs := make([]error, len(sanitizers))
	// a tool takes the device as any candidate does, and must not while somebody is timed
	p.runner.alone("sanitize", func() {
		var all sync.WaitGroup
		for i, name := range sanitizers {
			all.Go(func() {
				t := watcher{tool, append(sanitizerFlags(name), "--error-exitcode", "86", "--print-limit", "10"),
					sanitizeDeadline, sanitizerFinding}
				w, err := t.watch(ctx, req)
				found[i], errs[i] = w.sanitized(name), err
			})
		}
		all.Wait()
	})
	return found, "", errors.Join(errs...)
}

// sanitizerFlags choose a tool. Memcheck pads every allocation: without a gap, an access behind one buffer falls into
// the next, and is no finding (seen on an H200: found or not, as the driver happened to place them).
func sanitizerFlags(tool string) []string {
	flags := []string{"--tool", tool}
	if tool == "memcheck" {
		flags = append(flags, "--padding", "65536")
	}
	return flags
}

// watchedWork is how much the tools watch in all, in operations, or bytes where these are more; no case takes more
// than a part in watchedShare. The device stands still meanwhile: a size beside 2048 cubed, of 17e9 operations, kept
// the tools busy for over a minute.
const (
	watchedWork  = 1e9
	watchedShare = 3
)

// toWatch are the cases that run under the tools: the first of each workload's bank, for what a kernel does at the
// scored size alone, then check shapes and drawn sizes; all as far as the work goes.
func (p *Pool) toWatch() (list []int) {
	scored, others := []int{}, []int{}
	for i, x := range p.cases.cases {
		switch {
		case x.Trial:
		case x.Workload == "":
			others = append(others, i)
		case p.cases.byLoad[x.Workload][0] == i:
			scored = append(scored, i)
		}
	}
	left := float64(watchedWork)
	for _, i := range append(scored, others...) {
		if work := p.workOf(&p.cases.cases[i]); work <= left && work <= watchedWork/watchedShare {
			list, left = append(list, i), left-work
		}
	}
	return list
}

// workOf is what a case takes: operations, or bytes where these are more.
func (p *Pool) workOf(c *device.Case) float64 {
	work, _, err := p.cfg.Problem.Work(c.Dims, p.cfg.DType)
	if err != nil {
		return math.Inf(1)
	}
	return max(work, float64(c.ArenaBytes()))
}

// sanitizeOf makes the request: the check shapes with the candidate's calls.
func (p *Pool) sanitizeOf(ctx context.Context, job *kernels.Job) (*gpu.Profile, error) {
	e := &evaluation{Pool: p, job: job, again: true}
	for _, step := range []func(context.Context) error{e.resolve, e.compile} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if len(e.cubin) == 0 || e.res.Outcome != kernels.Unknown {
		return nil, fmt.Errorf("candidate %s: %s", job.ID.Short(), e.res.Detail)
	}
	req := &gpu.Profile{Open: p.runner.open, Apart: true, Prepare: device.Prepare{GuardKey: p.cases.guardKey}}
	req.Open.Library = ""
	c := device.Contender{Cubin: e.cubin}
	for _, i := range p.toWatch() {
		req.Prepare.Cases = append(req.Prepare.Cases, p.cases.cases[i])
		c.Calls = append(c.Calls, e.calls[i])
	}
	if len(c.Calls) == 0 {
		return nil, errUnwatched
	}
	req.Contenders = []device.Contender{c}
	return req, nil
}

var (
	sanitizerSummary = regexp.MustCompile(`(?m)^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)\b`)
	sanitizerFinding = regexp.MustCompile(`(?m)^=+ ((?:Error: |Warning: )?` +
		`(?:Race|Invalid|Barrier error|Uninitialized|Misaligned|Potential|Program hit|Divergent|Leaked).*)$`)
)

// sanitized reads a tool's report.
func (w *watching) sanitized(tool string) kernels.Sanitized {
	s := kernels.Sanitized{Tool: tool, Verdict: kernels.NotSanitized}
	if m := sanitizerFinding.FindSubmatch(w.report); m != nil {
		from := bytes.Index(w.report, m[0])
		s.Detail = kernels.CleanDetail(strings.TrimSpace(string(m[1])) + sanitizerPlace(w.report[from:]))
	}
	m := sanitizerSummary.FindSubmatch(w.report)
	switch {
	case w.enough && m == nil:
		s.Findings, s.Verdict = len(sanitizerFinding.FindAll(w.report, -1)), kernels.Dirty
	case w.late:
		s.Detail = strings.TrimSpace(fmt.Sprintf("not done after %v %s", sanitizeDeadline, s.Detail))
	case m == nil:
		s.Detail = kernels.CleanDetail(fmt.Sprintf("no complete report (%v) %s", w.failed, w.said))
	default:
		s.Findings, _ = strconv.Atoi(string(m[1])) // digits
		if s.Findings > 0 {
			s.Verdict = kernels.Dirty
		} else if w.failed == nil {
			s.Verdict = kernels.Clean
		} else {
			s.Detail = kernels.CleanDetail(fmt.Sprintf("reports nothing, but ended with %v: %s", w.failed, w.said))
		}
	}
	return s
}

// sanitizerPlace is the first place that a finding names: "at kernel+0x90 in k.cu:12".
func sanitizerPlace(report []byte) string {
	for line := range strings.Lines(string(report)) {
		if at, ok := strings.CutPrefix(strings.TrimLeft(line, "= "), "at "); ok {
			return " at " + strings.TrimSpace(at)
		}
	}
	return ""
}
