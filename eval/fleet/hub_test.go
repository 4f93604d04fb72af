package fleet

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// shared is a server for several searches.
type shared struct {
	ground
	url string
	own broker.Access // of searches
	end func()        // ends the server
}

func serveShared(t *testing.T) *shared {
	t.Helper()
	s := &shared{ground: ground{t: t, dir: t.TempDir()}}
	s.serve("127.0.0.1:0")
	return s
}

// serve starts the server, again where end has been called.
func (s *shared) serve(listen string) {
	t := s.t
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, HubConfig{Listen: listen, Dir: s.dir, Version: "v1", Say: s.say})
	}()
	s.end = sync.OnceFunc(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.end)
	until(t, "the server", func() bool {
		var err error
		s.url, err = readLine(filepath.Join(s.dir, broker.AddressFile))
		return err == nil && s.url != ""
	})
	s.own = broker.Access{TokenFile: filepath.Join(s.dir, broker.SearchesFile)}
}

// roamer has a worker join that opens a fake for each search; opened is what it was opened for, in order.
func (s *shared) roamer(name string) (opened func() []string) { return s.roams(newFake(name)) }

func (s *shared) roams(w *fake) (opened func() []string) {
	var mu sync.Mutex
	var all []string
	cfg, err := s.joinConfig(w)
	if err != nil {
		s.t.Fatal(err)
	}
	inner := cfg.Open
	cfg.Open = func(ctx context.Context, task []byte) (*Station, error) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, string(task))
		return inner(ctx, []byte("task"))
	}
	go Join(s.t.Context(), cfg)
	return func() []string { mu.Lock(); defer mu.Unlock(); return all }
}

// search opens a search, and says when it has a worker.
func (s *shared) search(name string) (opened chan *Fleet, g *ground) {
	g = &ground{t: s.t, dir: s.t.TempDir()}
	opened = make(chan *Fleet, 1)
	go func() {
		f, err := Open(s.t.Context(), Config{Listen: s.url, Access: s.own, Dir: g.dir, Task: []byte(name), About: name,
			Version: "v1", Cache: "hot", Say: g.say, Device: s.device, Unlike: s.unlike, AckWait: time.Second})
		if err != nil && s.t.Context().Err() == nil {
			s.t.Error(err)
		}
		opened <- f
	}()
	return opened, g
}

// manned is a search that has a worker.
func manned(t *testing.T, search chan *Fleet) *Fleet {
	t.Helper()
	f := received(t, "a worker for the search", search)
	if f == nil { // said already
		t.FailNow()
	}
	return f
}

func (g *ground) heard(text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strings.Contains(strings.Join(g.said, "\n"), text)
}

// TestHub: two searches share two workers, each with its own; a third waits in line and says so, until one ends.
func TestHub(t *testing.T) {
	s := serveShared(t)
	one, two := s.roamer("w1"), s.roamer("w2")
	first, dir := s.search("first")
	a := manned(t, first)
	until(t, "both workers", func() bool { return len(a.roster.ready()) == 2 })
	second, _ := s.search("second")
	b := manned(t, second)
	defer b.Close()
	third, g := s.search("third")
	until(t, "the third says that it waits", func() bool {
		return g.heard("waits in line as number 1; searches: 3, workers: 2")
	})
	for i, f := range []*Fleet{a, b} {
		for n, r := range asked(t, f, 20*i, 20*i+8) {
			if r.Outcome != kernels.OK {
				t.Errorf("candidate %d: %+v", n, r)
			}
		}
	}
	if st, err := AskStatus(t.Context(), dir.dir); err != nil || len(st.Workers) != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	a.Close()
	c := manned(t, third)
	defer c.Close()
	if r := asked(t, c, 40, 41)[0]; r.Outcome != kernels.OK {
		t.Errorf("%+v", r)
	}
	got := strings.Join(append(one(), two()...), " ")
	if strings.Count(got, "first") != 2 || strings.Count(got, "second") != 1 || strings.Count(got, "third") != 1 {
		t.Errorf("devices were opened for %s", got)
	}
}

// TestFirstPlace: a server that has just begun, or is slow to answer, is asked again, and not without end.
func TestFirstPlace(t *testing.T) {
	h, err := broker.Serve("127.0.0.1:0", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	nc, err := h.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	at := h.Address("127.0.0.1")
	const nobody, silent, there = 0, 1, 2
	for name, says := range map[string][]int{"there": {there}, "has just begun": {nobody, there}, "slow": {silent, there},
		"away": {nobody, nobody, nobody, there}} {
		n, f := 0, &Fleet{cfg: Config{Version: "v1"}, door: door{names: broker.NamesBy(name), inLine: nc}}
		_, err := nc.Subscribe(at.Names().Queue(f.names.ID), func(msg *nats.Msg) {
			n++
			switch says[min(n, len(says))-1] {
			case nobody: // as a server says it
				_ = msg.RespondMsg(&nats.Msg{Header: nats.Header{"Status": []string{"503"}}})
			case there:
				_ = msg.Respond(encode(place{Before: 1}))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.firstPlace(t.Context(), at)
		if ok := len(says) <= asks; ok != (err == nil) || ok && p.Before != 1 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestHubAgain: a server for several searches that is started again, at once or when all are held to be silent, has
// lost what was in flight, and its searches and workers find it: none opens its devices anew.
func TestHubAgain(t *testing.T) {
	for name, away := range map[string]time.Duration{"at once": 0, "after a while": 3 * silence / 2} {
		t.Run(name, func(t *testing.T) { serveAgain(t, away) })
	}
}

// serveAgain ends a server while candidates are in flight, and starts it again after a while.
func serveAgain(t *testing.T, away time.Duration) {
	s := serveShared(t)
	w, begun, never := newFake("w"), make(chan struct{}, 1), make(chan struct{})
	w.before = func(context.Context, *kernels.Job) {
		select {
		case begun <- struct{}{}:
		default:
		}
		<-never
	}
	opened := s.roams(w)
	search, g := s.search("search")
	f := manned(t, search)
	defer f.Close()
	answers := make(chan []kernels.Result)
	go func() { answers <- asked(t, f, 1, 7) }()
	received(t, "a candidate that has begun", begun)
	at, err := broker.ParseAddress(s.url)
	if err != nil {
		t.Fatal(err)
	}
	s.end()
	time.Sleep(away)
	s.serve(at.Host)
	for i, r := range received(t, "answers", answers) {
		if r.Outcome != kernels.Lost || !strings.Contains(r.Detail, "started again") {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
	close(never)
	for i, r := range asked(t, f, 10, 20) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+10, r)
		}
	}
	if all := opened(); len(all) != 1 {
		t.Errorf("devices were opened for %q; the search said %q, the server %q", all, g.said, s.said)
	}
}

// TestHubIslands: a worker with another kind of device is an island of the search that the server sends it to, and a
// run that goes on waits for its own kind: the other goes to whoever can use it.
func TestHubIslands(t *testing.T) {
	s := serveShared(t)
	found := make(chan *Fleet, 4)
	s.unlike = func(i *Fleet) { found <- i }
	s.roamer("w1")
	first, _ := s.search("first")
	a := manned(t, first)
	defer a.Close()
	s.roams(other("w2"))
	island := received(t, "the island", found)
	until(t, "the island's worker", func() bool { return island.Manned() })
	if at := best(t, island, 30); at != 20 {
		t.Errorf("the island's optimum is %d", at)
	}
	for i, r := range asked(t, a, 1, 9) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
	s.device = newFake("").device
	s.device.Name = "a third GPU"
	resumed, _ := s.search("resumed")
	until(t, "the server says so", func() bool { return s.heard("the run goes on with the first a third GPU") })
	select {
	case <-resumed:
		t.Error("the run goes on with another kind")
	case <-found:
		t.Error("a run that waits for its own kind has an island")
	default:
	}
}

// TestHubKeepsApart: neither a search nor a worker can use what is another search's.
func TestHubKeepsApart(t *testing.T) {
	s := serveShared(t)
	s.roamer("w1")
	first, dir := s.search("first")
	a := manned(t, first)
	defer a.Close()
	at, err := broker.ParseAddress(s.url)
	if err != nil {
		t.Fatal(err)
	}
	ofFirst := at
	ofFirst.ID = a.names.ID
	other := s.own
	other.Secret = "another's"
	workers := broker.Access{TokenFile: filepath.Join(s.dir, broker.TokenFile)}
	owner := broker.Access{TokenFile: filepath.Join(dir.dir, broker.OwnerFile)}
	dial := func(to broker.Address, user string, by broker.Access) func() (*nats.Conn, error) {
		return func() (*nats.Conn, error) { return broker.Dial(to, user, by) }
	}
	for name, try := range map[string]func() (*nats.Conn, error){
		"a search with another's secret": dial(ofFirst, broker.UserSearch, other),
		"a search without a secret":      dial(ofFirst, broker.UserSearch, s.own),
		"a worker as the search":         dial(ofFirst, broker.UserSearch, workers),
		"a worker as its owner":          dial(ofFirst, broker.UserOwner, workers),
		"the secret alone":               dial(ofFirst, broker.UserSearch, owner),
		"a search as a worker":           dial(ofFirst, broker.UserWorker, s.own),
		"a worker of no search": dial(broker.Address{Scheme: "nats", Host: at.Host, Pin: at.Pin,
			ID: broker.NamesBy("x").ID}, broker.UserWorker, workers),
	} {
		if nc, err := try(); err == nil {
			nc.Close()
			t.Errorf("%s is let in", name)
		}
	}
	keptApart(t, a, at, other)
	if r := asked(t, a, 1, 2)[0]; r.Outcome != kernels.OK {
		t.Errorf("%+v", r)
	}
}

// keptApart has another search's user listen, and speak, where a search does.
func keptApart(t *testing.T, a *Fleet, at broker.Address, other broker.Access) {
	t.Helper()
	listener, err := broker.Dial(at, broker.UserSearch, other)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, subject := range []string{a.names.Subject(">"), at.Names().Subject(">"), "_INBOX.>",
		at.Names().Inbox(broker.UserSearch) + "." + a.names.ID + ".>"} {
		if heard, err := listener.SubscribeSync(subject); err == nil {
			listener.Flush()
			if _, err := heard.NextMsg(1); err == nil || listener.LastError() == nil {
				t.Errorf("another search may listen to %s: %v", subject, listener.LastError())
			}
		}
	}
	posing := &Fleet{cfg: Config{Version: "v1"}, door: door{names: a.names, inLine: listener}}
	if p, err := posing.askPlace(t.Context(), at, true); err == nil {
		t.Errorf("another search may speak for the first: %+v", p)
	}
}
