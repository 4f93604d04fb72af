package eval

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/trace"
	"darwarp/kernels"
)

// A trace shows where candidates, duels and trials spend their time, and what the device did meanwhile.
func TestTrace(t *testing.T) {
	t.Setenv(compileAll, "1")
	few(t)
	pool := fakePool(t)
	var text bytes.Buffer
	pool.Cfg.Trace = trace.New(&text)
	pool.Runner.Trace = pool.Cfg.Trace
	ctx := t.Context()
	good, crash := fakeJob(t, pool, "good"), fakeJob(t, pool, "sticky")
	for _, job := range []*kernels.Job{good, crash} {
		if _, err := pool.Evaluate(ctx, job); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Duel(ctx, good, fakeJob(t, pool, "fast")); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Trial(ctx, good, kernels.QuickTrial...); err != nil {
		t.Fatal(err)
	}
	if err := pool.Cfg.Trace.Close(); err != nil {
		t.Fatal(err)
	}
	spans := spansOf(t, text.Bytes())
	for group, want := range map[string][]string{
		"candidates": {"candidate ok", "candidate crash", "compile", "wait for a compiler", "compiler", "gate",
			"wait for a slot",
			"wait for the device", "on the device", "start a device worker", "judge", "time"},
		"device": {"gate", "time", "duel", "disturb", "send", "duel 4096, the challenger"},
		"duels and trials": {"duel " + good.ID.Short() + " " + fakeJob(t, pool, "fast").ID.Short(), "ready", "pairs", "bank",
			"trial " + good.ID.Short(), "classes", "fresh", "disturbed"},
	} {
		for _, name := range want {
			if !slices.Contains(spans[group], name) {
				t.Errorf("no span %q of %s among %q", name, group, spans[group])
			}
		}
	}
}

// TestTraceOfOpening: a trace shows the steps of opening a session, and what is told of later is none of them.
func TestTraceOfOpening(t *testing.T) {
	t.Setenv(compileAll, "1")
	cfg := fakePool(t).Cfg
	var text bytes.Buffer
	var said []string
	cfg.Trace, cfg.Progress = trace.New(&text), func(s string) { said = append(said, s) }
	pool := openPool(t, cfg)
	pool.Cfg.Say("later")
	if err := cfg.Trace.Close(); err != nil {
		t.Fatal(err)
	}
	spans := spansOf(t, text.Bytes())["opening"]
	want := slices.Concat([]string{"look around"}, said[:len(said)-1], []string{"open"})
	if !slices.Equal(spans, want) || said[len(said)-1] != "later" || !slices.Contains(said, "computing the truth") {
		t.Errorf("spans %q of steps %q", spans, said)
	}
}

// spansOf are the names of a trace's spans, with their outcomes, by the group that they are in.
func spansOf(t *testing.T, text []byte) map[string][]string {
	t.Helper()
	var events []struct {
		Name, Ph string
		PID      int
		Args     map[string]string
	}
	if err := json.Unmarshal(text, &events); err != nil {
		t.Fatal(err)
	}
	groups, spans := map[int]string{}, map[string][]string{}
	for _, e := range events {
		switch {
		case e.Name == "process_name":
			groups[e.PID] = e.Args["name"]
		case e.Ph == "X":
			spans[groups[e.PID]] = append(spans[groups[e.PID]], strings.TrimSpace(e.Name+" "+e.Args["outcome"]))
		}
	}
	return spans
}
