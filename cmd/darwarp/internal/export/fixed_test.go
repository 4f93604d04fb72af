package export

import (
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestFixed: what was compiled and judged for some head sizes does not claim others in any form.
func TestFixed(t *testing.T) {
	whole, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	k := gemm(t)
	if k.Workloads, err = whole.Problem.FindWorkload("8x16x512x64"); err != nil {
		t.Fatal(err)
	}
	if k.Bundle, err = whole.For(k.Workloads); err != nil {
		t.Fatal(err)
	}
	if k.Job, err = k.Bundle.Job(k.Bundle.Families[0], k.Bundle.Families[0].Defaults(), k.Device, k.DType); err != nil {
		t.Fatal(err)
	}
	k.Candidate = kernels.Candidate{ID: k.Job.ID, Variant: k.Job.Variant}
	k.As = []string{"header", "torch", "kernels"}
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if strings.Contains(string(text), "attention_128") {
			t.Errorf("%s names a kernel that does not exist:\n%s", name, text)
		}
	}
	holds(t, "README.md", files["README.md"], "For `d == 64` alone: at other sizes it was not judged, and has no launch.")
	holds(t, "dispatch.h", files["dispatch.h"], "if ((d.d == 64LL))", "no launch for these sizes")
	_, sizes, _ := strings.Cut(string(files["torch_check.py"]), "SIZES = {")
	sizes, _, _ = strings.Cut(sizes, "\n}")
	if !strings.Contains(sizes, ", 64, 1],") || strings.Contains(sizes, ", 128, 1],") {
		t.Errorf("torch_check.py checks sizes that the kernel has no launch for:\n%s", sizes)
	}
	if got := k.author(); !strings.Contains(got, "darwarp: the built-in family flash") {
		t.Errorf("its author is %q", got)
	}
	before, err := gemm(t).files()
	if err != nil || strings.Contains(string(before["README.md"]), "alone: at other sizes") {
		t.Errorf("gemm is for all sizes: %v\n%s", err, before["README.md"])
	}
}
