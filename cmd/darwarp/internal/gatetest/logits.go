package gatetest

// logits is the place of the greatest output of a linear layer, as an imported module has it. The truth leaves open
// which place it is where rounding decides; what is told is told elsewhere.
var logits = folder{name: "logits", cheats: []row{
	{"last_of_equal", Coverage, Gate, nil, "takes the last of equal numbers"},
	{"from_zero", Coverage, Gate, nil, "has 0 for a first place, whatever is there"},
	{"no_bias", Coverage, Gate, nil, "leaves the bias out"},
	{"bias_of_next", Coverage, Gate, nil, "adds the bias of the next place"},
	{"last_place_left_out", Coverage, Gate, nil, "leaves the last place out"},
	{"places_by_eights", Coverage, Gate, nil, "leaves what is no whole eight of many places out"},
	{"places_after_64", Coverage, Gate, nil, "leaves places after 64 out"},
	{"last_term_left_out", Coverage, Gate, nil, "leaves the last term of each sum out"},
	{"terms_by_fours", Coverage, Gate, nil, "leaves what is no whole four of many terms out"},
	{"skips_nan", Coverage, Gate, nil, "does not see NaN"},
	{"first_of_close", Coverage, Gate, nil, "takes the first of places that are a hundredth apart"},
	{"of_magnitude", Coverage, Gate, nil, "takes the greatest magnitude of long sums"},
	{"row_above", Coverage, Gate, nil, "has the row above for each 32nd"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "backwards", about: "from the last term on"},
	{name: "fp64", about: "adds in fp64"},
	{name: "eight_sums", about: "eight sums by turns"},
	{name: "bias_first", about: "begins with the bias"},
	{name: "from_last_place", about: "from the last place on"},
}}
