package kernels

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func resolve(t *testing.T, text string, g Genome, dev Device, dims Dims) (Call, error) {
	t.Helper()
	f := mustFamily(t, text)
	env, err := f.Env(g, dev, FP16)
	if err != nil {
		t.Fatal(err)
	}
	j := Job{Plan: f.Plan, Env: env}
	return j.Resolve(dims)
}

func TestResolve(t *testing.T) {
	c, err := resolve(t, familyTOML, Genome{"tile": Int(32), "split": Int(4)}, hopper(t), Dims{"m": 65, "n": 32, "k": 9})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(c)
	want := `{"scratch":[{"name":"partial","bytes":33280}],"launches":[` +
		`{"entry":"product","grid":[3,1,4],"block":[256,1,1],"cluster":[1,1,1],"smem":4096,"args":[{"kind":"tensor",` +
		`"name":"A"},{"kind":"tensor","name":"B"},{"kind":"tensor","name":"C"},{"kind":"scratch","name":"partial"},` +
		`{"kind":"i32","int":65},{"kind":"i32","int":32},{"kind":"i32","int":9}]},` +
		`{"entry":"add_shares","grid":[9,1,1],"block":[256,1,1],"cluster":[1,1,1],"args":[{"kind":"scratch",` +
		`"name":"partial"},{"kind":"tensor","name":"C"},{"kind":"i32","int":2080}]}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c, err = resolve(t, familyTOML, Genome{"tile": Int(32)}, hopper(t), Dims{"m": 65, "n": 32, "k": 9})
	if err != nil || len(c.Launches) != 1 || c.Scratch[0].Bytes != 0 {
		t.Errorf("split = 1: %+v, %v", c, err)
	}
}

func TestResolveLimits(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"threads", `block = ["threads"]`, `block = ["threads", "5"]`,
			"launch product: block of [256 5 1] threads: expected 1 to 1024, at most 64 in the third"},
		{"third axis", `block = ["threads"]`, `block = ["1", "1", "65"]`,
			"launch product: block of [1 1 65] threads: expected 1 to 1024, at most 64 in the third"},
		{"no threads", `block = ["threads"]`, `block = ["threads - 256"]`,
			"launch product: block of [0 1 1] threads: expected 1 to 1024, at most 64 in the third"},
		{"wrapped product", `block = ["threads"]`, `block = ["-1", "-1", "32"]`,
			"launch product: block of [-1 -1 32] threads: expected 1 to 1024, at most 64 in the third"},
		{"grid", `"1", "split"]`, `"m * 1100", "split"]`,
			"launch product: grid of [3 71500 1] blocks: expected 1 to 2147483647 by 65535 by 65535"},
		{"empty grid", `"1", "split"]`, `"m / 100", "split"]`,
			"launch product: grid of [3 0 1] blocks: expected 1 to 2147483647 by 65535 by 65535"},
		{"shared memory", `smem = "smem"`, `smem = "smem * 100"`,
			"launch product: 409600 bytes of shared memory: the device has 232448 a block"},
		{"negative shared memory", `smem = "smem"`, `smem = "-1"`,
			"launch product: -1 bytes of shared memory: the device has 232448 a block"},
		{"scratch", `split > 1 ? split * m * n * 4 : 0`, `0 - m`,
			"scratch partial: 0 - m = -65 bytes: expected 0 to 70368744177664"},
		{"argument", `"partial", "m", "n", "k"]`, `"m * 100000000"]`,
			"launch product: argument m * 100000000 = 6500000000 does not fit an int"},
		{"division", `"partial", "m", "n", "k"]`, `"m / (n - 32)"]`,
			"launch product: division by zero\n    m / (n - 32)\n      ^"},
		{"cluster", `smem = "smem"`, `cluster = ["2"]`, "launch product: grid [3 1 1] is not a multiple of cluster [2 1 1]"},
		{"large cluster", `smem = "smem"`, `cluster = ["3", "3", "3"]`,
			"launch product: cluster of [3 3 3] blocks: expected 1 to 16"},
		{"nothing runs", `entry = "product"`, "when = \"split > 1\"\nentry = \"product\"", "no launch is active"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(familyTOML, c.old) != 1 {
				t.Fatalf("%q is in the family %d times", c.old, strings.Count(familyTOML, c.old))
			}
			_, err := resolve(t, strings.Replace(familyTOML, c.old, c.new, 1), Genome{"tile": Int(32)}, hopper(t),
				Dims{"m": 65, "n": 32, "k": 9})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestResolveCluster(t *testing.T) {
	text := strings.Replace(familyTOML, `smem = "smem"`, `cluster = ["3"]`, 1)
	dims := Dims{"m": 65, "n": 32, "k": 9}
	c, err := resolve(t, text, Genome{"tile": Int(32)}, hopper(t), dims)
	if err != nil || c.Launches[0].Cluster != [3]int{3, 1, 1} {
		t.Errorf("got %+v, %v", c, err)
	}
	ampere, err := ArchDevice("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	_, err = resolve(t, text, Genome{"tile": Int(32)}, ampere, dims)
	if want := "launch product: cluster of [3 1 1] blocks: the device has none (sm_90 and later)"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestResolveWindow(t *testing.T) {
	for when, want := range map[string]string{"": "[A B]", ", when = \"tile == 32\"": "[A B]",
		", when = \"tile > 32\"": "[]"} {
		text := strings.Replace(familyTOML, `smem = "smem"`, `l2_window = { tensors = ["A", "B"]`+when+" }", 1)
		c, err := resolve(t, text, Genome{"tile": Int(32)}, hopper(t), Dims{"m": 65, "n": 32, "k": 9})
		if got := fmt.Sprint(c.Launches[0].Window); err != nil || got != want {
			t.Errorf("%q: got %s, %v: want %s", when, got, err, want)
		}
	}
}

func TestPlanValues(t *testing.T) {
	f := mustFamily(t, familyTOML)
	if got := strings.Join(f.Plan.Reads(), " "); got != "k m n smem split threads tile" {
		t.Errorf("reads %s", got)
	}
	env, err := f.Env(Genome{"tile": Int(32), "split": Int(2)}, hopper(t), FP16)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Plan.Values(env); got != "smem=4096 split=2 threads=256 tile=32 " {
		t.Errorf("values %q", got)
	}
}

func TestNewID(t *testing.T) {
	spec := mustFamily(t, familyTOML).PlanSpec
	id := NewID("source", spec, "nvrtc 13.0 sm_90a")
	const want = "f56318a8f8938c7c1f444d0d92ea23a8797d0b1252a55814edfdc158d20de55b"
	if id.String() != want {
		t.Errorf("the ID of the same candidate has changed: stores of earlier versions would not match\ngot %s", id)
	}
	other := spec
	other.Launches = append([]LaunchSpec{}, spec.Launches...)
	other.Launches[0].Grid = []string{"1"}
	for name, x := range map[string]ID{
		"source":        NewID("source ", spec, "nvrtc 13.0 sm_90a"),
		"plan":          NewID("source", other, "nvrtc 13.0 sm_90a"),
		"toolchain":     NewID("source", spec, "nvrtc 13.0 sm_80"),
		"moved between": NewID("source1", spec, "nvrtc 13.0 sm_90"),
	} {
		if x == id {
			t.Errorf("%s does not count", name)
		}
	}
	var back ID
	text, _ := id.MarshalText()
	if err := back.UnmarshalText(text); err != nil || back != id || back.IsZero() || len(id.Short()) != 10 {
		t.Errorf("round trip: %v %v", back, err)
	}
	for _, bad := range []string{"", "12", strings.Repeat("x", 64)} {
		if err := back.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is an ID", bad)
		}
	}
}

func TestScore(t *testing.T) {
	ws := []Workload{{Name: "a", Weight: 3}, {Name: "b", Weight: 1}}
	base := map[string]float64{"a": 100, "b": 100}
	got, err := Score([]Timing{{Workload: "a", Median: 50}, {Workload: "b", Median: 800}}, base, ws)
	if want := math.Pow(0.5, 0.75) * math.Pow(8, 0.25); err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, times := range [][]Timing{nil, {{Workload: "a", Median: 1}},
		{{Workload: "a", Median: 1}, {Workload: "b", Median: math.NaN()}},
		{{Workload: "a", Median: 1}, {Workload: "b", Median: -1}}} {
		if s, err := Score(times, base, ws); err == nil {
			t.Errorf("%v scores %v", times, s)
		}
	}
	if _, err := Score(nil, base, nil); err == nil {
		t.Error("no workload has a score")
	}
}
