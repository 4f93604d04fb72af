// Package exit is what a command's end means to the shell: exit codes, and the errors that carry them.
package exit

import "fmt"

// The exit codes, as README.md and the comment of package main promise them.
const (
	Done        = 0
	Failed      = 1
	Usage       = 2
	NotBeaten   = 3
	Environment = 4
	Interrupted = 130
)

// Error is an error that knows its exit code. A nil Err has been reported already.
type Error struct {
	Code int
	Err  error
}

// Error is the reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap is the error without its code.
func (e *Error) Unwrap() error { return e.Err }

// Usagef is a mistake in what was typed or configured.
func Usagef(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// Environmentf is something that this machine lacks.
func Environmentf(format string, args ...any) error {
	return &Error{Environment, fmt.Errorf(format, args...)}
}

// Quietly ends with a code whose reason is on the screen already.
func Quietly(code int) error { return &Error{Code: code} }
