package compile

import (
	"path/filepath"

	"darwarp/eval/internal/cpu/emu"
)

func (s *cxx) prefixFile() string { return filepath.Join(pchDir(s.folder), "prefix.h") }

// common are the options that the emulation needs. Nobody reads the warnings, and the first errors are enough.
func (s *cxx) common() []string {
	most := "-fmax-errors=4"
	if s.clang() {
		most = "-ferror-limit=4"
	}
	return append(emu.Options(s.clang()), "-pipe", "-w", most, "-I"+overlayDir(s.folder), "-I"+includeDir(s.folder))
}

// candidateSpeed is the optimisation of candidates: -O2 takes a third longer to compile and runs a tenth faster, but
// a search spends more time compiling than running.
const candidateSpeed = "-O1"

// options are those of prefix and sources.
func (s *cxx) options() []string {
	opts := append(s.common(), candidateSpeed)
	if s.Checked {
		opts = append(opts, emu.CheckedOptions(s.clang(), s.recent)...)
	}
	return opts
}
