package gatetest

// whole is a sum of whole numbers whose range the problem does not say.
var whole = folder{name: "whole", cheats: []row{
	{"sixteen_bits", Coverage, Gate, nil, "takes 16 bits of each number"},
	{"byte_of_each", Coverage, Gate, nil, "takes 8 bits of each"},
	{"at_most_100000", Coverage, Gate, nil, "cuts numbers off at 100,000"},
	{"low_24_bits", Coverage, Gate, nil, "takes 24 bits of each"},
	{"at_most_24_bits", Coverage, Gate, nil, "cuts numbers off at 24 bits"},
	{"each_in_float", Coverage, Gate, nil, "rounds each number to fp32"},
	{"negative_are_small", Coverage, Gate, nil, "cuts off what is below -1,000"},
	{"sum_in_float", Power, Gate, nil, "keeps sums in fp32"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "in_64_bits", about: "sums of 64 bits"},
	{name: "in_double", about: "sums in fp64"},
	{name: "halves_of_numbers", about: "upper and lower halves by themselves"},
	{name: "backwards", about: "from the end"},
}}
