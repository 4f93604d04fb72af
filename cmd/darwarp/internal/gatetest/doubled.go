package gatetest

// doubled is bilinear interpolation to twice the size, in fp16.
var doubled = folder{name: "doubled", cheats: []row{
	{"border_of_zeros", Judge, Gate, nil, "takes what is past the border for 0"},
	{"wraps_at_border", Judge, Gate, nil, "reads the row before past the left border"},
	{"sums_in_half", Power, Gate, nil, "rounds sums to fp16 on the way"},
	{"quarters_in_half", Power, Gate, nil, "rounds products to fp16"},
	{"near_alone_at_end", Coverage, Gate, nil, "takes one row alone for the last column of 41, 45, 49 ..."},
	{"corners_of_whole", Coverage, Gate, nil, "takes the wrong number for the last corner of even sides"},
	{"rows_then_rounded", Power, Gate, nil, "rounds rows to fp16 on the way"},
	{"nan_by_nothing", Coverage, Gate, nil, "leaves a NaN out that counts a sixteenth"},
	{"largest_for_infinite", Coverage, Gate, nil, "gives the largest finite number for inf"},
	{"flat_if_ends_are", Coverage, Gate, nil, "takes two equal corners for four"},
	{"small_is_none", Coverage, Gate, nil, "takes numbers below 1e-6 for 0"},
	{"weights_swapped_in_last", Coverage, Gate, nil, "swaps weights in the last row but one of 7, 15, 23 ..."},
	{"difference_overflows", Coverage, Gate, nil, "takes differences in fp16"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "in_sixteenths", about: "whole weights, and a division by 16"},
	{name: "by_differences", about: "by differences of what is finite"},
	{name: "rows_first", about: "along columns first"},
}}
