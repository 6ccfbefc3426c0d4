/** The tables that a trace of PyTorch's profiler becomes, one small row per kernel, launch and operator. */
#ifndef IMPORT_KINETO_H
#define IMPORT_KINETO_H

#include "import/_chrome.h"
#include "import/_intern.h"
#include "import/_kernel_name.h"
#include "import/_marks.h"
#include "import/_torch.h"

#define KINETO_NONE UINT32_MAX /* no operator */

enum { KINETO_DEVICES = 64, KINETO_NAME = 16384, KINETO_STREAM = 120 };

/** X(symbol, text): why a kernel has no work. */
#define KINETO_WHY_MAP(X)                                                                                    \
  X(WHY_KNOWN, "")                                                                                           \
  X(WHY_NO_FORMULA, "no formula for this operator; its kernels have their time only")                        \
  X(WHY_NO_SHAPES, "its shapes are not recorded (record_shapes=True); its kernels have their time only")     \
  X(WHY_MISFIT, "its recorded shapes and types do not fit the formula; its kernels have their time only")    \
  X(WHY_NO_TYPE, "the types of its lists of tensors are not recorded, nor named by the kernel; time only")   \
  X(WHY_INSIDE, "operators inside it account for the work; its own kernels have their time only")            \
  X(WHY_NO_LAUNCH, "the trace has no launch of their correlation; time only")                                \
  X(WHY_NO_OPERATOR, "launched outside any recorded operator; time only")                                    \
  X(WHY_GRAPH, "launched by a graph whose kernels did not run in that order by operators; time only")        \
  X(WHY_NO_BYTES, "the trace does not record its bytes; time only")

typedef enum kineto_why {
#define WHY(symbol, text) symbol,
  KINETO_WHY_MAP(WHY)
#undef WHY
      WHY_COUNT
} kineto_why;

/** What follows from a name, derived once. `record`: that of its calls with known work, and that of the
 *  others; the number of the record + 1, 0: none yet. */
typedef struct kineto_name {
  bool formula, values, graph, wait;
  import_way way; /* of a copy or a set */
  kernel_says says;
  double width;     /* bytes of the elements that a kernel of that name works on, 0: it does not say */
  roof_dtype dtype; /* theirs */
  uint32_t record[2];
} kineto_name;

/** An operator with its shapes. */
typedef struct kineto_shape {
  torch_work work;
  uint32_t name;
  const char *source[2]; /* of its work, made when it is needed; [1]: of kernels of a graph */
} kineto_shape;

/** An operator's call. */
typedef struct kineto_op {
  int64_t start, end; /* ns */
  uint32_t external, thread, shape, parent;
  bool inside; /* an operator inside it accounts for kernels */
} kineto_op;

typedef struct kineto_launch {
  int64_t start; /* ns */
  uint64_t correlation;
  uint32_t thread, op;
  bool graph;
} kineto_launch;

typedef enum kineto_activity { KERNEL, COLLECTIVE, COPY, SET } kineto_activity;

typedef struct kineto_kernel {
  int64_t start; /* ns */
  uint64_t picoseconds;
  uint64_t correlation;
  double amount; /* bytes moved, as recorded, or its share of the operator's work */
  uint32_t name, external, op;
  uint32_t ranks;  /* of a collective; 0: not known */
  uint32_t stream; /* its process and thread, in `threads` */
  uint32_t record; /* of the profile */
  float occupancy; /* NaN: unknown */
  int16_t device;
  uint8_t activity, why;
  kernel_says says; /* by its name, or those of the same operator's */
  bool again;       /* launched by a graph: the work is that of the same kernel launched by an operator */
  uint32_t grid;    /* a hash of its grid and block, 0: not recorded */
  uint32_t group; /* of a collective: number of its group's ranks and name + 1 in `groups`; 0: not recorded */
  uint32_t sequence; /* its number in the group, 0: not recorded */
} kineto_kernel;

/** The host in a call that waits for a device. */
typedef struct kineto_wait {
  int64_t start, end; /* ns */
} kineto_wait;

#define KINETO_ROWS(type)                                                                                    \
  struct {                                                                                                   \
    type *list;                                                                                              \
    size_t count, room;                                                                                      \
  }

typedef struct kineto {
  roof_source *source;
  roof_profile *profile;
  roof_error *error;
  KINETO_ROWS(kineto_op) ops;
  KINETO_ROWS(kineto_launch) launches;
  KINETO_ROWS(kineto_kernel) kernels;
  KINETO_ROWS(kineto_wait) waits;
  KINETO_ROWS(import_mark) marks;  /* of the dimension asked for */
  KINETO_ROWS(kineto_name) said;   /* by number in `names` */
  KINETO_ROWS(kineto_shape) calls; /* by number in `shapes` */
  intern names, threads, shapes, groups;
  int64_t base, first; /* ns */
  int rank;            /* of the process; -1 unknown */
  const char *devices[KINETO_DEVICES];
  roof_profile ranges; /* what was counted in the range of each kernel; its store NULL: no range */
  roof_text key;
} kineto;

roof_status rf_kineto_no_memory(const kineto *t);

/** The launch of a correlation, NULL: none. Launches are in the order of their correlation. */
const kineto_launch *rf_kineto_launch_of(const kineto *t, uint64_t correlation);

/** _kineto_join.c: gives every kernel its operator and its share of the operator's work, or the reason why it
 *  has none. */
roof_status rf_kineto_join(kineto *t);

/** Puts the operators into the order of their nesting, thread by thread. */
void rf_kineto_nest_ops(kineto *t);

/** _kineto_time.c: the timeline. Kernels are known to have their record. */
roof_status rf_kineto_time(kineto *t);

/** _kineto_cpu.c: the records of a trace whose operators ran on the processor. */
roof_status rf_kineto_cpu(kineto *t);

/** _kineto_parts.c: whether a mark is of the dimension asked for: `annotation`, else a function of Python. */
bool rf_kineto_marks(kineto *t, rf_span name, bool annotation);

/** Puts the marks into the order of their nesting. */
void rf_kineto_nest_marks(kineto *t);

/** The name of a stream by its number in `threads`: "7" of `"stream 7"`. */
const char *rf_kineto_stream(const kineto *t, uint32_t thread, char text[KINETO_STREAM]);

/** What a kernel is part of, the profile's; NULL where nothing was asked for. */
const char *rf_kineto_part(kineto *t, const kineto_kernel *kernel);

/** _kineto_graph.c: a kernel of a graph has the work of the kernel that it repeats, if the kernels of the whole graph ran before
 *  or after it by operators, in the same order, by the same names and with the same grids. */
roof_status rf_kineto_graphs(kineto *t);

/** _kineto_report.c: the records, the facts and what was left out. */
roof_status rf_kineto_report(kineto *t);

#endif
