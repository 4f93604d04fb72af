// Rows in shared memory, and what they are multiplied with, brought by the threads' own copies (cp.async).
#pragma once

#include <darwarp/cp_async.cuh>
#include <darwarp/rows.cuh>

namespace darwarp {

// StagedRow works on a row of which the first `kept` columns are in shared memory, and reads the rest again.
template <class T, int N, int ITEMS, int THREADS, bool NUMBERED>
class StagedRow : public DirectRow<T, N> {
protected:
    const T* row;
    T* current;  // place of the row
    Span span;
    int kept;    // a multiple of N

    __device__ __forceinline__ int end() const { return min(span.end, span.begin + kept); }

    template <class F>
    __device__ __forceinline__ void staged(F f, int i, Column c) {
        float v[N];
        unpack<T, N>(*reinterpret_cast<const Word<T, N>*>(current + (c - span.begin)), v);
        f(i, c, v);
    }

public:
    static constexpr bool EARLY = true, FLOATS = false;

    template <class F>
    __device__ __forceinline__ void each(F f) {
        constexpr int PITCH = THREADS * N;
        Column c = span.begin + span.lane * N;
        if constexpr (NUMBERED) {
            #pragma unroll
            for (int i = 0; i < ITEMS; ++i)
                if (c + i * PITCH < end()) staged(f, i, c + i * PITCH);
            #pragma unroll 1
            for (c += ITEMS * PITCH; c < end(); c += PITCH) staged(f, -1, c);
        } else {
            #pragma unroll ITEMS
            for (; c < end(); c += PITCH) staged(f, -1, c);
        }
        // The first word beyond what is kept: kept need not be a multiple of the team's step.
        const int first = span.lane * N, skipped = kept <= first ? 0 : (kept - first + PITCH - 1) / PITCH;
        #pragma unroll 1
        for (c = span.begin + first + skipped * PITCH; c < span.end; c += PITCH) {
            float v[N];
            unpack<T, N>(load_word<NO_ALLOCATE, N>(row + c), v);
            f(-1, c, v);
        }
    }
};

// SharedRow brings the rows by cp.async. A thread reads only what it copied itself, so that its own wait is all that is needed.
template <class T, int N, int ITEMS, int THREADS, int STAGES, bool NUMBERED>
class SharedRow : public StagedRow<T, N, ITEMS, THREADS, NUMBERED> {
    static_assert(N * sizeof(T) == 16, "cp.async copies 16 bytes");
    using Base = StagedRow<T, N, ITEMS, THREADS, NUMBERED>;
    T* memory;  // of the team: a place for each stage
    int step;   // elements from place to place
    int oldest = 0, newest = 0;

public:
    static constexpr int AHEAD = STAGES - 1;

    // place tells where the team's rows go: so many columns of each.
    __device__ __forceinline__ void place(void* shared, int columns, int team, int teams) {
        Base::kept = columns, step = columns * teams;
        memory = static_cast<T*>(shared) + columns * team;
    }

    __device__ __forceinline__ void prefetch(const T* x, const Span& s) {
        T* to = memory + newest * step;
        #pragma unroll ITEMS
        for (int c = s.lane * N; c < min(Base::kept, s.end - s.begin); c += THREADS * N)
            cp_async16_or_zero(to + c, x + s.begin + c, true);
        cp_async_commit();
        newest = newest + 1 == STAGES ? 0 : newest + 1;
    }

    __device__ __forceinline__ void advance(const T* x, const Span& s) {
        cp_async_wait<STAGES - 1>();
        Base::row = x, Base::span = s, Base::current = memory + oldest * step;
        oldest = oldest + 1 == STAGES ? 0 : oldest + 1;
    }
};

// SharedParameters has the block's first `kept` columns in shared memory. fetch, by all threads, begins to copy them: a
// cp_async_wait<0> and a __syncthreads() come before the first word is read.
template <class T, int N>
class SharedParameters {
    const T *row, *memory;
    int begin, kept;

public:
    __device__ __forceinline__ void fetch(T* shared, const T* parameters, const Span& s, int columns) {
        row = parameters, memory = shared, begin = s.begin, kept = columns;
        for (int c = int(threadIdx.x) * N; c < min(kept, s.end - begin); c += int(blockDim.x) * N)
            cp_async16_or_zero(shared + c, row + begin + c, true);
        cp_async_commit();
    }

    __device__ __forceinline__ void word(int, Column column, float (&v)[N]) const {
        const Column c = column - begin;
        unpack<T, N>(c < kept ? *reinterpret_cast<const Word<T, N>*>(memory + c) : load_word<CACHED, N>(row + column), v);
    }
};

}  // namespace darwarp
