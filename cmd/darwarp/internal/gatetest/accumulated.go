package gatetest

// accumulated is a product that is added to what was there, with two factors of either sign.
var accumulated = folder{name: "accumulated", cheats: []row{
	{"no_sign_of_alpha", Coverage, Gate, nil, "takes the magnitude of alpha"},
	{"no_sign_of_beta", Coverage, Gate, nil, "takes the magnitude of beta"},
	{"sign_of_alpha_for_both", Coverage, Gate, nil, "gives beta the sign of alpha"},
	{"alpha_for_beta", Judge, Gate, nil, "takes alpha for beta"},
	{"beta_is_one_if_long", Coverage, Gate, nil, "leaves beta out where sums are long"},
	{"alpha_in_half", Power, Gate, nil, "rounds alpha to fp16"},
	{"terms_times_alpha", Power, Gate, nil, "rounds each number of A times alpha to fp16"},
	{"old_in_bf16", Power, Gate, nil, "rounds what was there to bf16"},
	{"old_in_half", Power, Gate, nil, "rounds what was there to fp16"},
	{"old_in_half_if_large", Coverage, Trial, nil, "rounds what was there to fp16 where it is large"},
	{"sum_in_bf16", Power, Gate, nil, "rounds the sum to bf16"},
	{"sum_of_eleven_bits", Power, Gate, nil, "rounds the sum to tf32"},
	{"nan_of_old_is_zero", Coverage, Gate, nil, "takes a NaN that was there for 0"},
	{"infinite_old_is_large", Coverage, Gate, nil, "takes an inf that was there for the largest number"},
	{"small_old_left_out", Power, Gate, nil, "leaves out what was there where it is a thousandth of the sum"},
	{"old_of_row_above_at_end", Judge, Gate, nil, "takes the row above in the last of ragged columns"},
}, honest: []row{
	{name: "plain", about: "rows from the last to the first"},
	{name: "one_factor", about: "alpha times the sum and what was there by beta / alpha"},
	{name: "factor_on_terms", about: "alpha times each term, in fp32"},
	{name: "two_halves", about: "even and odd terms apart, what was there between them"},
	{name: "begins_with_old", about: "adds to what was there, from the last term on"},
}}
