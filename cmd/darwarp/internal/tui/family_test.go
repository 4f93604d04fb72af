package tui

import (
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestYoungFamily: the source of a candidate is shown whose family came to the run after the view was opened.
func TestYoungFamily(t *testing.T) {
	s := newStory(t)
	f := s.bundle.Families[0]
	d, err := s.bundle.Draft(s.bundle.Declaration(f), s.bundle.Template(f), s.meta.Device, s.meta.DType)
	if err != nil {
		t.Fatal(err)
	}
	grown, _, err := s.bundle.Grow("llm-1", d)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	state := &State{Meta: s.meta, Bundle: s.bundle, Reads: Reads{Files: func() (map[string][]byte, error) {
		asked++
		return grown.Files, nil
	}}}
	for family, want := range map[string]string{f.Name: "", "llm-1": "", "llm-2": "has no family",
		"other": "has no family"} {
		text, err := renderSource(state, kernels.Variant{Family: family, Genes: f.Defaults()})
		if want == "" && (err != nil || !strings.Contains(text, "__global__")) || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("family %s: %v\n%s", family, err, text)
		}
	}
	if asked != 2 {
		t.Errorf("the files are read %d times", asked)
	}
}
