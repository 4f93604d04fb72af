package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestChecked: check finds no mistake and no oversight in the folders of some graphs
// (of all where DARWARP_GRAPHS is "all").
func TestChecked(t *testing.T) {
	var devices []kernels.Device
	for _, arch := range []string{"sm_80", "sm_90a"} {
		dev, err := kernels.ArchDevice(arch)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, dev)
	}
	names := strings.Fields("imported_cross_entropy cumsum cumsum_long cumsum_middle linear_lse frobenius " +
		"layernorm_bf16 sum_dim1 matmul_tf32")
	if os.Getenv("DARWARP_GRAPHS") == "all" {
		files, _ := filepath.Glob("testdata/*.json")
		names = names[:0]
		for _, file := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
	}
	for _, name := range names {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		dir := fstest.MapFS{}
		for name, text := range out {
			dir[name] = &fstest.MapFile{Data: text}
		}
		r := templates.Check(dir, devices)
		for _, m := range r.Mistakes {
			t.Errorf("%s: %v", name, m)
		}
		for _, f := range r.Families {
			if len(f.Warnings) > 0 {
				t.Errorf("%s: %s: %s", name, f.Name, strings.Join(f.Warnings, "; "))
			}
		}
	}
}

// TestTiny: rows of numbers whose squares are 0 in fp32 are asked for where something keeps a divisor from 0, and not
// where torch itself divides by 0.
func TestTiny(t *testing.T) {
	for name, left := range map[string]bool{
		"l2norm": true, "frobenius": true, "rms_written": false, "cosine_loss": false,
	} {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out["problem.toml"]), `without = ["tiny"]`); got != left {
			t.Errorf("%s: tiny is left out: %v", name, got)
		}
	}
}

// TestCentred: where distances from a mean are added up, a line of zeros but for one is a sum of many terms. The class
// of single terms is left out there, and only there.
func TestCentred(t *testing.T) {
	for name, left := range map[string]bool{
		"layernorm": true, "rms_written": false, "l2norm": false, "softmax": false,
	} {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out["problem.toml"]), `"single"`); got != left {
			t.Errorf("%s: single terms are left out: %v", name, got)
		}
	}
}
