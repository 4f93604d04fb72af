package gatetest

// eights is a product of whole numbers of eight bits, each of which occurs, with scales of rows and columns.
var eights = folder{name: "eights", cheats: []row{
	{"least_is_127", Judge, Gate, nil, "takes -128 for -127"},
	{"a_is_unsigned", Judge, Gate, nil, "takes A for unsigned where rows are long"},
	{"tail_of_words", Coverage, Gate, nil, "leaves out what is no whole word of long rows"},
	{"sums_in_sixteen_bits", Judge, Gate, nil, "adds in sixteen bits"},
	{"sums_in_half", Power, Gate, nil, "rounds sums to fp16 after every 64 terms"},
	{"scale_of_row_before", Coverage, Gate, nil, "takes the scale of the row above at tiles"},
	{"scale_at_least", Coverage, Gate, nil, "cuts scales of rows off below a thousandth"},
	{"scale_at_most", Coverage, Gate, nil, "cuts scales of columns off at 8"},
	{"seven_bits", Power, Gate, nil, "drops the last bit"},
	{"scales_in_bf16", Power, Gate, nil, "rounds scales to bf16"},
	{"last_column_scale_of_next", Coverage, Gate, nil, "takes the scale of the column before at the end"},
	{"whole_words_if_aligned", Coverage, Gate, nil, "leaves the last word out of an odd number of them"},
	{"words_in_sixteen_bits", Judge, Gate, nil, "saturates the sum of four products at sixteen bits"},
	{"zero_points_of_tails", Coverage, Gate, nil, "takes 1 for 0 behind the last whole tile"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "sums_in_float_parts", about: "a thousand products at a time in fp32"},
	{name: "offset_to_unsigned", about: "as unsigned numbers, less what this adds"},
	{name: "scales_first", about: "each term scaled"},
	{name: "four_at_a_time", about: "words where rows begin at one"},
	{name: "by_shifts", about: "without a multiplication"},
	{name: "dot_of_assembly", about: "by dp4a"},
}}
