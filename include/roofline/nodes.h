/** The nodes of a cluster, measured in one run: the ceilings of each, how they are distributed, which nodes stand out, and
 *  what has changed since an earlier run.
 *
 *  Example:
 *    roof_nodes *nodes;
 *    if (roof_nodes_load("cluster.json", &nodes, NULL) == ROOF_OK) {
 *      for (size_t i = 0; i < nodes->outlier_count; i++) {
 *        printf("%s: %s\n", nodes->list[nodes->outliers[i].node].name, nodes->outliers[i].evidence);
 *      }
 *      roof_nodes_free(nodes);
 *    } */
#ifndef ROOFLINE_NODES_H
#define ROOFLINE_NODES_H

#include <stddef.h>

#include "roofline/changes.h"
#include "roofline/draw.h"
#include "roofline/machine.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_NODES_CEILINGS 256 /* of all nodes together */
#define ROOF_NODE_NAME_MAX 72

/** A node stands out when a ceiling of it is under the median of all nodes by so many deviations (Iglewicz and Hoaglin,
 *  How to Detect and Handle Outliers, 1993), and by the share that two runs on a quiet machine differ by. */
#define ROOF_NODES_SCORE 3.5

/** The fewest nodes among which one can stand out: of two, either could be the odd one. */
#define ROOF_NODES_LEAST 3

/** A figure of a node: the value of one ceiling and its relative spread, NaN where there is none. */
typedef struct roof_node_figure {
  double value;
  double spread;
} roof_node_figure;

/** A node. Numbers that are not known are NaN, words "". */
typedef struct roof_node {
  char name[ROOF_NODE_NAME_MAX];
  char title[96];     /**< of its processor */
  char system[64];    /**< its kernel's release */
  char microcode[32]; /**< of its processor */
  char governor[32];  /**< of the clock; several: "performance, powersave" */
  char bound[96];     /**< how the launcher bound its ranks */
  char domains[96];   /**< how several domains of memory were read: "4 at once, by a rank each" */
  char noise[96];     /**< what disturbed it while it was measured */
  char absent[256];   /**< why it has no figures, "" where it has */
  double ranks;
  double cores; /**< that were measured together */
  double gpus;
  double memory_bytes;
  double clock_hz;        /**< under load */
  double throttle_events; /**< times the clock was lowered for heat while it was measured */
  double seconds;         /**< that measuring it took */
  roof_node_figure *figures;
  size_t count; /**< of its figures: those of further ceilings are not known */
} roof_node;

/** One ceiling over all nodes. Numbers are NaN where no node has it. */
typedef struct roof_nodes_ceiling {
  char name[144]; /**< "DRAM read", "gpu0 fp16 matrix" */
  char unit[16];  /**< "B/s", "FLOP/s", "s" */
  size_t count;   /**< nodes that have it */
  double median;
  double
      deviation; /**< 1.4826 times the median distance from the median: the standard deviation of a normal curve; NaN of one node */
  double low, high; /**< of the slowest and the fastest node */
  size_t slowest;   /**< that node */
} roof_nodes_ceiling;

/** Why a node stands out: X(symbol, name, what to do). */
#define ROOF_OUTLIER_MAP(X)                                                                                  \
  X(ABSENT, "no answer", "see why it did not answer, then measure again")                                    \
  X(GPU, "missing GPU", "nvidia-smi and the kernel's log on that node; reseat or replace it")                \
  X(CORES, "missing cores", "compare BIOS, SMT and what the job was given of that node")                     \
  X(CAPACITY, "missing memory", "dmidecode -t memory on that node: a module is out or not seen")             \
  X(GOVERNOR, "other governor", "cpupower frequency-set -g performance on that node")                        \
  X(THROTTLED, "throttled", "its cooling and power: the processor lowered its clock for heat")               \
  X(MEMORY, "slow memory", "dmidecode -t memory and the memory's errors: a slow, missing or failing module") \
  X(DOMAIN, "slow memory domain",                                                                            \
    "dmidecode -t memory and the errors of that domain's modules: one is slow or missing")                   \
  X(DEVICE, "slow GPU", "nvidia-smi -q -d CLOCK,PERFORMANCE,ECC on that node")                               \
  X(NODE, "slow node", "compare BIOS, power limit and what else runs on that node")                          \
  X(NETWORK, "slow network", "ibstat or ethtool on that node: the rate and errors of its link")              \
  X(CEILING, "slow ceiling", "measure that node alone: roofline measure")

typedef enum roof_outlier_kind {
#define X(symbol, name, action) ROOF_OUTLIER_##symbol,
  ROOF_OUTLIER_MAP(X)
#undef X
      ROOF_OUTLIER_KIND_COUNT
} roof_outlier_kind;

typedef struct roof_outlier {
  roof_outlier_kind kind;
  size_t node;
  int ceiling;        /**< the one farthest from the median, -1: none */
  double score;       /**< how many deviations it is from the median; NaN: no ceiling */
  char evidence[256]; /**< "DRAM read 71.2 GB/s, 30 % under the median of 101 GB/s (20 deviations); ..." */
} roof_outlier;

/** Nodes of one run. */
typedef struct roof_nodes {
  char version[32]; /**< of the command */
  char date[32];    /**< ISO 8601 */
  char launcher[64];
  char mpi[128];
  char incomplete[512]; /**< why the run ended early, "": it did not */
  double ranks;
  roof_nodes_ceiling *ceilings; /**< ROOF_NODES_CEILINGS at most, in the order of the nodes' */
  size_t ceiling_count;
  roof_node *list;
  size_t count;
  roof_outlier *outliers; /**< by node */
  size_t outlier_count;
  char *network; /**< the JSON value of the key `network`, or NULL */
} roof_nodes;

/** An empty cluster.
 *  Units: none.
 *  Ownership: the caller's, release with roof_nodes_free.
 *  Errors: NULL when out of memory. */
ROOF_API roof_nodes *roof_nodes_new(void);

/** Frees it; NULL is none.
 *  Units: none.
 *  Ownership: releases `nodes` and all it points to.
 *  Errors: none. */
ROOF_API void roof_nodes_free(roof_nodes *nodes);

/** Reads a roofline.nodes/1 document node by node; distribution and findings are computed anew.
 *  Units: SI.
 *  Ownership: fills *nodes on success only, release with roof_nodes_free; `text` is not kept.
 *  Errors: ROOF_E_PARSE with file, line and column; ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_read(const char *text, size_t length, const char *file, roof_nodes **nodes,
                                     roof_error *error);

/** Reads a file of any size.
 *  Units: SI.
 *  Ownership: as roof_nodes_read.
 *  Errors: as roof_nodes_read; ROOF_E_INPUT. */
ROOF_API roof_status roof_nodes_load(const char *path, roof_nodes **nodes, roof_error *error);

/** Appends the document, a line per node.
 *  Units: SI.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_write(const roof_nodes *nodes, roof_text *out, roof_error *error);

/** Adds a node from its line of the document.
 *  Units: SI.
 *  Ownership: `text` is not kept.
 *  Errors: ROOF_E_PARSE with line and column in `text`, for more ceilings than ROOF_NODES_CEILINGS too; ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_add(roof_nodes *nodes, const char *text, size_t length, roof_error *error);

/** Computes the distribution of each ceiling over the nodes and finds the nodes that stand out.
 *  Units: SI.
 *  Ownership: fills the ceilings and the findings of `nodes`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_judge(roof_nodes *nodes, roof_error *error);

/** The figure of a node at a ceiling.
 *  Units: the ceiling's.
 *  Ownership: by value.
 *  Errors: NaN where it has none. */
ROOF_API roof_node_figure roof_nodes_figure(const roof_nodes *nodes, size_t node, size_t ceiling);

/** X(symbol, gpu, unit, what): what a step may be bound by. */
#define ROOF_PACE_MAP(X)                                                                                     \
  X(ROOF_PACE_COMPUTE, false, "FLOP/s", "computing")                                                         \
  X(ROOF_PACE_MEMORY, false, "B/s", "memory")                                                                \
  X(ROOF_PACE_GPU_COMPUTE, true, "FLOP/s", "computing on GPUs")                                              \
  X(ROOF_PACE_GPU_MEMORY, true, "B/s", "memory of GPUs")

typedef enum roof_pace {
#define ROOF_PACE_ENUM(symbol, gpu, unit, what) symbol,
  ROOF_PACE_MAP(ROOF_PACE_ENUM)
#undef ROOF_PACE_ENUM
      ROOF_PACE_COUNT
} roof_pace;

/** "computing", "memory", "computing on GPUs" or "memory of GPUs".
 *  Units: none.
 *  Ownership: static.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_pace_name(roof_pace pace);

/** The pace of a step that waits for all nodes, as a share of that of the median node: the slowest of each peak of any format, or
 *  of each bandwidth of memory, the least of all. Of a ceiling that one node alone has there is none.
 *  Units: 1: as fast as the median.
 *  Ownership: writes *slowest (nullable), the node; untouched where there is none.
 *  Errors: NaN where no two nodes have such a ceiling. */
ROOF_API double roof_nodes_pace(const roof_nodes *nodes, roof_pace pace, size_t *slowest);

/** "slow memory".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_outlier_name(roof_outlier_kind kind);

/** What to do about it.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_outlier_action(roof_outlier_kind kind);

/** Appends the answer in one sentence: how many nodes, which stand out.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_nodes_sentence(const roof_nodes *nodes, roof_text *out);

/** The chart of the ceilings whose slowest nodes are farthest from the median: the share of the median that each share of the
 *  nodes stays under, and the nodes that stand out.
 *  Units: shares of 1.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where no ceiling was measured on two nodes; ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_chart(const roof_nodes *nodes, roof_curves *chart, roof_error *error);

/** What became of what was expected of a node: X(symbol, name). */
#define ROOF_NODE_VERDICT_MAP(X)                                                                             \
  X(SAME, "same within noise")                                                                               \
  X(FELL, "fell")                                                                                            \
  X(ROSE, "rose")                                                                                            \
  X(CHANGED, "changed")                                                                                      \
  X(MISSING, "missing")                                                                                      \
  X(NEW, "new")

typedef enum roof_node_verdict {
#define X(symbol, name) ROOF_NODE_##symbol,
  ROOF_NODE_VERDICT_MAP(X)
#undef X
      ROOF_NODE_VERDICT_COUNT
} roof_node_verdict;

/** A figure of a node that was expected, measured, or both. */
typedef struct roof_node_change {
  char node[ROOF_NODE_NAME_MAX];
  char figure[144]; /**< "DRAM read", "governor", "node" */
  char unit[16];    /**< "" for words and counts */
  double expected;
  double measured;
  double ratio; /**< measured / expected; NaN for words */
  double noise; /**< share that it varies by without a change, or the tolerance */
  char was[96]; /**< of words; "" for numbers */
  char is[96];
  roof_node_verdict verdict;
} roof_node_change;

/** What differs from what was expected; what is the same within noise is counted alone. */
typedef struct roof_nodes_changes {
  roof_node_change *list; /**< by node, in the order of what was measured */
  size_t count;
  size_t fallen;                          /**< nodes with a figure that fell or is missing */
  size_t counts[ROOF_NODE_VERDICT_COUNT]; /**< of figures */
} roof_nodes_changes;

/** "fell".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_node_verdict_name(roof_node_verdict verdict);

/** Sets the nodes of one run against those of an earlier one, by name.
 *  Units: as each figure says.
 *  Ownership: fills *changes on success only, release with roof_nodes_changes_done; points to neither run.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_compare(const roof_nodes *expected, const roof_nodes *measured,
                                        roof_nodes_changes *changes, roof_error *error);

/** Sets each node against one machine, a datasheet or a measured one: a figure fell that is under it by more than
 *  `tolerance` (0.1: a tenth). A ceiling that the machine has under the same name is compared with that one; else the best of
 *  a format and unit with the peak, and the best of a level with its bandwidth. A machine of class `gpu` is compared with
 *  each GPU of a node, any other with its processors.
 *  Units: as each figure says.
 *  Ownership: as roof_nodes_compare.
 *  Errors: ROOF_E_ARGUMENT where the machine has no figure that a node was measured for; ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_expect(const roof_machine *expected, double tolerance,
                                       const roof_nodes *measured, roof_nodes_changes *changes,
                                       roof_error *error);

/** Appends the answer in one sentence.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_nodes_changes_sentence(const roof_nodes_changes *changes, roof_text *out);

/** Appends them as one roofline.nodes_change/1 object.
 *  Units: as each figure says.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_nodes_changes_write(const roof_nodes_changes *changes, roof_text *out,
                                              roof_error *error);

/** Frees changes.
 *  Units: none.
 *  Ownership: releases what was filled.
 *  Errors: none. */
ROOF_API void roof_nodes_changes_done(roof_nodes_changes *changes);

#ifdef __cplusplus
}
#endif
#endif
