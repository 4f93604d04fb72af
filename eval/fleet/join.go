package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// JoinConfig is how a worker joins.
type JoinConfig struct {
	URL           string // as the search prints it
	broker.Access        // how to be let in there
	Name          string // of the worker: letters, digits, - and _
	Version       string // of this darwarp
	// Open opens this machine's devices for what the search is about.
	Open func(ctx context.Context, task []byte) (*Station, error)
	// OpenCompiler opens a compiler for an architecture instead: this machine has no device.
	OpenCompiler func(ctx context.Context, task []byte, arch string) (*Station, error)
	// Now ends what is in flight, too, once the context has ended: others are asked for that. nil: it is finished.
	Now  <-chan struct{}
	Dial Dial // how it connects; nil: as usual
	Say  func(format string, args ...any)
}

// Dial connects to an address, as net.Dial does.
type Dial func(network, address string) (net.Conn, error)

// dialer has NATS connect so.
func (c *JoinConfig) dialer() nats.Option {
	return func(o *nats.Options) error {
		if c.Dial != nil {
			o.CustomDialer = dialer(c.Dial)
		}
		return nil
	}
}

type dialer Dial

func (d dialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

// Evaluator is what a worker answers with; see evolve.Evaluator.
type Evaluator interface {
	Slots() int
	Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error)
	Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error)
	Provenance() kernels.Provenance
	Capabilities() kernels.Capabilities
}

// Station is a worker's devices, open for a task.
type Station struct {
	Evaluator
	Problem  *kernels.Problem
	Compiler Compiler // nil: there is a device
	// Compiled has a candidate evaluated with what another machine has compiled. nil: it is compiled here.
	Compiled func(ctx context.Context, made []byte) context.Context
	Close    func() error
}

func (s *Station) slots() int {
	if s.Compiler != nil {
		return s.Compiler.Slots()
	}
	return s.Evaluator.Slots()
}

// ErrEnded says that the search has ended, which is how most workers end.
var ErrEnded = errors.New("the search has ended")

// patience is how long a worker waits for a search that does not answer: one that was killed is resumed by then.
const patience = 10 * time.Minute

// worker is one that has joined, or is about to.
type worker struct {
	cfg  JoinConfig
	self string // tells this process from others with its name
	link
	contact
	workshop
	local    localBar
	attached *attachment
	running  running
	idle     sync.Once // a machine that only compiles says what it waits for
}

// link is how a worker reaches the search.
type link struct {
	to    broker.Address
	names broker.Names
	nc    *nats.Conn
	js    jetstream.JetStream
}

// workshop is what a worker has open, and what of it candidates are sent in terms of.
type workshop struct {
	station  *Station // nil: nothing
	task     string   // hash of what the station is open for
	unpacker unpacker
	models   memo[string, string] // that sources are like, by hash
}

// Join works for a search until that ends, or ctx: then what is in flight is finished, and nothing new begun. The error
// is nil after either, and after a drain.
func Join(ctx context.Context, cfg JoinConfig) error {
	if err := checkName(cfg.Name); err != nil { // it would name no subject
		return broker.Mistaken(err)
	}
	to, err := broker.ParseAddress(cfg.URL)
	if err != nil {
		return err
	}
	w := &worker{cfg: cfg, self: rand.Text(), link: link{to: to, names: to.Names()},
		contact: contact{ended: make(chan struct{})}, local: localBar{bar: kernels.NewBar(nil)}}
	nc, err := broker.Dial(to, broker.UserWorker, cfg.Access, nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(), cfg.dialer())
	if err != nil {
		return err
	}
	defer nc.Close()
	w.nc = nc
	if w.js, err = jetstream.New(nc); err != nil {
		return err
	}
	if err := w.listen(); err != nil {
		return err
	}
	err = w.run(ctx)
	if w.attached != nil {
		w.leave(ctx)
	}
	if w.station != nil {
		err = errors.Join(err, w.station.Close())
	}
	if errors.Is(err, ErrEnded) || ctx.Err() != nil {
		return nil
	}
	return err
}

// tell says hello and hears what the search says to that.
func (w *worker) tell(ctx context.Context, leaving bool) (reply welcome, err error) {
	h := hello{sender: sender{Worker: w.cfg.Name, Instance: w.self, Version: w.cfg.Version, Protocol: Protocol},
		Leaving: leaving}
	if h.Told = w.attached.unheard(leaving); w.attached != nil {
		h.Session = w.attached.session
	}
	if w.station != nil {
		h.Task = w.task
	}
	if w.station != nil && w.station.Compiler != nil {
		h.Compiles, h.Slots = w.station.Compiler.Toolchain(), w.station.slots()
	} else if w.station != nil {
		proof, can := w.station.Provenance(), w.station.Capabilities()
		h.Proof, h.Slots, h.Times = &proof, w.station.Slots(), can.Time != nil
		if can.Machine != nil {
			m := can.Machine(ctx)
			h.Machine = &m
		}
		if can.Load != nil {
			h.Busy, h.Workers = can.Load()
		}
	}
	h.Doing = w.running.doing()
	ctx, end := context.WithTimeout(ctx, silence)
	defer end()
	msg, err := w.nc.RequestWithContext(ctx, w.names.Hello(w.cfg.Name), encode(h))
	if err != nil {
		return reply, err
	}
	if err = json.Unmarshal(msg.Data, &reply); err == nil && reply.Session == h.Session {
		w.attached.heard(h.Told, reply.Again)
	}
	return reply, err
}

// leave finishes what is in flight, and sees to it that the search has heard of all that.
func (w *worker) leave(ctx context.Context) {
	w.attached.leave(ctx)
	ctx = context.WithoutCancel(ctx)
	for range deliveries {
		if _, err := w.tell(ctx, true); err != nil || len(w.attached.unheard(true)) == 0 {
			return
		}
	}
}

// follow opens what the search is about, begins to work for it, and takes candidates once it may.
func (w *worker) follow(ctx context.Context, reply welcome) error {
	if a := w.attached; a != nil && a.session != reply.Session { // the search was resumed
		w.cfg.Say("the search goes on")
		w.detach()
	}
	if w.station != nil && reply.Task != w.task { // it was resumed with other weights, or the gate is to be tested now
		w.cfg.Say("what the search asks for has changed: opening the devices again")
		if err := w.reopen(); err != nil {
			return err
		}
	}
	if w.station == nil {
		return w.open(ctx, reply)
	}
	if reply.Kind == "" { // it has not heard of the device yet
		return nil
	}
	w.local.compare(reply.Ratios)
	if w.attached == nil {
		w.attached = w.attach(ctx, reply.Session, reply.Kind)
	}
	if reply.Ready {
		w.attached.takeCandidates(w.station.slots())
	} else if reply.Aside != "" {
		w.attached.pauseCandidates(reply.Aside)
	}
	return nil
}
