package gpu

import (
	"testing"

	"darwarp/eval/internal/cubin"
)

// TestVariablesAreLookedAt: a program's variable that hashes to something else than when it was loaded is told by its
// name; one that nobody touched is not.
func TestVariablesAreLookedAt(t *testing.T) {
	p := &program{images: []*image{
		{Variable: cubin.Variable{Name: "table", Bytes: 16}, zone: zone{256, 16}, hash: 7},
		{Variable: cubin.Variable{Name: "answers", Bytes: 64}, zone: zone{512, 64}, hash: 9},
	}}
	for _, tt := range []struct {
		name string
		got  []uint64
		want string
	}{
		{"as they were", []uint64{7, 9}, ""},
		{"one changed", []uint64{7, 8}, "answers (64 bytes)"},
		{"the other", []uint64{0, 9}, "table (16 bytes)"},
	} {
		v := &inspection{}
		v.variables(p)
		if len(v.regions) != 2 {
			t.Fatalf("%d regions, expected 2", len(v.regions))
		}
		found, dirty := v.judge(tt.got, nil)
		kept := ""
		if found != nil {
			kept = found.Kept
		}
		if kept != tt.want || len(dirty) > 0 {
			t.Errorf("%s: kept %q, %d arenas to be made anew, expected %q and none", tt.name, kept, len(dirty), tt.want)
		}
	}
	v := &inspection{}
	v.variables(nil) // a library has none
	if len(v.regions) > 0 {
		t.Error("regions of no program")
	}
}
