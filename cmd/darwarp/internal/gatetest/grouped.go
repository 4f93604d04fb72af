package gatetest

// grouped is products whose rows are of groups: which group a row is of, groups that are empty or long.
var grouped = folder{name: "grouped", cheats: []row{
	{"first_of_empty", Judge, Gate, nil, "takes the group before for the first row of each"},
	{"empty_groups_not_counted", Judge, Gate, nil, "leaves empty groups out of the numbers"},
	{"groups_are_even", Judge, Gate, nil, "takes groups for even"},
	{"group_of_tile", Judge, Gate, nil, "takes the group of a tile's first row"},
	{"search_stops_early", Coverage, Gate, nil, "finds one of 64 groups at most"},
	{"at_most_32_groups", Judge, Gate, nil, "takes the 32nd group for all after it"},
	{"last_group_before_if_short", Coverage, Gate, nil, "takes the group before for a last one of one row"},
	{"group_of_one_row_before", Coverage, Gate, nil, "takes the group before for any of one row"},
	{"tile_past_group_left_out", Judge, Gate, nil, "leaves out what is left of a group after whole tiles"},
	{"long_group_cut", Coverage, Gate, nil, "leaves out what a group has beyond four times the mean"},
	{"at_most_128_rows", Coverage, Gate, nil, "leaves out what a group has beyond 128 rows"},
	{"whole_group_alike", Coverage, Gate, nil, "takes the first matrix where one group has all rows"},
	{"last_terms_of_ragged", Judge, Gate, nil, "leaves terms after whole 16 out of a group's last row"},
	{"last_columns_of_next_group", Coverage, Gate, nil, "takes the next matrix for last columns of short groups"},
}, honest: []row{
	{name: "plain", about: "rows from the last to the first"},
	{name: "halving", about: "the group by halving"},
	{name: "votes", about: "the group by votes of a warp"},
	{name: "tickets", about: "blocks draw rows"},
	{name: "block_a_group", about: "a block a group"},
	{name: "two_halves", about: "a sum in two halves"},
}}
