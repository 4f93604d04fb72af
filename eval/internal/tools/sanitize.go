package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// Sanitizers are compute-sanitizer's tools: accesses out of bounds, reads of global memory that nothing wrote, races
// in shared memory, wrong use of barriers (Compute Sanitizer documentation).
var Sanitizers = []string{"memcheck", "initcheck", "racecheck", "synccheck"}

// sanitizeDeadline bounds one tool: it slows a kernel down ten to a hundred times.
const sanitizeDeadline = 2 * time.Minute

// Sanitize runs the profile worker under each of the Sanitizers. Only a complete report without a finding counts as
// clean: one that is missing, empty or cut off says nothing. An error is ours, or the context's.
func Sanitize(ctx context.Context, sanitizer string, req *gpu.Profile) ([]kernels.Sanitized, error) {
	found, errs := make([]kernels.Sanitized, len(Sanitizers)), make([]error, len(Sanitizers))
	var all sync.WaitGroup
	for i, name := range Sanitizers {
		all.Go(func() {
			t := watcher{sanitizer, append(sanitizerFlags(name), "--error-exitcode", "86", "--print-limit", "10"),
				sanitizeDeadline, sanitizerFinding}
			w, err := t.watch(ctx, req)
			found[i], errs[i] = w.sanitized(name), err
		})
	}
	all.Wait()
	return found, errors.Join(errs...)
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

var (
	sanitizerSummary = regexp.MustCompile(`(?m)^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)\b`)
	sanitizerFinding = regexp.MustCompile(`(?m)^=+ ((?:Error: |Warning: )?` +
		`(?:Race|Invalid|Barrier error|Uninitialized|Misaligned|Potential|Program hit|Divergent|Leaked).*(?:\n=+ +and .*)*)$`)
	otherAccess = regexp.MustCompile(`\n=+ +`) // a race names the second in a line of its own
)

// sanitized reads a tool's report.
func (w *watching) sanitized(tool string) kernels.Sanitized {
	s := kernels.Sanitized{Tool: tool, Verdict: kernels.NotSanitized}
	if m := sanitizerFinding.FindSubmatch(w.report); m != nil {
		from := bytes.Index(w.report, m[0])
		what := otherAccess.ReplaceAllString(strings.TrimSpace(string(m[1])), " ")
		s.Detail = kernels.CleanDetail(what + sanitizerPlace(w.report[from:]))
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
