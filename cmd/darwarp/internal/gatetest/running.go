package gatetest

// running is the greatest number so far and its place: what a tile tells the next.
var running = folder{name: "running", cheats: []row{
	{"later_of_equal_tiles", Judge, Gate, nil, "gives the later of equal numbers of two tiles"},
	{"nan_ends_with_tile", Coverage, Gate, nil, "forgets a NaN of the tile before"},
	{"begins_at_least_number", Coverage, Gate, nil, "begins with the least finite number"},
	{"begins_at_zero_in_long", Coverage, Gate, nil, "begins long rows with 0"},
	{"rising_by_samples", Coverage, Gate, nil, "takes a tile for rising of which seven numbers are"},
	{"tile_below_first", Coverage, Gate, nil, "leaves a tile out whose ends are far below"},
	{"sixteen_tiles_back", Coverage, Gate, nil, "forgets a number that is 900 back, and below 2.5"},
	{"one_if_first_is_top", Coverage, Gate, nil, "takes the first number for the greatest if it is that of 500"},
	{"compares_in_half", Power, Gate, nil, "compares with what came before in fp16"},
	{"falls_no_more", Coverage, Gate, nil, "looks no further after 128 numbers below a large one"},
	{"leaves_places", Regimes, Gate, nil, "leaves a place alone that holds a number as great"},
	{"zero_follows_minus_zero", Coverage, Trial, nil, "takes 0 for greater than -0"},
	{"lone_last_begins_again", Coverage, Trial, nil, "begins again with a number that is alone in its tile"},
	{"nan_of_last_lane_ends", Coverage, Trial, nil, "forgets a NaN that the last lane has"},
	{"second_nan_takes_place", Coverage, Trial, nil, "gives the place of a later NaN"},
	{"place_within_512", Judge, Gate, nil, "gives the place within a part of 512"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "a_lane_a_part", about: "a part of the row for each lane, twice"},
	{name: "reads_back", about: "reads its own outputs"},
	{name: "two_scans", about: "numbers first, and then who has them"},
	{name: "one_lane", about: "one lane walks along the row"},
	{name: "votes_who_is_greater", about: "votes of a warp tell who is as great as the greatest"},
}}
