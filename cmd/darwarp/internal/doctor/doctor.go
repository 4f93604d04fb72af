// Package doctor looks at what a machine has for a search: devices, compilers, folders, fences, servers of models.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/replay"
	"darwarp/templates"
)

// finding is one line of the doctor.
type finding struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Needed bool     `json:"needed"` // for searching on a GPU
	Detail string   `json:"detail"`
	Do     string   `json:"do,omitempty"`
	Tried  []string `json:"tried,omitempty"`
}

// mark tells what is missing for a search on a GPU from what is only absent.
func (f finding) mark() string {
	switch {
	case f.OK:
		return "ok"
	case f.Needed:
		return "missing"
	}
	return "absent"
}

// diagnosis is all findings, with what a search would run on.
type diagnosis struct {
	Findings []finding `json:"findings"`
	Device   string    `json:"device,omitempty"` // what --device auto takes; empty: nothing works
	Why      string    `json:"why"`
}

// Diagnose looks at the machine. CUDA is only touched by worker processes.
func Diagnose(ctx context.Context, c *console.Console) diagnosis {
	where := env.Locate()
	var d diagnosis
	gpu, each := lookAtGPUs(ctx, where)
	d.Findings = append(d.Findings, gpu)
	for _, f := range []env.Found{where.Driver, where.NVRTC, where.Headers, where.BLASLt, where.NVML} {
		d.Findings = append(d.Findings, fromFound(f))
	}
	for _, i := range []int{1, 2, 3} {
		d.Findings[i].Needed = true
	}
	d.Findings = append(d.Findings, each...)
	d.Findings = append(d.Findings, tryCPU(ctx, where),
		findTool(ctx, finding{Name: "nvcc", Detail: "it builds exported benches; searching does not need it",
			Do: "Install the CUDA toolkit for that"}, "nvcc", "/usr/local/cuda/bin/nvcc"))
	d.Findings = append(d.Findings, folders()...)
	d.Findings = append(d.Findings, fences()...)
	d.Findings = append(d.Findings, terminal(c))
	d.Device, d.Why = autoDevice(d.Findings)
	return d
}

func fromFound(f env.Found) finding {
	out := finding{Name: f.Name, OK: f.Path != "", Detail: f.Path}
	if !out.OK {
		out.Detail, out.Do, out.Tried = f.Why, f.Do, f.Tried
	}
	return out
}

// tryCPU has the C++ compiler build and run a kernel, as the cpu device does.
func tryCPU(ctx context.Context, where env.Location) finding {
	f := fromFound(where.CXX)
	if !f.OK {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	toolchain, err := eval.TryCPU(ctx, where, templates.Include())
	if folder := new(env.Error); errors.As(err, &folder) {
		f.OK, f.Do = false, "Repair "+folder.What+", then ask again"
		f.Detail = fmt.Sprintf("%s was not tried: %s %s: %s", where.CXX.Path, folder.What, folder.Fault, folder.Why)
		return f
	}
	if err != nil {
		f.OK, f.Do = false, where.CXX.Do
		f.Detail = where.CXX.Path + " cannot serve the cpu device: " + report.FirstLine(err.Error())
		return f
	}
	f.Detail = fmt.Sprintf("%s, %s: a kernel compiled and ran", where.CXX.Path, toolchain)
	return f
}

// findTool runs the first of the programs that exists with --version; f is the finding without one.
func findTool(ctx context.Context, f finding, programs ...string) finding {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, p := range programs {
		path, err := exec.LookPath(p)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			continue
		}
		f.OK, f.Do, f.Detail = true, "", path+", "+versionLine(string(out))
		return f
	}
	return f
}

// versionLine is the line of a program's --version that has the number: nvcc's is not the first.
func versionLine(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "release") {
			return strings.TrimSpace(line)
		}
	}
	return report.FirstLine(out)
}

func folders() []finding {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	out := []finding{folder("current folder", dir, "Runs are written here unless --store names another place"),
		folder("temporary folder", os.TempDir(), "Compilers work here, or where TMPDIR says")}
	out = append(out, cacheFolder())
	if state, err := registry.Dir(); err != nil {
		out = append(out, finding{Name: "state folder", Detail: err.Error(),
			Do: "Runs are listed where XDG_STATE_HOME says, or below HOME"})
	} else {
		out = append(out, folder("state folder", state, "Runs are listed here, or where XDG_STATE_HOME says"))
	}
	return out
}

// autoDevice says what --device auto takes, and why.
func autoDevice(fs []finding) (device, why string) {
	missing, compiles := "", false
	for _, f := range fs {
		if f.Needed && !f.OK && missing == "" {
			missing = f.Name + " is missing"
		}
		compiles = compiles || f.Name == cxxFinding && f.OK
	}
	switch {
	case missing == "":
		return "cuda", "GPU, driver, NVRTC and headers are here"
	case compiles:
		return "cpu", missing + "; a C++ compiler is here, and times are CPU times"
	case len(replay.ShippedNames()) == 0:
		return "", missing + ", a working C++ compiler is missing too, and there is no built-in recording"
	}
	return "replay", fmt.Sprintf("%s, and so is a working C++ compiler; there are built-in recordings of %s", missing,
		strings.Join(replay.ShippedNames(), ", "))
}

// cxxFinding is the finding that the cpu device stands on.
const cxxFinding = "C++ compiler"

// terminal says what can be drawn on.
func terminal(c *console.Console) finding {
	f := finding{Name: "terminal", OK: true}
	switch {
	case !console.IsTerminal(c.Err):
		f.Detail = "none: searches print a line every 10 s"
	case !console.UseColour(c.Err):
		f.Detail = fmt.Sprintf("%d columns, no colours", console.Width(c.Err))
	default:
		f.Detail = fmt.Sprintf("%d columns, colours", console.Width(c.Err))
	}
	return f
}

// Text is a diagnosis for people.
func (d diagnosis) Text(w io.Writer) {
	t := report.Table{}
	for _, f := range d.Findings {
		t.Row(f.mark(), f.Name, f.Detail)
	}
	t.Write(w)
	for _, f := range d.Findings {
		if f.OK {
			continue
		}
		fmt.Fprintf(w, "\n%s is %s. %s.\n", f.Name, f.mark(), strings.TrimSuffix(f.Do, "."))
		if len(f.Tried) > 0 {
			fmt.Fprintf(w, "  looked in\n    %s\n", strings.Join(f.Tried, "\n    "))
		}
	}
	if d.Device == "" {
		fmt.Fprintf(w, "\nNo search can run here: %s.\n", d.Why)
		return
	}
	fmt.Fprintf(w, "\n--device auto takes %s: %s.\n", d.Device, d.Why)
}
