// Package python_test tests the Python package and its wheel, with the python3 of this machine and no PyTorch.
package python_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// python runs a Python with nothing of the user's: PATH has no compiler.
func python(t *testing.T, program string, args ...string) (out string, err error) {
	t.Helper()
	c := exec.Command(program, args...)
	c.Env = []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONNOUSERSITE=1"}
	text, err := c.CombinedOutput()
	return string(text), err
}

func python3(t *testing.T) string {
	t.Helper()
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output() // which may be a script
	if err != nil {
		t.Skip("THE PYTHON PACKAGE IS NOT TESTED: python3 is not here")
	}
	return strings.TrimSpace(string(path))
}

func TestModule(t *testing.T) {
	c := exec.Command(python3(t), "-m", "unittest", "discover", "-s", "tests")
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWheel builds the wheel and installs it where there is no PyTorch and no compiler.
func TestWheel(t *testing.T) {
	py, dir := python3(t), t.TempDir()
	if _, err := python(t, py, "-m", "pip", "--version"); err != nil {
		t.Skip("THE WHEEL IS NOT TESTED: python3 has no pip")
	}
	program := filepath.Join(dir, "darwarp")
	goBuild := exec.Command("go", "build", "-buildvcs=false", "-o", program, "darwarp/cmd/darwarp")
	goBuild.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := goBuild.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	built := wheel(t, py, program, filepath.Join(dir, "1"))
	venv := filepath.Join(dir, "venv")
	must(t, py, "-m", "venv", "--without-pip", venv)
	inside := filepath.Join(venv, "bin", "python")
	must(t, py, "-m", "pip", "--python", inside, "install", "--no-index", "--quiet", built)
	want := must(t, program, "version")
	if got := must(t, filepath.Join(venv, "bin", "darwarp"), "version"); got != want {
		t.Errorf("the installed program says %q, want %q", got, want)
	}
	if got := must(t, inside, "-c", "import darwarp; print(darwarp.run('version'), end='')"); got != want {
		t.Errorf("the package's program says %q, want %q", got, want)
	}
	if out, err := python(t, inside, "-c", "import darwarp; darwarp.load('x.db')"); err == nil ||
		!strings.Contains(out, "No module named 'torch'") {
		t.Errorf("without torch: %v\n%s", err, out)
	}
}

// wheel builds the wheel of a program and returns its path.
func wheel(t *testing.T, py, program, out string) string {
	t.Helper()
	c := exec.Command(py, "build.py", "--program", program, "-o", out)
	text, err := c.CombinedOutput()
	path := strings.TrimSpace(string(text))
	if err != nil || !strings.HasSuffix(path, ".whl") {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := filepath.Dir(path); got != out {
		t.Fatalf("the wheel is in %s, want %s", got, out)
	}
	return path
}

func must(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := python(t, program, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return out
}

// standIn is a program that has manual pages and completions, and is small.
const standIn = `#!/bin/sh
case $1 in
man) mkdir -p "$2" && echo .TH >"$2/darwarp.1" ;;
completion) echo "for $2" ;;
esac
`

// TestRelease: two releases of the same programs have the same bytes, and all that they promise.
func TestRelease(t *testing.T) {
	py, dir := python3(t), t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte(standIn), 0o755); err != nil {
		t.Fatal(err)
	}
	var all [2]map[string][]byte
	for i := range all {
		out := filepath.Join(dir, strconv.Itoa(i))
		c := exec.Command(py, "release.py", "--program", "amd64="+program, "--program", "arm64="+program, "-o", out)
		c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		check := exec.Command("sh", "-c", "cd "+out+" && sha256sum --quiet -c SHA256SUMS")
		if text, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		all[i] = files(t, out)
	}
	if len(all[0]) != 5 || !maps.EqualFunc(all[0], all[1], bytes.Equal) {
		t.Errorf("%q and %q", slices.Sorted(maps.Keys(all[0])), slices.Sorted(maps.Keys(all[1])))
	}
	tar, err := exec.Command("sh", "-c", "tar tvzf "+filepath.Join(dir, "0")+"/*-linux-arm64.tar.gz").Output()
	for _, want := range []string{"-rwxr-xr-x 0/0 ", "/bin/darwarp\n", "/share/man/man1/darwarp.1\n",
		"/share/completions/darwarp.zsh\n", "/LICENSE\n"} {
		if err != nil || !strings.Contains(string(tar), want) {
			t.Errorf("no %q in the tarball: %v\n%s", want, err, tar)
		}
	}
}

// files are those of a folder, by name.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestVersions: what a version is in Python.
func TestVersions(t *testing.T) {
	got := must(t, python3(t), "-c", `
import build
for tag, commit in ("v0.1.0", "3fa2"), ("v1.2.0-rc.1", "3fa2"), ("devel", "3fa2"), ("devel", "3fa2+dirty"), ("v1", "3fa2"), ("vx", "3fa2"):
    print(build.version(tag, commit, "2026-11-22"))
`)
	want := []string{"0.1.0", "1.2.0rc1", "0.0.0.dev20261122+g3fa2", "0.0.0.dev20261122+g3fa2.dirty", "1",
		"0.0.0.dev20261122+g3fa2"}
	if !slices.Equal(strings.Fields(got), want) {
		t.Errorf("got %q, want %q", strings.Fields(got), want)
	}
}
