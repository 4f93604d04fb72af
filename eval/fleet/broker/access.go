// Package broker is where a search and its workers meet: the embedded NATS server or one that runs already, its
// address, the keys and tokens that let somebody in, and the subjects and streams that each may use. What is said there
// is package fleet's.
package broker

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
)

// Address is where a search meets its workers. nats://HOST:PORT/FINGERPRINT is the search's own server, whose
// certificate is known by its hash; nats://HOST:PORT/ID or tls://HOST:PORT/ID is a search on another server, whose
// certificate is to be signed by somebody who is trusted; without ID it is only the server.
type Address struct{ Scheme, Host, Pin, ID string }

// String is what a search prints for its workers, and ParseAddress reads.
func (a Address) String() string {
	return a.Scheme + "://" + a.Host + "/" + strings.Trim(a.Pin+"/"+a.ID, "/")
}

// Names are those of the search that is there.
func (a Address) Names() Names {
	if a.ID != "" {
		return Names{a.ID}
	}
	return Names{a.Pin[:16]}
}

// ParseAddress reads what a search prints for its workers.
func ParseAddress(text string) (a Address, err error) {
	a, err = ParseServer(text)
	if err == nil && a.Pin == "" && a.ID == "" {
		err = errors.New("no fingerprint, and no search")
	}
	if err != nil {
		return a, fmt.Errorf("%q: expected nats://HOST:PORT/FINGERPRINT or nats://HOST:PORT/ID, as the search prints it (%w)",
			text, err)
	}
	return a, nil
}

// ParseServer reads an address that may name no search.
func ParseServer(text string) (a Address, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return a, err
	}
	if u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" {
		return a, errors.New("not of that form")
	}
	if a = (Address{Scheme: u.Scheme, Host: u.Host}); u.Port() == "" {
		a.Host = net.JoinHostPort(u.Hostname(), "4222")
	} else if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil {
		return a, fmt.Errorf("port %s: expected 1 to 65535", u.Port())
	}
	head, tail, _ := strings.Cut(strings.ToLower(strings.Trim(u.Path, "/")), "/")
	if pin, err := hex.DecodeString(head); err == nil && len(pin) == sha256.Size {
		a.Pin, head = head, tail
	} else if tail != "" {
		head = tail + head
	}
	if a.ID = head; a.ID != "" && !IsID(a.ID) {
		return a, errors.New("what follows the port is neither a fingerprint nor a search")
	}
	return a, nil
}

// Access is how to be let into a server, by files that only the user can read.
type Access struct {
	TokenFile string `json:"token_file,omitempty"` // only a token; of another's server also USER:PASSWORD
	Creds     string `json:"creds,omitempty"`      // credentials of NATS: a JWT and its key
	CA        string `json:"ca,omitempty"`         // certificates that the server's is signed by; empty: the system's
	Secret    string `json:"-"`                    // of a search, for a server for several
}

// IsServer reports whether text names a server that runs already, rather than where to listen.
func IsServer(text string) bool { return strings.Contains(text, "://") }

// CheckJoin refuses what no worker can join by.
func (x Access) CheckJoin(url string) error {
	a, err := ParseAddress(url)
	if err == nil && a.Pin != "" {
		_, err = x.pinnedOptions(a, UserWorker)
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
	a, err := ParseServer(text)
	if err == nil && a.ID != "" {
		err = errors.New("it names a search")
	}
	if err != nil {
		return fmt.Errorf("%q: expected nats://HOST:PORT or tls://HOST:PORT of a NATS that runs already, or what "+
			"darwarp fleet serve prints (%w)", text, err)
	}
	if a.Pin != "" {
		_, err = x.pinnedOptions(a, UserSearch)
		return err
	}
	_, err = x.options(a)
	return err
}

// Flags are those of join, with the names of the files.
func (x Access) Flags() (text string) {
	for _, f := range [][2]string{{"--token-file", x.TokenFile}, {"--creds", x.Creds}, {"--ca", x.CA}} {
		if f[1] != "" {
			text += " " + f[0] + " " + filepath.Base(f[1])
		}
	}
	return text
}

// options are those of a connection to a server that is not the search's own.
func (x Access) options(a Address) (all []nats.Option, err error) {
	if a.Scheme == "tls" {
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
func (x Access) pinnedOptions(a Address, user string) ([]nats.Option, error) {
	switch {
	case x.Creds != "" || x.CA != "":
		return nil, errors.New("--creds, --ca: a search's own server knows neither: expected --token-file alone")
	case x.TokenFile == "":
		if user == UserSearch {
			return nil, errors.New("--fleet-token-file: expected the file that darwarp fleet serve names, DIR/searches " +
				"there: copy it here")
		}
		return nil, errors.New("--token-file: expected the file that the search names, RUN.fleet/token there: copy it here")
	}
	token, err := ReadToken(x.TokenFile)
	if err != nil {
		err = fmt.Errorf("--token-file: %w", err)
	}
	if x.Secret != "" {
		token += "." + x.Secret
	}
	if a.ID != "" {
		user += "." + a.ID
	}
	return []nats.Option{nats.UserInfo(user, token), nats.Secure(Pinned(a.Pin)), nats.TLSHandshakeFirst()}, err
}

// Dial connects to where a search is. What goes wrong is said in one line; it is a Mistake where another address, token
// or file is needed.
func Dial(a Address, user string, by Access, more ...nats.Option) (*nats.Conn, error) {
	known, err := by.options(a)
	if a.Pin != "" {
		known, err = by.pinnedOptions(a, user)
	}
	if err != nil {
		return nil, Mistaken(err)
	}
	inbox := a.Names().Inbox(user)
	if by.Secret != "" && a.ID == "" { // beside other searches
		inbox += "." + NamesBy(by.Secret).ID
	}
	options := append(known, nats.Name("darwarp "+user), nats.Timeout(10*time.Second), quiet,
		nats.CustomInboxPrefix(inbox))
	nc, err := nats.Connect(a.Scheme+"://"+a.Host, append(options, more...)...)
	switch failed := a.unconnected(err); {
	case err == nil:
		return nc, nil
	case misdirected(err):
		return nil, Mistaken(failed)
	default:
		return nil, failed
	}
}

// ErrSilent says that no server answers at an address.
var ErrSilent = errors.New("nothing answers there")

// unconnected says what went wrong with a connection.
func (a Address) unconnected(err error) error {
	switch {
	case errors.Is(err, nats.ErrAuthorization) && a.Pin != "":
		return fmt.Errorf("%s refuses the token: copy it again: a search's is RUN.fleet/token; with darwarp fleet serve "+
			"a worker's is DIR/token, and a search's DIR/searches", a.Host)
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%s refuses who asks: it wants another token, or credentials", a.Host)
	case errors.Is(err, errImpostor):
		return fmt.Errorf("cannot connect to %s: %w", a.Host, errImpostor)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("cannot connect to %s: it has no TLS: nats:// in place of tls:// does without", a.Host)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("cannot connect to %s: %w: is it running, and its port open to this machine?", a.Host,
			ErrSilent)
	}
	return fmt.Errorf("cannot connect to %s: %w", a.Host, err)
}
