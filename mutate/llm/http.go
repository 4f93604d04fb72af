package llm

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// seen is what the transport saw of a request and go-openai does not tell.
type seen struct {
	sent   bool // it reached a server
	status int
	after  time.Duration
}

type seenKey struct{}

// Do sends a request of go-openai's. The response is bounded, and what it says of time is noted.
func (e *Endpoint) Do(req *http.Request) (*http.Response, error) {
	if e.key == "" {
		req.Header.Del("Authorization") // local servers have none, and an empty one confuses some
	}
	note, _ := req.Context().Value(seenKey{}).(*seen)
	resp, err := e.http.Do(req)
	if note != nil {
		note.sent = err == nil || req.Context().Err() != nil
	}
	if err != nil {
		return nil, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	if note != nil {
		note.status, note.after = resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 { // a key goes nowhere but where it was meant for
		resp.Body.Close()
		return nil, fmt.Errorf("%s: the server redirects: name the address itself", resp.Status)
	}
	return resp, nil
}

// retryAfter reads the header: seconds, or a date (RFC 9110, 10.2.3).
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n < 1<<20 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
