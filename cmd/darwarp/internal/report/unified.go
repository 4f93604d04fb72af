package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// hunkHead is the line before the lines of a hunk: where it is in the old and in the new text, and how long there.
var hunkHead = regexp.MustCompile(`(?m)^@@ -(\d+)((?:,\d+)?) \+\d+((?:,\d+)?) @@$`)

// Unified is the unified diff of two texts, empty where they are equal. go-udiff 0.4.1 begins hunks after the first one
// at wrong lines of the new text, so these are counted here.
func Unified(oldName, newName, old, new string) string {
	longer := 0 // how many lines the hunks so far have added
	return hunkHead.ReplaceAllStringFunc(udiff.Unified(oldName, newName, old, new), func(head string) string {
		part := hunkHead.FindStringSubmatch(head)
		from, _ := strconv.Atoi(part[1])
		if from == 0 || part[3] == ",0" { // one of the texts is empty: this is the only hunk
			return head
		}
		to := from + longer
		longer += hunkLength(part[3]) - hunkLength(part[2])
		return fmt.Sprintf("@@ -%d%s +%d%s @@", from, part[2], to, part[3])
	})
}

// hunkLength reads a number of lines; that of one line is left out.
func hunkLength(text string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(text, ","))
	if err != nil {
		return 1
	}
	return n
}
