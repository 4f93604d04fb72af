package emu

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var includeRE = regexp.MustCompile(`(?m)^\s*#include ([<"])(.*)[>"]`)

// TestHeadersIncludeOneWay: no header of the emulation includes itself by way of others. With include guards such a
// circle compiles or not by which of its headers comes first.
func TestHeadersIncludeOneWay(t *testing.T) {
	dir := os.DirFS("cxx")
	includes := map[string][]string{}
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, p)
		for _, m := range includeRE.FindAllStringSubmatch(string(text), -1) {
			for i, to := range []string{path.Join(path.Dir(p), m[2]), m[2]} { // beside it, else on the include path
				if _, err := fs.Stat(dir, to); err == nil && (i > 0 || m[1] == `"`) {
					includes[p] = append(includes[p], to)
					break
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(includes["runtime/check.h"], "dw/memory.h") {
		t.Fatalf("includes are not read: %v", includes)
	}
	done := map[string]bool{}
	var visit func(p string, from []string)
	visit = func(p string, from []string) {
		if slices.Contains(from, p) {
			t.Errorf("%s", strings.Join(append(from, p), " includes "))
			return
		}
		for _, to := range includes[p] {
			if !done[to] {
				visit(to, append(slices.Clone(from), p))
			}
		}
		done[p] = true
	}
	for p := range includes {
		visit(p, nil)
	}
}
