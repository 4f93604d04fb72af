package gatetest

// gradients is the backward pass of attention: three outputs, two inputs that follow from others, and sums along
// queries as well as along keys.
var gradients = folder{name: "gradients", cheats: []row{
	{"query_gradient_unscaled", Judge, Gate, nil, "forgets the scale in dQ"},
	{"key_gradient_not_causal", Judge, Gate, nil, "adds queries before the key to dK"},
	{"no_delta", Judge, Gate, nil, "leaves delta out"},
	{"weights_not_normal", Judge, Gate, nil, "takes exponentials that are not relative to the sum for dV"},
	{"last_keys_left_out", Power, Gate, nil, "leaves the last 1/64 of the keys out of dQ, one at least"},
	{"first_keys_alone", Power, Gate, nil, "adds the first 32 keys to dQ"},
	{"last_queries_left_out", Power, Gate, nil, "leaves the last 1/64 of the queries out of dK and dV, one at least"},
	{"delta_of_neighbour", Judge, Gate, nil, "takes the delta of the query before"},
	{"own_key_left_out", Power, Gate, nil, "leaves the query's own key out of dQ where it sees more than 64"},
	{"small_weights_left_out", Power, Gate, nil, "leaves out what weighs less than 1e-4"},
	{"sums_of_tile", Judge, Gate, nil, "takes the sum of even queries for odd ones"},
	{"weights_at_most_half", Judge, Gate, nil, "takes weights above a half for a half"},
	{"delta_in_half", Power, Gate, nil, "keeps delta in fp16, off by a thousandth"},
}, honest: []row{
	{name: "plain", about: "the naive start: a warp a row"},
	{name: "backwards", about: "the others from the end"},
	{name: "rounded_weights", about: "P and dS in 16 bits, as matrix units take them"},
	{name: "base_two", about: "powers of two"},
}}
