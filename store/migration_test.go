package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

var errBroken = errors.New("broken step")

// twoSteps are migrations of which the second needs the first.
var twoSteps = []migration{
	func(root *bolt.Bucket) error { return root.Put([]byte("step 1"), []byte("done")) },
	func(root *bolt.Bucket) error {
		if string(root.Get([]byte("step 1"))) != "done" {
			return errors.New("step 2 came before step 1")
		}
		return root.Put([]byte("step 2"), []byte("done"))
	},
}

func TestMigration(t *testing.T) {
	old := newRun(t)
	fill(t, old, 0, 20)
	old.Close()
	path := old.path
	released := slices.Clip(migrations)
	t.Cleanup(func() { migrations = released })

	migrations = append(released, twoSteps[0], func(*bolt.Bucket) error { return errBroken })
	if _, err := Open(path); !errors.Is(err, errBroken) {
		t.Fatalf("a broken step gave %v", err)
	}
	migrations = released
	must(Open(path))(t).Close() // still the old layout: the steps are one transaction

	migrations = append(released, twoSteps...)
	before := must(os.ReadFile(path))(t)
	v := must(View(path))(t)
	same(t, "viewed", v.Len(), 20)
	v.Close()
	same(t, "a view leaves the file alone", bytes.Equal(must(os.ReadFile(path))(t), before), true)

	r := must(Open(path))(t)
	same(t, "candidates", r.Len(), 20)
	if err := r.read(func(root *bolt.Bucket) error {
		same(t, "step 2", string(root.Get([]byte("step 2"))), "done")
		same(t, "version", root.Get(schemaKey), number(uint64(len(released)+3)))
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(r.Verify(), r.Close()); err != nil {
		t.Error(err)
	}

	migrations = released
	for _, open := range []func(string) (*Run, error){Open, View} {
		if _, err := open(path); !errors.Is(err, ErrNewer) {
			t.Errorf("a layout of two steps later: %v", err)
		}
	}
	kept := must(Open(fmt.Sprintf("%s.layout%d", path, len(released)+1)))(t)
	same(t, "kept copy", kept.Len(), 20)
	kept.Close()
}

// TestLayout1 opens a file as it was written before insights and portfolios.
func TestLayout1(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 5)
	if err := r.update(func(root *bolt.Bucket) error {
		return errors.Join(root.DeleteBucket(insights), root.DeleteBucket(portfolios), root.Put(schemaKey, number(1)))
	}); err != nil {
		t.Fatal(err)
	}
	path := r.path
	r.Close()
	v := must(View(path))(t)
	same(t, "insights of a view", len(must(v.Insights())(t)), 0)
	v.Close()
	r = must(Open(path))(t)
	defer r.Close()
	same(t, "candidates", r.Len(), 5)
	insight := kernels.Insight{Candidate: hash("id", 1), Genes: []kernels.GeneChange{{Gene: "stages", From: "1", To: "3"}},
		Outcome: kernels.OK,
		Gain:    kernels.Gain{Ratio: 1.2, Lo: 1.1, Hi: 1.3}, Shapes: []kernels.Gain{{Workload: "square", Ratio: 1.2, Lo: 1.1,
			Hi: 1.3}}, Cache: "hot"}
	portfolio := kernels.Portfolio{K: 2, Objective: kernels.Worst, Kernels: []kernels.ID{hash("id", 1), hash("id", 2)},
		Choices: []kernels.Choice{{Workload: "square", Kernel: 1, Time: 10, Single: 11}}}
	if err := errors.Join(r.PutInsight(insight), r.PutPortfolio(portfolio)); err != nil {
		t.Fatal(err)
	}
	same(t, "insights", must(r.Insights())(t), []kernels.Insight{insight})
	same(t, "portfolios", must(r.Portfolios())(t), []kernels.Portfolio{portfolio})
}

// layout3 is a run of layout 3.
func layout3(t *testing.T) []byte {
	t.Helper()
	packed := must(os.Open("testdata/layout3.db.gz"))(t)
	defer packed.Close()
	return must(io.ReadAll(must(gzip.NewReader(packed))(t)))(t)
}

// TestOldSnapshot restores a snapshot of an older layout.
func TestOldSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	write(t, path, nil)
	write(t, SnapshotPath(path), layout3(t))
	r := must(Open(path))(t)
	defer r.Close()
	checkKinds(t, r)
	same(t, "candidates", r.Len(), 8)
}

// TestLayout3 opens a file of a darwarp whose duels and baselines did not say what their names name: a search, a
// portfolio and explain on the cpu device. One of its baselines is the winner, measured again.
func TestLayout3(t *testing.T) {
	before := layout3(t)
	path := filepath.Join(t.TempDir(), "run.db")
	write(t, path, before)

	v := must(View(path))(t)
	checkKinds(t, v)
	v.Close()
	same(t, "a view leaves the file alone", bytes.Equal(must(os.ReadFile(path))(t), before), true)

	r := must(Open(path))(t)
	defer r.Close()
	checkKinds(t, r)
	same(t, "candidates", r.Len(), 8)
	same(t, "insights", len(must(r.Insights())(t)), 4)
	same(t, "portfolios", len(must(r.Portfolios())(t)), 1)
	same(t, "trials", len(must(r.Trials())(t)), 1)
	if err := r.Verify(); err != nil {
		t.Error(err)
	}
	kept := must(View(path + ".layout3"))(t)
	same(t, "candidates as they were", kept.Len(), 8)
	kept.Close()
}

// checkKinds holds every name against the candidates' IDs.
func checkKinds(t *testing.T, r *Run) {
	t.Helper()
	short := map[string]bool{}
	if err := r.Each(func(c kernels.Candidate) error {
		short[c.ID.Short()] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, d := range must(r.Duels())(t) {
		same(t, "champion "+d.Champion+" is a baseline", d.WithBaseline(), !short[d.Champion])
		if seen["duel"]++; d.WithBaseline() {
			seen["duel with a baseline"]++
		}
		if d.Verdict == "" || len(d.Rounds) < 2 || !short[d.Challenger] {
			t.Errorf("duel: %+v", d)
		}
	}
	for _, b := range must(r.Baselines())(t) {
		same(t, b.Name+" is a baseline", b.IsBaseline(), !short[b.Name])
		if seen["measurement"]++; b.IsBaseline() {
			seen["baseline"]++
		}
		if len(b.Times) == 0 || b.Provenance == "" {
			t.Errorf("measurement: %+v", b)
		}
	}
	same(t, "names", seen, map[string]int{"duel": 3, "duel with a baseline": 1, "measurement": 2, "baseline": 1})
}
