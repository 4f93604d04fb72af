package llm

import (
	"maps"
	"slices"
	"testing"
)

func TestLibrary(t *testing.T) {
	l := NewLibrary(map[string][]byte{
		"a.cuh": []byte("// about a\n__device__ inline float twice(float x) { return 2 * x; }\n"),
		"b.cuh": []byte("struct Pair { int a, b; };\n__device__ Pair pair(int);\n"),
		"c.cuh": []byte("#define NOTHING\n"),
	})
	for source, want := range map[string][]string{
		"y = twice(x);":         {"a.cuh"},
		"Pair p; twice(1);":     {"a.cuh", "b.cuh"},
		"// twice\nint thrice;": nil,
	} {
		if got := slices.Sorted(maps.Keys(l.Used(source, 1000))); !slices.Equal(got, want) {
			t.Errorf("%q uses %v: expected %v", source, got, want)
		}
	}
	if got := l.Used("Pair p; twice(1);", 70); len(got) != 1 ||
		got["a.cuh"] != "__device__ inline float twice(float x) { return 2 * x; }" {
		t.Errorf("in 70 bytes fit %q", got)
	}
}
