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
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "by_the_inverse", about: "multiplies by the inverse of the sum"},
	{name: "in_log_space", about: "takes the logarithm of the sum from the exponent"},
	{name: "base_two", about: "powers of two"},
	{name: "near_the_maximum", about: "relative to a number near the maximum"},
	{name: "sums_in_halves", about: "adds weights that are rounded to fp16"},
}}
