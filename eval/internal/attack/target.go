package attack

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// here8 is memory that attacks try to read and to write.
var here8 [8]byte

// NewTarget makes this process a target. End removes its folder and closes its sockets.
func NewTarget() (t *Target, end func() error, err error) {
	dir, err := os.MkdirTemp("", "darwarp-attack-*")
	if err != nil {
		return nil, nil, err
	}
	closers := []func() error{func() error { return os.RemoveAll(dir) }}
	end = func() (err error) {
		for _, c := range closers {
			err = errors.Join(err, c())
		}
		return err
	}
	t = &Target{PID: os.Getpid(), Group: unix.Getpgrp(), spoils: spoils{Dir: dir, Secret: filepath.Join(dir, "secret"),
		Victim: filepath.Join(dir, "victim"), Program: "/bin/true"}, Address: uint64(address(here8[:])), UID: os.Getuid(),
		GID: os.Getgid()}
	if err = t.describe(); err == nil {
		var opened []func() error
		opened, err = t.listen()
		closers = append(closers, opened...)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return t, end, nil
}

// describe makes the files, and notes what attacks set to what it is.
func (t *Target) describe() (err error) {
	for _, path := range []string{t.Secret, t.Victim, filepath.Join(t.Dir, "removed")} {
		if err := os.WriteFile(path, []byte("of this user"), 0o600); err != nil {
			return err
		}
	}
	_ = unix.Setxattr(t.Victim, "user.kept", []byte("x"), 0) // not every file system has attributes
	if t.Host, err = os.Hostname(); err != nil {
		return err
	}
	const middle = 20 // getpriority(2) without the library returns 20 less the niceness
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	t.Nice = middle - nice
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return err
	}
	for _, w := range mask {
		t.Affinity = binary.NativeEndian.AppendUint64(t.Affinity, uint64(w))
	}
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return err
	}
	t.Memory = uint64(info.Totalram) * uint64(info.Unit)
	return nil
}

// listen opens the sockets that attacks try to reach.
func (t *Target) listen() (closers []func() error, err error) {
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	closers = append(closers, tcp.Close)
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return closers, err
	}
	closers = append(closers, udp.Close)
	path := filepath.Join(t.Dir, "socket")
	local, err := net.Listen("unix", path)
	if err != nil {
		return closers, err
	}
	t.TCP = inet(tcp.Addr().(*net.TCPAddr).Port)
	t.UDP = inet(udp.LocalAddr().(*net.UDPAddr).Port)
	t.Unix = append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), path+"\x00"...)
	return append(closers, local.Close), nil
}

// inet is a struct sockaddr_in of this machine.
func inet(port int) []byte {
	b := binary.NativeEndian.AppendUint16(nil, unix.AF_INET)
	b = binary.BigEndian.AppendUint16(b, uint16(port))
	return append(b, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
}
