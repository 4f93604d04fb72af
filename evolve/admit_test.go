package evolve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestHostileEvents: what a process that says it is a search may tell is refused by the key of what is wrong.
func TestHostileEvents(t *testing.T) {
	const id = `"id":"0100000000000000000000000000000000000000000000000000000000000000"`
	parents := strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("02", 32)+`",`, 10_000), ",")
	candidate := func(rest string) string {
		return `{"kind":"result","candidate":{` + id + `,"result":{"outcome":"wrong"}` + rest + `}}`
	}
	for line, want := range map[string]string{
		``:                                "unexpected end",
		`[]`:                              "cannot unmarshal",
		`{`:                               "unexpected end",
		strings.Repeat(`[`, 1<<20):        "cannot be read",
		`{}`:                              "kind: expected one",
		`null`:                            "kind: expected one",
		`{"kind":"result"}`:               "candidate: expected one",
		`{"kind":"duel"}`:                 "duel: expected one",
		`{"kind":"pace"}`:                 "duel: expected one",
		`{"kind":"trial"}`:                "trial: expected one",
		`{"kind":"start"}`:                "start: expected one",
		`{"kind":"machine"}`:              "machine: expected one",
		`{"kind":"end"}`:                  "summary: expected one",
		`{"kind":"a\u001bb"}`:             "kind: ",
		`{"kind":"note","speedup":1e999}`: "cannot unmarshal",
		`{"kind":"note","speedup":1e300}`: "speedup: 1e+300",
		`{"kind":"note","speedup":NaN}`:   "invalid character",
		`{"kind":"note","reign":-1}`:      "reign",
		`{"kind":"note","rate":1e17}`:     "rate: 1e+17",
		`{"kind":"note","evals":-1}`:      "in_flight: -1",
		`{"kind":"note","eta":-5}`:        "eta: -5",
		`{"kind":"note","evals":9.3e18}`:  "cannot unmarshal",
		`{"kind":"note","in_flight":9223372036854775807}`:                                  "in_flight: 9223372036854775807",
		`{"kind":"note","doing":[` + strings.Repeat(`{"took":1},`, 99) + `{}]}`:            "doing: 100",
		`{"kind":"note","doing":[{"score":-1}]}`:                                           "doing.score",
		candidate(`,"origin":{"operator":"x","parents":[` + parents + `]}`):                "origin.parents: 10000",
		candidate(`,"score":1e300`):                                                        "score: 1e+300",
		candidate(`,"variant":{"family":"../x"}`):                                          "family",
		`{"kind":"duel","duel":{"ratio":-1}}`:                                              "duel: ratio",
		`{"kind":"trial","trial":{` + id + `,"parts":[{"s":-1}]}}`:                         "trial: parts[0].s",
		`{"kind":"advice","exchange":{"took":-1}}`:                                         "exchange: took",
		`{"kind":"machine","machine":{"queue":-1}}`:                                        "machine: queue",
		`{"kind":"machine","machine":{"gpus":[{"temp":-9000}]}}`:                           "machine: gpus[0].temp",
		`{"kind":"machine","machine":{"gpus":[` + strings.Repeat(`{},`, 999) + `{}]}}`:     "machine: gpus: 1000",
		`{"kind":"start","start":{}}`:                                                      "start: workloads: 0",
		`{"kind":"start","start":{"families":{"a b":1}}}`:                                  "start: families",
		`{"kind":"start","start":{"budget":{"evals":-1}}}`:                                 "start: budget: -1",
		`{"kind":"start","start":{"device":{"kind":"x"}}}`:                                 "start: device: kind",
		`{"kind":"end","summary":{"elapsed":-1}}`:                                          "summary: elapsed",
		`{"kind":"end","summary":{"variant":{"family":"a b"}}}`:                            "summary: variant: family",
		`{"kind":"steer","command":{"do":"rm -rf"}}`:                                       "command: do",
		`{"kind":"steer","command":{"do":"add","evals":9223372036854775807}}`:              "command: evals",
		`{"kind":"steer","command":{"do":"weigh","weights":{"m=1":0}}}`:                    "command: weights.m=1: 0",
		`{"kind":"steer","command":{"do":"weigh","weights":{"a\u001bb":1}}}`:               "command: weights",
		`{"kind":"steer","command":{"do":"inject","variant":{"genes":{"a b":1}}}}`:         "command: variant: genes",
		`{"kind":"steer","command":{"do":"inject","variant":{"family":"x;y","genes":{}}}}`: "command: variant: family",
	} {
		_, err := ReadEvent([]byte(line))
		if err == nil || !strings.Contains(err.Error(), want) || kernels.CheckLine(err.Error(), 500) != nil {
			t.Errorf("%.80s: %v, want %q", line, err, want)
		}
	}
}

// TestEventsAreCleaned: text that is only shown is no reason to refuse an event, nor is a kind of a later version.
func TestEventsAreCleaned(t *testing.T) {
	const evil = `\u001b]0;x\u0007\u202e`
	line := fmt.Sprintf(`{"kind":"later","note":"%s\ngrößer","family":"%s","standing":"%s",
		"doing":[{"what":"%s","step":"%s","parts":["%s"]}]}`, evil, evil, evil, evil, evil, evil)
	e, err := ReadEvent([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(e.Note, e.Family, e.Standing, e.Doing)
	if strings.ContainsAny(text, "\x1b\a\u202e") || !strings.HasSuffix(e.Note, "\ngrößer") {
		t.Errorf("%q", text)
	}
	if e, err = ReadEvent([]byte(`{"kind":"lost","note":"` + strings.Repeat("ä", 1<<16) + `"}`)); err != nil ||
		len(e.Note) > kernels.MaxDetail+8 {
		t.Errorf("%d bytes of a note, %v", len(e.Note), err)
	}
}

// TestOwnEventsAreAdmitted: a search's own story passes as it was told.
func TestOwnEventsAreAdmitted(t *testing.T) {
	m, ev := &memory{}, newWeighing(1)
	answer, at, n := ev.answer, everyCommand(t, m), 0
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 60
	s := mustSearch(t, cfg, ev, m)
	ev.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		if n++; at[n] != nil {
			at[n](s)
		}
		return answer(ctx, job)
	}
	var all []Event
	if _, err := s.Run(t.Context(), func(e Event) { all = append(all, e) }); err != nil {
		t.Fatal(err)
	}
	kinds := map[Kind]bool{}
	for _, e := range all {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		read, err := ReadEvent(line)
		again, _ := json.Marshal(read)
		if err != nil || string(again) != string(line) {
			t.Errorf("%s: %v\n%s", line, err, again)
		}
		kinds[e.Kind] = true
	}
	if len(all) < 60 || !kinds[KindStart] || !kinds[KindSteer] || !kinds[KindResult] || !kinds[KindChampion] ||
		!kinds[KindEnd] {
		t.Errorf("%d events of %v", len(all), kinds)
	}
}

// TestSourcesHaveNoFamily: the start of a search in which models write sources of their own is admitted.
func TestSourcesHaveNoFamily(t *testing.T) {
	line := `{"kind":"start","start":{"families":{"":0,"hills":7},"workloads":[{"name":"m=1","weight":1}]}}`
	if e, err := ReadEvent([]byte(line)); err != nil || len(e.Start.Families) != 2 {
		t.Errorf("%+v, %v", e, err)
	}
}

// FuzzReadEvent: whatever is told, what comes through can be computed with and told on.
func FuzzReadEvent(f *testing.F) {
	f.Add([]byte(`{"kind":"result","speedup":2,"doing":[{"what":"duel"}]}`))
	f.Add([]byte(`{"kind":"end","summary":{"outcomes":{"ok":1}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ReadEvent(line)
		if err != nil {
			return
		}
		_, err = json.Marshal(e)
		if err != nil || math.IsNaN(e.Speedup*e.Reign) || math.IsInf(e.Speedup*e.Reign, 0) {
			t.Errorf("%+v: %v", e, err)
		}
	})
}
