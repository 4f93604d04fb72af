package files

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hostile makes a folder of what strangers may put into one. None of it is waited for.
func hostile(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600),
		os.WriteFile(filepath.Join(dir, "plain"), []byte("text"), 0o600),
		os.Mkdir(filepath.Join(dir, "sub"), 0o700),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.Symlink("plain", filepath.Join(dir, "link")),
		os.Symlink("pipe", filepath.Join(dir, "linked-pipe")),
		os.Symlink(outside, filepath.Join(dir, "out")),
		os.Symlink("../"+filepath.Base(filepath.Dir(outside))+"/secret", filepath.Join(dir, "up")),
		os.Symlink("sub/../../"+filepath.Base(filepath.Dir(outside))+"/secret", filepath.Join(dir, "around")),
		os.Symlink("/dev/zero", filepath.Join(dir, "zero")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
		os.Symlink("nowhere", filepath.Join(dir, "nothing")),
		os.WriteFile(filepath.Join(dir, "sparse"), nil, 0o600),
		os.Truncate(filepath.Join(dir, "sparse"), 3<<30),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := hostile(t)
	for name, want := range map[string]string{
		"plain": "", "link": "", "out": "", // a user may name what links elsewhere
		"sub": "is a folder", "pipe": "is a pipe", "linked-pipe": "is a pipe", "socket": "is a socket",
		"zero": "is a device", "loop": "too many levels", "nothing": "no such file", "sparse": "more than 100 bytes",
		"missing": "no such file",
	} {
		for what, read := range map[string]func(string) ([]byte, error){
			"Read": func(p string) ([]byte, error) { return Read(p, 100) },
			"Head": func(p string) ([]byte, error) { return Head(p, 3) },
		} {
			data, err := read(filepath.Join(dir, name))
			switch {
			case name == "sparse" && what == "Head":
				if err != nil || len(data) != 3 {
					t.Errorf("%s %s: %q, %v", what, name, data, err)
				}
			case want == "" && (err != nil || len(data) == 0):
				t.Errorf("%s %s: %v", what, name, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name)):
				t.Errorf("%s %s: %v, want %q", what, name, err, want)
			}
		}
	}
	if data, err := Read("/proc/self/status", 4); err == nil { // which has no size
		t.Errorf("read %q past the limit", data)
	}
}

func TestAppend(t *testing.T) {
	dir := hostile(t)
	for name, want := range map[string]bool{"plain": true, "new": true, "pipe": false, "linked-pipe": false, "link": false,
		"out": false, "zero": false, "nothing": false, "sub": false, "socket": false} {
		f, err := Append(filepath.Join(dir, name))
		if err == nil {
			_, err = f.WriteString("more")
			f.Close()
		}
		if err == nil != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := Read(filepath.Join(dir, "plain"), 100); err != nil || string(data) != "textmore" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestFolder(t *testing.T) {
	dir := hostile(t)
	d, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, want := range map[string]string{
		"plain": "", "link": "", "sub": "", ".": "",
		"pipe": "is a pipe", "linked-pipe": "is a pipe", "socket": "is a socket", "out": "leads out of the folder",
		"up":     "leads out",
		"around": "leads out", "zero": "leads out", "loop": "too many", "nothing": "no such file", "../x": "invalid",
		"/etc/passwd": "invalid",
	} {
		f, err := d.Open(name)
		if err == nil {
			f.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if text, err := fs.ReadFile(d, "link"); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{"plain", "pipe", "zero", "missing"} {
		if _, err := OpenFolder(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is taken for a folder", name)
		}
	}
}
