package gatetest

// lse is the logarithm of a sum of exponentials along the middle axis: what it is of nothing.
var lse = folder{name: "lse", cheats: []row{
	{"least_of_nothing", Coverage, Gate, nil, "gives the least finite number for more than eight times -inf"},
	{"nan_is_left_out", Coverage, Gate, nil, "leaves a NaN out"},
	{"maximum_from_minus_100", Coverage, Gate, nil, "begins the maximum at -100"},
	{"top_if_far_from_second", Power, Gate, nil, "takes two numbers for all where one is far above"},
	{"sum_of_even_if_long", Power, Gate, nil, "takes every other number of more than 64"},
	{"maximum_of_row", Coverage, Gate, nil, "takes one maximum for 32 columns"},
	{"top_and_count", Coverage, Gate, nil, "rounds the sum where two numbers are the greatest"},
	{"floor_of_minus_80", Coverage, Gate, nil, "takes numbers below -80 for it"},
	{"in_bf16_steps", Power, Gate, nil, "adds in bf16"},
	{"next_column_at_end", Coverage, Gate, nil, "takes the last column for the one before, of even ones"},
	{"last_of_odd_by_odd", Coverage, Gate, nil, "leaves the last number out where both axes are odd"},
	{"nan_among_nothing", Coverage, Trial, nil, "gives -inf for a NaN among nothing but -inf"},
	{"logarithm_near_one", Power, Gate, nil, "takes the sum less 1 for its logarithm below 1.05"},
	{"nan_of_last_lane", Coverage, Trial, nil, "leaves a NaN out that a warp's last lane reads"},
	{"sum_begins_with_one", Judge, Gate, nil, "counts the maximum twice where it is the first number"},
	{"nan_of_last_line", Coverage, Trial, nil, "leaves a NaN of the last column of all out"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "one_pass", about: "one pass with a running maximum"},
	{name: "pairwise_logarithms", about: "adds logarithms one by one"},
	{name: "base_two", about: "powers and logarithms of two"},
	{name: "finite_base", about: "relative to a number that is finite in any case"},
	{name: "two_halves", about: "logarithms of either half, put together"},
	{name: "maximum_of_magnitudes", about: "relative to a bound of the maximum, within eight of it"},
}}
