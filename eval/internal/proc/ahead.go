package proc

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// A request may be sent ahead of its call, while the worker still does another: by the time of the call it has been
// received and parsed, and the call names it by its number. Nothing else is done ahead of a call.

// mostAhead is how many requests a worker keeps that were sent ahead. Either side forgets the oldest beyond that, so
// that both know which there are.
const mostAhead = 4

const (
	aheadSize     = pipeRoom / 2 // of a request that is sent ahead: more could fill the pipe, for which a call would wait
	aheadDeadline = time.Second
)

// sent is a request that a worker has.
type sent struct {
	to     *Worker
	number uint64
}

// Ahead sends a request to the worker ahead of its Call, which takes the frame that is returned. Where nothing was
// sent, the worker ends first, or another takes the call, all of the frame goes with the call as usual.
func (w *Worker) Ahead(f Frame) Frame {
	if len(f.Body)+len(f.Blob) > aheadSize || !w.Alive() {
		return f
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	w.ahead.last++
	_ = w.to.SetWriteDeadline(time.Now().Add(aheadDeadline))
	out := tally{to: w.to}
	if err := writeFrame(&out, envelope{Kind: kindAhead, ID: w.ahead.last, Body: f.Body}, f.Blob); err != nil {
		if out.n > 0 { // a part may have arrived: nothing can follow it
			w.ahead.torn = err
		}
		return f
	}
	w.ahead.kept = append(w.ahead.kept, w.ahead.last)
	w.ahead.kept = w.ahead.kept[max(0, len(w.ahead.kept)-mostAhead):]
	f.sent = &sent{w, w.ahead.last}
	return f
}

// tally counts the bytes that were written.
type tally struct {
	to io.Writer
	n  int
}

func (c *tally) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += n
	return n, err
}

// aheads is what the parent knows of the requests that a worker has.
type aheads struct {
	last uint64
	kept []uint64
	torn error // what broke in the middle of one
}

// request is the frame of a call: all of it, or the number of what the worker has. The caller holds writing.
func (w *Worker) request(f Frame) (e envelope, blob []byte, err error) {
	e = envelope{Kind: kindCall, ID: w.lastID}
	if torn := w.ahead.torn; torn != nil && w.Alive() {
		return e, nil, fmt.Errorf("%w: a request that was sent ahead broke off: %v", errGarbage, torn)
	}
	if f.sent != nil && f.sent.to == w {
		if i := slices.Index(w.ahead.kept, f.sent.number); i >= 0 {
			w.ahead.kept = slices.Delete(w.ahead.kept, i, i+1)
			e.Ahead = f.sent.number
			return e, nil, nil
		}
	}
	e.Body = f.Body
	return e, f.Blob, nil
}

// inbox is the requests that a worker has ahead of their calls.
type inbox struct {
	numbers []uint64
	frames  []Frame
}

func (b *inbox) put(number uint64, f Frame) {
	b.numbers, b.frames = append(b.numbers, number), append(b.frames, f)
	first := max(0, len(b.numbers)-mostAhead)
	b.numbers, b.frames = slices.Delete(b.numbers, 0, first), slices.Delete(b.frames, 0, first)
}

func (b *inbox) take(number uint64) (Frame, error) {
	i := slices.Index(b.numbers, number)
	if i < 0 {
		return Frame{}, fmt.Errorf("%w: request %d was not sent ahead", errGarbage, number)
	}
	f := b.frames[i]
	b.numbers, b.frames = slices.Delete(b.numbers, i, i+1), slices.Delete(b.frames, i, i+1)
	return f, nil
}

// Parser makes a request of a frame.
type Parser func(Frame) (any, error)

// with has the frame parsed by p, at once and beside whatever else is done where it is ahead of its call.
func (f Frame) with(p Parser, now bool) Frame {
	if p == nil {
		return f
	}
	bare := f
	f.parsed = sync.OnceValues(func() (any, error) { return p(bare) })
	if now {
		go func() { _, _ = f.parsed() }()
	}
	return f
}

// Parsed is what the parser that Main was given has made of the frame.
func (f Frame) Parsed() (any, error) { return f.parsed() }
