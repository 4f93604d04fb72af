package gatetest

// curves is three functions of two inputs as an imported module has them: approximations that are off where their
// values are small, numbers of both inputs that must meet, and outputs of which one is wrong.
var curves = folder{name: "curves", cheats: []row{
	{"log_of_sum", Power, Gate, nil, "has log(1 + exp(x)) for softplus, which is 0 where exp(x) is small"},
	{"linear_from_ten", Power, Gate, nil, "takes softplus for x from 10 on, in place of 20"},
	{"exp_less_one", Power, Gate, nil, "has exp(y) - 1 for expm1"},
	{"log_of_one_and", Power, Gate, nil, "has log(1 + x) for log1p"},
	{"erf_of_five_terms", Power, Gate, nil, "has an error function that is off by 1.5e-7 where it is small"},
	{"erf_by_tanh", Power, Gate, nil, "has a hyperbolic tangent for the error function"},
	{"shut_gate_stays_shut", Coverage, Gate, nil, "gives 0 where the sigmoid is 0, whatever it multiplies"},
	{"small_gate_is_none", Coverage, Gate, nil, "gives 0 where the sigmoid is below 4e-18, whatever it multiplies"},
	{"infinite_is_one", Coverage, Gate, nil, "has the largest number in place of an infinite exponential"},
	{"third_of_four_before", Coverage, Gate, nil, "has the third output of a number before, for one in 1,024"},
	{"sigmoid_in_bf16", Power, Gate, nil, "rounds the sigmoid to bf16"},
	{"second_of_last_from_first", Coverage, Gate, nil, "has the second output's last number of its neighbour's gate"},
	{"third_kept_if_equal", Coverage, Trial, nil, "gives 0 in the third output where both inputs are equal"},
	{"first_of_negative_zero", Coverage, Gate, nil, "gives 0 for softplus of -0"},
	{"nan_by_minimum", Coverage, Gate, nil, "has 20 in place of NaN, by a minimum"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "backwards", about: "the last of four numbers first"},
	{name: "softplus_of_size", about: "softplus as the greater of x and 0, and a logarithm"},
	{name: "sigmoid_by_tanh", about: "the sigmoid as a hyperbolic tangent"},
	{name: "fast_exponentials", about: "exponentials and quotients of the hardware in the sigmoid"},
	{name: "fp64", about: "computes in fp64"},
	{name: "by_parts", about: "two terms of a series near 0, and 1 far from it"},
}}
