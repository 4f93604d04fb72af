package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// Config is what a fleet is for.
type Config struct {
	Listen        string // HOST:PORT of the embedded server, or the address of one that runs already: nats://HOST:PORT
	broker.Access        // to that one
	Dir           string // a private folder for keys and streams
	About         string // what the search is of, for people
	Task          []byte // what workers open; the fleet does not look into it
	Version       string // of this darwarp: workers of another are refused
	Cache         string // hot or cold: what candidates are timed with
	// Device is that of a run that goes on: workers of another kind are islands. Without a name the first worker's counts.
	Device kernels.Device
	// Unlike hears of each further kind of device, once, when its first worker joins. It must be quick, and the search of
	// that island is for it to begin; nil: workers with other devices than the first are refused.
	Unlike  func(island *Fleet)
	Say     func(format string, args ...any)
	AckWait time.Duration // after which a worker that gives no sign loses its request; 0: 15 s
}

// Fleet is machines that evaluate candidates for one search. The search's own machine evaluates nothing.
type Fleet struct {
	cfg Config
	door
	post    *post
	roster  *roster
	bear    nameHolders
	task    string // hash of cfg.Task
	packer  packer
	main    *Fleet // of an island: the fleet that it is part of
	islands islands
	facts   *facts
	span

	comparing sync.Mutex // held while workers are compared by the winner of a duel
}

// door is how a fleet and its workers find each other. Open sets it before a worker is heard, and then it stays.
type door struct {
	host   *broker.Host // the server, where it is the search's own
	lock   *os.File     // of its folder, where it is not; nil: none
	names  broker.Names
	nc     *nats.Conn
	inLine *nats.Conn // to a server for several searches; nil: there is no other
	line   string     // by which a worker joins; empty: it joins a server for several searches
}

// span is how long a fleet lasts.
type span struct {
	ctx  context.Context // ends when the fleet is closed
	stop context.CancelFunc
	work sync.WaitGroup // what Close waits for
}

// Open starts the server, says how workers join, and waits for the first one.
func Open(ctx context.Context, cfg Config) (*Fleet, error) {
	if cfg.AckWait == 0 {
		cfg.AckWait = 15 * time.Second
	}
	f := newFleet(cfg)
	_, err := os.Lstat(cfg.Dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := f.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the fleet: %w", err), f.unmake(isNew))
	}
	if _, err := f.roster.home(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unmake closes a fleet that could not begin. Where the folder is new and this process's, nobody has its keys: it goes,
// too.
func (f *Fleet) unmake(isNew bool) error {
	mine := f.lock != nil || f.host != nil
	err := f.Close()
	if isNew && mine {
		err = errors.Join(err, os.RemoveAll(f.cfg.Dir))
	}
	return err
}

// newFleet makes an evaluator that knows nothing yet.
func newFleet(cfg Config) *Fleet {
	f := &Fleet{cfg: cfg, roster: newRoster(cfg.Version), facts: newFacts()}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// begin starts the server, makes the streams and answers workers.
func (f *Fleet) begin(ctx context.Context) (err error) {
	at, err := f.connect(ctx)
	if err != nil {
		return err
	}
	if f.post, err = newPost(f.nc, f.names, f.cfg.AckWait); err != nil {
		return err
	}
	f.post.returned = f.returned
	sum := sha256.Sum256(f.cfg.Task)
	f.task = hex.EncodeToString(sum[:])
	patient, end := context.WithTimeout(ctx, time.Minute) // else the library waits five seconds for each
	defer end()
	if err := f.post.create(patient, f.task, f.cfg.Task); err != nil {
		return fmt.Errorf("make queues on %s, which needs JetStream: %w", at.Host, err)
	}
	for subject, answer := range map[string]nats.MsgHandler{
		f.names.Hello("*"): f.hear, f.names.Status(): f.tellStatus, f.names.Drain(): f.drain,
	} {
		if _, err := f.nc.Subscribe(subject, answer); err != nil {
			return err
		}
	}
	if err := f.leaveWord(at); err != nil {
		return err
	}
	f.work.Go(f.watch)
	return f.nc.Flush()
}

// Close tells workers that the search has ended, and ends the server, or leaves another's as it was. Of an island it
// lets the workers go, and no more.
func (f *Fleet) Close() error {
	if f.main != nil {
		f.closeIsland()
		return nil
	}
	for _, i := range f.every()[1:] {
		i.closeIsland()
	}
	f.stop()
	f.work.Wait()
	f.leaveLine()
	if f.nc != nil {
		_ = f.nc.Publish(f.names.End(), nil) // workers that do not hear it wait, and give up
		_ = f.nc.FlushTimeout(time.Second)
		if f.host == nil && f.post != nil {
			ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
			f.post.remove(ctx)
			end()
		}
		f.nc.Close()
	}
	if f.host == nil && f.lock == nil { // the folder is another's
		return nil
	}
	_ = os.Remove(filepath.Join(f.cfg.Dir, broker.AddressFile))
	if f.host != nil {
		f.host.Close()
	}
	if f.lock != nil {
		_ = f.lock.Close()
	}
	return nil
}

// watch notes who has fallen silent. Without a connection everybody is, which says nothing of anybody.
func (f *Fleet) watch() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	restored := uint64(0) // the connection after whose beginning the queues were looked for
	for {
		select {
		case <-f.ctx.Done():
			return
		case now := <-tick.C:
			if !f.nc.IsConnected() {
				continue
			}
			if n := f.nc.Stats().Reconnects; n != restored { // it counts before one is connected again
				if f.restore(f.ctx) != nil {
					continue
				}
				restored = n
			}
			for _, i := range f.every() {
				i.sweep(now)
			}
		}
	}
}

// sweep goes on without the workers that have fallen silent.
func (f *Fleet) sweep(now time.Time) {
	silent, departed := f.roster.sweep(now)
	for _, m := range silent {
		f.cfg.Say("worker %s is silent: the search goes on without it", m.name)
	}
	for _, m := range departed {
		_ = f.post.close(f.ctx, toQueue(m.name, f.post.session), f.names.To(m.name)) // it is in nobody's way
		if f.roster.isHere(m) {                                                      // it has come back meanwhile
			_ = f.openQueues(m)
		}
	}
}

// Device is that of all workers.
func (f *Fleet) Device() kernels.Device {
	f.roster.mu.Lock()
	defer f.roster.mu.Unlock()
	return f.roster.device
}

// Slots is how many evaluations are kept in flight: those that the workers take at a time, and one more for each, so
// that none waits for the search.
func (f *Fleet) Slots() (n int) {
	f.roster.mu.Lock()
	defer f.roster.mu.Unlock()
	for _, m := range f.roster.members {
		if m.ready && !m.drain {
			n += m.last.Slots + 1
		}
	}
	return max(1, n)
}

// InOrder is false: results arrive as they are ready.
func (f *Fleet) InOrder() bool { return false }

// mostFailed is how many answers in a row may say that a worker itself has failed before it is left out.
const mostFailed = 5
