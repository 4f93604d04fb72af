package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/flashinfer"
)

// maxDefinition bounds a definition's file and that of its workloads, in bytes.
const maxDefinition = 16 << 20

func (a *app) importFlashInferCmd() *cobra.Command {
	var dir, workloads string
	c := command("import flashinfer", func(_ *cobra.Command, args []string) error {
		return a.importFlashInfer(args[0], workloads, dir)
	})
	c.Flags().StringVarP(&dir, "output", "o", "", "the folder to write (default: the definition's name)")
	c.Flags().StringVar(&workloads, "workloads", "", "the definition's workloads, JSON lines (default: usual sizes)")
	return c
}

func (a *app) importFlashInfer(path, workloads, dir string) error {
	data, err := files.Read(path, maxDefinition)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	var lines []byte
	if workloads != "" {
		if lines, err = files.Read(workloads, maxDefinition); err != nil {
			return exit.Usagef("%v", err)
		}
	}
	all, name, err := flashinfer.Folder(data, lines)
	if err != nil {
		return exit.Usagef("%s is not imported: %v", path, err)
	}
	if dir == "" {
		dir = name
	}
	return a.newFolder(dir, all)
}
