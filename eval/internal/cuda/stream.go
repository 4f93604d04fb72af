package cuda

import (
	"errors"
	"time"
	"unsafe"
)

// Stream is a queue of work on the GPU; the zero Stream is the legacy default stream.
type Stream uintptr

// NewStream makes a stream that does not wait for the default stream.
func (d *Driver) NewStream() (Stream, error) {
	const nonBlocking = 1
	var s Stream
	err := d.call(d.p.StreamCreate, uintptr(unsafe.Pointer(&s)), nonBlocking)
	return s, err
}

// DestroyStream lets the stream finish its work and frees it.
func (d *Driver) DestroyStream(s Stream) error { return d.call(d.p.StreamDestroy, uintptr(s)) }

// SyncStream waits for the stream's work, and returns its error.
func (d *Driver) SyncStream(s Stream) error { return d.call(d.p.StreamSynchronize, uintptr(s)) }

// StreamDone reports without waiting whether the stream's work is done.
func (d *Driver) StreamDone(s Stream) (bool, error) {
	code := d.p.StreamQuery.Call(uintptr(s))
	if code == NotReady {
		return false, nil
	}
	return code == 0, d.check(d.p.StreamQuery, code)
}

// Event marks a place in a stream.
type Event uintptr

// NewEvent makes an event that records the time.
func (d *Driver) NewEvent() (Event, error) {
	var e Event
	err := d.call(d.p.EventCreate, uintptr(unsafe.Pointer(&e)), 0)
	return e, err
}

// DestroyEvent frees an event.
func (d *Driver) DestroyEvent(e Event) error { return d.call(d.p.EventDestroy, uintptr(e)) }

// Record puts the event at the end of the stream as it is now.
func (d *Driver) Record(e Event, s Stream) error {
	return d.call(d.p.EventRecord, uintptr(e), uintptr(s))
}

// SyncEvent waits until the stream has reached the event.
func (d *Driver) SyncEvent(e Event) error { return d.call(d.p.EventSynchronize, uintptr(e)) }

// WaitEvent lets the stream's further work wait for the event.
func (d *Driver) WaitEvent(s Stream, e Event) error {
	return d.call(d.p.StreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// Elapsed is the time between two events that have both happened; the GPU's resolution is about half
// a microsecond.
func (d *Driver) Elapsed(start, end Event) (time.Duration, error) {
	var ms float32
	err := d.call(d.p.EventElapsedTime, uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Graph is recorded work that is ready to be launched as a whole (CUgraphExec).
type Graph uintptr

// Capture records what f puts into the stream, without running it, as a graph. Calls that wait, or
// allocate, fail inside f.
func (d *Driver) Capture(s Stream, f func() error) (Graph, error) {
	const threadLocal = 1 // other threads may go on using the driver
	if err := d.call(d.p.StreamBeginCapture, uintptr(s), threadLocal); err != nil {
		return 0, err
	}
	failed := f()
	var recorded uintptr
	// The stream stays in capture until this call, so it is made even if f failed.
	err := errors.Join(failed, d.call(d.p.StreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&recorded))))
	var g Graph
	if err == nil {
		err = d.call(d.p.GraphInstantiate, uintptr(unsafe.Pointer(&g)), recorded, 0)
	}
	if recorded != 0 {
		err = errors.Join(err, d.call(d.p.GraphDestroy, recorded))
	}
	return g, err
}

// LaunchGraph puts the graph's work into the stream.
func (d *Driver) LaunchGraph(g Graph, s Stream) error {
	return d.call(d.p.GraphLaunch, uintptr(g), uintptr(s))
}

// UploadGraph brings the graph to the device, in stream order, so that its first launch takes as long as any other.
// Drivers before 11.1 do that at the launch.
func (d *Driver) UploadGraph(g Graph, s Stream) error {
	if !d.p.GraphUpload.Ok() {
		return nil
	}
	return d.call(d.p.GraphUpload, uintptr(g), uintptr(s))
}

// DestroyGraph frees a graph that is not running.
func (d *Driver) DestroyGraph(g Graph) error { return d.call(d.p.GraphExecDestroy, uintptr(g)) }
