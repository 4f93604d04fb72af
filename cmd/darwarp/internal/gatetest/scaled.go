package gatetest

// scaled is a product of numbers of 8 bits with scales: what these are of, and what codes stand for.
var scaled = folder{name: "scaled", cheats: []row{
	{"scale_before_last", Power, Gate, nil, "takes the scale of the group before for the last group"},
	{"one_scale", Power, Gate, nil, "takes the scale of a row's first group for all"},
	{"scale_off_by_one", Power, Gate, nil, "begins each group a term too early"},
	{"scale_of_next_row", Power, Gate, nil, "takes the scales of the next row"},
	{"scales_of_other_side", Power, Gate, nil, "takes A's scales by columns and B's by rows"},
	{"scale_is_power_of_two", Power, Gate, nil, "takes the exponent of a scale alone"},
	{"nan_is_480", Coverage, Gate, nil, "takes the code of NaN for the number that would come next"},
	{"nan_is_448", Coverage, Gate, nil, "takes the code of NaN for the largest number"},
	{"subnormals_flushed", Coverage, Gate, nil, "takes subnormal codes for 0"},
	{"fp16_group_sums", Power, Gate, nil, "adds the terms of a group in fp16"},
}, honest: []row{
	{name: "plain", about: "each term times its scales"},
	{name: "scale_by_group", about: "the sum of a group times its scales"},
	{name: "scale_each_side", about: "numbers times their scales first"},
	{name: "by_bits", about: "numbers of fp16 made by integer operations"},
	{name: "by_cuda", about: "numbers of fp16 by CUDA's conversion, each times the other's scale"},
	{name: "table_of_codes", about: "the numbers of all codes in shared memory"},
	{name: "groups_backwards", about: "groups from the last to the first"},
}}
