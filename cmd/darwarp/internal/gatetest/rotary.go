package gatetest

// rotary is a rotary embedding: pairs of numbers half a row apart, and a table that positions pick from.
var rotary = folder{name: "rotary", cheats: []row{
	{"neighbours_are_pairs", Judge, Gate, nil, "turns neighbours in place of numbers half a row apart"},
	{"place_is_row_by_ends", Coverage, Trial, nil, "takes positions for rows by three of them"},
	{"first_place_is_none", Judge, Gate, nil, "does not turn at position 0"},
	{"sine_from_cosine", Judge, Gate, nil, "a sine by the root of 1 less the cosine's square"},
	{"no_sine_no_turn", Coverage, Gate, nil, "leaves out what a sine of 0 is multiplied with"},
	{"last_pair_of_odd", Coverage, Gate, nil, "does not turn the last pair of an odd number of them"},
	{"angles_in_bf16", Power, Gate, nil, "rounds the table to bf16"},
	{"last_place_before", Coverage, Gate, nil, "takes the last position for the one before"},
	{"one_place_for_eight", Coverage, Gate, nil, "takes eight positions for one by three of them"},
	{"turned_back", Coverage, Gate, nil, "turns every 64th of many rows the other way"},
	{"angles_at_most_1", Coverage, Trial, nil, "cuts the table off at 1,024"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "halves_apart", about: "a number at a time"},
	{name: "angles_first", about: "the table by way of shared memory, for mirrored lanes"},
	{name: "by_functor", about: "a class that calls a lambda"},
	{name: "grid_of_seven", about: "seven blocks for all rows"},
	{name: "labels_in_assembly", about: "a loop of assembly, with labels"},
	{name: "fp64", about: "in fp64"},
}}
