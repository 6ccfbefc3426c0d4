/** Kernels of accelerators: programs written once, in a dialect that OpenCL C and the C++ of CUDA and HIP compile, and
 *  what launching them takes. The texts are the files `src/kernels/device/NAME.cl`; the first line of each
 *  names the formats it is written for (`// formats: fp32 fp64`), and `opencl.prelude`, `cuda.prelude` or `hip.prelude`
 *  gives the dialect's words their meaning. */
#ifndef KERNELS_DEVICE_DEVICE_H
#define KERNELS_DEVICE_DEVICE_H

#include <math.h>

#include "kernels/kernels.h"

/** The text of one program, built once per format with `-DTYPE_FP32` and the like. */
typedef struct rf_device_text {
  const char *name; /**< "gemm_1_naive" */
  const char *text;
  const char *end;
  unsigned formats; /**< bit `1u << dtype` for each that it is written for */
} rf_device_text;

/** The text named.
 *  Units: none. Ownership: static. Errors: NULL when there is none. */
const rf_device_text *rf_device_text_find(const char *name);

/** What goes before a program's text: "opencl", "cuda" or "hip"; "cxx", which the last two include.
 *  Units: none. Ownership: static. Errors: NULL when there is none. */
const rf_device_text *rf_device_prelude(const char *language);

enum { RF_DEVICE_ARGS = 16, RF_DEVICE_LAUNCHES = 4 };

typedef enum rf_device_arg_kind {
  RF_ARG_BUFFER,
  RF_ARG_INT,
  RF_ARG_INDEX,
  RF_ARG_FLOAT,
  RF_ARG_TENSOR
} rf_device_arg_kind;

/** Matrices of 16-bit numbers in row order as CUDA's copy engine takes them: boxes of 64 columns, swizzled by
 *  128 bytes. */
typedef struct rf_device_tensor {
  void *buffer;
  int32_t columns;
  int32_t rows;
  int32_t box_rows;
  int32_t planes; /**< matrices behind each other, for kernels that name one; 0: one matrix */
} rf_device_tensor;

/** One argument of a kernel. */
typedef struct rf_device_arg {
  rf_device_arg_kind kind;
  union {
    void *buffer;   /**< a driver's handle */
    int32_t number; /**< `int` */
    int64_t index;  /**< `INDEX`, 64 bits */
    float real;
    rf_device_tensor tensor;
  };
} rf_device_arg;

/** One launch: entry, grid, arguments. */
typedef struct rf_device_launch {
  const char *entry;  /**< the kernel's name in its program */
  void *function;     /**< what the driver found under that name */
  unsigned groups[3]; /**< work-groups or blocks; [0] is 0 for blocks that stay and take task after task */
  double tasks;       /**< of those: each for one cluster */
  int cluster;        /**< of those: blocks of a cluster */
  bool everywhere;    /**< of those: as many as there is room for, though fewer would need no more rounds */
  unsigned items[3];  /**< work-items (threads) of a work-group (block) */
  bool early;         /**< may begin before the launch before it has ended, for which it waits itself */
  unsigned shared;    /**< bytes of shared memory given at launch, in addition to what the text declares */
  rf_device_arg args[RF_DEVICE_ARGS];
  int arg_count;
} rf_device_launch;

/** The operands of rf_operands on the device, as the driver's handles; NULL where there are none. */
typedef struct rf_device_operands {
  void *in[2];
  void *out;
  void *scratch;
  double group_items;      /**< the most work-items that a work-group may have */
  double units;            /**< compute units, multiprocessors */
  double unit_local_bytes; /**< of shared memory that each of them has; NaN unknown */
} rf_device_operands;

/** Fills `launches` (RF_DEVICE_LAUNCHES) and returns how many follow each other. */
typedef int rf_device_plan(const roof_kernel_run *run, const rf_device_operands *operands,
                           rf_device_launch *launches);

/** Another way to launch a kernel, with the same result. */
typedef struct rf_device_variant {
  const char *name; /**< "band=4 grid=all": how it differs; NULL ends a list */
  rf_device_plan *plan;
} rf_device_variant;

/** A kernel of accelerators, the `detail` of its row. */
typedef struct rf_device_kernel {
  const char *program;   /**< name of the text, or of what only one driver has */
  const char *reference; /**< the processor's kernel that makes its operands and checks its result;
                            "" where a row has its own */
  double (*scratch)(const roof_kernel_run *run); /**< nullable: bytes of scratch on the device */
  size_t zeros;         /**< bytes at the scratch's start that are 0 before a run, and left so by it */
  rf_device_plan *plan; /**< NULL: the driver's `call` does it (a vendor's library) */
  const rf_device_variant *variants; /**< nullable: what a measurement tries in place of `plan` */
  const char *const *shapes;         /**< of those: at which it tries them; NULL at the end */
  double tile[3]; /**< of those: rows of B, columns of B, rows of A that are taken at a time */
} rf_device_kernel;

/** The backends that run programs of the common dialect, and the one that has CUDA's own. */
extern const char *const rf_on_devices[];
extern const char *const rf_on_cuda[];

/** The `detail` of a kernel of accelerators.
 *  Units: none. Ownership: static. Errors: none; the kernel must be one. */
static inline const rf_device_kernel *rf_device_kernel_of(const roof_kernel *kernel) {
  return kernel->detail;
}

/** A launch of `entry` on groups_x x groups_y work-groups of items_x x items_y work-items; no arguments yet.
 *  Units: none. Ownership: by value. Errors: none. */
rf_device_launch rf_device_launch_of(const char *entry, double groups_x, double groups_y, int items_x,
                                     int items_y);

/** Add one argument.
 *  Units: none. Ownership: changes *launch. Errors: none; at most RF_DEVICE_ARGS. */
void rf_device_add_buffer(rf_device_launch *launch, void *buffer);
void rf_device_add_int(rf_device_launch *launch, double value);
void rf_device_add_index(rf_device_launch *launch, double value);
void rf_device_add_float(rf_device_launch *launch, double value);
void rf_device_add_tensor(rf_device_launch *launch, rf_device_tensor tensor);

/** `count / size`, rounded up.
 *  Units: none. Ownership: none. Errors: none. */
static inline double rf_device_tiles(double count, int size) {
  return ceil(count / size);
}

/** Blocks that stay and take task after task, for `units` of the device: as few as need no more rounds, so that all
 *  end together; whole clusters.
 *  Units: none. Ownership: none. Errors: none. */
unsigned rf_device_staying(const rf_device_launch *launch, double units);

/** Operands and check of the kernel named by `reference`: prepare, check and release of a row.
 *  Units: none. Ownership: as roof_kernel's. Errors: as roof_kernel's. */
roof_status rf_device_prepare(roof_kernel_run *run, roof_error *error);
roof_status rf_device_check(roof_kernel_run *run, roof_error *error);
void rf_device_release(roof_kernel_run *run);

/** Which formats the kernel's program is written for: `supports` of a row needs one function per set. */
bool rf_device_fp32(roof_dtype dtype);
bool rf_device_floats(roof_dtype dtype); /**< fp64, fp32, fp16, bf16 */

/** What rows of kernels of accelerators share; `detail` is a `const rf_device_kernel *`. */
#define RF_ON_DEVICES(detail_)                                                                               \
  .variant = "", .backends = rf_on_devices, .detail = detail_, .prepare = rf_device_prepare,                 \
  .check = rf_device_check, .release = rf_device_release

#endif
