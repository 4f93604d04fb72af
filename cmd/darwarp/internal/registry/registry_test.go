package registry

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func add(t *testing.T, path string) Entry {
	t.Helper()
	e, err := Add(Entry{Path: path, Problem: "gemm", Device: "toy"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func touch(t *testing.T, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNames(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "state [1]*"))
	dir := t.TempDir()
	a, b := touch(t, dir, "a", "night.db"), touch(t, dir, "b", "night.db")
	for _, tt := range []struct{ path, name string }{{a, "night"}, {b, "night-2"}, {a, "night"}, {b, "night-2"}} {
		if e := add(t, tt.path); e.Name != tt.name {
			t.Errorf("%s is called %s, expected %s", tt.path, e.Name, tt.name)
		}
	}
	all, err := List()
	if err != nil || len(all) != 2 || all[0].Name != "night-2" || !all[0].Alive() || all[0].State != Running {
		t.Errorf("%+v, %v", all, err)
	}
	for _, name := range []string{b, "night-2"} {
		if e, ok := Find(name); !ok || e.Path != b {
			t.Errorf("%s: found %+v", name, e)
		}
	}
	if e, ok := Find("nothing"); ok {
		t.Errorf("found %+v", e)
	}
	where, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{where: 0o700, filepath.Join(where, "night.json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

func TestDeadAndGone(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	killed, reused, ended := add(t, touch(t, dir, "killed.db")), add(t, touch(t, dir, "reused.db")),
		add(t, touch(t, dir, "ended.db"))
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	killed.PID = cmd.Process.Pid
	reused.Born = "another boot 1" // the id belongs to another process now
	ended.State, ended.Reason = Ended, "evaluations"
	for _, e := range []Entry{killed, reused, ended} {
		if err := e.Save(); err != nil {
			t.Fatal(err)
		}
	}
	where, _ := Dir()
	touch(t, where, "garbage.json")
	for name, want := range map[string]string{"killed": Killed, "reused": Killed, "ended": Ended} {
		if e, ok := Find(name); !ok || e.State != want {
			t.Errorf("%s is %+v, expected %s", name, e, want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "killed.db")); err != nil {
		t.Fatal(err)
	}
	add(t, touch(t, dir, "new.db"))
	if e, ok := Find("killed"); ok {
		t.Errorf("its file is gone and it is listed: %+v", e)
	}
}

func TestOldRunsAreForgotten(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := touch(t, t.TempDir(), "x.db")
	for i := range kept + 5 {
		e := add(t, path)
		e.Name, e.State, e.Path = "old"+string(rune('a'+i%26))+string(rune('a'+i/26)), Ended, path
		e.Started = time.Unix(int64(i), 0)
		if err := e.Save(); err != nil {
			t.Fatal(err)
		}
	}
	add(t, path)
	all, err := List()
	if err != nil || len(all) > kept+1 || all[0].Name != "x" {
		t.Errorf("%d are listed, %v", len(all), err)
	}
}

// TestForeignEntries: what another user put into the folder, and what is no file, is passed over.
func TestForeignEntries(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	e := add(t, touch(t, t.TempDir(), "mine.db"))
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name string, data []byte) string {
		path := filepath.Join(dir, name+".json")
		if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"mine"`), []byte(`"`+name+`"`)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	entry("twin", data)
	entry("large", append(data, bytes.Repeat([]byte(" "), maxEntry)...))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "twin.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // who alone can make it another user's
		if err := os.Chown(entry("theirs", data), 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	all, err := List()
	if err != nil || len(all) != 2 {
		t.Errorf("%+v, %v: expected mine and twin", all, err)
	}
	if _, ok := Find(e.Name); !ok {
		t.Error("the own run is not found")
	}
}
