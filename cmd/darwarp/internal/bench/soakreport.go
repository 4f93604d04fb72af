package bench

import (
	"fmt"
	"slices"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/soak"
	"darwarp/kernels"
)

// soaked is what a soak found.
type soaked struct {
	Seconds   float64                 `json:"seconds"`
	Evals     int                     `json:"evals"`
	Lost      int                     `json:"lost"` // by killed workers, asked for again
	Outcomes  map[kernels.Outcome]int `json:"outcomes"`
	Struck    map[string]int          `json:"struck"`  // what was done to workers
	Planted   map[string]int          `json:"planted"` // faults in kernels
	Passed    []string                `json:"passed"`  // planted faults that were not found
	Champions int                     `json:"champions"`
	Worse     []string                `json:"worse"` // champions slower than the one before
	balance
	Trends []soak.Trend `json:"trends"`
	pace
	PerK    float64       `json:"bytes_per_k"` // of the store, for 1,000 verdicts
	Samples []soak.Sample `json:"samples"`
}

// balance compares what was told with what is stored.
type balance struct {
	Twice   int `json:"twice"`   // verdicts reported twice
	Missing int `json:"missing"` // told and not stored
	Untold  int `json:"untold"`  // stored and not told
}

// pace is how fast verdicts came.
type pace struct {
	Early  float64 `json:"early"`  // verdicts per second in the second quarter
	Late   float64 `json:"late"`   // and in the last
	Chance float64 `json:"chance"` // by which they may differ for no reason
}

// slowed is the share of the early rate below which the late one, chance apart, counts as slower.
const slowed = 0.95

// bad lists what is not as it must be.
func (r *soaked) bad() []string {
	var out []string
	say := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(r.Evals == 0, "no evaluation got a verdict")
	say(r.Twice > 0, "%d verdicts were reported twice", r.Twice)
	say(r.Missing > 0, "%d acknowledged verdicts are not stored", r.Missing)
	say(r.Untold > 0, "%d stored verdicts were never reported", r.Untold)
	for _, w := range r.Worse {
		say(true, "the champion got worse: %s", w)
	}
	for _, p := range r.Passed {
		say(true, "a planted fault passed: %s", p)
	}
	for _, t := range r.Trends {
		say(t.Bad, "%s grew from %.0f to %.0f (limit %.0f)", t.Name, t.Early, t.Late, t.Limit)
	}
	say(r.Early == 0, "no verdict in the second quarter, or too short for quarters")
	say(r.Late < slowed*r.Early-r.Chance, "%.2f verdicts per second at the end, %.2f early on", r.Late, r.Early)
	return out
}

func soakText(con *console.Console, r *soaked) {
	report.Fields(con.Out, "",
		[2]string{"verdicts", fmt.Sprintf("%s in %s, %d lost and repeated", report.Count(r.Evals),
			report.Duration(time.Duration(r.Seconds*1e9)), r.Lost)},
		[2]string{"workers", tally(r.Struck)},
		[2]string{"planted", tally(r.Planted)},
		[2]string{"champions", fmt.Sprintf("%d, each faster than the one before: %v", r.Champions, len(r.Worse) == 0)},
		[2]string{"ledger", fmt.Sprintf("%d reported twice, %d reported and not stored, %d stored and not reported",
			r.Twice, r.Missing,
			r.Untold)},
		[2]string{"rate", fmt.Sprintf("%.2f verdicts per second in the second quarter, %.2f in the last (by chance: %.2f)",
			r.Early, r.Late, r.Chance)},
		[2]string{"store", fmt.Sprintf("%s for 1,000 verdicts", report.Bytes(int(r.PerK)))})
	fmt.Fprintln(con.Out)
	t := report.NewTable("lrrr", "", "second quarter", "last quarter", "limit")
	for _, x := range r.Trends {
		show := func(v float64) string { return report.Count(int(v)) }
		if x.Early > 1<<20 {
			show = func(v float64) string { return report.Bytes(int(v)) }
		}
		t.Row(x.Name, show(x.Early), show(x.Late), show(x.Limit))
	}
	t.Write(con.Out)
	fmt.Fprintln(con.Out)
	figures.Outcomes(r.Outcomes).Write(con.Out)
	fmt.Fprintln(con.Out)
	for _, b := range r.bad() {
		fmt.Fprintln(con.Out, "FAILED:", b)
	}
	if len(r.bad()) == 0 {
		fmt.Fprintln(con.Out, "nothing lost, nothing grew, nothing got worse")
	}
}

// tally lists counts by name.
func tally(counts map[string]int) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return "none"
	}
	text := parts[0]
	for _, p := range parts[1:] {
		text += ", " + p
	}
	return text
}
