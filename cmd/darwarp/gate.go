package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

func (a *app) gateCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "gate",
		Short: "Test the gate itself, with cheats and with odd but honest kernels",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.gateTestCmd())
	return c
}

func (a *app) gateTestCmd() *cobra.Command {
	var t target
	var short, asJSON bool
	c := &cobra.Command{
		Use:   "test",
		Short: "Send the shipped cheats and honest kernels through the real gate on this device",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			stop := onInterrupt(c.Context())
			defer stop.release()
			return stop.explain(a.gateTest(stop.soft, t, short, asJSON))
		},
	}
	c.Flags().StringVar(&t.device, "device", "auto", "auto, cuda or cpu")
	c.Flags().IntVar(&t.jobs, "jobs", 0, "compiles at once (0: one a core)")
	c.Flags().StringVar(&t.sandbox, "sandbox", "best", "best, strict or off")
	c.Flags().BoolVar(&short, "short", false, "only those that every search begins with")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// gateVerdict is what the gate made of one of its test kernels.
type gateVerdict struct {
	Name    string            `json:"name"`
	Family  string            `json:"family"` // cheat or honest
	Outcome kernels.Outcome   `json:"outcome"`
	Detail  string            `json:"detail,omitempty"`
	Want    []kernels.Outcome `json:"want"`
	Held    bool              `json:"held"`
}

// gateScore counts the verdicts of one family.
type gateScore struct {
	Held int `json:"held"`
	Of   int `json:"of"`
}

// gateReport is what a test of the gate found.
type gateReport struct {
	Device   string        `json:"device"`
	Caught   gateScore     `json:"caught"`
	Accepted gateScore     `json:"accepted"`
	Verdicts []gateVerdict `json:"verdicts"`
}

func (r *gateReport) ok() bool {
	return r.Caught.Held == r.Caught.Of && r.Accepted.Held == r.Accepted.Of
}

// line is the report in one line.
func (r *gateReport) line() string {
	return fmt.Sprintf("gate: %d/%d caught, %d/%d honest kernels accepted", r.Caught.Held, r.Caught.Of, r.Accepted.Held, r.Accepted.Of)
}

func (a *app) gateTest(ctx context.Context, t target, short, asJSON bool) error {
	if t.device == "replay" {
		return usagef("--device replay: a recording has no gate: expected auto, cuda or cpu")
	}
	r, err := a.tryGate(ctx, t, short)
	if err != nil {
		return err
	}
	if asJSON {
		err = a.printJSON(r)
	} else {
		a.gateText(r)
	}
	if err == nil && !r.ok() {
		err = quietly(exitFailed)
	}
	return err
}

// tryGate sends the test kernels through the gate of a device.
func (a *app) tryGate(ctx context.Context, t target, short bool) (r *gateReport, err error) {
	if t.bundle, err = gatetest.Bundle(); err != nil {
		return nil, err
	}
	s, err := a.open(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	cases, err := gatetest.Cases(t.bundle, s.Device().Kind, short)
	if err != nil {
		return nil, err
	}
	verdicts, err := s.judgeAll(ctx, cases)
	if err != nil {
		return nil, err
	}
	r = &gateReport{Device: s.Device().Label(), Verdicts: verdicts}
	for _, v := range verdicts {
		score := &r.Caught
		if v.Family == "honest" {
			score = &r.Accepted
		}
		score.Of++
		if v.Held {
			score.Held++
		}
	}
	return r, nil
}

// gateTestBar is longer than any of the test kernels takes on any device, in ns a call.
const gateTestBar = 5e6

// proveGate sends the short test through the gate of the device that a search is about to use. A cheat
// that passes, or an honest kernel that does not, means that no verdict of this device can be believed.
func (a *app) proveGate(ctx context.Context, f *searchFlags, s *session) error {
	kind := s.Device().Kind
	if !f.gateTest || kind == "replay" {
		return nil
	}
	r, err := a.quiet().tryGate(ctx, target{device: kind, jobs: f.jobs, sandbox: f.sandbox, log: f.log}, true)
	if err != nil {
		return fmt.Errorf("test of the gate: %w", err)
	}
	if r.ok() {
		a.sayf("%s", r.line())
		return nil
	}
	for _, v := range r.Verdicts {
		if !v.Held {
			return fmt.Errorf("%s: of the %s kernel %s it said %s, expected %v. Nothing is searched with a gate like that: darwarp gate test --device %s tells more",
				r.line(), v.Family, v.Name, v.Outcome, v.Want, kind)
		}
	}
	return nil
}

// quiet is the program without its talk.
func (a *app) quiet() *app { return &app{in: a.in, out: a.out, err: io.Discard} }

// judgeAll evaluates the cases, in their order.
func (s *session) judgeAll(ctx context.Context, cases []gatetest.Case) ([]gateVerdict, error) {
	times := map[string]float64{} // so that a kernel that never ends is given up soon
	for _, w := range s.workloads {
		times[w.Name] = gateTestBar
	}
	bar := kernels.NewBar(times)
	out := make([]gateVerdict, len(cases))
	at := map[kernels.ID]int{}
	var todo []point
	for i, c := range cases {
		f, err := s.bundle.Family(c.Family)
		if err != nil {
			return nil, err
		}
		j, err := s.bundle.Job(f, c.Genes, s.Device(), s.dtype)
		if err != nil {
			return nil, err
		}
		at[j.ID] = i
		todo = append(todo, point{f, c.Genes, bar})
	}
	for v := range evaluateAll(ctx, s, slices.Values(todo)) {
		if v.err != nil {
			return nil, v.err
		}
		i := at[v.c.ID]
		c, r := cases[i], v.c.Result
		out[i] = gateVerdict{Name: c.Name, Family: c.Family, Outcome: r.Outcome, Detail: r.Detail, Want: c.Want, Held: c.Holds(r.Outcome)}
	}
	return out, ctx.Err()
}

func (a *app) gateText(r *gateReport) {
	t := report.NewTable("llll", "family", "kernel", "verdict", "")
	t.Width = width(a.out)
	for _, v := range r.Verdicts {
		mark := v.Outcome.String()
		if !v.Held {
			mark += " (!)"
		}
		t.Row(v.Family, v.Name, mark, report.FirstLine(v.Detail))
	}
	t.Write(a.out)
	fmt.Fprintf(a.out, "\n%s, on %s\n", r.line(), r.Device)
	for _, v := range r.Verdicts {
		if !v.Held {
			fmt.Fprintf(a.out, "%s %s: the gate said %s, expected %v\n", v.Family, v.Name, v.Outcome, v.Want)
		}
	}
}
