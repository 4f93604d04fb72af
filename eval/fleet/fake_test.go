package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
	"darwarp/kernels/expr"
)

func TestMain(m *testing.M) {
	helloEvery, silence, firstPause = 200*time.Millisecond, 2*time.Second, 300*time.Millisecond
	if role := os.Getenv(roleEnv); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, role, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is a worker's device in memory: candidate n takes (1000 - n) * slower ns, or as long as it is far from best.
type fake struct {
	name    string
	slots   int
	slower  float64
	best    int // 0: the last
	device  kernels.Device
	before  func(ctx context.Context, j *kernels.Job) // an evaluation
	trying  func(ctx context.Context)                 // a trial
	fails   func() (kernels.Result, error)            // what an evaluation comes to; nil: it does not
	started time.Time                                 // as its clock says; zero: now
	fakeModes
	counts
}

// fakeModes are what a fake does in the midst of a test.
type fakeModes struct {
	lies atomic.Bool // that a challenger takes a tenth of its time
	once atomic.Bool // it lies in verdicts, and does not repeat it
	busy atomic.Bool // with other work: all takes twice as long
}

// counts are what a fake was asked.
type counts struct {
	mu    sync.Mutex // guards what follows
	seen  map[kernels.ID]int
	bars  []map[string]float64
	here  int // candidates that it compiled itself
	done  int // final measurements
	again int // times for comparison
}

// verdictTier is the tier of an evaluation's times.
const verdictTier = "fitness"

type madeKey struct{}

// compiled is what a candidate is run as: "made source 7", or nothing where the fake compiles it itself.
func (f *fake) compiled(ctx context.Context, j *kernels.Job) (n int, code string) {
	made, _ := ctx.Value(madeKey{}).([]byte)
	if len(made) == 0 {
		f.here++
		return int(j.ID[0]), codeOf(j.Source)
	}
	if _, err := fmt.Sscanf(string(made), `"made source %d"`, &n); err != nil {
		return -1, "another"
	}
	return n, fmt.Sprint("source ", n)
}

func newFake(name string) *fake {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		panic(err)
	}
	dev.Name, dev.UUID, dev.MemoryBytes, dev.Toolchain = "fake GPU", name, 80<<30, "NVRTC 13.0"
	return &fake{name: name, slots: 2, slower: 1, device: dev, counts: counts{seen: map[kernels.ID]int{}}}
}

func (f *fake) Slots() int { return f.slots }

func (f *fake) Provenance() kernels.Provenance {
	started := f.started
	if started.IsZero() {
		started = time.Now().UTC().Truncate(24 * time.Hour)
	}
	return kernels.Provenance{Device: f.device, Protocol: "fake", Version: "v1", Host: f.name, Started: started}
}

func (f *fake) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{Publisher: fakePublisher{f}, Trial: f.trial, Control: f.control, Time: f.time,
		Code: func(_ context.Context, j *kernels.Job) (string, error) { return codeOf(j.Source), nil }}
}

func (f *fake) times(j *kernels.Job, tier string) []kernels.Timing {
	ns := (1000 - float64(j.ID[0])) * f.slower
	if f.best > 0 {
		ns = (500 + math.Abs(float64(j.ID[0])-float64(f.best))) * f.slower
	}
	if f.lies.Load() && j.ID[0] >= 50 && j.ID[0] < 200 && (tier == verdictTier || !f.once.Load()) {
		ns /= 10
	}
	if f.busy.Load() {
		ns *= 2
	}
	return []kernels.Timing{{Workload: "w", Median: ns, Lo: ns * 0.99, Hi: ns * 1.01, Samples: 9, Cache: "hot",
		Tier: tier}}
}

func (f *fake) Evaluate(ctx context.Context, j *kernels.Job) (kernels.Result, error) {
	if f.before != nil {
		f.before(ctx, j)
	}
	if ctx.Err() != nil {
		return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
	}
	if f.fails != nil {
		return f.fails()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[j.ID]++
	f.bars = append(f.bars, j.Bar.Times())
	n, code := f.compiled(ctx, j)
	if n < 0 {
		return kernels.Result{Outcome: kernels.Crashed, Detail: "does not load", Code: code}, nil
	}
	return kernels.Result{Outcome: kernels.OK, Times: f.times(&kernels.Job{ID: kernels.ID{byte(n)}}, verdictTier),
		Code: code}, nil
}

func (f *fake) Duel(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	a, b := f.times(champion, "")[0].Median, f.times(challenger, "")[0].Median
	d := kernels.Duel{Champion: champion.ID.Short(), Challenger: challenger.ID.Short(), Ratio: b / a, Lo: b / a, Hi: b / a,
		Verdict: kernels.Slower, Rounds: []kernels.DuelRound{{Workload: "w", Cache: "hot", Pairs: 9, Champion: a,
			Challenger: b, Ratio: b / a, Lo: b / a, Hi: b / a}}}
	if b < a {
		d.Verdict = kernels.Faster
	}
	return d, nil
}

func (f *fake) trial(ctx context.Context, j *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	if f.trying != nil {
		f.trying(ctx)
	}
	t := kernels.Trial{ID: j.ID}
	for _, p := range parts {
		t.Enter(kernels.Doubt{Part: p, Verdict: kernels.Passed})
	}
	return t, nil
}

func (f *fake) time(_ context.Context, j *kernels.Job, brief bool) ([]kernels.Timing, error) {
	f.mu.Lock()
	f.again++
	f.mu.Unlock()
	tier := "final"
	if brief {
		tier = "screen"
	}
	return f.times(j, tier), nil
}

func (f *fake) control(context.Context, *kernels.Job) error { return nil }

type fakePublisher struct{ *fake }

func (f fakePublisher) Final(_ context.Context, j *kernels.Job) (kernels.Result, error) {
	f.mu.Lock()
	f.done++
	f.mu.Unlock()
	r := kernels.Result{Outcome: kernels.OK, Times: f.times(j, "final")}
	return r, nil
}

func (f fakePublisher) FindBaseline(_ context.Context, name string) (map[string]string, error) {
	if name != "torch" {
		return map[string]string{name: "not found"}, nil
	}
	return nil, nil
}

func (f fakePublisher) BaselineTimes(_ context.Context, name string) (kernels.BaselineResult, error) {
	return kernels.BaselineResult{Name: name, Times: f.times(&kernels.Job{}, "final")}, nil
}

func (f fakePublisher) About(name, workload string) string { return name + " at " + workload }

func (f fakePublisher) Compare(ctx context.Context, _ string, j *kernels.Job, _ string) (kernels.Duel, error) {
	return f.Duel(ctx, &kernels.Job{}, j)
}

func (f fakePublisher) Versus(ctx context.Context, a, b *kernels.Job, _ string) (kernels.Duel, error) {
	return f.Duel(ctx, a, b)
}

// candidate is the n-th.
func candidate(n int) *kernels.Job {
	j := &kernels.Job{Source: sourceOf(n), Variant: kernels.Variant{Family: "f",
		Genes: kernels.Genome{"n": kernels.Int(n)}}, Env: expr.Env{"n": n, "wide": true, "elem": 2}}
	j.ID[0], j.ID[1], j.ID[2] = byte(n), byte(n>>8), 1
	return j
}

// ground is a fleet that tests open, and what it said.
type ground struct {
	t      *testing.T
	dir    string
	access broker.Access // to an outside server

	outside bool // there is one

	device kernels.Device // of a run that goes on
	unlike func(*Fleet)
	task   string // empty: task

	mu   sync.Mutex
	said []string
}

func (g *ground) say(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = append(g.said, fmt.Sprintf(format, args...))
}

// open opens a fleet with workers; join is how a further one joins.
func open(t *testing.T, workers ...*fake) (f *Fleet, g *ground) {
	t.Helper()
	g = &ground{t: t, dir: filepath.Join(t.TempDir(), "fleet")}
	return g.open("127.0.0.1:0", workers...), g
}

// open waits until all workers are ready.
func (g *ground) open(listen string, workers ...*fake) *Fleet {
	g.t.Helper()
	done := make(chan *Fleet)
	go func() {
		f, err := Open(g.t.Context(), Config{Listen: listen, Access: g.access, Dir: g.dir,
			Task: []byte(cmp.Or(g.task, "task")), Version: "v1", Cache: "hot", Say: g.say,
			AckWait: time.Second, Device: g.device, Unlike: g.unlike})
		if err != nil {
			g.t.Error(err)
		}
		done <- f
	}()
	for _, w := range workers {
		g.join(w)
	}
	f := <-done
	if f == nil {
		g.t.FailNow()
	}
	g.t.Cleanup(func() { f.Close() })
	until(g.t, "all workers", func() bool { return len(f.roster.ready()) >= len(workers) })
	return f
}

// join has a worker join from another goroutine; its error comes through the channel.
func (g *ground) join(w *fake) (ended chan error, stop context.CancelFunc) {
	g.t.Helper()
	ended = make(chan error, 1)
	ctx, stop := context.WithCancel(g.t.Context())
	cfg := g.config(w)
	go func() { ended <- Join(ctx, cfg) }()
	return ended, stop
}

func (g *ground) config(w *fake) JoinConfig {
	g.t.Helper()
	var cfg JoinConfig
	until(g.t, "the address", func() (ok bool) {
		var err error
		cfg, err = g.joinConfig(w)
		return err == nil
	})
	return cfg
}

// joinConfig fails as long as the search has no address.
func (g *ground) joinConfig(w *fake) (JoinConfig, error) {
	url, err := readLine(filepath.Join(g.dir, broker.AddressFile))
	if err == nil && url == "" {
		err = os.ErrNotExist
	}
	if err != nil {
		return JoinConfig{}, err
	}
	by := g.access
	if !g.outside {
		by.TokenFile = filepath.Join(g.dir, broker.TokenFile)
	}
	return JoinConfig{URL: url, Access: by, Name: w.name, Version: "v1", Say: func(string, ...any) {},
		Open: func(_ context.Context, task []byte) (*Station, error) {
			if want := cmp.Or(g.task, "task"); string(task) != want {
				return nil, fmt.Errorf("the task is %q", task)
			}
			return &Station{Evaluator: w, Problem: &kernels.Problem{}, Close: func() error { return nil },
				Compiled: func(ctx context.Context, made []byte) context.Context { return context.WithValue(ctx, madeKey{}, made) },
			}, nil
		}}, err
}

// received is what comes through a channel, without which a test would wait for as long as all tests may take.
func received[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: not after two minutes", what)
		panic("not reached")
	}
}

// until waits for what other goroutines bring about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after 30 s", what)
		}
	}
}
