package kernels

import (
	"fmt"
	"strings"
)

// What a tool of compute-sanitizer made of a candidate.
const (
	Clean        = "clean"   // it watched every access and found nothing
	Dirty        = "found"   // Findings of them
	NotSanitized = "nothing" // it did not run to its end: no verdict
)

// Sanitized is one tool's verdict on a candidate at the check shapes.
type Sanitized struct {
	Tool     string `json:"tool"`    // memcheck, initcheck, racecheck, synccheck
	Verdict  string `json:"verdict"` // Clean, Dirty or NotSanitized
	Findings int    `json:"findings,omitempty"`
	Detail   string `json:"detail,omitempty"` // the first finding, or why there is no verdict
}

// SanitizedText is the verdicts of all tools in one line, as "memcheck clean, racecheck 2 findings: ...".
func SanitizedText(all []Sanitized) string {
	var parts []string
	for _, s := range all {
		switch s.Verdict {
		case Clean:
			parts = append(parts, s.Tool+" clean")
		case Dirty:
			parts = append(parts, fmt.Sprintf("%s FOUND %d: %s", s.Tool, s.Findings, s.Detail))
		default:
			parts = append(parts, fmt.Sprintf("%s says nothing: %s", s.Tool, s.Detail))
		}
	}
	return strings.Join(parts, ", ")
}

// AllClean reports whether every tool watched and found nothing.
func AllClean(all []Sanitized) bool {
	for _, s := range all {
		if s.Verdict != Clean {
			return false
		}
	}
	return len(all) > 0
}
