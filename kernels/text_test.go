package kernels

import (
	"regexp"
	"strings"
	"testing"
)

func TestChecks(t *testing.T) {
	long := strings.Repeat("x", MaxName)
	for _, c := range []struct {
		name    string
		check   func(string) error
		yes, no []string
	}{
		{"identifier", CheckIdentifier, []string{"m", "_block_K2", long},
			[]string{"", "2m", "a b", "a-b", "m\n", "é", "a\x00", long + "x", "m)"}},
		{"label", CheckLabel, []string{"gemm", "0a", "a.b-c_d", "problem.toml", long},
			[]string{"", ".a", "-a", "..", "a/b", "a b", "a\n", "a\"", "a$(b)", "ａ", long + "x"}},
		{"size", CheckSize, []string{"4096", "m=1,n=2", "llama-ffn.2"}, []string{"", "m=1, n=2", "=", "a;b", "a\x1b", "a\n"}},
		{"arch", CheckArch, []string{"", "cpu", "sm_80", "sm_90a", "sm_100f", "sm_120"},
			[]string{"sm_9", "sm_90)", "sm_90a\n", "SM_90", "sm_90ab", "compute_90", "sm_90a message(1)", "cpu2"}},
		{"line", func(s string) error { return CheckLine(s, 20) }, []string{"", "NVIDIA H200", "é ±"},
			[]string{"a\nb", "\x1b[2J", "a\x7f", "\u202eabc", "\u200b", "\xff", strings.Repeat("x", 21), "\u0085", "a\tb"}},
	} {
		for _, s := range c.yes {
			if err := c.check(s); err != nil {
				t.Errorf("%s %q: %v", c.name, s, err)
			}
		}
		for _, s := range c.no {
			if err := c.check(s); err == nil {
				t.Errorf("%s %q is taken", c.name, s)
			} else if CheckLine(err.Error(), 400) != nil {
				t.Errorf("%s: the message is %q", c.name, err)
			}
		}
	}
}

// TestIdentifier: of any byte, first or later, an identifier has what the expression says.
func TestIdentifier(t *testing.T) {
	re := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	for c := range 256 {
		for _, s := range []string{string([]byte{byte(c)}), string([]byte{'a', byte(c)}), string([]byte{byte(c), '9', 'Z'})} {
			if got := CheckIdentifier(s) == nil; got != re.MatchString(s) {
				t.Errorf("%q: %v", s, got)
			}
		}
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"stages 3 -> 4":           "stages 3 -> 4",
		" a\n\tb\r\n":             "a b",
		"\x1b]0;evil\a":           "?]0;evil?",
		"a\u202eb\u200bc":         "a?b?c",
		"a\xff\xfeb":              "a?b",
		"größer":                  "größer",
		strings.Repeat("ab ", 20): "ab ab ab ab ab ab ab ab ab ...",
		strings.Repeat("é", 20):   strings.Repeat("é", 13) + " ...",
	} {
		if got := CleanLine(in, 30); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzCleanLine(f *testing.F) {
	f.Add("stages 3 -> 4", 40)
	f.Add("\x1b[2J\u202e\xff\n", 9)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = 8 + (most&0xff+0xff)&0xff
		got := CleanLine(s, most)
		if err := CheckLine(got, most); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if again := CleanLine(got, most); again != got {
			t.Errorf("%q: %q, then %q", s, got, again)
		}
	})
}
