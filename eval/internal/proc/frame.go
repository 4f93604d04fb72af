package proc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A frame on the wire is three big-endian 32-bit lengths, a JSON object that says what it is, the message's JSON, and
// raw bytes. Raw bytes are for machine code and tensors, which JSON would inflate. The message is no part of the first
// object, for then each side would read all of it twice.
const (
	frameHeader = 12
	maxFrame    = 64 << 20 // bytes of all parts together
	firstRead   = 256 << 10
	maxPhase    = 200    // bytes of a phase's name that are kept
	maxPhases   = 10_000 // of one call: a worker that announces more is not working
)

// version is the protocol's. Parent and worker are the same binary, so it differs only when the
// file on disk was replaced while the parent was running.
const version = 4

// kind says what a frame is.
type kind string

const (
	kindHello kind = "hello" // worker: ready
	kindCall  kind = "call"  // parent: do this
	kindAhead kind = "ahead" // parent: this comes next, or soon
	kindPhase kind = "phase" // worker: about to do that
	kindReply kind = "reply" // worker: done
)

// envelope is the first JSON of a frame, and the message.
type envelope struct {
	Kind    kind            `json:"kind"`
	ID      uint64          `json:"id"` // of the call; echoed
	Version int             `json:"version,omitempty"`
	Phase   string          `json:"phase,omitempty"`
	Final   bool            `json:"final,omitempty"` // the worker ends after this reply
	Ahead   uint64          `json:"ahead,omitempty"` // of a call: the id of the request that was sent ahead of it
	Body    json.RawMessage `json:"-"`
}

// Frame is a message as it was received.
type Frame struct {
	Body json.RawMessage
	Blob []byte

	sent   *sent               // it was sent ahead of its call; nil: not
	parsed func() (any, error) // by a worker that was given a Parser
}

// Attached is a message that carries raw bytes beside its JSON. The field behind Blob must be
// tagged `json:"-"`.
type Attached interface {
	Blob() *[]byte
}

// Packed is a message of which several fields are raw bytes. Pack gives what goes as JSON, and the bytes; Unpack puts
// them back.
type Packed interface {
	Pack() (message any, blob []byte)
	Unpack(blob []byte) error
}

// Decode fills v, and its blob when it is Attached or Packed. Unknown fields are an error: the other side is
// the same program.
func (f Frame) Decode(v any) error {
	if v == nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(f.Body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	switch m := v.(type) {
	case Attached:
		*m.Blob() = f.Blob
	case Packed:
		return m.Unpack(f.Blob)
	}
	return nil
}

// Encode makes a frame of a message, for a Call that is to begin at once when its turn comes. A frame stays as it is.
func Encode(v any) (f Frame, err error) {
	switch m := v.(type) {
	case Frame:
		return m, nil
	case Attached:
		f.Blob = *m.Blob()
	case Packed:
		v, f.Blob = m.Pack()
	}
	if f.Body, err = json.Marshal(v); err != nil {
		return Frame{}, fmt.Errorf("encode %T: %w", v, err)
	}
	return f, nil
}

var errTooLong = fmt.Errorf("frame of more than %d MiB", maxFrame>>20)

// writeFrame sends one frame with one write, so that a worker that dies leaves half a frame only
// when the pipe was full.
func writeFrame(w io.Writer, e envelope, blob []byte) error {
	head, err := json.Marshal(e)
	if err != nil {
		return err
	}
	size := len(head) + len(e.Body) + len(blob)
	if size > maxFrame {
		return errTooLong
	}
	buf := make([]byte, 0, frameHeader+size)
	for _, part := range [][]byte{head, e.Body, blob} {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(part)))
	}
	_, err = w.Write(append(append(append(buf, head...), e.Body...), blob...))
	return err
}

// errGarbage marks bytes that are no frame, as against a pipe that ended.
var errGarbage = errors.New("not a frame")

// readFrame receives one frame. Memory grows with the bytes that arrive, not with the length that
// is claimed.
func readFrame(r *bufio.Reader) (envelope, []byte, error) {
	var e envelope
	var header [frameHeader]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return e, nil, err
	}
	var parts [3]int64
	size := int64(0)
	for i := range parts {
		parts[i] = int64(binary.BigEndian.Uint32(header[4*i:]))
		size += parts[i]
	}
	if size > maxFrame {
		return e, nil, fmt.Errorf("%w: %d bytes announced, at most %d", errGarbage, size, maxFrame)
	}
	buf := bytes.NewBuffer(make([]byte, 0, min(size, firstRead)+bytes.MinRead))
	if n, err := io.CopyN(buf, r, size); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
		}
		return e, nil, err
	}
	head, body, blob := buf.Next(int(parts[0])), buf.Next(int(parts[1])), buf.Bytes()
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return e, nil, fmt.Errorf("%w: %v", errGarbage, err)
	}
	if len(body) > 0 {
		e.Body = slices.Clip(body)
	}
	return e, blob, nil
}
