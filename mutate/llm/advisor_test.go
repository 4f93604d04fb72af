package llm

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/kernels/expr"
	"darwarp/kernels/kernelstest"
)

const goodReply = "## thought\nTwice the threads.\n## genes\n```json\n{\"family\": \"plain\", \"genes\": " +
	"{\"block\": 128}}\n```\n"

func TestAsk(t *testing.T) {
	s := newScript(t, says(goodReply))
	a := advisor(t, endpoint(t, s.URL, 10*time.Second), Limits{USD: 1}, "m")
	got := ask(a, t, "llm:m:mutate")
	e := got.Exchange
	if !got.Asked || got.Reply == nil || len(got.Reply.Points) != 1 || e.Reply != goodReply || e.Arm != "llm:m:mutate" ||
		len(e.Asked) != 2 {
		t.Fatalf("%+v", got)
	}
	if want := (1000*1 + 100*10) / 1e6; !e.Priced || e.USD != want || a.Account.Spent().USD != want {
		t.Errorf("it cost %g, the account says %+v: expected %g", e.USD, a.Account.Spent(), want)
	}
	b := sample(t)
	b.Why = "it does not compile"
	again := a.Ask(context.Background(), "llm:m:repair", b,
		append(e.Asked, kernels.Message{Role: "assistant", Text: e.Reply}))
	if n := len(again.Exchange.Asked); n != 4 || !strings.Contains(again.Exchange.Asked[3].Text, "it does not compile") {
		t.Errorf("a repair says %+v", again.Exchange.Asked)
	}
	for _, m := range again.Exchange.Asked {
		if strings.Contains(m.Text, secret) {
			t.Error("the key is in a prompt")
		}
	}
}

func TestAskFailures(t *testing.T) {
	tests := []struct {
		name    string
		step    http.HandlerFunc
		refused string
		failed  string
		usd     bool // something is entered
	}{
		{"prose", says("I would rather talk."), "no proposal", "", true},
		{"500", fails(500), "", "500", false},
		{"cut off", cutOff, "", "cut off", true},
		{"ten megabytes", tenMegabytes, "", "more than", true},
		{"long prose", says(strings.Repeat("word ", maxReply/5+1)), "at most", "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newScript(t, test.step)
			a := advisor(t, endpoint(t, s.URL, 10*time.Second), Limits{}, "m")
			got := ask(a, t, "llm:m:init")
			e := got.Exchange
			if got.Reply != nil || !strings.Contains(e.Refused, test.refused) || !strings.Contains(e.Failed, test.failed) ||
				(test.refused == "") != (e.Refused == "") {
				t.Errorf("%+v", e)
			}
			if spent := a.Account.Spent(); spent.Calls != 1 || (spent.USD > 0) != test.usd {
				t.Errorf("the account says %+v", spent)
			}
			if strings.Contains(e.Failed+e.Reply, secret) {
				t.Error("the key is in what is stored")
			}
		})
	}
}

// TestMoney asks from many goroutines at once: no limit is passed by what is in flight.
func TestMoney(t *testing.T) {
	for _, l := range []Limits{{Calls: 5}, {USD: 1}, {Tokens: 150_000}} {
		s := newScript(t, says(goodReply))
		a := advisor(t, endpoint(t, s.URL, 10*time.Second), l, "m")
		var all sync.WaitGroup
		for range 30 {
			all.Go(func() { ask(a, t, "llm:m:init") })
		}
		all.Wait()
		spent := a.Account.Spent()
		if l.Calls > 0 && (spent.Calls != 5 || s.requests() != 5) {
			t.Errorf("limit %s: %+v, %d requests", l, spent, s.requests())
		}
		if l.USD > 0 && spent.USD > l.USD || l.Tokens > 0 && spent.In+spent.Out > l.Tokens || spent.Calls == 0 {
			t.Errorf("limit %s: %+v", l, spent)
		}
		if a.Account.held != (Spending{}) {
			t.Errorf("limit %s: %+v is still reserved", l, a.Account.held)
		}
	}
	a := advisor(t, NewRecorded(nil), Limits{USD: 1e-9}, "m")
	if got := ask(a, t, "llm:m:init"); got.Asked || got.Exchange.Failed != ErrSpent.Error() {
		t.Errorf("beyond the limit: %+v", got.Exchange)
	}
}

func TestFallback(t *testing.T) {
	s := newScript(t, fails(404))
	a := advisor(t, endpoint(t, s.URL, 10*time.Second), Limits{}, "gone:7b", "here")
	ask(a, t, "llm:gone:7b:init")
	for _, arm := range a.Arms() {
		model, _, ok := kernels.SplitArm(arm)
		if !ok || a.Ready(arm) != (model == "here") {
			t.Errorf("%s is ready: %v", arm, a.Ready(arm))
		}
	}
	if len(a.Arms()) != 8 || a.Ready("llm:nobody:init") {
		t.Errorf("arms %v", a.Arms())
	}
}

func TestUnpriced(t *testing.T) {
	setup := advisor(t, NewRecorded(nil), Limits{}, "m").Setup
	setup.Models, setup.Account = []string{"strange"}, NewAccount(Limits{USD: 1}, Spending{})
	if _, err := NewAdvisor(setup); err == nil || !strings.Contains(err.Error(), "no price is known") {
		t.Errorf("a limit in usd without a price: %v", err)
	}
}

func TestRecorded(t *testing.T) {
	s := newScript(t, says("first"), says("second"), fails(401))
	a := advisor(t, endpoint(t, s.URL, 10*time.Second), Limits{}, "m")
	var all []kernels.Exchange
	for _, op := range []string{"init", "mutate", "init"} {
		all = append(all, ask(a, t, "llm:m:"+op).Exchange)
	}
	r := NewRecorded(all)
	if m := r.Models(); len(m) != 1 || m[0] != "m" {
		t.Errorf("models %v", m)
	}
	again := advisor(t, r, Limits{}, "m")
	for i, op := range []string{"init", "mutate", "init"} {
		e := ask(again, t, "llm:m:"+op).Exchange
		if e.Reply != all[i].Reply || e.Failed != all[i].Failed || e.USD != all[i].USD && e.Failed == "" {
			t.Errorf("question %d: %+v\nexpected %+v", i, e, all[i])
		}
	}
	var f *Failure
	if _, err := r.Chat(context.Background(), "m", hello, 1); !errors.As(err, &f) || !f.Permanent() {
		t.Errorf("more questions than replies: %v", err)
	}
	if a, err := NewRecorded(all).Chat(context.Background(), "m", []kernels.Message{{}, {}}, 1); err != nil ||
		a.Text != "first" {
		t.Errorf("another question: %+v, %v", a, err)
	}
}

func TestConfigs(t *testing.T) {
	p := shipped(t)
	b := sample(t)
	for _, test := range []struct {
		config, operator string
		has, hasNot      []string
	}{
		{"free", "init", []string{"# Task", "# Hardware", "rule: tile <= 256", "void scale"},
			[]string{"times as fast", "1234 ns", "12.0 % faster", "registers,", "block 64 -> 128", "dram 50"}},
		{"insight", "init", []string{"void scale", "12.0 % faster", "block 64 -> 128", "dram 50"},
			[]string{"1234 ns", "registers,"}},
		{"full", "explain", []string{"24 registers", "12.0 % faster", "of the kernel to change buy", "block 64 -> 128",
			"dram 50"}, nil},
		{"full", "crossover", []string{"1.50 times as fast", "1234 ns", "12.0 % faster", "24 registers", "# Other kernels",
			"struct Vec"}, nil},
	} {
		c, err := FindConfig(test.config)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := p.Messages(test.operator, c.told(b))
		if err != nil {
			t.Fatal(err)
		}
		text := messages[0].Text + messages[1].Text
		for _, s := range test.has {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the prompt has no %q", test.config, s)
			}
		}
		for _, s := range test.hasNot {
			if strings.Contains(text, s) {
				t.Errorf("%s: the prompt has %q", test.config, s)
			}
		}
	}
	b.GenesOnly = true
	messages, err := p.Messages("init", b)
	if err != nil || strings.Contains(messages[0].Text, "## kernel") || !strings.Contains(messages[0].Text, "## genes") {
		t.Errorf("for a recording: %v\n%s", err, messages[0].Text)
	}
	if _, err := FindConfig("all"); err == nil {
		t.Error("an unknown configuration is found")
	}
}

// TestFormat holds the examples that models are shown against the parser.
func TestFormat(t *testing.T) {
	text, err := shipped(t).render("format", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"genes", "edit", "kernel", "template"} {
		at := strings.Index(text, "## "+form+"\n")
		end := strings.Index(text[at:], "\nForm:")
		if end < 0 {
			end = len(text) - at
		}
		r, err := Parse(text[at : at+end])
		if err != nil {
			t.Errorf("form %s: %v", form, err)
			continue
		}
		if form == "template" {
			if _, err := kernels.ParseFamily("f.toml", "f", []byte(r.Family), sample(t).Problem); err != nil {
				t.Errorf("the example's family: %v", err)
			}
		}
	}
}

// TestMapPlan holds the example of a tensor map to its rules, and shows it where the device has such maps alone.
func TestMapPlan(t *testing.T) {
	for _, shape := range []string{`["n"]`, `["2", "n"]`, `["2", "3", "4", "n"]`} {
		p := kernelstest.Problem(t, strings.ReplaceAll(kernelstest.Scale, `shape = ["n"]`, "shape = "+shape))
		b := sample(t)
		b.Problem = p
		text, err := b.MapPlan()
		if err != nil {
			t.Fatal(err)
		}
		spec, err := readPlan(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		plan, err := kernels.CompilePlan("plan", *spec, p.Tensors, expr.Scope{"n": 0, "elem": 0, "device": kernels.Device{}})
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		c, err := plan.Resolve(expr.Env{"n": 64, "elem": 4, "device": b.Device})
		if err != nil || len(c.Launches[0].Maps) != 1 {
			t.Errorf("%+v, %v: %s", c, err, text)
		}
		if shown, err := shipped(t).render("format", b); err != nil || !strings.Contains(shown, text) ||
			!strings.Contains(shown, "wgmma.cuh") {
			t.Errorf("the prompt has no %s: %v", text, err)
		}
		b.Device.CC = 89
		if shown, err := shipped(t).render("format", b); err != nil || strings.Contains(shown, "tensor_map") ||
			strings.Contains(shown, "wgmma") {
			t.Errorf("tensor maps for a device without: %v", err)
		}
	}
}

func TestReadPrompts(t *testing.T) {
	write := func(name, text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	p, err := ReadPrompts(write("mutate.tmpl", "Do it. {{.Base.Label}}"), sample(t))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Messages("mutate", sample(t)); err != nil || m[1].Text != "Do it. plain block=64\n" {
		t.Errorf("%+v, %v", m, err)
	}
	for name, text := range map[string]string{"unknown.tmpl": "x", "init.tmpl": "{{.Nothing}}", "task.tmpl": "{{if}}"} {
		if _, err := ReadPrompts(write(name, text), sample(t)); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSuffix(name, ".tmpl")) {
			t.Errorf("%s with %q: %v", name, text, err)
		}
	}
}

func TestLimits(t *testing.T) {
	for text, want := range map[string]Limits{"5usd": {USD: 5}, "0.5usd, 200calls": {USD: 0.5, Calls: 200},
		"2Mtokens": {Tokens: 2_000_000}, "1.5kcalls": {Calls: 1500}} {
		got, err := ParseLimits(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := ParseLimits(got.String()); err != nil || again != want {
			t.Errorf("%q is written %q", text, got)
		}
	}
	for _, text := range []string{"", "5", "5eur", "-1usd", "0usd", "1.5calls", "usd", "5usd;3calls", "1e9usd"} {
		if l, err := ParseLimits(text); err == nil {
			t.Errorf("%q is taken as %+v", text, l)
		}
	}
}

func TestPrices(t *testing.T) {
	p := ShippedPrices()
	if usd, ok := p.Of("gpt-4.1", kernels.Tokens{In: 1_000_000, Cached: 500_000, Out: 1_000_000}); !ok || usd != 1+0.25+8 {
		t.Errorf("%g, %v", usd, ok)
	}
	if _, ok := p.Of("llama", kernels.Tokens{}); ok {
		t.Error("an unknown model has a price")
	}
	for text, want := range map[string]string{"[models.m]\nin = -1": "0 or more", "[models.m]\nprice = 3": "unknown key",
		"x": "p.toml"} {
		if _, err := ParsePrices("p.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{EnvOpenAIKey: "openai"}
	get := func(name string) string { return env[name] }
	for _, test := range []struct{ file, base, want string }{
		{file, "http://x/v1", "from-file"}, {"", OpenAI, "openai"}, {"", "http://localhost:8080/v1", ""},
	} {
		if got, err := Key(test.file, test.base, get); err != nil || got != test.want {
			t.Errorf("key for %s: %q, %v: expected %q", test.base, got, err, test.want)
		}
	}
	env[EnvBaseURL] = "http://mine/v1/"
	if got, _ := Key("", BaseURL("", get), get); got != "openai" {
		t.Errorf("key for the environment's server: %q", got)
	}
	env[EnvKey] = "mine"
	if got, _ := Key("", "http://x/v1", get); got != "mine" {
		t.Errorf("%s is not used: %q", EnvKey, got)
	}
	env[EnvKey] = "two words"
	if _, err := Key("", OpenAI, get); err == nil || strings.Contains(err.Error(), "two words") {
		t.Errorf("a key with a blank: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Key(file, OpenAI, get); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that all can read: %v", err)
	}
	if _, err := Key(file+"x", OpenAI, get); err == nil {
		t.Error("a key file that is not there is taken")
	}
}
