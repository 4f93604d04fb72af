package gatetest

// stats is mean, largest number and its place in long rows: three outputs, one of them of ints, and scratch of each
// kind.
var stats = folder{name: "stats", cheats: []row{
	{"peak_from_zero", Coverage, Gate, nil, "begins the maximum at 0"},
	{"last_of_equals", Judge, Gate, nil, "gives the last place of equal numbers"},
	{"place_if_changed", Regimes, Gate, nil, "leaves a place alone that holds the right number"},
	{"keeps_sums_in_cleared_scratch", Stateless, Gate, nil, "leaves sums in scratch that is cleared once"},
	{"counter_left", Stateless, Gate, nil, "leaves a counter there"},
	{"peak_of_float16", Power, Gate, nil, "compares numbers rounded to fp16"},
	{"mean_of_sixteenths", Power, Gate, nil, "takes the mean of every sixteenth number"},
	{"peak_of_strided", Coverage, Gate, nil, "takes the largest of every other number of long rows"},
	{"races_for_place", Doubt, Trial, nil, "whoever has the largest number stores its place"},
	{"trusts_partial", Stateless, Trial, nil, "takes the sum that scratch holds if a sample says so"},
	{"mean_without_outliers", Coverage, Gate, nil, "leaves large numbers out of means of rows that begin small"},
	{"half_of_short_rows", Coverage, Gate, nil, "looks at half of rows below 16"},
	{"cols_above_65536_not_scored", Coverage, Gate, nil, "leaves 1/16 out of rows above 65,536 that are not scored"},
	{"zeros_by_their_bits", Coverage, Gate, nil, "takes -0 for less than 0"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "block_a_row", about: "a block a row"},
	{name: "two_passes", about: "the place by a second pass from the end"},
	{name: "last_block", about: "the last block writes the outputs"},
	{name: "place_as_float", about: "a place by way of a float"},
	{name: "by_warps", about: "an atomic maximum for each warp"},
}}
