package gatetest

// convolved is a causal convolution: four weights a row, and nothing before its first number.
var convolved = folder{name: "convolved", cheats: []row{
	{"past_of_row_before", Judge, Gate, nil, "takes the end of the row above for what was before"},
	{"first_is_repeated", Judge, Gate, nil, "takes the first number for what was before"},
	{"oldest_lost_at_tiles", Power, Gate, nil, "leaves the oldest out at the beginning of a tile"},
	{"zero_weights_skipped", Coverage, Gate, nil, "leaves out what a weight of 0 is multiplied with"},
	{"weights_symmetric_by_ends", Coverage, Gate, nil, "takes weights for symmetric by the first and the last"},
	{"weights_reversed_in_short", Coverage, Gate, nil, "takes the weights of short rows the wrong way round"},
	{"bias_not_at_start", Coverage, Trial, nil, "forgets the bias of the first number"},
	{"constant_past", Coverage, Gate, nil, "takes four numbers for equal that are two by two"},
	{"same_weights_for_two", Coverage, Gate, nil, "takes weights for those of the row above by two of them"},
	{"small_weights_skipped", Coverage, Trial, nil, "takes small weights for 0"},
	{"wraps_round", Judge, Gate, nil, "takes the end of a row for what was before it"},
	{"weights_in_half", Power, Gate, nil, "rounds ordinary weights to fp16"},
	{"last_looks_ahead", Coverage, Gate, nil, "looks ahead in the last number but one"},
	{"warps_without_sync", Doubt, Trial, nil, "reads what the other warp may not have written"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "from_the_newest", about: "the last weight first, the bias last"},
	{name: "slides", about: "a stretch a thread, with the past in registers"},
	{name: "by_shuffles", about: "the past from other lanes"},
	{name: "constant_offsets", about: "offsets in constant memory"},
	{name: "unrolled_by_template", about: "a template that ends with itself"},
	{name: "volatile_tile", about: "by way of a volatile tile"},
}}
