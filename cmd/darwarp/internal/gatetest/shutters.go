package gatetest

// shutters is a gated linear layer, two sums an output: whose sum it is, and what the gate makes of it.
var shutters = folder{name: "shutters", cheats: []row{
	{"nan_gate_is_shut", Coverage, Trial, nil, "takes a gate that is NaN for shut"},
	{"infinite_gate_is_shut", Coverage, Trial, nil, "takes a gate of -inf for shut, where IEEE gives NaN"},
	{"gate_at_most_8", Coverage, Gate, nil, "cuts the gate off at 8"},
	{"open_above_7", Power, Gate, nil, "takes a gate above 7 for open"},
	{"last_row_of_up_before", Judge, Gate, nil, "takes the row before for the last one of ragged tiles, in one sum"},
	{"last_terms_of_up", Judge, Gate, nil, "leaves terms after whole 16 out of one sum of two"},
	{"gate_in_bf16", Power, Gate, nil, "rounds the gate to bf16"},
	{"odd_rows_are_alike", Coverage, Trial, nil, "takes a row for the one before where both ends are equal"},
}, honest: []row{
	{name: "plain", about: "one sum after the other"},
	{name: "both_at_once", about: "both sums in one loop"},
	{name: "from_the_end", about: "terms from the last to the first"},
	{name: "by_tanh", about: "the gate by tanh"},
	{name: "in_fp64", about: "sums in fp64"},
	{name: "warp_a_sum", about: "a warp a sum"},
}}
