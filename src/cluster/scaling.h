/** Scaling studies: a problem shared out over 1, 2, 4 ... ranks of a job, strong (the problem stays) or weak (each rank's part stays).
 *  What a rank has of it, what it sends, and how long a step takes: pure functions. A step is bulk-synchronous: communication and
 *  computation add up.
 *  Sources: SUMMA, van de Geijn and Watts 1997; strong scaling, Amdahl 1967; weak, Gustafson 1988. */
#ifndef CLUSTER_SCALING_H
#define CLUSTER_SCALING_H

#include "kernels/kernels.h"
#include "roofline/fabric.h"

enum { RF_SCALING_POINTS = 24, RF_SCALING_PARAMS = 3, RF_SCALING_STEPS = 50 };

typedef struct rf_scaling_kernel rf_scaling_kernel;

/** What each of `ranks` ranks has. The parameters are those of the kernel's operation, and of its `local` one. */
typedef struct rf_scaling_part {
  int ranks, rows, columns;     /**< ranks in a grid, row by row */
  int steps;                    /**< local kernels one after the other, in one step of the whole */
  double whole[ROOF_PARAM_MAX]; /**< the problem of all ranks */
  double local[ROOF_PARAM_MAX]; /**< of one rank's kernel, each of `steps` */
  double flops;                 /**< of all ranks */
  double sent_bytes;            /**< by all ranks together, once for each rank that a byte reaches */
} rf_scaling_part;

/** What a parameter is shared out over. */
typedef enum rf_scaling_by {
  RF_CUT_NOT,
  RF_CUT_ROWS,
  RF_CUT_COLUMNS,
  RF_CUT_RANKS,
  RF_CUT_STEPS
} rf_scaling_by;

/** A parameter of the operation, which one of the local kernel has a part of. */
typedef struct rf_scaling_cut {
  int whole, local;
  rf_scaling_by by;
  bool grows; /**< in weak scaling, as often as it is cut */
} rf_scaling_cut;

struct rf_scaling_run;

/** One distributed kernel: a row of the table in scaling.c. */
struct rf_scaling_kernel {
  const char *name;
  const char *op;    /**< of the whole problem */
  const char *local; /**< the built-in kernel that each rank runs */
  const char *sizes; /**< default problem, "m=2048 n=2048 k=2048" */
  const char *summary;
  roof_dtype dtype;
  bool has_grid; /**< rows and columns; else one row of ranks */
  int stacked;   /**< the local parameter by which ranks that share a node are one larger problem */
  rf_scaling_cut cuts[RF_SCALING_PARAMS];
  /** Bytes as rf_scaling_part.sent_bytes. */
  double (*sends)(const rf_scaling_part *part);
  /** s that a step communicates; `both_ways`: times a message takes when one comes the other way meanwhile. */
  double (*communicates)(const rf_scaling_part *part, const roof_alpha_beta *fit, double both_ways);
  const struct rf_scaling_way *way; /**< how it runs (scaling_run.h) */
};

extern const rf_scaling_kernel *const rf_scaling_kernels[]; /**< NULL at the end */

/** The row of that name.
 *  Units: none. Ownership: static. Errors: ROOF_E_NAME with the nearest. */
roof_status rf_scaling_find(const char *name, const rf_scaling_kernel **kernel, roof_error *error);

/** The problem that words ("m=1024") over the default say: one size.
 *  Units: the parameters'. Ownership: fills `values` (ROOF_PARAM_MAX) on success only.
 *  Errors: as roof_shape_parse; ROOF_E_ARGUMENT for several sizes. */
roof_status rf_scaling_problem(const rf_scaling_kernel *kernel, const char *const *words, int count,
                               double *values, roof_error *error);

/** 1, 2, 4 ... and `most`, in `ranks` (RF_SCALING_POINTS); returns how many.
 *  Units: ranks. Ownership: none. Errors: the list ends where it is full. */
int rf_scaling_counts(int most, int *ranks);

/** Shares a problem out; in weak scaling `values` is what one rank alone has.
 *  Units: FLOP, bytes. Ownership: writes *part on success only.
 *  Errors: ROOF_E_ARGUMENT where a parameter cannot be shared out evenly, naming the nearest that can. */
roof_status rf_scaling_share(const rf_scaling_kernel *kernel, const double *values, int ranks, bool weak,
                             rf_scaling_part *part, roof_error *error);

/** Where the ranks of a point are. */
typedef struct rf_scaling_place {
  int nodes;
  int most;                   /**< ranks of the fullest node */
  int cores;                  /**< that these may use there */
  roof_distance distance;     /**< the farthest between two of them */
  const roof_alpha_beta *fit; /**< of that distance; NULL for one rank, and of a study that was read */
} rf_scaling_place;

/** One number of ranks: predicted, and measured. NaN: not yet. */
typedef struct rf_scaling_point {
  rf_scaling_part part;
  rf_scaling_place place;
  struct {
    double seconds, low, high; /**< of a step, with the band of the computation */
    double compute_seconds, network_seconds;
    double lower_seconds; /**< no implementation is faster: the longer of both, computation at its ceilings */
    roof_regime regime;   /**< of the longer of both */
    char binding[ROOF_NAME_MAX]; /**< "DRAM", "fp64 vector", "network" */
  } predicted;
  struct {
    double seconds, low, high; /**< median of the steps and their quartiles; the slowest rank counts */
    double
        network_seconds; /**< of `seconds` in MPI: the mean of the ranks, waiting included; the median of the steps' shares */
    int steps;
    char verdict[24]; /**< as reconcile judges it; "": it does not */
  } measured;
} rf_scaling_point;

/** Predicts a step on `machine`, of which the ranks of a node share the cores and the memory; more ranks than cores take turns.
 *  Units: s. Ownership: fills point->predicted, the measured figures NaN; `machine` stays. Errors: ROOF_E_MEMORY; as roof_target_init. */
roof_status rf_scaling_predict(const rf_scaling_kernel *kernel, const roof_machine *machine,
                               rf_scaling_point *point, roof_error *error);

/** Times as much work in the same time as the first point: FLOPs count, so that it holds for weak scaling too (Gustafson's scaled
 * speed-up). `seconds` of a point are those of `first`'s kind.
 *  Units: times. Ownership: none. Errors: NaN. */
double rf_scaling_speedup(const rf_scaling_point *first, double first_seconds, const rf_scaling_point *point,
                          double seconds);

/** The median of the steps' shares that were spent in MPI. The mean of those times may be more than the median step takes, where
 * a rank waited for long a few times.
 *  Units: s, a share. Ownership: both arrays stay; `count` at most RF_SCALING_STEPS. Errors: NaN without steps. */
double rf_scaling_network_share(const double *seconds, const double *network, int count);

/** Messages at a distance, as measured in the job. NaN: messages took no longer the larger they were, for too few were measured, or the
 * ranks did not all have a core. */
typedef struct rf_scaling_link {
  roof_distance distance;
  double latency_seconds, bytes_per_second;
} rf_scaling_link;

/** A study, as rank 0 has it, or as it was read. */
typedef struct rf_scaling_study {
  const rf_scaling_kernel *kernel;
  bool weak;
  double values[ROOF_PARAM_MAX]; /**< as asked */
  char machine[ROOF_NAME_MAX];   /**< whose ceilings it is predicted by, */
  char machine_title[96];        /**< what processor that is, */
  char machine_date[16];         /**< and when they were measured; "": they were not */
  char launcher[64];
  char library[ROOF_FABRIC_NAME];
  rf_scaling_link links[ROOF_DISTANCE_COUNT]; /**< nearest first */
  int link_count;
  rf_scaling_point points[RF_SCALING_POINTS];
  int count;
  int measured; /**< of them */
} rf_scaling_study;

/** The answer in a sentence: the efficiency of all ranks, measured and predicted, and what binds.
 *  Units: as printed. Ownership: appends to `out`. Errors: out->failed. */
void rf_scaling_sentence(const rf_scaling_study *study, roof_text *out);

/** Appends the study as a roofline.scaling/1 document.
 *  Units: SI. Ownership: appends to `out`. Errors: ROOF_E_MEMORY. */
roof_status rf_scaling_write(const rf_scaling_study *study, roof_text *out, roof_error *error);

/** Reads such a document. Speed-ups and efficiencies are computed anew.
 *  Units: SI. Ownership: fills *study on success only; `text` is not kept. `file` is for messages.
 *  Errors: ROOF_E_PARSE with file, line and column; ROOF_E_MEMORY. */
roof_status rf_scaling_read(const char *text, size_t length, const char *file, rf_scaling_study *study,
                            roof_error *error);

/** Whether a file says that it is such a document. */
bool rf_scaling_is_file(const char *path);

/** The same of a file.
 *  Units: SI. Ownership: as rf_scaling_read. Errors: as rf_scaling_read; ROOF_E_INPUT. */
roof_status rf_scaling_load(const char *path, rf_scaling_study *study, roof_error *error);

/** The communication roofline: FLOP/s of a rank over the FLOPs for each byte sent, each link a ramp, with a dot for each number of ranks,
 * hollow as predicted.
 *  Units: FLOP/byte, FLOP/s. Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where one rank alone ran, which sends nothing. */
roof_status rf_scaling_chart(const rf_scaling_study *study, roof_curves *chart, roof_error *error);

#endif
