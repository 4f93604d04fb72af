package kernels

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Count writes an integer with thousands separators: 12,345.
func Count(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Quantity writes how many there are of something: 1 kernel, 1,200 kernels, 2 families. What follows the noun stays
// behind it: 3 parts of a trial is Quantity(3, "part") + " of a trial".
func Quantity(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Span writes a duration to the second: 8h02m, 2m05s, 4.2s; to the millisecond below 0.05 s: 12ms.
func Span(d time.Duration) string {
	switch d = max(d, 0); {
	case d > 0 && d < 50*time.Millisecond:
		return fmt.Sprintf("%.0fms", d.Seconds()*1e3)
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute-time.Second/2:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < time.Hour-time.Second/2:
		s := int(d.Seconds() + 0.5)
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	m := int(d.Minutes() + 0.5)
	return fmt.Sprintf("%dh%02dm", m/60, m%60)
}
