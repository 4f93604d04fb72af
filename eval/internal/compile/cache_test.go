package compile

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
	c.size = 4 * info.Size() // of which a share is kept free
	c.trim()
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

// TestCacheIsShared: several processes open, write, read and trim one folder. What is read is whole, or not there.
func TestCacheIsShared(t *testing.T) {
	one := int64(len(seal(key(0), entry)))
	for name, size := range map[string]int64{"room for all": 1 << 30, "room for few": 20 * one, "room for none": one} {
		dir := t.TempDir()
		var log bytes.Buffer
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range 50 {
					c, err := openCache(dir, size, slog.New(slog.NewTextHandler(guarded{&mu, &log}, nil)))
					if err != nil {
						t.Error(err)
						return
					}
					c.put(key(n), entry)
					got, ok := c.get(key(n))
					if ok && !reflect.DeepEqual(got, entry) || !ok && size == 1<<30 {
						t.Errorf("%s: entry %d: %v, %+v", name, n, ok, got)
					}
				}
			})
		}
		wg.Wait()
		if log.Len() > 0 {
			t.Errorf("%s: %s", name, log.String())
		}
	}
}

// guarded is a writer for several goroutines.
type guarded struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (g guarded) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.to.Write(p)
}

// TestCacheIsBounded: the folder never has more than it may, and what was used last is there.
func TestCacheIsBounded(t *testing.T) {
	c := tempCache(t, slog.New(slog.DiscardHandler))
	one := int64(len(seal(key(0), entry)))
	c.size = 16 * one
	c.put(key(0), entry)
	most := int64(0)
	for n := 1; n < 100; n++ {
		when := time.Now().Add(-time.Hour) // all but the first were used long ago
		c.put(key(n), entry)
		_ = os.Chtimes(c.path(key(n)), when, when)
		_, bytes, err := CacheUse(c.dir)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, bytes)
	}
	if most > c.size || most < c.size/2 {
		t.Errorf("%d bytes at most, of %d", most, c.size)
	}
	if _, ok := c.get(key(0)); !ok {
		t.Error("the entry that was used last is gone")
	}
	if files, bytes, err := CacheUse(filepath.Join(c.dir, "none")); files != 0 || bytes != 0 || err != nil {
		t.Errorf("a folder that is not there has %d files, %d bytes, %v", files, bytes, err)
	}
}

// giveAway makes a file or a folder another user's.
func giveAway(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Fatal(err)
	}
}

// TestCacheOfOthers: what another user owns, and what is no file, is not read.
func TestCacheOfOthers(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, path string) error{
		"of another user": func(t *testing.T, path string) error {
			giveAway(t, path)
			return nil
		},
		"a link": func(t *testing.T, path string) error {
			return errors.Join(os.Rename(path, path+".there"), os.Symlink(path+".there", path))
		},
		"a pipe": func(t *testing.T, path string) error {
			return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600))
		},
		"a folder":  func(t *testing.T, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"very long": func(t *testing.T, path string) error { return os.Truncate(path, maxEntry+1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := tempCache(t, slog.New(slog.DiscardHandler))
			c.put(key(1), entry)
			if err := put(t, c.path(key(1))); err != nil {
				t.Fatal(err)
			}
			if _, ok := c.get(key(1)); ok {
				t.Error("it was taken")
			}
			c.put(key(1), entry)
			if _, ok := c.get(key(1)); !ok {
				t.Error("it was not replaced")
			}
		})
	}
}

// TestCacheFolderOfOthers: a folder of another user is not used, and one that others could write to is closed to them.
func TestCacheFolderOfOthers(t *testing.T) {
	t.Run("of another user", func(t *testing.T) {
		dir := t.TempDir()
		giveAway(t, dir)
		var log bytes.Buffer
		c, err := openCache(dir, 1<<20, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || c.dir != "" || !strings.Contains(log.String(), "belongs to user 12345") {
			t.Errorf("%v, %q: %s", err, c.dir, log.String())
		}
		if c.put(key(1), entry); len(list(dir)) > 0 {
			t.Error("something was written there")
		}
		if _, _, err := CacheUse(dir); err == nil {
			t.Error("nobody is told")
		}
	})
	t.Run("open to all", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := openCache(dir, 1<<20, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	})
}

// TestCacheOnFullDisk: an entry that does not fit is no entry, leaves nothing behind, and is told once.
func TestCacheOnFullDisk(t *testing.T) {
	// In a process of its own: this one writes a log for the go command, which may be due just then.
	if os.Getenv("DARWARP_TEST_FULL") == "" {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestCacheOnFullDisk$")
		cmd.Env = append(os.Environ(), "DARWARP_TEST_FULL=1")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		return
	}
	var log bytes.Buffer
	c := tempCache(t, slog.New(slog.NewTextHandler(&log, nil)))
	whole := bytesPerFile(t, 64)
	c.put(key(1), entry)
	c.put(key(2), entry)
	whole()
	if left := list(c.dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if n := strings.Count(log.String(), "not cached"); n != 1 {
		t.Errorf("said %d times, want once: %s", n, log.String())
	}
	c.put(key(1), entry)
	if _, ok := c.get(key(1)); !ok {
		t.Error("with room again it is not kept")
	}
}

// bytesPerFile lets this process write no more to any file until the function that it returns is called.
func bytesPerFile(t *testing.T, most uint64) func() {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ) // writing fails instead
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
			t.Fatal(err)
		}
		signal.Reset(unix.SIGXFSZ)
	}
}

// TestInstalled: a compiler or a header that was replaced compiles again, whatever version it says it is.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Library: filepath.Join(dir, "libnvrtc.so.13"), IncludeDirs: []string{dir}}
	known := map[string]string{}
	for name, file := range map[string]string{"the library": cfg.Library, "a header": filepath.Join(dir, "cuda_fp16.hpp"),
		"a header below": filepath.Join(dir, "crt", "mma.hpp")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("1"), 0o600)); err != nil {
			t.Fatal(err)
		}
		is := cfg.installed()
		if was := known[is]; was != "" {
			t.Errorf("%s does not count", name)
		}
		known[is] = name
		if a, b := (&Pool{cfg: cfg, installed: is}).key("x"), (&Pool{cfg: cfg}).key("x"); a == b {
			t.Error("the compiler's files are not in the key")
		}
	}
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
