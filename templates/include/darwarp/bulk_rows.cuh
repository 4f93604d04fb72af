// Rows that come by bulk copies (sm_90): the first thread of a team asks for them, STAGES rows ahead, into a ring of places
// in shared memory. They are worked on there (BulkRow), or in registers, which frees their place at once (BulkRegisterRow).
#pragma once

#include <darwarp/bulk_copy.cuh>
#include <darwarp/staged_rows.cuh>

namespace darwarp {

// BulkRing is a team's ring. `full` says that a row has come, `empty` that all threads of the team have done with it. Each of them
// says so: an arrival of one lane for its warp, after __syncwarp, would do, but compute-sanitizer's racecheck takes it for that lane's
// alone. With STORES, results take the place of their row and leave as a bulk copy, too.
template <class T, class Team, int STAGES, Cache LOAD, bool STORES = false, Cache STORE = CACHED>
class BulkRing {
    static_assert(Team::THREADS >= 32, "a bulk copy is for a warp or more");
    T* memory;
    int step;                              // elements from place to place
    int team, taken = 0, asked = 0;        // the places that are worked on, and asked for next
    unsigned taken_phase = 0, asked_phase = 0;

    enum Kind { FULL, EMPTY };
    __device__ __forceinline__ Mbarrier* barrier(Kind kind, int place) const {
        __shared__ Mbarrier barriers[2][STAGES][Team::COUNT];
        return &barriers[kind][place][team];
    }
    __device__ __forceinline__ static void next(int& place, unsigned& phase) {
        if (++place == STAGES) place = 0, phase ^= 1;
    }

public:
    // A row that is being stored keeps its place for one more turn, if there are places enough.
    static constexpr int STORED = STORES && STAGES > 2 ? 1 : 0;
    static constexpr int AHEAD = STAGES - 1 - STORED;
    int kept;  // columns of a place

    __device__ __forceinline__ void place(void* shared, int columns, int index, int teams) {
        kept = columns, step = columns * teams, team = index;
        memory = static_cast<T*>(shared) + columns * index;
        if (threadIdx.x % Team::THREADS == 0) {
            #pragma unroll
            for (int s = 0; s < STAGES; ++s) {
                mbarrier_init(barrier(FULL, s), 1);
                mbarrier_init(barrier(EMPTY, s), Team::THREADS);
            }
            mbarrier_fence();
        }
        __syncthreads();
    }

    __device__ __forceinline__ T* current() const { return memory + taken * step; }
    __device__ __forceinline__ unsigned bytes(const Span& s) const { return min(kept, s.end - s.begin) * unsigned(sizeof(T)); }

    __device__ __forceinline__ void ask(const T* x, const Span& s) {
        if (s.lane == 0 && s.end > s.begin) {
            if constexpr (STORES) bulk_wait_read<STORED>();
            else mbarrier_wait(barrier(EMPTY, asked), asked_phase ^ 1);
            mbarrier_expect(barrier(FULL, asked), bytes(s));
            bulk_load<LOAD>(memory + asked * step, x + s.begin, bytes(s), barrier(FULL, asked));
        }
        next(asked, asked_phase);
    }

    __device__ __forceinline__ void await(const Span& s) const {
        if (s.end > s.begin) mbarrier_wait(barrier(FULL, taken), taken_phase);
        __syncwarp();  // lanes may leave the wait one by one, and barriers that follow want them together
    }

    // leave gives the place back: this thread has read all that it wants of it.
    __device__ __forceinline__ void leave() {
        mbarrier_arrive(barrier(EMPTY, taken));
        next(taken, taken_phase);
    }

    // store does so when the results are there, and sends them off.
    __device__ __forceinline__ void store(T* y, const Span& s) {
        async_fence();
        mbarrier_arrive(barrier(EMPTY, taken));
        if (s.lane == 0 && s.end > s.begin) {
            mbarrier_wait(barrier(EMPTY, taken), taken_phase);
            bulk_store<STORE>(y + s.begin, current(), bytes(s));
            bulk_commit();
        }
        next(taken, taken_phase);
    }
};

// BulkRow keeps a row in its place of the ring while it is worked on.
template <class T, int N, int ITEMS, class Team, Cache LOAD, int STAGES, bool NUMBERED, bool STORES, Cache STORE>
class BulkRow : public StagedRow<T, N, ITEMS, Team::THREADS, NUMBERED> {
    using Base = StagedRow<T, N, ITEMS, Team::THREADS, NUMBERED>;
    BulkRing<T, Team, STAGES, LOAD, STORES, STORE> ring;

public:
    static constexpr int AHEAD = decltype(ring)::AHEAD;

    __device__ __forceinline__ void place(void* shared, int columns, int team, int teams) {
        Base::kept = columns;
        ring.place(shared, columns, team, teams);
    }
    __device__ __forceinline__ void prefetch(const T* x, const Span& s) { ring.ask(x, s); }
    __device__ __forceinline__ void advance(const T* x, const Span& s) {
        Base::row = x, Base::span = s, Base::current = ring.current();
        ring.await(s);
    }
    template <Cache HINT>
    __device__ __forceinline__ void write(T* y, Column c, const float (&v)[N]) const {
        if (STORES && c < Base::end()) *reinterpret_cast<Word<T, N>*>(Base::current + (c - Base::span.begin)) = pack<T, N>(v);
        else store_word<HINT>(y + c, v);
    }
    __device__ __forceinline__ void release(T* y) {
        if constexpr (STORES) ring.store(y, Base::span);
        else ring.leave();
    }
    __device__ __forceinline__ void drain() const {
        if constexpr (STORES) bulk_wait_read<0>();
    }
};

// BulkRegisterRow takes a row from the ring into registers before it is worked on.
template <class T, int N, int ITEMS, class Team, Cache LOAD, bool AS_FLOATS, int STAGES, bool STORES, Cache STORE>
class BulkRegisterRow : public RegisterRow<T, N, ITEMS, Team::THREADS, LOAD, AS_FLOATS, 1> {
    using Base = RegisterRow<T, N, ITEMS, Team::THREADS, LOAD, AS_FLOATS, 1>;
    BulkRing<T, Team, STAGES, LOAD, STORES, STORE> ring;

public:
    static constexpr int AHEAD = decltype(ring)::AHEAD;
    static constexpr bool EARLY = true;

    __device__ __forceinline__ void place(void* shared, int columns, int team, int teams) { ring.place(shared, columns, team, teams); }
    __device__ __forceinline__ void prefetch(const T* x, const Span& s) { ring.ask(x, s); }
    __device__ __forceinline__ void advance(const T* x, const Span& s) {
        ring.await(s);
        const T* at = ring.current();
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const Column c = Base::column(s, i);
            if (c - s.begin < ring.kept && c < s.end) Base::words[i] = *reinterpret_cast<const Word<T, N>*>(at + (c - s.begin));
            else if (c < s.end) Base::words[i] = load_word<LOAD, N>(x + c);
        }
        if constexpr (!STORES) ring.leave();
        Base::advance(x, s);
    }
    template <Cache HINT>
    __device__ __forceinline__ void write(T* y, Column c, const float (&v)[N]) const {
        if (STORES && c - Base::span.begin < ring.kept) *reinterpret_cast<Word<T, N>*>(ring.current() + (c - Base::span.begin)) = pack<T, N>(v);
        else store_word<HINT>(y + c, v);
    }
    __device__ __forceinline__ void release(T* y) {
        if constexpr (STORES) ring.store(y, Base::span);
    }
    __device__ __forceinline__ void drain() const {
        if constexpr (STORES) bulk_wait_read<0>();
    }
};

}  // namespace darwarp
