package fleet

import (
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An answer is sent once, and nobody waits for a word on it: the search acknowledges the request in the stream. What
// the search has not heard, as where a connection ended in between, comes out with the next hello, which names the
// answers of late; those are sent again.

// told is an answer that was sent.
type told struct {
	data []byte
	at   time.Time
}

// send answers a request, as soon as there is a connection; false: what is in flight is given up.
func (a *attachment) send(got *answer, number uint64, msg jetstream.Msg) bool {
	got.Session, got.Number, got.Worker, got.Ack = a.session, number, a.w.cfg.Name, msg.Reply()
	data := encodeAnswer(got, a.w.nc.MaxPayload())
	for a.w.nc.Publish(a.w.names.Answer(got.Worker), data) != nil {
		select {
		case <-a.do.Done():
			return false
		case <-time.After(200 * time.Millisecond):
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told[number] = told{data, time.Now()}
	return true
}

// unheard are the answers that the search has not said it has, but for the latest, which are on their way.
func (a *attachment) unheard(latest bool) (numbers []uint64) {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for number, t := range a.told {
		if latest || time.Since(t.at) > helloEvery/2 {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// heard forgets answers that the search has, and sends the others again.
func (a *attachment) heard(asked, again []uint64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, number := range asked {
		if !slices.Contains(again, number) {
			delete(a.told, number)
		} else if t, ok := a.told[number]; ok {
			_ = a.w.nc.Publish(a.w.names.Answer(a.w.cfg.Name), t.data) // without a connection after the next hello
		}
	}
}

// await are those of a worker's answers that somebody waits for.
func (p *post) await(told []uint64) (again []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, number := range told {
		if p.waiting[number] != nil {
			again = append(again, number)
		}
	}
	return again
}
