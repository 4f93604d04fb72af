package proc

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Channel carries open files from a worker to its parent, which frames cannot. Pass Remote in the Spec's Files and
// close it once the worker runs; there, SendFile sends.
type Channel struct {
	Remote *os.File
	local  *os.File
}

// NewChannel makes a pair of sockets.
func NewChannel() (*Channel, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("channel for files: %w", err)
	}
	return &Channel{Remote: os.NewFile(uintptr(fds[1]), "channel"), local: os.NewFile(uintptr(fds[0]), "channel")}, nil
}

// SendFile sends a file, in the worker, through the channel that it inherited. Both stay the caller's to close.
func SendFile(channel, f *os.File) error {
	err := unix.Sendmsg(int(channel.Fd()), []byte{0}, unix.UnixRights(int(f.Fd())), nil, 0)
	if err != nil {
		return fmt.Errorf("send a file: %w", err)
	}
	return nil
}

var errNoFile = errors.New("no file was sent")

// Receive takes a file that was sent. It does not wait: what a worker sends before a reply is there when the reply is.
func (c *Channel) Receive() (*os.File, error) {
	control := make([]byte, unix.CmsgSpace(4*16))
	_, n, _, _, err := unix.Recvmsg(int(c.local.Fd()), make([]byte, 1), control, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoFile, err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoFile, err)
	}
	var fds []int
	for i := range messages {
		if got, err := unix.ParseUnixRights(&messages[i]); err == nil {
			fds = append(fds, got...)
		}
	}
	if len(fds) != 1 {
		for _, fd := range fds {
			unix.Close(fd)
		}
		return nil, fmt.Errorf("%w: %d at once", errNoFile, len(fds))
	}
	return os.NewFile(uintptr(fds[0]), "received"), nil
}

// Close closes both ends.
func (c *Channel) Close() error { return errors.Join(c.Remote.Close(), c.local.Close()) }
