package gatetest

// scattered is rows that go where a permutation says: permutations that are nearly none.
var scattered = folder{name: "scattered", cheats: []row{
	{"gathers", Judge, Gate, nil, "takes rows from where they are to go"},
	{"gathers_if_pairs_swap", Coverage, Gate, nil, "does so where 32 rows swap places with others"},
	{"in_order_by_samples", Coverage, Gate, nil, "takes rows to stay of which 32 do"},
	{"backwards_by_ends", Coverage, Gate, nil, "takes rows to be turned round whose ends are"},
	{"block_moves_together", Coverage, Gate, nil, "takes 16 rows to move together by three of them"},
	{"factor_of_target", Judge, Gate, nil, "takes the factor of the row's place"},
	{"shut_is_zero", Coverage, Gate, nil, "gives 0 for NaN times 0"},
	{"thirteen_bits", Coverage, Gate, nil, "takes 13 bits of a place"},
	{"in_order_if_first", Coverage, Gate, nil, "takes rows to stay if the first and the last do"},
	{"factor_in_half", Power, Gate, nil, "rounds factors to fp16"},
	{"one_is_copied", Coverage, Gate, nil, "takes factors near 1 for 1"},
	{"eight_rows_together", Coverage, Gate, nil, "takes eight rows to stay by the sum of their places"},
	{"skips_placed_rows", Regimes, Duel, nil, "leaves a row alone whose ends are right"},
	{"ragged_columns_not_scaled", Coverage, Gate, nil, "does not scale columns behind whole fours"},
	{"last_row_of_odd_stays", Coverage, Gate, nil, "leaves the last row of an odd number where it was"},
	{"nan_factor_is_one", Coverage, Trial, nil, "takes a NaN among the factors for 1"},
	{"infinite_is_largest", Coverage, Trial, nil, "stores the largest number for an inf"},
	{"factor_of_row_above_if_equal", Coverage, Gate, nil, "takes the factor above where rows begin alike"},
	{"largest_in_last_row", Coverage, Trial, nil, "stores the largest number for an inf of the last row"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "inverse_first", about: "inverts the permutation first"},
	{name: "one_row_after_another", about: "seven warps for all rows"},
	{name: "in_order_if_all_are", about: "looks at 64 rows to see that they stay"},
	{name: "columns_from_the_end", about: "the last column first"},
	{name: "stores_zeros_first", about: "stores zeros, then what is right"},
}}
