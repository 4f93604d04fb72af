package gatetest

// adam is a step of an optimizer: four inputs and three outputs, number by number.
var adam = folder{name: "adam", cheats: []row{
	{"epsilon_under_root", Coverage, Gate, nil, "adds the epsilon under the root"},
	{"nothing_without_gradient", Coverage, Gate, nil, "leaves all as it is where a gradient is 0"},
	{"nan_gradient_is_none", Coverage, Trial, nil, "takes a NaN among the gradients for 0"},
	{"small_gradient_squared_is_none", Coverage, Trial, nil, "takes a small gradient's square for 0"},
	{"step_at_most", Coverage, Gate, nil, "cuts steps off at a quarter"},
	{"mean_of_next_in_tail", Coverage, Gate, nil, "takes the next mean behind the last whole word"},
	{"root_of_rsqrt_approx", Power, Gate, nil, "a root by an integer and a step of Newton's"},
	{"decay_before_if_small", Coverage, Gate, nil, "no decay of small weights"},
	{"square_not_new_by_samples", Coverage, Trial, nil, "takes 128 gradients for nothing new by three of them"},
	{"mean_unwritten_if_same", Regimes, Duel, nil, "stores only means that are not there already"},
	{"gradient_at_most", Coverage, Trial, nil, "cuts gradients off at 10,000"},
	{"square_as_it_is", Coverage, Trial, nil, "keeps the sign of small squares"},
	{"all_zero_words_left", Judge, Gate, nil, "gives 0 where weight and gradient are"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "three_launches", about: "an output a launch, the last of the other two"},
	{name: "by_difference", about: "a mean by how it changes"},
	{name: "reciprocal_root", about: "by a reciprocal root and the epsilon's first order"},
	{name: "in_double", about: "in fp64"},
	{name: "words_with_tail", about: "four numbers a thread, then the rest"},
	{name: "template_of_steps", about: "factors as members of a template"},
	{name: "outputs_as_scratch", about: "an output holds a part of itself between launches"},
}}
