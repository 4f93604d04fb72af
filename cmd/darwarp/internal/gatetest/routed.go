package gatetest

// routed is grouped products of e4m3 with scales of rows: whose scale it is, and what becomes of large sums and small
// scales.
var routed = folder{name: "routed", cheats: []row{
	{"row_scale_in_group", Judge, Gate, nil, "takes the scale of a row by its number in its group"},
	{"row_scale_of_pair", Judge, Gate, nil, "takes one scale for two rows"},
	{"column_scale_of_first", Judge, Gate, nil, "takes the first group's scales for all"},
	{"column_scale_of_pair", Judge, Gate, nil, "takes one scale for two columns"},
	{"last_column_scale_of_next", Judge, Gate, nil, "takes the next group's first scale for the last column"},
	{"row_scale_of_last_before", Judge, Gate, nil, "takes the scale of the row before for the first of a group"},
	{"sum_in_half_unscaled", Coverage, Gate, nil, "rounds sums to fp16 before they are scaled, which does not hold them"},
	{"row_scale_at_least", Coverage, Gate, nil, "takes scales of rows below a sixteenth for it"},
	{"row_scale_at_most", Coverage, Gate, nil, "takes scales of rows above 4 for it"},
	{"column_scale_at_least", Coverage, Gate, nil, "takes scales of columns below a thousandth for it"},
	{"scales_in_bf16", Power, Gate, nil, "rounds scales to bf16"},
	{"code_of_nan_is_448", Judge, Gate, nil, "takes the code of NaN for a number"},
	{"small_codes_are_zero", Power, Gate, nil, "takes subnormal numbers for 0"},
	{"sums_of_thirteen_bits", Power, Gate, nil, "adds in 13 bits"},
}, honest: []row{
	{name: "plain", about: "rows and terms from the last to the first"},
	{name: "scales_on_terms", about: "scales each factor"},
	{name: "one_scale_then_the_other", about: "scales terms by rows and sums by columns"},
	{name: "parts_of_128", about: "scales parts of 128 terms"},
	{name: "products_in_half", about: "multiplies in fp16, which holds the products"},
}}
