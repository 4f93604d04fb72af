package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
	"darwarp/kernels"
)

// rungMain is a device worker whose driver works on some rungs alone, which DARWARP_FAKE_RUNGS names. It is told its
// profile, and does not apply it: this kernel may not have all layers.
func rungMain(args []string) int {
	rung := "outside"
	if args[0] == "sandbox" {
		var p sandbox.Profile
		if err := json.Unmarshal([]byte(args[1]), &p); err != nil {
			panic(err)
		}
		rung = map[[2]bool]string{{false, false}: "narrow", {true, false}: "shared", {true, true}: "wide"}[[2]bool{p.Shared,
			p.Wide}]
	}
	works := strings.Fields(os.Getenv("DARWARP_FAKE_RUNGS"))
	switch {
	case rung == "narrow" && slices.Contains(works, "narrow-killed"):
		time.Sleep(time.Minute) // see killNarrow
	case slices.Contains(works, rung+"-killed"):
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case slices.Contains(works, rung+"-stopped"): // what seccomp does to a call that it does not know
		_ = syscall.Kill(os.Getpid(), syscall.SIGSYS)
	}
	return proc.Main(func(_ context.Context, _ proc.Frame, c *proc.Conn) error {
		if !slices.Contains(works, rung) {
			return fmt.Errorf("the driver does not work (%s)", rung)
		}
		return c.Reply(device.OpenReply{Count: 1, Device: kernels.Device{Name: rung}})
	})
}

// TestLadder: candidates run in the narrowest fence in which the driver works, and outside of any only where the mode
// is best and the sources are ours.
func TestLadder(t *testing.T) {
	const all = "narrow shared wide outside"
	for _, c := range []struct {
		name    string
		mode    sandbox.Mode
		foreign bool
		works   string // rungs
		want    string // empty: an error
		said    string
		refused string // what the error says
	}{
		{"all work", sandbox.Best, false, all, "narrow", "", ""},
		{"all work", sandbox.Strict, true, all, "narrow", "", ""},
		{"no namespaces", sandbox.Best, true, "shared wide outside", "shared", "candidates run without (", ""},
		{"no namespaces", sandbox.Strict, false, "shared wide outside", "shared", "candidates run without (", ""},
		{"a call is stopped", sandbox.Strict, false, "narrow-stopped shared-stopped wide", "wide", "a wider sandbox", ""},
		{"wide", sandbox.Best, true, "wide outside", "wide", "needs a wider sandbox", ""},
		{"wide", sandbox.Strict, true, "wide outside", "wide", "needs a wider sandbox", ""},
		{"outside", sandbox.Best, false, "outside", "outside", "candidates run outside of it (", ""},
		{"outside, foreign", sandbox.Best, true, "outside", "", "", "a sandbox for sources that are not darwarp's own"},
		{"outside, strict", sandbox.Strict, false, "outside", "", "", "(narrow)"},
		{"nowhere", sandbox.Best, false, "", "", "", "(outside)"},
		{"nowhere, strict", sandbox.Strict, false, "", "", "", "(narrow)"},
		{"off", "", true, all, "outside", "", ""},
		{"off, nowhere", "", false, "narrow shared wide", "", "", "(outside)"},
		{"killed from outside", sandbox.Best, false, "narrow-killed shared wide outside", "", "", "worker died"},
		{"killed on the way", sandbox.Best, false, "shared-killed wide outside", "", "", "worker died"},
	} {
		t.Run(c.name+" "+string(c.mode), func(t *testing.T) {
			t.Setenv("DARWARP_FAKE_RUNGS", "in "+c.works)
			defer killNarrow(t, strings.Contains(c.works, "narrow-killed"))()
			var said []string
			p := &Rig{Cfg: Config{Trust: Trust{Sandbox: c.mode, Foreign: c.foreign},
				Listeners: Listeners{Progress: func(s string) { said = append(said, s) }}}, Log: slog.New(slog.DiscardHandler)}
			p.role = runner.GPU.In(p.Cfg.fence())
			look, err := p.look(t.Context(), env.Location{})
			if c.want == "" {
				var env *env.Error
				if !errors.As(err, &env) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%s, %v: expected an error about %s", look.Device.Name, err, c.refused)
				}
				return
			}
			if err != nil || look.Device.Name != c.want {
				t.Fatalf("%s, %v: expected %s", look.Device.Name, err, c.want)
			}
			if said := strings.Join(said, "; "); (said == "") != (c.said == "") || !strings.Contains(said, c.said) {
				t.Errorf("said %q, expected %q", said, c.said)
			}
			// What is started later is on the same rung.
			again, err := env.LookAs(t.Context(), p.role, env.Location{}, 0)
			if err != nil || again.Device.Name != c.want {
				t.Errorf("later on %s, %v", again.Device.Name, err)
			}
		})
	}
}

// killNarrow kills the workers of this process that have namespaces of their own, until it is stopped: the first
// process of a pid namespace cannot end itself.
func killNarrow(t *testing.T, really bool) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for ; really && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
			for _, list := range lists {
				children, _ := os.ReadFile(list)
				for _, child := range strings.Fields(string(children)) {
					command, _ := os.ReadFile("/proc/" + child + "/cmdline")
					pid, err := strconv.Atoi(child)
					if err == nil && strings.Contains(string(command), `"shared":false`) {
						_ = syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
