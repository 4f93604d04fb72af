// The trusted device code around a candidate: it makes the inputs, guards the buffers, and hashes
// what was written. It is compiled into a module of its own and never sees a candidate's source.
//
// Every value is a function of (seed, tensor, index) alone, so that two processes make the same
// inputs: the one that runs candidates and the one that computes the truth.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef unsigned int u32;

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
__device__ __forceinline__ u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// unit maps 32 random bits to (0, 1).
__device__ __forceinline__ float unit(u32 bits) { return (bits + 0.5f) * 0x1p-32f; }

// normal is the Box-Muller transform of 64 random bits.
__device__ __forceinline__ float normal(u64 r) {
  float radius = sqrtf(-2.0f * logf(unit((u32)r)));
  return radius * cosf(6.28318530718f * unit((u32)(r >> 32)));
}

// Input classes, in the order of Classes in classes.go.
enum { NORMAL, UNIFORM, CANCEL, ONEHOT, WIDE, EXACT, DENORMAL, LARGE, OFFSET, EXTREME, CONSTANT, ZEROS, LEAD, TINY, HUGE_, NEEDLES, SPECIAL, SHIFT, OUTLIER,
       SINGLE, ORDERED, ALIKE };

// Line is how a tensor falls into lines, along which the terms of a sum lie, and where an element is in its own.
struct Line {
  u64 inner, len, count; // elements apart, elements of a line, lines
  u64 number, at;
  u32 coins; // four, of which the variants of a class are made
};

__device__ __forceinline__ float sign(u64 r) { return (r >> 40) & 1 ? -1.0f : 1.0f; }

// Element types, in the order of DTypeCodes in inputs.go.
enum { FP16, BF16, FP32, I32, E4M3, E5M2, E8M0, I8, U8, I64, MASK };

// least is the smallest normal number of a type.
__device__ __forceinline__ float least(int dtype) {
  return dtype == FP16 || dtype == E5M2 ? 0x1p-14f : dtype == E4M3 ? 0x1p-6f : 0x1p-126f;
}

// spread is how far numbers near 1 are from it, so that there are some of them in a type.
__device__ __forceinline__ float spread(int dtype) { return dtype == E4M3 ? 0x1p-2f : dtype == E5M2 ? 0x1p-1f : 0x1p-6f; }

// tiny: every other line is small, as small as any, each by its own measure; the rest below the smallest normal number of the type.
__device__ float tiny(int dtype, u64 r, u64 key, Line l) {
  u64 h = mix(key ^ l.number);
  int power = dtype == E4M3 ? -5 : dtype == E5M2 ? -12 : -20 - (l.coins & 2 && dtype != FP16 ? (int)(h >> 32) & 63 : 0);
  if (l.coins & 1) return ldexpf(normal(r), power);
  return sign(r) * unit((u32)r) * least(dtype);
}

// huge: lines that add up to a hundred thousand and more, or to millions; types of few exponents go to the end of their range.
__device__ float huge(int dtype, u64 r, Line l) {
  if (l.coins & 1) return normal(r) * (dtype == E4M3 ? 64.0f : 4096.0f);
  if (dtype == E4M3) return sign(r) * (1.0f + unit((u32)r)) * 0x1p7f;
  return dtype == FP16 || dtype == E5M2 ? sign(r) * (1.0f + unit((u32)r)) * 0x1p14f : normal(r) * 0x1p24f;
}

// extreme: near the end of the type, where the sum of a line is still within it.
__device__ float extreme(int dtype, u64 r, Line l) {
  int e = 122;
  for (u64 n = 1; n < l.len; n *= 2) e--;
  return sign(r) * ldexpf(1.0f + unit((u32)r), dtype == FP16 || dtype == E5M2 ? 14 : dtype == E4M3 ? 7 : e);
}

// dust is what is between needles: the neutral number, but where this is 0 one so small that no sum tells it from 0. A kernel that
// leaves zeros out is none the quicker for needles.
__device__ float dust(int dtype, u64 r, float neutral) {
  if (neutral != 0.0f || dtype > FP32) return neutral;
  return sign(r) * (1.0f + unit((u32)r)) * (dtype == FP16 ? 0x1p-24f : 0x1p-40f);
}

// needles: up to 64 terms of a line count, one in each of as many parts of it, at a place drawn anew; the first and the last
// of the line in half of all lines, and always where there is one line. The others are dust.
__device__ float needle(int dtype, u64 r, u64 key, Line l, float neutral) {
  u64 n = l.len < 128 ? (l.len + 1) / 2 : 64, part = l.at * n / l.len;
  u64 begin = (part * l.len + n - 1) / n, end = ((part + 1) * l.len + n - 1) / n;
  u64 h = mix(key ^ mix(l.number * n + part)), place = begin + h % (end - begin);
  bool outer = (h >> 63) || l.count == 1;
  if (part == 0 && outer) place = 0;
  else if (part == n - 1 && outer) place = l.len - 1;
  return l.at == place ? sign(r) * (0.5f + unit((u32)r)) : dust(dtype, r, neutral);
}

// odd_place is where the odd one of a line stands: at its end in one line of four, among its last 32 or first 8 in another, where
// loops have their tails and their heads; in the others at the edge of a chunk, of 32 numbers or any power of two beyond, or anywhere.
// h are random bits of the line.
__device__ u64 odd_place(u64 h, Line l) {
  u64 any = h & 0x3fffffff, before = (h >> 57) & 1;
  bool edge = (h >> 56) & 1;
  if (l.coins >> 2 == 0) return l.len - 1;
  if (l.coins >> 2 == 1 && edge) return before ? 0 : any % min(l.len, (u64)8);
  if (l.coins >> 2 == 1) return l.len - 1 - any % min(l.len, (u64)32);
  if (edge && l.len > 64) {
    u64 power = 5 + ((h >> 48) & 0xff) % (u64)(64 - __clzll((long long)(l.len - 1)) - 5);
    return ((1 + any % ((l.len - 1) >> power)) << power) - before;
  }
  return l.len - 1 - any % l.len;
}

// single: one term of a line counts, the others are neutral.
__device__ float single(u64 r, u64 key, Line l, float neutral) {
  return l.at == odd_place(mix(key ^ mix(l.number)), l) ? sign(r) * (0.5f + unit((u32)r)) : neutral;
}

// grid is the nearest number of few bits, so that some are equal, and some half-way between codes.
__device__ __forceinline__ float grid(float v) { return rintf(v * 64.0f) / 64.0f; }

// ordered: numbers rise along a line, or fall; or rise but for few; or one in 2 to 128 of them, that many apart, is above the others.
__device__ float ordered(u64 r, u64 key, Line l) {
  u64 h = mix(key ^ mix(l.number)), apart = 2ull << (h >> 32) % 7;
  float rising = grid(((float)l.at + 0.5f) * (8.0f / (float)l.len) - 4.0f);
  switch (l.coins & 3) {
  case 0: return grid(normal(h)) + rising;
  case 1: return grid(normal(h)) - rising;
  case 2: return ((r >> 32) & 63) == 0 ? normal(r) * 4.0f : rising;
  default: return normal(r) + (l.at % apart == (h >> 40) % apart ? 8.0f : 0.0f);
  }
}

// alike: lines of all inputs are nearly one, which is normal: equal, or off by a part in 8 to 512, as far as the type tells.
__device__ float alike(u64 r, u64 common, Line l) {
  float v = normal(mix(common ^ mix(l.at)));
  return l.coins & 3 ? v + normal(r) * ldexpf(1.0f, -12 + 3 * (int)(l.coins & 3)) : v;
}

// masked: numbers that stand for nothing fill a line, or begin it, up to half: whole tiles of -inf, as of keys that a mask hides.
__device__ bool masked(u64 h, Line l) { return l.coins >> 2 < 2 || (h >> 63 == 0 && l.at < l.len / 2); }

// special: one inf and one NaN, in lines drawn anew, or one of the two alone: where all lines have outputs in common an inf may make
// the NaN that another kernel forgets. Where lines are of many classes, one of them is in each that is special. Some lines that have
// a -inf have nothing else, or begin with many; there a NaN has a second one in its line, or nothing but -inf.
__device__ float special(u64 r, u64 key, Line l, bool every) {
  u64 h = mix(key ^ mix(l.number)), kind = every ? 0 : key >> 62; // 2: the NaN alone, 3: the inf alone
  bool nan = every || l.count == 1 ? l.coins & 1 : l.number == mix(key ^ 1) % l.count;
  bool inf = every || l.number == mix(key ^ 2) % l.count;
  if (kind == 2 && l.count == 1) nan = true;
  if (kind == 2) inf = false;
  if (kind == 3) nan = false;
  if (every && nan && l.coins & 2) {
    if (l.coins >> 2 == 2 && l.at != odd_place(h, l)) return __int_as_float(0xff800000);
    if (l.coins >> 2 == 3 && l.at == mix(h) % l.len) return __int_as_float(0x7fc00000);
  }
  if (inf && !nan && l.coins & 2 && masked(h, l)) return __int_as_float(0xff800000);
  if (!(inf || nan) || l.at != odd_place(h, l)) return normal(r);
  return nan ? __int_as_float(0x7fc00000) : __int_as_float(l.coins & 2 ? 0xff800000 : 0x7f800000);
}

// shift: each line is around a number of its own, from 8 to 128, often near that, and of either sign: exponentials of all are 0, or too large.
__device__ float shift(u64 r, u64 key, Line l) {
  u64 h = mix(key ^ mix(l.number));
  float u = unit((u32)h), size = exp2f(l.coins & 2 ? 7.0f - 2.0f * u * u : 3.0f + 2.0f * u);
  return normal(r) + (l.coins & 1 ? -size : size);
}

// outlier: one number of each line stands out from the others, which are normal, or all equal. In some it is only 4 to 20 more
// than all others, which are equal: of exponentials many that are small count as much together as the large one. At the end of its line
// it is large in any case, and mostly positive: nothing but that shows what a loop's tail leaves out.
__device__ float outlier(u64 r, u64 key, Line l) {
  u64 h = mix(key ^ mix(l.number));
  bool last = l.coins >> 2 == 0;
  float equal = normal(mix(h));
  equal = copysignf(fmaxf(fabsf(equal), 0x1p-6f), equal); // leastEqual of cpu/classesline.go says why
  if (!last && !(l.coins & 3)) return equal + (l.at == odd_place(h, l) ? 4.0f + 16.0f * unit((u32)(h >> 16)) : 0.0f);
  if (l.at == odd_place(h, l)) return (l.coins == 3 || (!last && l.coins & 2) ? -1.0f : 1.0f) * exp2f(last ? 7.0f + 3.0f * unit((u32)r) : 5.0f + 5.0f * unit((u32)r));
  return l.coins & 1 ? normal(r) : equal;
}

// lead: how many numbers of a line are zeros: one, or up to half of it.
__device__ u64 lead(u64 key, Line l) { return max(l.len >> (1 + (mix(key ^ mix(l.number)) & 7)), (u64)1); }

// sparse says whether a line of the class has a single number that is not 0, where lines are of many classes: who takes parts of a line
// for zeros by some of their numbers sees none of it.
__device__ bool sparse(bool every, Line l) { return every && l.coins >> 2 == 3; }

// only is 0 but at one place of the line. h are random bits of the line.
__device__ float only(u64 r, u64 h, Line l) { return l.at == mix(h) % l.len ? sign(r) * (0.5f + unit((u32)r)) : 0.0f; }

// sampled says whether a number is beside an eighth of its line, where who tells a line by a few numbers looks. The last one is not.
__device__ bool sampled(Line l) {
  u64 after = l.at + 1;
  return l.len >= 32 && after < l.len && (l.at * 8 % l.len < 8 || after * 8 % l.len < 8);
}

__device__ float sample(int cls, bool every, int dtype, int tensor, u64 i, u64 r, u64 key, u64 common, Line l, float neutral) {
  switch (cls) {
  case UNIFORM: return unit((u32)r);
  // Terms near 1 in magnitude whose sum nearly cancels: the first tensor alternates in sign.
  case CANCEL: return (tensor == 0 && (i & 1) ? -1.0f : 1.0f) * (1.0f + unit((u32)r) * spread(dtype));
  // The first tensor picks few elements of the others: a wrong index gives a wrong number.
  case ONEHOT: return tensor == 0 ? ((r & 15) == 0 ? 1.0f : 0.0f) : normal(mix(r));
  // Magnitudes from 2^-5 to 2^5, so that a sum of a few thousand products still fits fp16.
  case WIDE: return sign(r) * exp2f(unit((u32)r) * 10.0f - 5.0f);
  // -1, 0, 1: every partial sum is an integer that fp32 holds exactly, in any order.
  case EXACT: return (float)((int)(r % 3) - 1);
  case DENORMAL: return sign(r) * unit((u32)r) * fmaxf(least(dtype), 0x1p-14f);
  // Magnitudes from 2^5 to 2^10: exponentials overflow fp32, and sums of squares overflow fp16.
  case LARGE: return sign(r) * exp2f(unit((u32)r) * 5.0f + 5.0f);
  // The first tensor far from 0 by its own measure: a variance as a difference of two means loses its digits.
  case OFFSET: return normal(r) + (tensor == 0 ? 256.0f : 0.0f);
  case EXTREME: return extreme(dtype, r, l);
  case CONSTANT: return normal(mix(key ^ mix(l.number))); // all numbers of a line are equal
  case ZEROS: return l.coins & 1 ? copysignf(0.0f, sign(r)) : 0.0f; // -0 is equal to 0, and other bits
  case LEAD:
    if (sparse(every, l)) return only(r, mix(key ^ mix(l.number)), l);
    return l.at < lead(key, l) || (l.coins & 1 && l.at + (lead(key, l) + 1) / 2 >= l.len) || (l.coins & 2 && sampled(l)) ? 0.0f : normal(r);
  case TINY: return tiny(dtype, r, key, l);
  case HUGE_: return huge(dtype, r, l);
  case NEEDLES: return needle(dtype, r, key, l, neutral);
  case SPECIAL: return special(r, key, l, every);
  case SHIFT: return shift(r, key, l);
  case OUTLIER: return outlier(r, key, l);
  case SINGLE: return single(r, key, l, neutral);
  case ORDERED: return ordered(r, key, l);
  case ALIKE: return alike(r, common, l);
  default: return normal(r);
  }
}

// RARE, beside the bits of classes: few lines are of them, and the others normal.
const u32 RARE = 1u << 31;

// STRIPED: lines of a class stand together.
const u32 STRIPED = 1u << 30;

// LONE, beside the bits of classes: a single line is of one of them, and the others normal.
const u32 LONE = 1u << 29;

// COMB: one in eight lines is of the classes, by turns those that many apart, or an eighth of all that stand together.
const u32 COMB = 1u << 28;

// comb says whether a line is one of them. part gets how many there are before it.
__device__ __forceinline__ bool comb(Line l, u64 key, u64 &part) {
  u64 slot = mix(~key) >> 60, eighth = slot & 7;
  part = l.number;
  if (slot < 8) return part /= 8, l.number % 8 == eighth;
  return l.number * 8 / l.count == eighth;
}

// Few lines of many are hard: each class once, and up to four times where they are no more than one line in 1,024.
__device__ __forceinline__ u64 few(u64 lines, u64 classes) {
  u64 each = min(max(lines / (1024 * classes), (u64)1), (u64)4);
  return min(each * classes, (lines + 1) / 2);
}

// shift is how far the turns of a line's block of 64 are from those of the first: lines that stand a power of two apart, as those of
// two halves or of two planes, are not always of the same class.
__device__ __forceinline__ u64 shift_of(Line l, u64 key) { return l.number / 64 ? mix(~key ^ (l.number / 64)) & 0xff : 0; }

// hard says whether a line is one of the few. These are one, at a place drawn anew, in each of as many equal parts of
// all lines. part gets the number of the line's part.
__device__ __forceinline__ bool hard(Line l, u64 key, u64 parts, u64 &part) {
  part = l.number * parts / l.count;
  u64 begin = (part * l.count + parts - 1) / parts, end = ((part + 1) * l.count + parts - 1) / parts;
  return l.number == begin + mix(~key ^ mix(part)) % (end - begin);
}

// float8 rounds v to nearest, ties to even, to a format with so many bits of mantissa, least normal exponent and code of the
// largest number. What is too large saturates, except infinity, for which there is a code of its own.
__device__ unsigned char float8(float v, int mantissa, int emin, u32 last, u32 inf) {
  u32 bits = __float_as_uint(v), sign = bits >> 24 & 0x80, drop = 23 - mantissa;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return 0x7f;
  if (bits == 0x7f800000u) return (unsigned char)(sign | inf);
  u32 code = 0;
  if (bits < (u32)(127 + emin) << 23) code = (u32)rintf(ldexpf(__uint_as_float(bits), mantissa - emin));
  else code = ((bits + (1u << (drop - 1)) - 1 + (bits >> drop & 1)) >> drop) - ((u32)(126 + emin) << mantissa);
  return (unsigned char)(sign | min(code, last));
}

// byte_of is v in a type of one byte: check.ByteBits.
__device__ unsigned char byte_of(int dtype, float v) {
  switch (dtype) {
  case E4M3: return float8(v, 3, -6, 0x7e, 0x7f);
  case E5M2: return float8(v, 2, -14, 0x7b, 0x7c);
  case E8M0: // the power of two nearest to v by their ratio: mantissas from that of the root of 2 on carry
    if (!(v > 0.0f) || __float_as_uint(v) == 0x7f800000u) return 0xff;
    return (unsigned char)min((__float_as_uint(v) + 0x800000u - 0x3504f4u) >> 23, 254u);
  case I8: return (unsigned char)(signed char)fmaxf(-128.0f, fminf(127.0f, v));
  default: return (unsigned char)fmaxf(0.0f, fminf(255.0f, v));
  }
}

__device__ __forceinline__ void put(void *out, u64 i, int dtype, float v) {
  if (dtype == FP16) ((__half *)out)[i] = __float2half_rn(v);
  else if (dtype == BF16) ((__nv_bfloat16 *)out)[i] = __float2bfloat16_rn(v);
  else if (dtype == FP32) ((float *)out)[i] = v;
  else if (dtype == I32) ((int *)out)[i] = (int)v;
  else if (dtype == I64) ((long long *)out)[i] = (long long)v;
  else ((unsigned char *)out)[i] = byte_of(dtype, v);
}

// ranged is a number from low to high, drawn evenly by its logarithm; a power of two where outputs are compared bit for bit. low
// and high are normal and positive.
__device__ float ranged(bool exact, u64 r, float low, float high) {
  int first = (int)((__float_as_uint(low) + 0x7fffff) >> 23) - 127, last = (int)(__float_as_uint(high) >> 23) - 127;
  if (exact) return ldexpf(1.0f, first + (int)((u32)(r >> 32) % (u32)(last - first + 1)));
  float a = log2f(low), b = log2f(high);
  return fminf(fmaxf(exp2f(a + unit((u32)r) * (b - a)), low), high);
}

// reached is by how many powers of two the numbers of a line are more or less than its range, one line of two not at all.
__device__ int reached(u64 line, u64 key, int down, int up) {
  u64 r = mix(key ^ mix(line + 1));
  return r >> 63 ? 0 : (int)((r >> 32) % (u64)(down + up + 1)) - down;
}

// dw_fill writes n elements of tensor number `tensor`. classes has a bit for each class; where there are several, lines take
// turns. Lines have len elements, inner apart. Where low is less than high, both as bits, numbers that are not
// whole are drawn from that range instead, with either sign where it is to be so, and as far beyond it as reached says.
extern "C" __global__ void dw_fill(void *out, u64 n, int dtype, u32 classes, int tensor, u64 seed, u64 inner, u64 len, u32 neutral,
                                   u32 low, u32 high, int down, int up, int either) {
  u64 key = mix(seed ^ mix((u64)tensor + 1));
  if (__uint_as_float(low) < __uint_as_float(high)) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
      float v = ranged(classes == 1u << EXACT, mix(key + i), __uint_as_float(low), __uint_as_float(high));
      v = ldexpf(v, reached(i / (inner * len) * inner + i % inner, key, down, up));
      put(out, i, dtype, either && mix(~key + i) & 1 ? -v : v);
    }
    return;
  }
  bool lone = classes & LONE, combed = classes & COMB, rare = lone || combed || classes & RARE, striped = classes & STRIPED;
  classes &= ~(RARE | STRIPED | LONE | COMB);
  int count = __popc(classes), turn = (int)(mix(key) % count);
  u64 lines = (n + len - 1) / len, parts = lone ? 1 : rare ? few(lines, count) : 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    Line l = {inner, len, lines, i / (inner * len) * inner + i % inner, i / inner % len, 0};
    u64 turns = striped ? l.number * count / lines : l.number + shift_of(l, key);
    bool normal = combed ? !comb(l, key, turns) : rare && !hard(l, key, parts, turns);
    // Of other inputs than the first every other line is normal: where all of a short one were zeros, no output would tell.
    if (tensor > 0 && count > 1 && !rare && !striped) {
      normal = (l.number + (key >> 32)) & 1;
      turns = l.number / 2 + shift_of(l, key);
    }
    u32 left = normal ? 1u << NORMAL : classes;
    l.coins = (u32)(count > 1 && !striped ? turns / count + mix(key) : mix(key ^ mix(l.number)) >> 60) & 15;
    if (left == classes)
      for (int skip = (int)((turns + turn) % count); skip > 0; skip--) left &= left - 1;
    float v = sample(__ffs(left) - 1, count > 1, dtype, tensor, i, mix(key + i), key, mix(~seed), l, __uint_as_float(neutral));
    put(out, i, dtype, v);
  }
}

// place is where a permutation of the numbers below n takes i. A Feistel network permutes a power of four that is no less than n
// (Luby, Rackoff, 1988); what it takes beyond n it takes on from there.
__device__ u64 place(u64 i, u64 n, u64 key) {
  u64 half = (64 - (n > 1 ? __clzll((long long)(n - 1)) : 64) + 1) / 2, mask = (1ull << half) - 1;
  do {
    u64 left = i >> half, right = i & mask;
    for (u64 round = 0; round < 4; round++) {
      u64 next = left ^ (mix(key + right + (round << 32)) & mask);
      left = right, right = next;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

// nearly_in_order is a permutation that few samples take for the identity, for one turned round, or for a shift: in few places, and in
// one at least, four numbers move by one. Others are any order.
__device__ u64 nearly_in_order(u64 i, u64 n, u64 key) {
  u64 kind = key >> 60, at = i / 4;
  if ((kind & 3) == 3) return place(i, n, key);
  if ((at + 1) * 4 <= n && (at == mix(key) % (n / 4) || mix(key ^ mix(at)) % 256 == 0)) i = at * 4 + (i + 1) % 4;
  if (kind == 2 || kind == 6) return n - 1 - i;
  return (kind & 3) == 2 ? (i + mix(~key) % n) % n : i;
}

// at_edges gives every fourth number the greatest value and every fourth the least. Of the others one is anywhere between, and one
// a multiple of 16 to 256, or beside it: tiles and pages end there.
__device__ long long at_edges(u64 i, u64 key, long long low, long long high) {
  u64 r = mix(key + i), turn = (i + (key >> 32)) & 3;
  if (turn == 0) return high;
  if (turn == 1) return low;
  if (turn == 2) return low + (long long)(r % (u64)(high - low + 1));
  long long tile = 16ll << ((r >> 8) % 5), first = low / tile, last = high / tile;
  long long v = (first + (long long)((r >> 16) % (u64)(last - first + 1))) * tile + (long long)((r >> 4) % 3) - 1;
  return min(max(v, low), high);
}

// offset is where line i of n - 1 lines begins, that of the end the greatest value: beside where it would begin if all were as long,
// by so much that no line is shorter than the least value, if that is possible.
__device__ long long offset(u64 i, u64 n, u64 key, long long least, long long end) {
  if (i == 0) return 0;
  if (i == n - 1) return end;
  long long lines = (long long)n - 1, each = end / lines, even = (long long)i * each + (long long)i * (end % lines) / lines;
  long long room = max(0ll, (each - max(least, 0ll)) / 2);
  return at_edges(i, key, even - room, even + room);
}

// skewed is where line i of n - 1 lines begins: halves of the lines, halves of these, and so on, get unlike shares of what the lines
// have beyond the least value: an even one, any, or as at_edges has it, which may be all or nothing.
__device__ long long skewed(u64 i, u64 n, u64 key, long long least, long long end) {
  if (i == n - 1) return end;
  long long lines = (long long)n - 1, line = (long long)i, each = max(least, 0ll), rest = end - lines * each;
  if (each >= end / lines) return line * (end / lines) + line * (end % lines) / lines;
  long long low = 0, high = lines, at = 0;
  for (u64 node = 1; high - low > 1; node *= 2) {
    long long middle = (low + high) / 2, half = rest * (middle - low) / (high - low);
    u64 r = mix(key ^ mix(node));
    if (r >> 62 == 1) half = (long long)(r % (u64)(rest + 1));
    if (r >> 62 > 1) half = at_edges(r, key, 0, rest);
    if (line < middle) high = middle, rest = half;
    else low = middle, at += half, rest -= half, node++;
  }
  return line * each + at;
}

// clustered gives blocks of numbers, of four kinds in turn: any numbers, or all of them the tensor's favourite; one number or the
// favourite; either end of the range, or the number beside it; and rising ones. Blocks have 8 to 512 numbers, and fewer where not all kinds would occur.
__device__ long long clustered(u64 i, u64 n, u64 key, long long low, long long high) {
  u64 length = 8ull << 2 * (key >> 40 & 3);
  while (length > 1 && 4 * length > n) length /= 2;
  u64 block = i / length, r = mix(key + i), h = mix(key ^ mix(block)), count = (u64)(high - low + 1), turn = (block + (key >> 32)) & 3;
  u64 v = r % count;
  if ((turn == 0 && (key >> 48 & 1)) || (turn == 1 && h >> 63)) v = mix(~key) % count;
  else if (turn == 1) v = h % count;
  else if (turn == 2) v = min(r >> 1 & 1, count - 1), v = r & 1 ? count - 1 - v : v;
  else if (turn == 3) v = (h % count + i % length) % count;
  return low + (long long)v;
}

// agreed gives one number, of either end of the range or any, or all in their order, as of positions; but in a few places, one at
// least, or in none.
__device__ long long agreed(u64 i, u64 n, u64 key, long long low, long long high) {
  u64 count = (u64)(high - low + 1), r = mix(key + i), kind = key >> 40 & 3;
  bool odd = i == mix(~key) % n || (r >> 32) % 4096 == 0;
  if (odd && (key >> 42 & 1)) return low + (long long)(r % count);
  return low + (long long)(kind == 0 ? 0 : kind == 1 ? count - 1 : kind == 2 ? mix(key) % count : i % count);
}

// unbounded gives numbers of either sign, as often of each number of bits up to that of high; one in 1024, from half of -low on, is as
// large as those of a whole line together.
__device__ long long unbounded(u64 i, u64 key, long long low, long long high) {
  u64 r = mix(key + i), most = (u64)high >> (r >> 40) % (u64)(64 - __clzll(high));
  if ((r >> 48) % 1024 == 0) most = (u64)-low;
  long long v = (long long)(most - (r >> 8 & 0xffffffffull) % ((most + 1) / 2));
  return r & 1 ? -v : v;
}

// Ways to draw whole numbers, in the order of drawCodes in inputs.go.
enum { EVENLY, LENGTHS, PERMUTATION, OFFSETS, SKEWED, CLUSTERED, NEARLY_IN_ORDER, AGREED, UNBOUNDED };

// dw_draw writes n whole numbers from low to high; as a permutation each from 0 to n - 1 once. One in `share` is another
// number, but for one that is not, whatever the seed: of rows that are left out some remain.
extern "C" __global__ void dw_draw(void *out, u64 n, int dtype, int tensor, u64 seed, long long low, long long high, int how,
                                   u64 share, long long also) {
  u64 key = mix(seed ^ mix((u64)tensor + 1));
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    long long v = how == PERMUTATION ? (long long)place(i, n, key)
                  : how == LENGTHS   ? at_edges(i, key, low, high)
                  : how == OFFSETS   ? offset(i, n, key, low, high)
                  : how == SKEWED    ? skewed(i, n, key, low, high)
                  : how == NEARLY_IN_ORDER ? (long long)nearly_in_order(i, n, key)
                  : how == CLUSTERED ? clustered(i, n, key, low, high)
                  : how == AGREED    ? agreed(i, n, key, low, high)
                  : how == UNBOUNDED ? unbounded(i, key, low, high)
                                     : low + (long long)(mix(key + i) % (u64)(high - low + 1));
    if (share && i != key % n && mix(~key + i) % share == 0) v = also;
    if (dtype == I64) ((long long *)out)[i] = v;
    else if (dtype == I32) ((int *)out)[i] = (int)v;
    else ((unsigned char *)out)[i] = (unsigned char)v;
  }
}

// dw_erase makes elements from to to of all lines, or of one, the number that adds nothing.
extern "C" __global__ void dw_erase(void *out, u64 n, int dtype, u64 inner, u64 len, u64 from, u64 to, u64 line, u32 neutral) {
  float v = __uint_as_float(neutral);
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    u64 at = i / inner % len, number = i / (inner * len) * inner + i % inner;
    if (at < from || at >= to || (line != ~0ull && number != line)) continue;
    put(out, i, dtype, v);
  }
}

// A region is a stretch of memory that dw_guard writes or dw_inspect reads: Region in region.go. Regions come by value, for
// what lies in device memory is within a candidate's reach. `first` is the number of a region's first chunk.
enum { GUARD, HASH, ZERO, COPY };
struct Region { unsigned char *at; u64 bytes, key; u32 first; unsigned short kind, counter; };
struct Regions { Region list[64]; u32 n, chunks; };

constexpr u64 CHUNK = 64 << 10;
constexpr u64 PLACE = (1ull << 48) - 1;

__device__ __forceinline__ const Region &region_of(const Regions &all, u32 chunk) {
  u32 low = 0, high = all.n - 1;
  while (low < high) {
    const u32 middle = (low + high + 1) / 2;
    if (all.list[middle].first <= chunk) low = middle; else high = middle - 1;
  }
  return all.list[low];
}

// A guard zone holds, in the aligned word at an address, a function of that address. It may begin and end at any byte.
__device__ __forceinline__ u64 pattern(u64 key, u64 address) { return mix(key + (address >> 3)); }

extern "C" __global__ void dw_guard(const __grid_constant__ Regions all) {
  for (u32 c = blockIdx.x; c < all.chunks; c += gridDim.x) {
    const Region &r = region_of(all, c);
    const u64 start = (u64)r.at, first = start + (c - r.first) * CHUNK, end = min(first + CHUNK, start + r.bytes);
    for (u64 w = (first & ~7ull) + 8 * threadIdx.x; w < end; w += 8 * blockDim.x) {
      const u64 v = pattern(r.key, w);
      if (w >= first && w + 8 <= end) *(u64 *)w = v;
      else for (u64 b = max(w, first); b < min(w + 8, end); b++) *(unsigned char *)b = (unsigned char)(v >> (8 * (b & 7)));
    }
  }
}

// others is the number of bytes in which two words differ.
__device__ __forceinline__ u32 others(u64 a, u64 b) {
  u32 n = 0;
  for (u64 x = a ^ b; x; x >>= 8) n += (x & 255) != 0;
  return n;
}

// strayed is the number of bytes between first and end that are not the pattern, or not zero. Whole pairs of words are
// loaded four at a time: memory is far away.
__device__ __forceinline__ u64 strayed(const Region &r, u64 first, u64 end) {
  const bool guard = r.kind == GUARD;
  const u64 pairs = min((first + 15) & ~15ull, end), rest = max(pairs, end & ~15ull);
  u64 wrong = 0;
  for (u64 w = pairs + 16 * threadIdx.x; w < rest; w += 64 * blockDim.x) {
    ulonglong2 v[4];
    for (int k = 0; k < 4; k++) if (w + 16 * k * blockDim.x < rest) v[k] = *(const ulonglong2 *)(w + 16 * k * blockDim.x);
    for (int k = 0; k < 4; k++) {
      const u64 at = w + 16 * k * blockDim.x;
      if (at < rest) wrong += others(v[k].x, guard ? pattern(r.key, at) : 0) + others(v[k].y, guard ? pattern(r.key, at + 8) : 0);
    }
  }
  const u64 before = pairs - first;  // bytes that are no whole pairs, and those after
  for (u64 i = threadIdx.x; i < before + (end - rest); i += blockDim.x) {
    const u64 b = i < before ? first + i : rest + (i - before);
    wrong += *(const unsigned char *)b != (unsigned char)((guard ? pattern(r.key, b) : 0) >> (8 * (b & 7)));
  }
  return wrong;
}

// hashed is the hash of a chunk: it depends on every byte and its place within the region, whatever the order of the threads, and
// not on where the region lies. at is 16-byte aligned. The judge's comparison hashes outputs in the same way. What is hashed is
// copied to `to`, which is 16-byte aligned too, unless that is null.
__device__ __forceinline__ u64 hashed(const Region &r, u64 key, unsigned char *to, u64 from, u64 end) {
  const ulonglong2 *words = (const ulonglong2 *)r.at;
  const u64 step = 0x9e3779b97f4a7c15ull;
  u64 sum = 0;
#pragma unroll 4
  for (u64 i = from / 16 + threadIdx.x; i < end / 16; i += blockDim.x) {
    const ulonglong2 v = words[i];
    const u64 place = key + 2 * i * step;
    if (to) ((ulonglong2 *)to)[i] = v;
    sum += mix(v.x ^ place) + mix(v.y ^ (place + step));
  }
  const u64 last = end / 16 * 2, tail = end & ~7ull; // half a pair, and bytes: of the last chunk only
  if (threadIdx.x == 0 && tail > 8 * last) {
    const u64 v = *(const u64 *)(r.at + 8 * last);
    if (to) *(u64 *)(to + 8 * last) = v;
    sum += mix(v ^ (key + last * step));
  }
  if (tail + threadIdx.x < end) {
    const unsigned char v = r.at[tail + threadIdx.x];
    if (to) to[tail + threadIdx.x] = v;
    sum += mix(v ^ mix(key + ~(u64)threadIdx.x));
  }
  return sum;
}

// inspect adds to the counter of each region what is to be known of it: bytes that are not the guards' pattern, bytes that are
// not zero, or a hash. The key of what is copied as well is the address of its copy, below the key of its hash. part is shared
// memory, a word for each warp.
__device__ __forceinline__ void inspect(const Regions &all, u64 *counters, u64 *part) {
  for (u32 c = blockIdx.x; c < all.chunks; c += gridDim.x) {
    const Region &r = region_of(all, c);
    const u64 from = (c - r.first) * CHUNK, to = min(from + CHUNK, r.bytes);
    u64 sum = 0;
    if (r.kind == COPY) sum = hashed(r, r.key & ~PLACE, (unsigned char *)(r.key & PLACE), from, to);
    else if (r.kind == HASH) sum = hashed(r, r.key, nullptr, from, to);
    else sum = strayed(r, (u64)r.at + from, (u64)r.at + to);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (u32 i = 1; i < blockDim.x / 32; i++) sum += part[i];
      if (sum) atomicAdd(counters + r.counter, sum);
    }
    __syncthreads();
  }
}

// dw_inspect inspects regions.
extern "C" __global__ void dw_inspect(const __grid_constant__ Regions all, u64 *counters) {
  __shared__ u64 part[32];
  inspect(all, counters, part);
}

// wild makes a NaN of 16 random bits: as a float, and each half as fp16 and as bf16. It is none that arithmetic gives (payloads 0,
// 0x40 and all ones), so that check.Unwritten knows an element that nobody wrote.
__device__ __forceinline__ u32 wild(u32 random) {
  u32 out = 0;
  for (int half = 0; half < 2; half++) {
    const u32 r = random >> (8 * half);
    u32 payload = r & 0x7f;
    if (payload == 0 || payload == 0x40 || payload == 0x7f) payload ^= 0x15;
    out |= (0x7f80u | payload | (r & 0x80) << 8) << (16 * half);
  }
  return out;
}

// A stretch of memory that is filled with what nobody can foresee: Refilling in refilling.go. Without a palette with NaNs, with one
// with the values of it, in any order and with their last bits changed as `low` allows: they look like results. size is that of an
// element, 2 or 4, or 0 for zeros; at is 16-byte aligned.
struct Refilling { unsigned char *at; u64 bytes, key; const u32 *palette; u32 size, low; };
struct Refillings { Refilling list[16]; u64 n; };
constexpr u32 PALETTE = 1024; // elements

// foreseen_by_nobody is the i-th 16 bytes of a stretch, with the palette in `table`.
__device__ __forceinline__ uint4 foreseen_by_nobody(const Refilling &f, u64 i, const u32 *table) {
  const unsigned short *halves = (const unsigned short *)table;
  const u64 r = mix(f.key + i), s = r * 0xd1b54a32d192ed03ull ^ r >> 29;
  u32 w[4];
  if (!f.size) {
    for (int k = 0; k < 4; k++) w[k] = 0;
  } else if (!f.palette) {
    for (int k = 0; k < 4; k++) w[k] = wild((u32)(r >> (16 * k)));
  } else if (f.size == 4) {
    w[0] = table[r & 1023], w[1] = table[r >> 10 & 1023], w[2] = table[r >> 20 & 1023], w[3] = table[r >> 30 & 1023];
    for (int k = 0; k < 4; k++) w[k] ^= (u32)(s >> (13 * k)) & f.low;
  } else {
    w[0] = halves[r & 1023] | (u32)halves[r >> 10 & 1023] << 16, w[1] = halves[r >> 20 & 1023] | (u32)halves[r >> 30 & 1023] << 16;
    w[2] = halves[s & 1023] | (u32)halves[s >> 10 & 1023] << 16, w[3] = halves[s >> 20 & 1023] | (u32)halves[s >> 30 & 1023] << 16;
    for (int k = 0; k < 4; k++) w[k] ^= (u32)(r >> (40 + 5 * k)) & f.low, w[k] ^= ((u32)(s >> (40 + 5 * k)) & f.low) << 16;
  }
  return make_uint4(w[0], w[1], w[2], w[3]);
}

// refill fills all stretches of a list. table is shared memory for a palette.
__device__ __forceinline__ void refill(const Refillings &all, u32 *table) {
  for (u32 k = 0; k < all.n; k++) {
    const Refilling &f = all.list[k];
    __syncthreads(); // the palette before this one is not needed any more
    if (f.palette) for (u32 i = threadIdx.x; i < PALETTE / 4 * f.size; i += blockDim.x) table[i] = f.palette[i];
    __syncthreads();
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; 16 * i < f.bytes; i += (u64)gridDim.x * blockDim.x) {
      const uint4 v = foreseen_by_nobody(f, i, table);
      if (16 * i + 16 <= f.bytes) { ((uint4 *)f.at)[i] = v; continue; }
      for (u64 b = 16 * i; b < f.bytes; b++) { // an array of the four words would be in local memory
        const u64 half = b & 8 ? (u64)v.w << 32 | v.z : (u64)v.y << 32 | v.x;
        f.at[b] = (unsigned char)(half >> (8 * (b & 7)));
      }
    }
  }
}

// dw_refill fills a list of stretches.
extern "C" __global__ void dw_refill(const __grid_constant__ Refillings all) {
  __shared__ u32 table[PALETTE];
  refill(all, table);
}

// dw_clock records the cycle counter of multiprocessor 0 and the global nanosecond timer: two
// stamps give the true SM clock between them (the method of nvbench). One block a multiprocessor.
extern "C" __global__ void dw_clock(u64 *stamp) {
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != 0 || threadIdx.x != 0) return;
  u64 ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  stamp[0] = clock64();
  stamp[1] = ns;
}

// dw_copy moves n 16-byte words: its rate on a small buffer is the L2 ceiling. What it reads is evicted last, which lets
// what it writes go to memory in a steady stream: 4.08 TB/s instead of 4.00 with 1 GiB on an H200.
extern "C" __global__ void dw_copy(uint4 *dst, const uint4 *src, u64 n) {
  const u64 first = blockIdx.x * (u64)blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x;
#if __CUDA_ARCH__ >= 800
  u64 policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  for (u64 i = first; i < n; i += step) {
    uint4 v;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(src + i), "l"(policy));
    dst[i] = v;
  }
#else
  for (u64 i = first; i < n; i += step) dst[i] = src[i];
#endif
}

// dirt makes NaNs of random bits, or small numbers.
__device__ __forceinline__ u32 dirt(u32 random, int nan) { return nan ? (random & 0x807f807fu) | 0x7f807f80u : (random & 0x807fffffu) | 0x3f000000u; }

// soil leaves dirt all over the shared memory of a multiprocessor: one that reads what it never wrote must not find zeros, the
// answer of an earlier block, or twice the same. bytes is all that a block can have.
__device__ __forceinline__ void soil(uint4 *poisoned, u64 bytes, u64 key, int nan) {
  const u64 seed = mix(key + blockIdx.x * (u64)blockDim.x + threadIdx.x);
  u32 x = (u32)seed, y = (u32)(seed >> 32) | 1;
  for (u64 i = threadIdx.x; i < bytes / 16; i += blockDim.x) {
    x = x * 1664525u + y, y += 0x9e3779b8u;
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"((u32)__cvta_generic_to_shared(poisoned + i)),
                 "r"(dirt(x, nan)), "r"(dirt(y, nan)), "r"(dirt(x ^ y, nan)), "r"(dirt(x + y, nan)) : "memory");
  }
}

// dw_poison fills a list of stretches, and soils the multiprocessors after that.
extern "C" __global__ void __launch_bounds__(1024, 1) dw_poison(const __grid_constant__ Refillings all, u64 bytes, u64 key, int nan) {
  extern __shared__ uint4 poisoned[];
  refill(all, (u32 *)poisoned);
  __syncthreads();
  soil(poisoned, bytes, key, nan);
}

// dw_turn is dw_inspect and then dw_poison, of what the inspection does not read.
extern "C" __global__ void __launch_bounds__(1024, 1) dw_turn(const __grid_constant__ Regions left, u64 *counters,
                                                              const __grid_constant__ Refillings all, u64 bytes, u64 key, int nan) {
  extern __shared__ uint4 poisoned[];
  inspect(left, counters, (u64 *)poisoned);
  refill(all, (u32 *)poisoned);
  __syncthreads();
  soil(poisoned, bytes, key, nan);
}

// dw_poison_N leaves dirt in the local memory of every thread that a multiprocessor can have at once: N bytes of each. Stores and
// loads are written out, so that no compiler sees an array that it could do without; `never` is null.
template <int WORDS> __device__ __forceinline__ void poison_local(u64 key, int nan, u32 *never) {
  u32 frame[WORDS];
  u32 x = (u32)mix(key + blockIdx.x * (u64)blockDim.x + threadIdx.x);
#pragma unroll 8
  for (int i = 0; i < WORDS; i++) {
    x = x * 1664525u + 1013904223u;
    asm volatile("{ .reg .u64 a; cvta.to.local.u64 a, %0; st.local.u32 [a], %1; }" ::"l"(frame + i), "r"(dirt(x, nan)) : "memory");
  }
  u32 last;
  asm volatile("{ .reg .u64 a; cvta.to.local.u64 a, %1; ld.local.u32 %0, [a]; }" : "=r"(last) : "l"(frame + (x >> 8) % WORDS) : "memory");
  if (last == 0 && never) *never = x;  // dirt is never 0
}
extern "C" __global__ void __launch_bounds__(512, 4) dw_poison_256(u64 key, int nan, u32 *never) { poison_local<256 / 4>(key, nan, never); }
extern "C" __global__ void __launch_bounds__(512, 4) dw_poison_1024(u64 key, int nan, u32 *never) { poison_local<1024 / 4>(key, nan, never); }
extern "C" __global__ void __launch_bounds__(512, 4) dw_poison_4096(u64 key, int nan, u32 *never) { poison_local<4096 / 4>(key, nan, never); }
extern "C" __global__ void __launch_bounds__(512, 4) dw_poison_16384(u64 key, int nan, u32 *never) { poison_local<16384 / 4>(key, nan, never); }

// dw_nothing is what a launch costs.
extern "C" __global__ void dw_nothing() {}

// dw_spin keeps the stream busy for ns nanoseconds, so that the host can queue the timed work
// behind it: the work then starts without waiting for the host. It ends by itself, unlike a kernel
// that waits for a flag.
extern "C" __global__ void dw_spin(u64 ns) {
  u64 start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(200);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < ns);
}

// dw_disturb takes parts of the device away from whoever runs beside it, for ns nanoseconds: each block draws again and again
// whether it reads and writes all over memory, wears out a piece as large as L2 may hold, computes, or keeps its place and
// sleeps. n is a power of two. It ends by itself: whoever waits for its place gets it.
extern "C" __global__ void dw_disturb(uint4 *memory, u64 n, u64 near, u64 seed, u64 ns) {
  u64 start, now, state = mix(seed + blockIdx.x);
  float spun = threadIdx.x;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    state = mix(state);
    const u64 reach = (state & 4 ? n : near) - 1;
    switch (state & 3) {
    case 0: // stretches of memory, read and written in full lines
    case 1:
      for (u64 i = 0, at = state >> 8; i < 64; i++, at += blockDim.x) {
        uint4 v = memory[(at + threadIdx.x) & reach];
        v.x += (u32)i;
        memory[(at + threadIdx.x) & reach] = v;
      }
      break;
    case 2:
      for (int i = 0; i < 2048; i++) spun = spun * 1.0001f + 0.5f;
      break;
    default: __nanosleep(1000 + (u32)(state >> 32) % 4000);
    }
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (!__syncthreads_or(now - start >= ns));
  if (spun == 0.0f) memory[0].x = 0; // or the sums would be for nobody
}
