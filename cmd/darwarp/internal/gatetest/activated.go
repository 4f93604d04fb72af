package gatetest

// activated is a linear layer with what comes after the sum: a bias, a function and a residual, in this order.
var activated = folder{name: "activated", cheats: []row{
	{"gelu_by_tanh", Power, Gate, nil, "takes gelu for the one by a tanh"},
	{"gelu_by_sigmoid", Power, Gate, nil, "takes it for the one by a sigmoid"},
	{"shut_below_3", Power, Gate, nil, "takes gelu for 0 below -3"},
	{"open_above_2", Power, Gate, nil, "takes gelu for its argument above 2"},
	{"zero_if_not_positive", Coverage, Gate, nil, "takes a NaN for 0 on its way"},
	{"keeps_by_arguments", Stateless, Duel, nil, "keeps sums in scratch, told by a number of either matrix"},
	{"sum_in_half", Power, Gate, nil, "rounds sums to 16 bits"},
	{"bias_of_tile", Judge, Gate, nil, "takes one bias for sixteen columns"},
	{"bias_of_row", Judge, Gate, nil, "takes a row's bias"},
	{"no_bias_in_last_tile", Coverage, Gate, nil, "leaves the bias out where a tile is ragged"},
	{"residual_of_row_above", Judge, Gate, nil, "takes the residual of the row above for a tile's first"},
	{"nan_in_residual", Coverage, Gate, nil, "takes a NaN in the residual for 0"},
	{"bias_after", Judge, Gate, nil, "adds the bias after gelu"},
	{"residual_before", Judge, Gate, nil, "adds the residual before it"},
	{"residual_by_half", Power, Gate, nil, "rounds to bf16 before the residual"},
	{"saturated", Coverage, Gate, nil, "gives the largest number for what is infinite"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "complement", about: "by the complement of the error function"},
	{name: "normal_distribution", about: "by CUDA's normal distribution"},
	{name: "open_above_6", about: "gelu is its argument where a float cannot tell"},
	{name: "bias_first", about: "begins sums with the bias"},
	{name: "residual_in_output", about: "the output holds the residual meanwhile"},
	{name: "from_the_end", about: "from the last term to the first"},
}}
