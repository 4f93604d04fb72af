package fleet

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

// maxMessage bounds a message: a source of its own, or a verdict with all of its sites.
const maxMessage = 8 << 20

// host is the embedded server.
type host struct {
	server *server.Server
	keys   keys
	dir    string
	lock   *os.File // the folder is this process's
	own    string   // password of the search's own connection
}

// The names of those that may connect.
const (
	userSearch = "search" // everything; in this process only
	userWorker = "worker"
	userOwner  = "owner" // asks for status, and drains
)

// serve starts the server. It listens at HOST:PORT; no host is every address, and port 0 any that is free.
// check lets others in than the search's own workers; nil: nobody.
func serve(listen, dir string, check server.Authentication) (*host, error) {
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
	h := &host{dir: dir, own: rand.Text()}
	if h.keys, err = openKeys(dir); err != nil {
		return nil, err
	}
	if h.lock, err = lockDir(dir); err != nil {
		return nil, err
	}
	streams := filepath.Join(dir, streamsDir)
	if err := os.RemoveAll(streams); err != nil { // of an earlier session, which the run's file knows better
		return nil, errors.Join(err, h.lock.Close())
	}
	o := h.options(name, port, streams)
	if check != nil {
		o.Users, o.CustomClientAuthentication = nil, check
	}
	if h.server, err = server.NewServer(o); err != nil {
		return nil, errors.Join(err, h.lock.Close())
	}
	h.server.Start()
	if !h.server.ReadyForConnections(10 * time.Second) {
		h.close()
		return nil, fmt.Errorf("cannot listen at %s: is the port in use?", listen)
	}
	return h, nil
}

// tryListen says why there is no listening at an address: the server does not.
func tryListen(listen string) error {
	l, err := net.Listen("tcp", listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return mistaken(fmt.Errorf("cannot listen at %s: the port is in use: choose another, or 0 for any that is free",
			listen))
	}
	if err != nil {
		return mistaken(fmt.Errorf("cannot listen at %s: %w", listen, err))
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

func (h *host) options(name string, port int, streams string) *server.Options {
	of := h.names()
	worker := may(of.workerMay(), of.workerHears())
	owner := may(of.ownerMay(), []string{of.inbox(userOwner) + ".>"})
	return &server.Options{ServerName: "darwarp", Host: name, Port: port, NoLog: true, NoSigs: true,
		JetStream: true, JetStreamLimits: server.JSLimitOpts{DefaultMaxConsumers: -1}, // else 1,000: each worker has one
		StoreDir: streams, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 16 << 30,
		MaxPayload: maxMessage, TLSTimeout: 10, TLSHandshakeFirst: true,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{h.keys.cert}, MinVersion: tls.VersionTLS13},
		Users: []*server.User{{Username: userSearch, Password: h.own},
			{Username: userWorker, Password: h.keys.token, Permissions: worker},
			{Username: userOwner, Password: h.keys.owner, Permissions: owner}}}
}

func may(publish, hear []string) *server.Permissions {
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: hear}}
}

// address is that of the server under a name of this machine.
func (h *host) address(name string) address {
	port := h.server.Addr().(*net.TCPAddr).Port
	return address{scheme: "nats", host: net.JoinHostPort(name, strconv.Itoa(port)), pin: h.pin()}
}

// names are those of the only search on this server.
func (h *host) names() names { return address{pin: h.pin()}.names() }

func (h *host) pin() string { return fingerprint(h.keys.cert.Certificate[0]) }

// connect is the search's own connection.
func (h *host) connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(h.server), nats.UserInfo(userSearch, h.own), quiet,
		nats.CustomInboxPrefix(h.names().inbox(userSearch)))
}

// quiet keeps the library from writing to stderr that a connection ended: it makes another.
var quiet = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

func (h *host) close() {
	h.server.Shutdown()
	h.server.WaitForShutdown()
	os.RemoveAll(filepath.Join(h.dir, streamsDir)) // what is left is removed by the next session
	_ = h.lock.Close()
}
