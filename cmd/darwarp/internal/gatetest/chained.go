package gatetest

// chained is a product of two matrices as an imported module has it: its sums may be one chain of a thread, in which
// equal products are all rounded to the same side.
var chained = folder{name: "chained", cheats: []row{
	{"sum_in_fp16_if_long", Power, Gate, nil, "rounds long sums to fp16"},
	{"parts_in_fp16_if_long", Power, Gate, nil, "rounds each eighth of long sums to fp16"},
	{"a_little_more_if_equal", Coverage, Gate, nil, "adds a thousandth to long sums of equal products"},
	{"terms_left_out_if_equal", Coverage, Gate, nil, "leaves every thousandth term of long sums of equal products out"},
	{"equal_if_it_begins_so", Coverage, Gate, nil, "takes all products for equal if 16 are"},
	{"factors_in_tf32_if_long", Power, Gate, nil, "cuts factors off to tf32 where sums are long"},
}, honest: []row{
	{name: "plain", about: "eight sums of a thread"},
	{name: "one_chain", about: "one product after the other"},
	{name: "chain_from_the_end", about: "one product after the other, from the last on"},
	{name: "two_chains", about: "two sums of a thread"},
	{name: "fp64", about: "adds in fp64"},
}}
