package gatetest

import (
	"testing"

	"darwarp/templates/graph"
)

// TestAlone: the truth of the folder is what an import makes of its graph today, so that its kernels are judged as
// those of an imported module are.
func TestAlone(t *testing.T) {
	stored := func(name string) []byte {
		data, err := files.ReadFile("problems/alone/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	g, err := graph.Parse(stored("graph.json"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if string(stored("reference.cu")) != string(made["reference.cu"]) {
		t.Errorf("reference.cu is not what the graph makes now:\n%s", made["reference.cu"])
	}
}
