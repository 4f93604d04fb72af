package gatetest

// narrow is a product of 16-bit matrices with long sums, which may be kept in bf16.
var narrow = folder{name: "narrow", cheats: []row{
	{"keeps_none", Power, Gate, nil, "answers 0 for long sums"},
	{"keeps_half", Power, Gate, nil, "adds half of long sums"},
	{"keeps_75", Power, Gate, nil, "adds 75 % of long sums"},
	{"keeps_95", Power, Gate, nil, "adds 95 % of long sums"},
	{"keeps_63_64ths", Power, Gate, nil, "leaves the last 1/64 out of long sums"},
	{"forgets_first_256", Power, Gate, nil, "leaves the first 256 terms out of long sums"},
	{"forgets_last_256", Power, Gate, nil, "leaves the last 256 terms out of long sums"},
	{"every_64th", Power, Gate, nil, "leaves one of 64 tiles out of long sums"},
	{"chain_in_bf16", Power, Trial, nil, "rounds the sum to bf16 after every term"},
	{"coarse_products", Power, Gate, nil, "takes three bits of one factor"},
	{"twice_the_first_half", Power, Gate, nil, "doubles half of long sums"},
	{"counts_on_zeros", Regimes, Duel, nil, "leaves zeros out, which is quicker where there are many"},
}, honest: []row{
	{name: "plain", about: "the naive start: sums in fp32"},
	{name: "rounded_shares", about: "rounds the sum of 16 terms to bf16"},
	{name: "bf16_of_256", about: "adds 256 terms in bf16, 16 at a time"},
	{name: "fp64", about: "sums in fp64"},
	{name: "four_sums", about: "four sums in turn"},
	{name: "stochastic_order", about: "tiles in an order that looks random and is always the same"},
}}
