package kernels

import (
	"reflect"
	"testing"

	"darwarp/kernels/expr"
)

func TestBind(t *testing.T) {
	scope := expr.Scope{"tile": 0, "mma": "", "split": false, "device": Device{}, "elem": 0, "n": 0, "dtype": ""}
	spec := PlanSpec{
		Scratch: []ScratchSpec{{Name: "part", Bytes: "tile * elem * 4"}},
		Launches: []LaunchSpec{
			{When: "mma == 'wmma'", Entry: "k", Grid: []string{"min(ceil_div(n, tile), device.sms)", "split ? 2 : 1"},
				Block: []string{"tile"}, Args: []string{"x", "part", "n + tile"},
				L2Window: &L2WindowSpec{When: "split", Tensors: []string{"x"}}},
			{When: "mma == 'fma'", Entry: "never", Grid: []string{"1"}, Block: []string{"1"}},
			{When: "n > tile", Entry: "rest", Grid: []string{"1"}, Block: []string{"1"}},
		},
	}
	tensors := []Tensor{{Name: "x"}}
	p, err := CompilePlan("f", spec, &Problem{Tensors: tensors}, scope)
	if err != nil {
		t.Fatal(err)
	}
	env := expr.Env{"tile": 64, "mma": "wmma", "split": true, "device": Device{SMs: 3}, "elem": 2, "dtype": "fp16"}
	got, err := p.Bind(env)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Launches) != 2 || got.Launches[0].When != "" || got.Launches[1].When != "n > 64" ||
		got.Scratch[0].Bytes != "64 * elem * 4" {
		t.Fatalf("bound: %+v", got)
	}
	own, err := CompilePlan("own", got, &Problem{Tensors: tensors}, expr.Scope{"device": Device{}, "elem": 0, "n": 0})
	if err != nil {
		t.Fatalf("what is bound does not stand alone: %v", err)
	}
	for _, n := range []int{1, 64, 1000} {
		env["n"] = n
		want, err := p.Resolve(env)
		if err != nil {
			t.Fatal(err)
		}
		have, err := own.Resolve(expr.Env{"device": Device{SMs: 3}, "elem": 2, "n": n})
		if err != nil || !reflect.DeepEqual(want, have) {
			t.Errorf("n = %d: %+v, %v; expected %+v", n, have, err, want)
		}
	}
	if spec.Launches[0].L2Window.When != "split" {
		t.Error("the plan itself was changed")
	}
}

// TestWithoutUnprepared: scratch that nothing prepares goes, with what would read it; what the plan was made of stays.
func TestWithoutUnprepared(t *testing.T) {
	spec := PlanSpec{
		Scratch: []ScratchSpec{{Name: "packed", Prepared: true}, {Name: "part"}},
		Launches: []LaunchSpec{{Entry: "pack", Prepare: true, Args: []string{"B", "packed"}},
			{Entry: "reads", When: "n > 0", Args: []string{"part", "packed"}}, {Entry: "natural", Args: []string{"B", "part"}}},
	}
	if got := spec.WithoutUnprepared(); !reflect.DeepEqual(got, spec) {
		t.Errorf("of a plan that prepares something is left out: %+v", got)
	}
	spec.Launches = spec.Launches[1:]
	want := PlanSpec{Scratch: []ScratchSpec{{Name: "part"}}, Launches: spec.Launches[1:]}
	if got := spec.WithoutUnprepared(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if spec.Scratch[0].Name != "packed" || spec.Launches[0].Entry != "reads" {
		t.Errorf("the plan was changed: %+v", spec)
	}
}
