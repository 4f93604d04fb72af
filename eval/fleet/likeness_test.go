package fleet

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sourceOf is a source as a family writes it: a few lines depend on the candidate.
func sourceOf(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "source %d\nconstexpr int BLOCK = %d;\n", n, n*32)
	for i := range 300 {
		if (i+n)%40 == 0 {
			fmt.Fprintf(&b, "    stage<%d>(sums[%d]);\n", n%7, i)
		}
		if i%50 != n%3 {
			fmt.Fprintf(&b, "    const float value_%d = load(row + %d, column) * scale;\n", i, i)
		}
	}
	return b.String()
}

// codeOf is what stands for the machine code of such a source: its first line. Of any other there is none.
func codeOf(source string) string {
	var n int
	if _, err := fmt.Sscanf(source, "source %d\n", &n); err != nil || source != sourceOf(n) {
		panic(fmt.Sprintf("a source of %d bytes came as no candidate has it", len(source)))
	}
	return fmt.Sprint("source ", n)
}

// TestLikeness: what differs is enough to have the text again, and little where two are alike.
func TestLikeness(t *testing.T) {
	model := newLikeness(sourceOf(1))
	for name, text := range map[string]string{
		"itself": sourceOf(1), "like": sourceOf(2), "more": sourceOf(3) + sourceOf(4), "nothing": "", "short": "x",
		"unlike": strings.Repeat("wholly other\n", 99), "cut": sourceOf(1)[:777], "behind": sourceOf(1)[777:],
		"no line break": strings.ReplaceAll(sourceOf(2), "\n", " "), "backwards": sourceOf(1)[4000:] + sourceOf(1)[:4000],
	} {
		d := model.differing(nil, text)
		got, err := restored(model.text, string(d), len(text))
		if err != nil || got != text {
			t.Errorf("%s: %d bytes are not what they were: %v", name, len(text), err)
		}
		alike := strings.Contains(" itself like more cut behind backwards ", " "+name+" ")
		if len(d) > len(text)+8 || alike && len(d) > len(text)/8+8 {
			t.Errorf("%s: %d bytes of %d", name, len(d), len(text))
		}
	}
}

// TestLikenessRefused: what is no difference to the model gives an error, and no text, however long it says that is.
func TestLikenessRefused(t *testing.T) {
	model := newLikeness(sourceOf(1))
	good := string(model.differing(nil, sourceOf(2)))
	whole := len(sourceOf(2))
	for name, tt := range map[string]struct {
		model, data string
		most        int
	}{
		"nothing": {model.text, "", whole}, "too long": {model.text, good, whole - 1},
		"cut":             {model.text, good[:len(good)-3], whole},
		"another model":   {model.text[:400], good, whole},
		"more than it is": {"model", "\x03\x00\x00\x05", 100}, "less than it is": {"model", "\x09\x00\x00\x05", 100},
		"beyond its end": {"model", "\x04\x00\x02\x04", 100}, "own bytes missing": {"model", "\x04\x04ab", 100},
		"length that overflows": {"model", strings.Repeat("\xff", 10) + "\x01", 100},
		"nowhere to go on":      {"model", "\x04\x02ab", 100},
	} {
		if got, err := restored(tt.model, tt.data, tt.most); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// FuzzLikeness: any text is had again from any model, and any difference ends in a text of its length or an error.
func FuzzLikeness(f *testing.F) {
	f.Add(sourceOf(1), sourceOf(2), string(newLikeness(sourceOf(1)).differing(nil, sourceOf(2))))
	f.Add("a line of it\nanother line\n", "another line\na line of it\n", "\x05\x00\x00\x05")
	f.Fuzz(func(t *testing.T, model, text, data string) {
		d := newLikeness(model).differing(nil, text)
		if got, err := restored(model, string(d), len(text)); err != nil || got != text {
			t.Errorf("%q like %q: %q, %v", text, model, got, err)
		}
		if got, err := restored(model, data, 1<<16); err == nil && len(got) > 1<<16 {
			t.Errorf("%d bytes", len(got))
		}
	})
}

// TestLikenessMixed: lines of the model in any order, with others in between, are had again.
func TestLikenessMixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	model := newLikeness(sourceOf(1))
	lines := strings.SplitAfter(sourceOf(1)+sourceOf(5), "\n")
	for range 200 {
		var b strings.Builder
		for range rng.IntN(80) {
			line := lines[rng.IntN(len(lines))]
			b.WriteString(line[rng.IntN(len(line)+1):])
		}
		d := model.differing(nil, b.String())
		if got, err := restored(model.text, string(d), b.Len()); err != nil || got != b.String() {
			t.Fatalf("%q: %v", b.String(), err)
		}
	}
}

// BenchmarkLikeness: a source of gemm's size, written and read.
func BenchmarkLikeness(b *testing.B) {
	model, text := newLikeness(sourceOf(1)), sourceOf(2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := restored(model.text, string(model.differing(nil, text)), len(text)); err != nil {
			b.Fatal(err)
		}
	}
}
