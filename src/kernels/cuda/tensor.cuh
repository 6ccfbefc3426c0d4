/* The instructions that C does not have, under their names in the PTX ISA 8.0. The kernels in this folder use only what C
 * and CUDA share, so that the tests can run them with these functions written in C. */
#ifndef KERNELS_CUDA_TENSOR_CUH
#define KERNELS_CUDA_TENSOR_CUH

#ifndef __CUDACC__
#include "emulate.h"
#else
#include <cuda.h>
#include <stdint.h>

#define INSIDE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define SHARED(name) extern __shared__ __align__(1024) unsigned char name[]
/** A bf16 in memory. */
typedef unsigned short bf16;

INSIDE uint32_t shared_address(const void *pointer) {
  return (uint32_t)__cvta_generic_to_shared(pointer);
}

/** Waits for the warp's other lanes; what they wrote to shared memory is visible then. */
INSIDE void warp_sync(void) {
  __syncwarp();
}

/** Four floats from shared memory. */
INSIDE void load_four(float *r, uint32_t address) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(r[0]), "=f"(r[1]), "=f"(r[2]), "=f"(r[3])
               : "r"(address));
}

/** a b + sum, rounded once. With -O1 ptxas keeps the order of such instructions, and with it the registers that they share. */
INSIDE float fma_in_order(float a, float b, float sum) {
  asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
  return sum;
}

#define IN_FLOAT(x) "+f"(x)
#define IN_INT(x) "+r"(x)

/* Ampere: asynchronous copies, and products of a warp. */

/** Copies 16 bytes to shared memory, or zeros where `bytes` is 0. */
INSIDE void copy_async(uint32_t to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

INSIDE void copy_commit(void) {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/** Waits until at most `left` groups of copies are in flight. */
#define copy_wait(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")

/** Four 8 x 8 matrices of 16 bits; lane l gives the address of row l % 8 of matrix l / 8. */
INSIDE void load_matrices(uint32_t *r, uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

INSIDE void load_matrices_transposed(uint32_t *r, uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

/** d += a b for 16 x 8 x 16. */
INSIDE void mma_bf16(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

INSIDE void mma_fp16(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/** Two numbers rounded to bf16, the first in the lower half. */
INSIDE uint32_t pack_bf16(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

INSIDE uint32_t pack_fp16(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

/** The value of the lane whose number differs in the bits of `mask`. */
INSIDE float from_neighbour(float value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFF, value, mask);
}

/** The same of a word. */
INSIDE uint32_t word_of_neighbour(uint32_t value, int mask) {
  return __shfl_xor_sync(0xFFFFFFFF, value, mask);
}

/** Adds one to a counter in memory, or makes it 0 where it is `last`; what it was. */
INSIDE uint32_t count_up(uint32_t *counter, uint32_t last) {
  return atomicInc(counter, last);
}

/** Raises a flag in memory: whoever sees it sees what the threads wrote that met before. */
INSIDE void flag_raise(uint32_t *flag) {
  __threadfence();
  *(volatile uint32_t *)flag = 1;
}

/** Lets the kernel after this one begin as soon as all blocks have come here: what it needs of this one it waits for. */
INSIDE void next_may_begin(void) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/** Waits until the kernel before has ended, which may not be so where this one was begun early, and sees what it wrote. */
INSIDE void previous_wait(void) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/** 2 to the power of x, to about 2^-22 of it; 0 for -infinity. */
INSIDE float exp2_fast(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/** x, hidden from the compiler: what depends on it is computed again instead of being kept in registers. */
INSIDE uint32_t anew(uint32_t x) {
  asm volatile("" : "+r"(x));
  return x;
}

/** x of the first lane: the compiler learns that it is the same in all. */
INSIDE int uniform(int x) {
  return __shfl_sync(0xFFFFFFFF, x, 0);
}

/* Hopper: tensor copies, barriers that count bytes, products of a warpgroup, clusters. */
#if __CUDA_ARCH__ >= 900

INSIDE uint32_t cluster_rank(void) {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

INSIDE void cluster_sync(void) {
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

INSIDE void barrier_init(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/** Makes initialised barriers visible to the copy engine and to the cluster. */
INSIDE void barrier_fence(void) {
  asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;" ::: "memory");
}

/** Arrives, and has the barrier's phase wait for `bytes` more. */
INSIDE void barrier_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/** Arrives at the same barrier of block `rank` of the cluster. */
INSIDE void barrier_arrive(uint32_t barrier, uint32_t rank) {
  asm volatile("{\n\t.reg .b32 remote;\n\t"
               "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
               "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}" ::"r"(barrier),
               "r"(rank)
               : "memory");
}

#ifdef BOUNDED
/** Nanoseconds, again from 0 every four seconds. */
INSIDE uint32_t global_time(void) {
  uint32_t now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
  return now;
}

/** Whether the phase of that parity is over, after some time of waiting. */
INSIDE int barrier_over(uint32_t barrier, uint32_t parity) {
  int over;
  asm volatile("{\n\t.reg .pred over;\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
               "selp.s32 %0, 1, 0, over;\n\t}"
               : "=r"(over)
               : "r"(barrier), "r"(parity)
               : "memory");
  return over;
}

/** Ends the kernel with a fault. An address that nothing has, since around a trap the assembler makes products wait for each
 * other, and what is tried is to be what is timed. */
INSIDE void give_up(void) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"((uint64_t)16), "r"(0) : "memory");
}

/** Waits until the phase of that parity is over; after two seconds the kernel ends with a fault. */
INSIDE void barrier_wait(uint32_t barrier, uint32_t parity) {
  uint32_t start = global_time();
  while (!barrier_over(barrier, parity)) {
    if (global_time() - start > 2000000000u) {
      give_up();
    }
  }
}
#else
/** Waits until the phase of that parity is over. */
INSIDE void barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n\t.reg .pred over;\n\t"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n\t"
               "@!over bra again;\n\t}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}
#endif

/** Waits for a flag in memory, and lowers it. */
INSIDE void flag_wait(uint32_t *flag) {
#ifdef BOUNDED
  uint32_t start = global_time();
  while (*(volatile uint32_t *)flag == 0) {
    if (global_time() - start > 2000000000u) {
      give_up();
    }
  }
#else
  while (*(volatile uint32_t *)flag == 0) {
  }
#endif
  __threadfence();
  *(volatile uint32_t *)flag = 0;
}

/** Waits until `threads` threads have reached barrier `id`. */
INSIDE void group_sync(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/** The same without waiting for the others. */
INSIDE void group_arrive(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/** The map is fetched before it is needed. */
INSIDE void tensor_prefetch(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/** Loads the box at (x, y), x along the rows, to shared memory; its bytes arrive at the barrier. */
INSIDE void tensor_load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

/** The same to every block of the cluster in `mask`, at the same place of its shared memory and its barrier. */
INSIDE void tensor_load_all(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier,
                            unsigned short mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
               : "memory");
}

/* What createpolicy gives for all that is accessed (CUTLASS, TMA::CacheHintSm90): what leaves the last cache first, and last. */
#define LEAVES_FIRST 0x12F0000000000000u
#define LEAVES_LAST 0x14F0000000000000u

/** tensor_load of what other blocks read again later: it leaves the last cache last. */
INSIDE void tensor_load_kept(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(barrier), "l"(LEAVES_LAST)
               : "memory");
}

/** tensor_load of one plane of several. */
INSIDE void tensor_load_plane(uint32_t to, const CUtensorMap *map, int x, int y, int plane, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(plane), "r"(barrier)
               : "memory");
}

/** Stores a box that nobody reads again soon: it leaves the last cache first. */
INSIDE void tensor_store(const CUtensorMap *map, int x, int y, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint "
               "[%0, {%1, %2}], [%3], %4;" ::"l"(map),
               "r"(x), "r"(y), "r"(from), "l"(LEAVES_FIRST)
               : "memory");
}

INSIDE void store_commit(void) {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/** Waits until all but `left` groups of stores have read shared memory. */
#define store_wait_read(left) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory")

/** Waits until all stores are done. */
INSIDE void store_wait(void) {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/** What this thread wrote to shared memory becomes visible to the copy engine. */
INSIDE void fence_async(void) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/** Stores four 8 x 8 matrices of 16 bits, addressed as load_matrices. */
INSIDE void store_matrices(uint32_t address, const uint32_t *r) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

INSIDE void product_fence(void) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

INSIDE void product_commit(void) {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

#define product_wait(left) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory")

/** What follows waits for x: else the assembler may move a later wait for products before it. A trap in place of the pause
 *  would make it wait for every product. */
INSIDE void after(float x) {
  asm volatile("{\n\t.reg .pred never;\n\t"
               "setp.lt.f32 never, %0, 0f00000000;\n\t"
               "@never nanosleep.u32 0;\n\t}" ::"f"(x)
               : "memory");
}

/** Numbers that the compiler must compute before this and must not use before it: it does not know what is asynchronous. */
INSIDE void pin(float *numbers, int count) {
#pragma unroll
  for (int i = 0; i < count; i++) {
    asm volatile("" : "+f"(numbers[i])::"memory");
  }
}

/** Registers of each thread of the warpgroup from here on. */
#define registers_more(count) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count))
#define registers_fewer(count) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count))

#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define SUMS_128                                                                                             \
  "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11)                   \
  "%120, %121, %122, %123, %124, %125, %126, %127}"
#define IN_8(c, d, i)                                                                                        \
  c((d)[i]), c((d)[i + 1]), c((d)[i + 2]), c((d)[i + 3]), c((d)[i + 4]), c((d)[i + 5]), c((d)[i + 6]), c((d)[i + 7])
#define IN_64(c, d, i)                                                                                       \
  IN_8(c, d, i), IN_8(c, d, i + 8), IN_8(c, d, i + 16), IN_8(c, d, i + 24), IN_8(c, d, i + 32),              \
      IN_8(c, d, i + 40), IN_8(c, d, i + 48), IN_8(c, d, i + 56)
#define IN_128(c, d) IN_64(c, d, 0), IN_64(c, d, 64)

/** d = a b + d (d = a b where `add` is 0) for 64 x 256 rows and columns; `rest` follows the predicate. */
#define PRODUCT(instruction, constraint, rest, d, a, b, add)                                                 \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %130, 0;\n\t"                                       \
               "wgmma.mma_async.sync.aligned." instruction " " SUMS_128 ", %128, %129, add" rest ";\n\t}"    \
               : IN_128(constraint, d)                                                                       \
               : "l"(a), "l"(b), "r"(add))

/** 64 x 256 x 16; A with k along its rows, B with n along its rows, both in swizzled shared memory. */
INSIDE void product_bf16(float *d, uint64_t a, uint64_t b, int add) {
  PRODUCT("m64n256k16.f32.bf16.bf16", IN_FLOAT, ", 1, 1, 0, 1", d, a, b, add);
}

#define SUMS_88                                                                                              \
  "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) "%80, %81, %82, %83, %84, %85, %86, %87}"
#define SUMS_64 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63}"
#define SUMS_32 "{" TEN() TEN(1) TEN(2) "%30, %31}"
#define IN_32(c, d) IN_8(c, d, 0), IN_8(c, d, 8), IN_8(c, d, 16), IN_8(c, d, 24)

/** The same for 64 x 128. */
#define PRODUCT_NARROW(instruction, rest, d, a, b, add)                                                      \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %66, 0;\n\t"                                        \
               "wgmma.mma_async.sync.aligned.m64n128" instruction " " SUMS_64 ", %64, %65, add" rest ";\n\t}" \
               : IN_64(IN_FLOAT, d, 0)                                                                       \
               : "l"(a), "l"(b), "r"(add))

/** The same for 64 x 176. */
#define PRODUCT_176(instruction, rest, d, a, b, add)                                                         \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %90, 0;\n\t"                                        \
               "wgmma.mma_async.sync.aligned.m64n176" instruction " " SUMS_88 ", %88, %89, add" rest ";\n\t}" \
               : IN_64(IN_FLOAT, d, 0), IN_8(IN_FLOAT, d, 64), IN_8(IN_FLOAT, d, 72), IN_8(IN_FLOAT, d, 80)  \
               : "l"(a), "l"(b), "r"(add))

#define PRODUCT_SCORES(type)                                                                                 \
  if (columns == 176) {                                                                                      \
    PRODUCT_176("k16.f32." type, ", 1, 1, 0, 0", d, a, b, add);                                              \
  } else {                                                                                                   \
    PRODUCT_NARROW("k16.f32." type, ", 1, 1, 0, 0", d, a, b, add);                                           \
  }

/** 64 x `columns` x 16, `columns` (176 or 128) and `fp16` constants; A and B with k along their rows, both in swizzled shared
 * memory. */
INSIDE void product_scores(float *d, uint64_t a, uint64_t b, int add, int columns, int fp16) {
  if (fp16) {
    PRODUCT_SCORES("f16.f16")
  } else {
    PRODUCT_SCORES("bf16.bf16")
  }
}

/** 64 x `columns` x 32 in e4m3, `columns` (256 or 128) a constant; A and B with k along their rows, the only layout there is. */
INSIDE void product_e4m3(float *d, uint64_t a, uint64_t b, int add, int columns) {
  if (columns == 256) {
    PRODUCT("m64n256k32.f32.e4m3.e4m3", IN_FLOAT, ", 1, 1", d, a, b, add);
  } else {
    PRODUCT_NARROW("k32.f32.e4m3.e4m3", ", 1, 1", d, a, b, add);
  }
}

#define PRODUCT_VALUES(shape, sums, a0, a1, a2, a3, at_b, in)                                                \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.eq.b32 add, 0, 0;\n\t"                                          \
               "wgmma.mma_async.sync.aligned." shape " " sums ", {" a0 ", " a1 ", " a2 ", " a3 "}, " at_b    \
               ", add, 1, 1, 1;\n\t}"                                                                        \
               : in                                                                                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define PRODUCT_VALUES_128(type)                                                                             \
  PRODUCT_VALUES("m64n128k16.f32." type, SUMS_64, "%64", "%65", "%66", "%67", "%68", IN_64(IN_FLOAT, d, 0))
#define PRODUCT_VALUES_64(type)                                                                              \
  PRODUCT_VALUES("m64n64k16.f32." type, SUMS_32, "%32", "%33", "%34", "%35", "%36", IN_32(IN_FLOAT, d))

/** d += a b for 64 x `dim` x 16: A in registers, as fragments of mma; B with n along its rows, in swizzled shared memory.
 * `dim` (128 or 64) and `fp16` are constants. */
INSIDE void product_values(float *d, const uint32_t *a, uint64_t b, int dim, int fp16) {
  if (dim == 128 && fp16) {
    PRODUCT_VALUES_128("f16.f16");
  } else if (dim == 128) {
    PRODUCT_VALUES_128("bf16.bf16");
  } else if (fp16) {
    PRODUCT_VALUES_64("f16.f16");
  } else {
    PRODUCT_VALUES_64("bf16.bf16");
  }
}
#endif
#endif

/** 16 bytes that are moved at once. */
typedef struct chunk16 {
  uint32_t words[4];
} __attribute__((aligned(16))) chunk16;

/** Four numbers that are moved at once, and two. */
typedef struct four {
  float at[4];
} __attribute__((aligned(16))) four;
typedef struct duo {
  float at[2];
} __attribute__((aligned(8))) duo;

/** mma and pack of fp16 or bf16, by the constant `fp16`. */
INSIDE void mma(float *d, const uint32_t *a, const uint32_t *b, int fp16) {
  if (fp16) {
    mma_fp16(d, a, b);
  } else {
    mma_bf16(d, a, b);
  }
}

INSIDE uint32_t pack(float low, float high, int fp16) {
  return fp16 ? pack_fp16(low, high) : pack_bf16(low, high);
}

#endif
