package eval_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"

	"darwarp/kernels"
)

// Opcodes of sm_90's machine code, as in overlap_test.go.
const (
	opLDG  = 0x981 // a load
	opR2UR = 0x2ca // from a lane's register to one that all lanes share
)

// sharedLoads counts the loads of a kernel whose results go from lanes' registers to shared ones, within so many
// instructions behind them: there the warp waits for memory.
func sharedLoads(t *testing.T, image []byte, entry string) (loads, shared int) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	section := f.Section(".text." + entry)
	if section == nil {
		t.Fatalf("no kernel %s", entry)
	}
	code, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	const near = 64
	asked := map[byte]int{} // the register of a load -> instructions to go
	for ; len(code) >= 16; code = code[16:] {
		for r := range asked {
			if asked[r]--; asked[r] == 0 {
				delete(asked, r)
			}
		}
		switch op := binary.LittleEndian.Uint16(code) & 0xfff; {
		case op == opLDG:
			loads++
			asked[code[2]] = near
		case op == opR2UR && asked[code[3]] > 0:
			shared++
		default:
			delete(asked, code[2])
		}
	}
	return loads, shared
}

// TestScalesAreNotWaitedFor: no scale of a group of terms goes to a register that all lanes share. The assembler put
// that of the columns there, and so each step waited for the scales of the next one.
func TestScalesAreNotWaitedFor(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p := compiler(t, "sm_90a")
	b := ofRun(t, "gemm_fp8", 6) // scales of blocks
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	for _, genes := range []string{
		"block_m=256 block_n=128 stages=3 consumers=2", "block_m=128 block_n=128 stages=5 consumers=2",
		"block_m=128 block_n=128 stages=6 consumers=2 sum_sets=2",
	} {
		g := f.Defaults()
		for _, kv := range strings.Fields(genes) {
			name, value, _ := strings.Cut(kv, "=")
			g[name] = kernels.ParseValue(value)
		}
		job, err := b.Job(f, g, dev, kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		loads, shared := sharedLoads(t, compiles(t, p, genes, job.Source).Cubin, "grouped_product")
		if loads < 10 || shared > 0 {
			t.Errorf("%s: %d of %d loads go to registers that lanes share, expected none of 10 and more", genes,
				shared, loads)
		}
	}
}
