package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"
)

// The file descriptors of a worker. Not standard input and output: device code prints there.
const (
	fdRequests = 3
	fdReplies  = 4
	fdFiles    = 5
)

// Handler does one request in the worker. It must Reply once, or Finish; an error is our own failure
// (or ErrDeviceFault) and ends the worker.
type Handler func(ctx context.Context, f Frame, c *Conn) error

// Conn is the worker's way to answer one request.
type Conn struct {
	to    io.Writer
	id    uint64
	done  bool  // a reply was sent
	final bool  // and it was the last
	err   error // the parent is gone
}

// Phase announces what is about to be done, before it is done.
func (c *Conn) Phase(name string) {
	c.send(envelope{Kind: kindPhase, ID: c.id, Phase: name}, nil)
}

// Reply answers the request.
func (c *Conn) Reply(v any) error { return c.reply(v, false) }

// Finish answers the request and says that the worker ends now. The handler returns right after.
func (c *Conn) Finish(v any) error { return c.reply(v, true) }

func (c *Conn) reply(v any, final bool) error {
	if c.done {
		return errors.New("second reply to one request")
	}
	f, err := Encode(v)
	if err != nil {
		return err
	}
	c.done, c.final = true, final
	c.send(envelope{Kind: kindReply, ID: c.id, Final: final, Body: f.Body}, f.Blob)
	return c.err
}

func (c *Conn) send(e envelope, blob []byte) {
	if c.err == nil {
		c.err = writeFrame(c.to, e, blob)
	}
}

// Main serves requests until the parent closes the pipe, and returns the exit code.
func Main(handle Handler) int { return MainParsed(handle, nil) }

// MainParsed is Main for a handler that asks for Parsed requests.
func MainParsed(handle Handler, parse Parser) int {
	err := Serve(handle, parse)
	if err == nil {
		return 0
	}
	if code := Fail(err); !errors.Is(err, ErrDeviceFault) {
		return code
	}
	return ExitDeviceFault
}

// Fail says why a worker cannot work, and gives its exit code.
func Fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return ExitInternal
}

// Serve says hello and serves requests, one at a time, until the parent closes the pipe or dies. A
// handler that is still busy a second later goes down with the process. parse may be nil.
func Serve(handle Handler, parse Parser) error {
	requests, replies := os.NewFile(fdRequests, "requests"), os.NewFile(fdReplies, "replies")
	if !isPipe(fdRequests) || !isPipe(fdReplies) {
		return errors.New("this command is started by darwarp itself, with pipes to talk through")
	}
	// A child of the worker that kept them open would hide the worker's death.
	unix.CloseOnExec(fdRequests)
	unix.CloseOnExec(fdReplies)
	if err := writeFrame(replies, envelope{Kind: kindHello, Version: version}, nil); err != nil {
		return fmt.Errorf("say hello: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := make(chan call)
	go listen(requests, parse, calls, cancel)
	for c := range calls {
		if c.err != nil {
			return fmt.Errorf("request: %w", c.err)
		}
		conn := &Conn{to: replies, id: c.id}
		if err := attempt(ctx, handle, c.frame, conn); err != nil || conn.final {
			return err
		}
	}
	return nil
}

// call is a request as received.
type call struct {
	id    uint64
	frame Frame
	err   error
}

// listen receives requests until the pipe ends, which also tells a busy worker that its
// answer is not waited for any more.
func listen(requests *os.File, parse Parser, calls chan<- call, cancel func()) {
	in := bufio.NewReader(requests)
	var ahead inbox
	for {
		e, blob, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			break
		}
		f := Frame{Body: e.Body, Blob: blob}
		switch {
		case err != nil:
		case e.Kind == kindAhead:
			ahead.put(e.ID, f.with(parse, true))
			continue
		case e.Kind != kindCall:
			err = fmt.Errorf("%w: a %q", errGarbage, e.Kind)
		case e.Ahead != 0:
			f, err = ahead.take(e.Ahead)
		default:
			f = f.with(parse, false)
		}
		calls <- call{e.ID, f, err}
		if err != nil {
			return
		}
	}
	cancel()
	close(calls)
	time.Sleep(grace)
	os.Exit(0)
}

// attempt runs the handler; a panic of ours must not look like a crash of the work.
func attempt(ctx context.Context, handle Handler, f Frame, c *Conn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := handle(ctx, f, c); err != nil {
		return err
	}
	if !c.done {
		return errors.New("handler gave no reply")
	}
	return c.err
}

// Inherited is the i-th of the Spec's Files, in the worker. Call it before anything that starts a
// process.
func Inherited(i int) (*os.File, error) {
	fd := uintptr(fdFiles + i)
	if _, err := unix.FcntlInt(fd, unix.F_GETFD, 0); err != nil {
		return nil, fmt.Errorf("inherited file %d: %w", i, err)
	}
	unix.CloseOnExec(int(fd))
	return os.NewFile(fd, fmt.Sprintf("inherited-%d", i)), nil
}

func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}
