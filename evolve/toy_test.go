package evolve

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/store"
	"darwarp/templates"
)

// TestMain makes the test binary its own worker, as darwarp is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		if file := os.Getenv("DARWARP_TEST_WORKER"); file != "" { // see .ci/run
			_ = syscall.Exec(file, os.Args, os.Environ())
		}
		os.Exit(eval.WorkerMain(os.Args[2], os.Args[3:]))
	}
	goleak.VerifyTestMain(m)
}

//go:embed testdata/toy.toml
var toyFamily string

// plainFamily has two genes, one of which its template does not use.
//
//go:embed testdata/plain.toml
var plainFamily string

func toyBundle(t testing.TB) *templates.Bundle {
	t.Helper()
	b, err := templates.FromFiles(map[string][]byte{
		"problem.toml": []byte(kernelstest.Toy), "reference.cu": []byte("// none\n"),
		"hills.toml": []byte(toyFamily), "hills.cu.tmpl": []byte("// hills {{.a}} {{.b}} {{.c}} {{.d}} {{.e}}\n"),
		"plain.toml": []byte(plainFamily), "plain.cu.tmpl": []byte("// plain {{.a}}\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// toyConfig searches the named families.
func toyConfig(t testing.TB, families ...string) Config {
	t.Helper()
	b := toyBundle(t)
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Bundle: b, DType: kernels.FP32, Workloads: b.Problem.Workloads, Seed: 1, Budget: Budget{Evals: 100}}
	for _, name := range families {
		f, err := b.Family(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := kernels.NewSpace(f, dev, kernels.FP32, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Spaces = append(cfg.Spaces, s)
	}
	return cfg
}

// toyTime is a landscape with a planted optimum, time 100: a=6 b=5 c=z d=3 e=true. Genes interact, and
// a ridge leads to a lesser optimum.
func toyTime(g kernels.Genome) float64 {
	num := func(n string) float64 { v, _ := g[n].Any().(int); return float64(v) }
	v := 100 + 20*math.Abs(num("a")-6) + 15*math.Abs(num("b")-5)
	switch g["c"].String() {
	case "z":
		v += 25 * math.Abs(num("d")-3)
	case "x":
		v += 60
	case "y":
		v += 45
	}
	if g["e"].String() != "true" {
		v += 10 * math.Abs(num("a")-num("b"))
	}
	return v
}

const planted = 100

// fake is an evaluator in memory. answer may be replaced by a test.
type fake struct {
	slots   int
	inOrder bool
	answer  func(ctx context.Context, job *kernels.Job) (kernels.Result, error)
	duel    func(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error)

	mu    sync.Mutex
	jobs  []kernels.Job
	duels int
}

func newFake(slots int, inOrder bool) *fake { return &fake{slots: slots, inOrder: inOrder} }

func (f *fake) Device() kernels.Device         { return kernels.Device{Kind: "replay", Name: "toy"} }
func (f *fake) Slots() int                     { return f.slots }
func (f *fake) InOrder() bool                  { return f.inOrder }
func (f *fake) Provenance() kernels.Provenance { return kernels.Provenance{Protocol: "toy"} }

func (f *fake) Capabilities() kernels.Capabilities { return kernels.Capabilities{} }

func (f *fake) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	f.mu.Lock()
	f.jobs = append(f.jobs, *job)
	f.mu.Unlock()
	if f.answer != nil {
		return f.answer(ctx, job)
	}
	if f.inOrder && f.slots > 1 { // answers come back in another order than they were asked for
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
	}
	return works(job), nil
}

func works(job *kernels.Job) kernels.Result {
	v := toyTime(job.Variant.Genes)
	return kernels.Result{Outcome: kernels.OK, Code: job.ID.String(), Times: timesOf(v, 2*v), Cost: kernels.Cost{Time: 1}}
}

func timesOf(small, large float64) []kernels.Timing {
	return []kernels.Timing{
		{Workload: "small", Median: small, Lo: small, Hi: small},
		{Workload: "large", Median: large, Lo: large, Hi: large},
	}
}

func (f *fake) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	f.mu.Lock()
	f.duels++
	f.mu.Unlock()
	if len(champion.Bar.Times()) == 0 || len(challenger.Bar.Times()) == 0 {
		return kernels.Duel{}, errors.New("a side that never ends is waited for as long as one that nobody knows")
	}
	if f.duel != nil {
		return f.duel(ctx, champion, challenger)
	}
	ratio := toyTime(challenger.Variant.Genes) / toyTime(champion.Variant.Genes)
	return duelOf(ratio), nil
}

// duelOf is a duel that the ratio of two times decides.
func duelOf(ratio float64) kernels.Duel {
	d := kernels.Duel{Ratio: ratio, Lo: ratio, Hi: ratio, Verdict: kernels.Slower}
	if ratio < 1 {
		d.Verdict = kernels.Faster
	}
	return d
}

// duelByVerdicts holds the times of two verdicts against each other.
func (f *fake) duelByVerdicts(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	old, _ := f.answer(ctx, champion)
	young, _ := f.answer(ctx, challenger)
	return duelOf(young.Times[0].Median / old.Times[0].Median), nil
}

// memory is a store in memory that can run out of space.
type memory struct {
	candidates []kernels.Candidate
	checkpoint []byte
	duels      []kernels.Duel
	champions  []kernels.ID
	trials     []kernels.Trial
	exchanges  []kernels.Exchange
	insights   []kernels.Insight
	files      map[string][]byte // once a family was added
	full       func(op string) error
	puts       int // transactions with candidates
}

func (m *memory) check(op string) error {
	if m.full == nil {
		return nil
	}
	return m.full(op)
}

func (m *memory) PutAll(all []*kernels.Candidate, checkpoint []byte) error {
	if err := m.check("put"); err != nil {
		return err
	}
	m.puts++
	for _, c := range all {
		for _, old := range m.candidates {
			if old.ID == c.ID {
				return fmt.Errorf("candidate %s is there already", c.ID.Short())
			}
		}
		c.Seq = len(m.candidates) + 1
		m.candidates, m.checkpoint = append(m.candidates, *c), checkpoint
	}
	return nil
}

func (m *memory) PutCheckpoint(state []byte) error {
	m.checkpoint = state
	return m.check("checkpoint")
}
func (m *memory) Checkpoint() ([]byte, error) { return m.checkpoint, nil }
func (m *memory) Each(fn func(kernels.Candidate) error) error {
	for _, c := range m.candidates {
		if err := fn(c); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) PutProvenance(p kernels.Provenance) (string, error) { return p.Key(), nil }
func (m *memory) PutDuel(d kernels.Duel) error {
	if err := m.check("duel"); err != nil {
		return err
	}
	m.duels = append(m.duels, d)
	return nil
}
func (m *memory) Weigh(_ []kernels.Workload, score func(*kernels.Candidate) float64, checkpoint []byte) error {
	m.checkpoint = checkpoint
	for i := range m.candidates {
		if c := &m.candidates[i]; c.Result.Outcome == kernels.OK {
			c.Score = score(c)
		}
	}
	return nil
}
func (m *memory) Grow(files map[string][]byte, checkpoint []byte) error {
	m.files, m.checkpoint = files, checkpoint
	return m.check("grow")
}
func (m *memory) PutExchange(e kernels.Exchange) error {
	m.exchanges = append(m.exchanges, e)
	return m.check("exchange")
}
func (m *memory) Exchanges() ([]kernels.Exchange, error) { return m.exchanges, nil }
func (m *memory) Insights() ([]kernels.Insight, error)   { return m.insights, nil }
func (m *memory) Duels() ([]kernels.Duel, error)         { return m.duels, nil }
func (m *memory) SetChampion(id kernels.ID, _ string) error {
	if err := m.check("champion"); err != nil {
		return err
	}
	m.champions = append(m.champions, id)
	return nil
}
func (m *memory) Champion() (kernels.ID, bool) {
	if len(m.champions) == 0 {
		return kernels.ID{}, false
	}
	return m.champions[len(m.champions)-1], true
}

func (m *memory) Champions() (all []store.Champion, err error) {
	for _, id := range m.champions {
		all = append(all, store.Champion{ID: id})
	}
	return all, nil
}
func (m *memory) PutTrial(t kernels.Trial) error {
	m.trials = append(slices.DeleteFunc(m.trials, func(o kernels.Trial) bool { return o.ID == t.ID }), t)
	return m.check("trial")
}
func (m *memory) Trials() ([]kernels.Trial, error) { return m.trials, nil }
func (m *memory) Fell(t kernels.Trial, successor kernels.ID, _ string, checkpoint []byte) (kernels.Candidate, error) {
	if err := m.PutTrial(t); err != nil {
		return kernels.Candidate{}, err
	}
	m.checkpoint = checkpoint
	if !successor.IsZero() {
		m.champions = append(m.champions, successor)
	}
	at := slices.IndexFunc(m.candidates, func(c kernels.Candidate) bool { return c.ID == t.ID })
	t.Degrade(&m.candidates[at])
	return m.candidates[at], nil
}

func (m *memory) clone() *memory {
	return &memory{trials: slices.Clone(m.trials), candidates: slices.Clone(m.candidates),
		checkpoint: slices.Clone(m.checkpoint), duels: slices.Clone(m.duels), champions: slices.Clone(m.champions),
		exchanges: slices.Clone(m.exchanges), insights: m.insights, files: m.files}
}

// story is what a run stored, without times of day.
func (m *memory) story() []string {
	var out []string
	for _, c := range m.candidates {
		out = append(out, fmt.Sprintf("%s %s %s gen %d %q %.4f", c.ID.Short(), c.Variant.Label(), c.Origin.Operator,
			c.Origin.Generation, c.Origin.Note, c.Score))
	}
	return out
}

func mustSearch(t testing.TB, cfg Config, ev Evaluator, keep keeper) *Search {
	t.Helper()
	s, err := newSearch(cfg, ev, keep)
	if err != nil {
		t.Fatal(err)
	}
	s.journal.retry, s.outage.pauses = time.Millisecond, []time.Duration{time.Millisecond, time.Millisecond}
	return s
}

// mustRun runs a search whose time is virtual (testing/synctest): it passes where everybody waits, so that nobody comes
// late on a busy machine.
func mustRun(t *testing.T, cfg Config, ev Evaluator, keep keeper) (sum Summary) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { sum = runNow(t, cfg, ev, keep) })
	return sum
}

// runNow is mustRun in the time that there is.
func runNow(t *testing.T, cfg Config, ev Evaluator, keep keeper) Summary {
	t.Helper()
	sum, err := mustSearch(t, cfg, ev, keep).Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// collector gathers events by kind.
type collector struct {
	all []Event
}

func (c *collector) emit(e Event) { c.all = append(c.all, e) }
func (c *collector) of(k Kind) (out []Event) {
	for _, e := range c.all {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

func (c *collector) kinds() []Kind {
	set := map[Kind]bool{}
	for _, e := range c.all {
		set[e.Kind] = true
	}
	return slices.Sorted(maps.Keys(set))
}

var errBroken = errors.New("broken")
