package tui

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
)

// exchanges are questions of all kinds: useful, priced and not, refused, without a reply.
func exchanges() []kernels.Exchange {
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	tokens := kernels.Tokens{In: 1234, Out: 321}
	return []kernels.Exchange{
		{At: at(1), Arm: kernels.Arm("gpt-5.5-mini", "init"), Proposed: []kernels.ID{idOf(1), idOf(2)}, Tokens: tokens,
			USD: 0.0123, Priced: true, Took: 4200 * time.Millisecond},
		{At: at(2), Arm: kernels.Arm("gpt-5.5-mini", "mutate"), Refused: "no proposal: expected one section\nmore",
			Tokens: tokens, USD: 0.5, Priced: true},
		{At: at(3), Arm: kernels.Arm("qwen:72b", "explain"), Failed: "400 Bad Request", Took: time.Second},
		{At: at(4), Arm: kernels.Arm("qwen:72b", "explain"), Proposed: []kernels.ID{idOf(3)}, Tokens: tokens},
	}
}

// TestModels: what language models were asked is told in the log, and what it cost with the operators and in
// the head; a question that is both stored and told of costs once.
func TestModels(t *testing.T) {
	d := open(t, 40, 160, 40, true)
	d.live()
	all := exchanges()
	for _, e := range append(all, all[1]) {
		d.tell(evolve.Event{Kind: evolve.KindAdvice, Stamp: evolve.Stamp{At: 105 * time.Second}, Exchange: &e})
	}
	d.press("5", "z")
	screen := d.screen()
	golden(t, "operators-models", screen)
	for _, want := range []string{"4 asked, USD >0.5123", "gpt-5.5-mini:mutate       0        -    0      1   0.5000",
		"qwen:72b:explain          0        -    0      2  unknown"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q", want)
		}
	}
	d.press("7")
	for _, want := range []string{"gpt-5.5-mini:init proposed 2, 1,555 tokens, USD 0.0123, 4.2s",
		"gpt-5.5-mini:mutate refused: no proposal: expected one section, 1,555",
		"qwen:72b:explain failed: 400 Bad Request, 1.0s"} {
		if !strings.Contains(d.screen(), want) {
			t.Errorf("the log does not say %q:\n%s", want, d.screen())
		}
	}
}

// TestLongNames: the name of a model is cut at its beginning, and columns stay where they are.
func TestLongNames(t *testing.T) {
	for name, want := range map[string]string{"mutate": "mutate", "gpt-5.5-mini:repair": "…mini:repair",
		"a-model-of-ours:explain": "…urs:explain"} {
		if got := endOf(name, 12, "…"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	d := open(t, 30, 100, 30, true)
	c := d.src.next()
	c.Origin.Operator, c.Origin.Parents = kernels.Arm("a-very-long-name-of-a-model", "explain"),
		[]kernels.ID{d.src.made[0].ID}
	c.Score, c.Result.Outcome = 0.01, kernels.OK
	d.tell(evolve.Event{Kind: evolve.KindResult, Candidate: &c})
	d.press("j", "l") // the first is the champion
	d.sees("origin                    change")
	d.sees("…name-of-a-model:explain  threads 32 -> 64")
}

// TestStoredModels: a run that is opened tells what its models cost.
func TestStoredModels(t *testing.T) {
	s := newStory(t)
	for range 60 {
		s.next()
	}
	state := s.state()
	state.Exchanges = exchanges()
	state.Steering.Log = []evolve.Steered{{At: 2 * time.Second, Do: "pause", Note: "nothing new is begun"},
		{At: 3 * time.Second, Do: "stop"}}
	b := NewBoard()
	b.load(stateOnly{state: state})
	for _, want := range []string{"qwen:72b:explain failed: 400 Bad Request, 1.0s", "paused: nothing new is begun",
		"told: stop", "wrong "} {
		if !slices.ContainsFunc(b.log, func(l line) bool { return strings.Contains(l.text, want) }) {
			t.Errorf("the log does not say %q: %+v", want, b.log)
		}
	}
	if !slices.IsSortedFunc(b.log, func(x, y line) int { return cmp.Compare(x.at, y.at) }) {
		t.Errorf("the log is out of order: %+v", b.log)
	}
	if b.err != nil || b.spent.asked != 4 || b.spent.dollars() != ">0.5123" {
		t.Errorf("%v: %d asked, USD %s", b.err, b.spent.asked, b.spent.dollars())
	}
}

// stateOnly is a source with nothing but a state.
type stateOnly struct {
	Source
	state *State
}

func (s stateOnly) Load() (*State, error) { return s.state, nil }
