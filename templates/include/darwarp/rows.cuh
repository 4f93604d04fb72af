// Rows of a matrix, each read once or more by a team of threads: where its elements stay between one reading
// and the next, and in which order a block takes its rows. A thread's words are THREADS words apart.
//
// The three places have one interface. prefetch begins to bring a row and advance makes the oldest of those
// the current one. each calls f(i, column, v) for every word of the thread: v are its N floats, and i is
// its number where it stays in registers, else -1.
#pragma once

#include <darwarp/cp_async.cuh>
#include <darwarp/words.cuh>

namespace darwarp {

// Span is the columns that a block has of a row: begin to end, which for a row that is not there are none.
struct Span {
    int begin, end, lane;
};

// RereadRow keeps nothing: each reading goes to global memory, UNROLL words at a time.
template <class T, int N, int UNROLL, int THREADS, Cache HINT>
class RereadRow {
    const T* row;
    Span span;

public:
    static constexpr int STAGES = 1;
    static constexpr bool FLOATS = false;

    __device__ __forceinline__ void prefetch(const T* x, const Span& s) { row = x, span = s; }
    __device__ __forceinline__ void advance() {}

    template <class F>
    __device__ __forceinline__ void each(F f) {
        #pragma unroll UNROLL
        for (int c = span.begin + span.lane * N; c < span.end; c += THREADS * N) {
            float v[N];
            unpack<T, N>(load_word<HINT, N>(row + c), v);
            f(-1, c, v);
        }
    }
};

// RegisterRow keeps the first ITEMS words of each thread, as they come (packed) or as floats that f may change. A
// longer row's rest is read again. With two stages, the next row comes while this one is worked on.
template <class T, int N, int ITEMS, int THREADS, Cache HINT, bool AS_FLOATS, int STAGES_>
class RegisterRow {
    using W = Word<T, N>;
    const T *row, *next_row;
    Span span, next_span;
    W words[ITEMS], next[STAGES_ > 1 ? ITEMS : 1];
    float values[AS_FLOATS ? ITEMS : 1][N];

    __device__ __forceinline__ static int column(const Span& s, int i) { return s.begin + (i * THREADS + s.lane) * N; }

    __device__ __forceinline__ static void fetch(W* to, const T* x, const Span& s) {
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (column(s, i) < s.end) to[i] = load_word<HINT, N>(x + column(s, i));
    }

public:
    static constexpr int STAGES = STAGES_;
    static constexpr bool FLOATS = AS_FLOATS;

    __device__ __forceinline__ void prefetch(const T* x, const Span& s) {
        next_row = x, next_span = s;
        fetch(STAGES > 1 ? next : words, x, s);
    }

    __device__ __forceinline__ void advance() {
        row = next_row, span = next_span;
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if constexpr (STAGES > 1) words[i] = next[i];
            if constexpr (FLOATS) unpack<T, N>(words[i], values[i]);
        }
    }

    template <class F>
    __device__ __forceinline__ void each(F f) {
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (column(span, i) >= span.end) continue;
            if constexpr (FLOATS) {
                f(i, column(span, i), values[i]);
            } else {
                float v[N];
                unpack<T, N>(words[i], v);
                f(i, column(span, i), v);
            }
        }
        #pragma unroll 1  // seldom there, and not worth registers
        for (int c = column(span, ITEMS); c < span.end; c += THREADS * N) {
            float v[N];
            unpack<T, N>(load_word<HINT, N>(row + c), v);
            f(-1, c, v);
        }
    }

    // word is the thread's word number i, or where i is -1 the one at a column.
    __device__ __forceinline__ void word(int i, int column, float (&v)[N]) const {
        unpack<T, N>(i >= 0 ? words[i] : load_word<HINT, N>(row + column), v);
    }
};

// SharedRow keeps `kept` columns of a row in shared memory, brought by cp.async, and reads the rest again. A thread
// reads only what it copied itself, so that its own wait is all that is needed. STAGES - 1 rows are on their way.
template <class T, int N, int UNROLL, int THREADS, int STAGES_>
class SharedRow {
    static_assert(N * sizeof(T) == 16, "cp.async copies 16 bytes");
    const T *row, *rows[STAGES_];
    Span span, spans[STAGES_];
    T* memory;          // of the team: a stage for each row
    int kept, step;     // columns of a stage, elements from stage to stage
    int oldest = 0, newest = 0;

    __device__ __forceinline__ int end() const { return min(span.end, span.begin + kept); }

public:
    static constexpr int STAGES = STAGES_;
    static constexpr bool FLOATS = false;

    // place tells where the team's rows go. kept is a multiple of N.
    __device__ __forceinline__ void place(void* shared, int columns, int team, int teams) {
        kept = columns, step = columns * teams;
        memory = static_cast<T*>(shared) + columns * team;
    }

    __device__ __forceinline__ void prefetch(const T* x, const Span& s) {
        #pragma unroll
        for (int i = 0; i < STAGES; ++i)
            if (i == newest) rows[i] = x, spans[i] = s;
        T* to = memory + newest * step;
        #pragma unroll UNROLL
        for (int c = s.lane * N; c < min(kept, s.end - s.begin); c += THREADS * N)
            cp_async16_or_zero(to + c, x + s.begin + c, true);
        cp_async_commit();
        newest = newest + 1 == STAGES ? 0 : newest + 1;
    }

    __device__ __forceinline__ void advance() {
        cp_async_wait<(STAGES > 2 ? STAGES - 2 : 0)>();
        #pragma unroll
        for (int i = 0; i < STAGES; ++i)
            if (i == oldest) row = rows[i], span = spans[i];
        current = memory + oldest * step;
        oldest = oldest + 1 == STAGES ? 0 : oldest + 1;
    }

    template <class F>
    __device__ __forceinline__ void each(F f) {
        #pragma unroll UNROLL
        for (int c = span.begin + span.lane * N; c < end(); c += THREADS * N) {
            float v[N];
            unpack<T, N>(*reinterpret_cast<const Word<T, N>*>(current + (c - span.begin)), v);
            f(-1, c, v);
        }
        // The first word beyond what is kept: kept need not be a multiple of the team's step.
        const int first = span.lane * N, pitch = THREADS * N;
        const int skipped = kept <= first ? 0 : (kept - first + pitch - 1) / pitch;
        #pragma unroll 1
        for (int c = span.begin + first + skipped * pitch; c < span.end; c += pitch) {
            float v[N];
            unpack<T, N>(load_word<NO_ALLOCATE, N>(row + c), v);
            f(-1, c, v);
        }
    }

private:
    T* current;
};

// Parameters is a row that all rows are multiplied with or added to, read where it is needed. A RegisterRow of it
// is the same held ready.
template <class T, int N>
struct Parameters {
    const T* row;

    __device__ __forceinline__ void word(int, int column, float (&v)[N]) const {
        unpack<T, N>(load_word<CACHED, N>(row + column), v);
    }
};

// span_of is the part of a row of `cols` columns that this block has: all of it, or its share in a cluster.
template <int N, class Team>
__device__ __forceinline__ Span span_of(const Team& team, int cols) {
    if constexpr (Team::RANKS == 1) {
        return {0, cols, team.lane()};
    } else {
        const int share = (cols / N + Team::RANKS - 1) / Team::RANKS * N;
        const int begin = min(cols, int(cluster_rank()) * share);
        return {begin, min(cols, begin + share), team.lane()};
    }
}

// for_rows takes the block's rows one after the other: a row for each of its teams at a time, and then on by
// as many as the grid has. f(row) is called for all teams alike, also where a team's row is not there.
template <int N, class T, class Row, class Team, class F>
__device__ __forceinline__ void for_rows(Row& data, Team& team, const T* x, int rows, int cols, F f) {
    const long long step = (long long)(gridDim.x / Team::RANKS) * Team::COUNT;
    const Span whole = span_of<N>(team, cols);
    const auto prefetch = [&](long long row) {
        const Span s = {whole.begin, row < rows ? whole.end : whole.begin, whole.lane};
        data.prefetch(x + row * cols, s);
    };
    const long long first = (long long)(blockIdx.x / Team::RANKS) * Team::COUNT + team.index();
    team.arrive();
    #pragma unroll
    for (int s = 0; s + 1 < Row::STAGES; ++s) prefetch(first + s * step);
    bool met = false;
    for (long long row = first; row - team.index() < rows; row += step) {
        if constexpr (Row::STAGES == 1) prefetch(row);
        data.advance();
        if constexpr (Row::STAGES > 1) prefetch(row + (Row::STAGES - 1) * step);
        if (!met) team.meet();
        met = true;
        f(row);
    }
}

}  // namespace darwarp
