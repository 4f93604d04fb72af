package gatetest

// halfrows is softmax of rows in fp16, in parts: heads of rows that begin at any place, parts that are put together,
// and who goes by some of the rows.
var halfrows = folder{name: "halfrows", cheats: []row{
	{"tame_by_every_other", Coverage, Trial, nil, "takes no maximum anywhere if every other row can do without"},
	{"tame_by_seven_of_eight", Coverage, Trial, nil, "the same by seven of eight rows"},
	{"tame_by_seven_eighths", Coverage, Trial, nil, "the same by the first seven eighths of the rows"},
	{"head_has_no_maximum", Coverage, Trial, nil, "leaves what comes before the first whole word out of the maximum"},
	{"end_of_part_has_no_maximum", Coverage, Trial, nil, "leaves the last number of all parts but one out of the maximum"},
	{"two_parts_for_four", Power, Gate, nil, "takes two parts for four where they are alike"},
	{"last_part_if_near", Power, Trial, nil, "leaves the last part out where it is 3 below the first"},
	{"parts_of_row_before", Coverage, Gate, nil, "takes the row before where the first parts are alike"},
	{"constant_by_both_ends", Coverage, Gate, nil, "takes a row for constant by three of its numbers"},
	{"last_row_has_no_maximum", Coverage, Gate, nil, "takes no maximum in the last row"},
	{"last_of_odd_not_in_maximum", Coverage, Trial, nil, "leaves the last number of odd rows out of the maximum"},
	{"parts_in_bf16", Power, Gate, nil, "rounds the sums of parts to bf16"},
	{"subnormal_weights_are_none", Power, Gate, nil, "gives 0 for what fp16 has as a subnormal number"},
	{"infinite_takes_all", Coverage, Gate, nil, "gives 1 to an inf, and 0 to all else"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "by_the_inverse", about: "multiplies by the inverse of the sum"},
	{name: "in_log_space", about: "takes the logarithm of the sum from the exponent"},
	{name: "base_two", about: "powers of two"},
	{name: "near_the_maximum", about: "relative to a number near the maximum"},
	{name: "sums_in_halves", about: "adds weights that are rounded to fp16"},
	{name: "one_pass", about: "one pass with a running maximum"},
	{name: "rounds_by_hand", about: "rounds to fp16 by way of a larger number"},
}}
