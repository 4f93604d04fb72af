// A CUDA driver without a GPU, for tests: device memory is the host's, kernels run when they are launched, and time is what
// they say that they take. It knows the harness' kernels as far as tests can tell them from the real ones, and a few
// candidates by their names. What is done is written to a log, a line each.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef struct { char name[64]; int place; } fn;
typedef struct { fn *f; u64 args[6]; u64 at, n; int value; } node; // a launch; without a kernel a memset
typedef struct { node list[512]; int n, place; } graph;

enum { capturing_limit = 512, guard = 0xA5, launch_failed = 719 };

static char text[1 << 20];
static int length;
static u64 now_ns, call_ns = 10000, stamped_ns;
static double cycles;
static int idle, calls, bad_every, sticky, stamps, low_clock_from = 1 << 30;
static graph *recording;
static fn functions[256];
static int known;

// Places of modules and of graphs, and which was given back last; and memory of 2 MiB and more, in the order in which it
// was taken. What lies at a place but the first, or in every other piece of memory, costs some ns a call more.
enum { places_limit = 16 };
struct places { int taken[places_limit], freed[places_limit], frees; };
static struct places modules, execs;
static int last_first, place_ns, launches_since_load;
static struct { u64 at; int number; } large[256];
static int larges;

static int take_place(struct places *p) {
	int i = 0;
	if (last_first && p->frees) i = p->freed[--p->frees];
	else while (i < places_limit - 1 && p->taken[i]) i++;
	p->taken[i] = 1;
	return i;
}
static void give_place(struct places *p, int i) {
	p->taken[i] = 0;
	if (p->frees < places_limit) p->freed[p->frees++] = i;
}
static int number_of(u64 p) {
	for (int i = larges; i-- > 0;) if (p >= large[i].at && p < large[i].at + (2 << 20)) return large[i].number;
	return 0;
}

static void say(const char *format, ...) {
	va_list rest;
	va_start(rest, format);
	if (length < (int)sizeof text - 256) length += vsnprintf(text + length, 256, format, rest);
	va_end(rest);
}

// For tests.
const char *fake_log(void) { return text; }
int fake_clear(void) { length = 0, text[0] = 0; return 0; }
int fake_bad_every(int n) { bad_every = n, calls = 0; return 0; }
int fake_idle(int on) { idle = on; return 0; }
int fake_places(int last, int ns) { last_first = last, place_ns = ns, modules.frees = execs.frees = 0; return 0; }
int fake_slow_clock(int from) { low_clock_from = from, stamps = 0; return 0; }

static u64 word(void **args, int i) { u64 v; memcpy(&v, args[i], 8); return v; }
static unsigned char *at(u64 p) { return (unsigned char *)p; }

// What "near" has read is near, until somebody writes to it.
static struct { u64 at, n; } near[512];
static int nears;

static void wrote(u64 to, u64 n) {
	for (int i = nears; i-- > 0;)
		if (near[i].at < to + n && to < near[i].at + near[i].n) near[i] = near[--nears];
}

static int is_near(u64 from, u64 n) {
	for (int i = 0; i < nears; i++) if (near[i].at == from && near[i].n == n) return 1;
	if (nears < 512) near[nears].at = from, near[nears++].n = n;
	return 0;
}

struct region { unsigned char *at; u64 bytes, key; uint32_t first; unsigned short kind, counter; };
struct regions { struct region list[64]; uint32_t n, chunks; };

static void inspect(const struct regions *all, u64 *counters) {
	for (uint32_t i = 0; i < all->n; i++) {
		const struct region *r = &all->list[i];
		u64 sum = 0, key = r->key;
		if (r->kind == 3) {
			memmove(at(key & 0xffffffffffffull), r->at, r->bytes);
			wrote(key & 0xffffffffffffull, r->bytes);
			key &= ~0xffffffffffffull;
		}
		for (u64 k = 0; k < r->bytes; k++) {
			if (r->kind == 0) sum += r->at[k] != guard;
			else if (r->kind == 1 || r->kind == 3) sum += (key + k + 1) * 0x9e3779b97f4a7c15u * (r->at[k] + 1u);
			else sum += r->at[k] != 0;
		}
		counters[r->counter] += sum;
	}
}

struct refilling { unsigned char *at; u64 bytes, key, palette; uint32_t size, low; };
struct refillings { struct refilling list[16]; u64 n; };

// What is plausible is all ones here, so that tests can tell it from what is wild.
static void refill(const struct refillings *all) {
	for (u64 k = 0; k < all->n; k++) {
		const struct refilling *r = &all->list[k];
		wrote((u64)r->at, r->bytes);
		if (r->palette) memset(r->at, 1, r->bytes);
		for (u64 i = 0; !r->palette && i < r->bytes; i++) r->at[i] = r->size ? (unsigned char)(r->key >> (i & 7)) ^ i : 0;
	}
}

static void harness(const char *name, void **args) {
	if (!strcmp(name, "dw_guard")) {
		const struct regions *all = args[0];
		for (uint32_t i = 0; i < all->n; i++) memset(all->list[i].at, guard, all->list[i].bytes);
	} else if (!strcmp(name, "dw_inspect")) {
		inspect(args[0], (u64 *)word(args, 1));
	} else if (!strcmp(name, "dw_fill")) {
		const u64 n = word(args, 1), seed = word(args, 5);
		static const int sizes[] = {2, 2, 4, 4, 1, 1, 1, 1, 1, 8, 1}; // by dtype
		const int size = sizes[word(args, 2)];
		wrote(word(args, 0), n * size);
		for (u64 i = 0; i < n * size; i++) at(word(args, 0))[i] = (unsigned char)(seed * 31 + word(args, 4) * 7 + i);
	} else if (!strcmp(name, "dw_refill") || !strcmp(name, "dw_poison")) {
		refill(args[0]);
	} else if (!strcmp(name, "dw_turn")) {
		inspect(args[0], (u64 *)word(args, 1));
		refill(args[2]);
	} else if (!strcmp(name, "dw_clock")) {
		u64 *stamp = (u64 *)word(args, 0);
		const int low = ++stamps / 2 > low_clock_from;
		cycles += (low ? 1.0 : 1.98) * (now_ns - stamped_ns), stamped_ns = now_ns;
		stamp[0] = (u64)cycles, stamp[1] = now_ns;
	}
}

static u64 takes(const char *name, const u64 *a) {
	const uint32_t n = (uint32_t)a[2];
	if (!strcmp(name, "near") && !is_near(a[0], n)) return call_ns + call_ns / 5;
	if (!strcmp(name, "keeps") && !memcmp(at(a[1]), at(a[0]), n)) return call_ns / 10;
	return call_ns;
}

static int arguments(const char *name) { return !strcmp(name, "leaves") || !strcmp(name, "uses") ? 4 : 3; }

// What a call costs more by where everything lies, and in the first samples after a module was loaded.
static u64 misplaced(const fn *f, const u64 *a) {
	const int odd = arguments(f->name) == 4 && number_of(a[3]) & 1;
	return place_ns * (f->place + odd) + (place_ns >> launches_since_load);
}

// A candidate is copy(x, y, bytes), or does more than that.
static void candidate(const fn *f, const u64 *a) {
	const char *name = f->name;
	now_ns += takes(name, a) + misplaced(f, a);
	wrote(a[1], (uint32_t)a[2]);
	memcpy(at(a[1]), at(a[0]), (uint32_t)a[2]);
	if (!strcmp(name, "strays")) at(a[1])[(uint32_t)a[2]] = 1;
	if (!strcmp(name, "mutates")) at(a[0])[3]++;
	if (!strcmp(name, "leaves")) at(a[3])[5] = 1;
	if (!strcmp(name, "fails")) sticky = launch_failed;
	if (!strcmp(name, "errs") && bad_every && ++calls % bad_every == 0) at(a[1])[0] ^= 1;
}

static int start(fn *f, int blocks, void **args) {
	if (idle) return 0;
	const int ours = !strncmp(f->name, "dw_", 3);
	if (recording) {
		node *x = &recording->list[recording->n++];
		memset(x, 0, sizeof *x);
		x->f = f;
		for (int i = 0; !ours && i < arguments(f->name); i++) x->args[i] = word(args, i);
		return 0;
	}
	say("%s %d\n", f->name, blocks);
	if (ours) {
		harness(f->name, args);
		return 0;
	}
	u64 list[6];
	for (int i = 0; i < arguments(f->name); i++) list[i] = word(args, i);
	candidate(f, list);
	return 0;
}

int cuInit(unsigned flags) { return 0; }
int cuGetErrorName(int code, const char **name) { *name = "CUDA_ERROR_OF_A_TEST"; return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "a test's GPU"); return 0; }
int cuDeviceGetUuid_v2(void *u, int d) { memset(u, 7, 16); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = (size_t)16 << 30; return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) {
	static const int known[][2] = {{1, 1024}, {12, 65536}, {13, 1980000}, {16, 4}, {38, 1 << 20}, {39, 2048}, {75, 9}, {76, 0}, {81, 233472},
		{82, 65536}, {97, 232448}, {108, 1 << 19}};
	*v = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) if (known[i][0] == which) *v = known[i][1];
	return 0;
}
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = c; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { return 0; }
int cuCtxSetCurrent(void *c) { return 0; }
int cuCtxSynchronize(void) { return sticky; }
int cuCtxGetLimit(size_t *v, int which) { *v = 1024; return 0; }
int cuCtxSetLimit(int which, size_t v) { return 0; }
int cuCtxResetPersistingL2Cache(void) { say("normal lines\n"); return 0; }
int cuModuleLoadData(int **m, const void *image) {
	*m = malloc(sizeof **m), **m = take_place(&modules), launches_since_load = 0;
	say("load\n");
	return sticky;
}
int cuModuleUnload(int *m) { give_place(&modules, *m), free(m); say("unload\n"); return sticky; }
int cuModuleGetFunction(fn **f, int *m, const char *name) {
	for (int i = 0; i < known; i++)
		if (!strcmp(functions[i].name, name) && functions[i].place == *m) { *f = &functions[i]; return 0; }
	snprintf(functions[known].name, sizeof functions[known].name, "%s", name);
	functions[known].place = *m;
	*f = &functions[known++];
	return 0;
}
int cuModuleGetGlobal_v2(u64 *p, size_t *n, void *m, const char *name) { return 500; }
int cuFuncGetAttribute(int *v, int which, fn *f) { *v = which == 4 ? 32 : 0; return 0; }
int cuFuncSetAttribute(fn *f, int which, int v) { return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, fn *f, int threads, size_t shared) { *n = 2; return 0; }
int cuMemAlloc_v2(u64 *p, size_t n) {
	static int taken;
	*p = (u64)aligned_alloc(4096, (n + 4095) & ~(size_t)4095);
	if (n >= 2 << 20 && larges < 256) large[larges].at = *p, large[larges++].number = taken++;
	return 0;
}
int cuMemFree_v2(u64 p) {
	for (int i = larges; i-- > 0;) if (large[i].at == p) large[i] = large[--larges];
	free(at(p));
	return 0;
}
int cuMemGetInfo_v2(size_t *some, size_t *all) { *some = *all = (size_t)16 << 30; return 0; }
int cuMemsetD8Async(u64 p, unsigned char v, size_t n, void *s) {
	if (recording) {
		node *x = &recording->list[recording->n++];
		memset(x, 0, sizeof *x);
		x->at = p, x->n = n, x->value = v;
		return 0;
	}
	say("memset %zu\n", n);
	memset(at(p), v, n);
	return 0;
}
int cuMemsetD32Async(u64 p, unsigned v, size_t n, void *s) { return 801; }
static int copy(const char *how, void *to, const void *from, size_t n) {
	say("%s %zu\n", how, n);
	wrote((u64)to, n);
	memcpy(to, from, n);
	return sticky;
}
int cuMemcpyHtoD_v2(u64 to, const void *from, size_t n) { return copy("to device", at(to), from, n); }
int cuMemcpyDtoH_v2(void *to, u64 from, size_t n) { return copy("from device", to, at(from), n); }
int cuMemcpyDtoD_v2(u64 to, u64 from, size_t n) { return copy("within device", at(to), at(from), n); }
int cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t n, void *s) { return copy("to device", at(to), from, n); }
int cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t n, void *s) { return copy("from device", to, at(from), n); }
int cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t n, void *s) { return copy("within device", at(to), at(from), n); }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { *p = aligned_alloc(4096, (n + 4095) & ~(size_t)4095); return 0; }
int cuMemFreeHost(void *p) { free(p); return 0; }
int cuMemHostRegister_v2(void *p, size_t n, unsigned flags) { return 0; }
int cuMemHostUnregister(void *p) { return 0; }
int cuStreamCreate(void **s, unsigned flags) { *s = malloc(1); return 0; }
int cuStreamDestroy_v2(void *s) { free(s); return 0; }
int cuStreamSynchronize(void *s) { say("wait\n"); return sticky; }
int cuStreamQuery(void *s) { return sticky; }
int cuStreamWaitEvent(void *s, void *e, unsigned flags) { return 0; }
int cuStreamBeginCapture_v2(void *s, int mode) { recording = calloc(1, sizeof *recording); return 0; }
int cuStreamEndCapture(void *s, graph **g) { *g = recording, recording = 0; return 0; }
int cuEventCreate(u64 **e, unsigned flags) { *e = calloc(1, sizeof **e); return 0; }
int cuEventDestroy_v2(u64 *e) { free(e); return 0; }
int cuEventRecord(u64 *e, void *s) { *e = now_ns; return 0; }
int cuEventSynchronize(u64 *e) { return sticky; }
int cuEventElapsedTime(float *ms, u64 *from, u64 *to) { *ms = (float)((*to - *from) / 1e6); return 0; }
int cuGraphInstantiateWithFlags(graph **x, graph *g, u64 flags) {
	*x = malloc(sizeof **x), **x = *g, (*x)->place = take_place(&execs);
	say("graph of %d\n", g->n);
	return 0;
}
int cuGraphLaunch(graph *x, void *s) {
	say("launch graph of %d\n", x->n);
	now_ns += x->place * place_ns, launches_since_load++;
	for (int i = 0; i < x->n; i++) {
		if (!x->list[i].f) memset(at(x->list[i].at), x->list[i].value, x->list[i].n);
		else if (strncmp(x->list[i].f->name, "dw_", 3)) candidate(x->list[i].f, x->list[i].args);
	}
	return sticky;
}
int cuGraphExecDestroy(graph *x) { give_place(&execs, x->place), free(x); say("destroy\n"); return 0; }
int cuGraphDestroy(graph *g) { free(g); return 0; }
int cuLaunchKernel(fn *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **args, void **extra) {
	return start(f, gx * gy * gz, args);
}
