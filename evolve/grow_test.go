package evolve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/mutate"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// ringReply is a family whose toy time is in its source: a and b from 1 to 6 and a word.
func ringReply(word string, extra ...string) string {
	return "## thought\nA ring of " + word + ".\n## template\n```\nextern \"C\" __global__ void k(float* out) { " + word +
		"({{.a}}, {{.b}}); }\n```\n" +
		"## family\n```\nabout = \"ring of " + word + "\"\narch = \"sm_80\"\n" + strings.Join(extra, "\n") +
		"[[gene]]\nname = \"a\"\nvalues = [1, 2, 3, 4, 5, 6]\ndefault = 1\n[[gene]]\nname = \"b\"\n" +
		"values = [1, 2, 3, 4, 5, 6]\ndefault = 1\n" + kernelstest.Launch + "```\n"
}

// rings judges families: word(a, b) takes 60 + 10 |a-5| + 10 |b-2|, and what is broken does not work.
func rings(slots int, inOrder bool) *fake {
	f := newFake(slots, inOrder)
	f.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		if !kernels.Grown(job.Variant.Family) {
			return works(job), nil
		}
		if strings.Contains(job.Source, "broken") {
			return kernels.Result{Outcome: kernels.Wrong, Detail: "out[0] is 1: expected 2", Cost: kernels.Cost{Time: 1}}, nil
		}
		num := func(n string) float64 { v, _ := job.Variant.Genes[n].Any().(int); return float64(v) }
		v := 60 + 10*max(num("a")-5, 5-num("a")) + 10*max(num("b")-2, 2-num("b"))
		return kernels.Result{Outcome: kernels.OK, Code: job.ID.String(), Times: timesOf(v, 2*v),
			Cost: kernels.Cost{Time: 1}}, nil
	}
	f.duel = f.duelByVerdicts
	return f
}

// TestGrown: a family of a model is stored, its default is judged first, its genes are tuned to their optimum, and a
// run that is stopped at any verdict goes on with it.
func TestGrown(t *testing.T) {
	reply := func(n int, _ string, b llm.Brief, _ []kernels.Message) (string, error) {
		if !b.Templates {
			t.Error("a prompt does not offer templates")
		}
		return ringReply("splendid"), nil // from the second time on: refused
	}
	cfg := advised(t, &oracle{reply: reply}, 110)
	whole := &memory{}
	sum := mustRun(t, cfg, rings(2, true), whole)
	if sum.Variant.Family != "llm-1" || sum.Variant.Genes["a"] != kernels.Int(5) ||
		sum.Variant.Genes["b"] != kernels.Int(2) {
		t.Fatalf("the champion is %s", sum.Variant.Label())
	}
	if whole.files["llm-1.toml"] == nil || whole.files["llm-1.cu.tmpl"] == nil || whole.files["problem.toml"] == nil {
		t.Fatalf("the run has %d files", len(whole.files))
	}
	e := whole.exchanges[0]
	if e.Family != "llm-1" || len(e.Proposed) != 1 {
		t.Errorf("the exchange says %+v", e)
	}
	if n := len(whole.exchanges); n > 1 &&
		!strings.Contains(whole.exchanges[n-1].Refused, "it is the template of family llm-1") {
		t.Errorf("the same template again: %q", whole.exchanges[n-1].Refused)
	}
	ring := whole.of("llm-1")
	if ring[0].ID != e.Proposed[0] {
		t.Errorf("its first is %s", ring[0].Variant.Label())
	}
	holdTuned(t, ring)
	for _, cut := range []int{ring[0].Seq - 1, ring[0].Seq, ring[3].Seq} {
		for _, kill := range []bool{false, true} {
			m := stoppedOn(t, advised(t, &oracle{reply: reply}, 110), rings(2, true), cut, kill)
			again := mustRun(t, resumed(t, m, &oracle{reply: reply}, 110), rings(2, true), m)
			if again.Variant.Family != "llm-1" || again.Score != sum.Score || len(m.of("llm-1")) < 10 {
				t.Errorf("cut after %d, kill %v: %s of %g with %d of the family", cut, kill, again.Variant.Label(),
					again.Score, len(m.of("llm-1")))
			}
		}
	}
}

// of are the candidates of a family.
func (m *memory) of(family string) (all []kernels.Candidate) {
	for _, c := range m.candidates {
		if c.Variant.Family == family {
			all = append(all, c)
		}
	}
	return all
}

// holdTuned holds the candidates of a model's family against what becomes of one: its default first, by the model, then
// a sample, then mutations.
func holdTuned(t *testing.T, ring []kernels.Candidate) {
	t.Helper()
	if _, _, ok := kernels.SplitArm(ring[0].Origin.Operator); !ok || ring[0].Variant.Genes["a"] != kernels.Int(1) {
		t.Errorf("its first is %s by %s", ring[0].Variant.Label(), ring[0].Origin.Operator)
	}
	if ring[1].Origin.Operator != "spread" || !slices.ContainsFunc(ring, func(c kernels.Candidate) bool {
		return c.Origin.Operator == "mutate" &&
			slices.ContainsFunc(ring, func(p kernels.Candidate) bool { return p.ID == c.Origin.Parents[0] })
	}) {
		t.Error("its genes are not tuned")
	}
}

// resumed is the configuration of a later session: the families come from the run's files.
func resumed(t *testing.T, m *memory, o *oracle, evals int) Config {
	t.Helper()
	cfg := advised(t, o, evals)
	if m.files == nil {
		return cfg
	}
	var err error
	if cfg.Bundle, err = templates.FromFiles(m.files); err != nil {
		t.Fatal(err)
	}
	for _, f := range cfg.Bundle.Families {
		if kernels.Grown(f.Name) {
			space, err := kernels.NewSpace(f, cfg.Spaces[0].Device, kernels.FP32, nil)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Spaces = append(cfg.Spaces, space)
		}
	}
	return cfg
}

// TestGrownBroken: of a family whose default does not work nothing more is judged; why is told back, and what comes
// then is another family.
func TestGrownBroken(t *testing.T) {
	repaired := false
	o := &oracle{most: 12, reply: func(n int, operator string, b llm.Brief, _ []kernels.Message) (string, error) {
		if slices.ContainsFunc(b.Families, func(f *kernels.Family) bool { return strings.Contains(f.About, "broken") }) {
			t.Error("a family that does not work is offered")
		}
		if operator == llm.Repair && strings.Contains(b.Why, "its results are wrong") {
			repaired = true
			return ringReply("splendid"), nil
		}
		return ringReply(fmt.Sprint("broken", n)), nil
	}}
	m := &memory{}
	sum := mustRun(t, advised(t, o, 120), rings(2, true), m)
	judged := map[string]int{}
	for _, c := range m.candidates {
		judged[c.Variant.Family]++
	}
	if !repaired || judged["llm-1"] != 1 || sum.Variant.Family == "hills" {
		t.Errorf("repaired %v, judged %v, the champion is %s", repaired, judged, sum.Variant.Label())
	}
}

// TestGrownRefused: what is wrong with a template is told, and costs no verdict.
func TestGrownRefused(t *testing.T) {
	for name, test := range map[string]struct{ reply, want string }{
		"a wrong key":           {ringReply("x", `path = "/etc/passwd"`+"\n"), "unknown key"},
		"no kernel":             {strings.Replace(ringReply("x"), "__global__", "", 1), "is code of the host"},
		"another entry":         {strings.Replace(ringReply("x"), "void k(", "void j(", 1), `no function "k"`},
		"a template that loops": {strings.Replace(ringReply("x"), "x({{", "{{range 100000000}}{{end}}x({{", 1), "steps"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &oracle{most: 3, reply: func(int, string, llm.Brief, []kernels.Message) (string, error) {
				return test.reply, nil
			}}
			m := &memory{}
			mustRun(t, advised(t, o, 60), rings(2, true), m)
			if len(m.exchanges) == 0 || !strings.Contains(m.exchanges[0].Refused, test.want) || m.files != nil {
				t.Errorf("refused: %q, expected %q", m.exchanges[0].Refused, test.want)
			}
		})
	}
}

// TestGrownUnrendered: a family of which most points cannot be rendered, which the loop waits for, is left alone soon.
func TestGrownUnrendered(t *testing.T) {
	cfg := toyConfig(t, "hills")
	reply, err := llm.Parse(ringReply("splendid"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := cfg.Bundle.Draft(reply.Family, reply.Template, cfg.Spaces[0].Device, kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	d.Files[1] = []byte("{{if gt .a 1}}{{div 1 0}}{{end}}" + reply.Template) // the checks see a few points alone
	b, space, err := cfg.Bundle.Grow("llm-1", d)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := kernels.NewSpaceFromPoints(space.Family, space.Device, space.DType,
		[][]uint8{space.At(0), space.At(7)})
	if err != nil || newPointDeme(1, recorded, mutate.NewRecall(nil), nil).closed ||
		!newPointDeme(1, space, mutate.NewRecall(nil), nil).closed {
		t.Errorf("a recording is closed until its default works, or a space is not: %v", err)
	}
	cfg.Bundle, cfg.Spaces = b, append(cfg.Spaces, space)
	s := mustSearch(t, cfg, rings(2, true), &memory{})
	skips := 0
	if _, err := s.Run(context.Background(), func(e Event) {
		if e.Kind == KindSkip {
			skips++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if skips < mostBroken || skips > mostBroken+6 || !s.pop.demes[1].closed { // what is in flight may open it again
		t.Errorf("%d points were passed over", skips)
	}
}

// TestGrownMost: a run takes so many families and no more.
func TestGrownMost(t *testing.T) {
	var offered []bool
	o := &oracle{most: 40, reply: func(n int, _ string, b llm.Brief, _ []kernels.Message) (string, error) {
		offered = append(offered, b.Templates)
		return ringReply(fmt.Sprint("broken", n)), nil
	}}
	m := &memory{}
	cfg := toyConfig(t, "plain")
	cfg.Budget, cfg.Advisor = Budget{Evals: 60}, o
	mustRun(t, cfg, rings(1, true), m)
	families := 0
	for name := range m.files {
		if kernels.Grown(name) {
			families++
		}
	}
	if families != 2*mostGrown || !slices.Contains(offered, false) {
		t.Errorf("%d files of families, offered %v", families, offered)
	}
}
