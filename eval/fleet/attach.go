package fleet

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// atOnce is how many requests to this worker alone it does at a time: a duel, two trials, and what the final
// measurement asks for.
const atOnce = 4

// attachment is a worker at work for one session of a search.
type attachment struct {
	w       *worker
	session string
	kind    string          // of the device
	take    context.Context // ends when nothing new is begun
	end     context.CancelFunc
	do      context.Context // ends when what is in flight is given up
	kill    context.CancelFunc
	all     sync.WaitGroup
	pause   context.CancelFunc // has it take no candidates; nil: it takes none

	mu   sync.Mutex
	held map[jetstream.Msg]bool
	told map[uint64]told // answers, until the search says that it has them
}

// attach begins to answer what is asked of this worker alone.
func (w *worker) attach(ctx context.Context, session, kind string) *attachment {
	a := &attachment{w: w, session: session, kind: kind, held: map[jetstream.Msg]bool{}, told: map[uint64]told{}}
	a.do, a.kill = context.WithCancel(context.WithoutCancel(ctx))
	a.take, a.end = context.WithCancel(ctx)
	go a.keepHeld()
	if w.station.Compiler == nil {
		asking := make(chan struct{}, atOnce)
		for range atOnce {
			a.all.Go(func() { a.serve(a.take, w.names.Own(), toQueue(w.cfg.Name, session), asking) })
		}
	}
	return a
}

// takeCandidates begins to take candidates.
func (a *attachment) takeCandidates(slots int) {
	if a.pause != nil {
		return
	}
	queue := anyQueue(a.session, a.kind)
	if a.w.station.Compiler != nil {
		queue = compileQueue(a.session)
	}
	a.w.cfg.Say("ready: %d candidates at a time", slots)
	var take context.Context
	take, a.pause = context.WithCancel(a.take)
	asking := make(chan struct{}, askers(slots))
	for range slots {
		a.all.Go(func() { a.serve(take, a.w.names.Work(), queue, asking) })
	}
}

// askers is how many free slots of a worker ask for a candidate at the same time. Whenever a queue has become empty the
// server goes through all that wait there, which with a thousand of them is most of its work; and with few, a worker
// far away would wait for the way there and back more often than it must.
func askers(slots int) int { return (slots + 3) / 4 }

// pauseCandidates takes none until takeCandidates. What it has not begun it gives back.
func (a *attachment) pauseCandidates(why string) {
	if a.pause != nil {
		a.w.cfg.Say("no candidates for a while: %s", why)
		a.pause()
		a.pause = nil
	}
}

// leave takes nothing new, and waits for what is in flight, unless the search has ended.
func (a *attachment) leave(ctx context.Context) {
	a.end()
	done := make(chan struct{})
	go func() { a.all.Wait(); close(done) }()
	select {
	case <-done:
	case <-a.w.ended:
	case <-a.w.cfg.Now:
	}
	a.abandon()
}

// abandon gives up what is in flight.
func (a *attachment) abandon() {
	a.end()
	a.kill()
	a.all.Wait()
}

// serve takes one request after the other out of a queue, until take ends. So many ask at a time as asking has room
// for.
func (a *attachment) serve(take context.Context, stream, queue string, asking chan struct{}) {
	for take.Err() == nil {
		_ = a.takeFrom(take, stream, queue, asking) // no connection, or no queue, for now
		select {
		case <-take.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// takeFrom handles requests until there is no way to get more. One is asked for when the last is done, and not before.
func (a *attachment) takeFrom(take context.Context, stream, queue string, asking chan struct{}) error {
	c, err := a.w.js.Consumer(take, stream, queue)
	if err != nil {
		return err
	}
	requests, err := c.Messages(jetstream.PullMaxMessages(1), jetstream.PullExpiry(20*time.Second),
		jetstream.PullHeartbeat(5*helloEvery)) // without it the queue is gone, and looked for again
	if err != nil {
		return err
	}
	defer requests.Stop()
	for {
		asking <- struct{}{}
		if take.Err() != nil { // to ask now would be to get what nobody takes
			<-asking
			return take.Err()
		}
		msg, err := requests.Next(jetstream.NextContext(take))
		<-asking
		if err != nil {
			a.giveBackLast(take, requests)
			return err
		}
		a.handle(take, msg)
	}
}

// giveBackLast gives back what came when the worker was about to leave, or to pause. It would lie until the wait for
// its acknowledgement is over, and count as one of a few attempts.
func (a *attachment) giveBackLast(take context.Context, requests jetstream.MessagesContext) {
	if take.Err() == nil {
		return
	}
	requests.Drain()
	for {
		msg, err := requests.Next(jetstream.NextMaxWait(helloEvery))
		if err != nil {
			return
		}
		a.handle(take, msg)
	}
}

// handle answers one request, or gives it back after the end of take.
func (a *attachment) handle(take context.Context, msg jetstream.Msg) {
	if take.Err() != nil {
		a.giveBack(msg)
		return
	}
	a.hold(msg)
	defer a.release(msg)
	req, err := decodeRequest(msg.Data())
	if err != nil || req.Session != a.session {
		_ = msg.Nak() // it is another's
		return
	}
	ctx, done := a.w.running.begin(a.do, requestKey(req.Session, req.Number), req.Do)
	defer done()
	got := a.w.answer(ctx, &req)
	if a.do.Err() != nil { // given up: another worker gets it
		_ = msg.Nak()
		return
	}
	a.send(&got, req.Number, msg)
}

// giveBack has the search ask another worker. To refuse the message would count as an attempt, of which there are few,
// and whoever leaves has not tried.
func (a *attachment) giveBack(msg jetstream.Msg) {
	req, err := decodeRequest(msg.Data())
	if err != nil || req.Session != a.session || !a.send(&answer{Back: true}, req.Number, msg) {
		_ = msg.Nak()
	}
}

// hold has JetStream told that the worker is at a message, until release.
func (a *attachment) hold(msg jetstream.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held[msg] = true
}

func (a *attachment) release(msg jetstream.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.held, msg)
}

// keepHeld tells JetStream that the worker is at what it holds, as long as anything is in flight.
func (a *attachment) keepHeld() {
	tick := time.NewTicker(helloEvery)
	defer tick.Stop()
	for {
		select {
		case <-a.do.Done():
			return
		case <-tick.C:
			a.mu.Lock()
			held := slices.Collect(maps.Keys(a.held))
			a.mu.Unlock()
			for _, msg := range held {
				_ = msg.InProgress() // without a connection another worker gets it
			}
		}
	}
}
