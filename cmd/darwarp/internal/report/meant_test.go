package report

import "testing"

func TestMeant(t *testing.T) {
	known := []string{"search", "show", "stop", "steer", "evals", "gemm", "layernorm", "m"}
	for word, want := range map[string]string{
		"serach": "search", "sear": "search", "Search": "search", "evalz": "evals", "gem": "gemm", "layer": "layernorm",
		"stpo": "stop", "nothing": "", "x": "", "": "", "search": "", "zzzzzzzzzzzz": "",
	} {
		if want != "" {
			want = " (did you mean \"" + want + "\"?)"
		}
		if got := Meant(word, known); got != want {
			t.Errorf("%q: %q, expected %q", word, got, want)
		}
	}
	for _, d := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}} {
		if distance(d.a, d.b) != d.n || distance(d.b, d.a) != d.n {
			t.Errorf("%q to %q: %d", d.a, d.b, distance(d.a, d.b))
		}
	}
}
