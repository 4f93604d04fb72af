//go:build !nofleet

package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// wire is a worker's connection, which can be cut for good, as when its machine dies.
type wire struct {
	mu   sync.Mutex
	open []net.Conn
	dead bool
}

func (w *wire) dial(network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return nil, errors.New("the machine is dead")
	}
	c, err := net.Dial(network, address)
	if err == nil {
		w.open = append(w.open, c)
	}
	return c, err
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	for _, c := range w.open {
		c.Close()
	}
}

// churn has further workers come and go, until ctx ends: each stays for 4 s on average, and every other one is cut off
// in the middle of what it does. It says how many came, and how many of them were cut off.
func (m *simulated) churn(ctx context.Context) (came, cut int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range m.Churn {
		all.Go(func() {
			for ctx.Err() == nil {
				line := &wire{}
				of, leave := context.WithCancel(ctx)
				m.join(of, line.dial)
				select {
				case <-ctx.Done():
				case <-time.After(time.Duration(rand.ExpFloat64() * 4 * float64(time.Second))):
				}
				mu.Lock()
				if came++; came%2 == 0 && ctx.Err() == nil {
					cut++
					line.cut()
				}
				mu.Unlock()
				leave()
			}
		})
	}
	all.Wait()
	return came, cut
}

// measureChurn asks for points while workers come and go.
func (m *simulated) measureChurn(ctx context.Context, asked func(context.Context) (int, error)) (
	r Simulated, err error) {
	var came, cut int
	r, err = m.measure(ctx, &m.spent, func(ctx context.Context) (n int, err error) {
		var others sync.WaitGroup
		others.Go(func() { came, cut = m.churn(ctx) })
		n, err = asked(ctx)
		others.Wait()
		return n, err
	})
	r.Came, r.Cut, r.Lost = came, cut, int(m.lost.Load())
	return r, err
}
