package cublaslt

import (
	_ "embed"
	"fmt"
	"strings"
	"unsafe"
)

// names.txt holds the enums of cublasLt.h, one per line: its name, then the names of the values from 0.
//
//go:embed names.txt
var namesText string

var names = parseNames(namesText)

func parseNames(text string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 {
			m[f[0]] = f[1:]
		}
	}
	return m
}

// nameOf is the header's name for a value, or the number of one that is newer than the header.
func nameOf(enum string, v int) string {
	list := names[enum]
	if v < 0 || v >= len(list) || list[v] == "-" {
		return fmt.Sprintf("#%d", v)
	}
	return list[v]
}

// cublasLtMatmulAlgoConfigAttributes_t, with the size of each in bytes.
var (
	configAlgo    = config{0, 4}
	configTile    = config{1, 4}
	configSplitK  = config{2, 4}
	configStages  = config{6, 4}
	configCluster = config{8, 2}
)

type config struct{ id, size uintptr }

// Describe lists the plan's configuration. The tile is in cuBLASLt's terms: N by M of the product.
func (p *Plan) Describe() string {
	return fmt.Sprintf("algo %s, tile %s, stages %s, cluster %s, split-K %s, %.2f waves, %d B workspace",
		p.get(configAlgo, ""), p.get(configTile, "tile"), p.get(configStages, "stages"),
		p.get(configCluster, "cluster"), p.get(configSplitK, ""), p.Waves, p.Workspace)
}

// get reads one figure; an enum's value is shown by name.
func (p *Plan) get(c config, enum string) string {
	l := p.m.l
	var v uint32 // little-endian: two bytes fill the low half
	var written uint64
	err := l.call(l.p.AlgoConfigGet, uintptr(unsafe.Pointer(&p.algo)), c.id, uintptr(unsafe.Pointer(&v)), c.size,
		uintptr(unsafe.Pointer(&written)))
	switch {
	case err != nil:
		return "unknown"
	case enum == "":
		return fmt.Sprint(int32(v))
	}
	return nameOf(enum, int(v))
}
