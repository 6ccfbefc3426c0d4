/* The products of matrices whose rates are measured, by their names in the PTX ISA 8.8: of a warp (mma.sync)
 * and of Blackwell's fifth generation (tcgen05). The tests spell them out in C (tests/unit/emulate_peaks.h).
 */
#ifndef KERNELS_CUDA_PEAKS_CUH
#define KERNELS_CUDA_PEAKS_CUH

#include "layout.h"
#include "tensor.cuh"

#ifndef __CUDACC__
#include "emulate_peaks.h"
#else

#define IN_WORD(x) "r"(x)
#define SUMS_4(c, d) c((d)[0]), c((d)[1]), c((d)[2]), c((d)[3])

/** d += a b of 16 x 8, k being 32 bytes of either. */
#define MMA(instruction, constraint, d, a, b)                                                                \
  asm volatile("mma.sync.aligned." instruction                                                               \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                            \
               : SUMS_4(constraint, d)                                                                       \
               : SUMS_4(IN_WORD, a), IN_WORD((b)[0]), IN_WORD((b)[1]))

#define IN_DOUBLE(x) "+d"(x)

/** d += a b of doubles, 8 x 8 x 4: two numbers of d, one of a and of b. */
#define MMA_DOUBLE_8(d, a, b)                                                                                \
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"             \
               : IN_DOUBLE((d)[0]), IN_DOUBLE((d)[1])                                                        \
               : "d"(a), "d"(b))

/** d += a b of doubles, 16 x 8 x 16. */
#define MMA_DOUBLE(d, a, b)                                                                                  \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "                        \
               "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"                 \
               : SUMS_4(IN_DOUBLE, d)                                                                        \
               : "d"((a)[0]), "d"((a)[1]), "d"((a)[2]), "d"((a)[3]), "d"((a)[4]), "d"((a)[5]), "d"((a)[6]),  \
                 "d"((a)[7]), "d"((b)[0]), "d"((b)[1]), "d"((b)[2]), "d"((b)[3]))

/** The same with scales: `of_a` of row lane / 4 + 8 (lane % 2), `of_b` of column lane / 4 (PTX ISA, "Block
 * Scaling for mma.sync"; byte 0 and thread 0 on). */
#define MMA_SCALED(instruction, d, a, b, of_a, of_b)                                                         \
  asm volatile("mma.sync.aligned." instruction                                                               \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, "                           \
               "{%10}, {0, 0}, {%11}, {0, 0};"                                                               \
               : SUMS_4(IN_FLOAT, d)                                                                         \
               : SUMS_4(IN_WORD, a), IN_WORD((b)[0]), IN_WORD((b)[1]), IN_WORD(of_a), IN_WORD(of_b))

/* tcgen05: `group` is "1", or "2" for a pair of blocks, the first of which issues the instructions. */

/** A warp allocates columns of tensor memory; their address is written to `slot` in shared memory. */
#define memory_take(group, slot, columns)                                                                    \
  asm volatile("tcgen05.alloc.cta_group::" group ".sync.aligned.shared::cta.b32 [%0], %1;\n\t"               \
               "tcgen05.relinquish_alloc_permit.cta_group::" group ".sync.aligned;" ::"r"(slot),             \
               "r"((uint32_t)(columns))                                                                      \
               : "memory")

#define memory_give(group, memory, columns)                                                                  \
  asm volatile("tcgen05.dealloc.cta_group::" group ".sync.aligned.b32 %0, %1;" ::"r"(memory),                \
               "r"((uint32_t)(columns)))

/** d = a b + d (d = a b where `add` is 0), a and b in shared memory, d in tensor memory. One thread
 * issues it. */
#define PRODUCT_5(group, kind, d, a, b, what, add)                                                           \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %4, 0;\n\t"                                         \
               "tcgen05.mma.cta_group::" group ".kind::" kind " [%0], %1, %2, %3, add;\n\t}" ::"r"(d),       \
               "l"(a), "l"(b), "r"(what), "r"((int)(add))                                                    \
               : "memory")

/** The same with scales in tensor memory. */
#define PRODUCT_5_SCALED(group, kind, d, a, b, what, of_a, of_b, add)                                        \
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, %4, 0;\n\t"                                         \
               "tcgen05.mma.cta_group::" group ".kind::" kind                                                \
               " [%0], %1, %2, %3, [%5], [%6], add;\n\t}" ::"r"(d),                                          \
               "l"(a), "l"(b), "r"(what), "r"((int)(add)), "r"(of_a), "r"(of_b)                              \
               : "memory")

/** Has the barrier, of both blocks in a pair, arrive when the products so far are done. */
#define PRODUCT_5_COMMIT_1(barrier)                                                                          \
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)  \
               : "memory")
#define PRODUCT_5_COMMIT_2(barrier)                                                                          \
  asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "   \
               "[%0], %1;" ::"r"(barrier),                                                                   \
               "h"((unsigned short)3)                                                                        \
               : "memory")

#if __CUDA_ARCH__ >= 1000
/** One 32-bit word of four columns, in this thread's lane. */
INSIDE void memory_store(uint32_t memory, const uint32_t *r) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};" ::"r"(memory),
               SUMS_4(IN_WORD, r)
               : "memory");
}

INSIDE void memory_store_wait(void) {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

/** 16 columns of this thread's lane, when it returns. */
INSIDE void memory_load(uint32_t *r, uint32_t memory) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
      "%14, %15}, [%16];\n\ttcgen05.wait::ld.sync.aligned;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]),
        "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15])
      : "r"(memory)
      : "memory");
}

/** Around a barrier of threads: makes their writes to tensor memory before it visible after it. */
INSIDE void memory_fence_before(void) {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

INSIDE void memory_fence_after(void) {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/** True for one lane of a whole warp. */
INSIDE int elect_one(void) {
  uint32_t elected;
  asm volatile("{\n\t.reg .pred one;\n\telect.sync _|one, 0xFFFFFFFF;\n\tselp.u32 %0, 1, 0, one;\n\t}"
               : "=r"(elected));
  return (int)elected;
}

/** Whether the phase of that parity is over within two seconds: a product that never ends must not hang the device. */
INSIDE int barrier_over(uint32_t barrier, uint32_t parity) {
  uint64_t start, now;
  uint32_t over;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start)::"memory");
  do {
    asm volatile("{\n\t.reg .pred over;\n\tmbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, over;\n\t}"
                 : "=r"(over)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  } while (!over && now - start < 2000000000);
  return (int)over;
}
#endif
#endif
#endif
