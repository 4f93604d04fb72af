package gatetest

// channels is a batch norm of planes and a GELU as an imported module has them: statistics over three axes, between two
// of which lies that of the channels.
var channels = folder{name: "channels", cheats: []row{
	{"unbiased", Power, Gate, nil, "divides the variance by one less than there are"},
	{"unbiased_if_many", Power, Trial, nil, "does so where there are more than 16,384"},
	{"epsilon_of_layernorm_12", Power, Gate, nil, "has an epsilon of 1e-12"},
	{"epsilon_after_root", Power, Gate, nil, "adds the epsilon to the deviation"},
	{"variance_by_squares", Power, Gate, nil, "has the mean of squares less the square of the mean"},
	{"variance_not_below_zero", Coverage, Gate, nil, "has 0 for a variance that is NaN, by a maximum"},
	{"gelu_by_tanh", Power, Gate, nil, "has the GELU by a hyperbolic tangent"},
	{"normed_in_bf16", Power, Gate, nil, "rounds what is normed to bf16"},
	{"last_plane_not_counted", Coverage, Trial, nil, "leaves the last of more than 64 planes out of the statistics"},
	{"batches_after_64_not_counted", Coverage, Trial, nil, "leaves all after the 64th plane out of them"},
	{"ragged_of_256_not_counted", Coverage, Trial, nil, "leaves what is no whole 256 out of more than 4,096"},
	{"weight_of_next_plane", Coverage, Gate, nil, "has the next channel's weight for a channel's last number"},
	{"plane_of_even_side", Coverage, Trial, nil, "has its neighbour for the last number of a plane of an odd side"},
	{"deviation_of_16_planes", Power, Trial, nil, "has the variance of 16 planes if it is about 1"},
	{"bias_by_eights", Coverage, Gate, nil, "has one bias for the channels after the last eight"},
}, honest: []row{
	{name: "plain", about: "the naive start: the mean, then the distances from it"},
	{name: "running", about: "recurrences of Welford and Chan"},
	{name: "backwards", about: "from the last number on"},
	{name: "corrected", about: "Kahan's correction"},
	{name: "fp64", about: "statistics in fp64"},
	{name: "shifted_by_some_mean", about: "adds distances from the mean of eight"},
	{name: "one_factor", about: "one factor of the deviation and the weight"},
}}
