package gatetest

// planes is products of planes with the terms along the first axis: whose plane it is, and terms that seem not to
// count.
var planes = folder{name: "planes", cheats: []row{
	{"first_plane_if_alike", Coverage, Trial, nil, "takes the first plane where two numbers are equal"},
	{"plane_before_if_alike", Coverage, Gate, nil, "takes the plane before where the first and the last number are equal"},
	{"six_planes_at_most", Coverage, Gate, nil, "takes the sixth plane for all after it"},
	{"last_plane_short", Coverage, Gate, nil, "leaves a term out of the last row of the last plane"},
	{"zeros_left_out", Coverage, Trial, nil, "leaves out what is multiplied by 0, though it may be inf or NaN"},
	{"terms_of_zeros_by_samples", Coverage, Gate, nil, "leaves a term out for all rows if three of them have 0"},
	{"equal_terms_once", Coverage, Trial, nil, "takes a term that is equal to the one before for it"},
	{"odd_steps_of_long", Coverage, Trial, nil, "forgets the last step of long sums of an odd number of steps"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "from_the_end", about: "terms from the last to the first"},
	{name: "planes_in_turn", about: "a block has a tile of each plane"},
	{name: "two_sums", about: "a sum of even and one of odd terms"},
	{name: "by_outer_products", about: "sixteen rows of either matrix in shared memory"},
}}
