package gatetest

import (
	"strings"
	"testing"

	"darwarp/templates/graph"
)

// TestImported: the truth of these folders is what an import makes of their graphs today, so that their kernels are
// judged as those of an imported module are.
func TestImported(t *testing.T) {
	for _, name := range []string{"alone", "chained", "normed", "curves", "channels", "margins", "logits"} {
		stored := func(file string) []byte {
			data, err := files.ReadFile("problems/" + name + "/" + file)
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
			t.Errorf("%s: reference.cu is not what the graph makes now:\n%s", name, made["reference.cu"])
		}
		for _, rule := range []string{"\ncoherent = true", "\nscattered = true", "\nfinished = true", "\nexact = false"} {
			has := strings.Contains(string(stored("problem.toml")), rule)
			if want := strings.Contains(string(made["problem.toml"]), rule); has != want {
				t.Errorf("%s: problem.toml has%s: %v, the graph's %v", name, rule, has, want)
			}
		}
	}
}
