package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"darwarp/kernels"
)

// hurried is a JetStream whose word that it has a request comes after all that meanwhile brings about.
type hurried struct {
	jetstream.JetStream
	meanwhile func(*jetstream.PubAck)
}

func (h *hurried) Publish(ctx context.Context, subject string, data []byte, opts ...jetstream.PublishOpt) (
	*jetstream.PubAck, error) {
	ack, err := h.JetStream.Publish(ctx, subject, data, opts...)
	if err != nil {
		return nil, err
	}
	if h.meanwhile(ack); ctx.Err() != nil { // who no longer waits does not hear it
		return nil, ctx.Err()
	}
	return ack, nil
}

// empties waits until a stream holds nothing.
func empties(t *testing.T, stream jetstream.Stream) {
	t.Helper()
	until(t, "an empty stream", func() bool {
		info, err := stream.Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
}

// leaves drains a worker, and waits for its last word: one that is only silent would take requests yet.
func leaves(t *testing.T, f *Fleet, name string) {
	t.Helper()
	until(t, "worker "+name+" leaves", func() bool {
		f.roster.setDrain(name) // in vain while it is silent
		f.roster.mu.Lock()
		defer f.roster.mu.Unlock()
		return f.roster.find(name).last.Leaving
	})
}

// TestGivenUpEarly: what is given up before the server has said that it has the request ends on its worker, and is
// withdrawn where none has begun.
func TestGivenUpEarly(t *testing.T) {
	a := newFake("a")
	begun, ended := make(chan struct{}), make(chan struct{})
	a.trying = func(ctx context.Context) {
		close(begun)
		<-ctx.Done()
		close(ended)
	}
	f, _ := open(t, a)
	ctx, giveUp := context.WithCancel(t.Context())
	prompt := f.post.js
	f.post.js = &hurried{prompt, func(*jetstream.PubAck) { <-begun; giveUp() }}
	if _, err := f.trial(ctx, candidate(2), kernels.QuickTrial...); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	until(t, "the trial's end", func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	empties(t, f.post.own)
	ctx, giveUp = context.WithCancel(t.Context())
	f.post.js = &hurried{prompt, func(*jetstream.PubAck) { giveUp() }}
	alone, subject := toQueue("nobody", f.post.session), f.names.To("nobody")
	if err := f.post.open(t.Context(), alone, subject); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is not sent
		if _, err := f.post.ask(ctx, subject, request{Do: doTrial}, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	empties(t, f.post.own)
}

// TestUnfinishedEarly: word that no worker has finished a request may come before the server's on where that lies, and
// holds for that one alone.
func TestUnfinishedEarly(t *testing.T) {
	f, _ := open(t, newFake("a"))
	advise := func(at spot) {
		data, err := json.Marshal(at)
		if err != nil {
			t.Error(err)
		}
		f.post.giveUp(&nats.Msg{Data: data})
	}
	subject := f.names.To("nobody")
	if err := f.post.open(t.Context(), toQueue("nobody", f.post.session), subject); err != nil {
		t.Fatal(err)
	}
	hasty := &hurried{JetStream: f.post.js}
	f.post.js = hasty
	hasty.meanwhile = func(ack *jetstream.PubAck) { advise(spot{ack.Stream, ack.Sequence}) }
	_, err := f.post.ask(t.Context(), subject, request{Do: doTrial}, nil)
	if !errors.Is(err, kernels.ErrLost) || !strings.Contains(err.Error(), "3 workers took it and did not answer") {
		t.Error(err)
	}
	empties(t, f.post.own)
	hasty.meanwhile = func(ack *jetstream.PubAck) {
		for _, at := range []spot{{}, {ack.Stream, 0}, {ack.Stream, ack.Sequence + 1}, {f.names.Work(), ack.Sequence}} {
			advise(at)
		}
		got := answer{Session: f.post.session, Number: f.post.last, Worker: "a", Code: "code"}
		f.post.receive(&nats.Msg{Data: encode(got)})
	}
	if got, err := f.post.ask(t.Context(), subject, request{Do: doTrial}, nil); err != nil || got.Code != "code" {
		t.Errorf("another's: %+v, %v", got, err)
	}
}

// TestBegunTwice: a request that the server has handed out again is given up with all that was begun of it.
func TestBegunTwice(t *testing.T) {
	var r running
	key := requestKey("session", 1)
	first, firstDone := r.begin(t.Context(), key, doTrial)
	_, secondDone := r.begin(t.Context(), key, doTrial)
	third, thirdDone := r.begin(t.Context(), key, doTrial)
	if secondDone(); r.doing()[doTrial] != 2 {
		t.Errorf("%v", r.doing())
	}
	if r.stop(key); first.Err() == nil || third.Err() == nil {
		t.Errorf("they go on: %v, %v", first.Err(), third.Err())
	}
	firstDone()
	thirdDone()
	if again, done := r.begin(t.Context(), key, doTrial); again.Err() != nil {
		t.Error("word is kept of what was given up")
	} else {
		done()
	}
	if len(r.begun)+len(r.stopped) > 0 {
		t.Errorf("%d and %d kept", len(r.begun), len(r.stopped))
	}
}
