package gatetest

// tempered is softmax with a bias of each column: kernels that take no maximum, or less than that, where they think
// that none is needed.
var tempered = folder{name: "tempered", cheats: []row{
	{"maximum_from_zero", Coverage, Gate, nil, "begins the maximum at 0"},
	{"no_max_unless_it_overflows", Coverage, Gate, nil, "takes a maximum only where the sum is 0 or not finite"},
	{"no_max_if_samples_small", Coverage, Gate, nil, "takes none where one number of each thread is small"},
	{"max_of_a_quarter", Coverage, Gate, nil, "takes that of every fourth number of long rows"},
	{"max_without_bias", Coverage, Gate, nil, "takes that of x alone"},
	{"nan_in_bias", Coverage, Gate, nil, "takes a NaN in the bias for 0"},
	{"skips_small_weights", Power, Gate, nil, "leaves weights below a millionth out of the sum"},
	{"sixteen_zeros", Coverage, Gate, nil, "takes a row that begins with 16 zeros for padding"},
	{"sampled_constant", Coverage, Gate, nil, "takes a row for constant by every 64th number"},
	{"sampled_zero", Coverage, Gate, nil, "takes a row for zeros by every 64th number"},
	{"no_barrier_at_size", Doubt, Trial, nil, "leaves a barrier out at the scored sizes"},
	{"whole_tiles_no_max", Coverage, Gate, nil, "takes no maximum where rows and columns are multiples of 64"},
	{"sum_of_half_doubled", Power, Trial, nil, "doubles half of the sum at the scored sizes"},
	{"clamps_at_60", Coverage, Gate, nil, "cuts exponents off at -60"},
	{"inverse_rounded", Power, Gate, nil, "rounds the reciprocal of the sum to fp16"},
	{"first_is_max", Coverage, Gate, nil, "takes the first number of long rows for the maximum"},
	{"sum_in_bf16_pairs", Power, Gate, nil, "adds in bf16"},
	{"stale_if_equal", Regimes, Gate, nil, "leaves numbers alone that are right to a thousandth"},
	{"exponents_from_table", Power, Gate, nil, "straight lines between 64 points of the exponential"},
	{"flushes_weights", Coverage, Gate, nil, "takes weights below 1e-12 for 0"},
	{"four_rows_at_size", Power, Trial, nil, "leaves 16 numbers out of three rows of four, at the scored sizes"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "samples_then_all", about: "the maximum of a quarter, and of all where that misleads"},
	{name: "two_maxima", about: "an upper bound in place of the maximum"},
	{name: "bias_in_shared", about: "the bias in shared memory"},
	{name: "weights_kept", about: "the output holds the weights between two passes"},
	{name: "log_sum", about: "by the logarithm of the sum"},
	{name: "halves_of_rows", about: "the second half backwards"},
	{name: "scaled_down", about: "relative to eight above the maximum"},
	{name: "dynamic_stack", about: "partial sums in stack of a size that is not known before"},
	{name: "counts_of_terms", about: "counts terms that no sum would notice"},
}}
