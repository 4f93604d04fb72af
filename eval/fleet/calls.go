package fleet

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"darwarp/kernels"
)

// call is a request that waits for its answer.
type call struct {
	at     spot        // where it lies; zero: the server has not said that it has it
	early  []spot      // which no worker has finished since: word of that may overtake the server's on where it lies
	answer chan answer // has room for one
}

// spot is where a request lies.
type spot struct {
	Stream string `json:"stream"`
	Seq    uint64 `json:"stream_seq"`
}

// expect numbers a request, whose answer is waited for from now on.
func (p *post) expect(req *request) *call {
	c := &call{answer: make(chan answer, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	req.Session, req.Number = p.session, p.last
	p.waiting[req.Number] = c
	return c
}

// lies notes where a request lies that was sent.
func (p *post) lies(number uint64, c *call, at spot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.at = at; p.waiting[number] == c && slices.Contains(c.early, at) {
		p.unfinished(number, c)
	}
}

func (p *post) forget(number uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, number)
}

// lose answers all that waits: the server has lost it.
func (p *post) lose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, c := range p.waiting {
		delete(p.waiting, number)
		c.answer <- answer{Worker: "the fleet", Error: "the server was started again, and has lost what waited"}
	}
}

// receive hands an answer to whoever waits for it. The first counts: a request that was delivered twice has two.
func (p *post) receive(msg *nats.Msg) {
	var a answer
	if json.Unmarshal(msg.Data, &a) != nil || a.Session != p.session {
		return
	}
	a.Worker = kernels.CleanLine(a.Worker, kernels.MaxName)
	p.mu.Lock()
	c := p.waiting[a.Number]
	delete(p.waiting, a.Number)
	p.mu.Unlock()
	if c != nil {
		c.answer <- a
	}
	if p.names.IsAck(a.Ack) { // else it is handed out again
		_ = p.nc.Publish(a.Ack, nil)
	}
}

// giveUp answers a request that no worker has finished.
func (p *post) giveUp(msg *nats.Msg) {
	var at spot                                              // of an advisory no more is read
	if json.Unmarshal(msg.Data, &at) != nil || at.Seq == 0 { // that no message has
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for number, c := range p.waiting {
		switch c.at {
		case at:
			p.unfinished(number, c)
		case spot{}:
			c.early = append(c.early, at)
		}
	}
}

// unfinished answers and withdraws a request that no worker has finished. The caller holds mu.
func (p *post) unfinished(number uint64, c *call) {
	delete(p.waiting, number)
	c.answer <- answer{Worker: "the fleet", Error: fmt.Sprintf("%d workers took it and did not answer", deliveries)}
	from := p.work
	if c.at.Stream == p.names.Own() {
		from = p.own
	}
	go p.withdraw(from, c.at.Seq)
}
