package gatetest

// columns is a norm of columns: its sums run along the first axis.
var columns = folder{name: "columns", cheats: []row{
	{"every_second_row", Power, Gate, nil, "takes mean and variance of every other row"},
	{"last_rows_left_out", Power, Gate, nil, "leaves rows after whole 64 out of either sum"},
	{"first_row_left_out", Power, Gate, nil, "leaves the first row out of either sum"},
	{"one_pass", Coverage, Gate, nil, "takes the variance for a difference of means"},
	{"shifted_by_first", Coverage, Gate, nil, "the same, of differences from the first row"},
	{"small_mean_is_none", Coverage, Gate, nil, "takes means below a thousandth for 0"},
	{"mean_in_half", Power, Gate, nil, "rounds the mean to fp16"},
	{"unbiased", Judge, Gate, nil, "divides by one row less, of more than 256"},
	{"variance_of_next_column", Judge, Gate, nil, "takes the variances of two columns for each other, of more than 64"},
	{"epsilon_of_deviation", Judge, Gate, nil, "adds the root of epsilon to the deviation"},
	{"epsilon_if_small", Power, Gate, nil, "leaves epsilon out above a thousandth"},
	{"variance_at_least", Power, Gate, nil, "takes epsilon for the least variance"},
	{"variance_at_most", Coverage, Gate, nil, "cuts variances off"},
	{"cut_off_at_ten", Coverage, Gate, nil, "cuts outputs off at ten"},
	{"small_is_none", Coverage, Gate, nil, "takes outputs below 1e-5 for 0"},
	{"constant_column_is_none", Coverage, Gate, nil, "takes columns of a small variance for constant"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "welford", about: "Welford's recurrence"},
	{name: "corrected", about: "mean and variance less what rounding the mean costs"},
	{name: "fp64", about: "one pass in fp64"},
	{name: "blocks_of_rows", about: "a thread has rows that lie together"},
	{name: "backwards", about: "from the last row"},
	{name: "division", about: "a root and a quotient"},
	{name: "one_multiplication", about: "a product and a sum for each output"},
}}
