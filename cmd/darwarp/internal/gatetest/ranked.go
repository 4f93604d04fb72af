package gatetest

// ranked is the eight greatest numbers of each row and their places: ties, and rows whose greatest numbers stand
// together.
var ranked = folder{name: "ranked", cheats: []row{
	{"four_of_each_lane", Coverage, Gate, nil, "keeps the four greatest of each 32nd number"},
	{"six_of_each_lane", Coverage, Gate, nil, "keeps the six greatest of them"},
	{"threshold_of_first", Coverage, Gate, nil, "has room for as many candidates as a part of the row lets expect"},
	{"each_number_once", Judge, Gate, nil, "takes equal numbers for one"},
	{"later_of_ties", Judge, Gate, nil, "gives the later of two equal numbers first"},
	{"place_in_low_bits", Power, Gate, nil, "has the place in a number's low bits"},
	{"candidates_above_zero", Coverage, Gate, nil, "looks at positive numbers of rows of 64 and more"},
	{"rising_row_by_samples", Coverage, Gate, nil, "takes a row for sorted of which 32 numbers are"},
	{"stops_at_four_ties", Judge, Gate, nil, "repeats a place where five are equal"},
	{"stores_new_places", Regimes, Duel, nil, "leaves a row alone whose greatest number stands where it did"},
	{"minus_zero_is_less", Coverage, Trial, nil, "takes -0 for less than 0"},
	{"place_of_none_is_first", Judge, Gate, nil, "gives the first place where a row has fewer than eight"},
	{"lane_breaks_ties", Judge, Gate, nil, "gives the lower lane of two equal numbers first"},
	{"four_of_each_half", Judge, Gate, nil, "takes four numbers of either half of long rows"},
	{"compares_in_half", Power, Gate, nil, "compares numbers in fp16"},
	{"lone_last_is_left_out", Coverage, Trial, nil, "leaves a number out that is alone in its tile of 32"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "backwards", about: "from the end of the row"},
	{name: "eight_passes", about: "a pass for each rank"},
	{name: "whole_keys", about: "number and place in one key"},
	{name: "one_lane_for_all", about: "one lane has the list of all"},
	{name: "counts_who_is_before", about: "counts how many numbers come before each"},
}}
