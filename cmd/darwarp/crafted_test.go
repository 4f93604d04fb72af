package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/cmd/darwarp/internal/console"
)

// readers are the commands that only read a run; DIR is a folder for what they write.
var readers = [][]string{
	{"top"}, {"top", "--all"}, {"top", "--shapes"}, {"top", "--json"}, {"show"}, {"show", "best"}, {"show", "--json"},
	{"lineage"}, {"lineage", "--json"}, {"exchanges"}, {"exchanges", "1"}, {"verify", "--file"}, {"watch", "--plain"},
	{"report", "-o", "DIR/report.html"}, {"export", "-o", "DIR/kernel"}, {"bench", "convert", "-o", "DIR/space.json"},
}

// readRun runs a command on a run and gives its exit code with all that it printed.
func readRun(t *testing.T, path string, command []string) (code int, out, talk string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := newApp(&console.Console{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	root := a.rootCmd()
	args := slices.Clone(command)
	at := 1
	if args[0] == "bench" {
		at = 2
	}
	args = slices.Insert(args, at, path)
	for i := range args {
		args[i] = strings.Replace(args[i], "DIR", t.TempDir(), 1)
	}
	root.SetArgs(args)
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return a.finish(root.ExecuteContext(ctx)), stdout.String(), stderr.String()
}

// checkReaders holds what every reader makes of a run against what any run, whoever wrote it, may cause: an answer
// without figures that are none, or one line that names the file.
func checkReaders(t *testing.T, path string) (codes map[string]int, talks map[string]string) {
	t.Helper()
	t.Setenv("DARWARP_CUDA", filepath.Join(t.TempDir(), "none")) // nothing is compiled for an export
	codes, talks = map[string]int{}, map[string]string{}
	for _, command := range readers {
		name := strings.Join(command, " ")
		code, out, talk := readRun(t, path, command)
		codes[name], talks[name] = code, talk
		if strings.Contains(out+talk, "NaN") || strings.Contains(out+talk, "Inf") {
			t.Errorf("%s: a figure that is none:\n%.2000s%.2000s", name, out, talk)
		}
		_, why, refused := strings.Cut("\n"+talk, "\ndarwarp: ")
		why = strings.TrimSpace(why)
		names := strings.Contains(why, filepath.Base(path)) || strings.Contains(why, "candidate")
		lines := strings.Contains(why, "\n") && !strings.Contains(why, "cannot read the problem stored") // all its mistakes
		if code != 0 && code != 2 || refused != (code == 2) || refused && (!names || lines) {
			t.Errorf("%s: exit code %d with %.1000s", name, code, talk)
		}
	}
	return codes, talks
}

func craftedRun(t *testing.T) string {
	t.Helper()
	whole, err := baseRun()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.db")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCraftedRuns(t *testing.T) {
	parents := slices.Repeat([]any{strings.Repeat("0", 64)}, 100_000)
	for _, c := range []struct {
		name   string
		change func(root *bolt.Bucket) error
		want   string // in what every reader says before exit code 2; empty: all can read it
	}{
		{"nothing", func(*bolt.Bucket) error { return nil }, ""},
		{"no workloads", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt([]any{}, "workloads"))
		}, "meta: damaged (workloads: 0: expected 1 to 256)"},
		{"no weight", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt(0, "workloads", 0, "weight"))
		}, "meta: damaged (workloads[0].weight: 0: expected a positive number)"},
		{"a negative weight", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt(-1, "workloads", 0, "weight"))
		}, "meta: damaged (workloads[0].weight: -1: expected a positive number)"},
		{"an architecture for CMake", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt("sm_90) execute_process(COMMAND id", "device", "arch"))
		}, "meta: damaged (device: arch: "},
		{"a file elsewhere", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt("", "files", "../../x"))
		}, "meta: damaged (files: "},
		{"a dim that is not the problem's", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt(map[string]any{"m": 1}, "workloads", 0, "dims"))
		}, "does not fit its own problem: workload small: dimension n is missing"},
		{"a dim of 0", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt(0, "workloads", 0, "dims", "n"))
		}, "does not fit its own problem: workload small: "},
		{"another dtype", func(root *bolt.Bucket) error {
			return changeRecord(root, "meta", 0, putAt("int32", "dtype"))
		}, `does not fit its own problem: problem axpy has no dtype "int32"`},
		{"an empty index", func(root *bolt.Bucket) error {
			return errors.Join(root.DeleteBucket([]byte("rank")), second(root.CreateBucket([]byte("rank"))))
		}, "damaged (0 ranks of 3 candidates that are ok)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := craftedRun(t)
			if err := changeRun(path, c.change); err != nil {
				t.Fatal(err)
			}
			codes, talks := checkReaders(t, path)
			for name, code := range codes {
				if c.want == "" && code != 0 || c.want != "" && (code != 2 || !strings.Contains(talks[name], c.want)) {
					t.Errorf("%s: exit code %d, %s, want %q", name, code, talks[name], c.want)
				}
			}
		})
	}
	for _, c := range []struct {
		name, bucket string
		record       int
		change       func(any) any
		reader, want string
	}{
		{"parents", "candidates", 4, putAt(parents, "origin", "parents"), "lineage",
			"candidate 5: damaged (origin.parents: 100000: expected at most 64)"},
		{"its own parent", "candidates", 4, func(r any) any {
			return setAt(r, []any{r.(map[string]any)["id"]}, []any{"origin", "parents"})
		}, "lineage", "came before its parent"},
		{"a parent that is none", "candidates", 1, putAt([]any{strings.Repeat("1", 64)}, "origin", "parents"), "lineage",
			"candidate 1111111111: not found: it is a parent of"},
		{"a value that its gene does not have", "candidates", 4, putAt(3, "variant", "genes", "threads"), "show",
			"cannot be rendered: gene threads has no value 3"},
		{"a score next to nothing", "candidates", 4, putAt(5e-324, "score"), "show", "score: 5e-324"},
		{"no time", "candidates", 4, putAt(0, "result", "times", 0, "median"), "top",
			"candidate 5: damaged (result.times[0].median: 0: expected a positive number)"},
		{"a baseline without a time", "baselines", 1, putAt(0, "times", 0, "median"), "show", "baselines"},
		{"a choice of no kernel", "portfolios", 0, putAt(7, "choices", 0, "kernel"), "report", "choices[0].kernel: 7"},
		{"another's trial", "trials", 0, putAt(strings.Repeat("1", 64), "id"), "show", "trial of"},
		{"a champion that is none", "champions", 0, putAt(strings.Repeat("1", 64), "id"), "show",
			"champion 1111111111 is no candidate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := craftedRun(t)
			err := changeRun(path, func(root *bolt.Bucket) error {
				return changeRecord(root, c.bucket, c.record, c.change)
			})
			if err != nil {
				t.Fatal(err)
			}
			codes, talks := checkReaders(t, path)
			for name := range codes {
				if strings.HasPrefix(name, c.reader) && (codes[name] != 2 || !strings.Contains(talks[name], c.want)) {
					t.Errorf("%s: exit code %d, %.500s, want %q", name, codes[name], talks[name], c.want)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestOneMetaPage: people are told that the last transaction may be missing, and read the run all the same.
func TestOneMetaPage(t *testing.T) {
	for page := range 2 {
		path := craftedRun(t)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole[page*os.Getpagesize()+40] ^= 1
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range readers {
			code, _, talk := readRun(t, path, command)
			if code != 0 || !strings.Contains(talk, "one of its two meta pages is damaged") {
				t.Errorf("%v: exit code %d, %.300s", command, code, talk)
			}
		}
	}
}

// FuzzRun changes values anywhere in the records of a run, whose checksums are then right, and reads the run with
// everything that reads.
func FuzzRun(f *testing.F) {
	f.Add(uint8(1), uint8(4), uint16(9), uint8(0), "x")
	f.Add(uint8(0), uint8(0), uint16(3), uint8(1), "\x1b[2J")
	f.Fuzz(func(t *testing.T, bucket, record uint8, leaf uint16, op uint8, text string) {
		path := craftedRun(t)
		err := changeRun(path, func(root *bolt.Bucket) error {
			return changeRecord(root, records[int(bucket)%len(records)], int(record)%5, func(r any) any {
				n := int(leaf)
				return alter(r, &n, op, text)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		checkReaders(t, path)
	})
}

// alter replaces the n-th value of a record, in the order of keys.
func alter(v any, n *int, op uint8, text string) any {
	if *n--; *n == -1 {
		return altered(v, op, text)
	}
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			x[k] = alter(x[k], n, op, text)
		}
	case []any:
		for i := range x {
			x[i] = alter(x[i], n, op, text)
		}
	}
	return v
}

// altered is a value that nobody has written.
func altered(v any, op uint8, text string) any {
	hostile := []any{nil, 0, -1, 1e308, 5e-324, 1 << 62, -1 << 62, "", "\x1b]0;t\a\u202e", text,
		strings.Repeat(text, 1000),
		true, []any{}, map[string]any{}, []any{v, v}, map[string]any{text: v}, "sm_90)", "../../x", 1.5}
	return hostile[int(op)%len(hostile)]
}
