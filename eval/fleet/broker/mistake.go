package broker

import (
	"errors"
	"net"

	"github.com/nats-io/nats.go"
)

// Mistake is an error of what was typed or configured: an address, a folder, a token. Nothing failed that would work
// when it is tried again.
type Mistake struct{ Err error }

// Error is what is wrong.
func (m *Mistake) Error() string { return m.Err.Error() }

// Unwrap is the same as another error.
func (m *Mistake) Unwrap() error { return m.Err }

// Mistaken makes a Mistake of an error, if there is one.
func Mistaken(err error) error {
	if err == nil {
		return nil
	}
	return &Mistake{err}
}

// misdirected reports whether a connection failed by what was typed, and not because nobody answers.
func misdirected(err error) bool {
	var lookup *net.DNSError
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, errImpostor) ||
		errors.Is(err, nats.ErrSecureConnWanted) || errors.As(err, &lookup) && lookup.IsNotFound
}
