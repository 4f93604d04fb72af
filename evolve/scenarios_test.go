package evolve

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"darwarp/eval/replay"
	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/store"
	"darwarp/templates"
)

// settled answers from a recording, with a provenance that is not of the day.
type settled struct{ *replay.Evaluator }

func (settled) Provenance() kernels.Provenance { return kernels.Provenance{Protocol: "toy"} }
func (e settled) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	r, err := e.Evaluator.Evaluate(ctx, job)
	r.Provenance = ""
	return r, err
}
func (e settled) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	d, err := e.Evaluator.Duel(ctx, champion, challenger)
	d.Provenance = ""
	return d, err
}

// recordedScenarios run on three recordings: one that is shipped, one of another tuner, and one of the toys.
func recordedScenarios(t *testing.T) (all []scenario) {
	t.Helper()
	shipped, err := replay.Shipped("gemm")
	if err != nil {
		t.Fatal(err)
	}
	other := openRecording(t, filepath.Join("..", "eval", "replay", "testdata", "kerneltuner.cache.json"))
	toys := toyRecording(t)
	on := func(name string, r *replay.Record, slots, evals int, change func(*Config)) scenario {
		return scenario{
			name: name,
			cfg: func(t *testing.T) Config {
				cfg := recordedConfig(t, r)
				cfg.Budget.Evals = evals
				change(&cfg)
				return cfg
			},
			ev: func(t *testing.T, cfg Config) Evaluator {
				ev, err := replay.New(r, cfg.Workloads, slots)
				if err != nil {
					t.Fatal(err)
				}
				return settled{ev.By(cfg.Objective)}
			},
		}
	}
	for _, strategy := range Strategies() {
		all = append(all,
			on("gemm "+strategy, shipped, 3, 60, func(c *Config) { c.Strategy = strategy }),
			on("toys "+strategy, toys, 2, 140, func(c *Config) { c.Strategy, c.Seed = strategy, 5 }))
	}
	all = append(all,
		on("axpy", other, 1, 0, func(c *Config) {}),
		on("toys by time", toys, 4, 0, func(c *Config) { c.Budget.For, c.Strategy = 40e9, "evolve" }),
		on("toys portfolio", toys, 2, 120, func(c *Config) { c.Portfolio, c.Strategy = 2, "evolve" }),
		on("toys worst", toys, 3, 100, func(c *Config) { c.Objective = kernels.Worst }))
	steered := on("toys steered", toys, 3, 150, func(c *Config) { c.Strategy = "evolve" })
	steered.at = commandsOfAll()
	cut := steered
	cut.name, cut.cut = "toys steered and resumed", 105
	cut.later = func(t *testing.T, _ *memory) Config { return cut.cfg(t) }
	return append(all, steered, cut)
}

// commandsOfAll are commands of every kind, some that are refused.
func commandsOfAll() map[int][]func(*memory) Command {
	do := func(c Command) func(*memory) Command { return func(*memory) Command { return c } }
	id := func(word string, seq int) func(*memory) Command {
		return func(m *memory) Command { return Command{Do: word, ID: m.candidates[seq-1].ID} }
	}
	leader := func(word string) func(*memory) Command {
		return func(m *memory) Command { return Command{Do: word, ID: m.leader().ID} }
	}
	inject := Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: genes(7, 5, "y")}}
	return map[int][]func(*memory) Command{
		3:  {do(Command{Do: "resume"}), do(Command{Do: "nonsense"})},
		20: {leader("pin"), do(inject)},
		25: {do(Command{Do: "pause"}), do(inject)},
		26: {do(Command{Do: "resume"})},
		30: {leader("pin"), id("pin", 1), id("pin", 13), id("pin", 6)},
		50: {id("kill", 4), id("kill", 4), id("unpin", 4), id("unpin", 1)},
		55: {leader("pin"), leader("kill"), leader("kill"), do(Command{Do: "pin", ID: kernels.ID{1}})},
		60: {do(Command{Do: "add", Evals: 10}), do(Command{Do: "add", For: 5})},
		80: {do(Command{Do: "weigh", Weights: map[string]float64{"small": 9}})},
		95: {do(Command{Do: "inject",
			Variant: &kernels.Variant{Family: "plain", Genes: kernels.Genome{"a": kernels.Int(4)}}})},
		90:  {leader("pin")},
		100: {id("kill", 30), leader("unpin")},
		140: {do(Command{Do: "stop"}), do(Command{Do: "pause"})},
	}
}

func openRecording(t *testing.T, path string) *replay.Record {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recordedConfig searches a recording as `bench search` does.
func recordedConfig(t *testing.T, r *replay.Record) Config {
	t.Helper()
	b, err := templates.FromFiles(r.Bundle())
	if err != nil {
		t.Fatal(err)
	}
	spaces, err := r.Spaces(b.Families)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Bundle: b, DType: r.DType, Workloads: r.Workloads, Spaces: spaces, Seed: 1, GenesOnly: true}
}

// toyRecording records both toy families: some of the points fail, and some have the machine code of others.
func toyRecording(t *testing.T) *replay.Record {
	t.Helper()
	cfg := toyConfig(t, "hills", "plain")
	dev := cfg.Spaces[0].Device
	dev.Kind, dev.Name = "cuda", "toy"
	r := &replay.Record{Format: replay.Format, About: "toys", Problem: "toy", DType: cfg.DType, Cache: "hot",
		Workloads: cfg.Workloads, Device: dev, Files: map[string]string{}}
	for name, text := range cfg.Bundle.Files {
		r.Files[name] = string(text)
	}
	for _, space := range cfg.Spaces {
		for i := range space.Len() {
			g := space.Genome(space.At(i))
			c := kernels.Candidate{Variant: kernels.Variant{Family: space.Family.Name, Genes: g}, Result: recordedToy(g, i)}
			if err := r.Add(space.Family, &c); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	r, err := replay.Open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func recordedToy(g kernels.Genome, i int) kernels.Result {
	small := toyTime(g)
	a, _ := g["a"].Any().(int)
	large := small + 150 + 12*math.Abs(float64(a)-2)
	res := kernels.Result{Outcome: kernels.OK, Code: fmt.Sprintf("code %g %g", small, large), Times: timesOf(small, large),
		Cost: kernels.Cost{Time: 0.5 + small/400}}
	for k := range res.Times {
		res.Times[k].Lo, res.Times[k].Hi = 0.995*res.Times[k].Median, 1.004*res.Times[k].Median
	}
	switch {
	case i%13 == 5:
		return kernels.Result{Outcome: kernels.Wrong, Code: fmt.Sprint("wrong ", i), Cost: kernels.Cost{Time: 0.3}}
	case i%17 == 11:
		return kernels.Result{Outcome: kernels.TimedOut, Cost: kernels.Cost{Time: 5}}
	}
	return res
}

// toyScenarios are what a recording does not hold: what is lost, an outage, a full disk, duplicates, hints, a
// resumption.
func toyScenarios() []scenario {
	toy := func(evals int, change func(*Config), families ...string) func(t *testing.T) Config {
		return func(t *testing.T) Config {
			cfg := toyConfig(t, families...)
			cfg.Budget.Evals, cfg.Strategy = evals, "evolve"
			change(&cfg)
			return cfg
		}
	}
	nothing := func(*Config) {}
	return []scenario{
		{name: "restarts", cfg: toy(330, nothing, "hills"), ev: answering(1, mixed)},
		{name: "resumed", cfg: toy(200, nothing, "hills", "plain"), ev: answering(4, mixed), cut: 130},
		{name: "resumed in an epoch", cfg: toy(400, nothing, "hills"), ev: answering(1, mixed), cut: 300},
		{name: "resumed after a duel", cfg: toy(50, nothing, "hills"), ev: answering(2, mixed), cut: 10, duel: true},
		{name: "default resumed", cfg: toy(70, func(c *Config) { c.Strategy = DefaultStrategy }, "plain", "hills"),
			ev: answering(3, mixed), cut: 41},
		{name: "hints", cfg: toy(60, withHints, "hills"), ev: answering(2, mixed), cut: 20},
		{name: "exhausted", cfg: toy(0, nothing, "plain"), ev: answering(2, mixed)},
		{name: "stalled", cfg: toy(0, func(c *Config) { c.Budget.Stall = 20 }, "hills"), ev: answering(1, mixed)},
		{name: "outage", cfg: toy(60, nothing, "hills"), ev: outages(20, 26)},
		{name: "outage for good", cfg: toy(60, nothing, "hills"), ev: outages(20, 0)},
		{name: "no naive start", cfg: toy(60, nothing, "hills"), ev: outages(0, 0)},
		{name: "full disk", cfg: toy(40, nothing, "hills"), ev: answering(2, mixed), keep: func(m *memory) keeper {
			return &faulty{memory: m, fail: func(op int) error {
				if op%10 > 7 {
					return store.ErrNoSpace
				}
				return nil
			}}
		}},
		{name: "broken disk", cfg: toy(40, nothing, "hills"), keep: func(m *memory) keeper {
			return &faulty{memory: m, fail: func(op int) error {
				if op > 15 {
					return errBroken
				}
				return nil
			}}
		}},
	}
}

func withHints(cfg *Config) {
	space := cfg.Spaces[0]
	for i := 0; i < space.Len(); i += 7 {
		g := space.Genome(space.At(i))
		cfg.Hints = append(cfg.Hints, Hint{space.Family.Name, g, toyTime(g)})
	}
}

// answering is the toy with verdicts of its own.
func answering(slots int, verdict func(job *kernels.Job, tries int) kernels.Result) func(*testing.T, Config) Evaluator {
	return func(*testing.T, Config) Evaluator {
		ev, tries := newFake(slots, true), map[kernels.ID]int{}
		ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
			ev.mu.Lock()
			defer ev.mu.Unlock()
			tries[job.ID]++
			return verdict(job, tries[job.ID]), nil
		}
		return clocked{ev}
	}
}

// mixed has every outcome: failures, duplicates of what was judged and of what was not, and what is lost once or
// always.
func mixed(job *kernels.Job, tries int) kernels.Result {
	g, r := job.Variant.Genes, works(job)
	a, _ := g["a"].Any().(int)
	b, _ := g["b"].Any().(int)
	switch {
	case isNaive(job) || job.Variant.Family == "plain" && a != 3:
		return r
	case a == 3 && b%4 == 3:
		return kernels.Result{Outcome: kernels.Lost, Detail: "worker killed"}
	case a == 4 && b%2 == 1 && tries == 1:
		return kernels.Result{Outcome: kernels.Lost, Detail: "worker killed\nonce"}
	case a == 2 && b == 5:
		return kernels.Result{Outcome: kernels.CompileFailed, Detail: "no\x1b[31m", Cost: kernels.Cost{Compile: 2}}
	case a == 7 && g["c"].String() == "y":
		return kernels.Result{Outcome: kernels.Suspect, Code: "s:" + job.ID.String()}
	case b == 8:
		return kernels.Result{Outcome: kernels.Duplicate, Code: "elsewhere"}
	}
	r.Code = fmt.Sprintf("code of a=%d", a)
	if b%2 == 1 {
		r.Code = "code " + job.Variant.Label()
	}
	return r
}

// outages is the toy whose verdicts are lost from one call to another; 0 is for ever.
func outages(from, until int) func(*testing.T, Config) Evaluator {
	return func(*testing.T, Config) Evaluator {
		ev, b := newFake(1, true), &breakdown{from: from, until: until}
		ev.answer = b.answer
		return clocked{ev}
	}
}

// advisedScenarios have a model that answers at once.
func advisedScenarios() []scenario {
	with := func(strategy string, genesOnly bool, evals int,
		reply func(n int, operator string) string) func(*testing.T) Config {
		return func(t *testing.T) Config {
			o := &oracle{most: 25, reply: func(n int, operator string, b llm.Brief, _ []kernels.Message) (string, error) {
				if n == 4 {
					return "", errBroken
				}
				return reply(n, operator), nil
			}}
			cfg := advised(t, o, evals)
			cfg.Strategy, cfg.GenesOnly = strategy, genesOnly
			return cfg
		}
	}
	mixture := func(n int, operator string) string {
		switch n % 6 {
		case 0:
			return ownReply(fmt.Sprint("mistaken", n))
		case 1:
			return ringReply("splendid" + fmt.Sprint(n/6))
		case 2:
			return ringReply("broken" + fmt.Sprint(n))
		case 3:
			return fmt.Sprintf("## thought\nTry it.\n## genes\n```\n{\"family\": \"hills\", \"genes\": {\"a\": %d, \"b\": "+
				"4}}\n```", 1+n%8)
		case 4:
			return "{ nothing that can be read }"
		}
		return ownReply("splendid")
	}
	only := func(n int, _ string) string {
		return fmt.Sprintf("## genes\n```\n{\"family\": \"hills\", \"genes\": {\"a\": %d, \"b\": %d}}\n```", 1+n%8, 1+n/3%8)
	}
	resumedAs := func(reply func(*testing.T) Config) func(*testing.T, *memory) Config {
		return func(t *testing.T, m *memory) Config {
			cfg := reply(t)
			again := resumed(t, m, cfg.Advisor.(*oracle), cfg.Budget.Evals)
			again.Strategy = cfg.Strategy
			return again
		}
	}
	all := with("evolve", false, 150, mixture)
	paid := with(DefaultStrategy, false, 60, mixture)
	return []scenario{
		{name: "advised", cfg: all, ev: advisedToy},
		{name: "advised and resumed", cfg: all, ev: advisedToy, cut: 64, later: resumedAs(all)},
		{name: "advised by default", cfg: paid, ev: advisedToy},
		{name: "advised genes", cfg: with("evolve", true, 90, only)},
		{name: "advised with findings", cfg: all, ev: advisedToy, keep: func(m *memory) keeper {
			return &explaining{memory: m}
		}, cut: 70, later: resumedAs(all)},
		{name: "best of n", cfg: with(BestOfN, false, 20, mixture), ev: advisedToy},
	}
}

// explaining is a store whose leader was explained.
type explaining struct{ *memory }

func (e *explaining) Insights() ([]kernels.Insight, error) {
	if len(e.candidates) == 0 {
		return nil, nil
	}
	i := kernels.Insight{Candidate: e.leader().ID, Genes: []kernels.GeneChange{{Gene: "a", From: "1", To: "6"}},
		Gain: kernels.Gain{Ratio: 1.4, Lo: 1.3, Hi: 1.5}}
	j := i
	j.Gain.Ratio = 1.45
	return []kernels.Insight{i, j}, nil
}

// advisedToy judges points, own sources and families of models.
func advisedToy(_ *testing.T, _ Config) Evaluator {
	f, own := rings(2, true), judges(map[string]kernels.Result{"splendid": ok(95)})
	family := f.answer
	f.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		if job.Variant.Family == "" {
			return own(ctx, job)
		}
		return family(ctx, job)
	}
	return clocked{f}
}
