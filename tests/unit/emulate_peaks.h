/* What peaks.cuh adds to the emulated multiprocessor: products of a warp in every format, with scales and
 * without, wgmma's of every format, and Blackwell's tensor memory and its products, which are done when
 * somebody has waited for their commit a while. Formats are read from the instruction's name. */
#ifndef TESTS_UNIT_EMULATE_PEAKS_H
#define TESTS_UNIT_EMULATE_PEAKS_H

#include "emulate.h"

typedef struct uint4 {
  uint32_t x, y, z, w;
} uint4;

#define IN_FLOAT "f"
#define IN_INT "i"

/** A format by the name of its instruction: its bits, and the values of its codes. */
INSIDE int emulated_bits(const char *name) {
  return strstr(name, "tf32") != NULL                                ? 32
         : strstr(name, "mxf4") != NULL                              ? 4
         : strstr(name, "f16") != NULL && strstr(name, "f8") == NULL ? 16
                                                                     : 8;
}

/** By trial, not by shifting: 2^e (1 + f / 2^m), or subnormal. */
INSIDE double emulated_float(uint32_t code, int exponents, int fractions) {
  uint32_t exponent = code / (1u << fractions) % (1u << exponents), fraction = code % (1u << fractions);
  int bias = (1 << (exponents - 1)) - 1;
  double sign = code / (1u << (exponents + fractions)) % 2 != 0 ? -1 : 1, part = ldexp(fraction, -fractions);
  return exponent != 0 ? sign * ldexp(1 + part, (int)exponent - bias) : sign * ldexp(part, 1 - bias);
}

/** `half` says which 16-bit format tcgen05's descriptor names. */
INSIDE double emulated_value(const char *name, int bits, uint32_t code, bool is_bf16) {
  float number;
  memcpy(&number, &code, sizeof number);
  return bits == 32                                                 ? (double)number
         : bits == 4                                                ? emulated_float(code & 15, 2, 1)
         : bits == 16 && (is_bf16 || strstr(name, "bf16") != NULL)  ? emulated_float(code & 0xFFFF, 8, 7)
         : bits == 16                                               ? emulated_float(code & 0xFFFF, 5, 10)
         : strstr(name, "s8") != NULL || strstr(name, "i8") != NULL ? (double)(signed char)code
                                                                    : emulated_float(code & 0xFF, 4, 3);
}

/** The scale of number k: a byte for so many of the row's numbers as the name says. */
INSIDE double emulated_scale(const char *name, uint32_t scales, int k) {
  if (strstr(name, "block_scale") == NULL) {
    return 1;
  }
  if (strstr(name, "ue8m0") != NULL) {
    return ldexp(1, (int)(scales & 0xFF) - 127); /* scale_vec::1X */
  }
  return emulated_float(scales >> (k / 16 % 4 * 8) & 0xFF, 4, 3); /* of 96 numbers all are one */
}

enum { LINE_MAX = 96 };

/** The numbers of a row of A or a column of B, scaled; how many. */
INSIDE int emulated_line(const char *name, const uint32_t *words, int word_count, uint32_t scales,
                         bool is_bf16, double *line) {
  int bits = emulated_bits(name), count = 32 * word_count / bits;
  for (int k = 0; k < count; k++) {
    uint32_t code = words[k * bits / 32] >> k * bits % 32;
    line[k] = emulated_value(name, bits, code, is_bf16) * emulated_scale(name, scales, k);
  }
  return count;
}

INSIDE double emulated_dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

INSIDE double emulated_product(const char *name, const uint32_t *a, const uint32_t *b, uint32_t of_a,
                               uint32_t of_b) {
  double row[LINE_MAX], column[LINE_MAX];
  emulated_line(name, b, 8, of_b, false, column);
  return emulated_dot(row, column, emulated_line(name, a, 8, of_a, false, row));
}

/* Adds to a sum of the kind that the constraint says. */
INSIDE void emulated_add(void *sum, bool integer, double value) {
  float real;
  int32_t whole;
  memcpy(&real, sum, sizeof real);
  memcpy(&whole, sum, sizeof whole);
  real += (float)value;
  whole += (int32_t)value;
  memcpy(sum, integer ? (const void *)&whole : (const void *)&real, 4);
}

/* mma.sync */

typedef struct emulated_mma {
  const char *name;
  bool integer;
  uint32_t *d;
  const uint32_t *a, *b;
  uint32_t of_a, of_b;
} emulated_mma;

/* PTX ISA, "Matrix Fragments for mma.m16n8k32": lane / 4 is the row of A and the column of B; the words of a
 * row are those of its four lanes, then those of their second halves. */
INSIDE void mma_any_work(emulated_thread *const *lanes) {
  for (int l = 0; l < 32; l++) {
    const emulated_mma *mine = lanes[l]->posted[0];
    for (int i = 0; i < 4; i++) {
      int row = l / 4 + i / 2 * 8, column = l % 4 * 2 + i % 2;
      uint32_t a[8], b[8];
      for (int w = 0; w < 8; w++) {
        a[w] = ((const emulated_mma *)lanes[row % 8 * 4 + w % 4]->posted[0])->a[row / 8 + w / 4 * 2];
        b[w] = ((const emulated_mma *)lanes[column * 4 + w % 4]->posted[0])->b[w / 4];
      }
      uint32_t of_a = ((const emulated_mma *)lanes[row % 8 * 4 + row / 8]->posted[0])->of_a;
      uint32_t of_b = ((const emulated_mma *)lanes[column * 4]->posted[0])->of_b;
      emulated_add(&mine->d[i], mine->integer, emulated_product(mine->name, a, b, of_a, of_b));
    }
  }
}

INSIDE void mma_any(const char *name, bool integer, void *d, const uint32_t *a, const uint32_t *b,
                    uint32_t of_a, uint32_t of_b) {
  emulated_mma mine = {name, integer, d, a, b, of_a, of_b};
  by_warp(mma_any_work, &mine, NULL, NULL);
}

/* PTX ISA, "Matrix Fragments for mma.m8n8k4" and "mma.m16n8k16 with floating point type .f64": lane / 4 is the row of A and the
 * column of B, lane % 4 the number along k of each four; of A a row's four are followed by those of the row 8 below. */
typedef struct emulated_doubles {
  double *d;
  const double *a, *b;
  int rows, depth;
} emulated_doubles;

INSIDE void mma_doubles_work(emulated_thread *const *lanes) {
  for (int l = 0; l < 32; l++) {
    const emulated_doubles *mine = lanes[l]->posted[0];
    for (int i = 0; i < mine->rows / 4; i++) {
      int row = l / 4 + i / 2 * 8, column = l % 4 * 2 + i % 2;
      for (int k = 0; k < mine->depth; k++) {
        const emulated_doubles *left = lanes[row % 8 * 4 + k % 4]->posted[0];
        const emulated_doubles *right = lanes[column * 4 + k % 4]->posted[0];
        mine->d[i] += left->a[k / 4 * (mine->rows / 8) + row / 8] * right->b[k / 4];
      }
    }
  }
}

INSIDE void mma_doubles(double *d, const double *a, const double *b, int rows, int depth) {
  emulated_doubles mine = {d, a, b, rows, depth};
  by_warp(mma_doubles_work, &mine, NULL, NULL);
}

#define MMA_DOUBLE_8(d, a, b) mma_doubles(d, &(a), &(b), 8, 4)
#define MMA_DOUBLE(d, a, b) mma_doubles(d, a, b, 16, 16)
#define MMA(instruction, constraint, d, a, b) mma_any(instruction, constraint[0] == 'i', d, a, b, 0, 0)
#define MMA_SCALED(instruction, d, a, b, of_a, of_b) mma_any(instruction, false, d, a, b, of_a, of_b)

/* wgmma: a row of eight words in swizzled shared memory, k along it. */

INSIDE void row_at(int block, uint64_t descriptor, int row, uint32_t count, uint32_t *words) {
  uint32_t start = (uint32_t)(descriptor & 0x3FFF) << 4, stride = (uint32_t)(descriptor >> 32 & 0x3FFF) << 4;
  for (uint32_t w = 0; w < count; w++) {
    uint32_t address = start + (uint32_t)(row / 8) * stride + (uint32_t)(row % 8) * 128 + w * 4;
    address ^= (address >> 7 & 7) << 4;
    memcpy(&words[w], shared_at(block, address, 4), 4);
  }
}

/** This thread's 128 sums at once; that they come late is tested with gemm_wgmma.cu. */
INSIDE void wgmma_any(const char *name, bool integer, void *d, uint64_t a, uint64_t b) {
  int thread = chip.now->index % 128;
  if (a >> 62 != 1 || b >> 62 != 1) {
    abort();
  }
  double rows[2][LINE_MAX], column[LINE_MAX];
  uint32_t words[8];
  for (int half = 0; half < 2; half++) {
    row_at(chip.now->block, a, thread / 32 * 16 + thread % 32 / 4 + 8 * half, 8, words);
    emulated_line(name, words, 8, 0, false, rows[half]);
  }
  for (int n = 0; n < 64; n++) {
    row_at(chip.now->block, b, n / 2 * 8 + thread % 4 * 2 + n % 2, 8, words);
    int count = emulated_line(name, words, 8, 0, false, column);
    for (int half = 0; half < 2; half++) {
      uint32_t *sum = (uint32_t *)d + n / 2 * 4 + half * 2 + n % 2;
      emulated_add(sum, integer, emulated_dot(rows[half], column, count));
    }
  }
}

#define PRODUCT(instruction, constraint, rest, d, a, b, add)                                                 \
  wgmma_any(instruction, constraint[0] == 'i', d, a, b)

/* tcgen05 */

enum { MEMORY_LANES = 128, MEMORY_COLUMNS = 512, ORDERS_MAX = 64 };

typedef struct emulated_order {
  const char *name;
  uint32_t d, what, of_a, of_b;
  uint64_t a, b;
  int add, group;
} emulated_order;

static struct {
  uint32_t words[BLOCKS_MAX][MEMORY_LANES][MEMORY_COLUMNS];
  int taken[BLOCKS_MAX], stored[BLOCKS_MAX]; /* columns; stores not waited for */
  emulated_order orders[ORDERS_MAX];
  int order_count, delay; /* until what is committed is done, -1: nothing is */
  uint32_t barrier;
} tensor_memory;

INSIDE void memory_reset(void) {
  memset(&tensor_memory, 0, sizeof tensor_memory);
  memset(tensor_memory.words, 0xFF, sizeof tensor_memory.words); /* NaN */
  tensor_memory.delay = -1;
}

/** By each thread of the warp; in a pair by both blocks. */
INSIDE void memory_take(const char *group, uint32_t slot, uint32_t columns) {
  (void)group;
  tensor_memory.taken[chip.now->block] = (int)columns;
  memset(shared_at(chip.now->block, slot, 4), 0, 4);
}

INSIDE void memory_give(const char *group, uint32_t memory, uint32_t columns) {
  (void)group;
  if (memory != 0 || tensor_memory.order_count > 0 || (int)columns != tensor_memory.taken[chip.now->block]) {
    abort();
  }
}

/** A warp reaches only its own 32 lanes, bits 16 on of the address. */
INSIDE uint32_t *memory_at(uint32_t address, int count) {
  int block = chip.now->block, warp = chip.now->index / 32 % 4;
  if ((int)(address >> 16) != 32 * warp || (int)(address & 0xFFFF) + count > tensor_memory.taken[block]) {
    fprintf(stderr, "tensor memory is left: %x of warp %d\n", address, warp);
    abort();
  }
  return &tensor_memory.words[block][32 * warp + chip.now->index % 32][address & 0xFFFF];
}

INSIDE void memory_store(uint32_t memory, const uint32_t *r) {
  memcpy(memory_at(memory, 4), r, 16);
  tensor_memory.stored[chip.now->block]++;
}

INSIDE void memory_store_wait(void) {
  tensor_memory.stored[chip.now->block] = 0;
}

INSIDE void memory_load(uint32_t *r, uint32_t memory) {
  memcpy(r, memory_at(memory, 16), 64);
}

INSIDE void memory_fence_before(void) {
}

INSIDE void memory_fence_after(void) {
}

INSIDE int elect_one(void) {
  return chip.now->index % 32 == 7;
}

INSIDE void product_order(emulated_order order) {
  if (chip.now->block != 0 || tensor_memory.order_count == ORDERS_MAX || tensor_memory.stored[0] > 0 ||
      tensor_memory.stored[chip.block_count - 1] > 0 || order.group != chip.block_count) {
    abort();
  }
  tensor_memory.orders[tensor_memory.order_count++] = order;
}

#define PRODUCT_5(in_group, kind, to, of_a_rows, of_b_rows, what_, add_)                                     \
  product_order((emulated_order){.name = kind,                                                               \
                                 .d = to,                                                                    \
                                 .what = what_,                                                              \
                                 .a = of_a_rows,                                                             \
                                 .b = of_b_rows,                                                             \
                                 .add = add_,                                                                \
                                 .group = in_group[0] - '0'})
#define PRODUCT_5_SCALED(in_group, kind, to, of_a_rows, of_b_rows, what_, scales_a, scales_b, add_)          \
  product_order((emulated_order){.name = kind,                                                               \
                                 .d = to,                                                                    \
                                 .what = what_,                                                              \
                                 .a = of_a_rows,                                                             \
                                 .b = of_b_rows,                                                             \
                                 .of_a = scales_a,                                                           \
                                 .of_b = scales_b,                                                           \
                                 .add = add_,                                                                \
                                 .group = in_group[0] - '0'})

/** Row r's word of scales: column r / 32 of lane r % 32, in any warp's lanes (those of the last, here). */
INSIDE uint32_t scales_at(int block, uint32_t memory, int row) {
  return tensor_memory.words[block][96 + row % 32][memory + (uint32_t)(row / 32)];
}

/** One block's rows of one product. PTX ISA, "Instruction descriptor" and "Shared memory descriptor". */
INSIDE void order_rows(const emulated_order *o, int block) {
  bool scaled = strstr(o->name, "block_scale") != NULL;
  int rows = (int)(o->what >> 24 & 31) << 4, columns = (int)(o->what >> 17 & 63) << 3,
      factor = (int)(o->what >> 7 & 7);
  int sums = (int)(o->what >> 4 & 3);
  bool expected = scaled
                      ? sums == 0 && factor == 1 && (o->what >> 23 & 1) == 0
                      : sums == (strstr(o->name, "i8") != NULL ? 2 : 1) && factor == (int)(o->what >> 10 & 7);
  if (!expected || (o->a >> 46 & 0x3FFFF) != 0x10001 || (o->b >> 46 & 0x3FFFF) != 0x10001 ||
      rows != 128 * o->group || (int)o->d + columns > tensor_memory.taken[block]) {
    abort();
  }
  static double b[256][LINE_MAX], a[LINE_MAX];
  uint32_t words[12], length = o->what >> 31 != 0 ? 12 : 8;
  int held = columns / o->group; /* by each block */
  for (int n = 0; n < columns; n++) {
    row_at(n / held, o->b, n % held, length, words);
    emulated_line(o->name, words, (int)length, scaled ? scales_at(block, o->of_b, n) : 0, factor == 1, b[n]);
  }
  for (int m = 0; m < 128; m++) {
    row_at(block, o->a, m, length, words);
    int count =
        emulated_line(o->name, words, (int)length, scaled ? scales_at(block, o->of_a, m) : 0, factor == 1, a);
    for (int n = 0; n < columns; n++) {
      uint32_t *d = &tensor_memory.words[block][m][o->d + (uint32_t)n];
      *d = o->add != 0 ? *d : 0;
      emulated_add(d, sums == 2, emulated_dot(a, b[n], count));
    }
  }
}

INSIDE void product_commit_5(uint32_t barrier) {
  tensor_memory.delay = emulated_late ? 300 : 0;
  tensor_memory.barrier = barrier;
}

#define PRODUCT_5_COMMIT_1(barrier) product_commit_5(barrier)
#define PRODUCT_5_COMMIT_2(barrier) product_commit_5(barrier)

/** Does what is committed and arrives, in a pair at both barriers. */
INSIDE void products_finish(void) {
  for (int i = 0; i < tensor_memory.order_count; i++) {
    for (int block = 0; block < tensor_memory.orders[i].group; block++) {
      order_rows(&tensor_memory.orders[i], block);
    }
  }
  tensor_memory.order_count = 0;
  for (int block = 0; block < chip.block_count; block++) {
    barrier_arrive(tensor_memory.barrier, (uint32_t)block);
  }
}

INSIDE int barrier_over(uint32_t barrier, uint32_t parity) {
  while ((uint32_t)barrier_at(chip.now->block, barrier)->phase == parity) {
    if (tensor_memory.delay >= 0 && tensor_memory.delay-- == 0) {
      products_finish();
    } else {
      pause_thread();
    }
  }
  return 1;
}

#endif
