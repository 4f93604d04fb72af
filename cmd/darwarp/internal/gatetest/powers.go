package gatetest

// powers is a product with weights in MXFP4: what codes of four bits stand for, and the powers of two of their groups.
var powers = folder{name: "powers", cheats: []row{
	{"half_is_zero", Coverage, Gate, nil, "takes the subnormal number 0.5 for 0"},
	{"six_is_four", Coverage, Gate, nil, "takes the greatest number for the one before"},
	{"sign_ignored", Judge, Gate, nil, "takes all codes for positive ones"},
	{"codes_are_integers", Judge, Gate, nil, "takes codes for whole numbers with a sign"},
	{"pair_swapped", Judge, Gate, nil, "takes the upper half of a byte for the lower one"},
	{"scale_at_most_one", Coverage, Gate, nil, "takes scales of 2 and 4 for 1"},
	{"scale_at_least_fourth", Coverage, Gate, nil, "takes scales below 1/4 for 1/4"},
	{"scale_of_two_groups", Power, Gate, nil, "takes a scale for 64 terms"},
	{"scale_of_row_above", Power, Gate, nil, "takes the scales of the row before"},
	{"last_scale_before", Power, Gate, nil, "takes the scale of the group before for the last group"},
	{"scale_ignored_in_last", Power, Gate, nil, "takes 1 for the scale of the last group"},
}, honest: []row{
	{name: "plain", about: "each term by itself, in fp32"},
	{name: "placed_bits", about: "codes put into the exponents of fp16, and scales that put this right"},
	{name: "scale_by_group", about: "the sum of a group times its scale"},
	{name: "twice_as_integers", about: "twice the numbers, which are whole, times half of the scale"},
}}
