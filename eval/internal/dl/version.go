package dl

import "strings"

// newestFirst orders cuda before cuda-13.0 before cuda-12.9: the link without a version is what the
// machine's owner chose, and among versions digits compare as numbers.
func newestFirst(a, b string) int {
	for a != "" && b != "" {
		na, nb := leadingDigits(a), leadingDigits(b)
		if na == "" || nb == "" {
			if a[0] != b[0] {
				return rank(a[0]) - rank(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		if c := compareDigits(nb, na); c != 0 {
			return c
		}
		a, b = a[len(na):], b[len(nb):]
	}
	return len(a) - len(b)
}

// rank puts the end of a folder's name before any character that could continue it.
func rank(c byte) int {
	if c == '/' {
		return -1
	}
	return int(c)
}

func leadingDigits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
