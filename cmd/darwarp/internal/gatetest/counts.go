package gatetest

// counts is a histogram: many threads add one to the same numbers.
var counts = folder{name: "counts", cheats: []row{
	{"first_bin_is_none", Judge, Gate, nil, "leaves the first bin out, of more than 256"},
	{"last_bin_before", Judge, Gate, nil, "takes the bin before the last for the last, of more than 256"},
	{"equal_neighbours_once", Judge, Gate, nil, "counts equal neighbours once"},
	{"own_repeats_once", Judge, Gate, nil, "counts what comes twice to a thread once"},
	{"eight_bits_a_block", Coverage, Gate, nil, "loses 256 of a bin where a block has as many"},
	{"at_most_255_a_block", Coverage, Gate, nil, "counts no more than 255 of a bin in a block"},
	{"lanes_that_agree_once", Coverage, Gate, nil, "counts once what nine lanes and more of a warp have"},
	{"read_and_write", Doubt, Trial, nil, "reads, adds and writes"},
	{"stores_if_alone", Doubt, Trial, nil, "the same, between blocks"},
	{"last_numbers_of_odd", Coverage, Gate, nil, "leaves out what is no whole four"},
	{"last_bins_not_cleared", Stateless, Gate, nil, "adds to what the last bins hold"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "in_place", about: "atomics on the output"},
	{name: "runs", about: "adds once for a run of equal numbers"},
	{name: "lanes_that_agree", about: "adds once for the lanes that agree"},
	{name: "counts_down", about: "counts down from 0"},
}}
