package broker

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// MaxMessage bounds a message: a source of its own, or a verdict with all of its sites.
const MaxMessage = 8 << 20

// Host is the embedded server.
type Host struct {
	NATS *server.Server
	Keys keys
	dir  string
	Lock *os.File // the folder is this process's
	Own  string   // password of the search's own connection
}

// The names of those that may connect.
const (
	UserSearch = "search" // everything; in this process only
	UserWorker = "worker"
	UserOwner  = "owner" // asks for status, and drains
)

// Serve starts the server. It listens at HOST:PORT; no host is every address, and port 0 any that is free.
// check lets others in than the search's own workers; nil: nobody.
func Serve(listen, dir string, check server.Authentication) (*Host, error) {
	name, port, err := splitListen(listen)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if err := tryListen(listen); err != nil {
		return nil, err
	}
	h := &Host{dir: dir, Own: rand.Text()}
	if h.Keys, err = OpenKeys(dir); err != nil {
		return nil, err
	}
	if h.Lock, err = LockDir(dir); err != nil {
		return nil, err
	}
	streams := filepath.Join(dir, streamsDir)
	if err := os.RemoveAll(streams); err != nil { // of an earlier session, which the run's file knows better
		return nil, errors.Join(err, h.Lock.Close())
	}
	o := h.options(name, port, streams)
	if check != nil {
		o.Users, o.CustomClientAuthentication = nil, check
	}
	if h.NATS, err = server.NewServer(o); err != nil {
		return nil, errors.Join(err, h.Lock.Close())
	}
	h.NATS.Start()
	if !h.NATS.ReadyForConnections(10 * time.Second) {
		h.Close()
		return nil, fmt.Errorf("cannot listen at %s: is the port in use?", listen)
	}
	return h, nil
}

// tryListen says why there is no listening at an address: the server does not.
func tryListen(listen string) error {
	l, err := net.Listen("tcp", listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return Mistaken(fmt.Errorf("cannot listen at %s: the port is in use: choose another, or 0 for any that is free",
			listen))
	}
	if err != nil {
		return Mistaken(fmt.Errorf("cannot listen at %s: %w", listen, err))
	}
	return l.Close()
}

// CheckListen refuses what is no address to listen at.
func CheckListen(text string) error {
	_, _, err := splitListen(text)
	return err
}

func splitListen(text string) (name string, port int, err error) {
	name, digits, err := net.SplitHostPort(text)
	if err == nil {
		port, err = strconv.Atoi(digits)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q: expected HOST:PORT to listen at, as :4222 for all addresses of this machine", text)
	}
	return name, port, nil
}

func (h *Host) options(name string, port int, streams string) *server.Options {
	of := h.Names()
	worker := Allow(of.WorkerMay(), of.WorkerHears())
	owner := Allow(of.OwnerMay(), []string{of.Inbox(UserOwner) + ".>"})
	return &server.Options{ServerName: "darwarp", Host: name, Port: port, NoLog: true, NoSigs: true,
		JetStream: true, JetStreamLimits: server.JSLimitOpts{DefaultMaxConsumers: -1}, // else 1,000: each worker has one
		StoreDir: streams, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 16 << 30,
		MaxPayload: MaxMessage, TLSTimeout: 10, TLSHandshakeFirst: true,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{h.Keys.cert}, MinVersion: tls.VersionTLS13},
		Users: []*server.User{{Username: UserSearch, Password: h.Own},
			{Username: UserWorker, Password: h.Keys.Token, Permissions: worker},
			{Username: UserOwner, Password: h.Keys.Owner, Permissions: owner}}}
}

// Allow are the permissions to publish and to subscribe to some subjects, and to no others.
func Allow(publish, hear []string) *server.Permissions {
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: hear}}
}

// Address is that of the server under a name of this machine.
func (h *Host) Address(name string) Address {
	port := h.NATS.Addr().(*net.TCPAddr).Port
	return Address{Scheme: "nats", Host: net.JoinHostPort(name, strconv.Itoa(port)), Pin: h.Pin()}
}

// Names are those of the only search on this server.
func (h *Host) Names() Names { return Address{Pin: h.Pin()}.Names() }

// Pin is the fingerprint of the server's certificate: the SHA-256, in hexadecimal digits.
func (h *Host) Pin() string { return fingerprint(h.Keys.cert.Certificate[0]) }

// Connect is the search's own connection.
func (h *Host) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(h.NATS), nats.UserInfo(UserSearch, h.Own), quiet,
		nats.CustomInboxPrefix(h.Names().Inbox(UserSearch)))
}

// quiet keeps the library from writing to stderr that a connection ended: it makes another.
var quiet = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

// Close ends the server, its connections and its queues.
func (h *Host) Close() {
	h.NATS.Shutdown()
	h.NATS.WaitForShutdown()
	os.RemoveAll(filepath.Join(h.dir, streamsDir)) // what is left is removed by the next session
	_ = h.Lock.Close()
}
