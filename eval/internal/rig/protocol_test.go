package rig

import (
	"os"
	"strings"
	"testing"
)

// TestProtocolIsDocumented: the page about the gate names the version of its rules that is stored with figures.
func TestProtocolIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/internals/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "`rig.Protocol` (\"" + Protocol + "\")"; !strings.Contains(string(page), want) {
		t.Errorf("gate.md does not say %s", want)
	}
}
