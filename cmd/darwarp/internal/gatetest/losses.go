package gatetest

// losses is cross entropy: a number that an index picks out of each row, and rows that nobody asks for.
var losses = folder{name: "losses", cheats: []row{
	{"asks_for_all_in_wide", Coverage, Gate, nil, "takes the first class where none is wanted, of more than 300"},
	{"last_class_before_in_wide", Coverage, Gate, nil, "takes the class before for the last, of more than 300"},
	{"first_class_ignored_in_wide", Coverage, Gate, nil, "takes the first class for none, of more than 300"},
	{"nine_bits_of_target", Judge, Gate, nil, "takes nine bits of a target"},
	{"target_of_row_before_if_ignored", Judge, Gate, nil, "takes the target before where none is wanted"},
	{"sequence_ends_at_ignored", Judge, Gate, nil, "ends eight rows at the first that nobody asks for"},
	{"target_is_top", Coverage, Gate, nil, "takes the target's number for the maximum"},
	{"certain_is_right", Coverage, Gate, nil, "gives 0 where the target is 5 above all others"},
	{"top_if_far", Coverage, Gate, nil, "takes the sum for 1 where the maximum is far above the mean"},
	{"eight_at_once_no_tail", Power, Gate, nil, "leaves out what is left of a row after whole eights"},
	{"skips_below_millionth", Coverage, Trial, nil, "leaves exponentials below a millionth out"},
	{"skips_below_10", Coverage, Gate, nil, "leaves numbers out that are 10 below the maximum"},
	{"sum_in_half_steps", Power, Gate, nil, "adds in fp16"},
	{"sum_in_fixed_point", Power, Gate, nil, "adds multiples of 2^-16"},
	{"logarithm_of_half", Power, Gate, nil, "rounds the logarithm to fp16"},
	{"at_most_100", Coverage, Gate, nil, "cuts losses off at 100"},
	{"never_small", Coverage, Gate, nil, "gives at least a thousandth"},
	{"fast_logarithm_near_one", Power, Gate, nil, "two terms of the series of the logarithm"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "online", about: "one pass with a running maximum"},
	{name: "relative_to_target", about: "all numbers less that of the target"},
	{name: "without_top", about: "the logarithm of 1 and all but the greatest"},
	{name: "base_two", about: "powers and logarithms of two"},
	{name: "kahan", about: "a corrected sum"},
	{name: "skips_what_no_sum_notices", about: "leaves out what is 40 below the maximum"},
	{name: "backwards", about: "from the end"},
	{name: "by_logarithms", about: "adds the logarithms of sums"},
}}
