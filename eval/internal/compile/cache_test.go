package compile

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/kernels"
)

var entry = Output{Cubin: []byte("\x7fELF machine code"), Code: "abc", Log: "ptxas info", Seconds: 0.5,
	Resources: []kernels.Resources{{Entry: "k", Registers: 32}}}

func key(n int) string { return fmt.Sprintf("%064x", n) }

func tempCache(t *testing.T, log *slog.Logger) *cache {
	t.Helper()
	c, err := openCache(t.TempDir(), 1<<30, log)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCacheKeeps(t *testing.T) {
	c := tempCache(t, slog.New(slog.DiscardHandler))
	if _, ok := c.get(key(1)); ok {
		t.Error("hit in an empty cache")
	}
	failed := Output{Failure: "candidate.cu(1): error: expected a declaration", Log: "x"}
	c.put(key(1), entry)
	c.put(key(2), failed)
	for n, want := range map[int]Output{1: entry, 2: failed} {
		if got, ok := c.get(key(n)); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("entry %d = %+v, %v; want %+v", n, got, ok, want)
		}
	}
}

func TestCacheDamage(t *testing.T) {
	tests := []struct {
		name   string
		damage func(data []byte) []byte
	}{
		{"flipped bit", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		{"cut short", func(b []byte) []byte { return b[:len(b)-1] }},
		{"empty", func([]byte) []byte { return nil }},
		{"no newline", func([]byte) []byte { return []byte(cacheMagic) }},
		{"another's entry", func([]byte) []byte { return seal(key(2), entry) }},
		{"more behind", func(b []byte) []byte { return append(b, ' ') }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			c := tempCache(t, slog.New(slog.NewTextHandler(&log, nil)))
			c.put(key(1), entry)
			data, err := os.ReadFile(c.path(key(1)))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(c.path(key(1)), tt.damage(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, ok := c.get(key(1)); ok {
				t.Error("a damaged entry was taken")
			}
			if _, err := os.Stat(c.path(key(1))); !os.IsNotExist(err) {
				t.Errorf("the damaged entry is still there: %v", err)
			}
			if !strings.Contains(log.String(), "damaged") {
				t.Error("nothing was said")
			}
		})
	}
}

func TestCacheTrim(t *testing.T) {
	c := tempCache(t, slog.New(slog.DiscardHandler))
	old := time.Now().Add(-2 * staleAfter)
	for n := range 10 {
		c.put(key(n), entry)
		when := old.Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(c.path(key(n)), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.get(key(0)); !ok { // using an entry makes it the youngest
		t.Fatal("entry 0 is missing")
	}
	unfinished := filepath.Join(c.dir, "new-1")
	if err := os.WriteFile(unfinished, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(unfinished, old, old); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(c.path(key(0)))
	if err != nil {
		t.Fatal(err)
	}
	c.trim(3*info.Size() + 2)
	var left []int
	for n := range 10 {
		if _, ok := c.get(key(n)); ok {
			left = append(left, n)
		}
	}
	if !reflect.DeepEqual(left, []int{0, 8, 9}) {
		t.Errorf("entries %v are left, want 0, 8, 9", left)
	}
	if _, err := os.Stat(unfinished); !os.IsNotExist(err) {
		t.Errorf("the unfinished entry is still there: %v", err)
	}
}

func TestCacheIsShared(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		c, err := openCache(dir, 1<<30, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for n := range 50 {
				c.put(key(n), entry)
				if got, ok := c.get(key(n)); !ok || !reflect.DeepEqual(got, entry) {
					t.Errorf("entry %d: %v, %+v", n, ok, got)
				}
			}
		})
	}
	wg.Wait()
}

func TestCacheThatCannotWrite(t *testing.T) {
	var log bytes.Buffer
	c := tempCache(t, slog.New(slog.NewTextHandler(&log, nil)))
	if err := os.WriteFile(filepath.Join(c.dir, key(1)[:2]), nil, 0o600); err != nil { // a file where a folder must be
		t.Fatal(err)
	}
	c.put(key(1), entry)
	c.put(key(1), entry)
	if n := strings.Count(log.String(), "not cached"); n != 1 {
		t.Errorf("said %d times, want once: %s", n, log.String())
	}
}
