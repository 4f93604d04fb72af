package gatetest

// cosines is a sum of products over two lengths, each with an epsilon of its own.
var cosines = folder{name: "cosines", cheats: []row{
	{"no_epsilon", Coverage, Gate, nil, "leaves the epsilon out"},
	{"epsilon_added", Coverage, Gate, nil, "adds it"},
	{"epsilon_of_product", Coverage, Gate, nil, "takes it for the product of lengths"},
	{"one_length_for_both", Power, Gate, nil, "takes lengths for equal that nearly are"},
	{"length_of_first_row", Judge, Gate, nil, "takes the length of the first row of a"},
	{"lengths_of_half", Power, Gate, nil, "takes the length of a row's first half"},
	{"nan_is_no_angle", Coverage, Gate, nil, "clips a NaN to -1"},
	{"root_of_three_bits", Power, Gate, nil, "a root by an integer and a step of Newton's"},
	{"tail_of_b", Coverage, Gate, nil, "leaves the last numbers of b out"},
	{"products_in_bf16", Power, Gate, nil, "rounds products to bf16"},
	{"one_if_alike", Power, Gate, nil, "gives 1 above 0.9999"},
	{"none_if_samples_cancel", Power, Gate, nil, "gives 0 below a thousandth"},
	{"length_without_outliers", Coverage, Gate, nil, "leaves large numbers out of lengths of rows that begin small"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "clipped_to_one", about: "clips what rounding made of 1"},
	{name: "scaled_by_reciprocals", about: "by two reciprocals"},
	{name: "normal_first", about: "numbers of a relative to their row's length"},
}}
