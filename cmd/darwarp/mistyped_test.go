package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// refuses runs what must end with exit code 2 and one line.
func refuses(t *testing.T, args []string, want string) {
	t.Helper()
	var out, talk bytes.Buffer
	code := run(context.Background(), args, strings.NewReader(""), &out, &talk)
	said := talk.String()
	if code != 2 || out.Len() > 0 || !strings.HasPrefix(said, "darwarp: ") || strings.Count(said, "\n") != 1 {
		t.Errorf("exit code %d, on stdout %.200q, on stderr %.800s", code, out.String(), said)
	}
	if !strings.Contains(said, want) {
		t.Errorf("%s, want %s", said, want)
	}
	if at := raw.FindString(said); at != "" {
		t.Errorf("%q is nobody's word: %s", at, said)
	}
}

// raw is what Go's libraries say, which nobody has typed.
var raw = regexp.MustCompile(`strconv|\b(stat|mkdir|open|lstat|read) [^ ]+: |invalid character|invalid syntax|%!|` +
	`\.darwarp-|goroutine|0x[0-9a-f]{6}|<nil>|runtime error`)

// TestMistyped types what nobody means, and expects one line that says what is wrong, in the user's words.
func TestMistyped(t *testing.T) {
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TESTDATA", here)
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	if err := makeRun("r.db", false); err != nil {
		t.Fatal(err)
	}
	if err := makeSpace("axpy.json.gz"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"note.txt": "hello\n", "good.toml": "family = \"f\"\n[genes]\na = 1\n",
		"wrong.toml": "family = \"f\"\ngenes = \"a\"\n",
		"key.toml":   "family = \"f\"\n[genes]\na = 1\n[gens]\n", "value.toml": "family = \"f\"\n[genes]\na = 1.5\n",
		"cut.json": "{\"family\": \"f\",\n\"genes\": {\n", "list.json": "{\"family\": \"f\",\n\"genes\": []}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("full/darwarp.1", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line string // without the program; '' is an empty argument
		want string // of the message
	}{
		{"help search nosuch", `darwarp search has no commands of its own: leave out "nosuch"`},
		{"help bench nosuch", `unknown command "nosuch" for "darwarp bench"`},
		{"completion nosuch", `unknown command "nosuch" for "darwarp completion"`},
		{"completion bash x", `darwarp completion bash takes no argument, got "x"`},
		{"top r.db -n 99999999999999999999", "--number 99999999999999999999 is out of range"},
		{"top ''", "the name of the run is empty"},
		{"top r.db extra", "got 2 arguments, expected: darwarp top RUN"},
		{"show r.db bset", `(did you mean "best"?)`},
		{"show r.db chmpion", `(did you mean "champion"?)`},
		{"exchanges r.db 1", `exchange "1": no language model was asked in this run`},
		{"exchanges r.db x", `exchange "x": no language model was asked in this run`},
		{"export r.db -o note.txt", "-o note.txt is a file: name a new folder"},
		{"export r.db -o note.txt/x", "-o note.txt/x is a file: name a new folder"},
		{"export r.db -o out --portfolio 1", "--portfolio 1: expected 2 or more kernels"},
		{"export r.db -o out --portfolio 0", "--portfolio 0: expected 2 or more kernels"},
		{"export r.db -o out --portfolio -3", "--portfolio -3: expected 2 or more kernels"},
		{"export r.db best -o out --portfolio 2", "the run's portfolio chooses the kernels"},
		{"new a/b/c", "cannot make the folder a/b/c: no such file or directory"},
		{"new full", "full exists: choose another name"},
		{"check nosuch", "nosuch: no such file or directory: expected a problem folder"},
		{"check ''", "the name of the folder is empty"},
		{"check note.txt", "note.txt is a file: expected a problem folder"},
		{"list attentoin", `(did you mean "attention"?)`},
		{"steer r.db inject nosuch.cu", "nosuch.cu: no such file or directory"},
		{"steer r.db inject note.txt", "note.txt:1: expected '=' after key: expected family = \"NAME\" and a table [genes]"},
		{"steer r.db inject wrong.toml", "wrong.toml:2: genes: a TOML string does not fit here: expected a table: "},
		{"steer r.db inject key.toml", "key.toml:4: gens: unknown key: expected family = \"NAME\" and a table [genes]"},
		{"steer r.db inject value.toml", `value.toml: gene "a": 1.5 is not an integer, a string or a boolean`},
		{"steer r.db inject cut.json", "cut.json: line 2: not JSON, or cut short: expected family"},
		{"steer r.db inject list.json", `list.json: line 2: key "genes": found a JSON array, expected an object: `},
		{"steer r.db inject full", "full is a folder: expected a file"},
		{"verify r.db --device replay", `no recording of "axpy" is shipped; expected one of gemm`},
		{"verify r.db --sandbox of", `--sandbox "of": expected best, strict, off`},
		{"search note.txt", "note.txt: not a recording: line 1: not JSON"},
		{"search r.db", "r.db is a run: continue it with darwarp search --resume r.db"},
		{"bench search note.txt", "note.txt: not a recording: line 1: not JSON"},
		{"bench search r.db", "r.db is a run"},
		{"bench convert note.txt -o x.json", "note.txt: not a darwarp run (a text file)"},
		{"search axpy.json.gz --races", "--races: axpy.json.gz is a recording, and nothing is run"},
		{"search axpy.json.gz --gene thraeds=64", `unknown gene "thraeds" (did you mean "threads"?)`},
		{"search axpy.json.gz --gene threads=65", "gene threads has no value 65"},
		{"search gemm --device cpu --gene stagse=3", `unknown gene "stagse" (did you mean "stages"?)`},
		{"search gemm --device cpu --gene stages=2,99", "--gene stages=99: gene stages has no value 99: expected one of"},
		{"search axpy.json.gz --workload smal", `(did you mean "small"?)`},
		{"search axpy.json.gz --objective geomena", `(did you mean "geomean"?)`},
		{"search gemm --device cpu --dtype bf61", `(did you mean "bf16"?)`},
		{"search axpy.json.gz --store " + strings.Repeat("n", 201), "--store: a name of 201 bytes: expected at most 200"},
		{"bench space nosuch", "nosuch: no such file or directory: expected a T1 file, or a recording and --constraints"},
		{"search axpy.json.gz --store full", "--store full is no file: name a new one"},
		{"search axpy.json.gz --store r.db", "continue it with --resume r.db, or choose another name"},
		{"search axpy.json.gz --evals 1e3", `--evals "1e3": expected a whole number`},
		{"search axpy.json.gz --seed -1", `--seed "-1": expected a whole number of 0 or more`},
		{"search axpy.json.gz --for 9999999h", "--for 9999999h is out of range"},
		{"search axpy.json.gz --for 1h9999999h", "--for 1h9999999h is out of range"},
		{"search axpy.json.gz --for 8hours", `--for "8hours": expected a time, as in 90s, 20m or 8h`},
		{"search axpy.json.gz --for 8", `--for "8": expected a time, as in 90s, 20m or 8h`},
		{"stop r.db", "r.db: no search is running on it: darwarp search --resume r.db goes on with it"},
		{"steer r.db inject good.toml", "darwarp: r.db: no search is running on it: "},
		{"steer r.db pause", "r.db: no search is running on it: darwarp search --resume r.db goes on with it"},
		{"search axpy.json.gz --require nine", `--require "nine": expected a number`},
		{"search axpy.json.gz --require nan", "--require NaN: expected a factor above 0"},
		{"search axpy.json.gz --require inf", "--require +Inf: expected a factor above 0"},
		{"search axpy.json.gz --require 1e300", "--require 1e+300: expected a factor above 0, up to 1000"},
		{"search axpy.json.gz --require 1000.1", "--require 1000.1: expected a factor above 0, up to 1000"},
		{"search gemm --device cpu --then all", "--then all: expected one workload, as in --then 128"},
		{"search gemm --device cpu --then default", "--then default: expected one workload, as in --then 2048"},
		{"search gemm --device cpu --workload 128 --portfolio 2", "--portfolio 2: one shape needs one kernel"},
		{"search gemm --device cpu --workload 8192", "workload 8192 is too large for the cpu device, which emulates CUDA: " +
			"one call would take about 18m22s: choose a smaller size, as in --workload 128"},
		{"search gemm --device cpu --workload m=100000,n=100000,k=100000", "one call would take about"},
		{"search softmax --device cpu --workload rows=2000000000,cols=2000000000", "choose a smaller size with --workload"},
		{"bench throughput gemm --device cpu --workload 8192", "workload 8192 is too large for the cpu"},
		{"search gemm --device cpu --from r.db", "--from r.db is a run of axpy, and gemm has none of its families " +
			"(strided): name a run whose families it has"},
		{"man note.txt", "cannot be written (not a directory): name a folder for the pages"},
		{"man full", "full/darwarp.1 cannot be written (is a directory): name a folder for the pages"},
		{"report r.db -o nosuch/x.html", "nosuch/x.html: cannot write to the folder nosuch: no such file or directory"},
		{"search axpy.json.gz --require 0", "--require 0: expected a factor above 0"},
		{"search axpy.json.gz --store ''", `--store "" has no value: name one, or leave the flag out`},
		{"search axpy.json.gz --resume ''", `--resume "" has no value`},
		{"search axpy.json.gz --from ''", `--from "" has no value`},
		{"search axpy.json.gz --then ''", `--then "" has no value`},
		{"search axpy.json.gz --trace ''", `--trace "" has no value`},
		{"search axpy.json.gz --fleet ''", `--fleet "" has no value`},
		{"search gemm --device ''", `--device "" has no value`},
		{"search gemm --dtype ''", `--dtype "" has no value`},
		{"search gemm --llm ''", `--llm "" has no value`},
		{"new x --from ''", `--from "" has no value`},
		{"list gemm --arch ''", `--arch "" has no value`},
		{"export r.db -o out --as ''", `--as "" has no value`},
		{"show r.db ''", "argument 2 is empty: expected: darwarp show RUN [ID]"},
		{"diff r.db best ''", "argument 3 is empty: expected: darwarp diff RUN ID ID"},
		{"steer r.db pin ''", "argument 3 is empty"},
		{"show r.db xyz", `candidate "xyz": expected the first digits of an ID, best or lowest-score`},
		{"steer r.db weigh small=nan", `weigh: "small=nan": expected NAME=WEIGHT, a number of 0 or more`},
		{"steer r.db weigh small=-1", `weigh: "small=-1": expected NAME=WEIGHT, a number of 0 or more`},
		{"steer r.db weigh small=inf", `weigh: "small=inf": expected NAME=WEIGHT, a number of 0 or more`},
		{"search axpy.json.gz --require 1 --no-baseline", "that --no-baseline leaves out: choose one"},
		{"search gemm --jobs 1000000000", "--jobs 1000000000: expected 0 (one per core) to 1024"},
		{"search gemm --device cpu --store nosuch/x.db", "x.db: cannot write to the folder nosuch: no such file"},
		{"search gemm --device cpu --store note.txt/x.db", "cannot write to the folder note.txt: not a directory"},
		{"search gemm --device cpu --llm full --llm-model m --llm-url foo", `--llm-url "foo": expected the base URL`},
		{"search gemm --device cpu --llm full --llm-model m --llm-prompts note.txt", "note.txt is not a folder"},
		{"search gemm --device cpu --llm full --llm-model m --llm-prompts nosuch", "--llm-prompts: nosuch: no such file"},
		{"search gemm --device cpu --llm full --llm-model m --llm-prices note.txt", "--llm-prices: note.txt:1: expected "},
		{"search gemm --device cpu --llm full --llm-model m --llm-key-file nosuch", "key file nosuch: no such file"},
		{"search gemm --device cpu --llm full --llm-replay r.db", "the run has no exchange with a language model"},
		{"import torch note.txt -o out --dims foo", `--dims "foo": expected NAME=SIZE, as in batch=4096`},
		{"import torch note.txt -o out --dims a=x", `--dims "a=x": expected NAME=SIZE`},
		{"bench convert r.db -o full", "full is a folder: name a file"},
		{"bench record gemm --device cpu --out full", "full is a folder: name a file"},
		{"report r.db -o nosuch.html/", "expected a file to write that ends in .html"},
		{"bench fleet gemm --rate nan", "--rate NaN: expected 0.1 to 100000"},
		{"bench fleet gemm --rate 1e300", "--rate 1e+300: expected 0.1 to 100000"},
		{"bench fleet gemm --workers 1000000000", "--workers"},
		{"gate test --device cdua", `--device "cdua" (did you mean "cuda"?): expected auto, cuda or cpu`},
		{"gate test --kernel no_first_barier", `(did you mean "no_first_barrier"?): expected one of `},
		{"gate test --kernel nosuch", "names: with --problem, those of a problem are told"},
		{"gate test --problem softmax --kernel nosuch", "no_first_barrier, "},
		{"new ''", "the name of the folder is empty"},
		{"search axpy.json.gz --resume r.db --store x.db", "--store: the run r.db keeps the value"},
		{"search axpy.json.gz --from note.txt", "note.txt: not a darwarp run"},
		{"search axpy.json.gz --llm full --llm-model m --llm-key-file nosuch", "key file nosuch"},
		{"watch r.db --replay 0s", "--replay 0s: expected how long to take"},
		{"portfolio r.db --k 1", "--k 1: expected 2 or more kernels"},
		{"report r.db -o page", `-o "page": expected a file to write that ends in .html`},
		{"search axpy.json.gz --evals -1", "--evals -1: expected 1 or more, or leave it out"},
		{"search axpy.json.gz --evals 0", "--evals 0: expected 1 or more, or leave it out"},
		{"search axpy.json.gz --stall -7", "--stall -7: expected 1 or more, or leave it out"},
		{"search axpy.json.gz --for 0s", "--for 0s: expected more than 0, as in 90s or 8h, or leave it out"},
		{"search axpy.json.gz --for -3s", "--for -3s: expected more than 0"},
		{"search axpy.json.gz --require -1", "--require -1: expected a factor above 0"},
		{"explain r.db --counters -2", "--counters -2: expected 0 or more"},
		{"bench kernelbench full -o out --evals -1", "--evals -1: expected 1 or more, or leave it out"},
		{"bench kernelbench full -o out --sandbox of", `--sandbox "of": expected best, strict, off`},
		{"steer nosuch add --evals -5", "add: --evals -5: expected 1 or more"},
		{"steer nosuch add --for -5s", "add: --for -5s: expected more than 0"},
		{"steer nosuch add --for 2000000h", "--for 2000000h00m: expected at most 8760h, a year"},
		{"search axpy.json.gz --for 8761h", "--for 8761h00m: expected at most 8760h, a year"},
		{"bench fleet gemm --for 10000h", "--for 10000h00m: expected at most 8760h, a year"},
		{"bench kernelbench full -o out --for 10000h", "--for 10000h00m: expected at most 8760h, a year"},
		{"watch r.db --replay 9000h", "--replay 9000h00m: expected at most 8760h, a year"},
		{"steer nosuch add", "add: expected --evals or --for, with more than 0"},
		{"steer nosuch weigh small=much", `weigh: "small=much": expected NAME=WEIGHT`},
		{"steer nosuch pasue", `unknown command "pasue" (did you mean "pause"?)`},
		{"portfolio nosuch", "--k is missing: say how many kernels at most, as in "},
		{"portfolio r.db --k -1", "--k -1: expected 2 or more kernels"},
		{"runs x", `darwarp runs takes no argument, got "x"`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			args := strings.Fields(tt.line)
			for i := range args {
				args[i] = strings.Trim(args[i], "'")
			}
			refuses(t, args, tt.want)
		})
	}
}

// TestContinued: an interrupted search says how to go on with the workers that it had.
func TestContinued(t *testing.T) {
	var f searchFlags
	if got := f.continued("a.db"); !strings.HasSuffix(got, " search --resume a.db") {
		t.Error(got)
	}
	f.Fleet.Listen, f.Fleet.TokenFile = "nats://host:4222", "my token"
	const want = " search --resume a.db --fleet nats://host:4222 --fleet-token-file 'my token'"
	if got := f.continued("a.db"); !strings.HasSuffix(got, want) {
		t.Error(got)
	}
}
