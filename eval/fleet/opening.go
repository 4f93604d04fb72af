package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// open opens the devices for what the search is about. Meanwhile it goes on telling that it is there.
func (w *worker) open(ctx context.Context, reply welcome) error {
	if w.cfg.OpenCompiler != nil && reply.Arch == "" { // for what, a worker with a device will tell
		w.idle.Do(func() { w.cfg.Say("waiting for the first worker with a GPU: it says what to compile for") })
		return nil
	}
	type opened struct {
		*Station
		err error
	}
	w.task = reply.Task
	done := make(chan opened, 1)
	go func() {
		s, err := w.openFor(ctx, reply)
		done <- opened{s, err}
	}()
	for {
		select {
		case got := <-done:
			w.station = got.Station
			return got.err
		case <-time.After(helloEvery):
			_, _ = w.tell(ctx, false)
		}
	}
}

func (w *worker) openFor(ctx context.Context, reply welcome) (*Station, error) {
	data, err := w.fetch(ctx, reply.Task)
	if err != nil {
		return nil, fmt.Errorf("fetch what the search is about: %w", err)
	}
	if w.cfg.OpenCompiler != nil {
		return w.cfg.OpenCompiler(ctx, data, reply.Arch)
	}
	return w.cfg.Open(ctx, data)
}

// fetch fetches what the search is about. A server that is slow to answer, as where a thousand ask at once, is asked
// again, and for a while one that does not have it: if it was started again the search is about to put it there.
func (w *worker) fetch(ctx context.Context, task string) ([]byte, error) {
	return w.fetchBy(ctx, task, func(from jetstream.ObjectStore) ([]byte, error) { return from.GetBytes(ctx, task) })
}

// fetchBy fetches what has a hash, by one way to get it.
func (w *worker) fetchBy(ctx context.Context, hash string, get func(jetstream.ObjectStore) ([]byte, error)) (
	data []byte, err error) {
	for begun := time.Now(); time.Since(begun) < patience; {
		var bucket jetstream.ObjectStore
		if bucket, err = w.js.ObjectStore(ctx, w.names.Tasks()); err == nil {
			data, err = get(bucket)
		}
		if err == nil || ctx.Err() != nil {
			break
		}
		if slow := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout); !slow {
			if time.Since(begun) > 5*silence {
				break
			}
			time.Sleep(helloEvery / 10)
		}
	}
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != hash {
		err = errors.New("it came in pieces that do not fit")
	}
	return data, err
}

// detach gives up what a session has in flight. The next one counts its requests anew, and has its own bar.
func (w *worker) detach() {
	if w.attached == nil {
		return
	}
	w.attached.abandon()
	w.attached = nil
	w.local.reset()
}

// reopen closes the devices, so that they are opened for what the search is about now.
func (w *worker) reopen() error {
	w.detach()
	err := w.station.Close()
	w.station, w.unpacker = nil, unpacker{}
	return err
}

// sayLeaving says what a worker that was interrupted still does.
func (w *worker) sayLeaving() {
	doing, sooner := (&hello{Doing: w.running.doing()}).doing(), ""
	if w.cfg.Now != nil {
		sooner = "; Ctrl-C again leaves it to others"
	}
	if doing != "" {
		w.cfg.Say("finishing what there is: %s%s", doing, sooner)
	}
}
