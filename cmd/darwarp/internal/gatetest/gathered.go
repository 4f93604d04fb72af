package gatetest

// gathered is bags of rows of a table: indices that come from data, of which some agree.
var gathered = folder{name: "gathered", cheats: []row{
	{"first_row_is_padding", Coverage, Gate, nil, "leaves the first row of a large table out"},
	{"last_row_before", Coverage, Gate, nil, "takes the row before the last for the last, in a large table"},
	{"sequence_ends_at_first_row", Coverage, Gate, nil, "ends a bag at the first row of a large table"},
	{"repeated_once", Coverage, Gate, nil, "adds a row that comes twice in a row once"},
	{"cached_row_of_two", Coverage, Gate, nil, "takes a row for its neighbour that was just read"},
	{"nine_bits_of_id", Judge, Gate, nil, "takes nine bits of an index"},
	{"one_row_if_ends_agree", Coverage, Gate, nil, "takes a bag for one row if its first and last are that"},
	{"each_row_once", Coverage, Gate, nil, "adds each row of a bag once"},
	{"negative_weight_is_none", Judge, Gate, nil, "takes negative weights for 0"},
	{"skips_small_weights", Power, Gate, nil, "leaves weights below a thousandth out"},
	{"skips_zero_weights", Coverage, Trial, nil, "leaves weights of 0 out, also of inf"},
	{"eight_ids_at_once", Power, Gate, nil, "leaves out what is left of a bag after whole eights"},
	{"weights_of_bag_before", Judge, Gate, nil, "takes the last weight of the bag before for a bag's first"},
	{"odd_bag_in_ragged_columns", Coverage, Gate, nil, "leaves the last of an odd bag out in columns behind whole fours"},
	{"sum_in_bf16", Power, Gate, nil, "adds in bf16"},
	{"last_bag_of_odd", Judge, Gate, nil, "gives the last bag of an odd number to the one before"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "backwards", about: "from the end"},
	{name: "sorted", about: "by rising index, each row read once"},
	{name: "pairs", about: "odd and even ones by themselves"},
	{name: "row_kept", about: "a row that comes twice in a row is read once"},
	{name: "fp64", about: "sums in fp64"},
	{name: "weights_first", about: "all weights of eight rows first"},
}}
