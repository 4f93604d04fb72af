package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"darwarp/kernels"
)

// Failure is a request without a reply.
type Failure struct {
	Status int           // of the response, 0 without one
	After  time.Duration // what Retry-After says, 0 nothing
	Billed bool          // the server may have done the work all the same
	Err    error         // one line, without the key
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Permanent reports whether asking again is of no use: the key, the model or the account is wrong.
func (f *Failure) Permanent() bool {
	switch f.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound:
		return true
	}
	return f.Status >= 300 && f.Status < 400
}

// passing reports whether asking again soon may help. What may have been billed is not asked again.
func (f *Failure) passing() bool {
	switch f.Status {
	case 0:
		return !f.Billed
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return f.Status >= 500
}

// failure says in one line what went wrong, without the key and without what is not printable.
func (e *Endpoint) failure(ctx context.Context, seen *seen, err error) *Failure {
	f := &Failure{Status: seen.status, After: seen.after,
		Billed: seen.sent && (seen.status == 0 || seen.status == http.StatusOK)}
	var tooLarge *http.MaxBytesError
	text := err.Error()
	switch {
	case errors.As(err, &tooLarge):
		text = fmt.Sprintf("a response of more than %d bytes", maxBody)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		text = fmt.Sprintf("no response within %s", e.timeout)
	case f.Status == http.StatusOK && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)):
		text = "the response was cut off"
	}
	f.Err = errors.New(e.clean(text))
	return f
}

const maxFailure = 300 // bytes of a failure's text

// clean takes the key out of a text of the server's, which may quote it, and makes it one short line.
func (e *Endpoint) clean(text string) string {
	text = strings.Join(strings.Fields(kernels.CleanDetail(e.hidden.hide(text))), " ")
	if len(text) > maxFailure {
		text = text[:maxFailure] + " ..."
	}
	return text
}
