/** Nsight Compute's metrics of one launch, whatever file they came in, as FLOPs, bytes and time. */
#ifndef IMPORT_NCU_H
#define IMPORT_NCU_H

#include "import/_stalls.h"

/** X(symbol, metric): the plain metrics that are used; those of the tensor paths are found by their form. */
#define NCU_METRIC_MAP(X)                                                                                    \
  X(NCU_TIME, "gpu__time_duration.sum")                                                                      \
  X(NCU_TIME_AVERAGE, "gpu__time_duration.avg")                                                              \
  X(NCU_SM_CYCLES, "sm__cycles_elapsed.avg")                                                                 \
  X(NCU_SM_RATE, "sm__cycles_elapsed.avg.per_second")                                                        \
  X(NCU_SMSP_CYCLES, "smsp__cycles_elapsed.avg")                                                             \
  X(NCU_SMSP_RATE, "smsp__cycles_elapsed.avg.per_second")                                                    \
  X(NCU_GPC_CYCLES, "gpc__cycles_elapsed.max")                                                               \
  X(NCU_GPC_RATE, "gpc__cycles_elapsed.avg.per_second")                                                      \
  X(NCU_DRAM, "dram__bytes.sum")                                                                             \
  X(NCU_DRAM_READ, "dram__bytes_read.sum")                                                                   \
  X(NCU_DRAM_WRITE, "dram__bytes_write.sum")                                                                 \
  X(NCU_DRAM_OP_READ, "dram__bytes_op_read.sum")                                                             \
  X(NCU_DRAM_OP_WRITE, "dram__bytes_op_write.sum")                                                           \
  X(NCU_DRAM_SECTORS, "dram__sectors.sum")                                                                   \
  X(NCU_DRAM_SECTORS_READ, "dram__sectors_read.sum")                                                         \
  X(NCU_DRAM_SECTORS_WRITE, "dram__sectors_write.sum")                                                       \
  X(NCU_DRAM_RATE, "dram__bytes.sum.per_second")                                                             \
  X(NCU_L2, "lts__t_bytes.sum")                                                                              \
  X(NCU_L2_SECTORS, "lts__t_sectors.sum")                                                                    \
  X(NCU_L2_RATE, "lts__t_bytes.sum.per_second")                                                              \
  X(NCU_L2_XBAR, "lts__lts2xbar_cycles_active.sum")                                                          \
  X(NCU_L1, "l1tex__t_bytes.sum")                                                                            \
  X(NCU_L1_BACK, "l1tex__lsu_writeback_active.sum")                                                          \
  X(NCU_L1_BACK_LG, "l1tex__lsu_writeback_active_mem_lg.sum")                                                \
  X(NCU_L1_BACK_LGDS, "l1tex__lsu_writeback_active_mem_lgds.sum")                                            \
  X(NCU_HOST_SECTORS, "lts__t_sectors_aperture_sysmem.sum")                                                  \
  X(NCU_NVLINK_IN, "nvlrx__bytes.sum")                                                                       \
  X(NCU_NVLINK_OUT, "nvltx__bytes.sum")                                                                      \
  X(NCU_DADD, "sass_thread_inst_executed_op_dadd_pred_on.sum")                                               \
  X(NCU_DMUL, "sass_thread_inst_executed_op_dmul_pred_on.sum")                                               \
  X(NCU_DFMA, "sass_thread_inst_executed_op_dfma_pred_on.sum")                                               \
  X(NCU_FADD, "sass_thread_inst_executed_op_fadd_pred_on.sum")                                               \
  X(NCU_FMUL, "sass_thread_inst_executed_op_fmul_pred_on.sum")                                               \
  X(NCU_FFMA, "sass_thread_inst_executed_op_ffma_pred_on.sum")                                               \
  X(NCU_FADD2, "sass_thread_inst_executed_op_fadd2_pred_on.sum")                                             \
  X(NCU_FMUL2, "sass_thread_inst_executed_op_fmul2_pred_on.sum")                                             \
  X(NCU_FFMA2, "sass_thread_inst_executed_op_ffma2_pred_on.sum")                                             \
  X(NCU_HADD, "sass_thread_inst_executed_op_hadd_pred_on.sum")                                               \
  X(NCU_HMUL, "sass_thread_inst_executed_op_hmul_pred_on.sum")                                               \
  X(NCU_HFMA, "sass_thread_inst_executed_op_hfma_pred_on.sum")                                               \
  X(NCU_INTEGERS, "sass_thread_inst_executed_op_integer_pred_on.sum")                                        \
  X(NCU_DADD_CYCLE, "sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed")                       \
  X(NCU_DMUL_CYCLE, "sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed")                       \
  X(NCU_DFMA_CYCLE2, "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2")                          \
  X(NCU_FADD_CYCLE, "sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed")                       \
  X(NCU_FMUL_CYCLE, "sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed")                       \
  X(NCU_FFMA_CYCLE2, "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2")                          \
  X(NCU_TENSOR, "inst_executed_pipe_tensor.sum")                                                             \
  X(NCU_OCCUPANCY, "sm__warps_active.avg.pct_of_peak_sustained_active")                                      \
  X(NCU_WAVES, "launch__waves_per_multiprocessor")                                                           \
  X(NCU_MEMORY_SHARE, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")                              \
  X(NCU_DRAM_SHARE, "dram__throughput.avg.pct_of_peak_sustained_elapsed")                                    \
  X(NCU_COMPUTE_SHARE, "sm__throughput.avg.pct_of_peak_sustained_elapsed")                                   \
  X(NCU_ACTIVE, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed")                                       \
  X(NCU_TENSOR_SHARE, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active")                      \
  X(NCU_TC_SHARE, "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_active")                              \
  X(NCU_HMMA_SHARE, "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active")                \
  X(NCU_IMMA_SHARE, "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active")                \
  X(NCU_DMMA_SHARE, "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_active")                \
  X(NCU_LANES, "smsp__thread_inst_executed_per_inst_executed.ratio")                                         \
  X(NCU_BANK_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")                                \
  X(NCU_SHARED_WAVES, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")

typedef enum ncu_metric {
#define NCU_ENUM(symbol, name) symbol,
  NCU_METRIC_MAP(NCU_ENUM)
#undef NCU_ENUM
      NCU_METRIC_COUNT
} ncu_metric;

/** How one operation on the tensor pipes is reported: of all instructions together, or of each kind. */
typedef enum ncu_path {
  NCU_ROLLUP,
  NCU_SPLIT,
  NCU_ROLLUP_SPARSITY,
  NCU_SPLIT_SPARSITY,
  NCU_PATH_COUNT
} ncu_path;

/** What is known of one launch; NaN where the file does not say. */
typedef struct ncu_launch {
  double value[NCU_METRIC_COUNT];
  double path[ROOF_DTYPE_COUNT][NCU_PATH_COUNT];
  double stall[ROOF_STALL_COUNT];   /**< cycles per issued instruction */
  double sampled[ROOF_STALL_COUNT]; /**< samples */
  int capability;                   /**< 70 for 7.0; 0 unknown */
  double calls;                     /**< launches that the values are an average of: 1 but in a summary */
} ncu_launch;

void rf_ncu_launch_init(ncu_launch *launch);

/** Takes a metric in SI units, of NaN nothing; false for one that is not used. Counts of the same thing under two prefixes
 *  (sm__ and smsp__) are one. */
bool rf_ncu_launch_set(ncu_launch *launch, const char *metric, double value);

/** Adds the launch to the record of `kernel`. */
roof_status rf_ncu_launch_add(roof_profile *profile, const ncu_launch *launch, const char *kernel,
                              size_t length, roof_error *error);

/** What the report has about the device, collected until rf_ncu_device_add. */
typedef struct ncu_device {
  char name[128];
  double units, clock_khz, memory_khz, bus_bits, l2_bytes;
  int major, minor;
} ncu_device;

/** Takes a metric of the device: `value` as it stands, NaN for a text. Others are left. */
void rf_ncu_device_set(ncu_device *device, const char *metric, const char *text, double value);

/** Names the profile's device and gives it the ceilings that its attributes imply. */
void rf_ncu_device_add(roof_profile *profile, const ncu_device *device);

#endif
