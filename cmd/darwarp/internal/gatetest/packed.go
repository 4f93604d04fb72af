package gatetest

// packed is attention of sequences that lie one after the other: where they begin comes from data, and the logarithms
// of the sums are a second output.
var packed = folder{name: "packed", cheats: []row{
	{"last_key_forgotten", Power, Gate, nil, "forgets the last key that a query sees, if it sees more"},
	{"one_sequence", Judge, Gate, nil, "takes all to be of one sequence"},
	{"equal_sequences", Judge, Gate, nil, "takes sequences to be of one length"},
	{"halves_of_two", Coverage, Gate, nil, "takes the keys of two sequences to be halves"},
	{"next_sequence", Judge, Gate, nil, "sees the first key of the next sequence"},
	{"window_too_long", Judge, Gate, nil, "sees one key more than its window"},
	{"window_too_short", Judge, Gate, nil, "sees one key less"},
	{"no_window", Judge, Gate, nil, "ignores the window"},
	{"mask_from_start", Judge, Gate, nil, "numbers queries and keys from the first of either"},
	{"sees_next", Judge, Gate, nil, "shows a query the key after it"},
	{"cap_before_scale", Judge, Gate, nil, "caps what is not scaled yet"},
	{"no_cap", Judge, Gate, nil, "ignores the cap"},
	{"heads_in_turn", Judge, Gate, nil, "gives query heads to those of keys in turn"},
	{"no_maximum", Coverage, Gate, nil, "takes exponentials of scores as they are"},
	{"sum_without_maximum", Judge, Gate, nil, "leaves the maximum out of the logarithm"},
	{"sum_of_base_two", Judge, Gate, nil, "gives the logarithm to base 2"},
	{"sum_of_values", Judge, Gate, nil, "gives the sum itself"},
	{"sum_rounded", Judge, Gate, nil, "rounds the logarithm to 16 bits"},
	{"sum_of_heads", Judge, Gate, nil, "stores logarithms query by query"},
	{"no_sum", Judge, Gate, nil, "stores no logarithm where a query sees one key"},
	{"nothing_by_nothing", Coverage, Gate, nil, "divides by 0 where no key is seen"},
	{"least_for_nothing", Coverage, Gate, nil, "gives a least number for the logarithm of nothing"},
}, honest: []row{
	{name: "plain", about: "the naive start: one pass with a running maximum"},
	{name: "backwards", about: "keys from the end"},
	{name: "two_passes", about: "the maximum first"},
	{name: "whole_window", about: "all keys of the sequence, and weights of 0"},
	{name: "base_two", about: "powers and logarithms of two throughout"},
	{name: "log_sums", about: "adds outputs by their logarithms of sums"},
	{name: "search", about: "finds the sequence by halving"},
}}
