package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// fakeSanitizer is a compute-sanitizer: a script that has the tool in $tool, the report's file in $out and all that it
// was given in $all.
func fakeSanitizer(t *testing.T, script string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "compute-sanitizer")
	body := "#!/bin/sh\nall=$*\nwhile [ \"$1\" != --log-file ]; do [ \"$1\" = --tool ] && tool=$2; shift; done\nout=$2\n" +
		script + "\n"
	if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Only a complete report without a finding is clean; missing, empty, cut off and killed say nothing.
func TestSanitize(t *testing.T) {
	const (
		clean = "echo '========= COMPUTE-SANITIZER' >$out\ncase $tool in racecheck) echo '========= RACECHECK SUMMARY: 0 " +
			"hazards displayed (0 errors, 0 warnings)';; *) echo '========= ERROR SUMMARY: 0 errors';; esac >>$out\n"
		found = "printf '========= COMPUTE-SANITIZER\\n========= Invalid __global__ read of size 4 bytes\\n=========     " +
			"at k+0x90 in k.cu:3\\n========= ERROR SUMMARY: 2 errors\\n' >$out\nexit 86\n"
		race = "printf '========= Error: Race reported between Write access at k+0x10\\n" +
			"=========     and Read access at k+0x20 [4 hazards]\\n" +
			"========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\\n' >$out\nexit 86\n"
	)
	for _, c := range []struct{ name, script, verdict, detail string }{
		{"clean", clean, kernels.Clean, ""},
		{"found", found, kernels.Dirty, "Invalid __global__ read of size 4 bytes at k+0x90 in k.cu:3"},
		{"race", race, kernels.Dirty,
			"Error: Race reported between Write access at k+0x10 and Read access at k+0x20 [4 hazards]"},
		{"missing report", "exit 0", kernels.NotSanitized, "no complete report"},
		{"empty report", ": >$out", kernels.NotSanitized, "no complete report"},
		{"cut off", "echo '========= COMPUTE-SANITIZER' >$out\nkill -9 $$", kernels.NotSanitized, "signal: killed"},
		{"clean, then killed", clean + "kill -9 $$", kernels.NotSanitized, "reports nothing, but ended with signal: killed"},
		{"clean, but the worker failed", clean + "echo out of memory; exit 70", kernels.NotSanitized, "out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Sanitize(t.Context(), fakeSanitizer(t, c.script), &gpu.Profile{})
			if err != nil || len(got) != len(Sanitizers) {
				t.Fatalf("%+v, %v", got, err)
			}
			for i, s := range got {
				if s.Tool != Sanitizers[i] || s.Verdict != c.verdict || !strings.Contains(s.Detail, c.detail) {
					t.Errorf("%+v, expected %s: ...%s...", s, c.verdict, c.detail)
				}
			}
			if kernels.AllClean(got) != (c.verdict == kernels.Clean) {
				t.Errorf("all clean: %v", kernels.AllClean(got))
			}
		})
	}
}

// TestSanitizerFlags: memcheck alone pads allocations, so that no gap behind a buffer hides an access.
func TestSanitizerFlags(t *testing.T) {
	for _, tool := range Sanitizers {
		got := strings.Join(sanitizerFlags(tool), " ")
		if !strings.HasPrefix(got, "--tool "+tool) || (tool == "memcheck") != strings.Contains(got, "--padding 65536") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	args := filepath.Join(t.TempDir(), "args")
	if _, err := Sanitize(t.Context(), fakeSanitizer(t, "echo $all >>"+args), &gpu.Profile{}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(args); err != nil || strings.Count(string(data), "--padding 65536") != 1 {
		t.Errorf("%s, %v", data, err)
	}
}
