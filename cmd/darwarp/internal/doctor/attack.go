package doctor

import (
	"context"
	"fmt"
	"io"
	"slices"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/templates"
)

// Attacks is what attacks from inside of each kind of worker came to.
type Attacks struct {
	Layers   string               `json:"layers"`
	Missing  string               `json:"missing,omitempty"`
	Skipped  []string             `json:"skipped,omitempty"` // workers that could not be tried
	Verdicts []eval.AttackVerdict `json:"verdicts"`
}

// Attack has the workers of this machine attack it. An error means that there are no verdicts.
func Attack(ctx context.Context, mode eval.SandboxMode) (a Attacks, err error) {
	a.Layers, a.Missing = eval.SandboxLayers(), eval.SandboxMissing()
	a.Verdicts, a.Skipped, err = eval.Attack(ctx, env.Locate(), templates.Include(), mode)
	return a, err
}

// Failed is how many attacks nothing stopped.
func (a *Attacks) Failed() (n int) {
	for _, v := range a.Verdicts {
		if !v.Stopped {
			n++
		}
	}
	return n
}

// Text is a table for people: one line for each attack whatever the worker, more where they differ.
func (a *Attacks) Text(w io.Writer) {
	t := report.NewTable("llll", "", "attack", "from", "stopped by")
	for _, l := range a.lines() {
		mark := "ok"
		if !l.stopped {
			mark = "NOT STOPPED"
		}
		t.Row(mark, l.attack, l.from, l.layer)
	}
	t.Write(w)
	for _, s := range a.Skipped {
		fmt.Fprintf(w, "\nnot tried: %s\n", s)
	}
	fmt.Fprintf(w, "\n%d of %d attacks were stopped; layers: %s", len(a.Verdicts)-a.Failed(), len(a.Verdicts),
		report.OrDash(a.Layers))
	if a.Missing != "" {
		fmt.Fprintf(w, "; missing: %s", a.Missing)
	}
	fmt.Fprintln(w)
}

// line is one or several verdicts that agree.
type line struct {
	attack, from, layer string
	stopped             bool
}

func (a *Attacks) lines() (out []line) {
	for _, v := range a.Verdicts {
		name := v.Group + ": " + v.Attack
		at := slices.IndexFunc(out, func(l line) bool {
			return l.attack == name && l.layer == v.Layer && l.stopped == v.Stopped
		})
		if at >= 0 {
			out[at].from += ", " + v.Worker
			continue
		}
		out = append(out, line{name, v.Worker, v.Layer, v.Stopped})
	}
	slices.SortStableFunc(out, func(x, y line) int { return a.rank(x.attack) - a.rank(y.attack) })
	return out
}

// rank is where an attack stands among all.
func (a *Attacks) rank(name string) int {
	return slices.IndexFunc(a.Verdicts, func(v eval.AttackVerdict) bool { return v.Group+": "+v.Attack == name })
}
