package proc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// parsing is a worker with a parser. A request "wait" is done when another one has been parsed beside it.
func parsing() int {
	var parsed atomic.Int32
	return MainParsed(func(_ context.Context, f Frame, c *Conn) error {
		v, err := f.Parsed()
		if err != nil {
			return err
		}
		r := v.(*request)
		c.Phase("doing " + r.Do)
		for until := time.Now().Add(long); r.Do == "wait" && int(parsed.Load()) <= r.N; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				return errors.New("nothing was sent ahead")
			}
		}
		return c.Reply(&reply{Text: r.Do, N: r.N, Data: r.Data})
	}, func(f Frame) (any, error) {
		r := new(request)
		err := f.Decode(r)
		parsed.Add(1)
		return r, err
	})
}

// TestAheadOfACall: a request is received and parsed while the worker does another, and its call gets its answer.
func TestAheadOfACall(t *testing.T) {
	w, err := Start(t.Context(), Spec{Args: []string{roleFlag + "parsing"}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	done := make(chan error, 1)
	busy := make(chan bool, 1)
	go func() {
		done <- w.Call(context.Background(), &request{Do: "wait", N: 1}, nil, long, func(string) { busy <- true })
	}()
	<-busy
	f, err := Encode(&request{Do: "next", N: 7, Data: []byte("cubin")})
	if err != nil {
		t.Fatal(err)
	}
	f = w.Ahead(f)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var got reply
	if err := w.Call(t.Context(), f, &got, long, nil); err != nil || got.Text != "next" || got.N != 7 ||
		string(got.Data) != "cubin" {
		t.Errorf("%+v, %v", got, err)
	}
	if len(w.ahead.kept) != 0 {
		t.Errorf("the worker is believed to have %v", w.ahead.kept)
	}
}

// TestAhead: whatever was sent ahead, in whatever order it is called, in whatever worker: each call has its own answer.
func TestAhead(t *testing.T) {
	for _, role := range []string{"serve", "parsing"} {
		for _, c := range []struct {
			name  string
			ahead []int // bytes of each request
			calls []int
			other bool // another worker takes the calls
		}{
			{"in order", []int{1, 2, 3}, []int{0, 1, 2}, false},
			{"backwards", []int{1, 2, 3}, []int{2, 1, 0}, false},
			{"twice", []int{1}, []int{0, 0, 0}, false},
			{"some never called", []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{0, 8, 4, 5, 7}, false},
			{"large", []int{400 << 10, 1, 400 << 10}, []int{0, 1, 2}, false},
			{"too large", []int{aheadSize + 1, 3, 2 << 20}, []int{2, 1, 0}, false},
			{"another worker", []int{1, 2}, []int{1, 0}, true},
		} {
			t.Run(role+" "+c.name, func(t *testing.T) {
				workers := [2]*Worker{}
				for i := range workers {
					var err error
					if workers[i], err = Start(t.Context(), Spec{Args: []string{roleFlag + role}}); err != nil {
						t.Fatal(err)
					}
					defer workers[i].Close()
				}
				var frames []Frame
				for i, n := range c.ahead {
					f, err := Encode(&request{Do: "echo", N: i, Data: slices.Repeat([]byte{byte(i)}, n)})
					if err != nil {
						t.Fatal(err)
					}
					frames = append(frames, workers[0].Ahead(f))
				}
				w := workers[0]
				if c.other {
					w = workers[1]
				}
				for _, i := range c.calls {
					var got reply
					err := w.Call(t.Context(), frames[i], &got, long, nil)
					if err != nil || got.N != i || len(got.Data) != c.ahead[i] || got.Data[0] != byte(i) {
						t.Fatalf("call of %d: %d with %d bytes, %v", i, got.N, len(got.Data), err)
					}
				}
			})
		}
	}
}

// TestAheadOfADeadWorker: a worker that ends has no request, and one that does not read makes nobody wait for long;
// what stands half in its pipe is blamed on no call.
func TestAheadOfADeadWorker(t *testing.T) {
	f, err := Encode(&request{Do: "echo", Data: make([]byte, 3*aheadSize/4)}) // the last does not go in as a whole
	if err != nil {
		t.Fatal(err)
	}
	dead := start(t, Spec{})
	if _, err := do(t, dead, "kill", 0, long); err == nil {
		t.Fatal("it lives")
	}
	if got := dead.Ahead(f); got.sent != nil {
		t.Error("a dead worker has a request")
	}
	full := start(t, Spec{})
	if err := syscall.Kill(full.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for i := 0; full.ahead.torn == nil; i++ {
		if full.Ahead(f); i > 2*pipeRoom/aheadSize {
			t.Fatal("its pipe has room for everything")
		}
	}
	if err := syscall.Kill(full.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	var garbage *Garbage
	if _, err := do(t, full, "echo", 0, long); !errors.As(err, &garbage) {
		t.Errorf("%v: expected that the worker is given up", err)
	}
}

// TestInbox: a call of what was not sent ahead, or was forgotten, is no call.
func TestInbox(t *testing.T) {
	var b inbox
	for i := range uint64(mostAhead + 2) {
		b.put(i, Frame{Body: fmt.Appendf(nil, "%d", i)})
	}
	for _, c := range []struct {
		number uint64
		ok     bool
	}{{0, false}, {1, false}, {2, true}, {2, false}, {mostAhead + 1, true}, {3, true}, {99, false}} {
		f, err := b.take(c.number)
		if (err == nil) != c.ok || c.ok && string(f.Body) != fmt.Sprint(c.number) ||
			!c.ok && (!errors.Is(err, errGarbage) || !strings.Contains(err.Error(), "not sent ahead")) {
			t.Errorf("%d: %s, %v", c.number, f.Body, err)
		}
	}
}
