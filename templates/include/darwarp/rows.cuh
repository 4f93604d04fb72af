// Rows of a matrix, each read once or more by a team of threads: where its elements stay between one reading
// and the next, and in which order a block takes its rows. A thread's words are THREADS words apart.
//
// The places have one interface. prefetch begins to bring a row, AHEAD rows before advance makes it the current one. each calls
// f(i, column, v) for every word of the thread: v are its N floats, and i is its number among the first ITEMS where these are
// numbered, else -1. write puts a word of results, and release ends the work on the row. drain ends all work. EARLY: a row's
// place may be asked for before the current row is there.
#pragma once

#include <darwarp/cluster.cuh>
#include <darwarp/words.cuh>

namespace darwarp {

// Column is a place in a row. 64 bits, so that a word's constant distance from a thread's first one goes into its address.
using Column = long long;

// Span is the columns that a block has of a row: begin to end, which for a row that is not there are none.
struct Span {
    int begin, end, lane;
};

// DirectRow is what rows have in common whose results go straight to global memory.
template <class T, int N>
struct DirectRow {
    template <Cache STORE>
    __device__ __forceinline__ void write(T* y, Column c, const float (&v)[N]) const { store_word<STORE>(y + c, v); }
    __device__ __forceinline__ void release(T*) {}
    __device__ __forceinline__ void drain() const {}
};

// RereadRow keeps nothing: each reading goes to global memory, UNROLL words at a time.
template <class T, int N, int UNROLL, int THREADS, Cache HINT>
class RereadRow : public DirectRow<T, N> {
    const T* row;
    Span span;

public:
    static constexpr int AHEAD = 0;
    static constexpr bool EARLY = false, FLOATS = false;

    __device__ __forceinline__ void prefetch(const T*, const Span&) {}
    __device__ __forceinline__ void advance(const T* x, const Span& s) { row = x, span = s; }

    // Words are loaded before f is called for any of them: no load is moved ahead of what f stores.
    template <class F>
    __device__ __forceinline__ void each(F f) {
        constexpr Column PITCH = THREADS * N;
        Column c = span.begin + span.lane * N;
        #pragma unroll 1
        for (; c + (UNROLL - 1) * PITCH < span.end; c += UNROLL * PITCH) {
            Word<T, N> words[UNROLL];
            #pragma unroll
            for (int i = 0; i < UNROLL; ++i) words[i] = load_word<HINT, N>(row + c + i * PITCH);
            #pragma unroll
            for (int i = 0; i < UNROLL; ++i) call(f, c + i * PITCH, words[i]);
        }
        if constexpr (UNROLL > 1) {
            #pragma unroll 1
            for (; c < span.end; c += PITCH) call(f, c, load_word<HINT, N>(row + c));
        }
    }

private:
    template <class F>
    __device__ __forceinline__ static void call(F& f, Column c, const Word<T, N>& word) {
        float v[N];
        unpack<T, N>(word, v);
        f(-1, c, v);
    }
};

// RegisterRow keeps the first ITEMS words of each thread, as they come (packed) or as floats that f may change. A
// longer row's rest is read again. With two stages, the next row comes while this one is worked on.
template <class T, int N, int ITEMS, int THREADS, Cache HINT, bool AS_FLOATS, int STAGES>
class RegisterRow : public DirectRow<T, N> {
protected:
    using W = Word<T, N>;
    const T* row;
    Span span;
    W words[ITEMS], next[STAGES > 1 ? ITEMS : 1];
    float values[AS_FLOATS ? ITEMS : 1][N];

    __device__ __forceinline__ static Column column(const Span& s, int i) { return Column(s.begin + s.lane * N) + i * (THREADS * N); }

public:
    static constexpr int AHEAD = STAGES - 1;
    static constexpr bool EARLY = false, FLOATS = AS_FLOATS;

    __device__ __forceinline__ void prefetch(const T* x, const Span& s) {
        W* to = STAGES > 1 ? next : words;
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (column(s, i) < s.end) to[i] = load_word<HINT, N>(x + column(s, i));
    }

    __device__ __forceinline__ void advance(const T* x, const Span& s) {
        row = x, span = s;
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if constexpr (STAGES > 1) words[i] = next[i];
            if constexpr (FLOATS) unpack<T, N>(words[i], values[i]);
        }
    }

    template <class F>
    __device__ __forceinline__ void each(F f) {
        if constexpr (!FLOATS && sizeof(T) < sizeof(float)) forget(words);  // packed words stay packed in between
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            if (column(span, i) >= span.end) continue;
            if constexpr (FLOATS) {
                f(i, column(span, i), values[i]);
            } else {
                float v[N];
                unpack<T, N>(as_it_is(words[i]), v);
                f(i, column(span, i), v);
            }
        }
        #pragma unroll 1  // seldom there, and not worth registers
        for (Column c = column(span, ITEMS); c < span.end; c += THREADS * N) {
            float v[N];
            unpack<T, N>(load_word<HINT, N>(row + c), v);
            f(-1, c, v);
        }
    }

    // word is the thread's word number i, or where i is -1 the one at a column.
    __device__ __forceinline__ void word(int i, Column column, float (&v)[N]) const {
        unpack<T, N>(i >= 0 ? as_it_is(words[i]) : load_word<HINT, N>(row + column), v);
    }
};

// Parameters is a row that all rows are multiplied with or added to, read where it is needed. A RegisterRow of it
// is the same held ready in registers, and SharedParameters in shared memory.
template <class T, int N, Cache HINT = CACHED>
struct Parameters {
    const T* row;

    __device__ __forceinline__ void word(int, Column column, float (&v)[N]) const {
        unpack<T, N>(load_word<HINT, N>(row + column), v);
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
// as many as the grid has. f(at) gets the offset of the row's first element, and is called for all teams alike, also where a
// team's row is not there; ready() is called once before. ONCE: the grid has a team for every row.
template <int N, bool ONCE, class T, class Row, class Team, class Ready, class F>
__device__ __forceinline__ void for_rows(Row& data, Team& team, const T* x, T* y, int rows, int cols, Ready ready, F f) {
    const unsigned count = rows, step = gridDim.x / Team::RANKS * Team::COUNT;  // rows to come are counted beyond 2^31
    const unsigned first = blockIdx.x / Team::RANKS * Team::COUNT + team.index();
    const Span whole = span_of<N>(team, cols);
    const auto offset = [&](unsigned row) { return row * (long long)cols; };
    const auto span = [&](unsigned row) { return Span{whole.begin, row < count ? whole.end : whole.begin, whole.lane}; };
    const auto prefetch = [&](unsigned row) { data.prefetch(x + offset(row), span(row)); };
    team.arrive();
    #pragma unroll
    for (int s = 0; s < Row::AHEAD; ++s) prefetch(first + s * step);
    bool begun = false;
    for (unsigned row = first; row - team.index() < count; row += step) {
        if constexpr (Row::EARLY || Row::AHEAD == 0) prefetch(row + Row::AHEAD * step);
        data.advance(x + offset(row), Team::COUNT == 1 ? whole : span(row));
        if constexpr (!Row::EARLY && Row::AHEAD > 0) prefetch(row + Row::AHEAD * step);
        if (!begun) team.meet(), ready();
        begun = true;
        f(offset(row));
        data.release(y + offset(row));
        if constexpr (ONCE) break;
    }
    data.drain();
}

}  // namespace darwarp
