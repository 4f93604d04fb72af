package llm

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"darwarp/kernels"
)

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

func TestUnpriced(t *testing.T) {
	setup := advisor(t, NewRecorded(nil), Limits{}, "m").Setup
	setup.Models, setup.Account = []string{"strange"}, NewAccount(Limits{USD: 1}, Spending{})
	if _, err := NewAdvisor(setup); err == nil || !strings.Contains(err.Error(), "no price is known") {
		t.Errorf("a limit in usd without a price: %v", err)
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
	for text, want := range map[string]string{"[models.m]\nin = -1": "expected 0 to",
		"[models.m]\nout = nan": "expected 0 to", "[models.m]\ncached = inf": "expected 0 to",
		"[models.m]\nin = 1e300": "expected 0 to", "[models.m]\nprice = 3": "p.toml:2: models.m.price: unknown key: expected",
		"\n\nx":           "p.toml:3: expected '=' after key",
		"[models]\nm = 3": "p.toml:2: models.m: a TOML integer does not fit here"} {
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
	if err := syscall.Mkfifo(file+".pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Key(file+".pipe", OpenAI, get); err == nil || !strings.Contains(err.Error(), "expected a file") {
		t.Errorf("a pipe for a key file: %v", err)
	}
	if _, err := Key(file+"x", OpenAI, get); err == nil {
		t.Error("a key file that is not there is taken")
	}
}
