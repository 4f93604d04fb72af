package cmdline

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTyped(t *testing.T) {
	onPath := filepath.Join(t.TempDir(), "darwarp")
	if err := os.WriteFile(onPath, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(onPath))
	fields := strings.Fields
	for _, tt := range []struct{ argv, parent, want string }{
		{"darwarp show r.db", "bash", "darwarp"},
		{"./darwarp show r.db", "bash", "./darwarp"},
		{onPath + " show r.db", "bash", "darwarp"},
		{"/x" + onPath, "bash", "/x" + onPath}, // another one
		{"/tmp/go-build1/b001/exe/darwarp search gemm", "go run ./cmd/darwarp search gemm", "go run ./cmd/darwarp"},
		{"/c/66-d/darwarp", "/usr/local/go/bin/go run -race .", "/usr/local/go/bin/go run -race ."},
		{"./darwarp", "go run ./x", "go run ./x"},            // nothing was given to either
		{"./darwarp search gemm", "go run ./x", "./darwarp"}, // a program that starts darwarp
		{"./darwarp test", "go test", "./darwarp"},           // a test that does
		{"./darwarp run x", "go run run x", "./darwarp"},     // nothing is left to run
		{"./darwarp search gemm", "gofmt run . search gemm", "./darwarp"},
	} {
		if got := typed(fields(tt.argv), fields(tt.parent)); got != tt.want {
			t.Errorf("%q from %q: %q, want %q", tt.argv, tt.parent, got, tt.want)
		}
	}
}

// TestQuote has the shell read what was quoted.
func TestQuote(t *testing.T) {
	for _, arg := range []string{"", "gemm", "m=1,n=2", "my run.db", "it's", "$HOME", "`id`", "a\\b", "*", "~x", "#x",
		"a\nb", "é"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(arg)).Output()
		if err != nil || string(out) != arg {
			t.Errorf("%q is read as %q (%v)", arg, out, err)
		}
	}
	if got := Of("show", "my run.db"); got != "darwarp show 'my run.db'" {
		t.Error(got)
	}
}
