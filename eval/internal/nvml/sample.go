package nvml

import (
	"unsafe"

	"darwarp/eval/internal/dl"
)

// Unknown stands in a Sample for figures that are not available, as on parts of a GPU and some virtual GPUs.
const Unknown = -1

// Sample is the state of a GPU at one moment.
type Sample struct {
	Utilization    int     // percent of the last sampling period (up to a second) in which a kernel ran
	MemUtilization int     // percent of that period in which memory was read or written
	Temperature    int     // degrees Celsius
	Power          float64 // watts
	PowerLimit     float64 // watts, the limit in force
	SMClock        int     // MHz
	MaxSMClock     int     // MHz
	MemClock       int     // MHz
	Throttle       Reasons
	MemUsed        int64 // bytes, of all processes
	MemTotal       int64 // bytes
}

// Clock domains of nvmlClockType_t, and the die's sensor of nvmlTemperatureSensors_t.
const (
	clockSM   = 1
	clockMem  = 2
	sensorGPU = 0
)

// Sample reads the GPU's state. An error means that the GPU or its driver is in trouble.
func (d *Device) Sample() (Sample, error) {
	r := reader{d: d}
	p := &d.l.p
	s := Sample{
		Temperature: r.int(p.Temperature, sensorGPU),
		Power:       watts(r.int(p.PowerUsage)),
		PowerLimit:  watts(r.int(p.PowerLimit)),
		SMClock:     r.int(p.ClockInfo, clockSM),
		MaxSMClock:  r.int(p.MaxClockInfo, clockSM),
		MemClock:    r.int(p.ClockInfo, clockMem),
	}
	s.Utilization, s.MemUtilization, s.MemUsed, s.MemTotal = Unknown, Unknown, Unknown, Unknown
	var rates struct{ gpu, memory uint32 }        // nvmlUtilization_t
	var memory struct{ total, free, used uint64 } // nvmlMemory_t
	if r.known(d.l.call(p.Utilization, d.handle, uintptr(unsafe.Pointer(&rates)))) {
		s.Utilization, s.MemUtilization = int(rates.gpu), int(rates.memory)
	}
	if r.known(d.l.call(p.MemoryInfo, d.handle, uintptr(unsafe.Pointer(&memory)))) {
		s.MemUsed, s.MemTotal = int64(memory.used), int64(memory.total)
	}
	r.known(d.l.call(p.ThrottleReasons, d.handle, uintptr(unsafe.Pointer(&s.Throttle))))
	return s, r.err
}

// reader keeps the first error that is more than a figure that is not available.
type reader struct {
	d   *Device
	err error
}

func (r *reader) known(err error) bool {
	if err != nil && !notSupported(err) && r.err == nil {
		r.err = err
	}
	return err == nil
}

// int reads a function of the form (device, args..., unsigned *).
func (r *reader) int(p dl.Proc, args ...uintptr) int {
	var v uint32
	var err error
	if len(args) == 0 {
		err = r.d.l.call(p, r.d.handle, uintptr(unsafe.Pointer(&v)))
	} else {
		err = r.d.l.call(p, r.d.handle, args[0], uintptr(unsafe.Pointer(&v)))
	}
	if !r.known(err) {
		return Unknown
	}
	return int(v)
}

func watts(milliwatts int) float64 {
	if milliwatts == Unknown {
		return Unknown
	}
	return float64(milliwatts) / 1000
}

// Reasons is why the clocks are not at their highest (nvmlClocksEventReasons), as bits.
type Reasons uint64

// The reasons.
const (
	Idle            Reasons = 0x1
	AppClocks       Reasons = 0x2 // set by a user
	PowerCap        Reasons = 0x4
	HWSlowdown      Reasons = 0x8 // one of the next two, or a fast trigger
	SyncBoost       Reasons = 0x10
	SWThermal       Reasons = 0x20
	HWThermal       Reasons = 0x40
	PowerBrake      Reasons = 0x80 // requested by the power supply
	DisplaySettings Reasons = 0x100
)

var reasonNames = []string{"idle", "application clocks", "power cap", "hardware slowdown", "sync boost",
	"software thermal", "hardware thermal", "power brake", "display clocks"}

// Slowing names the reasons why a measurement taken now is slower than the GPU can be: all except being idle and
// clocks that a user set.
func (r Reasons) Slowing() (list []string) {
	r &^= Idle | AppClocks
	for i, name := range reasonNames {
		if r&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	if r>>len(reasonNames) != 0 {
		list = append(list, "other")
	}
	return list
}
