package judge

import (
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
)

// Main is the judge: it serves requests until its parent closes the pipe. Its inherited files are the channel to the
// parent and the host memory.
func Main([]string) int {
	channel, err := proc.Inherited(0)
	if err != nil {
		return proc.Fail(err)
	}
	host, err := device.Mapped(1)
	if err != nil {
		return proc.Fail(err)
	}
	device.TolerateGarbage()
	return device.Serve(NewSession(channel, host).Handle)
}
