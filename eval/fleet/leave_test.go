package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// leaver is a worker that takes nothing new, with the queue that it still gets from.
func leaver(t *testing.T, f *Fleet, cfg JoinConfig) (*attachment, jetstream.Consumer) {
	t.Helper()
	to, err := broker.ParseAddress(cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := broker.Dial(to, broker.UserWorker, cfg.Access)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	w := &worker{cfg: cfg, link: link{names: f.names, nc: nc}, contact: contact{ended: make(chan struct{})},
		workshop: workshop{station: &Station{Evaluator: newFake("x")}}}
	if w.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	a := w.attach(t.Context(), f.post.session, f.kind())
	a.end()
	t.Cleanup(a.abandon)
	c, err := w.js.Consumer(t.Context(), f.names.Work(), anyQueue(f.post.session, f.kind()))
	if err != nil {
		t.Fatal(err)
	}
	return a, c
}

// TestGivenBack: what workers give back that leave is no attempt, however many do; and one that gives back all that it
// gets is no reason to ask for ever.
func TestGivenBack(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", newFake("a"))
	leaves(t, f, "a")
	a, c := leaver(t, f, g.config(newFake("leaver")))
	gives := func(n int) {
		for given := 0; given < n; {
			if msg, err := c.Next(jetstream.FetchMaxWait(time.Second)); err == nil {
				a.handle(a.take, msg)
				given++
			}
		}
	}
	asked := func() (answer, error) {
		packed, err := f.packer.pack(candidate(7))
		if err != nil {
			t.Error(err)
		}
		return f.post.ask(t.Context(), f.names.AnyOf(f.kind()), request{Do: doEvaluate, Jobs: []*job{packed}}, nil)
	}
	answered := make(chan answer)
	go func() {
		got, err := asked()
		if err != nil {
			t.Error(err)
		}
		answered <- got
	}()
	gives(3 * deliveries)
	g.join(newFake("b"))
	if got := <-answered; got.Worker != "b" || got.Result == nil || got.Result.Outcome != kernels.OK {
		t.Errorf("%+v", got)
	}
	leaves(t, f, "b")
	go gives(mostBack)
	_, err := asked()
	if !errors.Is(err, kernels.ErrLost) || !strings.Contains(err.Error(), "32 workers have given it back") {
		t.Error(err)
	}
}

// TestUnheard: an answer that the search has not heard is sent again, and one that it has is forgotten.
func TestUnheard(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", newFake("a"))
	a, _ := leaver(t, f, g.config(newFake("x")))
	a.w.attached = a
	number := func() uint64 {
		f.post.mu.Lock()
		defer f.post.mu.Unlock()
		return f.post.last
	}
	before := number()
	answered := make(chan answer)
	go func() {
		got, err := f.post.ask(t.Context(), f.names.To("nobody"), request{Do: doEvaluate}, nil)
		if err != nil {
			t.Error(err)
		}
		answered <- got
	}()
	until(t, "a request", func() bool { return number() > before })
	data := encode(answer{Session: a.session, Number: number(), Worker: "x", Code: "late"})
	for _, n := range []uint64{number(), before, 1 << 40} { // the others nobody waits for
		a.told[n] = told{data, time.Now().Add(-helloEvery)}
	}
	a.told[1<<41] = told{data, time.Now()} // it is on its way
	tell := func() {
		if _, err := a.w.tell(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	tell()
	if got := <-answered; got.Code != "late" {
		t.Errorf("%+v", got)
	}
	if tell(); len(a.unheard(true)) != 1 || len(a.unheard(false)) > 0 {
		t.Errorf("not forgotten: %v", a.told)
	}
}

// TestGivenUp: a worker gives up what the search no longer waits for, and does what comes next.
func TestGivenUp(t *testing.T) {
	a := newFake("a")
	begun, ended := make(chan struct{}), make(chan struct{})
	a.trying = func(ctx context.Context) {
		close(begun)
		<-ctx.Done()
		close(ended)
	}
	f, _ := open(t, a)
	ctx, giveUp := context.WithCancel(t.Context())
	go func() { <-begun; giveUp() }()
	if _, err := f.trial(ctx, candidate(2), kernels.QuickTrial...); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on")
	}
	a.trying = nil
	if got, err := f.trial(t.Context(), candidate(3), kernels.QuickTrial...); err != nil || got.ID != candidate(3).ID {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestStoppedFirst: word that a request is given up may come before it, and holds for that one alone.
func TestStoppedFirst(t *testing.T) {
	var r running
	for n := range 2 * mostStopped { // most never come
		r.stop(requestKey("session", uint64(n)))
	}
	last := uint64(2*mostStopped - 1)
	for key, want := range map[string]bool{requestKey("session", last): true, requestKey("other", last): false,
		requestKey("session", 1<<40): false} {
		ctx, done := r.begin(t.Context(), key, doDuel)
		if stopped := ctx.Err() != nil; stopped != want {
			t.Errorf("%s: %v", key, stopped)
		}
		if r.stop(key); ctx.Err() == nil {
			t.Errorf("%s goes on", key)
		}
		done()
	}
	if len(r.begun) > 0 || len(r.stopped) >= mostStopped {
		t.Errorf("%d and %d kept", len(r.begun), len(r.stopped))
	}
}

// TestForeignAcks: a worker has the search acknowledge requests of its own streams, and publish nothing else.
func TestForeignAcks(t *testing.T) {
	n := broker.NamesBy("secret")
	work := n.Work()
	for subject, want := range map[string]bool{
		"$JS.ACK." + work + ".any-1.1.2.3.4.5": true, "$JS.ACK.domain.hash." + work + ".any-1.1.2.3.4.5.6": true,
		"": false, n.End(): false, "$JS.API.STREAM.DELETE." + work + ".": false, "$JS.ACK.OTHER.any.1." + work: false,
		"$JS.ACK." + n.Own() + ".to-1.1.2.3.4.5": true, "$JS.ACK." + work + "-other.to-1.1.2.3.4.5": false,
		"$JS.ACK." + work + ".any 1": false, "$JS.ACK." + work + ".*": false, "$JS.ACK." + work + "2.any.1": false,
	} {
		if n.IsAck(subject) != want {
			t.Errorf("%q: %v", subject, !want)
		}
	}
}

// TestGivesBackAll: a worker that gives back more than one that leaves can have is left out.
func TestGivesBackAll(t *testing.T) {
	f, _ := open(t, newFake("a"), newFake("b"))
	for range 2 + atOnce { // slots, and what is asked of it alone
		f.returned("a")
	}
	if n := len(f.roster.ready()); n != 2 {
		t.Errorf("%d workers after what one that leaves gives back", n)
	}
	f.returned("a")
	if all := f.roster.ready(); len(all) != 1 || all[0].name != "b" {
		t.Errorf("%d workers", len(all))
	}
}

// TestLeaving: of what workers are handed while they leave nothing is left to lie: each delivery is judged or given
// back, but for one at most: what the server hands to a subscription that ends at that moment reaches nobody, and is
// handed out again when the wait for its acknowledgement is over.
func TestLeaving(t *testing.T) {
	a := newFake("a")
	slow := func(context.Context, *kernels.Job) { time.Sleep(10 * time.Millisecond) }
	a.before = slow
	f, g := open(t, a)
	if _, err := f.Evaluate(t.Context(), candidate(1)); err != nil { // no ratios are taken meanwhile
		t.Fatal(err)
	}
	var mu sync.Mutex
	backs := map[uint64]bool{} // what is told twice was not heard at first
	if _, err := f.nc.Subscribe(f.names.Answer("*"), func(msg *nats.Msg) {
		var got answer
		if json.Unmarshal(msg.Data, &got) == nil && got.Back {
			mu.Lock()
			backs[got.Number] = true
			mu.Unlock()
		}
	}); err != nil {
		t.Fatal(err)
	}
	over := guests(t, f, g, slow)
	for i, r := range asked(t, f, 2, 250) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+2, r)
		}
	}
	all := over()
	judged := len(a.seen)
	for _, w := range all {
		judged += len(w.seen)
	}
	c, err := f.post.work.Consumer(t.Context(), anyQueue(f.post.session, f.kind()))
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Info(t.Context())
	mu.Lock()
	defer mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if lost := int(info.Delivered.Consumer) - judged - len(backs); lost < 0 || lost > 1 || judged != 249 {
		t.Errorf("%d deliveries, %d judged, %d given back", info.Delivered.Consumer, judged, len(backs))
	}
}

// guests has one worker after the other come and leave, until over is called: that gives all that came.
func guests(t *testing.T, f *Fleet, g *ground, before func(context.Context, *kernels.Job)) (over func() []*fake) {
	var all []*fake
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			w := newFake(fmt.Sprint("guest", n))
			all, w.before = append(all, w), before
			ended, leave := g.join(w)
			until(t, w.name, func() bool { return len(f.roster.ready()) == 2 })
			time.Sleep(20 * time.Millisecond)
			leave()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return func() []*fake {
		close(stop)
		work.Wait()
		return all
	}
}
