package report

import "strings"

// Meant is a question to append to a message about an unknown word, " (did you mean \"x\"?)", with the known word that
// is nearest; empty where none is near.
func Meant(word string, known []string) string {
	best, least := "", 1+min(3, len(word)/3)
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if len(word) >= 3 && strings.HasPrefix(k, word) {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	if best == "" || best == word {
		return ""
	}
	return " (did you mean \"" + best + "\"?)"
}

// distance is the number of letters to add, drop, change or swap with a neighbour.
func distance(a, b string) int {
	last, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	var before []int // the row before the last
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
