package kernelbench

import (
	"encoding/json"
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// columns are the baselines of the table: what import writes into a folder.
var columns = []struct{ name, title string }{{"torch", "eager"}, {"torch-compile", "torch.compile"}}

// tell prints a result: a line, or JSON.
func (r *runner) tell(p Problem) error {
	if r.JSON {
		return json.NewEncoder(r.con.JSON()).Encode(p)
	}
	r.con.Printf("%s\n", p.line())
	return nil
}

// line is the result for people.
func (p Problem) line() string {
	parts := []string{string(p.Outcome)}
	if p.Verdicts > 0 {
		parts = append(parts, report.Quantity(p.Verdicts, "verdict"))
	}
	if p.NS > 0 {
		parts = append(parts, report.Time(p.NS))
	}
	for _, c := range columns {
		if v := p.Speedups[c.name]; v > 0 {
			parts = append(parts, report.Ratio(v)+" of "+c.title)
		}
	}
	if p.Outcome == Right {
		parts = append(parts, p.Precision)
	}
	if p.Standing != "" && p.Standing != kernels.Stood {
		parts = append(parts, string(p.Standing))
	}
	line := p.Name + ": " + strings.Join(parts, ", ")
	if p.Why != "" {
		line += ": " + p.Why
	}
	return line
}

// table prints all results, how many there are of each kind, and the means of what was compared.
func (r *runner) table(all []Problem) {
	head := []string{"module", "outcome", "verdicts", "champion"}
	for _, c := range columns {
		head = append(head, "of "+c.title)
	}
	t := report.NewTable("llrr"+strings.Repeat("r", len(columns))+"ll", append(head, "precision", "why")...)
	counts := map[Outcome]int{}
	ratios := map[string][]float64{}
	for _, p := range all {
		counts[p.Outcome]++
		row := []any{p.Name, p.Outcome, p.Verdicts, dash(p.NS, report.Time)}
		for _, c := range columns {
			v := p.Speedups[c.name]
			if row = append(row, dash(v, report.Ratio)); v > 0 {
				ratios[c.name] = append(ratios[c.name], v)
			}
		}
		t.Row(append(row, report.OrDash(p.Precision), report.Clip(p.Why, longestWhy))...)
	}
	fmt.Fprintln(r.con.Out)
	t.Write(r.con.Out)
	r.con.Printf("\n%s: %d right, %d wrong, %d refused, %d failed\n", report.Quantity(len(all), "module"), counts[Right],
		counts[Wrong], counts[Refused], counts[Failed])
	for _, c := range columns {
		if n := len(ratios[c.name]); n > 0 {
			r.con.Printf("geometric mean over %s: %s of %s\n", report.Quantity(n, "module"),
				report.Ratio(mean(ratios[c.name])), c.title)
		}
	}
}

// longestWhy is in columns; the line of the module has the whole reason.
const longestWhy = 60

func dash(v float64, text func(float64) string) string {
	if v > 0 {
		return text(v)
	}
	return "-"
}
