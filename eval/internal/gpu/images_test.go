package gpu

import (
	"testing"

	"darwarp/eval/internal/cubin"
)

// TestVariablesAreLookedAt: a program whose variables hash to something else than when they were loaded is told by
// their names, of which a message has a few; one that left them alone is not told.
func TestVariablesAreLookedAt(t *testing.T) {
	many := []image{{Variable: cubin.Variable{Name: "table", Bytes: 16}, zone: zone{256, 16}}}
	for range 4 {
		many = append(many, image{Variable: cubin.Variable{Name: "more", Bytes: 4}, zone: zone{512, 4}})
	}
	for _, tt := range []struct {
		name   string
		images []image
		got    uint64
		want   string
	}{
		{"as they were", many, 7, ""},
		{"changed", many[:1], 8, "table (16 bytes)"},
		{"many", many, 0, "table (16 bytes), more (4 bytes), more (4 bytes), or one of 2 more"},
	} {
		p, v := &program{images: tt.images, hash: 7}, &inspection{}
		v.variables(p)
		if len(v.regions) != len(tt.images) || v.next != 1 {
			t.Fatalf("%s: %d regions in %d counters, expected %d in one", tt.name, len(v.regions), v.next, len(tt.images))
		}
		found, dirty := v.judge([]uint64{tt.got}, nil)
		kept := ""
		if found != nil {
			kept = found.Kept
		}
		if kept != tt.want || len(dirty) > 0 {
			t.Errorf("%s: kept %q, %d arenas to be repaired, expected %q and none", tt.name, kept, len(dirty), tt.want)
		}
	}
	for _, p := range []*program{nil, {}} { // a library, a kernel without any
		v := &inspection{}
		if v.variables(p); len(v.regions) > 0 || v.next > 0 {
			t.Error("regions of no variables")
		}
	}
}
