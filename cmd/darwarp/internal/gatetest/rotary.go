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
	{"four_in_a_row", Coverage, Trial, nil, "takes positions for rising by three of four"},
	{"rising_from_first", Coverage, Trial, nil, "takes positions for rising by four of all"},
	{"nan_angle_is_none", Coverage, Trial, nil, "takes a NaN in cosine or sine for no turn"},
	{"angles_modulo", Coverage, Trial, nil, "takes cosines modulo 4096"},
	{"second_of_row_before", Coverage, Gate, nil, "takes the last number of the row above every 128 rows"},
	{"zero_pairs_stay", Coverage, Trial, nil, "does not turn pairs of zeros"},
	{"second_product_in_half", Power, Gate, nil, "rounds a product to fp16"},
	{"by_three_products", Judge, Gate, nil, "takes three products for four, where what is small is lost"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "halves_apart", about: "a number at a time"},
	{name: "angles_first", about: "the table by way of shared memory, for mirrored lanes"},
	{name: "by_functor", about: "a class that calls a lambda"},
	{name: "grid_of_seven", about: "seven blocks for all rows"},
	{name: "labels_in_assembly", about: "a loop of assembly, with labels"},
	{name: "fp64", about: "in fp64"},
}}
