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
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "in_double", about: "squares in fp64"},
	{name: "corrected", about: "Kahan's correction"},
	{name: "everyone_alone", about: "each block adds everything"},
	{name: "last_block_adds", about: "the last block adds the parts, by a counter that it leaves at 0"},
	{name: "bits_of_doubles", about: "halves of doubles in scratch"},
	{name: "parts_in_output", about: "the sum stands in the output, whose root a last launch takes"},
}}
