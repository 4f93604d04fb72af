package kernels

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"darwarp/kernels/expr"
)

// tiled is familyTOML with a tensor map of A, which is two arguments, and one of C, which is none.
func tiled(t testing.TB, box, swizzle string) string {
	t.Helper()
	text := strings.Replace(familyTOML, `smem = "smem"`,
		withMap(fmt.Sprintf(`name = "a_tiles", tensor = "A", box = [%s], swizzle = "%s" }, { name = "c_tiles", tensor = `+
			`"C", box = ["1", "4"]`, box, swizzle)), 1)
	return strings.Replace(text, `args = ["A", "B", "C", "partial", "m", "n", "k"]`,
		`args = ["a_tiles", "C", "a_tiles", "m"]`, 1)
}

func TestResolveTensorMap(t *testing.T) {
	c, err := resolve(t, tiled(t, `"tile / 2", "64"`, "tile < 64 ? 128 : 64"), Genome{"tile": Int(32)}, hopper(t),
		Dims{"m": 65, "n": 32, "k": 64})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(c.Launches)
	want := `[{"entry":"product","grid":[3,1,1],"block":[256,1,1],"cluster":[1,1,1],"smem":4096,` +
		`"args":[{"kind":"tensor_map","name":"a_tiles"},{"kind":"tensor","name":"C"},{"kind":"tensor_map",` +
		`"name":"a_tiles"},{"kind":"i32","int":65}],` +
		`"tensor_maps":[{"name":"a_tiles","tensor":"A","box":[16,64],"swizzle":128},{"name":"c_tiles","tensor":"C",` +
		`"box":[1,4]}]}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back []Launch
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, c.Launches) {
		t.Errorf("round trip: %+v, %v", back, err)
	}
}

func TestTensorMapRules(t *testing.T) {
	for _, c := range []struct {
		name, box, swizzle string
		k                  int
		want               string
	}{
		{"no box", `"k - k", "64"`, "128", 64, "box of [0 64] elements: expected 1 to 256 along each dimension"},
		{"box", `"m + 192", "64"`, "128", 64, "box of [257 64] elements: expected 1 to 256 along each dimension"},
		{"row of a box", `"32", "12"`, "0", 64, "box of [32 12] elements has rows of 24 bytes: expected a multiple of 16"},
		{"row beyond the swizzle", `"32", "64"`, "64", 64,
			"box of [32 64] elements has rows of 128 bytes: expected at most the 64 of its swizzle"},
		{"swizzle", `"32", "64"`, "4 * k", 64, "swizzle of 256 bytes: expected 0, 32, 64 or 128"},
		{"rows", `"32", "64"`, "128", 65, "A [65 65] has rows of 130 bytes: expected a multiple of 16"},
		{"extent", `"32", "64"`, "128", 1<<32 + 8, "A [65 4294967304]: expected at most 2^32 along each dimension"},
		{"division", `"32", "64 / (k - k)"`, "128", 64, "box: division by zero\n    64 / (k - k)\n       ^"},
		{"right", `"256", "256"`, "0", 8, ""},
		{"right swizzle", `"32", "16"`, "32", 8, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := resolve(t, tiled(t, c.box, c.swizzle), nil, hopper(t), Dims{"m": 65, "n": 32, "k": c.k})
			want := "launch product: tensor map a_tiles: " + c.want
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// TestTensorMapFaults: maps that are wrong for another reason than their box and swizzle.
func TestTensorMapFaults(t *testing.T) {
	for _, c := range []struct {
		name, arch string
		n          int
		want       string
	}{
		{"C is fp32 whatever the problem's dtype is", "sm_90a", 33,
			"c_tiles: C [65 33] has rows of 132 bytes: expected a multiple of 16"},
		{"no such unit", "sm_89", 32, "a_tiles: the device has none: expected sm_90 or later, by the family's arch or a " +
			"constraint on device.cc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, err := ArchDevice(c.arch)
			if err != nil {
				t.Fatal(err)
			}
			_, err = resolve(t, tiled(t, `"32", "64"`, ""), nil, dev, Dims{"m": 65, "n": c.n, "k": 64})
			if want := "launch product: tensor map " + c.want; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestTensorMapReads(t *testing.T) {
	f := mustFamily(t, tiled(t, `"tile / 2", "min(k, 64)"`, "warps * 64"))
	if got := strings.Join(f.Plan.Reads(), " "); got != "k m n smem split threads tile warps" {
		t.Errorf("reads %s", got)
	}
}

func TestBindTensorMap(t *testing.T) {
	f := mustFamily(t, tiled(t, `"tile / 2", "128 / elem"`, "warps * 64"))
	env, err := f.Env(Genome{"mma": String("wmma"), "tile": Int(32)}, hopper(t), FP16)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := f.Plan.Bind(env)
	if err != nil {
		t.Fatal(err)
	}
	own, err := CompilePlan("own", spec, mustProblem(t),
		expr.Scope{"m": 0, "n": 0, "k": 0, "device": Device{}, "elem": 0})
	if err != nil {
		t.Fatalf("what is bound does not stand alone: %v\n%+v", err, spec)
	}
	dims := Dims{"m": 65, "n": 32, "k": 64}
	want, err := (&Job{Plan: f.Plan, Env: env}).Resolve(dims)
	if err != nil {
		t.Fatal(err)
	}
	have, err := (&Job{Plan: own, Env: expr.Env{"device": hopper(t), "elem": 2}}).Resolve(dims)
	if err != nil || !reflect.DeepEqual(want, have) {
		t.Errorf("%+v, %v; expected %+v", have, err, want)
	}
	if box := f.Plan.Spec.Launches[0].TensorMaps[0].Box[0]; box != "tile / 2" {
		t.Errorf("the plan itself was changed: %s", box)
	}
}

// TestTensorMapShape: a map sees a tensor as another shape of as many elements, and as no other.
func TestTensorMapShape(t *testing.T) {
	seen := func(shape, box string) (TensorMap, error) {
		text := strings.Replace(tiled(t, `"32", "64"`, "128"), `tensor = "A", box = ["32", "64"]`,
			fmt.Sprintf(`tensor = "A", shape = [%s], box = [%s]`, shape, box), 1)
		c, err := resolve(t, text, nil, hopper(t), Dims{"m": 6, "n": 32, "k": 64})
		if err != nil {
			return TensorMap{}, err
		}
		return c.Launches[0].Maps[0], nil
	}
	got, err := seen(`"2", "m / 2", "k"`, `"1", "m / 2", "64"`)
	if want := []int{2, 3, 64}; err != nil || !reflect.DeepEqual(got.Over([]int{6, 64}), want) {
		t.Errorf("%v, %v; want a map over %v", got, err, want)
	}
	for _, c := range []struct{ shape, box, want string }{
		{`"2", "m", "k"`, `"1", "1", "64"`, "shape [2 6 64]: expected one of as many elements as A [6 64]"},
		{`"0 - 2", "0 - 3", "k"`, `"1", "1", "64"`, "shape [-2 -3 64]: expected one of as many elements as A [6 64]"},
		{`"m * 16", "k / 16"`, `"16", "64"`, "A [96 4] has rows of 8 bytes: expected a multiple of 16"},
	} {
		_, err := seen(c.shape, c.box)
		if want := "launch product: tensor map a_tiles: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", c.shape, err, want)
		}
	}
	text := strings.Replace(tiled(t, `"32", "64"`, "128"), `tensor = "A", box`, `tensor = "A", shape = ["m * k"], box`, 1)
	if _, err := ParseFamily("f.toml", "f", []byte(text), mustProblem(t)); err == nil ||
		!strings.Contains(err.Error(), "2 expressions: expected 1, one for each dimension of A [m * k]") {
		t.Errorf("a box of two dimensions for a shape of one: %v", err)
	}
}
