// Package cmdline writes commands that can be typed as they are: with the program under the name that it was called by,
// and with quotes where the shell needs them.
package cmdline

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programEnv hands the name on to a search in the background, whose own call nobody typed.
const programEnv = "DARWARP_PROGRAM"

// program is what the user types to start darwarp.
var program = "darwarp"

// Called takes the name from the arguments of the process, the program's own among them.
func Called(argv []string) {
	if len(argv) == 0 {
		return
	}
	if program = os.Getenv(programEnv); program != "" {
		_ = os.Unsetenv(programEnv)
		return
	}
	parent, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid())) // empty: not told
	program = typed(argv, strings.Split(string(bytes.TrimSuffix(parent, []byte{0})), "\x00"))
}

// Environ is the variable for a process that goes on in this one's place.
func Environ() string { return programEnv + "=" + program }

// typed is the beginning of the command line that led to the arguments. `go run` starts a file that is gone afterwards:
// what was typed are the parent's own arguments, which end with ours.
func typed(argv, parent []string) string {
	ours := argv[1:]
	if n := len(parent) - len(ours); n > 2 && filepath.Base(parent[0]) == "go" && parent[1] == "run" &&
		slices.Equal(parent[n:], ours) {
		return quoteAll(parent[:n])
	}
	base := filepath.Base(argv[0])
	if found, err := exec.LookPath(base); err == nil && found == argv[0] { // the shell found it on the path
		return Quote(base)
	}
	return Quote(argv[0])
}

// Of is a command of darwarp with its arguments.
func Of(args ...string) string { return program + " " + quoteAll(args) }

func quoteAll(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = Quote(a)
	}
	return strings.Join(out, " ")
}

// plain are the characters that no POSIX shell gives a meaning within a word.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%"

// Quote is an argument as a POSIX shell reads it.
func Quote(arg string) string {
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
