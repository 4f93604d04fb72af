package fleet

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

func readLine(path string) (string, error) {
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), err
}

// asked evaluates candidates from..to-1, all at once.
func asked(t *testing.T, f *Fleet, from, to int) []kernels.Result {
	t.Helper()
	all := make([]kernels.Result, to-from)
	var work sync.WaitGroup
	for i := range all {
		work.Go(func() {
			j := candidate(from + i)
			j.Bar = kernels.NewBar(map[string]float64{"w": 1000})
			r, err := f.Evaluate(t.Context(), j)
			if err != nil {
				t.Error(err)
			}
			all[i] = r
		})
	}
	work.Wait()
	return all
}

// bothBegin has each of two workers begin a candidate, but for the first, before the other finishes one.
func bothBegin(a, b *fake) {
	begins := func(mine, others chan struct{}) func(context.Context, *kernels.Job) {
		begun := sync.OnceFunc(func() { close(mine) })
		return func(ctx context.Context, j *kernels.Job) {
			if j.ID == candidate(1).ID {
				return
			}
			begun()
			select {
			case <-others:
			case <-ctx.Done():
			}
		}
	}
	byA, byB := make(chan struct{}), make(chan struct{})
	a.before, b.before = begins(byA, byB), begins(byB, byA)
}

// TestFleet: candidates go to all workers, each once; times of the slower one are what they are on the first.
func TestFleet(t *testing.T) {
	a, b := newFake("a"), newFake("b")
	b.slower = 1.25
	bothBegin(a, b)
	f, _ := open(t, a, b)
	if f.Slots() != 2*(2+1) || f.Device().Name != "fake GPU" || f.InOrder() {
		t.Errorf("%d slots, %+v", f.Slots(), f.Device())
	}
	r, err := f.Evaluate(t.Context(), candidate(1)) // the naive start
	if err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	first := r.Times[0].Median / 999 // the worker that judged it is what all are compared with
	all := asked(t, f, 2, 60)
	for i, r := range all {
		if r.Outcome != kernels.OK || math.Abs(r.Times[0].Median/(998-float64(i))/first-1) > 1e-9 {
			t.Errorf("candidate %d: %+v", i+2, r)
		}
	}
	if len(a.seen)+len(b.seen) != 59 || len(a.seen) == 0 || len(b.seen) == 0 {
		t.Errorf("%d and %d candidates", len(a.seen), len(b.seen))
	}
	for _, w := range []*fake{a, b} {
		until(t, "the bar of worker "+w.name, func() bool { // it hears of its ratio with the next hello
			asked(t, f, 60, 61)
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.bars) > 0 && math.Abs(w.bars[len(w.bars)-1]["w"]/(1000*w.slower/first)-1) < 1e-9
		})
	}
	if len(f.Provenances()) != 2 || f.Provenances()[0].Key() != r.Provenance {
		t.Errorf("%+v", f.Provenances())
	}
}

// TestTimedOnce: what is compared is timed once on each worker, beside the candidates: the naive start not at home,
// which has just judged it, and the winner of a duel once for all that want its times. Nobody begins a device anew for
// that, as for a final measurement.
func TestTimedOnce(t *testing.T) {
	all := []*fake{newFake("a"), newFake("b"), newFake("c"), newFake("d")}
	f, _ := open(t, all...)
	if r, err := f.Evaluate(t.Context(), candidate(1)); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	home := f.roster.ready()[0].name
	count := func(starts, wins int) (ok bool) {
		ok = true
		for _, w := range all {
			w.mu.Lock()
			defer w.mu.Unlock()
			want := starts + wins
			if w.name == home {
				want = wins
			}
			ok = ok && w.again == want && w.done == 0
		}
		return ok
	}
	if !count(1, 0) {
		t.Errorf("the naive start: %d %d %d %d times", all[0].again, all[1].again, all[2].again, all[3].again)
	}
	if d, err := f.Duel(t.Context(), candidate(1), candidate(2)); err != nil || d.Verdict != kernels.Faster {
		t.Fatalf("%+v, %v", d, err)
	}
	until(t, "the winner's times", func() bool { return count(1, 1) })
	w := newFake("e")
	(&ground{t: t, dir: f.cfg.Dir}).join(w)
	until(t, "one more worker", func() bool { return len(f.roster.ready()) == 5 })
	if w.mu.Lock(); w.again != 1 || !count(1, 1) {
		t.Errorf("a further worker times it %d times", w.again)
	}
	w.mu.Unlock()
}

// TestOvertakenWinner: while one winner is timed on all workers others may win; only the last of them is timed then.
func TestOvertakenWinner(t *testing.T) {
	all := []*fake{newFake("a"), newFake("b"), newFake("c")}
	f, _ := open(t, all...)
	if r, err := f.Evaluate(t.Context(), candidate(1)); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	f.comparing.Lock() // one is being timed
	for n := 2; n < 6; n++ {
		f.follow(f.newSheet(candidate(n), false))
	}
	f.comparing.Unlock()
	timed := func() (n int) {
		for _, w := range all {
			w.mu.Lock()
			n += w.again
			w.mu.Unlock()
		}
		return n
	}
	want := 2 + 3 // the naive start on two, one winner on all
	until(t, "the last one's times", func() bool { return timed() >= want })
	f.Close() // waits for the others, too
	if n := timed(); n != want {
		t.Errorf("timed %d times", n)
	}
}

// TestCapabilities: what home can do goes over the wire and back.
func TestCapabilities(t *testing.T) {
	f, _ := open(t, newFake("a"))
	can := f.Capabilities()
	d, err := f.Duel(t.Context(), candidate(1), candidate(2))
	if err != nil || d.Verdict != kernels.Faster || d.Provenance != f.Provenance().Key() {
		t.Errorf("%+v, %v", d, err)
	}
	tried, err := can.Trial(t.Context(), candidate(2), kernels.QuickTrial...)
	if err != nil || len(tried.Missing(kernels.QuickTrial)) > 0 || tried.ID != candidate(2).ID {
		t.Errorf("%+v, %v", tried, err)
	}
	if err := can.Control(t.Context(), candidate(2)); err != nil {
		t.Error(err)
	}
	p := can.Publisher
	for name, want := range map[string]string{"torch": "map[] <nil>", "cublas": "map[cublas:not found] <nil>"} {
		if missing, err := p.FindBaseline(t.Context(), name); fmt.Sprint(missing, err) != want {
			t.Error(name, missing, err)
		}
	}
	r, err := p.BaselineTimes(t.Context(), "torch")
	if about := p.About("torch", "w"); err != nil || len(r.Times) != 1 || about != "torch at w" {
		t.Errorf("%+v, %v, %q", r, err, about)
	}
	if r, err := p.Final(t.Context(), candidate(2)); err != nil || r.Times[0].Tier != "final" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, fight := range []func() (kernels.Duel, error){
		func() (kernels.Duel, error) { return p.Compare(t.Context(), "torch", candidate(3), "hot") },
		func() (kernels.Duel, error) { return p.Versus(t.Context(), candidate(1), candidate(3), "cold") },
	} {
		if d, err := fight(); err != nil || d.Verdict != kernels.Faster {
			t.Errorf("%+v, %v", d, err)
		}
	}
	_, err = can.Pace(t.Context(), candidate(1), candidate(2))
	if err == nil || !strings.Contains(err.Error(), "not paced") {
		t.Error(err)
	}
}

// TestDuplicates: machine code that another worker has seen is found, too.
func TestDuplicates(t *testing.T) {
	f, _ := open(t, newFake("a"), newFake("b"))
	f.Capabilities().Remember("source 7", candidate(6).ID)
	all := asked(t, f, 1, 9)
	for i, r := range all {
		if (r.Outcome == kernels.Duplicate) != (i+1 == 7) {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
}

// sent is a candidate as the worker gets it.
func sent(j *kernels.Job, problem *kernels.Problem, known *unpacker) (*kernels.Job, error) {
	p, err := (&packer{}).pack(j)
	if err != nil {
		return nil, err
	}
	r, err := decodeRequest(encodeRequest(nil, &request{Do: doDuel, Jobs: []*job{p, p}}))
	if err != nil || len(r.Jobs) != 2 {
		return nil, fmt.Errorf("%d jobs: %w", len(r.Jobs), err)
	}
	return known.unpack(r.Jobs[1], problem)
}

// TestPack: a candidate is on the worker what it is in the search.
func TestPack(t *testing.T) {
	j := candidate(5)
	j.Env["device"] = newFake("a").device
	j.Each, j.Likely, j.Foremost, j.Base = true, true, true, map[string]float64{"w": 3}
	got, err := sent(j, &kernels.Problem{}, &unpacker{})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Env) != fmt.Sprint(j.Env) || got.ID != j.ID || got.Variant.Label() != j.Variant.Label() ||
		got.Source != j.Source || !got.Each || !got.Likely || !got.Foremost || got.Base["w"] != 3 {
		t.Errorf("%+v\n%+v", got, j)
	}
	j.Env["half"] = 0.5
	if _, err := (&packer{}).pack(j); err == nil || !strings.Contains(err.Error(), "half") {
		t.Error(err)
	}
}

// TestPlans: a plan is compiled once for the names that it reads, and anew where one is of another kind.
func TestPlans(t *testing.T) {
	known := &unpacker{}
	problem := &kernels.Problem{DimNames: []string{"m"}}
	carried := func(env map[string]any) (*kernels.Job, error) {
		j := candidate(1)
		plan, err := kernels.CompilePlan("plan", kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "k",
			Grid: []string{"m"}, Block: []string{"n"}}}}, &kernels.Problem{}, expr.Scope{"m": 0, "n": 0})
		if err != nil {
			t.Fatal(err)
		}
		j.Plan = plan
		maps.Copy(j.Env, env)
		return sent(j, problem, known)
	}
	a, err := carried(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Env) != 2 { // the device, and what the plan reads
		t.Errorf("sent: %v", a.Env)
	}
	if call, err := a.Resolve(kernels.Dims{"m": 7}); err != nil || call.Launches[0].Grid[0] != 7 ||
		call.Launches[0].Block[0] != 1 {
		t.Errorf("%+v, %v", call, err)
	}
	b, err := carried(map[string]any{"n": 64})
	if err != nil || b.Plan != a.Plan {
		t.Errorf("compiled twice, %v", err)
	}
	if _, err := carried(map[string]any{"n": "word"}); err == nil {
		t.Error("a block of words")
	}
}

// TestAskers: of a worker's free slots only some wait at the server, and all get work when there is some.
func TestAskers(t *testing.T) {
	a := newFake("a")
	a.slots = 9
	var within, most atomic.Int32
	goOn := make(chan struct{})
	a.before = func(context.Context, *kernels.Job) {
		n := within.Add(1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		<-goOn
		time.Sleep(10 * time.Millisecond) // were there more slots, they would begin some
		within.Add(-1)
	}
	f, _ := open(t, a)
	queue, err := f.post.work.Consumer(t.Context(), anyQueue(f.post.session, f.kind()))
	if err != nil {
		t.Fatal(err)
	}
	waiting := func() int {
		info, err := queue.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.NumWaiting
	}
	until(t, "it asks", func() bool { return waiting() == 3 })
	var asking sync.WaitGroup
	asking.Go(func() { asked(t, f, 1, 60) })
	defer asking.Wait()
	full := sync.OnceFunc(func() { close(goOn) })
	defer full()
	until(t, "all slots have work", func() bool { return within.Load() >= 9 })
	full()
	asking.Wait()
	if n := most.Load(); n != 9 {
		t.Errorf("%d candidates at a time", n)
	}
	if n := waiting(); n > 3 {
		t.Errorf("%d ask", n)
	}
}

// TestThousands: a fleet has room for the queues of some thousand workers.
func TestThousands(t *testing.T) {
	f, _ := open(t, newFake("a"))
	for n := range 1200 {
		name := fmt.Sprint("worker", n)
		if err := f.post.open(t.Context(), toQueue(name, f.post.session), f.names.To(name)); err != nil {
			t.Fatalf("worker %d: %v", n, err)
		}
	}
}
