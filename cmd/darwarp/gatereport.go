package main

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// gateVerdict is what became of one of the test kernels.
type gateVerdict struct {
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
func (v gateVerdict) wants() string {
	if v.Stage == gatetest.Gate {
		return fmt.Sprint(v.Want)
	}
	return fmt.Sprintf("%v or to fall at the %s", v.Want, v.Stage)
}

// gateScore counts verdicts.
type gateScore struct {
	Held int `json:"held"`
	Of   int `json:"of"`
}

func (g gateScore) String() string { return fmt.Sprintf("%d/%d", g.Held, g.Of) }

func (g *gateScore) add(held bool) {
	g.Of++
	if held {
		g.Held++
	}
}

// gateCount is the score of the kernels of one problem or kind.
type gateCount struct {
	Caught   gateScore `json:"caught"`
	Accepted gateScore `json:"accepted"`
}

func (c *gateCount) add(v gateVerdict) {
	if v.Family == "honest" {
		c.Accepted.add(v.Held)
	} else {
		c.Caught.add(v.Held)
	}
}

// gateReport is what a test of the gate found.
type gateReport struct {
	Device   string               `json:"device"`
	Caught   gateScore            `json:"caught"`
	Accepted gateScore            `json:"accepted"`
	Problems map[string]gateCount `json:"problems"`
	Kinds    map[string]gateScore `json:"kinds"` // of cheats
	Verdicts []gateVerdict        `json:"verdicts"`
}

func newGateReport() *gateReport {
	return &gateReport{Problems: map[string]gateCount{}, Kinds: map[string]gateScore{}}
}

func (r *gateReport) add(v gateVerdict) {
	r.Verdicts = append(r.Verdicts, v)
	whole := gateCount{r.Caught, r.Accepted}
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

func (r *gateReport) ok() bool {
	return r.Caught.Held == r.Caught.Of && r.Accepted.Held == r.Accepted.Of
}

// line is the report in one line.
func (r *gateReport) line() string {
	return fmt.Sprintf("gate: %s caught, %s honest kernels accepted", r.Caught, r.Accepted)
}

func (a *app) gateText(r *gateReport) {
	t := report.NewTable("lllll", "problem", "kind", "kernel", "verdict", "")
	t.Width = console.Width(a.Out)
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
	t.Write(a.Out)
	a.gateCounts(r)
	fmt.Fprintf(a.Out, "\n%s, on %s\n", r.line(), r.Device)
	for _, v := range r.Verdicts {
		if !v.Held {
			fmt.Fprintf(a.Out, "%s %s %s (%s): it came to %s, expected %s\n", v.Problem, v.Family, v.Name, v.About, v.Said, v.wants())
		}
	}
}

// gateCounts prints the score of each problem and of each kind of cheat.
func (a *app) gateCounts(r *gateReport) {
	fmt.Fprintln(a.Out)
	t := report.NewTable("lrr", "problem", "caught", "accepted")
	for _, name := range gatetest.Problems() {
		if c, ok := r.Problems[name]; ok {
			t.Row(name, c.Caught.String(), c.Accepted.String())
		}
	}
	t.Write(a.Out)
	var kinds []string
	for _, k := range gatetest.Kinds {
		if s, ok := r.Kinds[string(k)]; ok {
			kinds = append(kinds, fmt.Sprintf("%s %s", k, s))
		}
	}
	if len(kinds) > 0 {
		fmt.Fprintf(a.Out, "\nby kind: %s\n", strings.Join(slices.Clip(kinds), ", "))
	}
}
