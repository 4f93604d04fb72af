package kernelbench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/module"
	"darwarp/kernels"
	"darwarp/store"
)

// stage is a bench whose steps are scripted: each file's text says what becomes of it.
type stage struct {
	*testing.T
	b        Bench
	searched []string // stores, in order
	tested   []bool   // with a test of the gate
	cancel   context.CancelFunc
}

func newStage(t *testing.T, files map[string]string) *stage {
	t.Helper()
	s := &stage{T: t}
	s.b.Dir, s.b.Out = t.TempDir(), filepath.Join(t.TempDir(), "out")
	s.b.Budget, s.b.GateTest, s.b.Import.Scale = store.Budget{For: 1e9}, true, 1
	for name, text := range files {
		s.put(name, text)
	}
	return s
}

func (s *stage) put(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.b.Dir, name), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) imports(_ context.Context, path, dir string) (*importer.Made, error) {
	if _, err := os.Stat(dir); err == nil {
		return nil, errors.New("the folder of an earlier bench is in the way")
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	switch strings.TrimSpace(string(text)) {
	case "refused":
		return nil, &module.Refused{Why: "it draws\nrandom \x1b[2Jnumbers"}
	case "broken":
		return nil, errors.New("a fault of the importer's own")
	case "no torch":
		return nil, &module.Missing{Why: "python3 has no torch"}
	case "part":
		return &importer.Made{Whole: "whole"}, nil
	}
	return &importer.Made{Notes: []string{"a note"}}, err
}

func (s *stage) search(_ *console.Interrupts, p *Problem, o search.Options) error {
	text, _ := os.ReadFile(filepath.Join(s.b.Dir, p.File))
	o.Watch.Begin("searching")
	s.searched, s.tested = append(s.searched, filepath.Base(o.Store)), append(s.tested, o.GateTest)
	p.Verdicts += 10
	switch strings.TrimSpace(string(text)) {
	case "wrong":
		p.Why = "no candidate is right"
		return nil
	case "no search":
		return errors.New("the search failed")
	case "no device":
		return &env.Error{What: "a usable GPU", Why: "it fell off the bus"}
	case "doubtful":
		p.Standing = kernels.OnTrial
	case "interrupts":
		s.cancel()
		return nil
	}
	p.Champion, p.NS, p.Precision = "abc", 1000, "strict fp32"
	p.Speedups = map[string]float64{"torch": 2, "torch-compile": 0.5}
	return nil
}

// run is one command: its output and its error.
func (s *stage) run() (string, error) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	s.cancel = cancel
	stop := &console.Interrupts{Soft: ctx, Hard: ctx}
	found, err := list(s.b.Dir)
	if err != nil {
		return "", err
	}
	log, err := openLog(s.b.Out, s.b.settings())
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	con := console.New(nil, &out, &out)
	r := &runner{Bench: s.b, log: log, con: con, steps: steps{imports: s.imports, search: s.search,
		say: func(string, ...any) {}}}
	err = r.all(stop, found)
	return out.String(), errors.Join(err, log.Close())
}

func (s *stage) wants(out string, parts ...string) {
	s.Helper()
	for _, want := range parts {
		if !strings.Contains(out, want) {
			s.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// TestBench: whatever becomes of a module, the next one is run, and each has one line and one row.
func TestBench(t *testing.T) {
	s := newStage(t, map[string]string{"10_last.py": "doubtful", "2_refused.py": "refused", "3_broken.py": "broken",
		"4_wrong.py": "wrong", "5_fails.py": "no search", "1_first.py": "right", "no_module.txt": "right"})
	out, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	s.wants(out, "1_first: right, 10 verdicts, 1.000 us, 2.00x of eager, 0.50x of torch.compile, strict fp32\n",
		"2_refused: refused: it draws\n", "3_broken: failed: a fault of the importer's own\n",
		"4_wrong: wrong, 10 verdicts: no candidate is right\n", "5_fails: failed, 10 verdicts: the search failed\n",
		"10_last: right, 10 verdicts, 1.000 us, 2.00x of eager, 0.50x of torch.compile, strict fp32, on trial\n",
		"6 modules: 2 right, 1 wrong, 1 refused, 2 failed\n", "geometric mean over 2 modules: 2.00x of eager\n")
	if strings.Contains(out, "\x1b") || strings.Index(out, "10_last") < strings.Index(out, "5_fails") {
		t.Errorf("not printable, or not in the order of the numbers:\n%s", out)
	}
	if want := []bool{true, false, false, false}; !slices.Equal(s.tested, want) {
		t.Errorf("the gate was tested in %v", s.tested)
	}

	// What is done is not done again, what failed is; a file that changed is another module.
	s.searched = nil
	s.put("4_wrong.py", "right ")
	s.put("1_first.py", "right")
	s.put("5_fails.py", "right")
	again, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	s.wants(again, "1_first: right, 10 verdicts, 1.000 us", "5_fails: right", "4_wrong: right", "3_broken: failed",
		"6 modules: 4 right, 0 wrong, 1 refused, 1 failed\n")
	if want := []string{"4_wrong.db", "5_fails.db"}; !slices.Equal(s.searched, want) {
		t.Errorf("searched %v, expected %v", s.searched, want)
	}
}

// TestScaled: a part is searched, and the result is that of the whole.
func TestScaled(t *testing.T) {
	s := newStage(t, map[string]string{"big.py": "part"})
	out, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	s.wants(out, "big: right, 20 verdicts")
	if want := []string{"big.db", "big-whole.db"}; !slices.Equal(s.searched, want) {
		t.Errorf("searched %v", s.searched)
	}
}

// TestEnds: what this machine lacks, and Ctrl-C, end the bench. The module in hand has no result, those before keep
// theirs.
func TestEnds(t *testing.T) {
	for text, code := range map[string]int{"no torch": exit.Environment, "interrupts": exit.Interrupted, "no device": 0} {
		t.Run(text, func(t *testing.T) {
			s := newStage(t, map[string]string{"1.py": "right", "2.py": text, "3.py": "right"})
			_, err := s.run()
			var coded *exit.Error
			var environment *env.Error
			if code != 0 && (!errors.As(err, &coded) || coded.Code != code) || code == 0 && !errors.As(err, &environment) {
				t.Fatalf("got %v", err)
			}
			s.put("2.py", "right")
			s.searched = nil
			if out, err := s.run(); err != nil || !strings.Contains(out, "3 modules: 3 right") {
				t.Errorf("%v\n%s", err, out)
			}
			if want := []string{"2.db", "3.db"}; !slices.Equal(s.searched, want) {
				t.Errorf("searched %v", s.searched)
			}
		})
	}
}

// TestLog: a line that was cut off is dropped; other settings, another's folder and a second writer are refused.
func TestLog(t *testing.T) {
	s := newStage(t, map[string]string{"1.py": "right", "2.py": "right"})
	if _, err := s.run(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.b.Out, logName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-20], 0o644); err != nil {
		t.Fatal(err)
	}
	s.searched = nil
	if _, err := s.run(); err != nil || !slices.Equal(s.searched, []string{"2.db"}) {
		t.Errorf("searched %v: %v", s.searched, err)
	}
	if lines := strings.Count(read(t, path), "\n"); lines != 3 {
		t.Errorf("%d lines, expected the settings and 2 results:\n%s", lines, read(t, path))
	}
	held, err := openLog(s.b.Out, s.b.settings())
	if err != nil {
		t.Fatal(err)
	}
	s.refused("another bench writes it")
	_ = held.Close()
	s.b.Budget.For++
	s.refused("was begun with")
	s.b.Budget.For--
	if err := os.WriteFile(path, []byte(read(t, path)+"no result\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.refused("line 4 is no result")
	s.b.Out = t.TempDir()
	if err := os.WriteFile(filepath.Join(s.b.Out, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.refused("it has other files")
}

func (s *stage) refused(want string) {
	s.Helper()
	var coded *exit.Error
	if _, err := s.run(); !errors.As(err, &coded) || coded.Code != exit.Usage || !strings.Contains(err.Error(), want) {
		s.Errorf("got %v, expected %q", err, want)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLabels: names of problems are what folders and runs may be called, and no two are alike.
func TestLabels(t *testing.T) {
	taken := map[string]bool{}
	for _, tt := range []struct{ base, want string }{
		{"1_Square_matrix_multiplication_", "1_Square_matrix_multiplication"}, {"a b", "a_b"}, {"a.b", "a_b_2"},
		{"..", "module"}, {"é", "module_2"}, {strings.Repeat("x", 300), strings.Repeat("x", longestName)},
		{strings.Repeat("x", 301), strings.Repeat("x", longestName) + "_2"},
	} {
		if got := label(tt.base, taken); got != tt.want {
			t.Errorf("%q is called %q, expected %q", tt.base, got, tt.want)
		}
	}
}

// TestCheck: what would fail with every module is refused before the first.
func TestCheck(t *testing.T) {
	right := func() Bench {
		b := Bench{Dir: "d", Out: "o", Import: importer.Request{Scale: 1, Sandbox: eval.SandboxBest}}
		b.Device, b.Budget = "cpu", store.Budget{For: 1}
		return b
	}
	if b := right(); b.check() != nil {
		t.Fatal(b.check())
	}
	for i, change := range []func(*Bench){
		func(b *Bench) { b.Out = "" }, func(b *Bench) { b.Budget.For = 0 }, func(b *Bench) { b.Budget.Evals = -1 },
		func(b *Bench) { b.Device = "replay" }, func(b *Bench) { b.Device = "gpu" }, func(b *Bench) { b.Import.Scale = 2 },
		func(b *Bench) { b.Import.Precision = "fp64" },
		func(b *Bench) { b.GPUs = "x" }, func(b *Bench) { b.Import.Sandbox = "open" },
	} {
		b := right()
		change(&b)
		if b.check() == nil {
			t.Errorf("%d is not refused", i)
		}
	}
	if _, err := list(t.TempDir()); err == nil {
		t.Error("an empty folder is not refused")
	}
}
