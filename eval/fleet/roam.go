package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"darwarp/eval/fleet/broker"
)

// stay is a worker's time with one of the searches that share it. Its devices are opened for that search and closed
// after it: nothing of one search is there for the next.
type stay struct {
	id    string // empty: with none
	leave context.CancelFunc
	ended chan error
}

// roam works for one search after the other, as a server for several says, until ctx ends.
func (w *worker) roam(ctx context.Context) error {
	var now stay
	var cannot, why string
	heard := time.Now()
	for {
		reply, err := w.report(ctx, hello{choice: choice{Works: now.id, Cannot: cannot, Why: why}})
		switch {
		case err == nil && reply.Refused != "":
			return errors.Join(errors.New(reply.Refused), now.end())
		case err == nil:
			if heard, cannot = time.Now(), ""; now.id != "" && reply.Search != "" && reply.Search != now.id {
				w.cfg.Say("another search needs this worker")
				_ = now.end()
				now = stay{}
			} else if now.id == "" && reply.Search != "" {
				now = w.begin(ctx, reply.Search)
			}
		case time.Since(heard) > patience && now.id == "":
			return fmt.Errorf("the server has not answered for %s: %w", patience, err)
		}
		select {
		case <-ctx.Done():
			_ = now.end()
			_, _ = w.report(context.WithoutCancel(ctx), hello{Leaving: true})
			return nil
		case err := <-now.ended:
			cannot, why = now.id, "it has ended, or has sent the worker away"
			if err != nil {
				why = err.Error()
				w.cfg.Say("search %s: %v", now.id, err)
			}
			now = stay{}
		case <-time.After(helloEvery):
		}
	}
}

// begin goes to work for a search.
func (w *worker) begin(ctx context.Context, id string) stay {
	w.cfg.Say("working for search %s", id)
	of, leave := context.WithCancel(ctx)
	s := stay{id: id, leave: leave, ended: make(chan error, 1)}
	cfg := w.cfg
	cfg.URL = broker.Address{Scheme: w.to.Scheme, Host: w.to.Host, Pin: w.to.Pin, ID: id}.String()
	go func() { s.ended <- Join(of, cfg) }()
	return s
}

// end finishes what is in flight, and closes the devices.
func (s *stay) end() error {
	if s.id == "" {
		return nil
	}
	s.leave()
	return <-s.ended
}

// report tells the server that the worker is there.
func (w *worker) report(ctx context.Context, h hello) (reply welcome, err error) {
	h.Worker, h.Instance, h.Version, h.Protocol = w.cfg.Name, w.self, w.cfg.Version, Protocol
	ctx, end := context.WithTimeout(ctx, silence)
	defer end()
	msg, err := w.nc.RequestWithContext(ctx, w.names.Hello(w.cfg.Name), encode(h))
	if err == nil {
		err = json.Unmarshal(msg.Data, &reply)
	}
	return reply, err
}
