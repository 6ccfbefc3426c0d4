/* Modules and launches. A module is known by its image: the build says which program each fatbin holds, hiprtc (rtc.c) what it made,
 * and the program's kernels for the processor lie in a library (module.sh). */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"
#include "programs.h"

int fake_cuda_launches, fake_cuda_executed, fake_cuda_early;

typedef struct function {
  const emulated_entry *entry;
  struct module *of;
  size_t shared_most; /* dynamic, by cuFuncSetAttribute */
} function;

typedef struct module {
  void *library;
  const emulated_module *exports;
  const fake_program *program;
  function *functions;
  int count;
  context *of;
} module;

/** Whether the file holds what is at `image`. */
static bool same_image(const char *path, const unsigned char *image, size_t bytes) {
  FILE *file = fopen(path, "rb");
  bool same = false;
  if (file != NULL) {
    unsigned char *content = malloc(bytes + 1);
    same =
        content != NULL && fread(content, 1, bytes + 1, file) == bytes && memcmp(content, image, bytes) == 0;
    free(content);
    fclose(file);
  }
  return same;
}

/** "fatbinary.h": magic, version, bytes of this header and of all behind it. */
static const fake_program *program_of(const unsigned char *image) {
  struct {
    uint32_t magic;
    uint16_t version, header;
    uint64_t size;
  } fat;
  if (fake_compiled(image) != NULL) {
    return fake_compiled(image);
  }
  memcpy(&fat, image, sizeof fat);
  if (fat.magic != 0xBA55ED50u) {
    return NULL;
  }
  for (const fake_program *p = fake_programs; p->image != NULL; p++) {
    if (same_image(p->image, image, (size_t)(fat.header + fat.size))) {
      return p;
    }
  }
  return NULL;
}

static int open_library(module *m) {
  const char *library = m->program->library;
  m->library = library != NULL ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
  m->exports = library == NULL ? fake_peaks() : m->library != NULL ? dlsym(m->library, "emulated") : NULL;
  if (m->exports == NULL) {
    fprintf(stderr, "emulated device: %s\n", dlerror());
    return INVALID_IMAGE;
  }
  while (m->exports->entries[m->count].name != NULL) {
    m->count++;
  }
  m->functions = calloc((size_t)m->count, sizeof *m->functions);
  for (int i = 0; m->functions != NULL && i < m->count; i++) {
    m->functions[i] = (function){.entry = &m->exports->entries[i], .of = m, .shared_most = 48 << 10};
  }
  return m->functions != NULL ? 0 : OUT_OF_MEMORY;
}

ENTRY(int, cuModuleUnload, module *m) {
  int code = fake_enter("cuModuleUnload");
  fake_changed();
  if (m->library != NULL) {
    dlclose(m->library);
  }
  free(m->functions);
  fake_take(m);
  return code;
}

ENTRY(int, cuModuleLoadData, module **out, const void *image) {
  void *made = NULL;
  ENTER(cuModuleLoadData);
  const fake_program *program = program_of(image);
  if (program == NULL) {
    return INVALID_IMAGE;
  }
  int code = fake_give(&made, sizeof **out);
  if (code != 0) {
    return code;
  }
  module *m = made;
  m->program = program;
  m->of = fake_context();
  code = open_library(m);
  if (code != 0) {
    cuModuleUnload(m);
    return code;
  }
  *out = m;
  return 0;
}

ENTRY(int, cuModuleGetFunction, function **out, module *m, const char *name) {
  ENTER(cuModuleGetFunction);
  for (int i = 0; i < m->count; i++) {
    if (strcmp(m->functions[i].entry->name, name) == 0) {
      *out = &m->functions[i];
      return 0;
    }
  }
  return NOT_FOUND;
}

/** Only the most dynamic shared memory is set. */
ENTRY(int, cuFuncSetAttribute, function *f, int attribute, int value) {
  ENTER(cuFuncSetAttribute);
  if (attribute != 8 || value < 0 || value > fake_attribute(97)) {
    return INVALID_VALUE;
  }
  f->shared_most = (size_t)value;
  return 0;
}

/* What has been executed. A launch that is made again, its arguments the same and nothing written from
 * outside, gives what it gave: its time passes and that is all. */

enum { SEEN = 4096 };

typedef struct seen {
  uint64_t hash;
  unsigned era;
  double seconds;
} seen;

static seen table[SEEN];
static unsigned era = 1;

void fake_changed(void) {
  era++;
}

unsigned fake_changes(void) {
  return era;
}

static uint64_t hash_of(const launch *l) {
  const unsigned char *bytes = (const unsigned char *)l;
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < sizeof *l; i++) {
    hash = (hash ^ bytes[i]) * 1099511628211u;
  }
  return hash;
}

/* Executing. */

static sigjmp_buf broken;
static volatile sig_atomic_t running;

static void on_fault(int signal_number) {
  if (running) {
    siglongjmp(broken, signal_number == SIGABRT ? LAUNCH_FAILED : ILLEGAL_ADDRESS);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGABRT};

/** Faults of a kernel end the launch, not the program. */
static void guard(struct sigaction *before) {
  static _Alignas(64) unsigned char stack[64 << 10];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction on = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigaltstack(&other, NULL);
  for (int i = 0; i < SIGNALS; i++) {
    sigaction(signals[i], &on, &before[i]);
  }
  running = 1;
}

static void unguard(const struct sigaction *before) {
  running = 0;
  for (int i = 0; i < SIGNALS; i++) {
    sigaction(signals[i], &before[i], NULL);
  }
}

static int run_guarded(const launch *l, void *const *arguments) {
  const emulated_module *m = l->function->of->exports;
  struct sigaction before[SIGNALS];
  guard(before);
  int code = sigsetjmp(broken, 1);
  if (code == 0) {
    code = m->run(l->function->entry, &l->shape, arguments) ? 0 : LAUNCH_TIMEOUT;
  } else {
    m->abandon();
  }
  unguard(before);
  return code == 0 && !fake_fences_stand() ? ILLEGAL_ADDRESS : code;
}

/** Script `wrong=1`: the first number of what the kernel writes is another. */
static void spoil(const launch *l) {
  const emulated_entry *e = l->function->entry;
  size_t at = 0;
  for (int i = 0; i < e->parameters; i++) {
    pointer to;
    memcpy(&to, &l->arguments[at], sizeof to);
    if (e->written == i && fake_inside(to, 4)) {
      static const float wrong = 12345;
      memcpy((void *)(uintptr_t)to, &wrong, sizeof wrong);
    }
    at += (e->sizes[i] + 63) / 64 * 64;
  }
}

/** Runs it; a fault is said by whatever waits for it next, as on a device. */
static double run(const launch *l) {
  const emulated_entry *e = l->function->entry;
  void *arguments[64];
  struct timespec from, to;
  size_t at = 0;
  for (int i = 0; i < e->parameters; i++) {
    arguments[i] = (void *)(uintptr_t)&l->arguments[at];
    at += (e->sizes[i] + 63) / 64 * 64;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  int code = run_guarded(l, arguments);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  code = fake_says("fault=", e->name) ? LAUNCH_FAILED : code;
  fake_cuda_executed++;
  if (fake_number("wrong=", 0) != 0) {
    spoil(l);
  }
  if (code != 0) {
    static const char *const kinds[] = {"leaves the device's memory", "hangs", "stops"};
    fprintf(stderr, "emulated device: %s %s\n", e->name,
            kinds[code == ILLEGAL_ADDRESS  ? 0
                  : code == LAUNCH_TIMEOUT ? 1
                                           : 2]);
    fake_fault(code);
  }
  return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/** Where parameter `index` lies among the arguments. */
static const unsigned char *argument(const launch *l, int index) {
  const emulated_entry *e = l->function->entry;
  size_t at = 0;
  for (int i = 0; i < index; i++) {
    at += (e->sizes[i] + 63) / 64 * 64;
  }
  return &l->arguments[at];
}

/** Elements, or threads where there are more of them, times rounds: what the time of a kernel that repeats
 * itself grows with. */
static double work_of(const launch *l) {
  const emulated_entry *e = l->function->entry;
  const emulated_shape *s = &l->shape;
  double threads = (double)s->grid[0] * s->grid[1] * s->grid[2] * s->block[0] * s->block[1] * s->block[2];
  int64_t elements = 1;
  int32_t rounds = 1;
  if (e->elements >= 0) {
    memcpy(&elements, argument(l, e->elements), sizeof elements);
  }
  if (e->rounds >= 0) {
    memcpy(&rounds, argument(l, e->rounds), sizeof rounds);
  }
  double passes = rounds > 1 ? rounds : 1;
  if (e->elements >= 0 && passes > 1) { /* out of a cache, which no pattern of memory reaches */
    passes /= 16;
  }
  return ((double)elements > threads ? (double)elements : threads) * passes;
}

/** The result of many rounds of arithmetic is not used. */
static bool too_long(const launch *l) {
  return l->function->of->program->rounds && work_of(l) > fake_number("rounds=", 1 << 15);
}

/** What a launch takes, having run where it must. A ceiling's kernel takes in proportion to its work, whatever the processor was doing. */
static double seconds_of(const launch *l) {
  static const double least = 1e-6, faster = 20, a_round = 4e-9;
  double seconds = too_long(l) ? 0 : run(l) / faster;
  return least + (l->function->of->program->ceiling ? a_round * work_of(l) : seconds);
}

int fake_execute(const launch *l, stream *in) {
  uint64_t hash = hash_of(l);
  seen *s = &table[hash % SEEN];
  fake_cuda_launches++;
  if (s->hash != hash || s->era != era) {
    bool again = s->hash == hash;
    double seconds = seconds_of(l);
    *s = (seen){hash, era, again ? s->seconds : seconds};
  }
  fake_work(in, s->seconds);
  return 0;
}

/** What a device refuses at once. */
static int check_shape(const launch *l) {
  const emulated_entry *e = l->function->entry;
  const emulated_shape *s = &l->shape;
  unsigned most = e->most != 0 ? e->most : (unsigned)fake_attribute(1), threads = 1;
  for (int i = 0; i < 3; i++) {
    if (s->grid[i] == 0 || s->block[i] == 0 || s->block[i] > (unsigned)fake_attribute(2 + i) ||
        s->grid[i] > (unsigned)fake_attribute(5 + i)) {
      return INVALID_VALUE;
    }
    threads *= s->block[i];
  }
  return threads > most || s->shared > l->function->shared_most ? INVALID_VALUE
         : s->grid[0] % e->cluster != 0                         ? INVALID_CLUSTER
                                                                : 0;
}

static int prepare(launch *l, void **arguments) {
  const emulated_entry *e = l->function->entry;
  size_t at = 0;
  for (int i = 0; i < e->parameters; i++) {
    size_t room = (e->sizes[i] + 63) / 64 * 64;
    if (at + room > sizeof l->arguments) {
      return INVALID_VALUE;
    }
    memcpy(&l->arguments[at], arguments[i], e->sizes[i]);
    at += room;
  }
  return check_shape(l);
}

/** What a caller says of a launch: CUlaunchConfig, and of its attributes the size of a cluster, or a number. */
typedef struct launch_config {
  unsigned grid[3], block[3], shared;
  stream *in;
  const struct {
    int id, pad;
    unsigned cluster[16];
  } * attributes;
  unsigned count;
} launch_config;

/** Script `clusters=3`: so many fit; otherwise a block has a multiprocessor to itself. */
ENTRY(int, cuOccupancyMaxActiveClusters, int *count, function *f, const launch_config *config) {
  enum { CLUSTER_DIMENSION = 4 };
  ENTER(cuOccupancyMaxActiveClusters);
  if (f == NULL || config->count != 1 || config->attributes->id != CLUSTER_DIMENSION) {
    return INVALID_VALUE;
  }
  if (config->attributes->cluster[0] != f->entry->cluster || config->grid[0] % f->entry->cluster != 0) {
    return INVALID_CLUSTER;
  }
  *count = config->shared > f->shared_most
               ? 0
               : fake_number("clusters=", fake_attribute(16) / (int)f->entry->cluster);
  return 0;
}

/** A launch that may go on where `code` is 0. */
static int start(int code, function *f, const emulated_shape *shape, stream *in, void **arguments,
                 void **extra) {
  launch l;
  if (code == 0 && (f == NULL || in == NULL || extra != NULL)) {
    code = INVALID_HANDLE;
  }
  if (code == 0) {
    memset(&l, 0, sizeof l);
    l.function = f;
    l.shape = *shape;
    code = prepare(&l, arguments);
  }
  if (in != NULL && in->recording != NULL) {
    in->broken |= code != 0;
    return code != 0 ? code : fake_record(in->recording, &l);
  }
  fake_spend(2e-6);
  return code != 0 ? code : fake_execute(&l, in);
}

ENTRY(int, cuLaunchKernel, function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared, stream *in, void **arguments, void **extra) {
  const emulated_shape shape = {{gx, gy, gz}, {bx, by, bz}, shared};
  return start(fake_enter("cuLaunchKernel"), f, &shape, in, arguments, extra);
}

/** Only for launches that may begin early, which Hopper brought; here they begin when the one before has ended. */
ENTRY(int, cuLaunchKernelEx, const launch_config *config, function *f, void **arguments, void **extra) {
  enum { PROGRAMMATIC_STREAM_SERIALIZATION = 6 };
  const unsigned *grid = config->grid, *block = config->block;
  const emulated_shape shape = {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, config->shared};
  int code = fake_enter("cuLaunchKernelEx");
  if (code == 0 && (config->count != 1 || config->attributes->id != PROGRAMMATIC_STREAM_SERIALIZATION ||
                    config->attributes->cluster[0] != 1 || fake_attribute(75) < 9)) {
    code = INVALID_VALUE;
  }
  fake_cuda_early++;
  return start(code, f, &shape, config->in, arguments, extra);
}

/** What the copy engine knows of a matrix: the map that tests/unit/emulate.h has, in the room of the real
 * one. */
#ifndef FAKE_OLD
typedef struct tensor_map {
  void *data;
  int width, height, box_height, planes;
} tensor_map;

/** Boxes of 64 columns of one plane, rows and planes without gaps: what our kernels ask for. */
static bool is_our_map(uint32_t rank, const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                       const uint32_t *steps) {
  bool planes =
      rank == 3 && sizes[2] > 0 && strides[1] == strides[0] * sizes[1] && box[2] == 1 && steps[2] == 1;
  return (rank == 2 || planes) && sizes[0] > 0 && sizes[1] > 0 && strides[0] == 2 * sizes[0] &&
         strides[0] % 16 == 0 && box[0] == 64 && box[1] > 0 && box[1] <= 256 && steps[0] == 1 &&
         steps[1] == 1;
}

ENTRY(int, cuTensorMapEncodeTiled, void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
      const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
      int promotion, int fill) {
  enum { BF16 = 9, SWIZZLE_128B = 3 };
  pointer at = (pointer)(uintptr_t)address;
  if ((uintptr_t)map % 64 != 0 || at % 16 != 0 || type != BF16 || interleave != 0 ||
      swizzle != SWIZZLE_128B || promotion < 0 || promotion > 3 || fill < 0 || fill > 1 ||
      !is_our_map(rank, sizes, strides, box, steps)) {
    return INVALID_VALUE;
  }
  uint64_t planes = rank == 3 ? sizes[2] : 1;
  if (!fake_inside(at, (size_t)(strides[0] * sizes[1] * planes))) {
    return INVALID_VALUE;
  }
  memset(map, 0, 128);
  const tensor_map m = {address, (int)sizes[0], (int)sizes[1], (int)box[1], (int)planes};
  memcpy(map, &m, sizeof m);
  return 0;
}
#endif
