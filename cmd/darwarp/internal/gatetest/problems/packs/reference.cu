// The truth for rows in eight bits: the least power, from -100 on, with which no code is beyond 127; half-way to even; past the end 0.
extern "C" __global__ void reference(const T* x, double* codes, float* codes_scale, double* power, float* power_scale, int rows, int cols) {
    x += size_t(blockIdx.x) * cols;
    float most = 0;
    for (int c = threadIdx.x; c < cols; c += 32) most = fmaxf(most, fabsf(x[c]));
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
    int e = -100;
    while (double(most) > ldexp(127., e)) ++e;
    const int words = (cols + 3) / 4;
    for (int w = threadIdx.x; w < words; w += 32) {
        unsigned word = 0;
        for (int k = 0; k < 4; ++k)
            if (4 * w + k < cols) word |= unsigned(int(rint(ldexp(double(x[4 * w + k]), -e))) & 255) << 8 * k;
        codes[size_t(blockIdx.x) * words + w] = int(word), codes_scale[size_t(blockIdx.x) * words + w] = fabsf(float(int(word)));
    }
    if (threadIdx.x == 0) power[blockIdx.x] = e, power_scale[blockIdx.x] = float(abs(e));
}
