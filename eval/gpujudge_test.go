package eval

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// fakeJudge stands in for a judge on the GPU: its output memory is this machine's, and the processor compares. What
// goes wrong is a word in a file: "mute" gives no memory, "dies" dies when it is asked about outputs.
type fakeJudge struct {
	channel *os.File
	given   []byte
	out     *proc.Shared
	truth   []byte
	setup   checker.Setup
}

func behaviour() string {
	text, _ := os.ReadFile(os.Getenv("DARWARP_FAKE_JUDGE"))
	return string(text)
}

func behave(t *testing.T, how string) {
	t.Helper()
	if err := os.WriteFile(os.Getenv("DARWARP_FAKE_JUDGE"), []byte(how), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fakeJudgeMain() int {
	channel, err := proc.Inherited(0)
	if err != nil {
		panic(err)
	}
	j := &fakeJudge{channel: channel, given: inherited(1)}
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		var req judge.Request
		if err := f.Decode(&req); err != nil {
			return err
		}
		reply, err := j.handle(&req)
		if err != nil {
			return err
		}
		return c.Reply(reply)
	})
}

func (j *fakeJudge) handle(req *judge.Request) (any, error) {
	switch {
	case req.Open != nil:
		return device.OpenReply{}, nil
	case req.Setup != nil:
		return nil, j.prepare(req.Setup)
	case req.Truth != nil:
		if behaviour() == "dies of truth" {
			die(syscall.SIGKILL)
		}
		return nil, nil
	case req.Check.SelfTest != nil:
		i := req.Check.SelfTest.Case
		return j.setup.SelfTest(i, j.setup.Truths(i, j.truth), func(int) check.Comparison { return check.Judge })
	case req.Check.Palette != nil:
		i := req.Check.Palette.Case
		return checker.JudgeReply{Palette: j.setup.Palette(i, j.setup.Truths(i, j.truth))}, nil
	case req.Given:
		return j.judge(req.Check.Judge, j.given)
	}
	if behaviour() == "dies" {
		die(syscall.SIGKILL)
	}
	return j.judge(req.Check.Judge, j.out.Map())
}

func (j *fakeJudge) prepare(s *judge.Setup) (err error) {
	j.setup = s.Check
	f := &fake{prep: device.Prepare{Cases: s.Check.Cases}}
	last := &s.Check.Cases[len(s.Check.Cases)-1]
	f.truth = make([]byte, last.TruthAt+last.TruthBytes())
	f.makeTruth()
	j.truth = f.truth
	if j.out, err = proc.NewShared("outputs", int64(s.Slots*s.Check.SlotBytes)); err != nil || behaviour() == "mute" {
		return err
	}
	return proc.SendFile(j.channel, j.out.File())
}

func (j *fakeJudge) judge(req *checker.Judge, out []byte) (*checker.JudgeReply, error) {
	places, err := j.setup.Places(req)
	if err != nil {
		return nil, err
	}
	return j.setup.Verdict(req, func(k, number int) (check.Report, error) {
		i := req.Cases[k]
		c := &j.setup.Cases[i]
		b, at := c.Outputs()[number], places[k]+c.OutputAt(number)
		return check.Judge(out[at:at+b.Bytes()], b.DType, j.setup.Truths(i, j.truth)[number], j.setup.Model(i, req.Acc)), nil
	})
}

// judgedPool is a pool whose outputs a judge on the GPU compares, if it can.
func judgedPool(t *testing.T, how string) *Pool {
	t.Helper()
	t.Setenv("DARWARP_FAKE_JUDGE", filepath.Join(t.TempDir(), "judge"))
	behave(t, how)
	return fakePool(t)
}

// TestJudgeOnTheGPU: verdicts are those of the checker, through another memory and another process, on all cases at
// once and in parts.
func TestJudgeOnTheGPU(t *testing.T) {
	pool := judgedPool(t, "")
	if pool.Runner.Judge.GPU == nil || pool.Runner.Out != nil {
		t.Fatal("the checker compares")
	}
	for _, parts := range []bool{false, true} {
		if parts {
			inParts(t, pool)
		}
		for entry, want := range map[string]kernels.Outcome{
			"good": kernels.OK, "wrong": kernels.Wrong, "wrong_at_last": kernels.Wrong, "gives_nan": kernels.Wrong,
			"race": kernels.Flaky, "race_at_last": kernels.Flaky,
			"out_of_bounds": kernels.Suspect, "out_of_bounds_at_last": kernels.Suspect,
			"segv": kernels.Crashed, "sticky": kernels.Crashed, "sticky_at_last": kernels.Crashed, "cached": kernels.Wrong,
		} {
			r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, entry))
			if err != nil || r.Outcome != want {
				t.Errorf("%s, in parts %v: %v (%s), %v; want %v", entry, parts, r.Outcome, r.Detail, err, want)
			}
			if all := len(pool.Cases.Gated()); want == kernels.OK && (r.Gate == nil || r.Gate.Checks != all) {
				t.Errorf("%s, in parts %v: %+v, expected %d cases", entry, parts, r.Gate, all)
			}
		}
	}
}

// TestGivenOutputs: outputs that come from elsewhere are judged too.
func TestGivenOutputs(t *testing.T) {
	checked := fakePool(t)
	for name, pool := range map[string]*Pool{"judge": judgedPool(t, ""), "checker": checked} {
		i := pool.Cases.Gated()[0]
		right := check.Encode(kernels.FP32, doubled(input(&pool.Cases.List[i])))
		wrong := check.Encode(kernels.FP32, input(&pool.Cases.List[i])) // not doubled, and more than nothing
		wrong[len(wrong)-1] = 0x41
		for _, c := range []struct {
			out   []byte
			right bool
		}{{right, true}, {wrong, false}, {right, true}} {
			got, err := pool.Runner.JudgeGiven(context.Background(), checker.Judge{Acc: kernels.FP32, Cases: []int{i}},
				[][]byte{c.out})
			if err != nil || (got.Wrong == "") != c.right {
				t.Errorf("%s: %q, %v; right: %v", name, got.Wrong, err, c.right)
			}
		}
	}
}

func doubled(x []float64) []float64 {
	for i := range x {
		x[i] *= 2
	}
	return x
}

// TestJudgeIsReplaced: a judge that is killed takes its memory along. At rest nobody notices, in a call the evaluation
// is lost, and in both cases the device worker goes on with the memory of the next.
func TestJudgeIsReplaced(t *testing.T) {
	pool := judgedPool(t, "")
	evaluate := func() kernels.Result {
		t.Helper()
		r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	evaluate()
	_, was := pool.Load()
	killWorkers(t, "judge")
	if r := evaluate(); r.Outcome != kernels.OK && r.Outcome != kernels.Lost { // it may be noticed only in the call
		t.Fatalf("killed at rest: %v (%s)", r.Outcome, r.Detail)
	}
	behave(t, "dies")
	if r := evaluate(); r.Outcome != kernels.Lost {
		t.Fatalf("killed in a call: %v (%s)", r.Outcome, r.Detail)
	}
	behave(t, "")
	if r := evaluate(); r.Outcome != kernels.OK {
		t.Fatalf("with another judge: %v (%s)", r.Outcome, r.Detail)
	}
	if _, now := pool.Load(); now-was != 2 {
		t.Errorf("%d device workers were started for two judges", now-was)
	}
}

// TestJudgeWithoutMemory: a judge that gives no memory is no judge. At the start the checker takes its place; later it
// is given up after some tries.
func TestJudgeWithoutMemory(t *testing.T) {
	shortRespite(t)
	if pool := judgedPool(t, "mute"); pool.Runner.Judge.GPU != nil {
		t.Error("a judge without memory was taken")
	}
	pool := judgedPool(t, "")
	behave(t, "mute")
	killWorkers(t, "judge")
	lostUntilGone(t, pool, "no file was sent")
}
