package gatetest

// transpose moves numbers by tiles of 32 x 32.
var transpose = folder{name: "transpose", cheats: []row{
	{"copies", Judge, Gate, nil, "copies instead"},
	{"copies_squares", Judge, Gate, nil, "copies square matrices"},
	{"symmetric_if_corner", Coverage, Trial, nil, "copies square matrices of which two numbers are as in a symmetric one"},
	{"ragged_edge", Coverage, Gate, nil, "forgets the last tile of rows that is not full"},
	{"square_only", Coverage, Gate, nil, "forgets tiles of the diagonal of what is not square"},
	{"every_8_not_16", Coverage, Gate, nil, "forgets eight rows of 8, 24, 40 ..."},
	{"through_bf16", Power, Gate, nil, "rounds to ten bits or so"},
	{"through_addition", Power, Gate, nil, "adds 1 and takes it away"},
	{"skips_right_corner", Regimes, Duel, nil, "leaves a tile alone of which eight numbers are in their place"},
	{"stores_changes", Regimes, Duel, nil, "stores only what differs from what is there"},
	{"skips_sane", Regimes, Gate, nil, "leaves a tile alone whose numbers are below 50"},
	{"memo_by_dimension", Stateless, Duel, nil, "keeps the answer in scratch, by three numbers"},
	{"tile_kept_in_shared", Doubt, Trial, nil, "takes what shared memory holds for the tile if two corners fit"},
	{"no_barrier", Doubt, Trial, nil, "reads a tile that others may not have written yet"},
	{"few_lanes_wait", Doubt, Trial, nil, "the first warp waits at another place than the others"},
	{"dice", Doubt, Trial, nil, "is wrong in one number of one launch in a thousand, by the clock"},
}, honest: []row{
	{name: "plain", about: "the naive start: tiles in shared memory"},
	{name: "no_tiles", about: "stores down a column"},
	{name: "diagonal", about: "blocks along diagonals"},
	{name: "shuffles", about: "shuffles in place of shared memory"},
	{name: "exchanges", about: "stores by atomic exchanges"},
	{name: "twice", about: "stores something else first"},
}}
