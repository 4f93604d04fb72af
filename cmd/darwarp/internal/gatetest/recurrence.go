package gatetest

// recurrence is a running sum that fades: what is kept of the past comes from a second input.
var recurrence = folder{name: "recurrence", cheats: []row{
	{"forgets_every_512", Coverage, Gate, nil, "begins each tile with what 64 terms leave"},
	{"forgets_if_shut", Judge, Gate, nil, "forgets at a tile that begins with two shut gates"},
	{"tile_forgets_all", Power, Gate, nil, "begins each tile of 1,024 with nothing"},
	{"open_above_6", Coverage, Gate, nil, "keeps all where a gate is above 6"},
	{"open_above_12", Coverage, Trial, nil, "keeps all where a gate is above 12"},
	{"shut_below_12", Coverage, Gate, nil, "keeps nothing where a gate is below -12"},
	{"keep_in_half", Power, Gate, nil, "rounds what is kept to fp16"},
	{"keep_at_most", Coverage, Gate, nil, "keeps at most 0.999"},
	{"gate_before", Judge, Gate, nil, "takes the gate before, far into a row"},
	{"small_state_is_none", Coverage, Gate, nil, "takes states below 1e-4 for 0"},
	{"state_in_half_at_tiles", Power, Gate, nil, "rounds the state to fp16 after each 128 terms"},
	{"state_at_most", Coverage, Gate, nil, "cuts states off at 10,000"},
	{"lone_last_forgets", Coverage, Trial, nil, "forgets what came before a number that is alone in its tile of 64"},
	{"state_in_bf16_at_tiles", Power, Gate, nil, "rounds the state to bf16 after each 64 terms"},
	{"open_in_last_row", Coverage, Trial, nil, "keeps all where a gate is above 5, in the last row"},
	{"first_term_fades", Judge, Gate, nil, "lets the first number fade before it begins"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "base_two", about: "powers of two"},
	{name: "fast_functions", about: "fast exponentials and quotients"},
	{name: "warp_scan", about: "32 terms at once by a scan"},
	{name: "chunks_twice", about: "64 terms by themselves, and then what came before"},
	{name: "fp64", about: "states in fp64"},
	{name: "two_terms_at_once", about: "two terms at once, by what both keep"},
	{name: "from_shared", about: "gates of 32 rows by way of shared memory"},
}}
