package session

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// stamped is "TAG COMMIT DATE", written by the linker: -ldflags "-X darwarp/cmd/darwarp/internal/session.stamped=...".
// The toolchain cannot say it where the source is no checkout, or one that it does not know, such as a git worktree.
var stamped string

// Build is what is known about this program's build. What is not known is empty.
type Build struct {
	Tag      string `json:"tag"`                // of a release, or "devel"
	Commit   string `json:"commit,omitempty"`   // its first 12 digits
	Date     string `json:"date,omitempty"`     // of the commit, as 2006-01-02
	Modified bool   `json:"modified,omitempty"` // the source was not the commit's
	Go       string `json:"go"`
	Platform string `json:"platform"` // as linux/amd64
}

const (
	devel       = "devel"
	shortCommit = 12
)

// pseudo is the end of the version that Go gives to a commit without a tag: -DATE-COMMIT.
var pseudo = regexp.MustCompile(`[.-]([0-9]{8})[0-9]{6}-([0-9a-f]{12})$`)

// Version is the build in one line: v0.1.0 (3fa2c81d5501, 2026-11-22).
func Version() string { return ThisBuild().String() }

// ThisBuild is what the linker or else the toolchain wrote into this program.
func ThisBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b := buildOf(stamped, info)
	b.Go, b.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return b
}

func buildOf(stamp string, info *debug.BuildInfo) Build {
	if words := strings.Fields(stamp); len(words) == 3 {
		commit, modified := strings.CutSuffix(words[1], "+dirty")
		return Build{Tag: words[0], Commit: short(commit), Date: words[2], Modified: modified}
	}
	version, dirty := strings.CutSuffix(info.Main.Version, "+dirty")
	b := Build{Tag: version, Modified: dirty}
	if m := pseudo.FindStringSubmatch(version); m != nil {
		b.Tag, b.Date, b.Commit = devel, m[1][:4]+"-"+m[1][4:6]+"-"+m[1][6:], m[2]
	}
	if version == "" || version == "(devel)" {
		b.Tag = devel
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = short(s.Value)
		case "vcs.time":
			b.Date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func short(commit string) string { return commit[:min(len(commit), shortCommit)] }

func (b Build) String() string {
	var known []string
	for _, s := range []string{b.Commit, b.Date} {
		if s != "" {
			known = append(known, s)
		}
	}
	if b.Modified {
		known = append(known, "modified")
	}
	if len(known) == 0 {
		return b.Tag
	}
	return b.Tag + " (" + strings.Join(known, ", ") + ")"
}
