package graph

import (
	"encoding/json"
	"testing"
)

// TestLeftOut: what is more than the targets of losses that leave out one class has no number beside its classes.
func TestLeftOut(t *testing.T) {
	loss := func(name, more string) string {
		return node(name, "cross_entropy_loss", refX+`,{"ref":"i"}`+more, "")
	}
	for _, tt := range []struct {
		name, nodes string
		want        int
		ok          bool
	}{
		{"a loss", loss("y", ""), -100, true},
		{"two of one class", loss("a", "") + "," + loss("y", ""), -100, true},
		{"two of two classes", loss("a", "") + "," + loss("y", `,{"value":null},{"value":1},{"value":0}`), 0, false},
		{"an index as well", loss("a", "") + "," + node("y", "embedding", refX+`,{"ref":"i"}`, `"rows", "cols"`), 0, false},
		{"an output as well", loss("a", "") + "," + node("y", "view", `{"ref":"i"},{"list":[{"dim":"rows"}]}`, `"rows"`),
			0, false},
		{"no loss", node("y", "relu", refX, `"rows", "cols"`), 0, false},
		{"a class that is no whole number", loss("y", `,{"value":null},{"value":1},{"value":0.5}`), 0, false},
		{"prediction as well", node("y", "cross_entropy_loss", `{"ref":"i"},{"ref":"i"}`, ""), 0, false},
	} {
		g := &Graph{Outputs: []string{"y"}}
		if err := json.Unmarshal([]byte("["+tt.nodes+"]"), &g.Nodes); err != nil {
			t.Fatal(err)
		}
		if class, ok := g.leftOut("i"); class != tt.want || ok != tt.ok {
			t.Errorf("%s: %d, %v", tt.name, class, ok)
		}
	}
}
