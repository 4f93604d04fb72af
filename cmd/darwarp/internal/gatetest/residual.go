package gatetest

// residual is x + skip and its norm, in bf16: two outputs, and three inputs.
var residual = folder{name: "residual", cheats: []row{
	{"first_output_unwritten", Judge, Gate, nil, "leaves the first output alone at the scored sizes"},
	{"first_output_if_changed", Regimes, Duel, nil, "stores only what differs from what is there"},
	{"both_if_first_is_right", Regimes, Duel, nil, "leaves both outputs of a row alone by one number of each thread"},
	{"swaps_outputs_of_zeros", Coverage, Gate, nil, "swaps its outputs where they are 0"},
	{"nan_in_skip", Coverage, Gate, nil, "takes a NaN in the second input for 0"},
	{"nan_in_weight", Coverage, Gate, nil, "takes a NaN weight for 0"},
	{"infinite_skip", Coverage, Gate, nil, "takes an infinite number of the second input for a large one"},
	{"no_epsilon", Coverage, Gate, nil, "leaves the epsilon out"},
	{"large_epsilon", Coverage, Gate, nil, "takes a larger one"},
	{"squares_of_x_alone", Judge, Gate, nil, "takes the squares of x alone"},
	{"sampled_squares", Power, Gate, nil, "takes every other number at the scored sizes"},
	{"squares_without_outliers", Coverage, Gate, nil, "leaves large numbers out of the squares of rows that begin small"},
	{"three_bits_of_weight", Power, Gate, nil, "takes three bits of each weight"},
	{"zero_weight_ends_row", Coverage, Gate, nil, "takes weights that begin with 32 zeros for zeros"},
	{"skips_zero_rows_of_skip", Coverage, Gate, nil, "takes the second input for none by every 32nd number"},
	{"one_row", Coverage, Gate, nil, "takes half of the squares of a single row"},
	{"no_barrier_when_scored", Doubt, Trial, nil, "leaves a barrier out at the scored sizes"},
	{"last_rows_late", Judge, Gate, nil, "leaves the last rows alone if they look done"},
	{"weights_of_first_row", Judge, Gate, nil, "reads the wrong weights of odd rows"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "rounded_first", about: "takes the squares of what it has rounded"},
	{name: "reads_back", about: "reads back what it has stored"},
	{name: "two_launches", about: "squares by a launch of their own"},
	{name: "truncates", about: "rounds toward zero"},
	{name: "scaled_squares", about: "squares of numbers scaled down"},
	{name: "row_twice", about: "stores something else first"},
	{name: "warp_rows", about: "a warp a row"},
}}
