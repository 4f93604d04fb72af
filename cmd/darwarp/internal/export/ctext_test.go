package export

import (
	"reflect"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

func TestCText(t *testing.T) {
	known := expr.Env{"tile": 64, "mode": "wide", "fast": true, "device": kernels.Device{SMs: 132}}
	for text, want := range map[string]string{
		"ceil_div(m, tile)":                "ceil_div(d.m, 64LL)",
		"m / 2 % 3":                        "mod(div(d.m, 2LL), 3LL)",
		"min(m, tile, device.sms)":         "least({d.m, 64LL, 132LL})",
		"mode == 'wide' and not fast":      `((std::string_view("wide") == std::string_view("wide")) && (!true))`,
		"m in [1, 2] ? 1 : abs(-m)":        "((false || d.m == 1LL || d.m == 2LL) ? 1LL : abs((-d.m)))",
		"fast ? m * 4 : round_up(m, tile)": "(true ? (d.m * 4LL) : round_up(d.m, 64LL))",
	} {
		if got, err := ctext(text, known); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v: expected %s", text, got, err, want)
		}
	}
	for _, text := range []string{"device.sms + m", "m +"} { // a device that is not known, and no expression
		if got, err := ctext(text, expr.Env{}); err == nil {
			t.Errorf("%s was written: %s", text, got)
		}
	}
}

func TestWritePlan(t *testing.T) {
	spec := kernels.PlanSpec{
		Scratch: []kernels.ScratchSpec{{Name: "part", Bytes: "m * 4", Once: true}},
		Launches: []kernels.LaunchSpec{
			{Entry: "product", Grid: []string{"ceil_div(m, tile)"}, Block: []string{"32", "warps"}, When: "tile > 16 && split",
				Args:     []string{"a_tiles", "C", "part", "a_tiles", "m"},
				L2Window: &kernels.L2WindowSpec{Tensors: []string{"A", "B", "C"}, When: "m > 1"},
				TensorMaps: []kernels.TensorMapSpec{
					{Name: "a_tiles", Tensor: "A", Box: []string{"tile / 2", "min(k, 64)"}, Swizzle: "warps * 64"},
					{Name: "c_tiles", Tensor: "C", Shape: []string{"m * 2", "tile"}, Box: []string{"1", "4"}}}},
			{Entry: "never", Grid: []string{"1"}, Block: []string{"1"}, When: "tile > 64"},
			{Entry: "sum", Grid: []string{"1"}, Block: []string{"1"}, When: "m > tile"},
		}}
	tensors := []kernels.Tensor{{Name: "A"}, {Name: "B"}, {Name: "C"}}
	got, err := writePlan(spec, tensors, expr.Env{"tile": 32, "warps": 2, "split": true})
	if err != nil {
		t.Fatal(err)
	}
	ones := [3]code{"1LL", "1LL", "1LL"}
	want := cPlan{
		Scratch: []cScratch{{spec.Scratch[0], "(d.m * 4LL)"}},
		Launches: []cLaunch{
			{Entry: "product", Smem: "0LL", Grid: [3]code{"ceil_div(d.m, 32LL)", "1LL", "1LL"},
				Block: [3]code{"32LL", "2LL", "1LL"}, Cluster: ones,
				Maps: []cTensorMap{{"a_tiles", "A", nil, []code{"div(32LL, 2LL)", "least({d.k, 64LL})"}, "(2LL * 64LL)"},
					{"c_tiles", "C", []code{"(d.m * 2LL)", "32LL"}, []code{"1LL", "4LL"}, "0LL"}},
				Args:   []cArg{{Map: "a_tiles"}, {Buffer: "C"}, {Buffer: "part"}, {Map: "a_tiles"}, {Value: "d.m"}},
				Window: []string{"A", "C"}, WindowWhen: "(d.m > 1LL)"},
			{Entry: "sum", Smem: "0LL", When: "(d.m > 32LL)", Grid: ones, Block: ones, Cluster: ones},
		}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nexpected %+v", got, want)
	}
	if _, err := writePlan(spec, tensors, expr.Env{"tile": 1.5}); err == nil {
		t.Error("a number that is none was written")
	}
	spec.Scratch = append(spec.Scratch, kernels.ScratchSpec{Name: "packed", Bytes: "0", Prepared: true})
	spec.Launches[1].Prepare = true // at no size
	reads := kernels.LaunchSpec{Entry: "reads", When: "n > 0 && !split", Args: []string{"packed"}}
	spec.Launches = append(spec.Launches, reads)
	known := expr.Env{"tile": 32, "warps": 2, "split": true}
	if got, err = writePlan(spec, tensors, known); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("nothing is packed: %+v, %v", got, err)
	}
	spec.Launches[1].When = "k > 1" // at some sizes, and whether what reads it is done is seen at each
	got, err = writePlan(spec, tensors, known)
	if err != nil || len(got.Prepare) != 1 || len(got.Packed) != 1 || len(got.Launches) != 3 || !got.Unsure() ||
		!got.Launches[2].Packed || got.Launches[0].Packed || got.Launches[2].Args[0].Buffer != "packed" {
		t.Errorf("something may be packed: %+v, %v", got, err)
	}
}
