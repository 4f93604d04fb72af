package gpu

import (
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
)

// Main is the device worker: it serves requests until its parent closes the pipe. Its inherited files are those of
// device.Files.
func Main(args []string) int {
	files, err := device.Inherit(args)
	if err != nil {
		return proc.Fail(err)
	}
	device.TolerateGarbage()
	s := NewSession(files)
	return device.Serve(s.Handle, s.Finish)
}
