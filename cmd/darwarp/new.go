package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/templates"
)

func (a *app) newCmd() *cobra.Command {
	return command("new", func(_ *cobra.Command, args []string) error { return a.newFolder(args[0]) })
}

// newFolder writes the scaffold into a folder that must not exist.
func (a *app) newFolder(dir string) error {
	files, err := templates.Scaffold(filepath.Base(dir))
	if err != nil {
		return exit.Usagef("%v", err)
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrExist) {
		return exit.Usagef("%s exists: choose another name", dir)
	} else if err != nil {
		return exit.Usagef("%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(a.Out, path)
	}
	a.Sayf("\nIt can be searched as it is. Edit it, then:\n  darwarp check %s\n  darwarp search %s", dir, dir)
	return nil
}

func (a *app) checkCmd() *cobra.Command {
	var asJSON bool
	c := command("check", func(_ *cobra.Command, args []string) error { return a.check(asJSON, args[0]) })
	addJSON(c, &asJSON)
	return c
}

func (a *app) check(asJSON bool, dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	if !info.IsDir() {
		return exit.Usagef("%s is a file: expected a problem folder", dir)
	}
	var devices []kernels.Device
	for _, arch := range listedArches {
		d, err := kernels.ArchDevice(arch)
		if err != nil {
			return err
		}
		devices = append(devices, d)
	}
	folder, err := files.OpenFolder(dir)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	defer folder.Close()
	r := templates.Check(folder, devices)
	if asJSON {
		if err := a.PrintJSON(checkedOf(r)); err != nil {
			return err
		}
	} else {
		a.checkText(dir, r)
	}
	if !r.OK() {
		return exit.Quietly(exit.Failed)
	}
	return nil
}

// checked is a report with mistakes as text: errors do not marshal.
type checked struct {
	templates.Report
	OK       bool     `json:"ok"`
	Mistakes []string `json:"mistakes,omitempty"`
}

func checkedOf(r templates.Report) checked {
	c := checked{Report: r, OK: r.OK()}
	for _, m := range r.Mistakes {
		c.Mistakes = append(c.Mistakes, m.Error())
	}
	return c
}

func (a *app) checkText(dir string, r templates.Report) {
	if len(r.Mistakes) > 0 {
		a.Printf("%s\n\n%s in %s.\n", session.InFolder(dir, r.Mistakes),
			report.Quantity(len(r.Mistakes), "mistake"), dir)
		return
	}
	t := report.NewTable("lllrrl", "family", "arch", "dtype", "points", "tried", "")
	for _, f := range r.Families {
		for _, s := range f.Spaces {
			t.Row(f.Name, s.Arch, s.DType, report.Count(s.Points), s.Tried, verdictOf(s))
		}
	}
	t.Write(a.Out)
	for _, f := range r.Families {
		a.checkDetails(f)
	}
	if r.OK() {
		a.Sayf("\nNo mistake found. Next: darwarp search %s", dir)
	}
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

func (a *app) checkDetails(f templates.FamilyReport) {
	say := func(where, what string) { a.Printf("\n%s: %s\n", where, console.Lines(what)) }
	for _, s := range f.Spaces {
		where := fmt.Sprintf("%s on %s, %s", f.Name, s.Arch, s.DType)
		for _, what := range append([]string{s.Empty, s.Illegal}, s.Failed...) {
			if what != "" {
				say(where, what)
			}
		}
	}
	for _, w := range f.Warnings {
		say(f.Name, "warning: "+w)
	}
}
