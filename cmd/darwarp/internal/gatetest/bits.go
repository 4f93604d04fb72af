package gatetest

// bits is which numbers are above a row's threshold, 32 in a word.
var bits = folder{name: "bits", cheats: []row{
	{"ones_past_end", Judge, Gate, nil, "sets the bits past the end of a row"},
	{"row_after_past_end", Judge, Gate, nil, "compares the row after past the end"},
	{"not_below", Coverage, Gate, nil, "takes equal numbers for above"},
	{"not_at_most", Coverage, Gate, nil, "takes a NaN for above"},
	{"sign_of_difference", Coverage, Gate, nil, "takes the sign of a difference"},
	{"compares_in_half", Power, Gate, nil, "compares in fp16"},
	{"order_of_bits", Coverage, Gate, nil, "compares numbers by their bits"},
	{"magnitudes_if_positive", Coverage, Gate, nil, "takes numbers down to -8 thresholds by their magnitude"},
	{"last_bit_of_full_word", Coverage, Gate, nil, "forgets the last number of rows of 32, 96, 160 ..."},
	{"whole_word_by_ends", Coverage, Gate, nil, "sets 32 bits by three numbers that are far above"},
	{"word_before_if_alike", Coverage, Gate, nil, "takes a word for the one before by two numbers"},
	{"t_of_four_rows", Coverage, Gate, nil, "takes a threshold of 0 for that of four rows"},
	{"zero_has_sign", Coverage, Gate, nil, "takes -0 for below 0"},
	{"keeps_right_words", Judge, Gate, nil, "leaves a word alone that one bit is wrong in"},
	{"difference_to_zero", Coverage, Gate, nil, "takes differences below 1e-30 for none"},
	{"lone_word_of_tile", Coverage, Trial, nil, "forgets a word that is alone in its tile of 32"},
	{"nan_threshold_is_none", Coverage, Trial, nil, "takes a NaN among thresholds for 0"},
	{"lanes_in_reverse_at_end", Coverage, Gate, nil, "has the bits of a last word that is half full the wrong way round"},
}, honest: []row{
	{name: "plain", about: "the naive start: ballots"},
	{name: "a_lane_a_word", about: "32 numbers a lane, from the last"},
	{name: "keys", about: "compares numbers by their bits, as whole numbers"},
	{name: "subtracts", about: "by a difference"},
	{name: "votes_of_halves", about: "two ballots of sixteen numbers"},
}}
