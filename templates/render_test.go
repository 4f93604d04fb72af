package templates

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestJob(t *testing.T) {
	b := mustBundle(t, scaffolded(t))
	f, dev := b.Families[0], devices(t)[1]
	dev.Toolchain = "NVRTC 13.0"
	g := kernels.Genome{"vector": kernels.Int(8), "grid": kernels.String("persistent"), "blocks_per_sm": kernels.Int(4)}
	job, err := b.Job(f, g, dev, kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"using T = __nv_bfloat16;",
		"constexpr int VECTOR = 8;   // elements of one load: 16 bytes", "using Word = uint4;",
		"first += (long long)gridDim.x * TILE"} {
		if !strings.Contains(job.Source, want) {
			t.Errorf("the source has no %q", want)
		}
	}
	if job.Acc != kernels.FP32 || job.Variant.Family != "fuse" || job.Variant.Genes.Key() != g.Key() ||
		job.Variant.Source != "" {
		t.Errorf("job: %+v", job.Variant)
	}
	call, err := job.Resolve(kernels.Dims{"rows": 4096, "cols": 4096})
	if err != nil || call.Launches[0].Grid[0] != 4*dev.SMs || len(call.Launches[0].Args) != 6 {
		t.Errorf("call %+v, %v", call, err)
	}
	again, err := mustBundle(t, scaffolded(t)).Job(f, g.Clone(), dev, kernels.BF16)
	if err != nil || again.Source != job.Source || again.ID != job.ID {
		t.Errorf("the same point renders differently: %v", err)
	}
}

func TestJobIDs(t *testing.T) {
	b := mustBundle(t, scaffolded(t))
	f, devs := b.Families[0], devices(t)
	base := kernels.Genome{"grid": kernels.String("persistent"), "blocks_per_sm": kernels.Int(4)}
	id := func(g kernels.Genome, dev kernels.Device, d kernels.DType) kernels.ID {
		t.Helper()
		job, err := b.Job(f, g, dev, d)
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	want := id(base, devs[0], kernels.FP16)
	launches := base.Clone()
	launches["blocks_per_sm"] = kernels.Int(2) // the same source, another grid
	newer := devs[0]
	newer.Toolchain = "NVRTC 13.1"
	for name, other := range map[string]kernels.ID{
		"launches": id(launches, devs[0], kernels.FP16), "arch": id(base, devs[1], kernels.FP16),
		"dtype": id(base, devs[0], kernels.BF16), "toolchain": id(base, newer, kernels.FP16),
	} {
		if other == want {
			t.Errorf("%s does not count", name)
		}
	}
}

// TestPlansStandAlone: what a model is shown of a kernel's launches, with which it changes the source, launches the
// same.
func TestPlansStandAlone(t *testing.T) {
	dev := devices(t)[1]
	for _, name := range Builtins() {
		b, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Families {
			job, err := b.Job(f, f.Defaults(), dev, b.Problem.DTypes[0])
			if err != nil {
				t.Fatal(err)
			}
			plan, err := job.Plan.Bind(job.Env)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, f.Name, err)
			}
			own, err := b.VariantJob(kernels.Variant{Source: job.Source, Plan: &plan}, dev, b.Problem.DTypes[0])
			if err != nil {
				t.Fatalf("%s, %s: %v", name, f.Name, err)
			}
			for _, w := range b.Problem.Workloads {
				want, err1 := job.Resolve(w.Dims)
				got, err2 := own.Resolve(w.Dims)
				if err1 != nil || err2 != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s at %s: %+v, %v; expected %+v, %v", name, f.Name, w.Name, got, err2, want, err1)
				}
			}
		}
	}
}

func TestJobRefusesStrangers(t *testing.T) {
	b := mustBundle(t, scaffolded(t))
	for _, c := range []struct {
		g    kernels.Genome
		want string
	}{
		{kernels.Genome{"vectors": kernels.Int(8)},
			`unknown gene "vectors": fuse has threads, vector, items, loader, grid, blocks_per_sm`},
		{kernels.Genome{"vector": kernels.Int(3)}, "gene vector has no value 3: expected one of [1 2 4 8]"},
		{kernels.Genome{"vector": kernels.String("8")}, "gene vector has no value 8: expected one of [1 2 4 8]"},
	} {
		if _, err := b.Job(b.Families[0], c.g, devices(t)[0], kernels.FP16); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// render renders a template of the test's own in place of the scaffold's.
func render(t *testing.T, text string) (string, error) {
	t.Helper()
	b, err := FromFiles(changed(t, "fuse.cu.tmpl", "", text))
	if err != nil {
		return "", err
	}
	job, err := b.Job(b.Families[0], b.Families[0].Defaults(), devices(t)[0], kernels.FP16)
	return job.Source, err
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"arithmetic", "{{add 1 2}} {{sub 1 2}} {{mul 3 .threads}} {{div 7 2}} {{mod 7 2}}", "3 -1 768 3 1\n"},
		{"names", "{{.T}} {{.dtype}} {{.elem}} {{.tile}} {{.blocks_per_sm}}", "__half fp16 2 256 2\n"},
		{"loop", "{{range $i := 3}}{{$i}}, {{end}}", "0, 1, 2,\n"},
		{"printf", `{{printf "%03d" .vector}}`, "001\n"},
		{"blanks", "\n\n a  \n\n\n{{- if false}}x{{end}}\n\t\n\nb\n\n\n", " a\n\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := render(t, c.text); err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestRenderErrors(t *testing.T) {
	const steps = "more than 131072 steps: a loop or a template that calls itself without end"
	for _, c := range []struct{ name, text, want string }{
		{"unknown name", "a\n  {{.block_q}}",
			`fuse.cu.tmpl:2:4: executing "fuse" at <.block_q>: map has no entry for key "block_q"`},
		{"division", "{{div 1 0}}",
			`fuse.cu.tmpl:1:2: executing "fuse" at <div 1 0>: error calling div: div: division by zero`},
		{"device", "{{.device}}", `fuse.cu.tmpl:1:2: executing "fuse" at <.device>: map has no entry for key "device"`},
		{"long", `{{range 100}}{{printf "%60000d" 1}}{{end}}`, "source longer than 1048576 bytes"},
		{"silent loop", `{{range 1000000000}}{{end}}`, steps},
		{"silent loops", `{{range 100000}}{{range 100000}}{{range 100000}}{{end}}{{end}}{{end}}`, steps},
		{"recursion",
			`{{define "x"}}{{if .}}{{template "x" (sub . 1)}}{{template "x" (sub . 1)}}{{end}}{{end}}{{template "x" 60}}`,
			steps},
		{"endless recursion", `{{template "fuse" .}}`, "templates nested deeper than 100: one calls itself without end"},
		{"endless recursion in a loop", `{{range 9}}{{template "fuse" .}}{{end}}`,
			"templates nested deeper than 100: one calls itself without end"},
		{"growing string", `{{$x := "ab"}}{{range 60}}{{$x = print $x $x}}{{end}}`,
			`fuse.cu.tmpl:1:33: executing "fuse" at <print $x $x>: error calling print: string longer than 65536 bytes`},
		{"long format", `{{printf "` + strings.Repeat("%[1]s", 300) + `" "x"}}`,
			`error calling printf: printf: format longer than 1024 bytes`},
		{"escaping", `{{js "x"}}`, `fuse.cu.tmpl:1:2: executing "fuse" at <js "x">: error calling js: js is not available`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := render(t, c.text)
			if err == nil || err.Error() != c.want && !(c.name == "long format" && strings.HasSuffix(err.Error(), c.want)) {
				t.Errorf("got %d bytes, %v; want %s", len(got), err, c.want)
			}
		})
	}
}

func FuzzFromFiles(f *testing.F) {
	files := scaffolded(f)
	f.Add(files[problemFile], files["fuse.toml"], files["fuse.cu.tmpl"])
	f.Add(files[problemFile], files["fuse.toml"],
		[]byte("{{range 9}}{{template \"fuse\" .}}{{end}}{{define \"y\"}}{{.}}{{end}}"))
	f.Add(files[problemFile], files["fuse.toml"],
		[]byte("{{with $x := .threads}}{{range $x}}{{print $x}}{{else}}{{break}}{{end}}{{end}}"))
	dev := devices(f)[0]
	f.Fuzz(func(t *testing.T, problem, family, text []byte) {
		b, err := FromFiles(map[string][]byte{problemFile: problem, "fuse.toml": family, "fuse.cu.tmpl": text,
			"reference.cu": nil})
		var ms kernels.Mistakes
		if err != nil {
			if !errors.As(err, &ms) || len(ms) == 0 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		job, err := b.Job(b.Families[0], b.Families[0].Defaults(), dev, kernels.FP16)
		if err != nil {
			return
		}
		again, err := b.Job(b.Families[0], b.Families[0].Defaults(), dev, kernels.FP16)
		if err != nil || again.Source != job.Source || again.ID != job.ID || len(job.Source) > maxSource+1 {
			t.Fatalf("not the same twice: %v", err)
		}
	})
}

func BenchmarkJob(b *testing.B) {
	bundle, err := Builtin("gemm")
	if err != nil {
		b.Fatal(err)
	}
	f, dev := bundle.Families[0], devices(b)[1]
	for b.Loop() {
		if _, err := bundle.Job(f, f.Defaults(), dev, kernels.FP16); err != nil {
			b.Fatal(err)
		}
	}
}
