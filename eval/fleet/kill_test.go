package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// The roles of a process of this test's own.
const (
	roleEnv    = "FLEET_TEST_ROLE"
	roleSearch = "search"
	roleWorker = "worker"
	roleKeys   = "keys"
)

// mostInFlight is how many candidates a search asks for at a time: more than its workers take, as many as a search of
// many workers. JetStream has five seconds to acknowledge each of them.
const mostInFlight = 128

// play is the main of such a process. Its ends is to be killed.
func play(role string, args []string) error {
	g := &ground{dir: args[0]}
	if role == roleKeys {
		_, err := broker.OpenKeys(args[0])
		return err
	}
	if role == roleWorker {
		return playWorker(g, args)
	}
	f, err := Open(context.Background(), Config{Listen: args[1], Dir: args[0], Task: []byte("task"), Version: "v1",
		Cache: "hot", Say: func(string, ...any) {}, AckWait: time.Second})
	if err != nil {
		return err
	}
	fmt.Println("listens", f.host.NATS.Addr())
	var all sync.WaitGroup
	free := make(chan struct{}, mostInFlight)
	for _, n := range args[2:] {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			i, _ := strconv.Atoi(n)
			r, err := f.Evaluate(context.Background(), candidate(i))
			fmt.Println("told", i, r.Outcome, err) // a line each: what a run's file has
		})
	}
	all.Wait()
	return f.Close()
}

// playWorker is a worker by a name; with one more argument its search is at that host.
func playWorker(g *ground, args []string) error {
	w := newFake(args[1])
	w.before = func(context.Context, *kernels.Job) {
		time.Sleep(10 * time.Millisecond)
		fmt.Println("did one")
	}
	cfg, err := g.joinConfig(w)
	for ; err != nil; cfg, err = g.joinConfig(w) { // the search has begun, and will have an address
		time.Sleep(10 * time.Millisecond)
	}
	if len(args) > 2 { // it comes from elsewhere
		at, err := broker.ParseAddress(cfg.URL)
		if err != nil {
			return err
		}
		_, port, _ := net.SplitHostPort(at.Host)
		at.Host = net.JoinHostPort(args[2], port)
		cfg.URL = at.String()
	}
	inner := cfg.Open
	cfg.Open = func(ctx context.Context, task []byte) (*Station, error) {
		fmt.Println("opened")
		return inner(ctx, task)
	}
	return Join(context.Background(), cfg)
}

// process is one in a role, whose lines are counted.
type process struct {
	cmd  *exec.Cmd
	done chan error

	mu    sync.Mutex
	lines []string
}

func start(t *testing.T, role string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], args...), done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), roleEnv+"="+role)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, lines.Text())
			p.mu.Unlock()
		}
		p.done <- p.cmd.Wait()
	}()
	return p
}

// kill is kill -9. What the process has said until then is read.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// said are the lines that begin so, without that.
func (p *process) said(head string) (rest []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lines {
		if text, ok := strings.CutPrefix(l, head+" "); ok || l == head {
			rest = append(rest, text)
		}
	}
	return rest
}

// ledger is how often each candidate was told.
type ledger map[string]int

const candidates = 60

// ask has a search ask for what it was not told.
func (l ledger) ask(t *testing.T, dir, listen string) *process {
	args := []string{dir, listen}
	for n := range candidates {
		if l[strconv.Itoa(n)] == 0 {
			args = append(args, strconv.Itoa(n))
		}
	}
	return start(t, roleSearch, args...)
}

func (l ledger) hear(t *testing.T, p *process) {
	for _, line := range p.said("told") {
		n, verdict, _ := strings.Cut(line, " ")
		if l[n]++; verdict != "ok <nil>" {
			t.Errorf("candidate %s: %s", n, verdict)
		}
	}
}

// TestKill9: a worker, and then the search with its server, are killed at any moment; another worker joins. The search
// is started again and asks for what it was not told. All candidates are told, each once, and the workers that live
// still have their devices open.
func TestKill9(t *testing.T) {
	dir, told := filepath.Join(t.TempDir(), "fleet"), ledger{}
	search := told.ask(t, dir, "127.0.0.1:0")
	a, b := start(t, roleWorker, dir, "a"), start(t, roleWorker, dir, "b")
	verdicts := func(n int) func() bool { return func() bool { return len(search.said("told")) >= n } }
	until(t, "a few verdicts", verdicts(5))
	listen := search.said("listens")[0]
	a.kill()
	killed := time.Now()
	until(t, "more of them", verdicts(15))
	c := start(t, roleWorker, dir, "c")
	until(t, "a third worker", func() bool { return len(c.said("opened")) > 0 })
	t.Logf("10 verdicts %.1f s after a worker was killed", time.Since(killed).Seconds())
	search.kill()
	killed = time.Now()
	told.hear(t, search)
	search = told.ask(t, dir, listen)
	select {
	case err := <-search.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("the search that was started again: %q", search.said("told"))
	}
	t.Logf("%d verdicts in %.1f s after the search was killed", len(search.said("told")), time.Since(killed).Seconds())
	told.hear(t, search)
	for n := range candidates {
		if told[strconv.Itoa(n)] != 1 {
			t.Errorf("candidate %d was told %d times", n, told[strconv.Itoa(n)])
		}
	}
	for _, w := range []*process{b, c} { // one that had not found the search again when that ended waits for it
		if n := len(w.said("opened")); n != 1 {
			t.Errorf("a worker that was not killed opened its device %d times", n)
		}
	}
}

// wire is a worker's connection, which can be cut for good, as by kill -9 of its machine.
type wire struct {
	mu   sync.Mutex
	open []net.Conn
	dead bool
}

func (w *wire) dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead && err == nil {
		err = errors.Join(errors.New("cut"), c.Close())
	}
	if err != nil {
		return nil, err
	}
	w.open = append(w.open, c)
	return c, nil
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	for _, c := range w.open {
		c.Close()
	}
}

// TestChurn: workers come, and are cut off or leave in the middle of their work; every candidate is told once, by
// whoever was there. `bench fleet --churn` is the same for as long as one likes.
func TestChurn(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	slow := func(name string) *fake {
		w := newFake(name)
		w.before = func(context.Context, *kernels.Job) { time.Sleep(5 * time.Millisecond) }
		return w
	}
	f := g.open("127.0.0.1:0", slow("stays"))
	ended, told := make(chan struct{}), make(chan []kernels.Result)
	go func() {
		var all []kernels.Result
		for n := 0; ; n = (n + 20) % 200 {
			all = append(all, asked(t, f, n, n+20)...)
			select {
			case <-ended:
				told <- all
				return
			default:
			}
		}
	}()
	for i := range 6 {
		w, line := slow(fmt.Sprint("w", i)), &wire{}
		cfg := g.config(w)
		cfg.Dial = line.dial
		ctx, leave := context.WithCancel(t.Context())
		go Join(ctx, cfg)
		until(t, w.name, func() bool { w.mu.Lock(); defer w.mu.Unlock(); return len(w.seen) > 0 })
		if i%2 == 0 {
			line.cut()
		}
		leave()
		until(t, w.name+" is gone", func() bool { return stateOf(f, w.name).State == "gone" })
	}
	close(ended)
	all := <-told
	for i, r := range all {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i, r)
		}
	}
	t.Logf("%d candidates while 6 workers came and went", len(all))
}
