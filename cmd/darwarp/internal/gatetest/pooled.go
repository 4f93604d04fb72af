package gatetest

// pooled is maximum and mean of windows of three by three: borders that hold nothing.
var pooled = folder{name: "pooled", cheats: []row{
	{"border_of_zeros", Judge, Gate, nil, "takes the border for zeros in maxima"},
	{"counts_the_border", Judge, Gate, nil, "divides by nine at the border"},
	{"row_before_at_border", Judge, Gate, nil, "reads the row before past the left border"},
	{"nan_is_none", Coverage, Gate, nil, "leaves a NaN out of the maximum"},
	{"nan_in_centre_alone", Coverage, Gate, nil, "sees a NaN in the centre alone"},
	{"sum_in_bf16", Power, Gate, nil, "adds in bf16"},
	{"last_column_of_odd", Coverage, Gate, nil, "leaves a column out at the end of odd rows above 40"},
	{"last_row_of_even", Coverage, Gate, nil, "leaves the last row of 2, 6, 10 ... out"},
	{"mean_by_halves_of_top", Power, Gate, nil, "takes a mean far below the maximum for 0"},
	{"four_corners_if_smooth", Power, Gate, nil, "takes five numbers for nine where they are nearly alike"},
	{"plane_after_at_end", Judge, Gate, nil, "reads the plane after past the last of odd rows"},
	{"border_inside_tiles", Coverage, Gate, nil, "takes each 128th column for a border"},
	{"corner_of_odd_planes", Coverage, Gate, nil, "leaves the neighbours of the last corner out where both sides are odd"},
	{"nan_of_last_lane", Coverage, Trial, nil, "does not see a NaN at a window's end in a warp's last lane"},
	{"ninth_of_three_digits", Power, Gate, nil, "multiplies whole windows by 0.111"},
	{"lone_window_of_tile", Coverage, Gate, nil, "leaves a column out of a window that is alone in its tile of 32"},
	{"begins_at_least", Coverage, Trial, nil, "begins maxima with the least finite number"},
	{"compares_bits", Judge, Gate, nil, "compares numbers by their bits"},
	{"border_from_shared", Stateless, Gate, nil, "takes what shared memory held for the border"},
	{"maximum_in_half", Power, Gate, nil, "rounds maxima to fp16 where that holds them"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "columns_first", about: "columns of a window first"},
	{name: "from_the_end", about: "from its last number to the first"},
	{name: "reciprocal", about: "by the reciprocal of the count"},
	{name: "around_centre", about: "reads the border's neighbours, to no effect"},
	{name: "tree_of_nine", about: "a tree of nine numbers, of which what is past the border counts nothing"},
	{name: "running_mean", about: "a mean by how each number changes it"},
}}
