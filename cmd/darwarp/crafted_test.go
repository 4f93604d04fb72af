package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/kernels"
	"darwarp/store"
)

// baseRun is the bytes of a run with every kind of record, as JSON without compression, by bucket and key.
var baseRun = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "darwarp-hostile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("TESTDATA", "testdata"); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "run.db")
	if err := errors.Join(makeRun(path, false), addRecords(path), plainRecords(path)); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// addRecords stores one record of every kind that makeRun leaves out.
func addRecords(path string) error {
	r, err := store.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	best, err := r.Find("best")
	if err != nil {
		return err
	}
	short, proof := best.ID.Short(), best.Result.Provenance
	gain := kernels.Gain{Ratio: 1.2, Lo: 1.1, Hi: 1.3}
	round := kernels.DuelRound{Workload: "small", Cache: "hot", Pairs: 10, Champion: 2000, Challenger: 1400, Ratio: 0.7, Lo: 0.6,
		Hi: 0.8}
	return errors.Join(
		r.PutDuel(kernels.Duel{Champion: "default", ChampionKind: kernels.BaselineName, Challenger: short, Provenance: proof,
			Rounds: []kernels.DuelRound{round}, Ratio: 0.7, Lo: 0.6, Hi: 0.8, Verdict: kernels.Faster}),
		r.PutBaseline(kernels.BaselineResult{Name: "torch", Kind: kernels.BaselineName, About: "torch 2", Provenance: proof,
			Times: []kernels.Timing{{Workload: "small", Median: 1900, Lo: 1800, Hi: 2000, Cache: "hot", Tier: "final"}}}),
		r.PutInsight(kernels.Insight{Candidate: best.ID, Genes: []kernels.GeneChange{{Gene: "threads", From: "64", To: "256"}},
			Outcome: kernels.OK, Gain: gain, Shapes: []kernels.Gain{{Workload: "small", Ratio: 1.2, Lo: 1.1, Hi: 1.3}},
			Waves: []float64{1, 2}, Cache: "hot", Provenance: proof,
			Counters: []kernels.Counters{{Workload: "small", Values: map[string]float64{"dram__bytes.sum": 1e6}}}}),
		r.PutPortfolio(kernels.Portfolio{K: 1, Kernels: []kernels.ID{best.ID}, Single: best.ID, Gain: gain, Cache: "hot",
			Choices:    []kernels.Choice{{Workload: "small", Time: 1400, Single: 1500, Gain: gain}},
			Provenance: proof}),
		r.PutExchange(kernels.Exchange{At: best.At, Arm: "llm:m:improve", Asked: []kernels.Message{{Role: "user", Text: "q"}},
			Reply: "a", Proposed: []kernels.ID{best.ID}, Tokens: kernels.Tokens{In: 10, Out: 5}, USD: 0.1, Attempts: 1}),
		r.PutTrial(kernels.Trial{ID: best.ID, Provenance: proof, At: best.At, Parts: []kernels.Doubt{
			{Part: kernels.TrialClasses, Verdict: kernels.Passed, Detail: "all", Seconds: 1}}}),
	)
}

// records are the buckets whose values are records, with what gives their JSON.
var records = []string{"meta", "candidates", "provenance", "duels", "champions", "baselines", "insights", "portfolios",
	"exchanges", "trials"}

// plainRecords stores every record without compression, so that it can be changed.
func plainRecords(path string) error {
	r, err := store.View(path)
	if err != nil {
		return err
	}
	texts := map[string][]any{"meta": {r.Meta()}}
	var errs [9]error
	fill := func(name string, i int, all any, err error) {
		errs[i] = err
		data, _ := json.Marshal(all)
		var list []any
		errs[i] = errors.Join(err, json.Unmarshal(data, &list))
		texts[name] = list
	}
	var candidates []kernels.Candidate
	err = r.Each(func(c kernels.Candidate) error { candidates = append(candidates, c); return nil })
	fill("candidates", 0, candidates, err)
	proof, err := r.Provenance(candidates[0].Result.Provenance)
	fill("provenance", 1, []kernels.Provenance{proof}, err)
	duels, err := r.Duels()
	fill("duels", 2, duels, err)
	champions, err := r.Champions()
	fill("champions", 3, champions, err)
	baselines, err := r.Baselines()
	fill("baselines", 4, baselines, err)
	insights, err := r.Insights()
	fill("insights", 5, insights, err)
	portfolios, err := r.Portfolios()
	fill("portfolios", 6, portfolios, err)
	exchanges, err := r.Exchanges()
	fill("exchanges", 7, exchanges, err)
	trials, err := r.Trials()
	fill("trials", 8, trials, err)
	if err := errors.Join(append(errs[:], r.Close())...); err != nil {
		return err
	}
	return changeRun(path, func(root *bolt.Bucket) error {
		for name, all := range texts {
			if err := replaceAll(root.Bucket([]byte(name)), all); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// replaceAll gives the keys of a bucket, in order, these values.
func replaceAll(b *bolt.Bucket, all []any) error {
	var keys [][]byte
	if err := b.ForEach(func(k, _ []byte) error { keys = append(keys, bytes.Clone(k)); return nil }); err != nil {
		return err
	}
	if len(keys) != len(all) {
		return fmt.Errorf("%d keys of %d records", len(keys), len(all))
	}
	for i, k := range keys {
		text, err := json.Marshal(all[i])
		if err != nil {
			return err
		}
		if err := b.Put(k, sealed(text)); err != nil {
			return err
		}
	}
	return nil
}

// sealed is a record of the file's format with the right checksum.
func sealed(text []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte{'p'}, table), table, text)
	return append(binary.BigEndian.AppendUint32([]byte{'p'}, sum), text...)
}

// changeRun changes the tree of a run behind darwarp's back.
func changeRun(path string, change func(root *bolt.Bucket) error) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error { return change(tx.Bucket([]byte("darwarp"))) })
	return errors.Join(err, db.Close())
}

// changeRecord changes the JSON of the i-th record of a bucket.
func changeRecord(root *bolt.Bucket, bucket string, i int, change func(record any) any) error {
	b := root.Bucket([]byte(bucket))
	n, c := 0, b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if n++; n-1 != i {
			continue
		}
		var record any
		d := json.NewDecoder(bytes.NewReader(v[5:]))
		d.UseNumber()
		if err := d.Decode(&record); err != nil {
			return err
		}
		text, err := json.Marshal(change(record))
		if err != nil {
			return err
		}
		return b.Put(bytes.Clone(k), sealed(text))
	}
	return nil
}

// putAt sets the value at a path of keys and indices.
func putAt(v any, path ...any) func(any) any {
	return func(record any) any { return setAt(record, v, path) }
}

func setAt(record, v any, path []any) any {
	if len(path) == 0 {
		return v
	}
	switch key := path[0].(type) {
	case string:
		if m, ok := record.(map[string]any); ok {
			m[key] = setAt(m[key], v, path[1:])
		}
	case int:
		if l, ok := record.([]any); ok && key < len(l) {
			l[key] = setAt(l[key], v, path[1:])
		}
	}
	return record
}

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
	a := &app{Console: &console.Console{In: strings.NewReader(""), Out: &stdout, Err: &stderr}}
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
		if code != 0 && code != 2 || refused != (code == 2) || refused && (!names || strings.Contains(why, "\n")) {
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
		{"a champion that is none", "champions", 0, putAt(strings.Repeat("1", 64), "id"), "show", "champion 1111111111 is no candidate"},
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
	hostile := []any{nil, 0, -1, 1e308, 5e-324, 1 << 62, -1 << 62, "", "\x1b]0;t\a\u202e", text, strings.Repeat(text, 1000),
		true, []any{}, map[string]any{}, []any{v, v}, map[string]any{text: v}, "sm_90)", "../../x", 1.5}
	return hostile[int(op)%len(hostile)]
}
