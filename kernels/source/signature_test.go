package source

import (
	"strings"
	"testing"
)

func TestSignature(t *testing.T) {
	const params = "const T* __restrict__ x, pair<int, half> p, float y[], int (*f)(int, int), int n"
	s, err := Read("#include <darwarp/darwarp.cuh>\n\n" +
		"extern \"C\" __global__ void __launch_bounds__(128, 2)\nk(" + params +
		") {}\nextern \"C\" __global__ void none(void) {}\n")
	if err != nil {
		t.Fatal(err)
	}
	k := s.Signatures["k"]
	var got []string
	for _, p := range k.Params {
		kind := "value"
		if p.Pointer {
			kind = "pointer"
		}
		got = append(got, kind+" "+p.Text)
	}
	want := "pointer const T* __restrict__ x|value pair < int , half > p|pointer float y [ ]|" +
		"pointer int (* f ) ( int , int )|value int n"
	if k.Line != 3 || strings.Join(got, "|") != want {
		t.Errorf("line %d: %s\nwant %s", k.Line, strings.Join(got, "|"), want)
	}
	if !k.Params[1].Is("half") || k.Params[1].Is("float") {
		t.Errorf("words %q", k.Params[1].Words)
	}
	if n := s.Signatures["none"]; n.Line != 5 || len(n.Params) != 0 {
		t.Errorf("none: %+v", n)
	}
}
