package llm

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// each writes every byte of a text by a format.
func each(format, text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// quotes are the ways in which a hostile server can write a key, by name.
func quotes(key string) map[string]string {
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	quoted, _ := json.Marshal(key)
	return map[string]string{
		"as it is":               key,
		"in other case":          strings.ToUpper(key),
		"as a header":            "Authorization: Bearer " + key,
		"its first half":         key[:len(key)/2],
		"its second half":        key[(len(key)+1)/2:],
		"without its last":       key[:len(key)-1],
		"over lines":             key[:7] + "\r\n\t" + key[7:],
		"with blanks between":    strings.Join(strings.Split(key, ""), " "),
		"with nothing between":   strings.Join(strings.Split(key, ""), "\u200b"),
		"with NULs between":      strings.Join(strings.Split(key, ""), "\x00"),
		"in JSON":                string(quoted),
		"in JSON, escaped":       each(`\u%04x`, key),
		"in JSON in JSON":        strings.ReplaceAll(each(`\u%04X`, key), `\`, `\\`),
		"in C":                   each(`\x%02x`, key),
		"in a query":             "https://host/?key=" + url.QueryEscape(key),
		"percent-encoded":        each("%%%02X", key),
		"percent-encoded twice":  each("%%25%02x", key),
		"as userinfo":            "https://me:" + key + "@host/",
		"in HTML":                html.EscapeString(key),
		"in HTML by number":      each("&#%d;", key),
		"in HTML by hexadecimal": each("&#x%X;", key),
		"in base64":              b64(key),
		"in base64, one off":     b64("u:" + key),
		"in base64, two off":     b64("a" + key + "tail"),
		"in base64 for URLs":     base64.RawURLEncoding.EncodeToString([]byte(key)),
		"in base64 over lines":   b64(key)[:10] + "\\n" + b64(key)[10:],
		"a half in base64":       b64(key[:len(key)/2]),
		"in hexadecimal":         hex.EncodeToString([]byte(key)),
		"in HEXADECIMAL":         strings.ToUpper(hex.EncodeToString([]byte(key))),
		"dumped":                 each("%02x ", key),
	}
}

var someKeys = []string{secret, "sk-proj-9fQ2mZ7xT4_vLw8RkY1c-HdN5bJ0sUeG6pAo3iXtVqKzMnB2yCr",
	`odd"key\with<every>&thing%41/+=`, "short-12"}

func TestHide(t *testing.T) {
	for _, key := range someKeys {
		hidden := newRedactor(key)
		for name, quote := range quotes(key) {
			if len(key) < 16 && (strings.Contains(name, "half") || strings.Contains(name, "last")) { // too little
				continue
			}
			got := hidden.hide("before " + quote + " after")
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !strings.Contains(got, redacted) ||
				strings.Contains(got, key) {
				t.Errorf("%s, %s: %q becomes %q", key, name, quote, got)
			}
		}
	}
}

// TestHideNothing: a text without the key stays as it is to the byte, escapes and all.
func TestHideNothing(t *testing.T) {
	source, err := os.ReadFile("redact.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"", "%", "%4", `\`, `\u`, `\u00`, "&", "&#;", "&#x;", "&amp;", "\xff\xfe", string(source),
		`\u0041%41&#65;`, "x = a % 4; y = b & c;"}
	for _, key := range append(someKeys, "", "x", "none", "EMPTY") {
		for _, text := range texts {
			if got := newRedactor(key).hide(text); got != text {
				t.Errorf("%q: %.80q becomes %.80q", key, text, got)
			}
		}
	}
}

func FuzzHide(f *testing.F) {
	for _, quote := range quotes(secret) {
		f.Add(quote, quote)
	}
	hidden := newRedactor(secret)
	f.Fuzz(func(t *testing.T, a, b string) {
		got := hidden.hide(a + secret + b)
		if strings.Contains(strings.ToLower(got), secret) || !strings.Contains(got, redacted) {
			t.Errorf("%q becomes %q", a+secret+b, got)
		}
		if again := hidden.hide(got); strings.Contains(again, secret) {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}

// raw answers with bytes of its own.
func raw(reply string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		buf.WriteString(reply)
		buf.Flush()
	}
}

// chunks answers well, in one chunk per byte.
func chunks(text string) http.HandlerFunc {
	body, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": text}}}})
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := range body {
			w.Write(body[i : i+1])
			http.NewResponseController(w).Flush()
		}
	}
}

// hostile are servers that give a key away in all that a response has.
func hostile(quote string) map[string]http.HandlerFunc {
	line := strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(quote)
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://localhost/?"+line)
			w.Header().Set("Retry-After", line)
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	message, _ := json.Marshal(map[string]any{"error": map[string]any{"message": quote, "code": quote, "type": quote}})
	return map[string]http.HandlerFunc{
		"reply":               says("## thought\n" + quote + "\n## kernel\n```\n" + quote + "\n```\n"),
		"reply in chunks":     chunks("you said " + quote),
		"refused":             says("## plan\n```\n{\"" + line + "\": 1}\n```\n## kernel\n```\nx\n```\n"),
		"401":                 status(401, string(message)),
		"400 in plain text":   status(400, quote),
		"302":                 status(302, quote),
		"no JSON":             status(200, quote),
		"half of JSON":        status(200, `{"choices": "`+quote),
		"a number":            status(200, `{"id": "`+line+`", "usage": {"prompt_tokens": 1e99}}`),
		"status line":         raw("HTTP/1.1 400 " + line + "\r\nContent-Length: 0\r\n\r\n"),
		"no HTTP":             raw(line + "\r\n\r\n"),
		"bad header":          raw("HTTP/1.1 200 OK\r\n" + line + "\r\n\r\n"),
		"bad length":          raw("HTTP/1.1 200 OK\r\nContent-Length: " + line + "\r\n\r\n"),
		"bad encoding":        raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + line + "\r\n\r\n"),
		"bad chunk":           raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + line + "\r\n"),
		"204 with a body":     raw("HTTP/1.1 204 No Content\r\n\r\n" + quote),
		"two responses":       raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 " + line + "\r\n\r\n"),
		"100 and nothing":     raw("HTTP/1.1 103 " + line + "\r\n\r\n"),
		"headers without end": raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+line+"\r\n", 1+maxHeader/(len(line)+5))),
	}
}

// TestHostileServers has servers quote the key in every place of a response and in every way: it is in nothing that
// is stored, told or logged.
func TestHostileServers(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	hidden := newRedactor(secret)
	for way, quote := range quotes(secret) {
		for place, step := range hostile(quote) {
			s := newScript(t, step)
			a := advisor(t, endpoint(t, s.URL, 10*time.Second), Limits{}, "m")
			got := ask(a, t, "llm:m:init")
			stored, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(stored); hidden.hide(text) != text || got.Exchange.Reply == "" && got.Exchange.Failed == "" {
				t.Errorf("%s, %s: %s", place, way, text)
			}
			if way == "as it is" {
				_, err = endpoint(t, s.URL, 10*time.Second).Models(context.Background())
				if text := fmt.Sprint(err); hidden.hide(text) != text {
					t.Errorf("models of %s, %s: %s", place, way, text)
				}
			}
			s.Close()
		}
	}
	if text := logged.String(); hidden.hide(text) != text || strings.Contains(text, "Unsolicited") {
		t.Errorf("the log says %.2000q", text)
	}
}

func TestModelNames(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"data": [{"id": "good"}, {"id": "of %s"}]}`, secret)
	})
	names, err := endpoint(t, s.URL, 10*time.Second).Models(context.Background())
	if err != nil || fmt.Sprint(names) != "[good of [key]]" {
		t.Errorf("%q, %v", names, err)
	}
}

func TestKeysInURLs(t *testing.T) {
	for _, url := range []string{"http://user:%s@host/v1", "http://%s@host/v1", "http://host/v1?key=%s",
		"http://host/v1#%s", "http://host/%s/v1", "http://us er:%s@host", "http:user:%s@host", "%%zz%s@x"} {
		url = fmt.Sprintf(url, secret)
		if _, err := NewEndpoint(url, secret, time.Second); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := NewEndpoint("http://user:pass-word@host/", "", time.Second); err == nil ||
		strings.Contains(err.Error(), "pass-word") {
		t.Errorf("a password of no key's: %v", err)
	}
}
