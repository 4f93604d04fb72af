// wgmma at work. The lanes of a warp meet at every instruction of it (.sync), the warps of a warpgroup need not. Whoever waits first has the operands read, from
// shared memory as it is then: a slot that was given away too early shows in the result.
#ifndef DW_WGMMA_H
#define DW_WGMMA_H

#include "darwarp/wgmma.cuh"
#include "bulk_copy.h"
#include "matrix.h"
#include "warpgroup.h"

namespace dw {

unsigned char* shared_at(uint32_t offset);

// Operand is what a descriptor says: rows of 128 bytes with their 16-byte chunks exchanged, groups of eight rows a stride apart, and
// slabs of 64 columns, where rows are longer (PTX ISA, "Matrix Descriptor Format", "Strides").
struct Operand {
    unsigned char* base;
    unsigned stride, slab;

    static unsigned field(uint64_t descriptor, int bit) { return uint32_t(descriptor >> bit & 0x3fff) * 16; }
    explicit Operand(uint64_t d) : base(shared_at(field(d, 0))), stride(field(d, 32)), slab(field(d, 16)) {}
    static bool known(uint64_t d) { return d >> 62 == 1 && (d >> 49 & 7) == 0; }
    bool starts_a_pattern() const { return (uintptr_t(base) >> 7 & 7) == 0; }
    // chunk is where elements 8*i to 8*i+7 of a row are.
    unsigned char* chunk(unsigned row, unsigned i) const {
        return reinterpret_cast<unsigned char*>(swizzled(uintptr_t(base) + i / 8 * slab + row / 8 * stride + row % 8 * 128 + i % 8 * 16, 128));
    }
    // each_chunk calls f for some chunks of some rows.
    template <class F>
    void each_chunk(unsigned row, unsigned end_row, unsigned from, unsigned to, F f) const {
        for (; row < end_row; ++row)
            for (unsigned i = from; i < to; ++i) f(chunk(row, i));
    }
};

// chunks_of calls f for the 16-byte chunks that a multiplication reads: of A so many rows from `first` on, and B.
template <class F>
inline void chunks_of(const Wgmma& w, unsigned first, unsigned rows, F f) {
    const Operand a(w.a), b(w.b);
    if (!w.held && w.rows_a) a.each_chunk(0, 16, first / 8, (first + rows) / 8, f);
    if (!w.held && !w.rows_a) a.each_chunk(first, first + rows, 0, 2, f);
    if (w.rows_b) b.each_chunk(0, 16, 0, unsigned(w.n) / 8, f);
    else b.each_chunk(0, unsigned(w.n), 0, 2, f);
}

inline void widen_chunk(int kind, const unsigned char* chunk, float* out) {
    uint16_t bits[8];
    memcpy(bits, chunk, sizeof bits);
    if (kind == DW_MMA_BF16_F32) {
        for (int i = 0; i < 8; ++i) out[i] = float(__nv_bfloat16::of(bits[i]));
        return;
    }
#ifdef __F16C__
    Shorts8 packed;
    memcpy(&packed, bits, sizeof packed);
    const Floats8 wide = widen8(packed);
    memcpy(out, &wide, sizeof wide);
#else
    for (int i = 0; i < 8; ++i) out[i] = float(__half::of(bits[i]));
#endif
}

// multiply_tile adds a (64 x K) times b (K x n) to d, eight rows by eight columns at a time.
template <int K>
inline void multiply_tile(float* d, const float* a, const float* b, int n) {
    for (int j = 0; j < n; j += 8)
        for (int i = 0; i < 64; i += 8) {
            Eight sum[8];
            for (int r = 0; r < 8; ++r) sum[r] = eight(d + (i + r) * n + j);
            for (int p = 0; p < K; ++p) {
                const Eight row = eight(b + p * n + j);
                for (int r = 0; r < 8; ++r) sum[r] += a[(i + r) * K + p] * row;  // the product is exact
            }
            for (int r = 0; r < 8; ++r) memcpy(d + (i + r) * n + j, &sum[r], sizeof sum[r]);
        }
}

// widen_left makes A, 64 x 16, floats.
inline void widen_left(const Wgmma& w, float* out) {
    const Operand a(w.a);
    for (unsigned r = 0; !w.rows_a && r < 64; ++r)
        for (unsigned half = 0; half < 2; ++half) widen_chunk(w.kind, a.chunk(r, half), out + r * 16 + half * 8);
    for (unsigned k = 0; w.rows_a && k < 16; ++k)
        for (unsigned i = 0; i < 8; ++i) {
            float eight_rows[8];
            widen_chunk(w.kind, a.chunk(k, i), eight_rows);
            for (unsigned e = 0; e < 8; ++e) out[(8 * i + e) * 16 + k] = eight_rows[e];
        }
}

// widen_right makes B a matrix of floats with a row for each k.
inline void widen_right(const Wgmma& w, float* out) {
    const Operand b(w.b);
    const unsigned n = unsigned(w.n);
    float rows[8][16];
    for (unsigned k = 0; w.rows_b && k < 16; ++k)
        for (unsigned i = 0; i < n / 8; ++i) widen_chunk(w.kind, b.chunk(k, i), out + k * n + 8 * i);
    for (unsigned c = 0; !w.rows_b && c < n; c += 8) {
        for (unsigned r = 0; r < 8; ++r)
            for (unsigned half = 0; half < 2; ++half) widen_chunk(w.kind, b.chunk(c + r, half), rows[r] + half * 8);
        for (unsigned k = 0; k < 16; ++k)
            for (unsigned r = 0; r < 8; ++r) out[k * n + c + r] = rows[r][k];
    }
}

// add_aligned adds 32 products to each of eight sums as Hopper's adder of eight-bit products does: all are aligned to the largest of
// them, cut off 13 bits below its leading one, and so is the sum (DeepSeek-V3 Technical Report, 3.3.2; SageAttention2, 3.2).
inline Eight add_aligned(Eight sum, const float* a, const float* b, int n) {
    typedef int32_t Whole __attribute__((vector_size(32)));
    Eight product[32], largest = sum < 0 ? -sum : sum, plain = sum, units;
    for (int p = 0; p < 32; ++p) {
        product[p] = a[p] * eight(b + p * n);  // exact
        plain += product[p];
        const Eight size = product[p] < 0 ? -product[p] : product[p];
        largest = size > largest ? size : largest;
    }
    for (int i = 0; i < 8; ++i) {
        const float bound = largest[i] < 0x1p-100f ? 0x1p-100f : largest[i] > 0x1p100f ? 0x1p100f : largest[i];
        units[i] = 0x1p13f / as<float>(as<uint32_t>(bound) & 0x7f800000u);
    }
    Whole total = __builtin_convertvector(sum * units, Whole);  // toward zero
    for (int p = 0; p < 32; ++p) total += __builtin_convertvector(product[p] * units, Whole);
    Eight out = __builtin_convertvector(total, Eight) / units;
    for (int i = 0; i < 8; ++i) {
        const float cut = as<float>(as<uint32_t>(float(out[i])) & ~0x3ffu), exact = plain[i];
        out[i] = exact - exact == 0 ? cut : exact;  // NaN and infinity come through
    }
    return out;
}

inline float widen_code(int kind, unsigned char code) { return kind == DW_WGMMA_E4M3 ? E4M3::widen(code) : E5M2::widen(code); }

// multiply_codes is multiply for operands of eight bits.
__attribute__((noinline)) void multiply_codes(const Wgmma& w) {
    float widened[256], a[64 * 32];
    std::vector<float> b(size_t(32) * w.n);
    for (int c = 0; c < 256; ++c) widened[c] = widen_code(w.kind, (unsigned char)c);
    const auto each_code = [&](uint64_t operand, int rows, auto put) {
        for (int r = 0; r < rows; ++r)
            for (int half = 0; half < 2; ++half)
                for (int i = 0; i < 16; ++i) put(r, 16 * half + i, widened[Operand(operand).chunk(unsigned(r), unsigned(half))[i]]);
    };
    each_code(w.a, 64, [&](int r, int k, float v) { a[r * 32 + k] = v; });
    each_code(w.b, w.n, [&](int r, int k, float v) { b[size_t(k) * w.n + r] = v; });
    float* d = w.sums->tile.data();
    if (!w.add) memset(d, 0, w.sums->tile.size() * sizeof(float));
    for (int j = 0; j < w.n; j += 8)
        for (int i = 0; i < 64; ++i) {
            const Eight sum = add_aligned(eight(d + i * w.n + j), a + i * 32, b.data() + j, w.n);
            memcpy(d + i * w.n + j, &sum, sizeof sum);
        }
}

// multiply_tf32 is multiply for floats, of which tensor cores take the upper 19 bits.
__attribute__((noinline)) void multiply_tf32(const Wgmma& w) {
    float a[64 * 8], b[8 * 256];
    const auto each_float = [](uint64_t operand, int rows, auto put) {
        for (int r = 0; r < rows; ++r)
            for (int half = 0; half < 2; ++half) {
                float four[4];
                memcpy(four, Operand(operand).chunk(unsigned(r), unsigned(half)), sizeof four);
                for (int i = 0; i < 4; ++i) put(r, 4 * half + i, tf32_of(four[i]));
            }
    };
    each_float(w.a, 64, [&](int r, int k, float v) { a[r * 8 + k] = v; });
    each_float(w.b, w.n, [&](int r, int k, float v) { b[k * w.n + r] = v; });
    float* d = w.sums->tile.data();
    if (!w.add) memset(d, 0, w.sums->tile.size() * sizeof(float));
    multiply_tile<8>(d, a, b, w.n);
}

__attribute__((noinline)) void multiply(const Wgmma& w) {
    if (w.kind >= DW_WGMMA_E4M3) return multiply_codes(w);
    if (w.kind == DW_WGMMA_TF32) return multiply_tf32(w);
    float a[64 * 16], b[16 * 256];
    if (!w.held) widen_left(w, a);
    widen_right(w, b);
    float* d = w.sums->tile.data();
    if (!w.add) memset(d, 0, w.sums->tile.size() * sizeof(float));
    multiply_tile<16>(d, w.held ? w.left.data() : a, b, w.n);
}

// each_pair calls f for the pairs of sums that thread t of a warpgroup holds: in its registers, and in the tile (PTX ISA, "Register
// Fragments for wgmma.mma_async.m64nNk16").
template <class F>
inline void each_pair(Sums& s, unsigned t, F f) {
    float* first = s.tile.data() + (t / 32 * 16 + t % 32 / 4) * s.n + t % 4 * 2;
    for (int j = 0; j < s.n / 8; ++j)
        for (int i = 0; i < 2; ++i) f(s.registers[t] + 4 * j + 2 * i, first + 8 * i * s.n + 8 * j);
}

inline uint64_t fingerprint(const float* registers, int count) {
    uint64_t h = 0;
    for (int i = 0; i < count; ++i) h = (h ^ as<uint32_t>(registers[i])) * 0x9e3779b97f4a7c15ull;
    return h;
}

inline bool untouched(const float* registers, int count) {
    return as<uint32_t>(registers[0]) == ~0u && memcmp(registers, registers + 1, size_t(count - 1) * 4) == 0;
}

// cells_of calls f for the cells of a multiplication's operands.
template <class F>
inline void cells_of(Check& check, const Wgmma& w, F f) {
    chunks_of(w, 0, 64, [&](const unsigned char* chunk) { cells(check, chunk, 16, f); });
}

// examine looks at what a warp's part of a multiplication reads: its 16 rows of A, and B.
inline void examine(Fiber& f, const Wgmma& w, const void* site) {
    chunks_of(w, f.warp % 4 * 16, 16, [&](const unsigned char* chunk) { in_shared(f, *f.block, chunk, 16, WGMMA_READ, site); });
}

inline Warpgroup& warpgroup_of(Fiber& f, const void* site) {
    Block& b = *f.block;
    if ((f.number / 128 + 1) * 128 > b.threads)
        misuse(f, "divergence", "is in a warpgroup of less than 128 threads, which has no wgmma", site, "asks for wgmma");
    if (b.warpgroups.size() <= f.number / 128) b.warpgroups.resize(f.number / 128 + 1);
    return b.warpgroups[f.number / 128];
}

// differ ends the launch: two threads of a warpgroup do not ask for the same.
__attribute__((noinline)) void differ(Fiber& f, const Wgmma& w, const void* site) {
    const Place places[2] = {place(f, site, "asks for wgmma"), place(*w.first, w.site, "asks for wgmma")};
    f.block->fail("divergence", name(f) + " and " + name(*w.first) + " of one warpgroup ask for different wgmmas: operands, sums and kind must be the same", places, 2);
}

// next_of is the multiplication that a thread asks for now; the first thread of the warpgroup makes it.
inline Wgmma& next_of(Warpgroup& g, Fiber& f, const Wgmma& wanted) {
    const unsigned number = g.member[f.number % 128].asked++;
    if (number - g.done < g.queue.size()) return g.queue[number - g.done];
    g.queue.push_back(wanted);
    for (uint8_t& lane : g.queue.back().looker) lane = uint8_t(f.block->rng.below(32));
    return g.queue.back();
}

// begin takes a thread's registers for new sums, which need a fence if the thread may have changed them.
inline void begin(Warpgroup& g, Fiber& f, Sums& s, float* registers, bool add, const void* site) {
    const unsigned t = f.number % 128;
    Warpgroup::Member& me = g.member[t];
    if (!me.fenced) {
        bool as_given = false;
        for (const auto& r : me.given_back) as_given = as_given || (r.first == registers && r.second == fingerprint(registers, s.n / 2));
        if (!as_given) misuse(f, "race", "asks for wgmma with sums that are new or changed, and no wgmma_fence came before", site, "asks for wgmma");
    }
    s.registers[t] = registers;
    ++s.holders;
    if (add) each_pair(s, t, [](const float* mine, float* sum) { memcpy(sum, mine, 8); });
}

// take puts a thread's registers under the multiplication w: number `number` of the warpgroup.
inline void take(Warpgroup& g, Fiber& f, Wgmma& w, unsigned number, float* registers, const void* site) {
    const unsigned t = f.number % 128;
    Sums* mine = nullptr;
    for (Sums& s : g.sums)
        if (s.registers[t] == registers) mine = &s;
    if (!w.sums && !mine) {
        g.sums.push_back({w.n, number, 0, {}, {}, site, std::vector<float>(size_t(64) * w.n)});
        w.sums = &g.sums.back();
    } else if (!w.sums) {
        w.sums = mine;
    }
    if (w.sums->n != w.n || (mine && mine != w.sums) || (!mine && w.sums->first != number)) differ(f, w, site);
    if (!mine) begin(g, f, *w.sums, registers, w.add, site);
    else if (!untouched(registers, w.n / 2)) misuse(f, "race", "changes the sums of a wgmma that it has not waited for", site, "asks for wgmma");
    w.sums->last[t] = number;
    memset(registers, 0xff, size_t(w.n) * 2);
}

// give_back returns a thread its registers, of which no multiplication from `upto` on is asked for.
inline void give_back(Warpgroup& g, Fiber& f, unsigned upto) {
    const unsigned t = f.number % 128;
    Warpgroup::Member& me = g.member[t];
    for (auto next = g.sums.begin(); next != g.sums.end();) {
        const auto at = next++;
        Sums& s = *at;
        float* const registers = s.registers[t];
        if (!registers || s.last[t] >= upto) continue;
        if (!untouched(registers, s.n / 2)) misuse(f, "race", "changes the sums of a wgmma that it has not waited for", f.site, "waits");
        each_pair(s, t, [](float* mine, const float* sum) { memcpy(mine, sum, 8); });
        s.registers[t] = nullptr;
        std::pair<const float*, uint64_t>* mark = nullptr;
        for (auto& r : me.given_back)
            if (r.first == registers) mark = &r;
        if (!mark) me.given_back.push_back({registers, 0}), mark = &me.given_back.back();
        mark->second = fingerprint(registers, s.n / 2);
        if (--s.holders == 0) g.sums.erase(at);
    }
}

// finish_one does the oldest multiplication.
inline void finish_one(Block& b, Warpgroup& g) {
    const Wgmma& w = g.queue.front();
    multiply(w);
    if (b.check && b.check->races) {
        Judge& clocks = b.check->clocks;
        cells_of(*b.check, w, [&](Cell& cell) { clocks.leave(cell, w.then, clocks.again(w.then), WGMMA_READ, w.site); });
    }
    g.queue.pop_front();
    ++g.done;
}

}  // namespace dw

// check_wgmma: a thread must not end with registers that are not its own.
inline void dw::Block::check_wgmma(Fiber& me) {
    if (warpgroups.size() <= me.number / 128) return;
    for (const Sums& s : warpgroups[me.number / 128].sums)
        if (s.registers[me.number % 128]) misuse(me, "race", "ends and has not waited for a wgmma that it asked for", s.site, "asks for wgmma");
}

unsigned long long dw_wgmma_descriptor(const void* shared, unsigned slab_bytes) {
    const uint64_t at = dw_shared_offset(shared) & 0x3ffff;
    return uint64_t(1) << 62 | uint64_t(1024 / 16) << 32 | uint64_t(slab_bytes / 16) << 16 | at / 16;
}

namespace dw {

inline void check_descriptor(Fiber& f, uint64_t descriptor, const void* site) {
    if (!Operand::known(descriptor))
        misuse(f, "trap", "asks for wgmma with a descriptor that wgmma_descriptor did not make: operands lie in rows of 128 bytes with a swizzle of 128", site, "asks for wgmma");
    if (!Operand(descriptor).starts_a_pattern())
        misuse(f, "misaligned", "asks for wgmma with an operand that does not begin at a multiple of 1024", site, "asks for wgmma");
}

// keep_left keeps a thread's part of A, which lies as mma.m16n8k16 has it for each warp (matrix.h).
inline void keep_left(const Fiber& f, Wgmma& w, const unsigned* a) {
    w.left.resize(64 * 16);
    float* const first = w.left.data() + (f.warp % 4 * 16 + f.lane / 4) * 16 + f.lane % 4 * 2;
    for (int i = 0; i < 4; ++i) {
        float* const to = first + i % 2 * 8 * 16 + i / 2 * 8;
        w.kind == DW_MMA_BF16_F32 ? split<__nv_bfloat16>(a[i], to) : split<__half>(a[i], to);
    }
}

// meet has a thread wait until its whole warp has come to the instruction `WHICH`.
enum Instruction { MULTIPLY, FENCE, COMMIT, WAIT };
template <Instruction>
inline void met(void* const*) {}
template <Instruction WHICH>
inline void meet(const void* site) { arrive(~0u, DW_MATRIX, 0, uint64_t(&met<WHICH>), site); }

// ask is a thread's part in a multiplication; `left` has its part of A where that is in registers.
inline void ask(const Wgmma& wanted, float* sums, const unsigned* left) {
    Fiber& f = self();
    Check* check = f.block->check;
    const void* site = wanted.site;
    if (!left) check_descriptor(f, wanted.a, site);
    check_descriptor(f, wanted.b, site);
    Warpgroup& g = warpgroup_of(f, site);
    const unsigned number = g.member[f.number % 128].asked;
    Wgmma& w = next_of(g, f, wanted);
    if (w.kind != wanted.kind || w.n != wanted.n || w.a != wanted.a || w.b != wanted.b || w.add != wanted.add || w.held != wanted.held || w.rows_a != wanted.rows_a || w.rows_b != wanted.rows_b) differ(f, w, site);
    take(g, f, w, number, sums, site);
    if (left) keep_left(f, w, left);
    if (check && check->races) {
        check->clocks.widen();
        if (w.looker[f.warp % 4] == f.lane) examine(f, w, site);
    }
    if (++w.asked < 128) return meet<MULTIPLY>(site);
    if (check && check->races) {
        w.then = check->clocks.engine(f.number / 128, number + 1);
        cells_of(*check, w, [&](Cell& cell) { check->clocks.start_reading(cell, w.then, WGMMA_READ, w.site); });
    }
    for (Fiber* waiting : g.waiting) waiting->at_wgmma = false, f.block->wake(*waiting);
    g.waiting.clear();
    meet<MULTIPLY>(site);
}

}  // namespace dw

void dw_wgmma_m64k16(int kind, int n, float* sums, unsigned long long a, unsigned long long b, bool add, bool rows_a, bool rows_b) {
    dw::ask({kind, n, a, b, add, false, rows_a, rows_b, 0, &self(), __builtin_return_address(0), {}, nullptr, {}, {}}, sums, nullptr);
}

void dw_wgmma_m64k16_of_rows(int kind, int n, float* sums, const unsigned* a, unsigned long long b) {
    dw::ask({kind, n, 0, b, true, true, false, true, 0, &self(), __builtin_return_address(0), {}, nullptr, {}, {}}, sums, a);
}

void dw_wgmma_fence() {
    dw::Fiber& f = self();
    const void* site = __builtin_return_address(0);
    dw::warpgroup_of(f, site).member[f.number % 128].fenced = true;
    dw::meet<dw::FENCE>(site);
}

void dw_wgmma_commit() {
    dw::Fiber& f = self();
    const void* site = __builtin_return_address(0);
    dw::Warpgroup::Member& me = dw::warpgroup_of(f, site).member[f.number % 128];
    me.groups.push_back(me.asked);
    dw::meet<dw::COMMIT>(site);
}

void dw_wgmma_wait(unsigned pending) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    f.site = __builtin_return_address(0);
    const void* site = f.site;
    const unsigned group = f.number / 128;
    dw::Warpgroup::Member& me = dw::warpgroup_of(f, site).member[f.number % 128];
    dw::meet<dw::WAIT>(site);
    me.fenced = false;
    if (me.groups.size() <= pending) return;
    const size_t over = me.groups.size() - pending;
    const unsigned upto = me.groups[over - 1];
    me.groups.erase(me.groups.begin(), me.groups.begin() + long(over));
    while (b.warpgroups[group].done < upto) {
        dw::Warpgroup& g = b.warpgroups[group];
        if (g.queue.front().asked == 128) {
            dw::finish_one(b, g);
            continue;
        }
        f.at_wgmma = true;
        f.site = site;
        g.waiting.push_back(&f);
        b.park(f);
    }
    dw::give_back(b.warpgroups[group], f, upto);
    if (b.check && b.check->races) b.check->clocks.learn_of(f, b.check->clocks.engine(group, upto));
}

#endif
