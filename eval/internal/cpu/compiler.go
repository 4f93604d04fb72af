package cpu

import (
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu/emu"
)

// Compiler says how candidates are compiled for this machine by the C++ compiler at path. headers is the
// device include library; the emulation stands in for CUDA's headers and for those of the library that
// hold PTX. A checked program reports every access to memory. What is compiled is for this very processor.
func Compiler(path string, headers map[string][]byte, checked bool) compile.Config {
	return compile.Config{Worker: "cxx", Library: path, Headers: headers, Overlay: emu.Files(), Checked: checked,
		Arch: "cpu " + model()}
}
