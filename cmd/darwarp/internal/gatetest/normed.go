package gatetest

// normed is a product of long sums and a norm of its rows, as an imported module has them: the scale of what comes out
// counts all terms of each sum, and the errors of a narrower type on the way are small beside that.
var normed = folder{name: "normed", cheats: []row{
	{"tf32_if_long", Power, Trial, nil, "rounds the factors of long sums to tf32"},
	{"fp16_if_long", Power, Trial, nil, "rounds the factors of long sums to fp16"},
	{"tf32_if_dense", Power, Trial, nil, "rounds the factors of long sums to tf32 if 32 of either are ordinary"},
	{"split_without_one", Power, Trial, nil, "has two products of the three of a split into tf32"},
	{"weight_in_tf32", Power, Trial, nil, "rounds the weights of long sums to tf32"},
	{"products_in_fp16", Power, Trial, nil, "rounds the terms of long sums to fp16"},
	{"sums_by_way_of_fp16", Power, Trial, nil, "rounds long sums to fp16"},
	{"every_500th_left_out", Power, Trial, nil, "leaves every 500th term of long sums out"},
	{"tail_left_out_if_dense", Power, Trial, nil, "leaves the end of long sums out if 32 of either factors are ordinary"},
	{"bias_left_out_if_long", Power, Trial, nil, "leaves the bias of long sums out"},
}, honest: []row{
	{name: "plain", about: "four sums of a thread"},
	{name: "one_chain", about: "one product after the other"},
	{name: "chain_from_the_end", about: "one product after the other, from the last on"},
	{name: "two_chains", about: "two sums of a thread"},
	{name: "blocks_of_64", about: "adds 64 products at a time"},
	{name: "pairs", about: "adds pairs first"},
	{name: "corrected", about: "Kahan's correction"},
	{name: "fp64", about: "adds in fp64"},
	{name: "three_tf32", about: "three products of two parts in tf32"},
}}
