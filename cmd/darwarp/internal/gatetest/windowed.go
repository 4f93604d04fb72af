package gatetest

// windowed is new tokens against a window of a cache, with a cap: edges, and keys that seem not to count.
var windowed = folder{name: "windowed", cheats: []row{
	{"window_in_whole_pages", Judge, Gate, nil, "begins a window where its first page begins"},
	{"window_from_next_page", Judge, Gate, nil, "begins it with the next page if it begins late in one"},
	{"window_of_last_token", Judge, Gate, nil, "takes the last token's window for all"},
	{"window_of_first_token", Judge, Gate, nil, "takes the first token's window for all"},
	{"first_keys_always", Judge, Gate, nil, "sees the first four keys, too"},
	{"cap_by_division", Judge, Gate, nil, "caps by a quotient"},
	{"small_scores_not_capped", Judge, Gate, nil, "caps scores above half of the cap"},
	{"eighths_of_cap_not_capped", Power, Gate, nil, "caps scores above an eighth of the cap"},
	{"large_scores_at_cap", Coverage, Gate, nil, "takes scores above twice the cap for the cap"},
	{"cap_in_half", Coverage, Gate, nil, "rounds the tangent to fp16"},
	{"cap_of_sixteen_at_least", Judge, Gate, nil, "takes caps below 16 for 16"},
	{"no_cap_in_window", Judge, Gate, nil, "ignores the cap where there is a window"},
	{"keys_far_below_left_out", Coverage, Gate, nil, "leaves out keys 7 below the maximum"},
	{"keys_ten_below_left_out", Coverage, Gate, nil, "leaves out keys 10 below the maximum"},
	{"values_far_below_left_out", Coverage, Gate, nil, "leaves out the values of keys 8 below the maximum"},
	{"values_of_small_weights_left_out", Coverage, Gate, nil, "leaves out values of weights below 2e-4 of the sum so far"},
	{"sum_in_half", Power, Gate, nil, "adds values in fp16"},
	{"total_of_rounded_half_steps", Power, Trial, nil, "adds weights in fp16"},
	{"one_if_shorter_than_new", Judge, Gate, nil, "gives 1 where no key is seen"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "mask_at_edges", about: "whole pages, and a mask"},
	{name: "cap_is_maximum", about: "a small cap in place of the maximum"},
	{name: "rounded_weights", about: "weights of 16 bits"},
	{name: "what_no_sum_notices", about: "leaves out keys 30 below the maximum"},
	{name: "old_and_new", about: "keys of even pages first"},
	{name: "cap_by_exponential", about: "the tangent by an exponential"},
	{name: "inverse_rounded", about: "the reciprocal of the sum in 16 bits"},
}}
