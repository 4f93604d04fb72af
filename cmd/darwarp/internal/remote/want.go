package remote

import (
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// Want is what a search wants of a fleet.
type Want struct {
	At       Place
	Kind     string         // of the devices: cuda or cpu
	Run      string         // the run's file: the fleet's keys are beside it
	GateTest bool           // workers test their gate first
	Device   kernels.Device // of a run that goes on; without a name it is that of the first worker
	Unlike   func(Island)   // hears of each further kind of device; quick
	Say      func(format string, args ...any)
}

// Island is the part of a fleet that has another kind of device.
type Island interface {
	session.Opened
	Kind() string // names the device by all that its times depend on: letters and digits
	Manned() bool // a worker with such a device is there
}
