package gatetest

// alone is sums of rows as an imported module has them: a thread may have a row to itself, whose sums of equal numbers
// are all rounded to the same side. No drawn numbers are held to less for it.
var alone = folder{name: "alone", cheats: []row{
	{"adds_in_fp16", Power, Gate, nil, "adds in fp16"},
	{"eight_parts_in_fp16", Power, Gate, nil, "rounds each eighth of the sum to fp16"},
	{"parts_in_fp16", Power, Gate, nil, "rounds 32 parts of the sum to fp16"},
	{"many_parts_in_fp16", Power, Gate, nil, "rounds 256 parts of the sum to fp16"},
	{"many_in_fp16_if_long", Power, Gate, nil, "rounds 256 parts of long rows' sums to fp16"},
	{"parts_in_bf16_if_long", Power, Gate, nil, "rounds 32 parts of long rows' sums to bf16"},
	{"sum_by_way_of_fp16", Power, Gate, nil, "rounds the sum to fp16"},
	{"a_little_more_if_long", Power, Gate, nil, "adds a part in 30,000 to long rows' sums, but not to whole ones"},
	{"terms_left_out_if_long", Power, Gate, nil, "leaves every thousandth term of long rows out, but not whole ones"},
	{"equal_if_it_begins_so", Coverage, Gate, nil, "takes a row for one of equal numbers if 16 are"},
}, honest: []row{
	{name: "plain", about: "the naive start: 32 sums of a thread"},
	{name: "one_chain", about: "one number after the other"},
	{name: "chain_from_the_end", about: "one number after the other, from the last on"},
	{name: "two_chains", about: "two sums of a thread"},
	{name: "four_chains", about: "four sums of a thread"},
	{name: "eight_chains", about: "eight sums of a thread"},
	{name: "pairs", about: "adds pairs first"},
	{name: "kahan", about: "Kahan's correction"},
	{name: "fp64", about: "adds in fp64"},
}}
