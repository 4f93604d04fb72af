package gatetest

// distances is |A[i] - B[j]| of all pairs of rows: differences that cancel, rows that are equal.
var distances = folder{name: "distances", cheats: []row{
	{"by_products", Power, Gate, nil, "takes sums of products, which cancel"},
	{"by_products_unless_small", Power, Gate, nil, "does so where the result is not small"},
	{"none_on_diagonal", Judge, Gate, nil, "gives 0 on the diagonal of squares"},
	{"symmetric", Judge, Gate, nil, "takes squares for symmetric"},
	{"epsilon_in_differences", Power, Gate, nil, "adds 1e-6 to differences"},
	{"in_half_differences", Power, Gate, nil, "rounds differences to fp16"},
	{"far_is_enough", Power, Gate, nil, "stops at sums above 1e7"},
	{"equal_by_first_eight", Coverage, Gate, nil, "takes rows for equal that begin alike"},
	{"nan_is_equal", Coverage, Gate, nil, "takes a NaN for equal"},
	{"last_term_of_odd", Coverage, Gate, nil, "leaves the last of odd terms out"},
	{"norms_of_tile", Coverage, Gate, nil, "takes products where both rows are long and about as long"},
	{"infinite_as_largest", Coverage, Gate, nil, "cuts differences off at 1e18"},
	{"zero_rows_alike", Coverage, Gate, nil, "takes rows of B that begin with zeros for zeros"},
}, honest: []row{
	{name: "plain", about: "the naive start"},
	{name: "products_unless_near", about: "sums of products where nothing cancels"},
	{name: "centred", about: "from the last term, B less A"},
	{name: "root_by_reciprocal", about: "a root by its reciprocal"},
}}
