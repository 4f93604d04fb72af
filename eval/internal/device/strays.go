package device

import (
	"fmt"
	"strings"
)

// Strays are writes of a candidate to what it must not write to. No strays are nil.
type Strays struct {
	Where   string `json:"where"`             // whose buffers were hit
	Bytes   int    `json:"bytes,omitempty"`   // changed outside of buffers
	Place   string `json:"place,omitempty"`   // of the first of these, where that is known: "0 bytes past the end of C"
	Input   string `json:"input,omitempty"`   // that was written to
	Left    int    `json:"left,omitempty"`    // bytes that are not zero in scratch that a call must leave cleared
	Scratch string `json:"scratch,omitempty"` // which
	Kept    string `json:"kept,omitempty"`    // variables of its own that were changed, for later calls to find
	More    int    `json:"more,omitempty"`    // findings of this kind after this one
	// What launches with `prepare` had packed was changed by a call.
	Repacked bool `json:"repacked,omitempty"`
}

// Keeps is said of what a kernel's calls leave for later ones outside of their buffers.
const Keeps = "keeps %s in memory that outlives a call: use scratch for work space, " +
	"const or __constant__ for tables that are not written"

// kind is what of several findings is said: the least.
func (s *Strays) kind() int {
	switch {
	case s.Bytes > 0:
		return 0
	case s.Kept != "":
		return 1
	case s.Input != "":
		return 2
	case s.Repacked:
		return 3
	}
	return 4
}

// Why says what happened, in words.
func (s *Strays) Why() string {
	what := ""
	switch {
	case s.Bytes > 0:
		what = fmt.Sprintf("wrote %d bytes outside of its buffers", s.Bytes)
		if s.Place != "" {
			what += ", the first " + s.Place
		}
	case s.Kept != "":
		return fmt.Sprintf(Keeps, s.Kept)
	case s.Input != "":
		what = "wrote to its input " + s.Input
	case s.Repacked:
		what = "a call changed what was prepared, which calls only read"
	default:
		scratch := strings.TrimSpace("scratch " + s.Scratch)
		what = fmt.Sprintf("left %d bytes in %s that every call must leave cleared", s.Left, scratch)
	}
	if s.More > 0 {
		what += fmt.Sprintf(" (%d more like it)", s.More)
	}
	return s.Where + ": " + what
}

// Join adds what was found later: the worst of all is kept, and of its kind the first.
func (s *Strays) Join(more *Strays) *Strays {
	switch {
	case s == nil:
		return more
	case more == nil || s.kind() < more.kind():
		return s
	case s.kind() > more.kind():
		return more
	}
	out := *s
	out.More += 1 + more.More
	return &out
}
