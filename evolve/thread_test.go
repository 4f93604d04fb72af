package evolve

import (
	"context"
	"errors"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// TestRepairsSurvive: a run that is stopped when a proposal has failed, or before its verdict is in, goes on with the
// conversation: the model is told why in the next session, and what it said is there.
func TestRepairsSurvive(t *testing.T) {
	for name, cut := range map[string]func(Event) bool{
		"after the verdict":  func(e Event) bool { return e.Kind == KindResult && e.Candidate.Variant.Family == "" },
		"before the verdict": func(e Event) bool { return e.Kind == KindAdvice && e.Exchange != nil },
	} {
		for _, kill := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				words := map[string]kernels.Result{"splendid": ok(50)}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				m := &memory{}
				var killed *memory
				first := &oracle{reply: func(_ int, operator string, _ llm.Brief, _ []kernels.Message) (string, error) {
					if operator == llm.Repair {
						return "", errors.New("too late")
					}
					return ownReply("broken"), nil
				}}
				s := mustSearch(t, advised(t, first, 80), judged(2, true, words), m)
				if _, err := s.Run(ctx, func(e Event) {
					if killed == nil && cut(e) {
						killed = m.clone()
						cancel()
					}
				}); err != nil {
					t.Fatal(err)
				}
				if kill {
					m = killed
				}
				if kill && name == "before the verdict" { // the checkpoint of the verdict before knows of no proposal
					return
				}
				asked := false
				second := &oracle{reply: func(_ int, operator string, b llm.Brief, thread []kernels.Message) (string, error) {
					if operator != llm.Repair {
						return ownReply("other"), nil
					}
					if len(thread) == 2 && strings.Contains(thread[1].Text, "broken") && strings.Contains(b.Why, "unknown word") &&
						!b.Base.ID.IsZero() {
						asked = true
						return ownReply("splendid"), nil
					}
					return ownReply("other"), nil
				}}
				sum := mustRun(t, advised(t, second, 80), judged(2, true, words), m)
				if !asked || !strings.Contains(sum.Variant.Source, "splendid") {
					t.Errorf("kill %v: asked %v, the champion is %s", kill, asked, sum.Variant.Label())
				}
			})
		}
	}
}

// TestThreadsThatAreGone: a conversation whose base or reply is not there is given up, and nothing worse.
func TestThreadsThatAreGone(t *testing.T) {
	o := &oracle{most: 1, reply: func(int, string, llm.Brief, []kernels.Message) (string, error) {
		return ownReply("broken"), nil
	}}
	m := &memory{}
	mustRun(t, advised(t, o, 20), judged(2, true, nil), m)
	s := mustSearch(t, advised(t, o, 40), judged(2, true, nil), m)
	base := s.championship.holder.id
	for name, test := range map[string]struct {
		thread *thread
		want   bool
	}{
		"good":     {&thread{Arm: "llm:m:repair", Exchange: 1, Base: base, Why: "x"}, true},
		"no base":  {&thread{Arm: "llm:m:repair", Exchange: 1}, false},
		"no reply": {&thread{Arm: "llm:m:repair", Exchange: 2, Base: base}, false},
		"nothing":  {nil, false},
	} {
		s.advice.talks.takeUp(m.exchanges)
		if got := s.advice.talks.recover(test.thread, s.advice.briefAgain); got != test.want {
			t.Errorf("%s: taken up %v", name, got)
		}
	}
}
