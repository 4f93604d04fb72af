package fleet

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// outside starts a NATS as others run one.
func outside(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoLog, o.NoSigs, o.JetStream = "127.0.0.1", true, true, true
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if o.StoreDir == "" {
		o.StoreDir = t.TempDir()
	}
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// operated is a server of an operator's, and credentials of a user of one of its accounts.
func operated(t *testing.T) (o server.Options, creds string) {
	t.Helper()
	operator, _ := nkeys.CreateOperator()
	account, _ := nkeys.CreateAccount()
	system, _ := nkeys.CreateAccount()
	user, _ := nkeys.CreateUser()
	key := func(k nkeys.KeyPair) string { p, _ := k.PublicKey(); return p }
	of := jwt.NewOperatorClaims(key(operator))
	signed, err := of.Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	if of, err = jwt.DecodeOperatorClaims(signed); err != nil {
		t.Fatal(err)
	}
	a := jwt.NewAccountClaims(key(account))
	a.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	accountJWT, _ := a.Encode(operator)
	userJWT, _ := jwt.NewUserClaims(key(user)).Encode(account)
	seed, _ := user.Seed()
	text, err := jwt.FormatUserConfig(userJWT, seed)
	if err != nil {
		t.Fatal(err)
	}
	known := &server.MemAccResolver{}
	systemJWT, _ := jwt.NewAccountClaims(key(system)).Encode(operator)
	if err := errors.Join(known.Store(key(account), accountJWT), known.Store(key(system), systemJWT)); err != nil {
		t.Fatal(err)
	}
	return server.Options{SystemAccount: key(system), TrustedOperators: []*jwt.OperatorClaims{of},
		AccountResolver: known}, file(t, string(text))
}

// TestOutside: two searches meet their workers on a NATS that runs already, however that lets them in; none gets what
// is the other's, and nothing of them is left there.
func TestOutside(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	web.Close()
	ca := file(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})))
	byCreds, creds := operated(t)
	for name, tt := range map[string]struct {
		options server.Options
		access  broker.Access
		scheme  string
	}{
		"token": {server.Options{Authorization: "hush"}, broker.Access{TokenFile: file(t, "hush")}, "nats"},
		"password": {server.Options{Username: "me", Password: "hush"}, broker.Access{TokenFile: file(t, "me:hush")},
			"nats"},
		"credentials": {byCreds, broker.Access{Creds: creds}, "nats"},
		"TLS":         {server.Options{TLSConfig: web.TLS, TLSTimeout: 10}, broker.Access{CA: ca}, "tls"},
	} {
		t.Run(name, func(t *testing.T) {
			s := outside(t, tt.options)
			url := tt.scheme + "://" + s.Addr().String()
			var all []*Fleet
			workers := []*fake{newFake("a"), newFake("a")} // of one name: they are on unlike searches
			for i, w := range workers {
				g := &ground{t: t, dir: t.TempDir(), access: tt.access, outside: true}
				f := g.open(url, w)
				all = append(all, f)
				for n, r := range asked(t, f, 10*i, 10*i+5) {
					if r.Outcome != kernels.OK {
						t.Errorf("candidate %d: %+v", n, r)
					}
				}
				if st, err := AskStatus(t.Context(), g.dir); err != nil || len(st.Workers) != 1 || st.Workers[0].Answers != 5 {
					t.Errorf("%+v, %v", st, err)
				}
			}
			if len(workers[0].seen) != 5 || len(workers[1].seen) != 5 {
				t.Errorf("%d and %d candidates", len(workers[0].seen), len(workers[1].seen))
			}
			for _, f := range all {
				f.Close()
			}
			if left, err := s.Jsz(nil); err != nil || left.Streams != 0 {
				t.Errorf("%d streams are left, %v", left.Streams, err)
			}
		})
	}
}

// TestOutsideAgain: a server that was started again has lost what was in flight, and nothing else.
func TestOutsideAgain(t *testing.T) {
	s := outside(t, server.Options{})
	at := s.Addr().(*net.TCPAddr)
	g := &ground{t: t, dir: t.TempDir(), outside: true}
	w := newFake("a")
	begun, never := make(chan struct{}, 1), make(chan struct{})
	w.before = func(context.Context, *kernels.Job) {
		select {
		case begun <- struct{}{}:
		default:
		}
		<-never
	}
	f := g.open("nats://"+at.String(), w)
	answers := make(chan []kernels.Result)
	go func() { answers <- asked(t, f, 1, 7) }()
	<-begun
	s.Shutdown()
	s.WaitForShutdown()
	outside(t, server.Options{Port: at.Port})
	for i, r := range <-answers {
		if r.Outcome != kernels.Lost || !strings.Contains(r.Detail, "started again") {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
	close(never)
	defer f.Close() // while the server is there
	for i, r := range asked(t, f, 10, 20) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+10, r)
		}
	}
}

// TestOutsideRefused: what is wrong with a server that runs already is said in one line.
func TestOutsideRefused(t *testing.T) {
	s := outside(t, server.Options{Authorization: "hush"})
	url := "nats://" + s.Addr().String()
	for _, tt := range []struct {
		listen string
		access broker.Access
		want   string
	}{
		{url, broker.Access{TokenFile: file(t, "guess")}, "refuses who asks"},
		{url, broker.Access{TokenFile: "/nosuch"}, "/nosuch: no such file"},
		{url, broker.Access{Creds: "/nosuch"}, "/nosuch"},
		{"tls://" + s.Addr().String(), broker.Access{TokenFile: file(t, "hush")},
			"it has no TLS: nats:// in place of tls://"},
		{"nats://127.0.0.1:1", broker.Access{}, "cannot connect to 127.0.0.1:1"},
		{"http://127.0.0.1", broker.Access{}, "expected nats://HOST:PORT or tls://HOST:PORT"},
		{"nats://me:hush@127.0.0.1", broker.Access{}, "expected nats://HOST:PORT or tls://HOST:PORT"},
		{url + "/" + strings.Repeat("0", 16), broker.Access{}, "it names a search"},
	} {
		f, err := Open(t.Context(), Config{Listen: tt.listen, Access: tt.access, Dir: t.TempDir(), Version: "v1",
			Say: func(string, ...any) {}})
		if f != nil || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", tt.listen, err)
		}
		var m *broker.Mistake // what is no address has been refused before
		if strings.HasPrefix(tt.listen, "tls://") && !errors.As(err, &m) {
			t.Errorf("%s: it fails again when it is tried again", tt.listen)
		}
	}
}
