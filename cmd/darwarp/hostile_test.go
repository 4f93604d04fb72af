package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/kernels"
	"darwarp/store"
)

// evil steers a terminal, turns text around and begins a line that the program could have written.
const evil = "e\x1b]0;owned\a\u009b31m\u202e\u200b\r\ndarwarp: ok\xff"

// allowed sets a text to evil where the store takes that, else to a plain one: what reads old files admits less than
// they may hold.
func allowed(t *testing.T, name string, set func(text string) error) {
	t.Helper()
	if err := set(evil); err != nil {
		if again := set("plain"); again != nil {
			t.Fatalf("%s: %v, then %v", name, err, again)
		}
	}
}

// hostileRun writes a run with hostile texts wherever the store takes them.
func hostileRun(t *testing.T, path string) {
	t.Helper()
	scratch := filepath.Join(t.TempDir(), "plain.db")
	if err := makeRun(scratch, false); err != nil {
		t.Fatal(err)
	}
	plain, err := store.View(scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	r, err := store.Create(path, hostileMeta(t, plain.Meta()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var proof string
	for _, arch := range []string{evil, r.Meta().Device.Arch} {
		d := r.Meta().Device
		d.Name, d.Driver, d.Toolchain, d.Arch = evil, evil, evil, arch
		proof, err = r.PutProvenance(kernels.Provenance{Device: d, Protocol: evil, Version: evil, Host: evil,
			Started: time.Unix(1760000000, 0), Ceilings: &kernels.Ceilings{Bandwidth: 4e12, L2: 8e12, Matrix: 5e13}})
		if err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var last kernels.Candidate
	if err := plain.Each(func(c kernels.Candidate) error {
		if c.Result.Provenance != "" {
			c.Result.Provenance = proof
		}
		last = hostileCandidate(t, r, c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	hostileRecords(t, r, last, proof)
}

// hostileMeta is a run's description with the texts that a run can be made and read with.
func hostileMeta(t *testing.T, m store.Meta) store.Meta {
	t.Helper()
	about := func(m *store.Meta, s string) {
		m.Files["problem.toml"] = bytes.Replace(m.Files["problem.toml"], []byte(`about = "z = 2 x + y"`),
			[]byte(`about = "`+s+`"`), 1)
	}
	for _, set := range []func(*store.Meta){
		func(m *store.Meta) { m.Problem = evil }, func(m *store.Meta) { m.Version = evil },
		func(m *store.Meta) { m.Device.Name = evil }, func(m *store.Meta) { m.Device.Toolchain = evil },
		func(m *store.Meta) { m.Device.Arch = evil }, func(m *store.Meta) { m.Device.Driver = evil },
		func(m *store.Meta) { m.Device.UUID = evil }, func(m *store.Meta) { m.Strategy = evil },
		func(m *store.Meta) { m.Cache = evil }, func(m *store.Meta) { about(m, `e\u001b]0;owned\u0007\u202e\n`) },
		func(m *store.Meta) { m.LLM = &store.LLM{Config: evil, Models: []string{evil}, URL: evil} },
	} {
		next := m
		next.Files = map[string][]byte{}
		for name, text := range m.Files {
			next.Files[name] = bytes.Clone(text)
		}
		set(&next)
		path := filepath.Join(t.TempDir(), "scratch.db")
		r, err := store.Create(path, next)
		if err != nil {
			continue
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if read, err := record.Open(path); err == nil {
			m = next
			_ = read.Close() // a view
		}
	}
	return m
}

// hostileCandidate stores a candidate with hostile texts, each where the store takes it.
func hostileCandidate(t *testing.T, r *store.Run, c kernels.Candidate) kernels.Candidate {
	t.Helper()
	for _, set := range []func(*kernels.Candidate){
		func(c *kernels.Candidate) { c.Origin.Operator = kernels.Arm(evil, evil) },
		func(c *kernels.Candidate) { c.Origin.Note = evil },
		func(c *kernels.Candidate) { c.Result.Detail = evil },
		func(c *kernels.Candidate) { c.Result.Sites = []kernels.Site{{File: evil, Line: 3, Space: evil}} },
		func(c *kernels.Candidate) {
			if g := c.Result.Gate; g != nil {
				g.Where = evil
			}
		},
		func(c *kernels.Candidate) {
			for i := range c.Result.Resources {
				c.Result.Resources[i].Entry = evil
			}
		},
		func(c *kernels.Candidate) {
			for i := range c.Result.Times {
				c.Result.Times[i].Tags = []string{evil}
			}
		},
	} {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var next kernels.Candidate
		if err := json.Unmarshal(data, &next); err != nil {
			t.Fatal(err)
		}
		if set(&next); fitsStore(t, r.Meta(), next) {
			c = next
		}
	}
	if err := r.Put(&c, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// fitsStore reports whether a run takes a candidate, and gives it back.
func fitsStore(t *testing.T, m store.Meta, c kernels.Candidate) bool {
	t.Helper()
	r, err := store.Create(filepath.Join(t.TempDir(), "scratch.db"), m)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Put(&c, nil) != nil {
		return false
	}
	_, err = r.Get(c.ID)
	return err == nil
}

// hostileRecords stores what a run has beside candidates.
func hostileRecords(t *testing.T, r *store.Run, c kernels.Candidate, proof string) {
	t.Helper()
	w := r.Meta().Workloads
	if err := r.SetChampion(c.ID, "a duel"); err != nil {
		t.Fatal(err)
	}
	times := []kernels.Timing{{Workload: w[0].Name, Median: 3000, Cache: r.Meta().Cache},
		{Workload: w[1].Name, Median: 9000, Cache: r.Meta().Cache}}
	allowed(t, "baseline", func(s string) error {
		return r.PutBaseline(kernels.BaselineResult{Name: s, Kind: kernels.BaselineName, About: s,
			Provenance: proof, Times: times})
	})
	allowed(t, "exchange", func(s string) error {
		return r.PutExchange(kernels.Exchange{At: time.Unix(1760000100, 0), Arm: kernels.Arm(s, s), Reply: s, Refused: s,
			Asked: []kernels.Message{{Role: s, Text: s}}})
	})
	allowed(t, "failed exchange", func(s string) error {
		return r.PutExchange(kernels.Exchange{At: time.Unix(1760000101, 0), Arm: kernels.Arm(s, "init"), Failed: s})
	})
	allowed(t, "insight", func(s string) error {
		return r.PutInsight(kernels.Insight{Candidate: c.ID, Detail: s,
			Genes: []kernels.GeneChange{{Gene: s, From: s, To: s}}, Cache: r.Meta().Cache, Provenance: proof})
	})
	allowed(t, "trial", func(s string) error {
		return r.PutTrial(kernels.Trial{ID: c.ID, Provenance: proof,
			Parts: []kernels.Doubt{{Part: kernels.TrialLaunches, Verdict: kernels.Pending, Detail: s}}})
	})
}

// printed runs a command and gives what it printed, after checking that a terminal shows it and does nothing else.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	run(context.Background(), args, strings.NewReader(""), &out, &talk)
	for stream, text := range map[string]string{"stdout": out.String(), "stderr": talk.String()} {
		if shown := printable.Text(text); shown != text {
			t.Errorf("%q: %s is not printable:\n%q", args, stream, text)
		}
		for l := range strings.Lines(text) {
			if l == "darwarp: ok\n" || strings.HasPrefix(l, "darwarp: ok\\xff") {
				t.Errorf("%q: %s has a line that the program did not write:\n%s", args, stream, text)
			}
		}
	}
	return out.String() + talk.String()
}

// TestHostileRun prints a run whose every text is hostile, under a name that is, with every command that reads runs.
func TestHostileRun(t *testing.T) {
	t.Setenv("TESTDATA", "testdata")
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	path := filepath.Join(dir, "n\x1b]0;owned\a\n\u202e.db")
	hostileRun(t, path)
	if _, err := registry.Add(registry.Entry{Path: path, Problem: evil, Device: evil, Reason: evil}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"top"}, {"top", "-n", "2"}, {"top", "--all"}, {"top", "--shapes"}, {"top", "--json"}, {"top", "--all", "--json"},
		{"show"}, {"show", "--json"}, {"lineage"}, {"lineage", "--json"}, {"exchanges"}, {"exchanges", "--json"},
		{"watch", "--plain"}, {"watch", "--json", "--replay", "50ms"}, {"verify"},
		{"export", "-o", filepath.Join(dir, "out")}, {"steer", "pause"}, {"stop"}, {"portfolio", "--k", "2"},
	} {
		args = append([]string{args[0], path}, args[1:]...)
		if text := printed(t, args...); !strings.Contains(text, "owned") {
			t.Errorf("%q printed nothing of the run:\n%s", args, text)
		}
	}
	for _, args := range [][]string{{"show", path, evil}, {"exchanges", path, "1"}, {"exchanges", path, "2"},
		{"exchanges", path, "1", "--json"}, {"exchanges", path, evil}, {"show", evil}, {evil}, {"--" + evil},
		{"search", evil},
		{"runs"}, {"runs", "--json"}, {"check", evil}, {"list", evil}, {"steer", path, evil}, {"diff", path, "best", evil},
		{"search", "axpy", "--llm", evil}} {
		if text := printed(t, args...); !strings.Contains(text, "owned") {
			t.Errorf("%q printed nothing of it:\n%s", args, text)
		}
	}
	for _, args := range [][]string{{"show", path, "--source"}, {"watch", path, "--json"}, {"steer", path, evil},
		{"watch", path, "--plain", "--replay", "50ms"}, {"diff", path, "1", "2"}, {"list", "."},
		{"report", path, "-o", filepath.Join(dir, "r.html")}} {
		printed(t, args...)
	}
	page, err := os.ReadFile(filepath.Join(dir, "r.html"))
	if err != nil || strings.ContainsAny(string(page), "\x1b\a\u202e") {
		t.Errorf("the report has control characters (%v)", err)
	}
}

// TestHostileRecording searches on a recording whose every text is hostile.
func TestHostileRecording(t *testing.T) {
	t.Setenv("TESTDATA", "testdata")
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	path := filepath.Join(dir, "axpy.json")
	if err := makeSpace(path); err != nil {
		t.Fatal(err)
	}
	plain := readPlain(t, path)
	for i, set := range []func(r map[string]any){
		func(r map[string]any) { r["device"].(map[string]any)["name"] = evil },
		func(r map[string]any) { r["device"].(map[string]any)["toolchain"] = evil },
		func(r map[string]any) { r["device"].(map[string]any)["arch"] = evil },
		func(r map[string]any) { r["problem"] = evil }, func(r map[string]any) { r["cache"] = evil },
		func(r map[string]any) { r["about"] = evil }, func(r map[string]any) { r["dtype"] = evil },
		func(r map[string]any) { r["workloads"].([]any)[0].(map[string]any)["name"] = evil },
		func(r map[string]any) { r["provenance"].(map[string]any)["host"] = evil },
		func(r map[string]any) { r["families"].([]any)[0].(map[string]any)["name"] = evil },
		func(r map[string]any) { r["files"].(map[string]any)[evil] = evil },
		func(r map[string]any) { r["files"].(map[string]any)["problem.toml"] = "name = \"" + evil },
		func(r map[string]any) { r[evil] = evil },
	} {
		var r map[string]any
		if err := json.Unmarshal(plain, &r); err != nil {
			t.Fatal(err)
		}
		set(r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		run := filepath.Join(dir, string(rune('a'+i))+".db")
		if text := printed(t, "search", path, "--evals", "20", "--seed", "1", "--store", run, "--plain"); text == "" {
			t.Errorf("%d: nothing printed", i)
		}
		if _, err := os.Stat(run); err == nil {
			printed(t, "top", run)
			printed(t, "show", run)
		}
	}
}

// readPlain is a recording without its compression.
func readPlain(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		if data, again := os.ReadFile(path); again == nil && json.Valid(data) {
			return data
		}
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestHostileFolder checks and lists problem folders with hostile texts wherever one can be written.
func TestHostileFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	const toml = `e\u001b]0;owned\u0007\u009b\u202e\ndarwarp: ok`
	for i, x := range []struct{ file, from, to string }{
		{"problem.toml", `about = "z = 2 x + y"`, `about = "` + toml + `"`},
		{"problem.toml", `name = "axpy"`, `name = "` + toml + `"`},
		{"problem.toml", `name = "small"`, `name = "` + toml + `"`},
		{"problem.toml", `dims = ["n"]`, `dims = ["n", "` + toml + `"]`},
		{"problem.toml", `flops = "2 * n"`, `flops = "` + toml + `"`},
		{"problem.toml", `flops = "2 * n"`, "flops = \"\x1b]0;owned\a"},
		{"problem.toml", `flops = "2 * n"`, `"` + toml + `" = 3`},
		{"strided.toml", `name = "unroll"`, `name = "` + toml + `"`},
		{"strided.toml", `about = "elements of one thread"`, `about = "` + toml + `"`},
		{"strided.toml", `arch = "sm_80"`, `arch = "` + toml + `"`},
		{"strided.toml", `rule = "tile <= 2048"`, `rule = "tile <= 0"`},
		{"strided.toml", `why = "a block`, `why = "` + toml},
		{"strided.toml", `entry = "axpy"`, `entry = "` + toml + `"`},
		{"strided.cu.tmpl", "", evil + "{{.nosuch}}"},
	} {
		folder := filepath.Join(dir, string(rune('a'+i))+"\x1b]0;owned\a")
		if err := os.CopyFS(folder, os.DirFS("testdata/axpy")); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, x.file)
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, []byte(x.from)) {
			t.Fatalf("%s has no %q (%v)", x.file, x.from, err)
		}
		if err := os.WriteFile(file, bytes.Replace(text, []byte(x.from), []byte(x.to), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"check", folder}, {"check", folder, "--json"}, {"list", folder}} {
			if out := printed(t, args...); out == "" {
				t.Errorf("%q printed nothing", args)
			}
		}
	}
}
