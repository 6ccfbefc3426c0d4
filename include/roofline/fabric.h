/** The network of a cluster as it was measured between ranks: how long messages take by size and distance, fitted; which node is
 *  slower than the others; collectives next to what the fit had predicted of them.
 *
 *  Example:
 *    extern const roof_fabric *fabric; // of a cluster file
 *    const roof_distance_fit *far = roof_fabric_farthest(fabric);
 *    if (far != NULL) {
 *      printf("1 MB in %g s\n", roof_message_seconds(&far->fit, 1e6));
 *    } */
#ifndef ROOFLINE_FABRIC_H
#define ROOFLINE_FABRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/draw.h"
#include "roofline/status.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How far two ranks are apart, by the innermost that they share: X(symbol, name). */
#define ROOF_DISTANCE_MAP(X)                                                                                 \
  X(CORE, "core")                                                                                            \
  X(SOCKET, "socket")                                                                                        \
  X(NODE, "node")                                                                                            \
  X(SWITCH, "switch")                                                                                        \
  X(NETWORK, "network")

typedef enum roof_distance {
#define X(symbol, name) ROOF_DISTANCE_##symbol,
  ROOF_DISTANCE_MAP(X)
#undef X
      ROOF_DISTANCE_COUNT
} roof_distance;

/** A difference between nodes, or of a node between two runs, that no one would mend, as a share. */
#define ROOF_FABRIC_NEGLIGIBLE 0.1

#define ROOF_FABRIC_SIZES 32
#define ROOF_FABRIC_NAME 65
#define ROOF_PROTOCOLS 2

/** A figure with its 95 % interval, by bootstrap over the samples of each size; NaN where a size has under 5 samples. */
typedef struct roof_estimate {
  double value, low, high;
} roof_estimate;

/** Messages of `from_bytes` to `to_bytes` take alpha s, and beta s per byte. */
typedef struct roof_protocol {
  double from_bytes, to_bytes;
  roof_estimate alpha, beta;
} roof_protocol;

/** One protocol, or two: eager below of[1].from_bytes, rendezvous from there (Hockney 1994). */
typedef struct roof_alpha_beta {
  roof_protocol of[ROOF_PROTOCOLS];
  int count;
  double
      error; /**< median of the sizes' relative distances from the fit, which is of their 10th percentiles */
} roof_alpha_beta;

/** L, o, g in s, G in s per byte (Alexandrov et al. 1995). */
typedef struct roof_loggp {
  roof_estimate latency, overhead, gap, gap_per_byte;
} roof_loggp;

/** Messages of one size; what was not measured is NaN. */
typedef struct roof_message_time {
  double bytes;
  double seconds;                   /**< one way, half of a round trip: the median, */
  double seconds_low, seconds_high; /**< and the quartiles */
  double windowed_seconds;          /**< each of a window of messages in flight */
  double overlap;                   /**< share of a transfer that hides behind as long a computation */
} roof_message_time;

/** Two ranks at a distance, alone on the network. */
typedef struct roof_distance_fit {
  roof_distance distance;
  int ranks[2];
  char nodes[2][ROOF_FABRIC_NAME];
  roof_message_time times[ROOF_FABRIC_SIZES];
  int time_count;
  roof_alpha_beta fit;
  roof_loggp loggp;           /**< all NaN where it was not measured */
  double messages_per_second; /**< of the smallest */
} roof_distance_fit;

/** A node (of a single one: a rank) against all others: medians over its pairs while all have one each. */
typedef struct roof_fabric_node {
  char name[ROOF_FABRIC_NAME];
  int rank;
  double latency_seconds, bytes_per_second;
  double latency_z,
      bandwidth_z; /**< robust z-scores, worse is positive: distance from the median of all, in 1.4826 MAD */
  bool slow;       /**< beyond 3.5 (Iglewicz and Hoaglin 1993) and by a tenth at least, or half as good */
} roof_fabric_node;

/** The clock of a node against that of rank 0: remote = local + offset + drift * (local - at), by the exchanges that took least, as in
 *  Cristian 1989; intervals hold whatever part of a round trip went which way. */
typedef struct roof_clock {
  double at;            /**< s, local time that the offset is of */
  roof_estimate offset; /**< s */
  roof_estimate drift;  /**< s per s; NaN where the exchanges were too near one another */
} roof_clock;

#define ROOF_CURVES 4

/** A collective at one size: as it ran, and as each algorithm was predicted to, sealed before. NaN: no such curve. */
typedef struct roof_collective_time {
  double bytes; /**< of the whole buffer, as the operation's `size` */
  double seconds, seconds_low, seconds_high;
  double predicted[ROOF_CURVES]; /**< by the algorithms of the collective, in their order */
  int expected;                  /**< which of them was predicted to be the fastest */
  int follows;                   /**< which is nearest to what was measured */
} roof_collective_time;

typedef struct roof_collective_curve {
  char op[24];
  char algorithms[ROOF_CURVES][32];
  int algorithm_count;
  int ranks;
  roof_collective_time times[ROOF_FABRIC_SIZES];
  int time_count;
} roof_collective_curve;

#define ROOF_COLLECTIVES 6

typedef struct roof_fabric {
  char library
      [ROOF_FABRIC_NAME]; /**< "Open MPI v4.1.4"; between GPUs "NCCL 2.18.3 on NVIDIA H100 80GB HBM3" */
  int ranks;
  roof_distance_fit distances[ROOF_DISTANCE_COUNT]; /**< those that the job has, nearest first */
  int distance_count;
  roof_fabric_node *nodes;
  int node_count;
  double
      bisection_bytes_per_second; /**< half of the ranks to the other half at once, one way; NaN: under two */
  int bisection_pairs;
  roof_collective_curve collectives[ROOF_COLLECTIVES];
  int collective_count;
  struct roof_fabric *gpus; /**< the same between GPUs, a rank each, whose own is NULL; NULL: not measured */
} roof_fabric;

/** "socket": the innermost that two ranks share; "network": none is known.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_distance_name(roof_distance distance);

/** Time of a message by the fit, by the protocol of its size.
 *  Units: s, bytes.
 *  Ownership: none.
 *  Errors: NaN without a fit. */
ROOF_API double roof_message_seconds(const roof_alpha_beta *fit, double bytes);

/** The distance that is farthest: what parallel plans over all ranks wait for.
 *  Units: none.
 *  Ownership: points into the network.
 *  Errors: NULL where nothing was measured. */
ROOF_API const roof_distance_fit *roof_fabric_farthest(const roof_fabric *fabric);

/** Finds the nodes that are slower than the others, of three and more: fills the scores.
 *  Units: none.
 *  Ownership: changes the nodes in place.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_fabric_judge(roof_fabric *fabric, roof_error *error);

/** Appends the network as a JSON object: the value of `network` in a roofline.nodes/1 document.
 *  Units: SI.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_fabric_write(const roof_fabric *fabric, roof_text *out, roof_error *error);

/** Reads that value; which nodes are slow is judged anew. `file` is for messages.
 *  Units: SI.
 *  Ownership: fills *fabric on success only, release with roof_fabric_done; `text` is not kept.
 *  Errors: ROOF_E_PARSE with the file; ROOF_E_MEMORY. */
ROOF_API roof_status roof_fabric_read(const char *text, size_t length, const char *file, roof_fabric *fabric,
                                      roof_error *error);

/** Appends the answer in one sentence: latency and bandwidth of the farthest distance, which nodes are slow.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_fabric_sentence(const roof_fabric *fabric, roof_text *out);

/** Latency and bandwidth over the size of a message: as measured a line for each distance, and as fitted.
 *  Units: bytes, s, bytes/s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT where nothing was measured. */
ROOF_API roof_status roof_fabric_chart(const roof_fabric *fabric, roof_curves *chart, roof_error *error);

/** Frees the nodes, and the part between GPUs.
 *  Units: none.
 *  Ownership: releases; *fabric is empty after it.
 *  Errors: none. */
ROOF_API void roof_fabric_done(roof_fabric *fabric);

#ifdef __cplusplus
}
#endif
#endif
