// Package cuda calls the CUDA driver, opened at run time: no toolkit, no cgo.
//
// A context belongs to an OS thread. Wrap everything that touches the GPU in Context.Do, which locks the goroutine to
// its thread and makes the context current. After a call that returns a sticky Error the process cannot use CUDA any
// more.
package cuda

import (
	"unsafe"

	"darwarp/eval/internal/dl"
)

// Driver is the open CUDA driver.
type Driver struct{ p procs }

// Open loads libcuda from path (see dl.Find) and starts it. On a machine whose driver finds no GPU it fails with
// Error 100.
func Open(path string) (*Driver, error) {
	lib, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	d := &Driver{}
	if err := lib.Bind(&d.p); err != nil {
		return nil, err
	}
	return d, d.call(d.p.Init, 0)
}

// Version is the CUDA version that the driver supports, such as 13000 for 13.0.
func (d *Driver) Version() (int, error) {
	var v int32
	err := d.call(d.p.DriverGetVersion, uintptr(unsafe.Pointer(&v)))
	return int(v), err
}

// call calls p and turns a code that is not success into an *Error.
//
//go:uintptrescapes
func (d *Driver) call(p dl.Proc, args ...uintptr) error {
	return d.check(p, p.Call(args...))
}

func (d *Driver) check(p dl.Proc, code int32) error {
	if code == 0 {
		return nil
	}
	return &Error{Code: int(code), Name: d.errorName(code), Call: p.Name}
}

func (d *Driver) errorName(code int32) string {
	var name *byte // the driver's own constant string
	if d.p.GetErrorName.Call(uintptr(code), uintptr(unsafe.Pointer(&name))) != 0 {
		return "unknown CUDA error"
	}
	return dl.GoString(name)
}
