package session

import (
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "3fa2c81d5501aabbccdd"},
		{Key: "vcs.time", Value: "2026-11-22T18:15:00Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(vcs[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, c := range []struct {
		name, stamp, version string
		settings             []debug.BuildSetting
		want                 string
	}{
		{"nothing known", "", "", nil, "devel"},
		{"a worktree", "", "(devel)", nil, "devel"},
		{"a checkout, before Go 1.24", "", "(devel)", vcs, "devel (3fa2c81d5501, 2026-11-22)"},
		{"a checkout", "", "v0.0.0-20261122181500-3fa2c81d5501", vcs, "devel (3fa2c81d5501, 2026-11-22)"},
		{"a changed checkout", "", "v0.0.0-20261122181500-3fa2c81d5501+dirty", changed,
			"devel (3fa2c81d5501, 2026-11-22, modified)"},
		{"after a tag", "", "v0.1.1-0.20261122181500-3fa2c81d5501", nil, "devel (3fa2c81d5501, 2026-11-22)"},
		{"a checkout of a tag", "", "v0.1.0", vcs, "v0.1.0 (3fa2c81d5501, 2026-11-22)"},
		{"go install of a tag", "", "v0.1.0", nil, "v0.1.0"},
		{"a candidate for release", "", "v0.1.0-rc.1", nil, "v0.1.0-rc.1"},
		{"a release", "v0.1.0 3fa2c81d5501aabb 2026-11-22", "(devel)", nil, "v0.1.0 (3fa2c81d5501, 2026-11-22)"},
		{"a release wins over the checkout", "v0.2.0 aaaa 2026-12-01", "v0.1.0", vcs, "v0.2.0 (aaaa, 2026-12-01)"},
		{"a changed release", "devel 3fa2c81d5501+dirty 2026-11-22", "", nil, "devel (3fa2c81d5501, 2026-11-22, modified)"},
		{"a stamp that is none", "v0.1.0", "", nil, "devel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
			if got := buildOf(c.stamp, info).String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
