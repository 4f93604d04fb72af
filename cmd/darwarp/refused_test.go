package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// strangersFolder goes to a folder with a run, a recording, a module, and files that are none of them.
func strangersFolder(t *testing.T) {
	t.Helper()
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TESTDATA", here)
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("DARWARP_PYTHON", "/nonexistent") // which would be said first, were it looked for
	if err := errors.Join(makeRun("r.db", false), makeSpace("axpy.json.gz"), os.Mkdir("empty", 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"M.py": "class Model(torch.nn.Module): pass\nclass Two: pass\n", "note.txt": "hello\n", "nothing": "",
		"zero.py": "import torch\x00", "cut.json": "{\n\"name\": ", "list.json": `{"name": []}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnwritable: a place that cannot be written is refused before anything is started, and no run is written over.
func TestUnwritable(t *testing.T) {
	strangersFolder(t)
	before, err := os.ReadFile("r.db")
	if err != nil {
		t.Fatal(err)
	}
	const takesNone = ": cannot write to the folder /proc: its file system takes no new files: name a f"
	for _, tt := range []struct{ line, want string }{
		{"search gemm --device cpu --store /proc/x.db", "--store /proc/x.db" + takesNone},
		{"search axpy.json.gz --store /proc/x.db", "--store /proc/x.db" + takesNone},
		{"import torch M.py -o /proc/r3", "-o /proc/r3" + takesNone},
		{"export r.db -o /proc/a", "-o /proc/a" + takesNone},
		{"export r.db -o /proc/a/b", "-o /proc/a/b" + takesNone},
		{"export r.db --portfolio 2 -o /proc/a", "-o /proc/a" + takesNone},
		{"report r.db -o /proc/x.html", "/proc/x.html" + takesNone},
		{"bench convert r.db -o /proc/x.json", "/proc/x.json" + takesNone},
		{"bench record gemm --device cpu --out /proc/x.json", "/proc/x.json" + takesNone},
		{"bench kernelbench . -o /proc/x", "-o /proc/x" + takesNone},
		{"search axpy.json.gz --trace /proc/x.json", "--trace: /proc/x.json" + takesNone},
		{"bench throughput gemm --trace /proc/x.json", "--trace: /proc/x.json" + takesNone},
		{"search axpy.json.gz --trace r.db", "--trace: r.db is a run, which would be lost: name another file"},
		{"bench convert r.db -o r.db", "r.db is a run, which would be lost: name another file"},
		{"bench record gemm --device cpu --out r.db", "r.db is a run, which would be lost: name another file"},
		{"bench convert r.db -o /dev/null", "/dev/null is no regular file: name a file"},
		{"import torch M.py -o new --class Nope", `--class "Nope": M.py has no class of that name: choose one of Model, Two`},
		{"import torch M.py -o new --class Modle", `no class of that name (did you mean "Model"?): choose one of Model`},
		{"import torch M.py -o new --class Mod", `--class "Mod": M.py has no class of that name`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			refuses(t, strings.Fields(tt.line), tt.want)
		})
	}
	if after, err := os.ReadFile("r.db"); err != nil || !bytes.Equal(before, after) {
		t.Error("a run was written over")
	}
}

// TestForeignFiles: files that are not what they are named as are refused before anything is started.
func TestForeignFiles(t *testing.T) {
	strangersFolder(t)
	pin := strings.Repeat("0123456789abcdef", 4)
	join := "join nats://127.0.0.1:1/" + pin
	for _, tt := range []struct{ line, want string }{
		{"top note.txt/x", "note.txt/x: not a directory: expected the file that `darwarp search` wrote"},
		{"stop note.txt", "note.txt: not a darwarp run (a text file): check the file name"},
		{"steer note.txt pause", "note.txt: not a darwarp run (a text file): check the file name"},
		{"stop nothing", "nothing: damaged (the file is empty)"},
		{"fleet status nosuch", "nosuch: no such run: expected the file that `darwarp search` wrote"},
		{"fleet status empty", "empty is a folder: expected the file that `darwarp search` wrote"},
		{"fleet drain nosuch w", "nosuch: no such run: expected the file that `darwarp search` wrote"},
		{"fleet status r.db", "r.db: no search with a fleet runs on it"},
		{join + " --token-file nosuch", "--token-file: nosuch: no such file or directory"},
		{join + " --token-file empty", "--token-file: empty: is a directory"},
		{join + " --token-file /dev/zero", "--token-file: /dev/zero: expected a file that contains only the token"},
		{join + " --token-file note.txt --jobs -1", "--jobs -1: expected 0 (one per core) to 1024"},
		{join + " --token-file note.txt --gpus x", "--gpus"},
		{join + " --token-file note.txt --sandbox no", `--sandbox "no": expected best, strict, off`},
		{"search gemm --fleet nats://x:1 --fleet-token-file nosuch", "--fleet: the token's file: nosuch: no such file"},
		{"search gemm --fleet nats://x:1 --fleet-creds empty", "the credentials' file: empty: is a directory"},
		{"search gemm --fleet nats://x:1 --fleet-ca nosuch", "the certificates' file: nosuch: no such file"},
		{"search gemm --fleet nats://x:1 --fleet-ca /dev/zero", "--fleet: /dev/zero: expected certificates in PEM"},
		{"import torch zero.py -o new", "zero.py is no text: expected a module of PyTorch"},
		{"import torch nothing -o new", "nothing is empty: expected a module of PyTorch"},
		{"import torch M.py -o empty/", "empty exists: choose another name"},
		{"import torch M.py -o new --dims =3", "--dims =3: expected NAME=SIZE, as in batch=4096"},
		{"import torch M.py -o new --dims n=2147483648", "--dims n=2147483648: expected 1 or more, and 2147483647 at most"},
		{"import flashinfer nothing", "nothing is not imported: it is no definition: line 1: not JSON, or cut short"},
		{"import flashinfer cut.json", "it is no definition: line 2: not JSON, or cut short"},
		{"import flashinfer list.json", `it is no definition: line 1: key "name": found a JSON array, expected a string`},
		{"bench kernelbench nosuch -o out", "nosuch: no such file or directory: expected a folder of modules"},
		{"bench record gemm --device cpu --out note.txt", "note.txt: not a recording: line 1: not JSON"},
		{"bench search axpy.json.gz --seeds 1000000000000", "--seeds 1000000000000: expected 1 to 100000"},
		{"bench search axpy.json.gz --seeds 0", "--seeds 0: expected 1 to 100000"},
		{"bench search axpy.json.gz --jobs 1000000000", "--jobs 1000000000: expected 1 to 1024"},
		{"bench search axpy.json.gz --hints -1", "--hints -1: expected a number of points, 0 for none"},
		{"bench search axpy.json.gz --mislead", "--mislead says how hints are given: add --hints"},
		{"bench soak gemm --faults nan", "--faults NaN: expected a percentage from 0 to 50"},
		{"bench soak gemm --strategy x", `--strategy "x": expected one of default, evolve, `},
		{"bench fleet gemm --workers 0", "--workers 0: expected 1 to 100000"},
		{"bench fleet gemm --churn -1", "--churn -1: expected 0 to 100000"},
		{"bench fleet gemm --rate 1e-9", "--rate 1e-09: expected 0.1 to 100000"},
		{"bench fleet gemm --for 0s", "--for 0s: expected more than 0"},
		{"verify r.db --recording note.txt", "and not on a recording: leave out note.txt"},
		{"explain r.db --recording note.txt", "and not on a recording: leave out note.txt"},
		{"search --resume r.db axpy.json.gz", "and not on a recording: leave out axpy.json.gz"},
		{"new /proc/x", "/proc/x: cannot write to the folder /proc: its file system takes no new files"},
	} {
		t.Run(tt.line, func(t *testing.T) { refuses(t, strings.Fields(tt.line), tt.want) })
	}
}

// TestRefusedInTheBackground: a search that is refused at once leaves no log beside its file.
func TestRefusedInTheBackground(t *testing.T) {
	strangersFolder(t)
	for line, want := range map[string]string{
		"search gemm --device cpu --detach --store r.db":       "--store r.db exists already",
		"search gemm --device cpu --detach --store empty":      "--store empty is no file",
		"search gemm --device cpu --detach --store /proc/x.db": "cannot write to the folder /proc",
	} {
		refuses(t, strings.Fields(line), want)
	}
	if logs, _ := filepath.Glob("*.log"); len(logs) > 0 {
		t.Errorf("%q is left", logs)
	}
}
