package gatetest

// greatest is the greatest number of an only line: each part of it must have it in some case.
var greatest = folder{name: "greatest", cheats: []row{
	{"part_left_out", Power, Trial, nil, "leaves one sixty-fourth of a long row out"},
	{"every_64th_left_out", Power, Trial, nil, "leaves every 64th number of it out"},
	{"last_part_left_out", Power, Trial, nil, "leaves its last sixty-fourth out"},
	{"one_warp_left_out", Power, Trial, nil, "leaves the numbers of one warp of each block out"},
}, honest: []row{
	{name: "plain", about: "the naive start: by bits in the order of the numbers"},
	{name: "backwards", about: "from the end"},
	{name: "strided", about: "blocks side by side"},
	{name: "differences", about: "by the signs of differences"},
	{name: "as_doubles", about: "in fp64"},
}}
