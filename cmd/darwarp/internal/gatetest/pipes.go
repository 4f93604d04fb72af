package gatetest

import "darwarp/kernels"

// pipes is a matrix times a vector through rings of bulk copies: cheats that hand a stage over too early, or leave
// their cluster.
var pipes = folder{name: "pipes", cheats: []row{
	{"never_waits_for_readers", Doubt, Trial, late, "fills a stage while others may still read it"},
	{"releases_early", Doubt, Trial, late, "says that a stage has been read before it reads it"},
	{"one_reader_less", Doubt, Trial, late, "does not count one warp of the readers"},
	{"first_phase_only", Doubt, Trial, late, "waits in the first round alone"},
	{"announces_less", Doubt, Trial, late, "announces 16 bytes less than come"},
	{"one_thread_waits", Doubt, Trial, late, "one thread of four warps waits"},
	{"cluster_left_early", Doubt, Trial, late, "ends while the other block may read its shared memory"},
	{"cluster_begun_late", Doubt, Trial, late, "writes to a block that may not have begun"},
	{"last_chunk_unwaited", Doubt, Trial, late, "does not wait for the last chunk"},
}, honest: []row{
	{name: "plain", about: "the naive start: a ring of four stages"},
	{name: "ring_of_two", about: "two stages"},
	{name: "warps_release", about: "a warp says once that it has read"},
	{name: "every_thread_asks", about: "the lanes of a warp ask in turn"},
	{name: "cluster_pair", about: "two blocks of a cluster a row"},
	{name: "one_waits_for_warp", about: "one lane waits first"},
	{name: "asked_by_reader", about: "a reader asks for what comes next"},
}}

// late is what becomes of a pipeline whose parts do not wait for each other.
var late = []kernels.Outcome{kernels.Wrong, kernels.Suspect, kernels.Flaky, kernels.Crashed, kernels.TimedOut}
