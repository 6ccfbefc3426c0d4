/** The forms of expected times: one function a kind of kernel, from the times at the ceilings and the kernel's shape. */
#ifndef CORE_FORM_H
#define CORE_FORM_H

#include <math.h>

#include "core/power.h"
#include "roofline/predict.h"

/** What a form starts from. Unknown times are 0. */
typedef struct rf_run {
  const roof_target *target;
  const roof_work *work;
  double compute;        /**< s at the peak */
  double memory;         /**< s at the bandwidth of the level that binds */
  bool cached;           /**< that level is inside the memory */
  const roof_link *link; /**< NULL: none is known */
  const double *c;       /**< constants, neutral where an effect is left out */
  unsigned without;
} rf_run;

/** How a kernel is cut into parts; 0 where a form does not cut. */
typedef struct rf_cut {
  const char *what; /**< the parts: "tiles of queries"; NULL: "parts" */
  double tile_rows, tile_columns, tiles, split, waves;
  double drawing; /**< of the tiles, those that draw what others find in a cache then; 0: all */
  double rate;    /**< share of a link's that one rank has, or its switch reaches */
  double added;   /**< bytes through a switch that adds them up, 0: none does */
  bool passes;    /**< by the algorithm in passes */
} rf_cut;

/** Seconds without the latency of a launch. Keeps to *cut where it has tiles already, and else fills it. */
typedef double rf_form(const rf_run *run, rf_cut *cut);

rf_form rf_form_stream, rf_form_product, rf_form_decode, rf_form_prefill, rf_form_experts, rf_form_collective;

/** That of streams and products where each core keeps its part of the data. */
rf_form rf_form_processor;

static inline bool rf_without(const rf_run *run, roof_effect effect) {
  return (run->without & 1u << effect) != 0;
}

/** Whether the arithmetic is on vector lanes, which fill up no tiles of a matrix unit. */
static inline bool rf_is_on_lanes(const rf_run *run) {
  const roof_peak *peak = run->target->peak[run->work->unit];
  return peak != NULL && peak->unit == ROOF_VECTOR;
}

/** Two times that hide each other in part: the longer for a large exponent, the sum for 1. */
static inline double rf_corner(double a, double b, double exponent) {
  double longer = a > b ? a : b, shorter = a > b ? b : a;
  if (exponent > 64 || shorter <= 0) {
    return longer;
  }
  double more = rf_power(shorter / longer, exponent);
  return longer * (more < 1e-8 ? 1 + more / exponent : rf_power(1 + more, 1 / exponent));
}

/** rf_corner with an exponent of 3: the longer time and part of the shorter, as libraries hide one behind the other. */
static inline double rf_rounded(double a, double b) {
  double longer = a > b ? a : b, share = (a > b ? b : a) / longer;
  return longer > 0 ? longer * rf_cube_root(1 + share * share * share) : 0;
}

/** Share of what the last cache kept from the run before, from 1 to 0 as the bytes between pass half of it. */
static inline double rf_kept_of(const rf_run *run, double bytes) {
  double cache = run->target->cache_bytes;
  if (cache <= 0 || run->target->options.cold) {
    return 0;
  }
  double full = 2 * bytes / cache;
  return 1 / (1 + full * full * full);
}

/** The same of what the work moves: nothing is kept of what other kernels have displaced since. */
static inline double rf_kept(const rf_run *run) {
  const roof_work *work = run->work;
  double moved = work->read_bytes + work->write_bytes, fresh = work->fresh_bytes;
  return rf_kept_of(run, work->working_set) * (fresh > 0 ? 1 - fresh / moved : 1);
}

/** Bytes that the last cache hands a unit in a clock, where no constant says it (NVIDIA, A100 whitepaper: 5120 for all of them). */
enum { RF_PORT_BYTES = 64 };

/** The time at the memory as a long stream of the kernel takes it. */
static inline double rf_stream_seconds(const rf_run *run) {
  double gain = run->c[ROOF_CACHE_GAIN];
  return run->memory / run->c[ROOF_BANDWIDTH] / (gain > 1 ? 1 + (gain - 1) * rf_kept(run) : 1);
}

/** The kind of kernel that the target's framework runs for attention of that shape; other kinds as they are. */
roof_kernel_kind rf_attention_kind(const roof_target *target, const roof_kernel_shape *shape);

/** Share of the peak that attention of such a shape reaches, where its constants say `own`: single queries seldom show what arithmetic
 * reaches, so that of several reaches what the family's prompts do. */
double rf_decode_efficiency(const roof_target *target, const roof_kernel_shape *shape, double own);

/** Whether a prompt after a cached prefix has so few queries that libraries may run it as the kind before its own, its keys
 * shared out among the units (Dao-AILab/flash-attention, num_splits_heuristic: where tiles of queries do not fill them). */
bool rf_attention_splits(const roof_target *target, const roof_kernel_shape *shape);

/** Seconds that a transfer takes at the link's bandwidth and latency; an unknown one counts as none. */
double rf_link_seconds(const roof_link *link, const roof_work *work);

/** Seconds to expect of one of the messages that wait for one another; NaN: not known. */
double rf_message_seconds(const roof_target *target, const roof_link *link);

/** Seconds of all messages of a collective that wait for one another, `each` with the constants; their count too. */
double rf_messages_seconds(const roof_link *link, const roof_work *work, double each, bool waves,
                           double *count);

/** What a kernel waits whatever its size: for its launch, for sums after the first, and for messages. */
double rf_latency_seconds(const roof_target *target, const roof_prediction *p);

/** Seconds that a framework's host with these constants takes to launch the work, one kernel at a time; 0 where it does not. */
double rf_launching_seconds(const double *constants, const roof_work *work);

/** The same with the constants of a target. */
static inline double rf_launching_of(const roof_target *target, const roof_work *work) {
  return rf_launching_seconds(target->forms[work->kernel.kind].values, work);
}

/** How the constants of a target's machine change the expected time; `cut` may be NULL, or full of zeros. */
double rf_form_seconds(const roof_target *target, const roof_prediction *p, const double *constants,
                       unsigned without, rf_cut *cut);

/** The name, as constants have it, of the framework that `text` names in whatever case: one of the catalogue's, or of the
 *  machine's own constants. Lasts as long as the machine; ROOF_E_NAME with the nearest. */
roof_status rf_framework_find(const roof_machine *machine, const char *text, const char **name,
                              roof_error *error);

/** Takes the constants of the machine for the target's formats, neutral where an effect is left out. */
void rf_forms_resolve(roof_target *target);

#endif
