package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
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
	if want := (10_000*1 + 100*10) / 1e6; !e.Priced || e.USD != want || a.Account.Spent().USD != want {
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
			if got.Declined != (test.name == "prose") {
				t.Errorf("declined: %v", got.Declined)
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
