package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
)

// standInLine tells a server for several searches that this one is there, and goes on telling it until the fleet is
// closed. What is said of its place is said to people while it has no worker.
func (f *Fleet) standInLine(ctx context.Context, at broker.Address) (err error) {
	f.inLine, err = broker.Dial(at, broker.UserSearch, f.cfg.Access, nats.MaxReconnects(-1),
		nats.ReconnectWait(time.Second),
		nats.IgnoreAuthErrorAbort())
	if err != nil {
		return err
	}
	p, err := f.firstPlace(ctx, at)
	if err == nil && p.Refused != "" {
		err = errors.New(p.Refused)
	}
	if err != nil {
		return err
	}
	f.work.Go(func() { f.keepPlace(at, p) })
	return nil
}

// asks is how often a search that comes asks a server for its place.
const asks = 3

// firstPlace asks a server that is slow to answer, or has just begun, again.
func (f *Fleet) firstPlace(ctx context.Context, at broker.Address) (p place, err error) {
	for range asks {
		p, err = f.askPlace(ctx, at, false)
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			select {
			case <-time.After(helloEvery):
			case <-ctx.Done():
			}
		case !errors.Is(err, context.DeadlineExceeded):
			return p, err
		}
	}
	return p, fmt.Errorf("the server at %s gives no place: %w", at.Host, err)
}

// keepPlace goes on telling the server, and says what has become of the search's place.
func (f *Fleet) keepPlace(at broker.Address, p place) {
	said := ""
	for f.ctx.Err() == nil {
		if now := p.String(); now != said {
			if said = now; p.Have == 0 {
				f.cfg.Say("%s", now)
			}
		}
		select {
		case <-f.ctx.Done():
		case <-time.After(helloEvery):
			if next, err := f.askPlace(f.ctx, at, false); err == nil {
				p = next
			}
		}
	}
}

// String is what people are told.
func (p place) String() string {
	switch {
	case p.Refused != "":
		return "the server has no place for this search: " + p.Refused
	case p.Have > 0:
		return "has workers"
	}
	return fmt.Sprintf("waits in line as number %d; searches: %d, workers: %d", p.Before+1, p.Tenants, p.Workers)
}

func (f *Fleet) askPlace(ctx context.Context, at broker.Address, leaving bool) (p place, err error) {
	ctx, end := context.WithTimeout(ctx, silence)
	defer end()
	q := queueing{Version: f.cfg.Version, Protocol: Protocol, About: f.cfg.About, Leaving: leaving}
	msg, err := f.inLine.RequestWithContext(ctx, at.Names().Queue(f.names.ID), encode(q))
	if err == nil {
		err = json.Unmarshal(msg.Data, &p)
	}
	return p, err
}

// leaveLine tells the server that the search has ended.
func (f *Fleet) leaveLine() {
	if f.inLine == nil {
		return
	}
	if at, err := broker.ParseServer(f.cfg.Listen); err == nil && f.names.ID != "" {
		_, _ = f.askPlace(context.Background(), at, true)
	}
	f.inLine.Close()
}
