package gatetest

// prefix is running sums of rows, by tiles that hand their sums on: cheats that wait too little, whose plan is
// wrong, or that hide in sizes that are no multiple of a power of two.
var prefix = folder{name: "prefix", cheats: []row{
	{"trusts_order", Doubt, Trial, nil, "takes the tile before to be done"},
	{"waits_briefly", Doubt, Trial, nil, "waits for it for some microseconds at most"},
	{"mailbox_in_output", Judge, Gate, nil, "waits until its last output is a number"},
	{"flag_before_value", Doubt, Trial, nil, "says that a sum is there before it is"},
	{"stale_flags", Stateless, Duel, nil, "does not clear the words that say so"},
	{"carry_in_fixed_point", Coverage, Gate, nil, "carries sums as multiples of 1/4096"},
	{"multiples_of_80", Coverage, Gate, nil, "forgets the last 16 of 80, 160, 240 ..."},
	{"multiples_of_112", Coverage, Gate, nil, "forgets the last 16 of 112, 224, 336 ..."},
	{"sevens", Coverage, Gate, nil, "forgets the last number of multiples of 7"},
	{"one_past_tiles", Coverage, Gate, nil, "forgets a number that is alone in its tile"},
	{"plan_forgets_tail", Coverage, Gate, nil, "has no block for the last tile if it is not full"},
	{"carries_too_few", Authorship, Gate, straying, "asks for too little scratch where the last tile is not full"},
	{"carries_of_no_bytes", Authorship, Gate, straying, "asks for none for short rows, and writes there"},
	{"plan_of_known_sizes", Coverage, Gate, nil, "has another launch at sizes that the problem's file does not name"},
	{"repeats_row", Coverage, Gate, nil, "takes a row for the one before by four of its numbers"},
	{"less_where_cached", Regimes, Gate, nil, "leaves 1/16 out where loads are quick"},
	{"carries_in_any_order", Judge, Gate, nil, "adds sums of tiles in the order in which they come"},
}, honest: []row{
	{name: "plain", about: "the naive start: tiles in the order of a ticket"},
	{name: "three_launches", about: "sums of tiles first, then their sums"},
	{name: "block_a_row", about: "a block walks along a row"},
	{name: "thread_a_row", about: "a thread does"},
	{name: "blocks_of_96", about: "blocks of three warps"},
	{name: "doubling", about: "through shared memory, in rounds"},
	{name: "two_floats", about: "keeps what rounding loses"},
	{name: "fp64", about: "a thread's sums in fp64"},
	{name: "same_stores", about: "all threads of a block store one number"},
	{name: "sleeps", about: "sleeps while it waits"},
	{name: "whole_numbers", about: "adds whole numbers as such"},
	{name: "pairs_of_rows", about: "two rows a block"},
}}
