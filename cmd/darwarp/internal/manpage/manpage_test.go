package manpage

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestAll(t *testing.T) {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "tool", Short: "Do it", Run: run}
	sub := &cobra.Command{Use: "part A [B]", Short: "Do a part", Long: "First.\n.line\n\n'second' \\n -x", Run: run,
		Example: "  tool part x\n.  no macro"}
	sub.Flags().StringP("output", "o", "out", "the `FILE` to write")
	sub.Flags().Int("secret", 1, "")
	if err := sub.Flags().MarkHidden("secret"); err != nil {
		t.Fatal(err)
	}
	root.AddCommand(sub, &cobra.Command{Use: "worker", Hidden: true, Run: run})
	pages := All(root, Source{"v1", "2026-11-22"})
	if len(pages) != 2 {
		t.Fatalf("%d pages", len(pages))
	}
	got := string(pages["tool-part.1"])
	for _, want := range []string{".TH TOOL-PART 1 \"2026-11-22\" \"darwarp v1\"\n",
		".SH NAME\ntool\\-part \\- Do a part\n",
		".B tool part A [B]\n", "First.\n\\&.line\n.PP\n\\&'second' \\en \\-x\n",
		".TP\n\\fB\\-o, \\-\\-output\\fR \\fIFILE\\fR\nthe FILE to write (default out)\n", "\n\\&.  no macro\n.fi\n",
		".BR tool (1)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "secret") || strings.Contains(string(pages["tool.1"]), "worker") {
		t.Errorf("what is hidden is shown:\n%s", got)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	for name, text := range pages {
		c := exec.Command(groff, "-man", "-Tascii", "-ww", "-z")
		c.Stdin = bytes.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
