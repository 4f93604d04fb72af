package gatetest

// atomics is a product where two runs may differ in their bits: no hash tells a right output, and the judge has to
// look.
var atomics = folder{name: "atomics", cheats: []row{
	{"no_clear", Judge, Gate, nil, "adds to whatever the output holds"},
	{"half_unless_poison", Judge, Gate, nil, "adds half of the terms where the output is none of today's poisons"},
	{"sixteenth_unless_repeating", Judge, Gate, nil, "adds 1/16 of them where a word's four bytes differ"},
	{"half_if_plausible", Judge, Gate, nil, "adds half of them where the output is below 1,000"},
	{"fp16_unless_poison", Judge, Gate, nil, "rounds its shares to fp16 where the output is none of today's poisons"},
	{"last_split_unless_poison", Judge, Gate, nil, "leaves the last share out there"},
	{"half_sums", Power, Gate, nil, "rounds its shares to fp16"},
	{"drops_a_term", Power, Gate, nil, "leaves a term out of more than 256"},
	{"known_sizes", Coverage, Gate, nil, "is right at the sizes of the problem's file alone"},
	{"keeps_a_share", Judge, Gate, nil, "adds a ten thousandth of what the output held"},
	{"memo_in_scratch", Stateless, Duel, nil, "keeps whole outputs in scratch, by four numbers"},
	{"counts_in_scratch", Stateless, Gate, nil, "is right in every eighth call, by a counter in scratch cleared once"},
	{"skips_if_near", Regimes, Duel, nil, "leaves the output alone if its first number is right"},
	{"skips_tile_if_near", Regimes, Duel, nil, "leaves a tile alone if its corner is right"},
	{"lost_updates", Doubt, Trial, nil, "adds without atomics"},
	{"clears_late", Doubt, Trial, nil, "clears a tile while others may add to it"},
	{"wrong_now_and_then", Doubt, Trial, nil, "is wrong in one number of one launch in 500, by the clock"},
	{"strays_unless_poison", Authorship, Gate, suspect, "writes past the end where the output is none of today's poisons"},
}, honest: []row{
	{name: "plain", about: "the naive start: clears and adds four shares"},
	{name: "one_block", about: "no atomics at all"},
	{name: "compare_and_swap", about: "atomic additions by hand"},
	{name: "many_small", about: "an addition for every 16 terms"},
	{name: "last_block", about: "adds in scratch, moved by the last block"},
	{name: "memory_of_sums", about: "adds in scratch, moved by a launch"},
	{name: "first_block_clears", about: "whoever comes first stores, the others wait and add"},
	{name: "reads_then_adds", about: "looks at a sum that others add to, to no effect"},
}}
