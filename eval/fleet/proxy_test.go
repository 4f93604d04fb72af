package fleet

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"darwarp/eval/fleet/broker"
)

// proxy is a network between a worker and its search, on loopback.
type proxy struct {
	t     *testing.T
	delay time.Duration
	l     net.Listener
	to    string

	mu   sync.Mutex
	open []net.Conn
	dead bool
}

func newProxy(t *testing.T) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, l: l}
	t.Cleanup(func() { l.Close(); p.cut() })
	return p
}

// before is the address of the proxy in place of that of a fleet.
func (p *proxy) before(url string) string {
	a, err := broker.ParseAddress(url)
	if err != nil {
		p.t.Fatal(err)
	}
	p.to = a.Host
	go func() {
		for {
			c, err := p.l.Accept()
			if err != nil {
				return
			}
			p.carry(c)
		}
	}()
	return broker.Address{Scheme: a.Scheme, Host: p.l.Addr().String(), Pin: a.Pin, ID: a.ID}.String()
}

func (p *proxy) carry(c net.Conn) {
	s, err := net.Dial("tcp", p.to)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || p.dead {
		c.Close()
		return
	}
	p.open = append(p.open, c, s)
	for _, way := range [][2]net.Conn{{c, s}, {s, c}} {
		go func() {
			io.Copy(slow{way[1], p.delay}, way[0])
			way[0].Close()
			way[1].Close()
		}()
	}
}

// slow writes later.
type slow struct {
	io.Writer
	by time.Duration
}

func (s slow) Write(b []byte) (int, error) {
	time.Sleep(s.by)
	return s.Writer.Write(b)
}

// drop ends all connections; cut lets no new ones through, either.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

func (p *proxy) cut() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.drop()
}
