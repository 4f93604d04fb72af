package gatetest

// embedded is rows of a table, each with a row of its own added: indices that agree, or stand in order, nearly all.
var embedded = folder{name: "embedded", cheats: []row{
	{"one_row_if_four_agree", Coverage, Trial, nil, "takes all for one row by four indices"},
	{"in_order_if_ends_are", Coverage, Trial, nil, "takes the table as it lies by three indices"},
	{"in_order_if_four_are", Coverage, Gate, nil, "the same by the first four, from any row on"},
	{"padding_adds_nothing", Coverage, Gate, nil, "leaves out the first row of the table"},
	{"last_row_before", Coverage, Gate, nil, "takes the row before the last for the last"},
	{"sixteen_bits_of_id", Judge, Gate, nil, "takes 16 bits of an index"},
	{"zero_stays", Judge, Gate, nil, "adds nothing to zeros"},
	{"even_columns", Coverage, Gate, nil, "adds pairs of columns, and forgets the last one"},
	{"adds_in_bf16", Power, Gate, nil, "rounds the table's numbers to bf16"},
	{"place_of_last_before", Judge, Gate, nil, "adds the row before to the last of an odd number of tokens"},
	{"saturates", Coverage, Gate, nil, "stores the largest number for what fp16 does not hold"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "pairs", about: "two columns a thread"},
	{name: "int_index", about: "indices in 32 bits"},
	{name: "looks_first", about: "reads a row once where neighbours agree"},
	{name: "half_addition", about: "adds in fp16, which rounds once"},
}}
