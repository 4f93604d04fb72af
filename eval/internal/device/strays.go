package device

import "fmt"

// Strays are writes of a candidate to what it must not write to. No strays are nil.
type Strays struct {
	Where string `json:"where"`           // whose buffers were hit first
	Bytes int    `json:"bytes,omitempty"` // changed outside of buffers
	Input string `json:"input,omitempty"` // that was written to
	Left  int    `json:"left,omitempty"`  // bytes that are not zero in scratch that a call must leave cleared
	Kept  string `json:"kept,omitempty"`  // variables of its own that were changed, for later calls to find
	// What launches with `prepare` had packed was changed by a call
	Repacked bool `json:"repacked,omitempty"`
}

// Keeps is said of what a kernel's calls leave for later ones outside of their buffers.
const Keeps = "keeps %s in memory that outlives a call: use scratch for work space, " +
	"const or __constant__ for tables that are not written"

// Why says what happened, in words.
func (s *Strays) Why() string {
	switch {
	case s.Bytes > 0:
		return fmt.Sprintf("%s: wrote %d bytes outside of its buffers", s.Where, s.Bytes)
	case s.Kept != "":
		return fmt.Sprintf(Keeps, s.Kept)
	case s.Input != "":
		return fmt.Sprintf("%s: wrote to its input %s", s.Where, s.Input)
	case s.Repacked:
		return fmt.Sprintf("%s: a call changed what was prepared, which calls only read", s.Where)
	}
	return fmt.Sprintf("%s: left %d bytes in scratch that every call must leave cleared", s.Where, s.Left)
}

// Join adds what was found later.
func (s *Strays) Join(more *Strays) *Strays {
	switch {
	case s == nil:
		return more
	case more == nil:
		return s
	}
	out := *s
	out.Bytes, out.Left = s.Bytes+more.Bytes, s.Left+more.Left
	out.Repacked = s.Repacked || more.Repacked
	if s.Input == "" {
		out.Input = more.Input
	}
	if s.Kept == "" {
		out.Kept = more.Kept
	}
	return &out
}
