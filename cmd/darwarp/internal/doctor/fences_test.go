package doctor

import (
	"bytes"
	"strings"
	"testing"

	"darwarp/eval"
)

// TestFences: the sandbox is well only if every layer is, and each that is missing says what follows and what it needs.
func TestFences(t *testing.T) {
	layers := []eval.SandboxLayer{{Name: "files", What: "Landlock", Stops: "reading", OK: true, Lack: "all is open",
		Needs: "Linux 6.10"}, {Name: "threads", What: "pid_max", Stops: "floods", OK: true, Lack: "a flood",
		Needs: "Linux 6.14"}}
	open := []eval.SandboxLayer{layers[0], {Name: "memory", What: "limits", Stops: "greed", OK: true, Open: "memfd"}}
	broken := []eval.SandboxLayer{layers[0], layers[1]}
	broken[0].OK = false
	for _, tt := range []struct {
		name      string
		missing   string
		layers    []eval.SandboxLayer
		concealed bool
		well      bool
		tells     []string
	}{
		{"all", "", layers, true, true, []string{"Landlock: stops reading"}},
		{"no files", "files", broken, true, false, []string{"missing: files", "all is open", "It needs Linux 6.10"}},
		{"one leaves something open", "", open, true, true, []string{"limits: stops greed; leaves open: memfd"}},
		{"not concealed", "", layers, false, false, []string{"its memory can be read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := fencesOf("seccomp", tt.missing, tt.layers, tt.concealed)
			var text bytes.Buffer
			diagnosis{Findings: found}.Text(&text)
			if found[0].OK != tt.well {
				t.Errorf("as a whole: %v", found[0].OK)
			}
			well := true
			for _, f := range found[1:] {
				well = well && f.OK
			}
			if well != tt.well {
				t.Errorf("layer by layer: %v", well)
			}
			for _, want := range tt.tells {
				if !strings.Contains(text.String(), want) {
					t.Errorf("no %q in\n%s", want, &text)
				}
			}
		})
	}
}

// TestAttackTable: verdicts that agree are one line, and one that nothing stopped counts.
func TestAttackTable(t *testing.T) {
	a := Attacks{Layers: "seccomp", Missing: "files", Skipped: []string{"GPU worker: no driver"},
		Verdicts: []eval.AttackVerdict{
			{Worker: "compile worker", Group: "files", Attack: "read", Stopped: true, Layer: "Landlock: EACCES"},
			{Worker: "compile worker", Group: "network", Attack: "TCP", Stopped: true, Layer: "seccomp: EPERM"},
			{Worker: "cpu worker", Group: "files", Attack: "read", Stopped: true, Layer: "Landlock: EACCES"},
			{Worker: "cpu worker", Group: "network", Attack: "TCP", Layer: "nothing"},
		}}
	var text bytes.Buffer
	a.Text(&text)
	got := strings.Fields(text.String())
	want := strings.Fields(`attack from stopped by
		ok files: read compile worker, cpu worker Landlock: EACCES
		ok network: TCP compile worker seccomp: EPERM
		NOT STOPPED network: TCP cpu worker nothing
		not tried: GPU worker: no driver
		3 of 4 attacks were stopped; layers: seccomp; missing: files`)
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got\n%s", &text)
	}
	if a.Failed() != 1 {
		t.Errorf("%d failed, want 1", a.Failed())
	}
}
