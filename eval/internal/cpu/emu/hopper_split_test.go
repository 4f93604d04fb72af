package emu

import "testing"

// TestPlantedInShares plants bugs in a point whose blocks share the terms of a sum: those of a cluster send each other
// their sums, and clusters pass theirs on as words that speak for themselves. The first is none, and comes out right.
func TestPlantedInShares(t *testing.T) {
	needCompiler(t)
	job := hopperJob(t, "gemm", 132, map[string]any{"block_n": 32, "stages": 2, "split_k": 4, "split_cluster": 2,
		"shares": "interleaved", "handover": "direct"})
	for _, c := range []mutation{
		{"none", "", "", ""},
		{"bytes not awaited", "mbarrier_wait(all_sent(warp), 0);", "", "race"},
		{"sent before the barriers are there",
			"        __syncwarp();\n        cluster_wait();  // the barriers", "        //", "race|trap"},
		{"too few bytes announced", "SPLIT_CLUSTER * M_TILES * OWN * 32 * sizeof(float4));\n",
			"M_TILES * OWN * 32 * sizeof(float4));\n", "race|deadlock"},
		{"columns of another block", "ADDERS, j / OWN, make_float4", "ADDERS, (j / OWN) ^ 1, make_float4", "wrong"},
		{"room of another block", "room + cluster_rank() *", "room + (cluster_rank() ^ 1) % 1 *", "race|wrong"},
		{"not every plane is added", "p + i < PLANES) {\n", "p + i < PLANES - 1) {\n", "wrong"},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, &job, 70, 40, 600) })
	}
}
