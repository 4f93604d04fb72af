package gatecheck

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Verdict is what became of one of the test kernels.
type Verdict struct {
	Problem string            `json:"problem"`
	Family  string            `json:"family"` // cheat or honest
	Name    string            `json:"name"`
	Kind    gatetest.Kind     `json:"kind,omitempty"`
	Stage   gatetest.Stage    `json:"stage"` // by which it must be found out
	About   string            `json:"about"`
	Want    []kernels.Outcome `json:"want"`    // at the gate
	Outcome kernels.Outcome   `json:"outcome"` // at the gate
	Said    string            `json:"said"`    // the word of the stage that settled it
	Detail  string            `json:"detail,omitempty"`
	Held    bool              `json:"held"`
}

// wants says what was expected.
func (v Verdict) wants() string {
	if v.Stage == gatetest.Gate {
		return fmt.Sprint(v.Want)
	}
	return fmt.Sprintf("%v, or failed at the %s", v.Want, v.Stage)
}

// missed is the line of a kernel that did not come as expected.
func (v Verdict) missed() string {
	return fmt.Sprintf("%s %s %s (%s): was %s, expected %s", v.Problem, v.Family, v.Name, v.About, v.Said, v.wants())
}

// Score counts verdicts.
type Score struct {
	Held int `json:"held"`
	Of   int `json:"of"`
}

// String is held/of: 3/4.
func (g Score) String() string { return fmt.Sprintf("%d/%d", g.Held, g.Of) }

func (g *Score) add(held bool) {
	g.Of++
	if held {
		g.Held++
	}
}

// Count is the score of the kernels of one problem or kind.
type Count struct {
	Caught   Score `json:"caught"`
	Accepted Score `json:"accepted"`
}

func (c *Count) add(v Verdict) {
	if v.Family == "honest" {
		c.Accepted.add(v.Held)
	} else {
		c.Caught.add(v.Held)
	}
}

// Report is what a test of the gate found.
type Report struct {
	Device   string           `json:"device"`
	Caught   Score            `json:"caught"`
	Accepted Score            `json:"accepted"`
	Problems map[string]Count `json:"problems"`
	Kinds    map[string]Score `json:"kinds"`            // of cheats
	Missed   []string         `json:"missed,omitempty"` // what did not come as expected, each with its name
	Verdicts []Verdict        `json:"verdicts"`
}

func newReport() *Report {
	return &Report{Problems: map[string]Count{}, Kinds: map[string]Score{}}
}

func (r *Report) add(v Verdict) {
	if r.Verdicts = append(r.Verdicts, v); !v.Held {
		r.Missed = append(r.Missed, v.missed())
	}
	whole := Count{r.Caught, r.Accepted}
	whole.add(v)
	r.Caught, r.Accepted = whole.Caught, whole.Accepted
	count := r.Problems[v.Problem]
	count.add(v)
	r.Problems[v.Problem] = count
	if v.Kind != "" {
		score := r.Kinds[string(v.Kind)]
		score.add(v.Held)
		r.Kinds[string(v.Kind)] = score
	}
}

// OK reports whether every cheat was caught and every honest kernel accepted.
func (r *Report) OK() bool {
	return r.Caught.Held == r.Caught.Of && r.Accepted.Held == r.Accepted.Of
}

// line is the report in one line.
func (r *Report) line() string {
	return fmt.Sprintf("gate: %s caught, %s honest kernels accepted", r.Caught, r.Accepted)
}

// Text writes the report in so many columns; 0: nothing is cut.
func (r *Report) Text(w io.Writer, width int) {
	t := report.NewTable("lllll", "problem", "kind", "kernel", "verdict", "")
	t.Width = width
	for _, v := range r.Verdicts {
		kind, said := string(v.Kind), v.Said
		if kind == "" {
			kind = v.Family
		}
		if !v.Held {
			said += " (!)"
		}
		t.Row(v.Problem, kind, v.Name, said, report.FirstLine(v.Detail))
	}
	t.Write(w)
	r.counts(w)
	fmt.Fprintf(w, "\n%s, on %s\n", r.line(), r.Device)
	for _, line := range r.Missed {
		fmt.Fprintln(w, line)
	}
}

// counts prints the score of each problem and of each kind of cheat.
func (r *Report) counts(w io.Writer) {
	fmt.Fprintln(w)
	t := report.NewTable("lrr", "problem", "caught", "accepted")
	for _, name := range gatetest.Problems() {
		if c, ok := r.Problems[name]; ok {
			t.Row(name, c.Caught.String(), c.Accepted.String())
		}
	}
	t.Write(w)
	var kinds []string
	for _, k := range gatetest.Kinds {
		if s, ok := r.Kinds[string(k)]; ok {
			kinds = append(kinds, fmt.Sprintf("%s %s", k, s))
		}
	}
	if len(kinds) > 0 {
		fmt.Fprintf(w, "\nby kind: %s\n", strings.Join(slices.Clip(kinds), ", "))
	}
}
