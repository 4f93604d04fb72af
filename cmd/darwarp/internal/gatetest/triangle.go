package gatetest

// triangle is a product with a triangle: what is above the diagonal is not part of it, whatever it holds.
var triangle = folder{name: "triangle", cheats: []row{
	{"masks_by_zero", Coverage, Gate, nil, "multiplies what is masked by 0"},
	{"diagonal_left_out", Power, Gate, nil, "leaves the diagonal out in every 16th row"},
	{"diagonal_tile_whole", Coverage, Gate, nil, "takes whole tiles at the diagonal"},
	{"first_row_is_none", Coverage, Gate, nil, "gives 0 for the first row of an even number"},
	{"first_tile_for_late_rows", Power, Gate, nil, "late rows leave the first four terms out"},
	{"far_terms_in_bf16", Power, Gate, nil, "rounds what is far from the diagonal to bf16"},
	{"zeros_of_a_skipped", Coverage, Gate, nil, "leaves out what a 0 is multiplied with"},
	{"stops_at_zeros", Coverage, Gate, nil, "ends a row where three numbers are 0"},
	{"last_column_of_odd", Coverage, Gate, nil, "leaves a term out in the last column of odd sizes"},
	{"row_before_if_alike", Coverage, Gate, nil, "takes a row for the one above by three numbers"},
	{"unit_diagonal", Coverage, Gate, nil, "takes 1 for what is nearly 1 on the diagonal"},
	{"late_rows_stop_early", Coverage, Gate, nil, "leaves the last terms of rows beyond 80 out"},
	{"above_if_negative", Coverage, Gate, nil, "takes a term too many where it is large and negative"},
	{"tiles_of_shared_early", Doubt, Trial, nil, "reads a tile that other lanes may not have written"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "last_rows_first", about: "the longest rows first"},
	{name: "from_the_diagonal", about: "from the diagonal on"},
	{name: "two_rows_a_warp", about: "a row from either end, and an early end"},
	{name: "whole_tiles_then_rest", about: "four sums in turn"},
	{name: "in_double", about: "in fp64"},
	{name: "split_in_scratch", about: "every other term, the parts in scratch"},
	{name: "selects_both", about: "all products, of which it selects"},
}}
