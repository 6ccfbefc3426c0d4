/** Counters of AMD's profilers, whatever file they came in, as FLOPs and bytes. Formulas: rocprofiler-compute,
 * "Performance model"; a wave is 64 lanes. They are sums of counters, so the counters of all dispatches of a kernel
 * are added up first. */
#ifndef IMPORT_ROCPROF_H
#define IMPORT_ROCPROF_H

#include "import/import.h"

/** X(symbol, counter) */
#define ROCPROF_COUNTER_MAP(X)                                                                               \
  X(ADD_F16, "SQ_INSTS_VALU_ADD_F16")                                                                        \
  X(MUL_F16, "SQ_INSTS_VALU_MUL_F16")                                                                        \
  X(TRANS_F16, "SQ_INSTS_VALU_TRANS_F16")                                                                    \
  X(FMA_F16, "SQ_INSTS_VALU_FMA_F16")                                                                        \
  X(ADD_F32, "SQ_INSTS_VALU_ADD_F32")                                                                        \
  X(MUL_F32, "SQ_INSTS_VALU_MUL_F32")                                                                        \
  X(TRANS_F32, "SQ_INSTS_VALU_TRANS_F32")                                                                    \
  X(FMA_F32, "SQ_INSTS_VALU_FMA_F32")                                                                        \
  X(ADD_F64, "SQ_INSTS_VALU_ADD_F64")                                                                        \
  X(MUL_F64, "SQ_INSTS_VALU_MUL_F64")                                                                        \
  X(TRANS_F64, "SQ_INSTS_VALU_TRANS_F64")                                                                    \
  X(FMA_F64, "SQ_INSTS_VALU_FMA_F64")                                                                        \
  X(INT32, "SQ_INSTS_VALU_INT32")                                                                            \
  X(INT64, "SQ_INSTS_VALU_INT64")                                                                            \
  X(MOPS_F16, "SQ_INSTS_VALU_MFMA_MOPS_F16")                                                                 \
  X(MOPS_BF16, "SQ_INSTS_VALU_MFMA_MOPS_BF16")                                                               \
  X(MOPS_F32, "SQ_INSTS_VALU_MFMA_MOPS_F32")                                                                 \
  X(MOPS_F64, "SQ_INSTS_VALU_MFMA_MOPS_F64")                                                                 \
  X(MOPS_F8, "SQ_INSTS_VALU_MFMA_MOPS_F8")                                                                   \
  X(MOPS_I8, "SQ_INSTS_VALU_MFMA_MOPS_I8")                                                                   \
  X(L1_ACCESSES, "TCP_TOTAL_CACHE_ACCESSES_sum")                                                             \
  X(L2_READ, "TCP_TCC_READ_REQ_sum")                                                                         \
  X(L2_WRITE, "TCP_TCC_WRITE_REQ_sum")                                                                       \
  X(L2_ATOMIC, "TCP_TCC_ATOMIC_WITH_RET_REQ_sum")                                                            \
  X(L2_ATOMIC_MUTE, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum")                                                    \
  X(EA_READ, "TCC_EA_RDREQ_sum")                                                                             \
  X(EA_READ_32, "TCC_EA_RDREQ_32B_sum")                                                                      \
  X(EA_WRITE, "TCC_EA_WRREQ_sum")                                                                            \
  X(EA_WRITE_64, "TCC_EA_WRREQ_64B_sum")                                                                     \
  X(EA0_READ, "TCC_EA0_RDREQ_sum")                                                                           \
  X(EA0_READ_32, "TCC_EA0_RDREQ_32B_sum")                                                                    \
  X(EA0_WRITE, "TCC_EA0_WRREQ_sum")                                                                          \
  X(EA0_WRITE_64, "TCC_EA0_WRREQ_64B_sum")                                                                   \
  X(BUBBLE, "TCC_BUBBLE_sum")                                                                                \
  X(FETCH, "FETCH_SIZE")                                                                                     \
  X(WRITE, "WRITE_SIZE")

typedef enum rocprof_counter {
#define ROCPROF_ENUM(symbol, name) symbol,
  ROCPROF_COUNTER_MAP(ROCPROF_ENUM)
#undef ROCPROF_ENUM
      ROCPROF_COUNTERS
} rocprof_counter;

/** The counters of a kernel, of all its dispatches. */
typedef struct rocprof_bag {
  double value[ROCPROF_COUNTERS];
  uint64_t rows[ROCPROF_COUNTERS]; /**< that gave each counter */
  uint64_t dispatches;
  const char *first; /**< where a row is a counter: the one that stands for its dispatch */
} rocprof_bag;

/** By the record's place in the profile. Start from zeros, release with free(list). */
typedef struct rocprof_bags {
  rocprof_bag *list;
  size_t count;
} rocprof_bags;

/** The number of a counter that is used, or -1. */
int rf_rocprof_counter(const char *name);

/** The name of a counter. */
const char *rf_rocprof_counter_name(int counter);

/** The bag of a record, made when it is new. NULL when out of memory. */
rocprof_bag *rf_rocprof_bag(rocprof_bags *bags, const roof_profile *profile, const roof_record *record);

/** Adds a value of a counter; NaN is none. */
void rf_rocprof_add(rocprof_bag *bag, int counter, double value);

/** FLOPs and bytes of all records that have a bag. */
void rf_rocprof_settle(const rocprof_bags *bags, roof_profile *profile);

/** Length of a kernel's name without what the code object adds: "copy(double*) (.kd)", "copy.kd". */
size_t rf_rocprof_name(const char *name);

/** What a copy is called everywhere, of "MEMORY_COPY_HOST_TO_DEVICE"; any other name as it is. */
const char *rf_rocprof_copy(const char *name);

#endif
