package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/htmlreport"
	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// outputs are what every place says that tells a champion's speedup, by place.
func outputs(t *testing.T, r *record.Record) map[string]string {
	t.Helper()
	id, _ := r.Champion()
	all := map[string]string{}
	for place, write := range map[string]func(*app) error{
		"search": func(a *app) error {
			return a.Summary(r, &kernels.Problem{}, evolve.Summary{Winner: evolve.Winner{Champion: id, Speedup: 99}}, nil)
		},
		"top":           func(a *app) error { return a.Top(listing.TopOptions{N: 20}, r) },
		"top --json":    func(a *app) error { return a.Top(listing.TopOptions{N: 20, JSON: true}, r) },
		"top --shapes":  func(a *app) error { return a.Top(listing.TopOptions{N: 1, Shapes: true}, r) },
		"show":          func(a *app) error { return a.Show(listing.ShowOptions{}, r, "") },
		"show --json":   func(a *app) error { return a.Show(listing.ShowOptions{JSON: true}, r, "") },
		"lineage":       func(a *app) error { return a.Lineage(false, r, "") },
		"diff":          func(a *app) error { return a.diff(false, r, "champion", "champion") },
		"watch":         func(a *app) error { return a.endState(false, r) },
		"export README": func(a *app) error { return exported(t, a, r) },
		"report": func(a *app) error {
			in, err := htmlreport.Gather(r, "test")
			if err == nil {
				page := htmlreport.Build(in, in)
				run := page.Runs[0]
				for _, f := range run.Head {
					a.Printf("%s: %s\n", f.Name, f.Value)
				}
				a.Printf("%s\n%s\n", run.Leaders.Rows[0].Speedup.Text, page.Compare.Rows[0].Speedup.Text)
				a.Printf("%s\n%s\n", run.Steps[len(run.Steps)-1].Speedup, run.Charts.Tree.Speedup)
				for _, c := range run.Candidates.Rows {
					if c.Champion {
						a.Printf("%s\n", c.Speedup.Text)
					}
				}
			}
			return err
		},
	} {
		var out bytes.Buffer
		if err := write(newApp(&console.Console{Out: &out, Err: &bytes.Buffer{}})); err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		all[place] = out.String()
	}
	return all
}

// exported prints the README of the champion's folder.
func exported(t *testing.T, a *app, r *record.Record) error {
	dir := filepath.Join(t.TempDir(), "kernel")
	quiet := newApp(&console.Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	if err := quiet.export(t.Context(), dir, nil, r, ""); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	a.Printf("%s", text)
	return err
}

// TestOneHeadline: once the final measurement has told the champion's speedup, no place tells that of two timings that
// were made at different times.
func TestOneHeadline(t *testing.T) {
	r := measuredRun(t)
	for place, text := range outputs(t, r) {
		want := "0.80x"
		if strings.Contains(place, "--json") {
			want = `"speedup": 0.8`
			text = strings.ReplaceAll(text, "0.7999999999999999", "0.8")
		}
		if !strings.Contains(text, want) || strings.Contains(text, "1.79") || strings.Contains(text, "~0.80") {
			t.Errorf("%s: expected %s and nowhere 1.79 in\n%s", place, want, text)
		}
	}
	if readme := outputs(t, r)["export README"]; !strings.Contains(readme, "speedup over naive start") ||
		!strings.Contains(readme, "1.00x naive start") || strings.Contains(readme, "default") {
		t.Errorf("the naive start has another name in\n%s", readme)
	}
	s := status(t, r)
	if s.Speedup < 0.799 || s.Speedup > 0.801 || s.Estimate {
		t.Errorf("a live run says %gx, estimate %t", s.Speedup, s.Estimate)
	}
}

// TestHeadlineIsEstimated: before the final measurement the champion's speedup has a ~ everywhere, and is that of the
// last pairs with the naive start.
func TestHeadlineIsEstimated(t *testing.T) {
	run, _ := madeRun(t)
	champion, _ := run.Champion()
	d := kernels.Duel{Champion: kernels.NaiveStart, ChampionKind: kernels.StartName, Challenger: champion.Short(),
		Ratio: 0.8}
	for _, w := range run.Meta().Workloads {
		d.Rounds = append(d.Rounds, kernels.DuelRound{Workload: w.Name, Cache: "hot", Ratio: 0.8})
	}
	if err := run.PutDuel(d); err != nil {
		t.Fatal(err)
	}
	r, err := record.Of(run)
	if err != nil {
		t.Fatal(err)
	}
	for place, text := range outputs(t, r) {
		want := "~1.25x"
		switch {
		case strings.Contains(place, "--json"):
			want = `"speedup": 1.25`
		case place == "top --shapes":
			want = "1.25x" // of one timing at each shape, as the others'
		}
		if !strings.Contains(text, want) || strings.Contains(text, "1.79") {
			t.Errorf("%s: expected %s and nowhere 1.79 in\n%s", place, want, text)
		}
		if strings.HasSuffix(place, "w --json") && !strings.Contains(text, `"estimate": true`) {
			t.Errorf("%s does not say that it is an estimate:\n%s", place, text)
		}
	}
	if s := status(t, r); s.Speedup < 1.249 || s.Speedup > 1.251 || !s.Estimate {
		t.Errorf("a live run says %gx, estimate %t", s.Speedup, s.Estimate)
	}
}

// status is what a search that writes the run would say of itself.
func status(t *testing.T, r *record.Record) store.Status {
	t.Helper()
	socket, err := store.SocketPath(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	server, err := store.Serve(t.Context(), r.Run, socket, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s, err := store.AskStatus(t.Context(), r.Path())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDuelsOfTheLeaderboard: a candidate that was timed faster than the champion and lost to it has their duel
// beside it; duels that say nothing of today's champion are not shown.
func TestDuelsOfTheLeaderboard(t *testing.T) {
	run, _ := madeRun(t)
	champion, _ := run.Champion()
	var other kernels.ID
	if err := run.Each(func(c kernels.Candidate) error {
		if c.ID != champion && c.Result.Outcome == kernels.OK {
			other = c.ID
		}
		return nil
	}); err != nil || other.IsZero() {
		t.Fatal("no other candidate", err)
	}
	table := func() string {
		r, err := record.Of(run)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a := newApp(&console.Console{Out: &out, Err: &bytes.Buffer{}})
		if err := a.Top(listing.TopOptions{N: 20}, r); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	lost := kernels.Duel{Champion: champion.Short(), Challenger: other.Short(), Ratio: 1.25, Lo: 1.2, Hi: 1.3,
		Verdict: kernels.Slower}
	for _, step := range []struct {
		duel func(*kernels.Duel)
		want string // empty: no column
	}{
		{func(d *kernels.Duel) { d.Champion = "0123456789" }, ""},
		{func(d *kernels.Duel) { d.Champion, d.ChampionKind = "torch", kernels.BaselineName }, ""},
		{func(d *kernels.Duel) { d.Lo, d.Hi, d.Verdict = 0, 0, kernels.Ambiguous }, ""},
		{func(d *kernels.Duel) { d.Ratio, d.Lo, d.Verdict = 1.02, .99, kernels.Ambiguous }, "0.980x ?"},
		{func(*kernels.Duel) {}, "0.800x "},
	} {
		d := lost
		step.duel(&d)
		if err := run.PutDuel(d); err != nil {
			t.Fatal(err)
		}
		if got := table(); strings.Contains(got, "duel") != (step.want != "") || !strings.Contains(got, step.want) {
			t.Errorf("expected %q after %+v in\n%s", step.want, d, got)
		}
	}
}
