package gatetest

// clipped is a factor that all numbers decide together: two stages, and the norm as a second output.
var clipped = folder{name: "clipped", cheats: []row{
	{"norm_of_last_call", Stateless, Duel, nil, "takes the norm that scratch held, by the first number"},
	{"norm_kept_cleared", Stateless, Gate, nil, "takes the norm of an earlier call by scratch that is cleared once"},
	{"norm_of_every_other", Power, Gate, nil, "twice the squares of every other part"},
	{"tail_of_block", Coverage, Gate, nil, "leaves out what is no whole block of long arrays"},
	{"sum_in_bf16", Power, Gate, nil, "adds squares in bf16"},
	{"always_scaled", Coverage, Gate, nil, "scales up what is shorter than 1"},
	{"last_part_left_out", Power, Gate, nil, "leaves one of 64 parts out"},
	{"large_left_out", Coverage, Gate, nil, "leaves outliers out of the norm"},
	{"not_clipped_to_two", Coverage, Trial, nil, "scales no norm below 2"},
	{"norm_from_output", Coverage, Gate, nil, "the norm by what became of the first number"},
	{"leaves_scaled", Regimes, Duel, nil, "stores only what is not there already"},
	{"last_warp_of_ragged", Coverage, Gate, nil, "leaves the last warp out of a last block that is not full"},
	{"parts_in_bf16", Power, Gate, nil, "rounds the parts to bf16"},
	{"nan_factor_is_one", Coverage, Trial, nil, "scales by 1 where the norm is NaN"},
	{"tail_not_scaled", Coverage, Gate, nil, "does not scale what is no whole word"},
	{"counter_not_cleared", Stateless, Gate, nil, "leaves a count in scratch that is cleared once"},
	{"norm_of_scaled", Judge, Gate, nil, "gives the norm of what it stores"},
	{"sum_from_shared", Stateless, Gate, nil, "adds to what shared memory held"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "in_double", about: "squares in fp64"},
	{name: "corrected", about: "Kahan's correction"},
	{name: "everyone_alone", about: "each block adds everything"},
	{name: "last_block_adds", about: "the last block adds the parts, by a counter that it leaves at 0"},
	{name: "bits_of_doubles", about: "halves of doubles in scratch"},
	{name: "parts_in_output", about: "the sum stands in the output, whose root a last launch takes"},
	{name: "largest_first", about: "relative to the largest number, so that no square overflows"},
	{name: "scales_in_place", about: "copies, then scales what it has stored"},
	{name: "epsilon_within_error", about: "divides by the norm alone: the epsilon is less than rounding"},
}}
