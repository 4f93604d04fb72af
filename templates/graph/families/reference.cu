// The truth, in fp64, with the error of each number beside it: <%.About%>
<%.Num%>
<%range .Operators%>
__device__ Num op_<%.Name%>(<%.Arguments%>) { <%.Truth%> }
<%- end%>

using Index = <%.Index%>;
struct Sizes {
    int <%.SizeNames%>;
<%- if .Product%>
    int lengths[4];  // of the product: batches, rows, columns, terms
<%- end%>
    __device__ Index kept() const { return <%.Kept%>; }
    __device__ Index terms() const { return <%.Terms%>; }
    __device__ Num count() const { return exactly(<%.CountDouble%>); }
    __device__ double model() const {  // e(terms) of the error model
        const Sizes& n = *this;
        return model_of(<%.K%>);
    }
};
struct Inputs { <%range .Inputs%>const <%.Type%>* <%.Name%>; <%end%>};
struct Element {
<%- range .Elements%>
    Num <%.Name%>;
<%- end%>
<%- range .Lookups%><%if and .Place .Varies%>
    Num <%.Name%>;
<%- end%><%end%>
<%- if .Acc%>
    Num acc;
<%- end%>
};
struct Row {
<%- range .RowFields%>
    Num <%.%>;
<%- end%>
    Num unused;
};
<%range .Offsets%>
__device__ long long <%.Name%>(const Sizes& n, Index i) { return <%.Text%>; }
<%- end%>
__device__ Num number(double x) { return exactly(x); }
__device__ double as_float(T x) { return darwarp::to_float(x); }
<%- if .Wholes%>
__device__ double as_float(long long x) { return double(x); }
__device__ double as_float(int x) { return double(x); }
__device__ double as_float(bool x) { return double(x); }
__device__ double as_float(signed char x) { return double(x); }
__device__ double as_float(unsigned char x) { return double(x); }
<%- end%>

<%- if or .Alike .Product%>

// Alike counts numbers that equal the one before, and are no 0. Each sum of them is rounded to the same side, so that a thread
// that adds up all of them errs as many times more as there are, to 65,536: by up to a unit of the whole sum each.
struct Alike {
    double before, equal;
    __device__ void see(double v, double term) {
        equal += v == before && term != 0;
        before = v;
    }
    __device__ static double more(double equal, double terms) {
        return fmax(model_of(terms + equal), fmin(equal, 65536.0)) / model_of(terms);
    }
};
<%- end%>

<%- if .Staged%>
// product_at is a number of the product of matrices.
__device__ Num product_at(const Inputs& in, const Sizes& n, long long at) {
    const long long rows = n.lengths[1], cols = n.lengths[2], terms = n.lengths[3], c = at % cols, r = at / cols % rows, batch = at / cols / rows;
    const T* A = in.<%.Product.A%> + (long long)<%.MatrixA%> * rows * terms;
    const T* B = in.<%.Product.B%> + (long long)<%.MatrixB%> * cols * terms;
    double sum = 0, size = 0;
    Alike alike{0, 0};
    for (long long t = 0; t < terms; ++t) {
        const double u = darwarp::to_float(A[<%if .Product.AlongA%>r * terms + t<%else%>t * rows + r<%end%>]);
        const double v = darwarp::to_float(B[<%if .Product.AlongB%>c * terms + t<%else%>t * cols + c<%end%>]);
        sum = fma(u, v, sum), size += fabs(u * v);
        if (u * v != 0) alike.see(u * v, u * v);  // zeros between equal terms add nothing
    }
    return num(sum, 0, size * Alike::more(alike.equal, double(terms)));
}
<%end%>
<%- range .Edges%>
__device__ long long at_edge_<%.Kind%>(long long c, int n) { <%.Body%> }
<%- end%>
<%- range .Lookups%><%if .Place%>
__device__ Num place_<%.Name%>(const Sizes& n, Index k, Index r) { return exactly(double(<%.At%>)); }
<%- else%>
__device__ Num look_<%.Name%>(const Inputs& in, const Sizes& n, Index k, Index r) {
    <%if .Inside%>if (!(<%.Inside%>)) return exactly(0);
    <%end%>return <%if .Staged%>product_at(in, n, <%.At%>)<%else%>number(as_float(in.<%.Tensor%>[<%.At%>]))<%end%>;
}
<%- end%><%end%>
__device__ void gather(const Inputs& in, const Sizes& n, Index k, Index r, Element& e) {
<%- range .Elements%>
<%- if .Scattered%>
    e.<%.Name%> = look_<%.Name%>(in, n, k, r);
<%- else if eq .Tensor "acc"%>
    e.<%.Name%> = product_at(in, n, kept_<%.Name%>(n, k) + terms_<%.Name%>(n, r));
<%- else%>
    e.<%.Name%> = number(as_float(in.<%.Tensor%>[kept_<%.Name%>(n, k) + terms_<%.Name%>(n, r)]));
<%- end%>
<%- end%>
<%- range .Lookups%><%if and .Place .Varies%>
    e.<%.Name%> = place_<%.Name%>(n, k, r);
<%- end%><%end%>
}
__device__ void begin(const Inputs& in, const Sizes& n, Index k, Row& row) {
<%- range .RowLoads%>
    row.<%.Name%> = <%if .Scattered%>look_<%.Name%>(in, n, k, 0)<%else%>number(as_float(in.<%.Tensor%>[kept_<%.Name%>(n, k)]))<%end%>;
<%- end%>
<%- range .Lookups%><%if and .Place (not .Varies)%>
    row.<%.Name%> = place_<%.Name%>(n, k, 0);
<%- end%><%end%>
<%- range .TruthBegin%>
    <%.%>
<%- end%>
}
<%range .TruthFunctions%>
__device__ Num <%.Name%>(const Element& e, const Row& row, const Sizes& n) {
<%- range .Lines%>
    <%.%>
<%- end%>
    return <%.Result%>;
}
<%end%>
<%- range .TruthFinish%>
__device__ void <%.Name%>(Row& row, const Sizes& n) {
<%- range .Lines%>
    <%.%>
<%- end%>
}
<%end%>
<%- if .Totals%>
struct Totals {<%range .Totals%> Num t<%.%>;<%end%> };
<%- range .TruthFinals%>
__device__ Num <%.Name%>(const Totals& total, const Sizes& n) {
<%- range .Lines%>
    <%.%>
<%- end%>
    return <%.Result%>;
}
<%- end%>
<%- end%>
<%- if .Passes%>
<%- if .Parts%>
// What blocks that share a row have found. Blocks take their places in the order in which they begin: first the parts of the first
// stage of all rows, then those of the second ... So those that a block waits for have begun before it.
constexpr int STAGES = <%.Stages%>, MOST = <%.MostParts%>;
__device__ double found[<%if .Alike%>4<%else%>3<%end%> * STAGES][MOST];
__device__ unsigned arrived[MOST][STAGES], begun;
<%- end%>

// Share is a block's part of a row<%if .Parts%>, in the stage that it is there for; or all of it in all stages<%end%>.
struct Share {
    double* slots;  // one for each thread
<%- if .Parts%>
    Index k;
    int part, parts, stage;  // parts is 0: the row is the block's alone
    int at = 0, sums = 0;    // the stage whose sums are being made, and how many were made

    __device__ Share(double* slots, Index rows) : slots(slots) {
        __shared__ unsigned place;
        parts = int(gridDim.x / rows / STAGES);
        if (threadIdx.x == 0 && parts > 0) place = atomicAdd(&begun, 1u);
        __syncthreads();
        if (parts > 0 && threadIdx.x == 0 && place == gridDim.x - 1) begun = 0;  // for the next launch
        k = parts > 0 ? place / parts % rows : blockIdx.x;
        part = parts > 0 ? place % parts : 0, stage = parts > 0 ? int(place / parts / rows) : 0;
    }
    __device__ bool mine() const { return parts == 0 || at == stage; }
    __device__ Index first(Index terms) const { return mine() ? Index(part) * blockDim.x + threadIdx.x : terms; }
    __device__ Index step() const { return Index(parts > 0 ? parts : 1) * blockDim.x; }

    // tell counts this block among those that are done with a stage, and returns how many were before it.
    __device__ unsigned tell() {
        __syncthreads();
        __threadfence();
        return threadIdx.x == 0 ? atomicAdd(&arrived[k][at], 1u) : 0;
    }
    __device__ void wait() const {
        if (threadIdx.x == 0) while (atomicAdd(&arrived[k][at], 0u) < unsigned(parts)) {}
        __threadfence();
        __syncthreads();
    }
    __device__ bool over() {
        if (parts > 0 && mine()) {
            tell();
            return true;
        }
        ++at;
        return false;
    }
    // end forgets, for the next launch, who arrived at a row whose outputs are written.
    __device__ void end() {
        if (parts == 0 || tell() + 1 < unsigned(parts) || threadIdx.x > 0) return;
        for (int s = 0; s < STAGES; ++s) arrived[k][s] = 0;
    }
<%- else%>
    Index k;
    __device__ Share(double* slots, Index) : slots(slots), k(blockIdx.x) {}
    __device__ Index first(Index) const { return threadIdx.x; }
    __device__ Index step() const { return blockDim.x; }
    __device__ bool over() { return false; }
    __device__ void end() {}
<%- end%>
};

// block_all merges the values of a block's threads: a pair, each with an operation of its own.
template <class Op>
__device__ double block_all(double v, double* slots, Op op) {
    slots[threadIdx.x] = v;
    __syncthreads();
    for (int n = blockDim.x / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) slots[threadIdx.x] = op(slots[threadIdx.x], slots[threadIdx.x + n]);
        __syncthreads();
    }
    v = slots[0];
    __syncthreads();
    return v;
}
// all does so with those of all blocks of a row.
template <class Op>
__device__ double all(double v, Share& share, double none, Op op) {
<%- if .Parts%>
    if (share.parts > 0) {
        double* of_row = &found[share.sums++][share.k * share.parts];
        if (share.mine()) {
            v = block_all(v, share.slots, op);
            if (threadIdx.x == 0) of_row[share.part] = v;
            return v;
        }
        share.wait();
        v = threadIdx.x < share.parts ? *(volatile double*)&of_row[threadIdx.x] : none;
    }
<%- end%>
    return block_all(v, share.slots, op);
}
__device__ double infinity() { return double(__int_as_float(0x7f800000)); }
__device__ double plus(double v, Share& share) { return all(v, share, 0, [](double a, double b) { return a + b; }); }
__device__ double most(double v, Share& share) { return all(v, share, -infinity(), [](double a, double b) { return a != a || a > b ? a : b; }); }
__device__ double below(double v, Share& share) { return all(v, share, infinity(), [](double a, double b) { return a != a || a < b ? a : b; }); }
<%- if .Has.Firsts%>

// rivals is 1 for a number that may well be the most of its row, by what the row's numbers err, or that is as infinite in fp32 as
// that is, or as near 0: e(terms) roundings of both are less than 2^-10 of their errors. Where there are several, no place is
// wrong, and NaN says so.
__device__ double rivals(double v, Num most) {
    const bool beyond = fabs(v) >= 1e38 && fabs(most.v) >= 1e38 && (v > 0) == (most.v > 0);
    return most.e + most.k > 0 && (beyond || fabs(v - most.v) <= 0.0009765625 * (most.e + most.k) + 1e-36) ? 1 : 0;
}
__device__ double no_place() { return double(__int_as_float(0x7fc00000)); }
<%- end%>
<%- if .Totals%>
__device__ double sums_of[<%.MostParts%>][<%len .Totals%>][3];  // of each block's rows
__device__ unsigned ended;
<%- end%>
<%- end%>

<%- if and .Product (not .Staged)%>
constexpr int SIDE = 16;            // threads along either side
constexpr int PER_THREAD = 4;       // outputs a thread along either side
constexpr int TILE = SIDE * PER_THREAD;
constexpr int STEP = 16;            // terms of the sum per pass through shared memory

// load_tile copies TILE lines of STEP terms as float, with zeros outside the matrix.
__device__ void load_tile(const T* matrix, bool along, int lines, int terms, int line0, int k0, float (&tile)[STEP][TILE + 1]) {
    for (int i = threadIdx.x; i < TILE * STEP; i += SIDE * SIDE) {
        const int line = line0 + (along ? i / STEP : i % TILE), k = k0 + (along ? i % STEP : i / TILE);
        const long long at = along ? (long long)line * terms + k : (long long)k * lines + line;
        tile[k - k0][line - line0] = line < lines && k < terms ? darwarp::to_float(matrix[at]) : 0.f;
    }
}
<%end%>

extern "C" __global__ void __launch_bounds__(<%.Block%>)
reference(<%.TruthParams%>) {
    const Inputs in{<%.InputNames%>};
    const Sizes n{<%.SizeValues%><%if .Product%>, {<%.ProductLengths%>}<%end%>};
<%- if and .Product (not .Staged)%>
    const int rows = n.lengths[1], cols = n.lengths[2], terms = n.lengths[3], batch = blockIdx.z;
    const T* A = <%.Product.A%> + (long long)<%.MatrixA%> * rows * terms;
    const T* B = <%.Product.B%> + (long long)<%.MatrixB%> * cols * terms;
    __shared__ float a[STEP][TILE + 1], b[STEP][TILE + 1];  // + 1 spreads a column over the banks
    double sum[PER_THREAD][PER_THREAD] = {}, scale[PER_THREAD][PER_THREAD] = {};
    Alike alike[PER_THREAD][PER_THREAD] = {};
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE, y = threadIdx.x / SIDE, x = threadIdx.x % SIDE;
    for (int k0 = 0; k0 < terms; k0 += STEP) {
        load_tile(A, <%.Product.AlongA%>, rows, terms, row0, k0, a);
        load_tile(B, <%.Product.AlongB%>, cols, terms, col0, k0, b);
        __syncthreads();
        for (int s = 0; s < STEP; ++s)
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j) {
                    const double u = a[s][y + i * SIDE], v = b[s][x + j * SIDE];
                    sum[i][j] = fma(u, v, sum[i][j]);
                    scale[i][j] += fabs(u * v);
                    if (u * v != 0) alike[i][j].see(u * v, u * v);  // zeros between equal terms add nothing
                }
        __syncthreads();
    }
    const Row row = {};
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j) {
            const int r = row0 + y + i * SIDE, c = col0 + x + j * SIDE;
            if (r >= rows || c >= cols) continue;
            const Index k = (Index(batch) * rows + r) * cols + c;
            Element e;
            gather(in, n, k, 0, e);
            e.acc = <%if .Product.Triangle%>(<%if eq .Product.Triangle "tril"%>c > r + <%.Product.Diagonal%><%else%>c < r + <%.Product.Diagonal%><%end%>) ? exactly(0) : <%end%>num(sum[i][j], 0, scale[i][j] * Alike::more(alike[i][j].equal, <%.K%>));
<%- range .Outputs%>
            const Num y_<%.Name%> = <%.Function%>(e, row, n);
            <%.Name%>[k] = value_of(y_<%.Name%>);
            <%.Name%>_scale[k] = scale_of(y_<%.Name%>, <%$.K%>);
<%- end%>
        }
<%- else if .Passes%>
    __shared__ double slots[<%.Block%>];
    const Index terms = n.terms();
    Share share(slots, n.kept());
<%- if .Totals%>
    double sums[<%len .Totals%>][3] = {};
    for (Index k = blockIdx.x; k < n.kept(); k += gridDim.x) {
<%- else%>
    const Index k = share.k;
<%- end%>
    Row row;
    begin(in, n, k, row);
    Element e;
<%- range .Passes%>
<%- range .Stats%>
    {
<%.Truth%>
    }
<%- end%>
    finish<%.Number%>(row, n);
<%- end%>
<%- range .Totals%>
    {
        const Num t = total<%.%>(e, row, n);
        sums[<%.%>][0] += t.v, sums[<%.%>][1] += t.e, sums[<%.%>][2] += fabs(t.v) + t.k;
    }
<%- end%>
<%- range .Outputs%>
<%- if .Total%>
<%- else if .Full%>
    for (Index r = share.first(terms); r < terms; r += share.step()) {
        gather(in, n, k, r, e);
        const Num y = <%.Function%>(e, row, n);
        const long long at = kept_<%.Name%>(n, k) + terms_<%.Name%>(n, r);
        <%.Name%>[at] = value_of(y);
        <%.Name%>_scale[at] = scale_of(y, <%$.K%>);
    }
<%- else%>
    if (share.first(terms) == 0) {
        const Num y = <%.Function%>(e, row, n);
        <%.Name%>[k] = value_of(y);
        <%.Name%>_scale[k] = scale_of(y, <%$.K%>);
    }
<%- end%>
<%- end%>
<%- if .Totals%>
    }
    // The block that ends last adds up those of all blocks, in their order.
    if (threadIdx.x > 0) return;
    for (int i = 0; i < <%len .Totals%> * 3; ++i) sums_of[blockIdx.x][i / 3][i % 3] = sums[i / 3][i % 3];
    __threadfence();
    if (atomicAdd(&ended, 1u) + 1 < gridDim.x) return;
    ended = 0;  // for the next launch
    __threadfence();
    for (int i = 0; i < <%len .Totals%> * 3; ++i) {
        sums[i / 3][i % 3] = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sums[i / 3][i % 3] += *(volatile double*)&sums_of[b][i / 3][i % 3];
    }
    const Totals total{<%range .Totals%>num(sums[<%.%>][0], sums[<%.%>][1], sums[<%.%>][2]), <%end%>};
<%- range .TotalOutputs%>
    const Num y_<%.Name%> = <%.Function%>(total, n);
    <%.Name%>[0] = value_of(y_<%.Name%>);
    <%.Name%>_scale[0] = scale_of(y_<%.Name%>, <%$.K%>);
<%- end%>
<%- else%>
    share.end();
<%- end%>
<%- else if .Scan%>
    const Index k = <%if .Shared%>blockIdx.x<%else%>Index(blockIdx.x) * blockDim.x + threadIdx.x<%end%>;
    if (k >= n.kept()) return;
    Row row;
    begin(in, n, k, row);
    Num sum = exactly(<%if .Scan.Product%>1<%else%>0<%end%>);
    const Index terms = n.terms();
<%- if .Shared%>
    // Each thread has a part of the row. First it adds that up, then all parts before its own, from which it goes on.
    __shared__ Num parts[<%.Block%>];
    const Index part = (terms + blockDim.x - 1) / blockDim.x;
    const Index begins = threadIdx.x * part < terms ? threadIdx.x * part : terms, ends = begins + part < terms ? begins + part : terms;
    Num own = exactly(0);
<%- if .Alike%>
    __shared__ double equals[<%.Block%>];
    Alike alike{double(__int_as_float(0x7fc00000)), 0};
    if (begins > 0 && begins < terms) {
        Element e;
        gather(in, n, k, <%if .Scan.Reverse%>terms - begins<%else%>begins - 1<%end%>, e);
        alike.before = scan_term(e, row, n).v;
    }
    const double before = alike.before;
<%- end%>
    for (Index i = begins; i < ends; ++i) {
        Element e;
        gather(in, n, k, <%if .Scan.Reverse%>terms - 1 - i<%else%>i<%end%>, e);
        const Num t = scan_term(e, row, n);
        own = num(own.v + t.v, own.e + t.e, own.k + fabs(t.v) + t.k);
<%- if .Alike%>
        alike.see(t.v, t.v);
<%- end%>
    }
    parts[threadIdx.x] = own;
<%- if .Alike%>
    equals[threadIdx.x] = alike.equal;
    alike = Alike{before, 0};
<%- end%>
    __syncthreads();
    for (int p = 0; p < int(threadIdx.x); ++p) sum = num(sum.v + parts[p].v, sum.e + parts[p].e, sum.k + parts[p].k);
<%- if .Alike%>
    for (int p = 0; p < int(threadIdx.x); ++p) alike.equal += equals[p];
<%- end%>
    for (Index i = begins; i < ends; ++i) {
<%- else%>
<%- if .Alike%>
    Alike alike{double(__int_as_float(0x7fc00000)), 0};
<%- end%>
    for (Index i = 0; i < terms; ++i) {
<%- end%>
        const Index r = <%if .Scan.Reverse%>terms - 1 - i<%else%>i<%end%>;
        Element e;
        gather(in, n, k, r, e);
        const Num t = scan_term(e, row, n);
<%- if .Scan.Product%>
        sum = num(sum.v * t.v, times(fabs(t.v), sum.e) + times(fabs(sum.v), t.e), fabs(sum.v * t.v));
<%- else%>
        sum = num(sum.v + t.v, sum.e + t.e, sum.k + fabs(t.v) + t.k);
<%- end%>
<%- if .Alike%>
        alike.see(t.v, t.v);
        e.acc = num(sum.v, sum.e, sum.k * Alike::more(alike.equal, <%.K%>));
<%- else%>
        e.acc = sum;
<%- end%>
<%- range .Outputs%>
        const Num y_<%.Name%> = <%.Function%>(e, row, n);
        <%.Name%>[kept_<%.Name%>(n, k) + terms_<%.Name%>(n, r)] = value_of(y_<%.Name%>);
        <%.Name%>_scale[kept_<%.Name%>(n, k) + terms_<%.Name%>(n, r)] = scale_of(y_<%.Name%>, <%$.K%>);
<%- end%>
    }
<%- else if .Pool%>
    const int sizes[] = {<%.PoolValues%>};
<%- range $i, $k := .Pool.Kernel%>
    const int x<%$i%> = sizes[<%$i%> * 2], y<%$i%> = sizes[<%$i%> * 2 + 1];
<%- end%>
    const Index k = Index(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= n.kept()) return;
    const Row row = {};
    double found = <%if .Pool.Average%>0, size = 0<%else%>-double(__int_as_float(0x7f800000))<%end%>;
<%- if .Pool.Average%>
    int places = 0;
<%- end%>
<%.PoolTruth%>
    Element e;
    gather(in, n, k, 0, e);
<%- if .Pool.Average%>
    const double windows = <%.Pool.Places%>;
    e.acc = num(found / windows, fabs(found / windows), size / windows);
<%- else%>
    e.acc = exactly(found);
<%- end%>
<%- range .Outputs%>
    const Num y_<%.Name%> = <%.Function%>(e, row, n);
    <%.Name%>[k] = value_of(y_<%.Name%>);
    <%.Name%>_scale[k] = scale_of(y_<%.Name%>, <%$.K%>);
<%- end%>
<%- else%>
    const Index k = Index(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= n.kept()) return;
    const Row row = {};
    Element e;
    gather(in, n, k, 0, e);
<%- range .Outputs%>
    const Num y_<%.Name%> = <%.Function%>(e, row, n);
    <%.Name%>[k] = value_of(y_<%.Name%>);
    <%.Name%>_scale[k] = scale_of(y_<%.Name%>, 1);
<%- end%>
<%- end%>
}
