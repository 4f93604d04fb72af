// The trusted device code of the judge: it compares outputs with their truth by the error model of eval/internal/check,
// element by element as judge.go there does, and gives the same tallies. Products and sums that decide about an element
// are rounded one by one (__dmul_rn, __dadd_rn), for the compiler must not fuse what the processor does not.
#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef unsigned int u32;

enum { FP16, BF16, FP32, I32, E4M3 };  // dtypeCodes in jobs.go

// Job is one output. Offsets are those of Job.put in jobs.go.
struct Job {
  const unsigned char *out;  // a multiple of 8, as all addresses here
  const double *value;
  const float *scale;
  u64 n;  // elements
  double rel, sum, walk, terms, floor, overflow;  // check.Bounds
  u64 salt;   // of the hash
  u32 first;  // block
  unsigned short dtype, exact;
};

// Tally is what one span of an output adds to its report. Offsets are those of takeTally in jobs.go.
struct Tally {
  double worst, got, want, tol, err2, ref2, scale2;
  u64 index, first, hash;
  u32 bad, poison, odd, differs;
};

#define THREADS 256
#define SPAN (1u << 15)    // check.Span: elements of one block
#define GROUPS 2           // words that a thread loads before it looks at the first
#define MOST 0x1.fffffffffffffp1023
#define MAX_RATIO 1e30     // check.MaxRatio
#define LEFT 64            // check.Left
#define NONE 0xffffffffu

// The element types: their bits and values, and a number rounded once to the type, to nearest with ties to even.
__device__ __forceinline__ double rounded(double v, int mant, int emin, double largest) {
  if (v == 0 || !(fabs(v) <= MOST)) return v;
  int exp = (int)(__double_as_longlong(v) >> 52 & 0x7ff) - 1023;
  double quantum = __longlong_as_double((long long)((exp > emin ? exp : emin) - mant + 1023) << 52);
  double shift = 0x1.8p52 * quantum, inf = __longlong_as_double(0x7ffll << 52);
  double r = fabs(v) > 2 * largest ? inf : fabs(__dsub_rn(__dadd_rn(v, shift), shift));
  return copysign(r > largest ? inf : r, v);
}

struct Half {
  typedef unsigned short Bits;
  static const bool WHOLE = false, COARSE = false;
  static __device__ __forceinline__ double value(Bits b) { return (double)__half2float(__ushort_as_half(b)); }
  static __device__ __forceinline__ double round(double v) { return rounded(v, 10, -14, 65504.0); }
};

struct BFloat {
  typedef unsigned short Bits;
  static const bool WHOLE = false, COARSE = false;
  static __device__ __forceinline__ double value(Bits b) { return (double)__uint_as_float((u32)b << 16); }
  static __device__ __forceinline__ double round(double v) { return rounded(v, 7, -126, 0x1.fep127); }
};

struct Float {
  typedef u32 Bits;
  static const bool WHOLE = false, COARSE = false;
  static __device__ __forceinline__ double value(Bits b) { return (double)__uint_as_float(b); }
  static __device__ __forceinline__ double round(double v) { return (double)__double2float_rn(v); }
};

struct Int {
  typedef u32 Bits;
  static const bool WHOLE = true, COARSE = false;
  static __device__ __forceinline__ double value(Bits b) { return (double)(int)b; }
  static __device__ __forceinline__ double round(double v) {
    return v != v ? v : fmax(-2147483648.0, fmin(2147483647.0, rint(v)));
  }
};

// Quarter is e4m3: check.ByteValue, and check.saturated of what is rounded. COARSE types are judged by stored.
struct Quarter {
  typedef unsigned char Bits;
  static const bool WHOLE = false, COARSE = true;
  enum { MANT = 3, EMIN = -6 };  // no objects, which would have to be defined for the device
  static __device__ __forceinline__ double most() { return 448.0; }
  static __device__ __forceinline__ double value(Bits b) {
    const unsigned short half = (b & 0x7f) == 0x7f ? 0x7fff : (unsigned short)((b & 0x80) << 8 | (b & 0x7f) << 7);
    return 256 * (double)__half2float(__ushort_as_half(half));  // the exponents' biases are 7 and 15
  }
  static __device__ __forceinline__ double saturated(double v) { return v != v ? v : fmax(-most(), fmin(most(), v)); }
  static __device__ __forceinline__ double round(double v) { return saturated(rounded(v, MANT, EMIN, 3e38)); }
};

// Element is one output beside its truth. plain: right without looking at NaN and Inf. none: it has no terms.
struct Element {
  double got, want, tol, err;
  bool plain, none;
};

// tolerance is tolerance.of in eval/internal/check/model.go.
__device__ __forceinline__ double tolerance(const Job &j, double ref, double scale) {
  if (!(fabs(scale) <= MOST)) scale = ref;
  double sum = __dmul_rn(j.sum, scale);
  if (j.sum > j.walk) sum = fmin(sum, fmax(ref * (1.0 / LEFT), __dmul_rn(j.walk, scale)));
  return __dadd_rn(__dadd_rn(__dadd_rn(__dmul_rn(j.rel, ref), sum), __dmul_rn(j.terms, scale)), j.floor);
}

// half_quantum is halfQuantum in eval/internal/check/coarse.go.
template <class D> __device__ __forceinline__ double half_quantum(double v) {
  const int exp = (int)(__double_as_longlong(v) >> 52 & 0x7ff) - 1023;
  return __longlong_as_double((long long)((exp > D::EMIN ? exp : D::EMIN) - D::MANT - 1 + 1023) << 52);
}

// stored is tolerance.stored there; e.got is known. Other types have nothing of it.
template <class D, bool COARSE> struct Stored {
  static __device__ __forceinline__ void judge(const Job &j, Element &e, double ref, double scale) {}
};
template <class D> struct Stored<D, true> {
  static __device__ __forceinline__ void judge(const Job &j, Element &e, double ref, double scale) {
    e.want = D::saturated(ref);
    const double want = fabs(e.want), beyond = __dsub_rn(fabs(ref), want);
    double off = tolerance(j, fabs(ref), scale);
    off = off > beyond ? __dsub_rn(off, beyond) : 0;
    const double edge = (e.want < 0 ? -e.got : e.got) < want ? fabs(__dsub_rn(want, off)) : __dadd_rn(want, off);
    e.tol = want != want ? want : __dadd_rn(off, half_quantum<D>(edge < D::most() ? edge : D::most()));
  }
};

template <class D, bool EXACT>
__device__ __forceinline__ Element look(const Job &j, typename D::Bits bits, double ref, float scale) {
  Element e;
  e.got = D::value(bits);
  e.want = ref;
  e.none = scale == 0;
  if (EXACT) {
    if (D::WHOLE && !(fabs(ref) <= 2147483648.)) e.want = e.got;  // an int cannot hold it, and any is right
    else if (e.got != ref) e.want = D::round(ref);
    e.tol = 0;
    e.plain = e.got == e.want && fabs(e.got) <= MOST;
  } else {
    e.tol = tolerance(j, fabs(ref), (double)scale);
    Stored<D, D::COARSE>::judge(j, e, ref, (double)scale);
  }
  e.err = fabs(__dsub_rn(e.got, e.want));
  if (!EXACT) e.plain = e.err <= e.tol && e.tol <= MOST;
  return e;
}

// accepts judges an element that is not plain: tolerance.accepts of eval/internal/check/model.go.
__device__ __forceinline__ bool accepts(const Job &j, const Element &e) {
  if (e.want != e.want) return e.got != e.got;
  if (fabs(e.want) > MOST) return e.got == e.want || (e.got != e.got && !e.none);
  return fabs(e.got) > MOST && e.tol <= MOST && __dadd_rn(copysign(1., e.got) * e.want, e.tol) >= j.overflow;
}

// unwritten is check.Unwritten: a NaN of fp16 and bf16 in each half, of a payload that arithmetic gives to none.
template <class Bits> __device__ __forceinline__ bool unwritten(Bits b) {
  for (int at = 0; at < (int)sizeof(Bits) * 8; at += 16) {
    const u32 half = (u32)(b >> at) & 0xffffu, payload = half & 0x7f;
    if ((half & 0x7f80) != 0x7f80 || payload == 0 || payload == 0x40 || payload == 0x7f) return false;
  }
  return true;
}

// One byte holds check.Blank then.
template <> __device__ __forceinline__ bool unwritten<unsigned char>(unsigned char b) { return b == 0xff; }

// right is whether an element that is not plain is right: not one that was left as it was, whatever the truth is. One
// byte may hold Blank as a result.
template <class Bits> __device__ __forceinline__ bool right(const Job &j, const Element &e, Bits bits) {
  return accepts(j, e) && !(sizeof(Bits) > 1 && unwritten(bits));
}

template <class D, bool EXACT> __device__ __forceinline__ bool wrong(const Job &j, u64 i) {
  const typename D::Bits bits = ((const typename D::Bits *)j.out)[i];
  const Element e = look<D, EXACT>(j, bits, j.value[i], j.scale[i]);
  return !e.plain && !right(j, e, bits);
}

__device__ __forceinline__ double bounded(double ratio) { return ratio <= MAX_RATIO ? ratio : MAX_RATIO; }

// Part is what one thread has seen of its block's span. Elements are counted from the span's first.
struct Part {
  double worst = -1, err2 = 0, ref2 = 0, scale2 = 0;
  u64 hash = 0;
  u32 index = NONE, first = NONE, bad = 0, poison = 0;
  bool odd = false, differs = false;

  // note keeps the element with the greatest ratio, of equal ones the first. Threads and lanes ask in any order.
  __device__ __forceinline__ void note(double ratio, u32 i) {
    if (ratio > worst || (ratio == worst && i < index)) worst = ratio, index = i;
  }

  __device__ __forceinline__ void add(double ref, float scale) {
    ref2 += ref * ref;
    scale2 += (double)scale * (double)scale;
  }

  // common takes an element that is right without doubt, as nearly all are. The answer is whether it is another, or may
  // be the worst so far: then it is rare's as well.
  template <class D, bool EXACT>
  __device__ __forceinline__ bool common(const Job &j, typename D::Bits bits, double ref, float scale, u32 i) {
    const Element e = look<D, EXACT>(j, bits, ref, scale);
    if (!e.plain) return true;
    err2 += e.err * e.err;
    add(e.want, scale);
    if (!EXACT && e.err > 0) return e.err >= worst * e.tol * 0.999999;  // else its ratio is less, and needs no division
    if (worst < 0) worst = 0, index = i;
    return false;
  }

  // rare takes what common left. It is outside of the unrolled loop, and reads the element again.
  template <class D, bool EXACT> __device__ __forceinline__ void rare(const Job &j, u64 at, u32 i) {
    const typename D::Bits bits = ((const typename D::Bits *)j.out)[at];
    const float scale = j.scale[at];
    const Element e = look<D, EXACT>(j, bits, j.value[at], scale);
    if (!e.plain) {
      odd = odd || !(fabs(e.got) <= MOST);
      if (right(j, e, bits)) return;
      first = i < first ? i : first;
      bad++;
      poison += unwritten(bits);
      err2 += e.err * e.err;
      if (fabs(e.want) <= MOST) add(e.want, scale);
    }
    note(bounded(e.err / e.tol), i);
  }
};

// mix is splitmix64, as in harness.cu: the hash is that of dw_hash there.
__device__ __forceinline__ u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// placed is what word i of an output is hashed with, as in dw_inspect.
__device__ __forceinline__ u64 placed(u64 salt, u64 i) { return salt + i * 0x9e3779b97f4a7c15ull; }

// Words of truth that are loaded at once.
struct alignas(16) Two { double v[2]; };
template <int N> struct alignas(N < 4 ? 4 * N : 16) Scales { float v[N]; };

// span compares the elements of one block: whole tiles by words of 8 bytes, what is left one by one.
template <class D, bool EXACT> __device__ __forceinline__ void span(const Job &j, u64 lo, Part &p) {
  typedef typename D::Bits Bits;
  const int V = 8 / sizeof(Bits), TILE = THREADS * V * GROUPS;
  const Bits *out = (const Bits *)j.out;
  const u64 same = out[0] * (V == 8 ? 0x0101010101010101ull : V == 4 ? 0x0001000100010001ull : 0x0000000100000001ull);
  const u64 hi = j.n - lo < SPAN ? j.n : lo + SPAN;
  u64 tile = lo;
  for (; tile + TILE <= hi; tile += TILE) {
    u64 word[GROUPS];
    Two ref[GROUPS][V / 2];
    Scales<V> scale[GROUPS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      const u64 i = tile + (u64)(g * THREADS + threadIdx.x) * V;
      word[g] = *(const u64 *)(out + i);
#pragma unroll
      for (int k = 0; k < V / 2; k++) ref[g][k] = ((const Two *)(j.value + i))[k];
      scale[g] = *(const Scales<V> *)(j.scale + i);
    }
    u32 left = 0;  // a bit for each element that is rare's
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
      const u64 i = tile + (u64)(g * THREADS + threadIdx.x) * V;
      p.hash += mix(word[g] ^ placed(j.salt, i / V));
      p.differs = p.differs || word[g] != same;
#pragma unroll
      for (int k = 0; k < V; k++)
        left |= (u32)p.common<D, EXACT>(j, (Bits)(word[g] >> (k * 8 * sizeof(Bits))), ref[g][k / 2].v[k % 2], scale[g].v[k], (u32)(i - lo) + k) << (g * V + k);
    }
    for (; left; left &= left - 1) {
      const int b = __ffs(left) - 1;
      const u64 i = tile + (u64)(b / V * THREADS + threadIdx.x) * V + b % V;
      p.rare<D, EXACT>(j, i, (u32)(i - lo));
    }
  }
#pragma unroll 1
  for (u64 i = tile + threadIdx.x; i < hi; i += THREADS) {
    p.differs = p.differs || out[i] != out[0];
    if (p.common<D, EXACT>(j, out[i], j.value[i], j.scale[i], (u32)(i - lo))) p.rare<D, EXACT>(j, i, (u32)(i - lo));
  }
  for (u64 w = tile / V + threadIdx.x; w < hi / V; w += THREADS) p.hash += mix(((const u64 *)out)[w] ^ placed(j.salt, w));
  const u64 bytes = j.n * sizeof(Bits);
  if (hi == j.n && threadIdx.x < bytes % 8) p.hash += mix(j.out[bytes / 8 * 8 + threadIdx.x] ^ mix(j.salt + ~(u64)threadIdx.x));
}

// reduce adds up the parts of a warp, then those of all warps, in a fixed order. The whole is thread 0's.
__device__ __forceinline__ void merge(Part &p, const Part &q) {
  p.err2 += q.err2, p.ref2 += q.ref2, p.scale2 += q.scale2;
  p.hash += q.hash, p.bad += q.bad, p.poison += q.poison;
  p.first = p.first < q.first ? p.first : q.first;
  p.odd = p.odd || q.odd, p.differs = p.differs || q.differs;
  p.note(q.worst, q.index);
}

__device__ __forceinline__ Part below(const Part &p, int d) {
  const u32 all = 0xffffffffu;
  Part q;
  q.worst = __shfl_down_sync(all, p.worst, d), q.index = __shfl_down_sync(all, p.index, d);
  q.err2 = __shfl_down_sync(all, p.err2, d), q.ref2 = __shfl_down_sync(all, p.ref2, d), q.scale2 = __shfl_down_sync(all, p.scale2, d);
  q.hash = __shfl_down_sync(all, p.hash, d), q.first = __shfl_down_sync(all, p.first, d);
  q.bad = __shfl_down_sync(all, p.bad, d), q.poison = __shfl_down_sync(all, p.poison, d);
  const u32 flags = __shfl_down_sync(all, (u32)p.odd | (u32)p.differs << 1, d);
  q.odd = flags & 1, q.differs = flags >> 1;
  return q;
}

__device__ __forceinline__ void reduce(Part &p) {
  __shared__ u64 room[THREADS / 32][(sizeof(Part) + 7) / 8];
#pragma unroll 1
  for (int d = 16; d > 0; d /= 2) merge(p, below(p, d));
  if (threadIdx.x % 32 == 0) *(Part *)room[threadIdx.x / 32] = p;
  __syncthreads();
  if (threadIdx.x == 0)
#pragma unroll 1
    for (int w = 1; w < THREADS / 32; w++) merge(p, *(const Part *)room[w]);
}

// WITH does something with the element type and the exactness of a job put in for D and EXACT.
#define WITH(JOB, DO)                                                 \
  switch ((JOB).dtype * 2 + (JOB).exact) {                            \
  case FP16 * 2: { typedef Half D; const bool EXACT = false; DO; break; }      \
  case FP16 * 2 + 1: { typedef Half D; const bool EXACT = true; DO; break; }   \
  case BF16 * 2: { typedef BFloat D; const bool EXACT = false; DO; break; }    \
  case BF16 * 2 + 1: { typedef BFloat D; const bool EXACT = true; DO; break; } \
  case FP32 * 2: { typedef Float D; const bool EXACT = false; DO; break; }     \
  case FP32 * 2 + 1: { typedef Float D; const bool EXACT = true; DO; break; }  \
  case E4M3 * 2: { typedef Quarter D; const bool EXACT = false; DO; break; }   \
  case E4M3 * 2 + 1: { typedef Quarter D; const bool EXACT = true; DO; break; } \
  default: { typedef Int D; const bool EXACT = true; DO; }                     \
  }

template <class D, bool EXACT> __device__ __forceinline__ Element element(const Job &j, u64 i) {
  return look<D, EXACT>(j, ((const typename D::Bits *)j.out)[i], j.value[i], j.scale[i]);
}

// judge_compare compares the outputs of all jobs, a span with each block, and writes a tally for each block. The
// blocks of a job begin with its first.
extern "C" __global__ void __launch_bounds__(THREADS) judge_compare(const Job *jobs, u32 count, Tally *tallies) {
  u32 at = 0;
  for (u32 end = count; end - at > 1;) {
    const u32 middle = (at + end) / 2;
    if (jobs[middle].first <= blockIdx.x) at = middle;
    else end = middle;
  }
  const Job j = jobs[at];
  const u64 lo = (u64)(blockIdx.x - j.first) * SPAN;
  Part p;
  WITH(j, (span<D, EXACT>(j, lo, p)))
  reduce(p);
  if (threadIdx.x != 0) return;
  Tally t = {};
  t.worst = p.worst, t.err2 = p.err2, t.ref2 = p.ref2, t.scale2 = p.scale2, t.hash = p.hash;
  t.bad = p.bad, t.poison = p.poison, t.odd = p.odd, t.differs = p.differs;
  if (p.bad) t.first = lo + p.first;
  if (p.index != NONE) {
    Element e;
    t.index = lo + p.index;
    WITH(j, (e = element<D, EXACT>(j, t.index)))
    t.got = e.got, t.want = e.want, t.tol = e.tol;
  }
  tallies[blockIdx.x] = t;
}

// judge_wrong writes a bit for each element of one job, set where it is wrong, in whole words of 64.
extern "C" __global__ void __launch_bounds__(THREADS) judge_wrong(const Job *job, u32 *bits) {
  const Job j = *job;
  const u64 end = (j.n + 63) / 64 * 64;
  for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < end; i += (u64)gridDim.x * THREADS) {
    bool bad = false;
    if (i < j.n) WITH(j, (bad = wrong<D, EXACT>(j, i)))
    const u32 word = __ballot_sync(0xffffffffu, bad);
    if (threadIdx.x % 32 == 0) bits[i / 32] = word;
  }
}
