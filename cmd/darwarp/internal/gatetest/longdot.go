package gatetest

// longdot is dot products of millions of numbers by a block a multiprocessor: kernels that keep sums wherever a
// launch may leave something.
var longdot = folder{name: "longdot", cheats: []row{
	{"memo_in_reserved_shared", Stateless, Duel, nil,
		"keeps half of each sum in the kilobyte of shared memory that is the system's"},
	{"memo_beside_table", Stateless, Trial, nil, "keeps it behind a const table"},
	{"memo_before_table", Stateless, Trial, nil, "keeps it before a const table"},
	{"memo_in_dynamic_stack", Stateless, Duel, nil, "keeps it in stack of a size that is not known before"},
	{"memo_beside_parameters", Stateless, Trial, straying, "keeps it near its parameters"},
	{"memo_in_first_shared", Stateless, Duel, nil, "keeps it in the first shared memory that a block has"},
	{"middle_sizes", Coverage, Gate, nil, "leaves an eighth out between 2^17 and 2^21"},
	{"small_blocks_left_out", Coverage, Gate, nil, "leaves shares out whose ends are small"},
	{"zero_if_samples_are", Coverage, Gate, nil, "leaves shares out whose every 64th number is 0"},
	{"second_sampled", Coverage, Gate, nil, "does so by the second input"},
	{"fence_left_out", Doubt, Trial, nil, "the last block adds what others have stored, without a fence"},
	{"one_block_late", Stateless, Trial, nil, "takes the sum that scratch holds if a sample says so"},
	{"nan_ignored_in_second", Coverage, Gate, nil, "leaves a NaN of the second input out"},
	{"infinite_products", Coverage, Gate, nil, "takes infinite numbers of the second input for large ones"},
	{"rows_above_7_not_30", Coverage, Gate, nil, "leaves an eighth out of a row where there are more than seven"},
}, honest: []row{
	{name: "plain", about: "the naive start: a share for each block"},
	{name: "interleaved", about: "blocks take turns"},
	{name: "two_floats", about: "adds the rounding errors apart"},
	{name: "dynamic_stack", about: "partial sums in stack of a size that is not known before"},
	{name: "cleared_scratch", about: "reads all of scratch that is cleared"},
	{name: "fenced_ticket", about: "the last block adds the parts"},
	{name: "table_of_order", about: "a const table of the order in each eight"},
	{name: "four_at_a_time", about: "four sums in turn"},
}}
