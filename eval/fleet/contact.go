package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
)

// contact is what a worker has heard of the search.
type contact struct {
	ended      chan struct{} // closed when the search says that it has ended
	heard      time.Time     // when it answered last
	taken      time.Time     // since when another worker has this one's name; zero: none has
	unanswered bool          // that it has not answered for long was said
}

// listen hears of the search's end, and of what it has given up.
func (w *worker) listen() error {
	var once sync.Once
	_, err := w.nc.Subscribe(w.names.End(), func(*nats.Msg) { once.Do(func() { close(w.ended) }) })
	if err == nil {
		_, err = w.nc.Subscribe(w.names.Stop(w.cfg.Name), func(msg *nats.Msg) { w.running.stop(string(msg.Data)) })
	}
	return err
}

// run tells the search again and again that the worker is there, and does what that answers.
func (w *worker) run(ctx context.Context) error {
	w.heard = time.Now()
	for {
		reply, err := w.tell(ctx, false)
		switch {
		case err == nil:
			if over, err := w.take(ctx, reply); over || err != nil {
				return err
			}
		case time.Since(w.heard) > patience:
			return fmt.Errorf("the search has not answered for %s: %w", patience, err)
		case time.Since(w.heard) > silence && !w.unanswered:
			w.unanswered = true
			w.cfg.Say("the search has not answered for %s: waiting for it, for %s at most", silence, patience)
		}
		select {
		case <-ctx.Done():
			w.sayLeaving()
			return nil
		case <-w.ended:
			w.cfg.Say("%v", ErrEnded)
			return ErrEnded
		case <-time.After(reply.pause(err)):
		}
	}
}

// take does what an answer of the search asks for. over says that the worker is to end.
func (w *worker) take(ctx context.Context, reply welcome) (over bool, err error) {
	switch {
	case reply.Refused != "":
		return true, errors.New(reply.Refused)
	case reply.Taken:
		return false, w.awaitName()
	case reply.Hub && w.cfg.OpenCompiler != nil:
		return true, broker.Mistaken(errors.New("--compile-only: a server for several searches has workers with devices " +
			"alone"))
	case reply.Hub:
		return true, w.roam(ctx)
	case reply.Drain:
		w.cfg.Say("drained: finishing what there is")
		return true, nil
	}
	w.heard, w.taken, w.unanswered = time.Now(), time.Time{}, false
	return false, w.follow(ctx, reply)
}

// pause is how long after an answer the worker tells again that it is there.
func (r *welcome) pause(err error) time.Duration {
	if err == nil && !r.Ready && !r.Taken { // it is about to be
		return helloEvery / 20
	}
	return helloEvery
}
