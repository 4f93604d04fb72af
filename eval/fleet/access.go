package fleet

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
)

// address is where a search meets its workers. nats://HOST:PORT/FINGERPRINT is the search's own server, whose
// certificate is known by its hash; nats://HOST:PORT/ID or tls://HOST:PORT/ID is a search on another server, whose
// certificate is to be signed by somebody who is trusted; without ID it is only the server.
type address struct{ scheme, host, pin, id string }

func (a address) String() string {
	return a.scheme + "://" + a.host + "/" + strings.Trim(a.pin+"/"+a.id, "/")
}

// names are those of the search that is there.
func (a address) names() names {
	if a.id != "" {
		return names{a.id}
	}
	return names{a.pin[:16]}
}

// parseAddress reads what a search prints for its workers.
func parseAddress(text string) (a address, err error) {
	a, err = parseServer(text)
	if err == nil && a.pin == "" && a.id == "" {
		err = errors.New("no fingerprint, and no search")
	}
	if err != nil {
		return a, fmt.Errorf("%q: expected nats://HOST:PORT/FINGERPRINT or nats://HOST:PORT/ID, as the search prints it (%w)",
			text, err)
	}
	return a, nil
}

// parseServer reads an address that may name no search.
func parseServer(text string) (a address, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return a, err
	}
	if u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" {
		return a, errors.New("not of that form")
	}
	if a = (address{scheme: u.Scheme, host: u.Host}); u.Port() == "" {
		a.host = net.JoinHostPort(u.Hostname(), "4222")
	} else if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil {
		return a, fmt.Errorf("port %s: expected 1 to 65535", u.Port())
	}
	head, tail, _ := strings.Cut(strings.ToLower(strings.Trim(u.Path, "/")), "/")
	if pin, err := hex.DecodeString(head); err == nil && len(pin) == sha256.Size {
		a.pin, head = head, tail
	} else if tail != "" {
		head = tail + head
	}
	if a.id = head; a.id != "" && !idRE.MatchString(a.id) {
		return a, errors.New("what follows the port is neither a fingerprint nor a search")
	}
	return a, nil
}

// Access is how to be let into a server, by files that only the user can read.
type Access struct {
	TokenFile string `json:"token_file,omitempty"` // only a token; of another's server also USER:PASSWORD
	Creds     string `json:"creds,omitempty"`      // credentials of NATS: a JWT and its key
	CA        string `json:"ca,omitempty"`         // certificates that the server's is signed by; empty: the system's
	secret    string // of a search, for a server for several
}

// CheckJoin refuses what no worker can join by.
func (x Access) CheckJoin(url string) error {
	a, err := parseAddress(url)
	if err == nil && a.pin != "" {
		_, err = x.pinnedOptions(a, userWorker)
	} else if err == nil {
		_, err = x.options(a)
	}
	return err
}

// CheckServer refuses what no search can meet its workers on: text is where to listen, or a server that runs already.
func (x Access) CheckServer(text string) error {
	if !IsServer(text) {
		if x != (Access{}) {
			return errors.New("only a server that runs already, as --fleet nats://HOST:4222, is told who asks")
		}
		if text == "" { // no fleet
			return nil
		}
		return CheckListen(text)
	}
	a, err := parseServer(text)
	if err == nil && a.id != "" {
		err = errors.New("it names a search")
	}
	if err != nil {
		return fmt.Errorf("%q: expected nats://HOST:PORT or tls://HOST:PORT of a NATS that runs already, or what "+
			"darwarp fleet serve prints (%w)", text, err)
	}
	if a.pin != "" {
		_, err = x.pinnedOptions(a, userSearch)
		return err
	}
	_, err = x.options(a)
	return err
}

// options are those of a connection to a server that is not the search's own.
func (x Access) options(a address) (all []nats.Option, err error) {
	if a.scheme == "tls" {
		all = append(all, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	if err := x.checkFiles(); err != nil {
		return nil, err
	}
	if x.CA != "" {
		all = append(all, nats.RootCAs(x.CA))
	}
	if x.Creds != "" {
		all = append(all, nats.UserCredentials(x.Creds))
	}
	if x.TokenFile == "" {
		return all, nil
	}
	token, err := ReadToken(x.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("the token's file: %w", err)
	}
	if user, password, ok := strings.Cut(token, ":"); ok {
		return append(all, nats.UserInfo(user, password)), nil
	}
	return append(all, nats.Token(token)), nil
}

// checkFiles reads what the connection would read again and again.
func (x Access) checkFiles() error {
	if x.CA != "" {
		data, err := readNamed(x.CA)
		if err != nil {
			return fmt.Errorf("the certificates' file: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(data) {
			return fmt.Errorf("%s: expected certificates in PEM", x.CA)
		}
	}
	if x.Creds != "" {
		data, err := readNamed(x.Creds)
		if err != nil {
			return fmt.Errorf("the credentials' file: %w", err)
		}
		if _, err := jwt.ParseDecoratedUserNKey(data); err != nil {
			return fmt.Errorf("%s: expected credentials of NATS, a JWT and its key: %w", x.Creds, err)
		}
	}
	return nil
}

// pinnedOptions are those of a connection to a search's own server.
func (x Access) pinnedOptions(a address, user string) ([]nats.Option, error) {
	switch {
	case x.Creds != "" || x.CA != "":
		return nil, errors.New("--creds, --ca: a search's own server knows neither: expected --token-file alone")
	case x.TokenFile == "":
		if user == userSearch {
			return nil, errors.New("--fleet-token-file: expected the file that darwarp fleet serve names, DIR/searches " +
				"there: copy it here")
		}
		return nil, errors.New("--token-file: expected the file that the search names, RUN.fleet/token there: copy it here")
	}
	token, err := ReadToken(x.TokenFile)
	if err != nil {
		err = fmt.Errorf("--token-file: %w", err)
	}
	if x.secret != "" {
		token += "." + x.secret
	}
	if a.id != "" {
		user += "." + a.id
	}
	return []nats.Option{nats.UserInfo(user, token), nats.Secure(pinned(a.pin)), nats.TLSHandshakeFirst()}, err
}

// dial connects to where a search is. What goes wrong is said in one line; it is a Mistake where another address, token
// or file is needed.
func dial(a address, user string, by Access, more ...nats.Option) (*nats.Conn, error) {
	known, err := by.options(a)
	if a.pin != "" {
		known, err = by.pinnedOptions(a, user)
	}
	if err != nil {
		return nil, mistaken(err)
	}
	inbox := a.names().inbox(user)
	if by.secret != "" && a.id == "" { // beside other searches
		inbox += "." + namesBy(by.secret).id
	}
	options := append(known, nats.Name("darwarp "+user), nats.Timeout(10*time.Second), quiet,
		nats.CustomInboxPrefix(inbox))
	nc, err := nats.Connect(a.scheme+"://"+a.host, append(options, more...)...)
	switch failed := a.unconnected(err); {
	case err == nil:
		return nc, nil
	case misdirected(err):
		return nil, mistaken(failed)
	default:
		return nil, failed
	}
}

var errSilent = errors.New("nothing answers there")

// unconnected says what went wrong with a connection.
func (a address) unconnected(err error) error {
	switch {
	case errors.Is(err, nats.ErrAuthorization) && a.pin != "":
		return fmt.Errorf("%s refuses the token: copy it again: a search's is RUN.fleet/token; with darwarp fleet serve "+
			"a worker's is DIR/token, and a search's DIR/searches", a.host)
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%s refuses who asks: it wants another token, or credentials", a.host)
	case errors.Is(err, errImpostor):
		return fmt.Errorf("cannot connect to %s: %w", a.host, errImpostor)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("cannot connect to %s: it has no TLS: nats:// in place of tls:// does without", a.host)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("cannot connect to %s: %w: is it running, and its port open to this machine?", a.host,
			errSilent)
	}
	return fmt.Errorf("cannot connect to %s: %w", a.host, err)
}
