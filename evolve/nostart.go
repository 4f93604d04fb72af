package evolve

import (
	"errors"
	"fmt"
)

// ErrNoStart is what errors are after which a run cannot be continued: its naive start does not work.
var ErrNoStart = errors.New("no naive start")

type startError struct{ text string }

func noStart(format string, args ...any) error { return &startError{fmt.Sprintf(format, args...)} }

func (e *startError) Error() string        { return e.text }
func (e *startError) Is(target error) bool { return target == ErrNoStart }
