package fleet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// TestPermissions: whoever has a worker's token can neither change the queues nor drain others.
func TestPermissions(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", newFake("a"))
	cfg := g.config(newFake("b"))
	denied := make(chan string, 16)
	to, err := broker.ParseAddress(cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := broker.Dial(to, broker.UserWorker, cfg.Access, nats.ErrorHandler(func(
		_ *nats.Conn, _ *nats.Subscription, err error) {
		denied <- err.Error()
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, subject := range []string{"$JS.API.STREAM.DELETE." + f.names.Work(), "$JS.API.STREAM.PURGE." + f.names.Work(),
		"$JS.API.CONSUMER.CREATE." + f.names.Work() + ".mine", "$JS.API.CONSUMER.DELETE." + f.names.Work() + ".any",
		"$JS.API.STREAM.DELETE." + f.names.Own(), "$JS.API.CONSUMER.CREATE." + f.names.Own() + ".mine",
		"$JS.API.STREAM.MSG.GET." + f.names.Work(), "$JS.API.STREAM.MSG.GET." + f.names.Own(),
		f.names.AnyOf(f.kind()), f.names.To("a"), f.names.Drain(), f.names.End(),
		"$O." + f.names.Tasks() + ".C.x"} {
		if err := errors.Join(nc.Publish(subject, []byte("a")), nc.Flush()); err != nil {
			t.Fatal(err)
		}
		select {
		case why := <-denied:
			if !strings.Contains(strings.ToLower(why), "permissions violation for publish") {
				t.Errorf("%s: %s", subject, why)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("a worker may publish to %s", subject)
		}
	}
	for _, subject := range []string{f.names.Answer("*"), f.names.Queued(">"), f.names.Inbox(broker.UserSearch) + ".>",
		"_INBOX.>", "$JS.>"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			continue
		}
		nc.Flush()
		select {
		case <-denied:
		case <-time.After(10 * time.Second):
			t.Errorf("a worker may listen to %s", subject)
		}
	}
	if r := asked(t, f, 1, 2)[0]; r.Outcome != kernels.OK {
		t.Errorf("%+v", r)
	}
}

// TestBadAnswers: what cannot be computed with is no verdict, and never an error of the search.
func TestBadAnswers(t *testing.T) {
	proof := newFake("a").Provenance().Key()
	time := func(median, lo, hi float64) []kernels.Timing {
		return []kernels.Timing{{Workload: "w", Median: median, Lo: lo, Hi: hi}}
	}
	for name, r := range map[string]*kernels.Result{
		"nothing": nil, "a time of nothing": {Outcome: kernels.OK, Times: time(0, 0, 0)},
		"a negative time":                        {Outcome: kernels.OK, Times: time(-1, 0, 1)},
		"NaN":                                    {Outcome: kernels.OK, Times: time(math.NaN(), 0, 1)},
		"an interval that ends before it begins": {Outcome: kernels.OK, Times: time(1, 2, 1)},
		"a workload that is a command": {Outcome: kernels.OK, Times: []kernels.Timing{{Workload: "\x1b[2J", Median: 1, Lo: 1,
			Hi: 1}}},
		"machine code with a name of lines": {Outcome: kernels.OK, Code: "a\nb"},
	} {
		a := answer{Worker: "a", Result: r}
		if _, err := a.verdict(proof); !errors.Is(err, kernels.ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := answer{Worker: "a", Result: &kernels.Result{Outcome: kernels.Wrong, Detail: "\x1b[2J", Provenance: "another's"}}
	if r, err := a.verdict(proof); err != nil || r.Detail != "?[2J" || r.Provenance != proof {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestTwice: of two answers to one request the first counts, and one of an earlier session does not.
func TestTwice(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	a := newFake("a")
	f := g.open("127.0.0.1:0", a)
	said := make(chan struct{})
	a.before = func(context.Context, *kernels.Job) {
		defer close(said)
		for i, session := range []string{"EARLIER", f.post.session, f.post.session} {
			got := answer{Session: session, Number: f.post.last, Worker: "a", Result: &kernels.Result{Outcome: kernels.Wrong,
				Detail: string(rune('0' + i))}}
			if err := f.nc.Publish(f.names.Answer("a"), encode(got)); err != nil {
				t.Error(err)
			}
		}
		if err := f.nc.Flush(); err != nil { // before the worker's own, which comes another way
			t.Error(err)
		}
	}
	if r, err := f.Evaluate(t.Context(), candidate(1)); err != nil || r.Outcome != kernels.Wrong || r.Detail != "1" {
		t.Errorf("%+v, %v", r, err)
	}
	<-said
	until(t, "nothing is left", func() bool {
		info, err := f.post.work.Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
}

// TestFailing: a worker that fails again and again is left out, and the others go on: one that is broken, and one whose
// GPU hangs, so that what it begins is lost after its deadline, or nothing can be had from it any more.
func TestFailing(t *testing.T) {
	for name, fail := range map[string]func() (kernels.Result, error){
		"broken": func() (kernels.Result, error) { panic("broken") },
		"its GPU hangs": func() (kernels.Result, error) {
			time.Sleep(20 * time.Millisecond)
			return kernels.Result{Outcome: kernels.Lost, Detail: "the device worker was killed after its deadline"}, nil
		},
		"its GPU is gone": func() (kernels.Result, error) {
			return kernels.Result{}, errors.New("the device is gone after 3 tries in a row")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bad := newFake("bad")
			bad.fails = fail
			f, _ := open(t, newFake("good"), bad)
			until(t, "the worker is left out", func() bool {
				for n := range 20 {
					if _, err := f.Evaluate(t.Context(), candidate(n)); err != nil {
						t.Fatal(err)
					}
				}
				return len(f.roster.ready()) == 1
			})
			if s := f.roster.status(time.Now()); len(s.Workers) != 2 || f.roster.ready()[0].name != "good" {
				t.Errorf("%+v", s)
			}
			for i, r := range asked(t, f, 1, 9) {
				if r.Outcome != kernels.OK {
					t.Errorf("candidate %d: %+v", i+1, r)
				}
			}
		})
	}
}

// TestWrongClock: neither a worker's clock nor the search's matters: a certificate is as good in any year, and what a
// worker says of itself may bear any date.
func TestWrongClock(t *testing.T) {
	a := newFake("a")
	f, g := open(t, newFake("b"))
	for _, year := range []int{1970, 1999, 2500} {
		c := broker.Pinned(f.host.Pin())
		c.Time = func() time.Time { return time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC) }
		nc, err := tls.Dial("tcp", f.host.NATS.Addr().String(), c)
		if err != nil {
			t.Errorf("%d: %v", year, err)
			continue
		}
		nc.Close()
		a.name, a.started = fmt.Sprint("of-", year), c.Time()
		ended, leave := g.join(a)
		until(t, a.name, func() bool { return len(f.roster.ready()) == 2 })
		for i, r := range asked(t, f, 1, 20) {
			if r.Outcome != kernels.OK {
				t.Errorf("%d: candidate %d: %+v", year, i+1, r)
			}
		}
		if leave(); <-ended != nil {
			t.Errorf("%d: the worker has failed", year)
		}
		until(t, "it has left", func() bool { return len(f.roster.ready()) == 1 })
	}
}
