/* A multiprocessor in C and C++, for the kernels of src/kernels/cuda and src/kernels/device: every thread of
 * a cluster is a coroutine, and each function of tensor.cuh does what the PTX ISA says its instruction does.
 * What is asynchronous there happens here at once or as late as it may (`emulated_late`), so that a missing
 * wait or an early release gives a wrong result. */
#ifndef TESTS_UNIT_EMULATE_H
#define TESTS_UNIT_EMULATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

typedef uint16_t bf16;

/** Matrices in row order, `planes` of them (0: one), as the copy engine sees them: boxes of 64 columns,
 * swizzled. */
typedef struct CUtensorMap {
  bf16 *data;
  int width, height, box_height, planes;
} CUtensorMap;

enum {
  BLOCKS_MAX = 2,
  THREADS_MAX = 1024,
  SHARED_MAX = 232448,
  BARRIERS_MAX = 16,
  COPIES_MAX = 64,
  PENDING_MAX = 64
};

/** Kinds of asynchronous work, whose groups are counted apart. */
enum { COPIES, STORES, PRODUCTS, QUEUES };

/** `count` of `size` have come. */
typedef struct meeting {
  int count;
  unsigned turn;
} meeting;

typedef struct emulated_barrier {
  uint32_t address;
  int expected, pending, phase;
  int64_t bytes;
} emulated_barrier;

/** The shape of a product: A from registers or shared memory, B with k along its rows or n. */
typedef struct product_kind {
  int columns;
  bool in_registers, k_rows, e4m3; /* two numbers of e4m3 where there is one of 16 bits */
  float (*number)(bf16);
} product_kind;

/** Work issued but not done: a copy of 16 bytes, the store of a box, or a product. */
typedef struct job {
  int queue, group;
  uint32_t to;
  const void *from;
  uint32_t bytes;
  int x, y;
  float *sums;
  const uint32_t *quad[4]; /* A in registers: of the lanes that have the row */
  uint64_t a, b;
  int add;
  product_kind kind;
} job;

typedef struct index3 {
  unsigned x, y, z;
} index3;

/** A stack that threads run on, one after the other as each comes to its end. */
typedef struct emulated_fiber {
#if defined(__x86_64__)
  void *context; /* its stack pointer */
#else
  ucontext_t context;
#endif
  unsigned char *stack;
  struct emulated_fiber *next; /* of those that are free */
} emulated_fiber;

typedef struct emulated_thread {
  emulated_fiber *fiber; /* once it has begun */
  int block, index;
  index3 at; /* threadIdx */
  bool over;
  job jobs[PENDING_MAX];
  int job_count, groups[QUEUES]; /* committed */
  const void *posted[4];
} emulated_thread;

typedef struct emulated_block {
  unsigned char *shared;
  emulated_barrier barriers[BARRIERS_MAX];
  int barrier_count;
  meeting all, groups[16], warps[THREADS_MAX / 32], warpgroups[THREADS_MAX / 128];
} emulated_block;

/** A box in flight. */
typedef struct transfer {
  CUtensorMap map; /* the thread that asked may be over by then */
  int x, y, plane, delay;
  uint32_t to, barrier;
  unsigned blocks;
} transfer;

static struct {
  emulated_thread threads[BLOCKS_MAX * THREADS_MAX];
  emulated_block blocks[BLOCKS_MAX];
  emulated_fiber fibers[BLOCKS_MAX * THREADS_MAX], scheduler;
  emulated_fiber *free;
  int fiber_count;
  transfer transfers[COPIES_MAX];
  int transfer_count, block_count, thread_count;
  meeting cluster;
  emulated_thread *now;
  index3 block_index, block, grid;
  void (*kernel)(const void *arguments);
  const void *arguments;
  unsigned random;
  int stores; /* boxes stored */
  int rounds; /* of the scheduler, since the cluster began or took a task */
} chip;

/** Whether what may be late is. */
static bool emulated_late;

/** What the kernel before does last: not done before a kernel that was begun early has waited for it. Nullable. */
static void (*emulated_previous)(void);

#define INSIDE static inline __attribute__((unused))

INSIDE index3 block_now(void) {
  index3 at = chip.block_index;
  at.x += (unsigned)chip.now->block;
  return at;
}

#define threadIdx (chip.now->at)
#define blockIdx (block_now())
#define blockDim chip.block
#define gridDim chip.grid
#define SHARED(name) unsigned char *name = chip.blocks[chip.now->block].shared
#define __grid_constant__
#if !defined(EMULATED_MODULE) /* tests/fake/words.h has its own */
#define KERNEL static void
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif
#define registers_more(count)
#define registers_fewer(count)

INSIDE emulated_block *here(void) {
  return &chip.blocks[chip.now->block];
}

/* Fibers. Where there is no quick switch, that of the system is taken. */

static void fiber_main(void);

#if defined(__x86_64__)
/** Keeps what a function must keep, and goes on where `to` stopped. */
__attribute__((naked, noinline, unused)) static void fiber_swap(void **from __attribute__((unused)),
                                                                void *to __attribute__((unused))) {
  __asm__("push %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"
          "mov %rsp, (%rdi)\n\tmov %rsi, %rsp\n\t"
          "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbx\n\tpop %rbp\n\tret");
}

INSIDE void fiber_prepare(emulated_fiber *f, size_t bytes) {
  void **top = (void **)(void *)(f->stack + bytes) - 1;
  void (*entry)(void) = fiber_main;
  memset(top - 7, 0, 8 * sizeof *top);
  memcpy(top - 1, &entry, sizeof entry); /* the stack is as after a call */
  f->context = top - 7;
}

INSIDE void fiber_switch(emulated_fiber *from, emulated_fiber *to) {
  __asm__ volatile("" ::: "memory"); /* others change what this one sees */
  fiber_swap(&from->context, to->context);
  __asm__ volatile("" ::: "memory");
}
#else
INSIDE void fiber_prepare(emulated_fiber *f, size_t bytes) {
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = f->stack;
  f->context.uc_stack.ss_size = bytes;
  makecontext(&f->context, fiber_main, 0);
}

INSIDE void fiber_switch(emulated_fiber *from, emulated_fiber *to) {
  swapcontext(&from->context, &to->context);
}
#endif

INSIDE void pause_thread(void) {
  fiber_switch(chip.now->fiber, &chip.scheduler);
}

/** True for the last to come, who then calls dismiss(); the others wait for that. */
INSIDE bool meet(meeting *m, int size) {
  unsigned turn = m->turn;
  if (++m->count == size) {
    return true;
  }
  while (m->turn == turn) {
    pause_thread();
  }
  return false;
}

INSIDE void dismiss(meeting *m) {
  m->count = 0;
  m->turn++;
}

INSIDE void meet_only(meeting *m, int size) {
  if (meet(m, size)) {
    dismiss(m);
  }
}

INSIDE emulated_thread *thread_of(int index) {
  return &chip.threads[chip.now->block * chip.thread_count + index];
}

INSIDE void __syncthreads(void) {
  meet_only(&here()->all, chip.thread_count);
}

INSIDE void group_sync(uint32_t id, uint32_t threads) {
  meet_only(&here()->groups[id], (int)threads);
}

INSIDE void group_arrive(uint32_t id, uint32_t threads) {
  meeting *m = &here()->groups[id];
  if (++m->count == (int)threads) {
    dismiss(m);
  }
}

INSIDE uint32_t cluster_rank(void) {
  return (uint32_t)chip.now->block;
}

INSIDE void cluster_sync(void) {
  meet_only(&chip.cluster, chip.block_count * chip.thread_count);
}

INSIDE uint32_t shared_address(const void *pointer) {
  return (uint32_t)((const unsigned char *)pointer - here()->shared);
}

INSIDE unsigned char *shared_at(int block, uint32_t address, uint32_t bytes) {
  if (address + bytes > SHARED_MAX) {
    fprintf(stderr, "shared memory is left: %u + %u\n", address, bytes);
    abort();
  }
  return chip.blocks[block].shared + address;
}

INSIDE float from_bf16(bf16 value) {
  uint32_t bits = (uint32_t)value << 16;
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

INSIDE bf16 to_bf16(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (bf16)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

INSIDE uint32_t pack_bf16(float low, float high) {
  return (uint32_t)to_bf16(low) | (uint32_t)to_bf16(high) << 16;
}

INSIDE float from_fp16(bf16 value) {
  int exponent = value >> 10 & 31, fraction = value & 1023;
  float size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
               : exponent == 0 ? ldexpf((float)fraction, -24)
                               : ldexpf((float)(1024 + fraction), exponent - 25);
  return value >> 15 ? -size : size;
}

INSIDE bf16 to_fp16(float number) {
  uint32_t bits, sign;
  float size = fabsf(number);
  memcpy(&bits, &size, sizeof bits);
  sign = signbit(number) ? 0x8000 : 0;
  if (!(size < 65520)) {
    return (bf16)(sign | (isnan(number) ? 0x7FFF : 0x7C00));
  }
  if (size < 0x1p-14f) {
    return (bf16)(sign | (uint32_t)rintf(size * 0x1p24f));
  }
  return (bf16)(sign | (((bits + 0xFFF + (bits >> 13 & 1)) >> 13) - (112 << 10)));
}

INSIDE uint32_t pack_fp16(float low, float high) {
  return (uint32_t)to_fp16(low) | (uint32_t)to_fp16(high) << 16;
}

/** From a table: numbers are read more often than all else here. */
INSIDE float from_e4m3(uint8_t value) {
  static float numbers[256];
  if (numbers[1] == 0) {
    for (int i = 0; i < 256; i++) {
      int exponent = i >> 3 & 15, fraction = i & 7;
      float size = exponent > 0 ? ldexpf((float)(8 + fraction), exponent - 10) : ldexpf((float)fraction, -9);
      numbers[i] = (i & 127) == 127 ? NAN : i >> 7 ? -size : size;
    }
  }
  return numbers[value];
}

INSIDE float exp2_fast(float x) {
  return exp2f(x);
}

INSIDE uint32_t anew(uint32_t x) {
  return x;
}

/* Jobs: copies and products by groups. */

INSIDE void post(int queue, job posted) {
  emulated_thread *l = chip.now;
  if (l->job_count == PENDING_MAX) {
    abort();
  }
  posted.queue = queue;
  posted.group = l->groups[queue];
  l->jobs[l->job_count++] = posted;
}

/** Does the thread's jobs of all groups of a queue but the last `left`. */
INSIDE void settle(emulated_thread *l, int queue, int left,
                   void (*work)(const emulated_thread *, const job *)) {
  int kept = 0;
  for (int i = 0; i < l->job_count; i++) {
    if (l->jobs[i].queue == queue && l->jobs[i].group < l->groups[queue] - left) {
      work(l, &l->jobs[i]);
    } else {
      l->jobs[kept++] = l->jobs[i];
    }
  }
  l->job_count = kept;
}

INSIDE void copy_now(const emulated_thread *l, const job *j) {
  unsigned char *to = shared_at(l->block, j->to, 16);
  memset(to, 0, 16);
  memcpy(to, j->from, j->bytes);
}

INSIDE void copy_async(uint32_t to, const void *from, uint32_t bytes) {
  job copy = {.to = to, .from = from, .bytes = bytes};
  if (emulated_late) {
    post(COPIES, copy);
  } else {
    copy_now(chip.now, &copy);
  }
}

INSIDE void copy_commit(void) {
  chip.now->groups[COPIES]++;
}

INSIDE void copy_wait(int left) {
  settle(chip.now, COPIES, left, copy_now);
}

/* A warp's instructions: the last lane to come does them for all. */

typedef void warp_work(emulated_thread *const *lanes);

INSIDE void by_warp(warp_work *work, const void *first, const void *second, const void *third) {
  int warp = chip.now->index / 32;
  chip.now->posted[0] = first;
  chip.now->posted[1] = second;
  chip.now->posted[2] = third;
  if (meet(&here()->warps[warp], 32)) {
    emulated_thread *lanes[32];
    for (int i = 0; i < 32; i++) {
      lanes[i] = thread_of(32 * warp + i);
    }
    work(lanes);
    dismiss(&here()->warps[warp]);
  }
}

/** Element (row, column) of matrix `m` whose rows the lanes address. */
INSIDE bf16 *matrix_at(emulated_thread *const *lanes, int m, int row, int column) {
  uint32_t address;
  memcpy(&address, lanes[8 * m + row]->posted[0], sizeof address);
  return (bf16 *)(void *)shared_at(lanes[0]->block, address, 16) + column;
}

INSIDE void load_work(emulated_thread *const *lanes, bool transposed) {
  for (int l = 0; l < 32; l++) {
    for (int m = 0; m < 4; m++) {
      int row = l / 4, column = l % 4 * 2;
      bf16 low = transposed ? *matrix_at(lanes, m, column, row) : *matrix_at(lanes, m, row, column);
      bf16 high = transposed ? *matrix_at(lanes, m, column + 1, row) : *matrix_at(lanes, m, row, column + 1);
      ((uint32_t *)(uintptr_t)lanes[l]->posted[1])[m] = (uint32_t)low | (uint32_t)high << 16;
    }
  }
}

INSIDE void load_straight(emulated_thread *const *lanes) {
  load_work(lanes, false);
}

INSIDE void load_across(emulated_thread *const *lanes) {
  load_work(lanes, true);
}

INSIDE void warp_sync(void) {
  meet_only(&here()->warps[chip.now->index / 32], 32);
}

INSIDE void load_four(float *r, uint32_t address) {
  if (address % 16 != 0) {
    abort();
  }
  memcpy(r, shared_at(chip.now->block, address, 16), 16);
}

INSIDE float fma_in_order(float a, float b, float sum) {
  return fmaf(a, b, sum);
}

INSIDE void load_matrices(uint32_t *r, uint32_t address) {
  by_warp(load_straight, &address, r, NULL);
}

INSIDE void load_matrices_transposed(uint32_t *r, uint32_t address) {
  by_warp(load_across, &address, r, NULL);
}

INSIDE void store_work(emulated_thread *const *lanes) {
  for (int l = 0; l < 32; l++) {
    for (int m = 0; m < 4; m++) {
      uint32_t pair = ((const uint32_t *)lanes[l]->posted[1])[m];
      *matrix_at(lanes, m, l / 4, l % 4 * 2) = (bf16)pair;
      *matrix_at(lanes, m, l / 4, l % 4 * 2 + 1) = (bf16)(pair >> 16);
    }
  }
}

INSIDE void store_matrices(uint32_t address, const uint32_t *r) {
  by_warp(store_work, &address, r, NULL);
}

/** Half `which` of word `word` of the thread's operand `operand`. */
INSIDE bf16 half_of(const emulated_thread *l, int operand, int word, int which) {
  return (bf16)(((const uint32_t *)l->posted[operand])[word] >> 16 * which);
}

/* PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type". */
INSIDE void mma_work(emulated_thread *const *lanes, float (*number)(bf16)) {
  float a[16][16], b[8][16];
  for (int i = 0; i < 16 * 16; i++) {
    int row = i / 16, k = i % 16;
    a[row][k] = number(half_of(lanes[row % 8 * 4 + k % 8 / 2], 0, row / 8 + k / 8 * 2, k % 2));
    b[row % 8][k] = number(half_of(lanes[row % 8 * 4 + k % 8 / 2], 1, k / 8, k % 2));
  }
  for (int l = 0; l < 32; l++) {
    for (int i = 0; i < 4; i++) {
      float *d = &((float *)(uintptr_t)lanes[l]->posted[2])[i];
      for (int k = 0; k < 16; k++) {
        *d += a[l / 4 + i / 2 * 8][k] * b[l % 4 * 2 + i % 2][k];
      }
    }
  }
}

INSIDE void mma_work_bf16(emulated_thread *const *lanes) {
  mma_work(lanes, from_bf16);
}

INSIDE void mma_work_fp16(emulated_thread *const *lanes) {
  mma_work(lanes, from_fp16);
}

INSIDE void mma_bf16(float *d, const uint32_t *a, const uint32_t *b) {
  by_warp(mma_work_bf16, a, b, d);
}

INSIDE void mma_fp16(float *d, const uint32_t *a, const uint32_t *b) {
  by_warp(mma_work_fp16, a, b, d);
}

INSIDE void shuffle_work(emulated_thread *const *lanes) {
  for (int l = 0; l < 32; l++) {
    int from = l ^ *(const int *)lanes[l]->posted[2];
    *(float *)(uintptr_t)lanes[l]->posted[1] = *(const float *)lanes[from]->posted[0];
  }
}

INSIDE float from_neighbour(float value, int mask) {
  float theirs = 0;
  by_warp(shuffle_work, &value, &theirs, &mask);
  return theirs;
}

INSIDE uint32_t word_of_neighbour(uint32_t value, int mask) {
  float bits;
  memcpy(&bits, &value, sizeof bits);
  bits = from_neighbour(bits, mask);
  memcpy(&value, &bits, sizeof bits);
  return value;
}

INSIDE uint32_t count_up(uint32_t *counter, uint32_t last) {
  uint32_t was = *counter;
  *counter = was >= last ? 0 : was + 1;
  chip.rounds = 0;
  return was;
}

INSIDE void next_may_begin(void) {
}

INSIDE void previous_wait(void) {
  if (emulated_previous != NULL) {
    emulated_previous();
    emulated_previous = NULL;
  }
}

INSIDE void flag_raise(uint32_t *flag) {
  *flag = 1;
}

INSIDE void flag_wait(uint32_t *flag) {
  while (*(volatile uint32_t *)flag == 0) {
    pause_thread();
  }
  *flag = 0;
}

/* Barriers that count arrivals and bytes. */

INSIDE emulated_barrier *barrier_at(int block_index, uint32_t address) {
  emulated_block *b = &chip.blocks[block_index];
  for (int i = 0; i < b->barrier_count; i++) {
    if (b->barriers[i].address == address) {
      return &b->barriers[i];
    }
  }
  fprintf(stderr, "no barrier at %u\n", address);
  abort();
}

INSIDE void barrier_init(uint32_t address, uint32_t arrivals) {
  shared_at(chip.now->block, address, 8);
  here()->barriers[here()->barrier_count++] =
      (emulated_barrier){.address = address, .expected = (int)arrivals, .pending = (int)arrivals};
}

INSIDE void barrier_fence(void) {
}

INSIDE void barrier_turn(emulated_barrier *b) {
  if (b->pending < 0) {
    abort();
  }
  if (b->pending == 0 && b->bytes == 0) {
    b->phase ^= 1;
    b->pending = b->expected;
  }
}

INSIDE void barrier_expect(uint32_t address, uint32_t bytes) {
  emulated_barrier *b = barrier_at(chip.now->block, address);
  b->bytes += bytes;
  b->pending--;
  barrier_turn(b);
}

INSIDE void barrier_arrive(uint32_t address, uint32_t rank) {
  emulated_barrier *b = barrier_at((int)rank, address);
  b->pending--;
  barrier_turn(b);
}

INSIDE void barrier_wait(uint32_t address, uint32_t parity) {
  while ((uint32_t)barrier_at(chip.now->block, address)->phase == parity) {
    pause_thread();
  }
}

INSIDE int uniform(int x) {
  return x;
}

INSIDE void after(float x) {
  (void)x;
}

/* The copy engine. */

INSIDE void tensor_prefetch(const CUtensorMap *map) {
  (void)map;
}

INSIDE bf16 *swizzled(int block_index, uint32_t box, int row, int column) {
  uint32_t address = box + (uint32_t)(row * 128 + column * 2);
  address ^= (address >> 7 & 7) << 4; /* Swizzle<3, 4, 3> of the address */
  return (bf16 *)(void *)shared_at(block_index, address, 2);
}

/** The element of a map; NULL outside. */
INSIDE bf16 *element_of(const CUtensorMap *map, int x, int y, int plane) {
  bool inside = x >= 0 && x < map->width && y >= 0 && y < map->height && plane >= 0 &&
                plane < (map->planes > 0 ? map->planes : 1);
  return inside ? map->data + ((size_t)plane * (size_t)map->height + (size_t)y) * (size_t)map->width + x
                : NULL;
}

INSIDE void transfer_do(const transfer *t) {
  for (int target = 0; target < chip.block_count; target++) {
    for (int i = 0; t->blocks >> target & 1 && i < t->map.box_height * 64; i++) {
      const bf16 *from = element_of(&t->map, t->x + i % 64, t->y + i / 64, t->plane);
      *swizzled(target, t->to, i / 64, i % 64) = from != NULL ? *from : 0;
    }
    if (t->blocks >> target & 1) {
      emulated_barrier *b = barrier_at(target, t->barrier);
      b->bytes -= t->map.box_height * 128;
      barrier_turn(b);
    }
  }
}

INSIDE void transfer_start(transfer t) {
  chip.random = chip.random * 1664525 + 1013904223;
  t.delay = emulated_late ? (int)(chip.random >> 26) : 0;
  if (t.to % 1024 != 0 || chip.transfer_count == COPIES_MAX) {
    abort();
  }
  chip.transfers[chip.transfer_count++] = t;
}

INSIDE void tensor_load_plane(uint32_t to, const CUtensorMap *map, int x, int y, int plane,
                              uint32_t address) {
  transfer_start((transfer){.map = *map,
                            .x = x,
                            .y = y,
                            .plane = plane,
                            .to = to,
                            .barrier = address,
                            .blocks = 1u << chip.now->block});
}

INSIDE void tensor_load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t address) {
  tensor_load_plane(to, map, x, y, 0, address);
}

INSIDE void tensor_load_kept(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t address) {
  tensor_load(to, map, x, y, address);
}

INSIDE void tensor_load_all(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t address,
                            unsigned short mask) {
  transfer_start((transfer){.map = *map, .x = x, .y = y, .to = to, .barrier = address, .blocks = mask});
}

/** Lets the boxes whose time has come arrive; called once per round of the scheduler. */
INSIDE void transfers_advance(void) {
  int kept = 0;
  for (int i = 0; i < chip.transfer_count; i++) {
    if (chip.transfers[i].delay-- <= 0) {
      transfer_do(&chip.transfers[i]);
    } else {
      chip.transfers[kept++] = chip.transfers[i];
    }
  }
  chip.transfer_count = kept;
}

INSIDE void store_now(const emulated_thread *l, const job *j) {
  const CUtensorMap *map = (const CUtensorMap *)j->from;
  for (int i = 0; i < map->box_height * 64; i++) {
    bf16 *to = element_of(map, j->x + i % 64, j->y + i / 64, 0);
    if (to != NULL) {
      *to = *swizzled(l->block, j->to, i / 64, i % 64);
    }
  }
  chip.stores++;
}

INSIDE void fence_async(void) {
}

INSIDE void tensor_store(const CUtensorMap *map, int x, int y, uint32_t from) {
  job store = {.to = from, .from = map, .x = x, .y = y};
  if (emulated_late) {
    post(STORES, store);
  } else {
    store_now(chip.now, &store);
  }
}

INSIDE void store_commit(void) {
  chip.now->groups[STORES]++;
}

INSIDE void store_wait_read(int left) {
  settle(chip.now, STORES, left, store_now);
}

INSIDE void store_wait(void) {
  settle(chip.now, STORES, 0, store_now);
}

/* Products of a warpgroup: "Shared Memory Matrix Layout" and "Matrix Descriptor" of the PTX ISA, as canonical
 * layouts. */

/** The element at (n, k) of a matrix with k along its rows. */
INSIDE bf16 k_major(int block_index, uint64_t descriptor, int n, int k) {
  uint32_t start = (uint32_t)(descriptor & 0x3FFF) << 4, stride = (uint32_t)(descriptor >> 32 & 0x3FFF) << 4;
  uint32_t address = start + (uint32_t)(n / 8) * stride + (uint32_t)(n % 8 * 128 + k * 2);
  address ^= (address >> 7 & 7) << 4;
  return *(bf16 *)(void *)shared_at(block_index, address, 2);
}

/** The element at (n, k) of a matrix with n along its rows. */
INSIDE bf16 n_major(int block_index, uint64_t descriptor, int n, int k) {
  uint32_t start = (uint32_t)(descriptor & 0x3FFF) << 4, leading = (uint32_t)(descriptor >> 16 & 0x3FFF) << 4;
  uint32_t stride = (uint32_t)(descriptor >> 32 & 0x3FFF) << 4;
  uint32_t address = start + (uint32_t)(n / 64) * leading + (uint32_t)(k / 8) * stride +
                     (uint32_t)(k % 8 * 128 + n % 64 * 2);
  address ^= (address >> 7 & 7) << 4;
  return *(bf16 *)(void *)shared_at(block_index, address, 2);
}

/** Element k of A in the thread's upper or lower row: from shared memory, or from the registers of the four
 * lanes that hold the row, as mma has it. */
INSIDE bf16 product_a(const emulated_thread *l, const job *j, int half, int k) {
  int row = l->index % 128 / 32 * 16 + l->index % 32 / 4 + 8 * half;
  return j->kind.in_registers ? (bf16)(j->quad[k % 8 / 2][half + k / 8 * 2] >> 16 * (k % 2))
                              : k_major(l->block, j->a, row, k);
}

/** The numbers of k at `from`, one or two. */
INSIDE void product_numbers(const product_kind *kind, bf16 from, float *numbers) {
  if (kind->e4m3) {
    numbers[0] = from_e4m3((uint8_t)from);
    numbers[1] = from_e4m3((uint8_t)(from >> 8));
  } else {
    numbers[0] = kind->number(from);
  }
}

/** This thread's sums: "Register Fragments for wgmma.mma_async.m64nNk16" and k32, accumulator D. */
INSIDE void product_now(const emulated_thread *l, const job *j) {
  float a[2][32], b[32];
  int each = j->kind.e4m3 ? 2 : 1;
  if ((!j->kind.in_registers && j->a >> 62 != 1) || j->b >> 62 != 1) {
    abort();
  }
  for (int i = 0; i < 32; i++) {
    product_numbers(&j->kind, product_a(l, j, i / 16, i % 16), &a[i / 16][i % 16 * each]);
  }
  for (int i = 0; i < j->kind.columns / 4; i++) {
    int column = i / 2 * 8 + l->index % 4 * 2 + i % 2;
    for (int k = 0; k < 16; k++) {
      product_numbers(&j->kind, (j->kind.k_rows ? k_major : n_major)(l->block, j->b, column, k),
                      &b[k * each]);
    }
    for (int half = 0; half < 2; half++) {
      float *d = &j->sums[i / 2 * 4 + half * 2 + i % 2], sum = j->add ? *d : 0;
      for (int k = 0; k < 16 * each; k++) {
        sum += a[half][k] * b[k];
      }
      *d = sum;
    }
  }
}

INSIDE void product_fence(void) {
}

INSIDE void product_start(job product) {
  if (emulated_late) {
    post(PRODUCTS, product);
  } else {
    product_now(chip.now, &product);
  }
}

INSIDE void product_bf16(float *d, uint64_t a, uint64_t b, int add) {
  product_start((job){.sums = d, .a = a, .b = b, .add = add, .kind = {.columns = 256, .number = from_bf16}});
}

INSIDE void product_e4m3(float *d, uint64_t a, uint64_t b, int add, int columns) {
  product_kind kind = {.columns = columns, .k_rows = true, .e4m3 = true};
  product_start((job){.sums = d, .a = a, .b = b, .add = add, .kind = kind});
}

INSIDE void product_scores(float *d, uint64_t a, uint64_t b, int add, int columns, int fp16) {
  product_kind kind = {.columns = columns, .k_rows = true, .number = fp16 ? from_fp16 : from_bf16};
  product_start((job){.sums = d, .a = a, .b = b, .add = add, .kind = kind});
}

INSIDE void quad_work(emulated_thread *const *lanes) {
  for (int l = 0; l < 32; l++) {
    for (int i = 0; i < 4; i++) {
      ((const void **)(uintptr_t)lanes[l]->posted[1])[i] = lanes[l / 4 * 4 + i]->posted[0];
    }
  }
}

INSIDE void product_values(float *d, const uint32_t *a, uint64_t b, int dim, int fp16) {
  job product = {.sums = d, .b = b, .add = 1};
  product.kind = (product_kind){.columns = dim, .in_registers = true, .number = fp16 ? from_fp16 : from_bf16};
  by_warp(quad_work, a, product.quad, NULL);
  product_start(product);
}

INSIDE void pin(float *numbers, int count) {
  (void)numbers;
  (void)count;
}

INSIDE void product_commit(void) {
  chip.now->groups[PRODUCTS]++;
}

/** All four warps of a warpgroup take part in a product, so that it is over for all at once. */
INSIDE void product_wait(int left) {
  int group = chip.now->index / 128;
  meeting *m = &here()->warpgroups[group];
  if (meet(m, 128)) {
    for (int i = 0; i < 128; i++) {
      settle(thread_of(128 * group + i), PRODUCTS, left, product_now);
    }
    dismiss(m);
  }
}

/* The scheduler. */

enum { STACK_BYTES = 128 << 10 };

/** Thread after thread, each begun by the scheduler. */
static void fiber_main(void) {
  for (;;) {
    emulated_thread *l = chip.now;
    emulated_fiber *mine = l->fiber;
    chip.kernel(chip.arguments);
    l->over = true;
    mine->next = chip.free;
    chip.free = mine;
    fiber_switch(mine, &chip.scheduler);
  }
}

/** A fiber before its first thread, or after the end of one. */
INSIDE emulated_fiber *fiber_take(void) {
  emulated_fiber *f = chip.free;
  if (f != NULL) {
    chip.free = f->next;
    return f;
  }
  f = &chip.fibers[chip.fiber_count++];
  f->stack = f->stack != NULL ? f->stack : (unsigned char *)aligned_alloc(64, STACK_BYTES);
  fiber_prepare(f, STACK_BYTES);
  return f;
}

INSIDE void thread_start(emulated_thread *l, int block_index, int index) {
  unsigned at = (unsigned)index;
  l->fiber = NULL;
  l->block = block_index;
  l->index = index;
  l->at.x = at % chip.block.x;
  l->at.y = at / chip.block.x % chip.block.y;
  l->at.z = at / chip.block.x / chip.block.y;
  l->over = false;
  l->job_count = 0;
  memset(l->groups, 0, sizeof l->groups);
}

INSIDE void block_start(emulated_block *b) {
  unsigned char *shared = b->shared != NULL ? b->shared : (unsigned char *)aligned_alloc(1024, SHARED_MAX);
  memset(b, 0, sizeof *b);
  b->shared = shared;
}

/** The blocks of a cluster, the first at `first`, with so much shared memory that holds nothing yet. */
INSIDE void cluster_start(index3 first, int blocks, size_t shared) {
  chip.block_index = first;
  chip.block_count = blocks;
  chip.transfer_count = 0;
  memset(&chip.cluster, 0, sizeof chip.cluster);
  for (int b = 0; b < blocks; b++) {
    block_start(&chip.blocks[b]);
    memset(chip.blocks[b].shared, 0xFF, shared); /* NaN */
    for (int t = 0; t < chip.thread_count; t++) {
      thread_start(&chip.threads[b * chip.thread_count + t], b, t);
    }
  }
}

INSIDE bool thread_go_on(emulated_thread *l) {
  chip.now = l;
  if (!l->over) {
    l->fiber = l->fiber != NULL ? l->fiber : fiber_take();
    fiber_switch(&chip.scheduler, l->fiber);
  }
  return !l->over;
}

/** Runs one cluster to its end; false when it hangs. */
INSIDE bool cluster_run(void) {
  int left = chip.block_count * chip.thread_count;
  for (chip.rounds = 0; left > 0 && chip.rounds < 20000; chip.rounds++) {
    left = 0;
    for (int i = 0; i < chip.block_count * chip.thread_count; i++) {
      left += thread_go_on(&chip.threads[i]);
    }
    transfers_advance();
  }
  return left == 0;
}

/** Forgets the threads of a launch that did not come to its end. */
INSIDE void emulate_abandon(void) {
  chip.free = NULL;
  chip.fiber_count = 0;
}

/** The parameters of a launch. */
typedef struct emulated_launch {
  index3 grid, block;
  int cluster; /* blocks */
  size_t shared;
  void (*before_block)(void); /* nullable */
} emulated_launch;

/** Runs a grid cluster after cluster; false when one hangs. */
INSIDE bool emulate_launch(void (*kernel)(const void *), const void *arguments, const emulated_launch *l) {
  chip.kernel = kernel;
  chip.arguments = arguments;
  chip.grid = l->grid;
  chip.block = l->block;
  chip.thread_count = (int)(l->block.x * l->block.y * l->block.z);
  unsigned wide = l->grid.x / (unsigned)l->cluster, count = wide * l->grid.y * l->grid.z;
  bool ended = true;
  for (unsigned i = 0; i < count && ended; i++) {
    index3 first = {i % wide * (unsigned)l->cluster, i / wide % l->grid.y, i / wide / l->grid.y};
    if (l->before_block != NULL) {
      l->before_block();
    }
    cluster_start(first, l->cluster, l->shared);
    ended = cluster_run();
  }
  if (!ended) {
    emulate_abandon();
  }
  return ended;
}

INSIDE void emulate_done(void) {
  for (int i = 0; i < BLOCKS_MAX * THREADS_MAX; i++) {
    free(chip.fibers[i].stack);
    chip.fibers[i].stack = NULL;
  }
  emulate_abandon();
  for (int i = 0; i < BLOCKS_MAX; i++) {
    free(chip.blocks[i].shared);
    chip.blocks[i].shared = NULL;
  }
}

/* For the tests of single kernels. */

/** What a kernel wrote, away until the next one waits for it. */
static struct {
  void *at, *kept;
  size_t bytes;
} emulated_held;

INSIDE void emulated_give(void) {
  memcpy(emulated_held.at, emulated_held.kept, emulated_held.bytes);
  free(emulated_held.kept);
}

/** The next kernel is begun before the last one has written `bytes` there: it finds NaN. */
INSIDE void emulate_early(void *at, size_t bytes) {
  emulated_held.at = at;
  emulated_held.bytes = bytes;
  emulated_held.kept = memcpy(malloc(bytes), at, bytes);
  emulated_previous = emulated_give;
  memset(at, 0xFF, bytes);
}

/** Runs a grid of blocks with threads in a row. */
INSIDE bool emulate(void (*kernel)(const void *), const void *arguments, index3 grid, int threads,
                    int blocks) {
  emulated_launch launch = {grid, {(unsigned)threads, 1, 1}, blocks, SHARED_MAX, NULL};
  return emulate_launch(kernel, arguments, &launch);
}

/** Numbers whose products and sums are exact in fp32 and, up to 256, in bf16. */
INSIDE bf16 small_at(size_t i) {
  return to_bf16((float)((int)((i * 2654435761u >> 7) % 3) - 1));
}

/** C of m x n, all of it written and each element what the plain sum says. */
INSIDE bool product_right(const bf16 *a, const bf16 *b, const bf16 *c, int m, int n, int k) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int q = 0; q < k; q++) {
        sum += from_bf16(a[(size_t)(i * k + q)]) * from_bf16(b[(size_t)(q * n + j)]);
      }
      if (from_bf16(c[(size_t)(i * n + j)]) != from_bf16(to_bf16(sum))) {
        fprintf(stderr, "C[%d][%d] is %g, not %g\n", i, j, (double)from_bf16(c[(size_t)(i * n + j)]),
                (double)sum);
        return false;
      }
    }
  }
  return true;
}

INSIDE bf16 *small_matrix(size_t count, size_t seed) {
  bf16 *matrix = (bf16 *)malloc(count * sizeof *matrix);
  for (size_t i = 0; i < count; i++) {
    matrix[i] = seed != 0 ? small_at(i + seed) : 0xFFFF;
  }
  return matrix;
}

#endif
