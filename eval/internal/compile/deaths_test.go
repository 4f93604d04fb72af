package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"darwarp/eval/internal/proc"
)

// mortalEnv has a worker end itself while it compiles: by the signal of the number before the colon, as long as there
// are files in the folder after it, one of which it takes away each time.
const mortalEnv = "DARWARP_TEST_MORTAL"

// mortalMain is a compile worker that may end while it compiles.
func mortalMain(args []string) int {
	s, err := newServer(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return proc.ExitInternal
	}
	number, folder, _ := strings.Cut(os.Getenv(mortalEnv), ":")
	signal, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	return proc.Main(func(ctx context.Context, f proc.Frame, c *proc.Conn) error {
		var req request
		if err := f.Decode(&req); err != nil {
			return err
		}
		if kills, _ := filepath.Glob(filepath.Join(folder, "*")); len(kills) > 0 && !req.Prepare {
			if err := os.Remove(kills[0]); err != nil {
				panic(err)
			}
			go func() { _, _ = s.translate(bomb) }() // of which it does not come to the end
			time.Sleep(100 * time.Millisecond)
			_ = syscall.Kill(os.Getpid(), syscall.Signal(signal))
			select {}
		}
		return s.handle(ctx, f, c)
	})
}

func TestCompileSurvivesKill(t *testing.T) {
	for _, tt := range []struct {
		name    string
		signal  syscall.Signal
		kills   int
		failure string
	}{
		{"killed once", syscall.SIGKILL, 1, ""},
		{"killed always", syscall.SIGKILL, maxDeaths, "killed on it"},
		{"crashed once", syscall.SIGSEGV, 1, ""},
		{"crashed twice", syscall.SIGSEGV, maxCrashes, "crashed on it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kills := t.TempDir()
			for i := range tt.kills {
				if err := os.WriteFile(filepath.Join(kills, strconv.Itoa(i)), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv(mortalEnv, fmt.Sprintf("%d:%s", tt.signal, kills))
			cfg := config(t)
			cfg.Slots = 1
			out := compileOne(t, open(t, cfg), good())
			if tt.failure == "" && out.Failure != "" || !strings.Contains(out.Failure, tt.failure) {
				t.Errorf("failure %q, want %q", out.Failure, tt.failure)
			}
			if left, _ := filepath.Glob(filepath.Join(kills, "*")); len(left) > 0 {
				t.Errorf("%d of %d kills are left", len(left), tt.kills)
			}
		})
	}
}
