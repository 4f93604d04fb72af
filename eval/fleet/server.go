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
	own    string // password of the search's own connection
}

// The names of those that may connect.
const (
	userSearch = "search" // everything; in this process only
	userWorker = "worker"
	userOwner  = "owner" // asks for status, and drains
)

// workerMay is what a worker may publish: what it needs to take work and to answer. Streams and consumers are made by
// the search.
var workerMay = []string{
	helloSubject + "*", answerSubject + "*", statusSubject,
	"$JS.API.CONSUMER.INFO." + workStream + ".*", "$JS.API.CONSUMER.MSG.NEXT." + workStream + ".*",
	"$JS.ACK." + workStream + ".>",
	"$JS.API.STREAM.INFO.OBJ_" + taskBucket, "$JS.API.STREAM.MSG.GET.OBJ_" + taskBucket,
	"$JS.API.DIRECT.GET.OBJ_" + taskBucket + ".>", "$JS.API.CONSUMER.CREATE.OBJ_" + taskBucket + ".>",
	"$JS.API.CONSUMER.DELETE.OBJ_" + taskBucket + ".>", "$JS.API.CONSUMER.INFO.OBJ_" + taskBucket + ".>", "$JS.FC.>",
}

// serve starts the server. It listens at HOST:PORT; no host is every address, and port 0 any that is free.
func serve(listen, dir string) (*host, error) {
	name, text, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("port %q: expected 0 to 65535", text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	h := &host{dir: dir, own: rand.Text()}
	if h.keys, err = openKeys(dir); err != nil {
		return nil, err
	}
	streams := filepath.Join(dir, streamsDir)
	if err := os.RemoveAll(streams); err != nil { // of an earlier session, which the run's file knows better
		return nil, err
	}
	if h.server, err = server.NewServer(h.options(name, port, streams)); err != nil {
		return nil, err
	}
	h.server.Start()
	if !h.server.ReadyForConnections(10 * time.Second) {
		h.close()
		return nil, fmt.Errorf("cannot listen at %s: is the port in use?", listen)
	}
	err = os.WriteFile(filepath.Join(dir, addressFile), []byte(h.address("127.0.0.1").String()+"\n"), 0o600)
	if err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

func (h *host) options(name string, port int, streams string) *server.Options {
	worker := &server.Permissions{Publish: &server.SubjectPermission{Allow: workerMay},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>", endSubject}}}
	owner := &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{statusSubject, drainSubject}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}}}
	return &server.Options{ServerName: "darwarp", Host: name, Port: port, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: streams, JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 16 << 30,
		MaxPayload: maxMessage, TLSTimeout: 10, TLSHandshakeFirst: true,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{h.keys.cert}, MinVersion: tls.VersionTLS13},
		Users: []*server.User{{Username: userSearch, Password: h.own},
			{Username: userWorker, Password: h.keys.token, Permissions: worker},
			{Username: userOwner, Password: h.keys.owner, Permissions: owner}}}
}

// address is that of the server under a name of this machine.
func (h *host) address(name string) address {
	port := h.server.Addr().(*net.TCPAddr).Port
	return address{net.JoinHostPort(name, strconv.Itoa(port)), fingerprint(h.keys.cert.Certificate[0])}
}

// connect is the search's own connection.
func (h *host) connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(h.server), nats.UserInfo(userSearch, h.own), quiet)
}

// quiet keeps the library from writing to stderr that a connection ended: it makes another.
var quiet = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

func (h *host) close() {
	h.server.Shutdown()
	h.server.WaitForShutdown()
	os.RemoveAll(filepath.Join(h.dir, streamsDir)) // what is left is removed by the next session
	os.Remove(filepath.Join(h.dir, addressFile))
}

// dial connects to a fleet from outside. What goes wrong is said in one line.
func dial(to, user, token string, options ...nats.Option) (*nats.Conn, error) {
	a, err := parseAddress(to)
	if err != nil {
		return nil, err
	}
	options = append([]nats.Option{nats.UserInfo(user, token), nats.Secure(pinned(a.pin)), nats.TLSHandshakeFirst(),
		nats.Name("darwarp"), nats.Timeout(10 * time.Second), quiet}, options...)
	nc, err := nats.Connect("nats://"+a.host, options...)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return nil, fmt.Errorf("%s refuses the token: copy the search's again", a.host)
	case err != nil:
		return nil, fmt.Errorf("cannot join %s: %w", a.host, err)
	}
	return nc, nil
}
