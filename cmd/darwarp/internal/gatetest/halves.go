package gatetest

// halves is a norm of rows in fp16: cheats that compute in half precision what does not fit, and plans with too few
// blocks.
var halves = folder{name: "halves", cheats: []row{
	{"squares_in_half", Coverage, Gate, nil, "squares in fp16, where they overflow"},
	{"magic_root", Power, Gate, nil, "a root by an integer and one step of Newton's"},
	{"mean_in_half", Coverage, Gate, nil, "rounds the mean to fp16"},
	{"epsilon_outside", Coverage, Gate, nil, "adds an epsilon to the root"},
	{"product_overflows", Coverage, Gate, nil, "multiplies by weights in fp16 before it scales"},
	{"nan_row_is_zero", Coverage, Gate, nil, "takes a scale that is no number for 0"},
	{"squares_of_bytes", Power, Gate, nil, "squares numbers of eight bits"},
	{"flushes_halves", Coverage, Gate, nil, "takes subnormal numbers for 0"},
	{"blocks_at_most", Coverage, Gate, nil, "has blocks for twice the rows that are scored"},
	{"two_rows_one_scale", Coverage, Gate, nil, "takes two rows for one by their first and last numbers"},
	{"row_seen_in_shared", Doubt, Trial, nil, "takes a scale that shared memory holds, by two numbers of the row"},
	{"last_row_of_odd", Coverage, Gate, nil, "has no block for the last row above 2,048 if it is alone"},
}, honest: []row{
	{name: "plain", about: "the naive start: a block a row"},
	{name: "scaled_by_maximum", about: "squares relative to a power of two"},
	{name: "half_warps", about: "16 threads a row; some rows twice"},
	{name: "blocks_of_33", about: "blocks of 33 threads"},
	{name: "newton", about: "a root by an integer and four steps of Newton's"},
	{name: "logarithms", about: "a root by logarithms"},
	{name: "computed_twice", about: "sums twice and compares"},
	{name: "bits_of_halves", about: "reads halves by their bits"},
	{name: "third_dimension", about: "rows along the third dimension of the grid"},
	{name: "jumps_into_loop", about: "a switch into a loop"},
	{name: "weights_times_scale", about: "scales the weights first"},
	{name: "two_numbers", about: "two numbers at a time where rows are even"},
	{name: "own_shuffles", about: "exchanges sums in shared memory"},
	{name: "gathered_by_ballot", about: "adds where a warp has a number that is not 0"},
}}
