package gatetest

import "darwarp/kernels"

// prepacked is a product whose weights are packed before any call: what a launch with `prepare` must not know, what a
// call must not leave there, and what is packed wrongly.
var prepacked = folder{name: "prepacked", cheats: []row{
	{"call_writes_packed", Stateless, Gate, []kernels.Outcome{kernels.Suspect, kernels.Crashed},
		"a call writes to what was packed"},
	{"keeps_product", Stateless, Gate, []kernels.Outcome{kernels.Suspect, kernels.Crashed},
		"keeps its outputs beside what was packed"},
	{"peeks_at_inputs", Stateless, Gate, []kernels.Outcome{kernels.Wrong, kernels.Crashed, kernels.Flaky},
		"packs what lies before the weights, numbers of A, and multiplies these"},
	{"packs_once", Stateless, Gate, nil, "packs the first weights that it sees, and no others"},
	{"packs_as_square", Coverage, Gate, nil, "packs as if there were as many rows as terms"},
	{"packs_whole_tiles", Coverage, Gate, nil, "packs 16 rows at a time, and no rest"},
	{"last_row_unpacked", Power, Gate, nil, "packs the last row but one twice"},
	{"last_term_unpacked", Power, Gate, nil, "packs 0 for the last term"},
	{"packs_seven_bits", Judge, Gate, nil, "packs numbers without their last seven bits"},
	{"changes_weights", Authorship, Gate, []kernels.Outcome{kernels.Suspect, kernels.Crashed},
		"writes to the weights while it packs"},
	{"packs_past_the_end", Authorship, Gate, []kernels.Outcome{kernels.Suspect, kernels.Crashed},
		"writes behind what it may pack"},
	{"too_much_packed", Authorship, Gate, []kernels.Outcome{kernels.Invalid}, "packs three times as much as there is"},
	{"whole_numbers_by_samples", Coverage, Gate, nil, "packs whole numbers where the first eight are"},
	{"rows_alike_by_samples", Coverage, Trial, nil, "packs the row before for one that has five numbers of it"},
	{"finite_weights", Coverage, Gate, nil, "packs 0 for NaN"},
	{"small_weights_dropped", Power, Gate, nil, "packs 0 for small weights"},
	{"zero_rows_not_read", Coverage, Gate, nil, "stores 0 where all weights are 0, whatever is multiplied"},
	{"zero_weights_skipped", Coverage, Gate, nil, "leaves terms of weights out that are 0"},
	{"last_tile_of_primes", Coverage, Gate, nil, "leaves the last term out where n and k are odd"},
}, honest: []row{
	{name: "plain", about: "the naive start: packs column by column"},
	{name: "natural", about: "packs nothing"},
	{name: "same_order", about: "packs a copy"},
	{name: "tiles", about: "packs tiles of 16 rows"},
	{name: "two_buffers", about: "packs twice, the second time from the first"},
	{name: "widened", about: "packs in fp32"},
	{name: "padded", about: "packs rows of whole words, and leaves the rest unwritten"},
	{name: "by_one_thread", about: "packs by one thread"},
}}
