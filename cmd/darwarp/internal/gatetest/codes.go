package gatetest

// codes is a product with weights of four bits: which half of a byte, which group, and what a code is less.
var codes = folder{name: "codes", cheats: []row{
	{"zero_ignored", Power, Gate, nil, "takes codes as they are"},
	{"zero_is_eight", Power, Gate, nil, "takes 8 for every zero point"},
	{"zero_before_last", Power, Gate, nil, "takes the zero point of the group before for the last group"},
	{"zero_of_next_row", Power, Gate, nil, "takes the zero points of the next row"},
	{"group_off_by_one", Power, Gate, nil, "begins each group a term too early"},
	{"group_scale_before_last", Power, Gate, nil, "takes the scale of the group before for the last group"},
	{"group_scale_of_next_row", Power, Gate, nil, "takes the scales of the next row"},
	{"code_is_signed", Judge, Gate, nil, "takes codes from 8 on for negative ones"},
	{"halves_swapped", Judge, Gate, nil, "takes the upper half of a byte for the lower one"},
	{"last_byte_one_code", Power, Gate, nil, "takes the last code of a row for 0"},
	{"code_at_most_14", Coverage, Gate, nil, "takes 15 for 14"},
	{"scale_without_mantissa", Power, Gate, nil, "takes the exponent of a scale alone"},
}, honest: []row{
	{name: "plain", about: "each term by itself, in fp32"},
	{name: "rounded_weights", about: "weights rounded to 16 bits"},
	{name: "magic_numbers", about: "weights by the bits of 1024 and a subtraction"},
	{name: "scale_by_group", about: "the sum of a group times its scale"},
	{name: "zero_by_group", about: "the zero point times the sum of a group's numbers, in the end"},
	{name: "upper_codes_first", about: "odd terms before even ones"},
}}
