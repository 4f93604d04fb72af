// Package nvml watches GPUs through NVIDIA's management library, opened at run time. It needs no CUDA
// context and disturbs no measurement, but its calls can hang when a GPU falls off the bus: run it in
// a process that may be killed.
package nvml

import (
	"errors"
	"fmt"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// procs are the functions of nvml.h.
type procs struct {
	Init            dl.Proc `c:"nvmlInit_v2"`
	ErrorString     dl.Proc `c:"nvmlErrorString"`
	HandleByUUID    dl.Proc `c:"nvmlDeviceGetHandleByUUID"`
	Name            dl.Proc `c:"nvmlDeviceGetName"`
	Utilization     dl.Proc `c:"nvmlDeviceGetUtilizationRates"`
	Temperature     dl.Proc `c:"nvmlDeviceGetTemperature"`
	PowerUsage      dl.Proc `c:"nvmlDeviceGetPowerUsage"`
	PowerLimit      dl.Proc `c:"nvmlDeviceGetEnforcedPowerLimit"`
	ClockInfo       dl.Proc `c:"nvmlDeviceGetClockInfo"`
	MaxClockInfo    dl.Proc `c:"nvmlDeviceGetMaxClockInfo"`
	ThrottleReasons dl.Proc `c:"nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons"`
	MemoryInfo      dl.Proc `c:"nvmlDeviceGetMemoryInfo"`
}

// Codes that callers distinguish.
const (
	NotSupported    = 3 // not available on this GPU, or on this part of one
	NoPermission    = 4
	NotFound        = 6
	DriverNotLoaded = 9
	GPUIsLost       = 15
)

// Error is an NVML call that did not succeed.
type Error struct {
	Code int // nvmlReturn_t
	Text string
	Call string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Text, e.Code) }

// Library is the open NVML.
type Library struct{ p procs }

// Open loads NVML from path (see dl.Find) and starts it.
func Open(path string) (*Library, error) {
	lib, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	l := &Library{}
	if err := lib.Bind(&l.p); err != nil {
		return nil, err
	}
	return l, l.call(l.p.Init)
}

//go:uintptrescapes
func (l *Library) call(p dl.Proc, args ...uintptr) error {
	code := p.Call(args...)
	if code == 0 {
		return nil
	}
	return &Error{Code: int(code), Text: l.p.ErrorString.CallString(uintptr(code)), Call: p.Name}
}

// Device is a GPU.
type Device struct {
	l      *Library
	handle uintptr
}

// ByUUID is the GPU with a UUID as cuda.UUID writes it.
func (l *Library) ByUUID(uuid string) (*Device, error) {
	text, err := dl.CString(uuid)
	if err != nil {
		return nil, err
	}
	d := &Device{l: l}
	return d, l.call(l.p.HandleByUUID, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&d.handle)))
}

// Name is the product's name.
func (d *Device) Name() (string, error) {
	buf := make([]byte, 96) // NVML_DEVICE_NAME_V2_BUFFER_SIZE
	err := d.l.call(d.l.p.Name, d.handle, uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	return dl.Trim(buf), err
}

// notSupported reports whether err only means that the figure is not available on this GPU.
func notSupported(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == NotSupported || e.Code == NoPermission)
}
