package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

func hangs(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	w.Write([]byte(`{"choices":[{"message":{"content":"half of`))
}

func tenMegabytes(w http.ResponseWriter, r *http.Request) { says(strings.Repeat("x", 10<<20))(w, r) }

func TestEndpoint(t *testing.T) {
	tests := []struct {
		name     string
		steps    []http.HandlerFunc
		text     string // empty: it fails
		err      string
		requests int
		billed   bool
	}{
		{"well", []http.HandlerFunc{says("hi")}, "hi", "", 1, false},
		{"too many requests, then well", []http.HandlerFunc{fails(429), fails(429), says("hi")}, "hi", "", 3, false},
		{"too many requests, told when to come back", []http.HandlerFunc{fails(429, "Retry-After", "1"), says("hi")}, "hi",
			"", 2, false},
		{"to come back in an hour", []http.HandlerFunc{fails(429, "Retry-After", "3600"), says("hi")}, "", "429", 1, false},
		{"broken for long", []http.HandlerFunc{fails(500)}, "", "500", retries, false},
		{"broken for a moment", []http.HandlerFunc{fails(503), says("hi")}, "hi", "", 2, false},
		{"a wrong key", []http.HandlerFunc{fails(401), says("hi")}, "", "401", 1, false},
		{"a redirection", []http.HandlerFunc{fails(302, "Location", "http://localhost:1/"), says("hi")}, "", "302", 1, false},
		{"never", []http.HandlerFunc{hangs}, "", "no response within 300ms", 1, true},
		{"cut off", []http.HandlerFunc{cutOff, says("hi")}, "", "cut off", 1, true},
		{"ten megabytes", []http.HandlerFunc{tenMegabytes, says("hi")}, "", "more than 1048576 bytes", 1, true},
		{"no JSON", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }}, "",
			"invalid character", 1, true},
		{"no words", []http.HandlerFunc{says(" ")}, "", "the reply is empty", 1, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, test.steps...)
			timeout := 20 * time.Second
			if test.name == "never" {
				timeout = 300 * time.Millisecond
			}
			a, err := endpoint(t, s.URL, timeout).Chat(context.Background(), "m", hello, 10)
			if a.Text != test.text || a.Attempts != test.requests || s.requests() != test.requests {
				t.Errorf("%q after %d attempts, %d requests: expected %q after %d", a.Text, a.Attempts, s.requests(), test.text,
					test.requests)
			}
			if test.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				if want := (kernels.Tokens{In: 10_000, Cached: 4000, Out: 100}); a.Tokens != want {
					t.Errorf("tokens %+v: expected %+v", a.Tokens, want)
				}
				return
			}
			var f *Failure
			if !errors.As(err, &f) || !strings.Contains(err.Error(), test.err) || f.Billed != test.billed {
				t.Fatalf("error %v: expected one with %q, billed %v", err, test.err, test.billed)
			}
			if text := err.Error(); strings.Contains(text, secret) || strings.ContainsAny(text, "\x1b\n") {
				t.Errorf("the error shows what it must not: %q", text)
			}
		})
	}
}

func TestEndpointDead(t *testing.T) {
	s := newScript(t, says("hi"))
	s.Close()
	_, err := endpoint(t, s.URL, 10*time.Second).Chat(context.Background(), "m", hello, 10)
	var f *Failure
	if !errors.As(err, &f) || f.Billed || f.Status != 0 {
		t.Fatalf("a dead server gives %v", err)
	}
}

func TestEndpointNames(t *testing.T) {
	for model, field := range map[string]string{"qwen3:8b": "max_tokens", "org/Model-7B.gguf": "max_tokens",
		"gpt-5": "max_completion_tokens", "o4-mini": "max_completion_tokens"} {
		s := newScript(t, says("hi"))
		if _, err := endpoint(t, s.URL, time.Second*10).Chat(context.Background(), model, hello, 10); err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		if s.seen[0]["model"] != model || s.seen[0][field] != 10.0 {
			t.Errorf("%s: the server got %v", model, s.seen[0])
		}
	}
}

func TestEndpointKeys(t *testing.T) {
	s := newScript(t, says("hi"))
	e, err := NewEndpoint(s.URL, "", time.Second*10)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Chat(context.Background(), "m", hello, 10); err != nil || s.auth[0] != "" {
		t.Errorf("without a key: %v, the server got %q", err, s.auth)
	}
	for _, url := range []string{"", "localhost:8080", "ftp://x/", "http://user:pass@host/v1", "http://"} {
		if _, err := NewEndpoint(url, "", time.Second); err == nil {
			t.Errorf("base URL %q is taken", url)
		}
	}
}

func TestNoUsage(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"choices":[{"message":{"content":"twelve bytes"},"finish_reason":"length"}]}`))
	})
	a, err := endpoint(t, s.URL, time.Second*10).Chat(context.Background(), "m", hello, 10)
	if err != nil || !a.Cut || !a.Tokens.Estimated || a.Tokens.In == 0 || a.Tokens.Out == 0 {
		t.Errorf("%+v, %v: expected estimated tokens", a, err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"7": 7 * time.Second, "": 0, "-3": 0, "soon": 0, "99999999999": 0,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:00:00 GMT": 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("Retry-After %q is %s: expected %s", text, got, want)
		}
	}
}

func TestBreaker(t *testing.T) {
	now := time.Now()
	b := &breaker{now: func() time.Time { return now }}
	broken := &Failure{Status: 500, Err: errors.New("broken")}
	for i := range tolerated {
		if !b.ready() {
			t.Fatalf("not asked after %d failures", i)
		}
		if told := b.note(broken); (told != "") != (i == tolerated-1) {
			t.Errorf("failure %d tells %q", i+1, told)
		}
	}
	if b.ready() {
		t.Fatal("asked after too many failures")
	}
	if now = now.Add(firstPause); !b.ready() {
		t.Fatal("not asked after its pause")
	}
	b.note(broken)
	if now = now.Add(firstPause); b.ready() {
		t.Error("the second pause is not longer than the first")
	}
	now = now.Add(longPause)
	if told := b.note(nil); told == "" || !b.ready() {
		t.Error("not asked after a good answer")
	}
	b.note(&Failure{Status: 429, After: time.Minute, Err: errors.New("wait")})
	if b.ready() {
		t.Error("asked before the time that the server named")
	}
	b.note(&Failure{Status: 401, Err: errors.New("key")})
	if now = now.Add(24 * time.Hour); b.ready() {
		t.Error("asked again with a key that is wrong")
	}
}
