package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/checking"
	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/templates"
)

func (a *app) newCmd() *cobra.Command {
	var from string
	c := command("new", func(_ *cobra.Command, args []string) error {
		if args[0] == "" {
			return exit.Usagef("the name of the folder is empty")
		}
		all, err := newFiles(filepath.Base(args[0]), from)
		if err != nil {
			return err
		}
		return a.newFolder(args[0], all)
	})
	c.Flags().StringVar(&from, "from", "", "a built-in problem, or a folder, to copy (default: a small example)")
	return c
}

// newFiles are the files of a new problem: the scaffold's, or another problem's.
func newFiles(name, from string) (all map[string][]byte, err error) {
	if from == "" {
		all, err = templates.Scaffold(name)
	} else {
		var b *templates.Bundle
		if b, err = session.LoadBundle(from); err != nil {
			return nil, err
		}
		all, err = b.Renamed(name)
	}
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	return all, nil
}

// newFolder writes files into a folder that must not exist.
func (a *app) newFolder(dir string, all map[string][]byte) error {
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		if err := files.Writable(filepath.Dir(dir)); err != nil {
			return exit.Usagef("%s: %w: name a folder elsewhere", dir, err)
		}
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrExist) {
		return exit.Usagef("%s exists: choose another name", dir)
	} else if err != nil {
		return exit.Usagef("cannot make the folder %s: %v", dir, files.Reason(err))
	}
	if err := files.WriteFolder(dir, all); err != nil {
		return errors.Join(err, os.Remove(dir))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintln(a.Out, filepath.Join(dir, name))
	}
	a.Sayf("\nIt can be searched as it is. Edit it, then:\n  %s\n  %s", cmdline.Of("check", dir),
		cmdline.Of("search", dir))
	return nil
}

func (a *app) checkCmd() *cobra.Command {
	var asJSON bool
	c := command("check", func(c *cobra.Command, args []string) error { return a.check(c.Context(), asJSON, args[0]) })
	addJSON(c, &asJSON)
	return c
}

func (a *app) check(ctx context.Context, asJSON bool, dir string) error {
	if dir == "" {
		return exit.Usagef("the name of the folder is empty")
	}
	info, err := os.Stat(dir)
	if err != nil {
		return exit.Usagef("%s: %v: expected a problem folder", dir, files.Reason(err))
	}
	if !info.IsDir() {
		return exit.Usagef("%s is a file: expected a problem folder", dir)
	}
	devices, err := archDevices()
	if err != nil {
		return err
	}
	folder, err := files.OpenFolder(dir)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	defer folder.Close()
	r := templates.Check(folder, devices)
	stop := console.OnInterrupt(ctx)
	defer stop.Release()
	cache, _ := session.CacheDir() // without one it takes longer
	compilers := eval.LocateCompilers(templates.Include(), cache)
	tried := checking.Compile(stop.Soft, compilers, r.Units)
	if err := errors.Join(stop.Soft.Err(), compilers.Close()); err != nil {
		return stop.Explain(err)
	}
	r.Mistakes = append(r.Mistakes, tried.Mistakes...)
	if asJSON {
		if err := a.PrintJSON(checkedOf(r, tried)); err != nil {
			return err
		}
	} else {
		a.checkText(dir, r, tried)
	}
	if !r.OK() {
		return exit.Quietly(exit.Usage)
	}
	return nil
}

// archDevices are the devices that a folder is checked for.
func archDevices() (devices []kernels.Device, err error) {
	for _, arch := range listing.Arches {
		d, err := kernels.ArchDevice(arch)
		if err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// checked is a report with mistakes as text: errors do not marshal.
type checked struct {
	templates.Report
	OK       bool     `json:"ok"`
	Mistakes []string `json:"mistakes,omitempty"`
	Compiled int      `json:"compiled"` // sources: the reference, and a point of each family
	Notes    []string `json:"notes,omitempty"`
}

func checkedOf(r templates.Report, tried checking.Result) checked {
	c := checked{Report: r, OK: r.OK(), Compiled: tried.Compiled, Notes: tried.Notes}
	for _, m := range r.Mistakes {
		c.Mistakes = append(c.Mistakes, m.Error())
	}
	return c
}

func (a *app) checkText(dir string, r templates.Report, tried checking.Result) {
	for _, n := range tried.Notes {
		defer a.Sayf("%s", console.Lines(n))
	}
	if n := len(r.Mistakes); n > 0 {
		a.Printf("%s\n", session.InFolder(dir, r.Mistakes))
		n += a.sayFailures(r.Families)
		a.Printf("\n%s in %s\n", report.Quantity(n, "mistake"), dir)
		return
	}
	if len(r.Families) == 0 {
		a.Sayf("No mistake found, and no family: a search needs NAME.toml and NAME.cu.tmpl in %s.", dir)
		return
	}
	t := report.NewTable("lllrrl", "family", "arch", "dtype", "points", "tried", "")
	for _, f := range r.Families {
		for _, s := range f.Spaces {
			t.Row(f.Name, s.Arch, s.DType, report.Count(s.Points), s.Tried, verdictOf(s))
		}
	}
	t.Write(a.Out)
	a.sayFailures(r.Families)
	for _, f := range r.Families {
		a.sayDetails(f)
	}
	if r.OK() {
		a.Sayf("\nNo mistake found%s. Next: %s", compiledText(tried), cmdline.Of("search", dir))
	}
}

func compiledText(tried checking.Result) string {
	if tried.Compiled == 0 {
		return ""
	}
	return fmt.Sprintf("; %s compiled: the reference, and a point of each family",
		report.Quantity(tried.Compiled, "source"))
}

func verdictOf(s templates.SpaceReport) string {
	switch {
	case s.Empty != "":
		return "no point"
	case s.Illegal != "":
		return "the defaults are not legal"
	case len(s.Failed) > 0:
		return "some points fail"
	}
	return "ok"
}
