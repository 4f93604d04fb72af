package rig

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/sandbox"
)

// TestMissingLayers: what the kernel lacks is told in one line, and foreign sources are refused where nothing keeps
// them from files, unless the sandbox was turned off.
func TestMissingLayers(t *testing.T) {
	defer func(usual func() sandbox.Layers) { layersHere = usual }(layersHere)
	all := sandbox.Layers{Landlock: 7, Seccomp: true, User: true, PIDs: true, Threads: true}
	noFiles, noThreads := all, all
	noFiles.Landlock, noThreads.Threads = 0, false
	for _, tt := range []struct {
		name    string
		here    sandbox.Layers
		mode    sandbox.Mode
		foreign bool
		refused bool
		told    string
	}{
		{"all", all, sandbox.Best, true, false, ""},
		{"no threads", noThreads, sandbox.Best, true, false, "threads"},
		{"no files, ours", noFiles, sandbox.Best, false, false, "files"},
		{"no files, foreign", noFiles, sandbox.Best, true, true, "files"},
		{"no files, foreign, off", noFiles, sandbox.Off, true, false, ""},
		{"nothing, foreign", sandbox.Layers{}, sandbox.Best, true, true, "system calls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			layersHere = func() sandbox.Layers { return tt.here }
			var said []string
			c := &Config{Trust: Trust{Sandbox: tt.mode, Foreign: tt.foreign},
				Listeners: Listeners{Progress: func(s string) { said = append(said, s) }}}
			err := c.CheckFence()
			var env *env.Error
			if errors.As(err, &env) != tt.refused || err != nil && !strings.Contains(err.Error(), "--sandbox off") {
				t.Errorf("%v, want it refused: %v", err, tt.refused)
			}
			if len(said) > 1 || (len(said) == 1) != (tt.told != "") ||
				tt.told != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, tt.told) }) {
				t.Errorf("%q, want %q", said, tt.told)
			}
		})
	}
}
