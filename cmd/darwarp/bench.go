package main

import "github.com/spf13/cobra"

func (a *app) benchCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Record and convert spaces, score strategies on recordings, measure throughput, compare devices",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.benchAgreeCmd(), a.benchRecordCmd(), a.benchSearchCmd(), a.benchConvertCmd(), a.benchSpaceCmd(), a.benchThroughputCmd(), a.benchSoakCmd(), a.benchAACmd(), a.benchLLMCmd())
	return c
}
