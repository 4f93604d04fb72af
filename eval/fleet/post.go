package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// deliveries is how often JetStream hands out one request before the search hears that nobody answers it.
const deliveries = 3

// post brings requests to workers and their answers back.
type post struct {
	names   broker.Names
	session string // answers of an earlier one are dropped
	nc      *nats.Conn
	js      jetstream.JetStream
	work    jetstream.Stream // for whichever worker is free
	own     jetstream.Stream // for one alone
	wait    time.Duration    // for an acknowledgement, or a sign that the worker is still at it

	returned func(worker string) // hears who has given a request back; nil: nobody does

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]*call

	models models // that sources are like
}

// newPost listens for answers.
func newPost(nc *nats.Conn, of broker.Names, wait time.Duration) (*post, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	p := &post{names: of, session: rand.Text(), js: js, nc: nc, wait: wait, waiting: map[uint64]*call{}}
	answers, err := nc.Subscribe(of.Answer("*"), p.receive)
	if err == nil {
		err = answers.SetPendingLimits(-1, -1) // what is dropped is sent again, after a while
	}
	if err != nil {
		return nil, err
	}
	for _, stream := range []string{of.Work(), of.Own()} {
		if _, err := nc.Subscribe(of.Exceeded(stream), p.giveUp); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// create makes the streams, and the bucket with what the search is about. Those of an earlier session are removed: what
// they hold is asked for again by the run's file, and by nobody else. So they are in memory.
func (p *post) create(ctx context.Context, hash string, task []byte) error {
	p.remove(ctx)
	work, err := p.stream(ctx, p.names.Work(), p.names.AnyOf("*"), p.names.Compile("*"))
	if err != nil {
		return err
	}
	own, err := p.stream(ctx, p.names.Own(), p.names.To("*"))
	if err != nil {
		return err
	}
	if p.work == nil { // those that a server has lost had the same names, and others use them now
		p.work, p.own = work, own
	}
	bucket, err := p.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: p.names.Tasks(),
		Storage: jetstream.MemoryStorage})
	if err != nil {
		return err
	}
	_, err = bucket.PutBytes(ctx, hash, task)
	if err == nil {
		p.models.begin(bucket)
	}
	return err
}

func (p *post) stream(ctx context.Context, name string, subjects ...string) (jetstream.Stream, error) {
	return p.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: subjects,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage})
}

// streamOf is the one that has a subject.
func (p *post) streamOf(subject string) jetstream.Stream {
	if strings.HasPrefix(subject, p.names.To("")) {
		return p.own
	}
	return p.work
}

// remove removes them, if they are there.
func (p *post) remove(ctx context.Context) {
	_ = p.js.DeleteStream(ctx, p.names.Work())
	_ = p.js.DeleteStream(ctx, p.names.Own())
	_ = p.js.DeleteObjectStore(ctx, p.names.Tasks())
}

// missing reports whether the server has lost one of the streams, which are in its memory.
func (p *post) missing(ctx context.Context) (bool, error) {
	for _, name := range []string{p.names.Work(), p.names.Own(), "OBJ_" + p.names.Tasks()} {
		switch _, err := p.js.Stream(ctx, name); {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			return true, nil
		case err != nil:
			return false, err
		}
	}
	return false, nil
}

// isRefusal reports whether the server has said no. Streams that are not there are no refusal: one that was started
// again has lost them, and they are about to be made again.
func isRefusal(err error) bool {
	var no *jetstream.APIError
	return errors.As(err, &no) && !errors.Is(err, jetstream.ErrStreamNotFound)
}

// open makes a queue that workers take from: what is sent to a subject.
func (p *post) open(ctx context.Context, name, subject string) error {
	_, err := p.streamOf(subject).CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: name,
		FilterSubject: subject, AckPolicy: jetstream.AckExplicitPolicy, AckWait: p.wait, MaxDeliver: deliveries,
		MaxAckPending: -1, MaxWaiting: 1 << 16})
	return err
}

// close ends a queue, with what waits in it.
func (p *post) close(ctx context.Context, name, subject string) error {
	s := p.streamOf(subject)
	return errors.Join(s.DeleteConsumer(ctx, name), s.Purge(ctx, jetstream.WithPurgeSubject(subject)))
}

// mostBack is how often workers that leave may give back one request: more than leave, but for those that give back
// all that they get.
const mostBack = 32

// ask sends a request and waits for its answer. What a worker that leaves gives back it sends again: that is no
// attempt. Without an answer the error has a kernels.ErrLost in its chain, or is ctx's.
func (p *post) ask(ctx context.Context, subject string, req request, gone <-chan struct{}) (a answer, err error) {
	for range mostBack {
		if a, err = p.askOnce(ctx, subject, req, gone); err != nil || !a.Back {
			return a, err
		}
		if p.returned != nil {
			p.returned(a.Worker)
		}
	}
	return answer{}, fmt.Errorf("%w: %d workers have given it back", kernels.ErrLost, mostBack)
}

func (p *post) askOnce(ctx context.Context, subject string, req request, gone <-chan struct{}) (a answer, err error) {
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	c := p.expect(&req)
	defer p.forget(req.Number)
	ack, err := p.send(subject, &req)
	if err != nil {
		return a, cmp.Or(ctx.Err(), err)
	}
	p.lies(req.Number, c, spot{ack.Stream, ack.Sequence})
	select {
	case a = <-c.answer:
		return a, a.err()
	case <-gone:
		err = fmt.Errorf("%w: the worker is gone", kernels.ErrLost)
	case <-ctx.Done():
		err = ctx.Err()
		p.stop(subject, req.Number)
	}
	p.withdraw(p.streamOf(subject), ack.Sequence)
	return a, err
}

// send puts a request into its stream, though its context may end meanwhile: a worker may have begun by then, and what
// is to be stopped and withdrawn has to be there. Without a word of the server that takes five seconds at most.
func (p *post) send(subject string, req *request) (*jetstream.PubAck, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf) // the client has its own copy by then
	for _, j := range req.Jobs {
		p.models.shorten(j)
	}
	*buf = encodeRequest(*buf, req)
	if n, most := int64(len(*buf)), p.nc.MaxPayload(); n > most {
		return nil, fmt.Errorf("%w: a candidate of %d bytes: the server takes %d (max_payload)", kernels.ErrLost, n, most)
	}
	ack, err := p.js.Publish(context.Background(), subject, *buf)
	if err != nil {
		return nil, fmt.Errorf("%w: send to the fleet: %w", kernels.ErrLost, err)
	}
	return ack, nil
}

// buffers are what requests are written into: thousands a second, of a source's length.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// err is what the worker, or the post, says went wrong.
func (a *answer) err() error {
	if a.Error == "" {
		return nil
	}
	return fmt.Errorf("%w: %s: %s", kernels.ErrLost, a.Worker, kernels.CleanDetail(a.Error))
}

// stop has the worker that a request is for give it up: a duel or a trial that goes on though nobody waits for it takes
// the device from the one that follows. What any worker takes is a candidate, and short.
func (p *post) stop(subject string, number uint64) {
	if worker, ok := strings.CutPrefix(subject, p.names.To("")); ok {
		_ = p.nc.Publish(p.names.Stop(worker), []byte(requestKey(p.session, number)))
	}
}

// withdraw takes back what nobody waits for. A worker that has begun it is not heard.
func (p *post) withdraw(from jetstream.Stream, seq uint64) {
	ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
	defer end()
	_ = from.DeleteMsg(ctx, seq) // it may be done already
}
