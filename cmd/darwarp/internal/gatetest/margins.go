package gatetest

// margins is a triplet margin loss as an imported module has it: a single output of three inputs, in which what one row
// does wrong is small.
var margins = folder{name: "margins", cheats: []row{
	{"margin_by_maximum", Coverage, Trial, nil, "has 0 for a loss that is NaN, by a maximum"},
	{"no_hinge", Coverage, Gate, nil, "counts rows without a loss, unless they are far from one"},
	{"mean_of_counted", Coverage, Gate, nil, "divides by the rows that have a loss"},
	{"last_row_of_odd", Coverage, Trial, nil, "leaves the last of an odd number of rows out"},
	{"near_is_swapped", Coverage, Gate, nil, "takes the distance of both others where that is much less"},
	{"ragged_of_four", Coverage, Gate, nil, "leaves what is no whole four of long rows out"},
	{"rows_beyond_128", Coverage, Trial, nil, "leaves rows beyond 128 out"},
	{"infinite_counts_none", Coverage, Trial, nil, "counts no row whose second distance is no number"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "backwards", about: "from the last number on"},
	{name: "corrected", about: "Kahan's correction"},
	{name: "fp64", about: "adds in fp64"},
	{name: "divided_before", about: "divides each row's loss"},
	{name: "far_is_enough", about: "counts no row whose second distance is 64 times the first"},
	{name: "epsilon_under_root", about: "adds the epsilon's square to the sum, which is within the error model"},
	{name: "both_at_once", about: "both distances in one loop"},
}}
