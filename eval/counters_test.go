package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
)

// fakeNCU writes an ncu into PATH that writes a report, or complains.
func fakeNCU(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	body := "#!/bin/sh\nwhile [ \"$1\" != --log-file ]; do shift; done\nout=$2\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ncu"), []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

const ncuReport = `==PROF== Connected to process 1 (/usr/bin/darwarp)
==PROF== Disconnected from process 1
"ID","Process ID","Kernel Name","gpu__time_duration.sum","dram__bytes.sum","l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
"","","","ns","byte",""
"0","1","good","12,345","1,048,576","0"
"1","1","fast","9,000","1,048,576","n/a"
`

func TestCounters(t *testing.T) {
	pool := fakePool(t)
	good, fast := fakeJob(t, pool, "good"), fakeJob(t, pool, "fast")
	jobs := []*kernels.Job{good, fast}
	write := func(text string) string { return fmt.Sprintf("cat > \"$out\" <<'END'\n%sEND", text) }
	for _, c := range []struct{ name, script, why string }{
		{"a report", write(ncuReport), ""},
		{"not permitted", write("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n") + "\nexit 1",
			"ncu: not permitted (the driver gives counters to the administrator only: ERR_NVGPUCTRPERM)"},
		{"another error", write("==ERROR== Failed to find metric x\nmore\n") + "\nexit 1", "ncu: Failed to find metric x"},
		{"dies", "exit 3", "ncu: exit status 3"},
		{"nothing", write("==PROF== Connected\n"), "ncu: it profiled nothing"},
		{"too few", write(strings.Replace(ncuReport, "\"1\",\"1\",\"fast\",\"9,000\",\"1,048,576\",\"n/a\"\n", "", 1)),
			"ncu: it profiled 1 launches, more were made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeNCU(t, c.script)
			found, why, err := pool.Counters(context.Background(), jobs)
			if err != nil || why != c.why {
				t.Fatalf("%q, %v: expected %q", why, err, c.why)
			}
			if c.why != "" {
				return
			}
			got := found[good.ID]
			if len(got) != 1 || got[0].Workload != "4096" || got[0].Values["gpu__time_duration.sum"] != 12345 ||
				got[0].Values["dram__bytes.sum"] != 1<<20 {
				t.Errorf("%+v", found)
			}
			if _, ok := found[fast.ID][0].Values["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]; ok {
				t.Error("n/a became a number")
			}
		})
	}
}
