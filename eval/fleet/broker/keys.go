package broker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The files of a fleet's private folder. They outlive a session of the search, so that workers find it again after a
// resume.
const (
	certFile     = "cert.pem"
	keyFile      = "key.pem"
	TokenFile    = "token" // of workers
	OwnerFile    = "owner" // of whoever may drain workers
	AddressFile  = "address"
	SearchesFile = "searches" // token of the searches of a server for several
	AccessFile   = "access"   // how to be let into a server that is not the search's own
	streamsDir   = "jetstream"
)

// keys are what tells the search and its workers from others.
type keys struct {
	cert         tls.Certificate
	Token, Owner string
}

// OpenKeys reads the keys in a private folder, or makes them. A folder that cannot have them is a Mistake.
func OpenKeys(dir string) (keys, error) {
	k, err := readKeys(dir)
	if err == nil {
		return k, nil
	}
	_ = os.Remove(dir) // which is kept where something is in it
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return k, fmt.Errorf("the folder %s of keys cannot be written: %w", dir, full)
		}
	}
	return k, Mistaken(fmt.Errorf("the folder %s of keys: %w", dir, err))
}

func readKeys(dir string) (k keys, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return k, fmt.Errorf("it cannot be made: %w", errors.Unwrap(err)) // a PathError, whose path is known
	}
	if _, err := os.Stat(filepath.Join(dir, keyFile)); errors.Is(err, fs.ErrNotExist) {
		if err := makeKeys(dir); err != nil {
			return k, err
		}
	}
	if k.cert, err = tls.LoadX509KeyPair(filepath.Join(dir, certFile), filepath.Join(dir, keyFile)); err != nil {
		return k, err
	}
	if k.Token, err = ReadToken(filepath.Join(dir, TokenFile)); err != nil {
		return k, err
	}
	k.Owner, err = ReadToken(filepath.Join(dir, OwnerFile))
	return k, err
}

// makeKeys makes a certificate and tokens. The key comes last: where it is, all are.
func makeKeys(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	// A worker compares the fingerprint, and no dates: clocks may be wrong.
	of := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "darwarp fleet"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}
	cert, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{
		{TokenFile, []byte(rand.Text() + "\n")}, {OwnerFile, []byte(rand.Text() + "\n")},
		{certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})},
		{keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})},
	} {
		if err := writeWhole(filepath.Join(dir, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// writeWhole writes a private file that is there with all of its content, or not at all: half a key, of a full disk,
// would be found by every later session.
func writeWhole(path string, data []byte) error {
	part := path + ".part"
	err := os.WriteFile(part, data, 0o600)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}

// OpenToken reads a token, or makes one.
func OpenToken(path string) (string, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := writeWhole(path, []byte(rand.Text()+"\n")); err != nil {
			return "", err
		}
	}
	return ReadToken(path)
}

// mostNamed bounds what is read of a file that a user names, which may be a device without an end.
const mostNamed = 1 << 20

// readNamed reads a file that a user names. Its errors name the file.
func readNamed(path string) ([]byte, error) {
	var data []byte
	f, err := os.Open(path)
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, mostNamed))
		f.Close()
	}
	if known := new(fs.PathError); errors.As(err, &known) {
		return nil, fmt.Errorf("%s: %w", path, known.Err)
	}
	return data, err
}

// ReadToken reads a file that contains only a token.
func ReadToken(path string) (string, error) {
	data, err := readNamed(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	if token == "" || len(token) > 256 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s: expected a file that contains only the token", path)
	}
	return token, nil
}

// fingerprint is the SHA-256 of a certificate.
func fingerprint(cert []byte) string {
	sum := sha256.Sum256(cert)
	return hex.EncodeToString(sum[:])
}

// Pinned trusts one certificate, whoever signed it and whatever it is named.
func Pinned(pin string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // VerifyConnection does
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || fingerprint(s.PeerCertificates[0].Raw) != pin {
				return errImpostor
			}
			return nil
		}}
}

var errImpostor = errors.New("the fingerprint is another one: this is not the search that printed the line")
