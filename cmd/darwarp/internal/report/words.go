package report

import (
	"fmt"
	"slices"
)

// Quantity is a number of things: 1 point, 2 points.
func Quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OrDash is a text, or a dash in place of an empty one.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// NonEmpty are the texts that are not empty.
func NonEmpty(ss ...string) []string {
	return slices.DeleteFunc(ss, func(s string) bool { return s == "" })
}
