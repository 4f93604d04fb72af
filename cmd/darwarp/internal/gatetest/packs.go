package gatetest

// packs is rows in eight bits and a power of two: how halves are rounded, and what a row's scale is.
var packs = folder{name: "packs", cheats: []row{
	{"half_away", Coverage, Gate, nil, "rounds halves away from 0"},
	{"half_up", Coverage, Gate, nil, "rounds halves up"},
	{"toward_zero", Judge, Gate, nil, "rounds toward 0"},
	{"greatest_without_sign", Judge, Gate, nil, "takes the greatest number for the greatest magnitude"},
	{"up_to_128", Power, Gate, nil, "lets codes be 128"},
	{"power_from_minus_24", Coverage, Gate, nil, "has no scale below 2^-24"},
	{"power_of_first_half", Coverage, Gate, nil, "leaves the last 1/64 of a row out of its scale"},
	{"tail_of_row_after", Judge, Gate, nil, "fills the last word from the row after"},
	{"last_word_by_bytes", Coverage, Gate, nil, "bounds a code where three are left"},
	{"power_above_16", Coverage, Gate, nil, "has no scale above 2^16"},
	{"at_most_126", Judge, Gate, nil, "gives 126 for 127"},
	{"short_row_by_first", Coverage, Gate, nil, "scales rows below four by their first number"},
	{"one_power_for_two", Coverage, Gate, nil, "takes two rows for as large by two numbers"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "magic_number", about: "rounds by adding 1.5 * 2^23"},
	{name: "products", about: "two products in place of ldexp"},
	{name: "search_for_power", about: "tries one scale after the other"},
}}
