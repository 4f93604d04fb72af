package evolve

import (
	"context"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// TestLiftedChampion: the constants of a whole kernel that is champion are tuned as the genes of a family of its own.
func TestLiftedChampion(t *testing.T) {
	reply := func(int, string, llm.Brief, []kernels.Message) (string, error) {
		return strings.Replace(ownReply("splendid"), "extern",
			"constexpr int TILE = 16;\nconstexpr int DEPTH = 2;\nextern", 1), nil
	}
	ev := func() *fake {
		f := newFake(2, true)
		f.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
			ns, code := 60.0, job.ID.String()
			switch {
			case !strings.Contains(job.Source, "splendid"):
				return works(job), nil
			case strings.Contains(job.Source, "TILE = 16") && strings.Contains(job.Source, "DEPTH = 2"):
				code = "the machine code of the kernel and of the family's default"
			case strings.Contains(job.Source, "TILE = 8;"):
				return kernels.Result{Outcome: kernels.Wrong, Detail: "out[0] is 1: expected 2"}, nil
			case strings.Contains(job.Source, "TILE = 32") && strings.Contains(job.Source, "DEPTH = 4"):
				ns = 40
			}
			return kernels.Result{Outcome: kernels.OK, Code: code, Times: timesOf(ns, 2*ns), Cost: kernels.Cost{Time: 1}}, nil
		}
		f.duel = f.duelByVerdicts
		return f
	}
	cfg, m := advised(t, &oracle{reply: reply}, 80), &memory{}
	sum := mustRun(t, cfg, ev(), m)
	if sum.Variant.Family != "llm-1" || sum.Variant.Genes["tile"] != kernels.Int(32) ||
		sum.Variant.Genes["depth"] != kernels.Int(4) {
		t.Fatalf("the champion is %s", sum.Variant.Label())
	}
	first := m.of("llm-1")[0]
	if first.Origin.Operator != Lifted || len(first.Origin.Parents) != 1 || m.files["llm-1.toml"] == nil {
		t.Errorf("its first is %+v", first.Origin)
	}
	again := mustRun(t, resumed(t, m, &oracle{reply: reply}, 100), ev(), m)
	if again.Variant.Family != "llm-1" || m.files["llm-2.toml"] != nil {
		t.Errorf("resumed, the champion is %s; %d files", again.Variant.Label(), len(m.files))
	}
}
