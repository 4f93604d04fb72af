package kernelbench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/importer"
)

// TestImportedBefore: a folder that was made of the same text is copied, and one of another text is not taken.
func TestImportedBefore(t *testing.T) {
	b := newStage(t, nil).b
	b.Problems = t.TempDir()
	texts := map[string]string{importer.ModuleFile: "import torch\n", "problem.toml": "name = \"relu\"\n"}
	for name, text := range texts {
		path := filepath.Join(b.Problems, "1_relu", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"1_relu", "import torch\n", true}, {"1_relu", "import torch # changed\n", false},
		{"2_gelu", "import torch\n", false},
	} {
		dir := filepath.Join(t.TempDir(), tt.name)
		ok, err := b.imported(tt.text, dir)
		if err != nil || ok != tt.want {
			t.Errorf("%s of %q: %v, %v, want %v", tt.name, tt.text, ok, err, tt.want)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "problem.toml")); ok && !strings.Contains(string(text), "relu") {
			t.Errorf("%s: the folder was not copied: %q", tt.name, text)
		}
	}
	path := filepath.Join(t.TempDir(), "1_relu.py")
	if err := os.WriteFile(path, []byte("import torch\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Import.Sandbox = "best"
	if made, err := b.importModule(t.Context(), path, filepath.Join(t.TempDir(), "1_relu")); err != nil || made == nil {
		t.Errorf("a module that was imported before: %v", err)
	}
}

// TestImportedBeforeRefuses: nobody knows with which settings a folder was made, so none may be asked for.
func TestImportedBeforeRefuses(t *testing.T) {
	for name, change := range map[string]func(*Bench){
		"expected a folder": func(b *Bench) { b.Problems = filepath.Join(b.Problems, "none") },
		"leave out --scale": func(b *Bench) { b.Import.Scale = 0.5 },
		"--eval":            func(b *Bench) { b.Import.Eval = true },
		"and --precision":   func(b *Bench) { b.Import.Precision = "bf16" },
	} {
		b := newStage(t, nil).b
		b.Problems = t.TempDir()
		if err := b.checkProblems(); err != nil {
			t.Fatal(err)
		}
		change(&b)
		var coded *exit.Error
		err := b.checkProblems()
		if !errors.As(err, &coded) || coded.Code != exit.Usage || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want a line with %q", err, name)
		}
	}
}
