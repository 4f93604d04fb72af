package main

import (
	"os"
	"testing"
)

// TestFleetOf: a fleet is found by the run's name while the search waits for its first worker, and has no file yet.
func TestFleetOf(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if got := fleetOf("night"); got != "night" {
		t.Errorf("nothing is there: %s", got)
	}
	if err := os.Mkdir("night.db.fleet", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"night", "night.db"} {
		if got := fleetOf(name); got != "night.db" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := os.WriteFile("night", nil, 0o600); err != nil { // a run of that very name
		t.Fatal(err)
	}
	if got := fleetOf("night"); got != "night" {
		t.Errorf("the file of that name: %s", got)
	}
}
