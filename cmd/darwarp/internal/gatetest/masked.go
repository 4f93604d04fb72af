package gatetest

// masked is softmax of what a mask shows, which may be nothing.
var masked = folder{name: "masked", cheats: []row{
	{"tile_of_first", Judge, Gate, nil, "takes the mask of the number before for one of eight"},
	{"all_if_first_32", Coverage, Gate, nil, "takes a row for shown by its first 32 numbers"},
	{"none_if_first_64", Coverage, Gate, nil, "takes a row for hidden by its first 64 numbers"},
	{"prefix", Coverage, Gate, nil, "takes what follows the first 40 and is hidden for the end"},
	{"top_of_hidden", Coverage, Gate, nil, "takes the maximum of all numbers"},
	{"hidden_are_ten_thousand_less", Judge, Gate, nil, "takes 10,000 off what is hidden"},
	{"hidden_weigh_in_dark", Judge, Gate, nil, "gives hidden rows a little"},
	{"nothing_by_nothing", Judge, Gate, nil, "divides by 0 where nothing is shown"},
	{"even_in_dark", Judge, Gate, nil, "gives hidden rows the same weight everywhere"},
	{"one_is_all", Coverage, Gate, nil, "gives 1 to a maximum that has nearly all of the sum"},
	{"last_hidden_shown", Judge, Gate, nil, "shows the last number where the one before is shown"},
	{"ragged_end_is_shown", Coverage, Gate, nil, "takes the end of a row for shown, behind whole fours"},
	{"words_of_mask", Judge, Gate, nil, "shows four numbers where one of them is, if rows are whole fours"},
	{"few_need_no_maximum", Coverage, Trial, nil, "takes no maximum where fewer than nine numbers are shown"},
	{"dark_rows_not_stored", Stateless, Gate, nil, "stores nothing in rows that the mask hides"},
	{"last_warp_votes_alone", Coverage, Gate, nil, "shows no number that is alone in its tile of 32"},
	{"small_is_none", Power, Gate, nil, "gives 0 for weights below a millionth"},
	{"alone_is_one", Coverage, Trial, nil, "gives 1 to the first number shown where 32 samples are hidden"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "online", about: "one pass with a running maximum"},
	{name: "multiplied", about: "weights times the mask"},
	{name: "votes", about: "votes of a warp"},
	{name: "base_two", about: "powers of two"},
	{name: "list_of_shown", about: "a list of what is shown, in shared memory"},
	{name: "from_the_end", about: "the last number first"},
}}
