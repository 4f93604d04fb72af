package eval

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// listed are all lists in messages between processes, with what bounds them. None may grow with a tensor: a field that
// is not here is to be thought about first.
var listed = map[string]string{
	"Open.Harness": "machine code", "Truth.Cubin": "machine code", "Power.Cubin": "machine code",
	"Gate.Cubin": "machine code", "Gate.Checked": "machine code", "Contender.Cubin": "machine code",
	"Disturb.Cubin": "machine code", "Setup.Compare": "machine code", "Setup.Reference": "machine code",
	"Prepare.Maker": "machine code", "Request.Code": "programs",

	"Prepare.Palettes": "sizes, check.PaletteSize of each", "JudgeReply.Palette": "check.PaletteSize",
	"InputsReply.Bytes": "givenBytes",

	"Prepare.Cases": "cases", "Setup.Cases": "cases", "Setup.Terms": "cases", "Setup.Launches": "cases",
	"Truth.Cases": "cases", "Truth.Launches": "cases", "Truth.Inputs": "cases", "Gate.Calls": "cases",
	"Gate.Sets": "cases", "GateReply.Cases": "cases", "Disturb.Calls": "cases", "Judge.Cases": "cases",
	"JudgeReply.Hashes": "cases", "Run.Cases": "cases", "LibraryReply.Hash": "cases", "Library.Outputs": "cases",
	"Disturb.Cases": "device.MostDisturbed", "Disturb.Expect": "device.MostDisturbed",
	"DisturbReply.Wrong": "device.MostDisturbed",

	"Time.Runs": "workloads", "TimeReply.Runs": "workloads", "Contender.Calls": "workloads",
	"Contender.Expect": "workloads and sets", "RunReply.Samples": "samples", "RunReply.Recorded": "samples",
	"Side.Samples": "pairs", "Side.Clock": "pairs", "Side.Repeat": "pairs", "Side.Recorded": "pairs",
	"Duel.Estimates": "two", "Duel.Long": "two", "Record.Slots": "two",

	"Power.Proofs": "one", "PowerReply.Proofs": "one", "Proof.Acc": "dtypes", "Proof.Omissions": "dims",
	"Omission.More":       "device.MoreLines",
	"JudgeReply.Tried":    "mutations, by output",
	"GateReply.Resources": "kernels", "GateReply.Sites": "lines of a source",

	"Case.Dims": "dims", "Library.Dims": "dims", "Case.Mix": "classes", "Case.Beside": "classes",
	"Case.Terms": "dims", "Terms.Outs": "outputs",
	"Case.Buffers": "tensors", "Buffer.Shape": "dims",
}

// lists collects the lists within a message, as Type.Field.
func lists(t reflect.Type, seen map[reflect.Type]bool, found map[string]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || !strings.Contains(t.PkgPath(), "darwarp/eval/internal/") &&
		!slices.Contains([]string{"Buffer", "GateReport"}, t.Name()) {
		return // what the kernels package describes is a plan's or a device's
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if k := f.Type.Kind(); k == reflect.Slice || k == reflect.Map || k == reflect.Array {
			found[t.Name()+"."+f.Name] = true
		}
		lists(f.Type, seen, found)
	}
}

// TestListsInMessages: every list in a message is known not to grow with a tensor.
func TestListsInMessages(t *testing.T) {
	found, seen := map[string]bool{}, map[reflect.Type]bool{}
	for _, m := range []any{device.Request{}, device.OpenReply{}, device.PowerReply{}, device.GateReply{},
		device.TimeReply{}, device.DuelReply{}, device.DisturbReply{}, device.LibraryReply{}, device.InputsReply{},
		kernels.Ceilings{}, checker.Request{}, checker.JudgeReply{}, judge.Request{}} {
		lists(reflect.TypeOf(m), seen, found)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if listed[name] == "" {
			t.Errorf("%s: what bounds it?", name)
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("%s is not in any message", name)
		}
	}
}

// exchanged is how many bytes this process has read and written so far. What is mapped is not among them.
func exchanged(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	var read, written int
	if _, err := fmt.Sscanf(string(text), "rchar: %d\nwchar: %d", &read, &written); err != nil {
		t.Fatal(err)
	}
	return read + written
}

// TestMessagesOfLargeTensors: what goes between processes does not grow with the tensors, from opening a session to the
// verdicts on a right kernel and on a wrong one: those here have 4 KiB and 4 MiB.
func TestMessagesOfLargeTensors(t *testing.T) {
	if f := env.Locate().CXX; f.Path == "" {
		t.Skip("NOT TESTED: no C++ compiler")
	}
	sizes := []int{1 << 10, 1 << 20}
	var bytes []int
	for _, n := range append(sizes[:1:1], sizes...) { // once for what the first session compiles
		before := exchanged(t)
		p := kernelstest.Problem(t, kernelstest.Scale)
		pool := openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.FP32,
			Reference: "extern \"C\" __global__ void reference(const float *x, double *y, float *s, int n) {\n" +
				"for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2.0 * x[i], s[i] = 2 * fabsf(x[i]); }",
			Workloads: []kernels.Workload{{Name: "4096", Dims: kernels.Dims{"n": n}, Weight: 1}}, Cache: "hot",
			Means: Means{Jobs: 1, CacheDir: testCache}, Trust: Trust{Sandbox: SandboxBest}})
		right, wrong := cpuJob(t, pool, rightBody), cpuJob(t, pool, fmt.Sprintf("if (i < n && n != %d) y[i] = 2 * x[i];", n))
		for job, want := range map[*kernels.Job]kernels.Outcome{right: kernels.OK, wrong: kernels.Wrong} {
			if r, err := pool.Evaluate(t.Context(), job); err != nil || r.Outcome != want {
				t.Fatalf("%d: %v (%s), %v: expected %v", n, r.Outcome, r.Detail, err, want)
			}
		}
		bytes = append(bytes, exchanged(t)-before)
	}
	t.Logf("%d bytes", bytes)
	if more := bytes[2] - bytes[1]; more > 4*sizes[1]/4 {
		t.Errorf("%d bytes more for %d elements: a tensor goes through a pipe", more, sizes[1])
	}
}
