package cpu

import (
	"runtime"

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
	out, err := proc.OpenShared(files.Out)
	if err != nil {
		return proc.Fail(err)
	}
	runtime.LockOSThread() // a thread's stack and place in the caches are part of what is timed
	return device.Serve(NewSession(out.Map(), files).Handle)
}
