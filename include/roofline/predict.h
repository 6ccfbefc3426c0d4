/** From work and a machine to times, bounds and the ceiling that limits it.
 *
 *  Example:
 *    const roof_op *gemm;
 *    double values[ROOF_PARAM_MAX];
 *    roof_prediction p;
 *    extern const roof_target *target; // by roof_target_init
 *    if (roof_op_find("gemm", &gemm, NULL) == ROOF_OK &&
 *        roof_shape_values(gemm, "m=8192 n=28672 k=8192", values, NULL) == ROOF_OK) {
 *      roof_predict(target, gemm, values, &p);
 *      printf("%g s, %s\n", p.expected_seconds, roof_regime_name(p.regime));
 *    } */
#ifndef ROOFLINE_PREDICT_H
#define ROOFLINE_PREDICT_H

#include <stddef.h>

#include "roofline/op.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name) */
#define ROOF_REGIME_MAP(X)                                                                                   \
  X(ROOF_COMPUTE_BOUND, "compute")                                                                           \
  X(ROOF_MEMORY_BOUND, "memory")                                                                             \
  X(ROOF_OVERHEAD_BOUND, "overhead")                                                                         \
  X(ROOF_NETWORK_BOUND, "network")                                                                           \
  X(ROOF_CAPACITY_BOUND, "capacity")

typedef enum roof_regime {
#define ROOF_REGIME_ENUM(symbol, name) symbol,
  ROOF_REGIME_MAP(ROOF_REGIME_ENUM)
#undef ROOF_REGIME_ENUM
      ROOF_REGIME_COUNT
} roof_regime;

/** All effects, as a mask. */
#define ROOF_EFFECTS_ALL ((1u << ROOF_EFFECT_COUNT) - 1)

/** Of a launch cost that is assumed, or measured of an accelerator's launches one after another, what the lower bound counts:
 *  kernels replayed as a graph took 0.7 times the assumed 2 us or more (ai-dynamo/aiconfigurator@095f58a), and a bound stays
 *  well under that. */
#define ROOF_ASSUMED_LEAST 0.25

/** The framework of kernels that a host launches one at a time, as PyTorch does. */
#define ROOF_EAGER "eager"

/** What a prediction may assume. Start from roof_options_default(). */
typedef struct roof_options {
  double efficiency; /**< expected share of a bound that is not measured where no effects are known, 0.78 */
  double efficiency_low;  /**< pessimistic share, 0.65 */
  double efficiency_high; /**< optimistic share, 0.85 */
  double overlap;         /**< 1: terms hide each other fully (max), 0: not at all (sum) */
  double overhead_cutoff; /**< s; NaN: `launch` if given, else twice the latency, the machine's, 8 us */
  double launch;          /**< s per launch; NaN: the machine's */
  double tile;            /**< elements on a side of a square tile, 0: none */
  bool sparse;            /**< use the sparse peak */
  bool achieved;          /**< use measured figures where the machine has both */
  bool cold;              /**< no data in a cache from a run before */
  unsigned without; /**< effects left out, 1 << roof_effect each; ROOF_EFFECTS_ALL: `efficiency` instead */
  bool warm;        /**< data already sits in the innermost level that holds the working set */
  int unit;         /**< roof_unit to force, or -1: the operation's own */
  const char *link; /**< link name, NULL: the first that joins the ranks */
  const char *framework; /**< whose kernels: "vllm", ROOF_EAGER, of the constants; NULL: any, in a graph */
} roof_options;

/** Joules as the predictions use them: energy = FLOPs x joules + bytes x joules + constant power x time
 *  (Choi, Bedard, Fowler and Vuduc, A Roofline Model of Energy, IPDPS 2013). All NaN where nothing is
 *  known. */
typedef struct roof_energy_costs {
  double joules_per_flop[ROOF_UNIT_COUNT];
  double joules_per_byte[ROOF_LEVEL_KIND_COUNT]; /**< that the level supplies; 0: not known separately */
  double constant_watts; /**< drawn whatever is done; 0 where the machine does not say */
  bool inner;            /**< a level inside the memory has a cost of its own */
  bool power_only;       /**< the machine says its power alone, which is taken as drawn all the time */
} roof_energy_costs;

/** The constants of one kind of kernel as its form takes them: neutral where an effect is left out. */
typedef struct roof_form {
  bool known;
  double values[ROOF_CONSTANT_COUNT];
} roof_form;

/** A machine, formats and options resolved once, for many predictions. Points into the machine: keep it
 *  alive. */
typedef struct roof_target {
  const roof_machine *machine;
  roof_types types;
  roof_options options;
  const roof_peak *peak[ROOF_UNIT_COUNT]; /**< NULL: unknown */
  double seconds_per_flop[ROOF_UNIT_COUNT];
  const roof_level *level[ROOF_LEVEL_KIND_COUNT]; /**< NULL: the machine has none or no bandwidth */
  double seconds_per_byte[ROOF_LEVEL_KIND_COUNT][ROOF_MIX_COUNT]; /**< roof_level_costs */
  roof_level_kind memory;                                         /**< outermost level with a bandwidth */
  const roof_link *link; /**< of two devices (roof_target_link of more); NULL: none is known */
  double launch_seconds;
  double
      least_launch_seconds; /**< what of it the lower bound counts: a part of an accelerator's, and of one only assumed */
  double
      cache_arithmetic; /**< time of FLOPs on stored keys in their own format, over that in `types.compute` */
  double overhead_cutoff;
  double capacity; /**< bytes of the outermost level, all instances */
  bool parts_stay; /**< each core finds in its own caches what it had last time: not on accelerators */
  roof_energy_costs costs;
  roof_form forms[ROOF_KERNEL_KIND_COUNT];
  double units;       /**< SMs, CUs or cores */
  double cache_bytes; /**< of the last cache, all instances; 0: unknown */
  double cache_seconds_per_byte;
} roof_target;

/** Where a square tile of the options' side sits. */
typedef struct roof_tile_fit {
  const roof_level *keeps;     /**< the innermost level whose one instance holds it; NULL: none, or no tile */
  const roof_level *too_small; /**< the outermost level inside that, which keeps a smaller one; NULL: none */
  double largest;              /**< side of that smaller tile */
} roof_tile_fit;

/** One level's part of a prediction. NaN where the machine lacks the figure. */
typedef struct roof_level_time {
  const roof_level *level;
  double bytes;
  double intensity; /**< FLOP/byte */
  double ridge;     /**< FLOP/byte */
  double seconds;
} roof_level_time;

typedef struct roof_prediction {
  roof_work work;
  double bytes;      /**< compulsory, read + written, at the outermost level */
  double intensity;  /**< FLOP/byte at the outermost level, NaN without bytes */
  double ridge;      /**< peak / bandwidth of the outermost level */
  double attainable; /**< FLOP/s: min(peak, bandwidth x intensity) over the levels */
  roof_regime regime;
  const roof_peak *peak;     /**< NULL when unknown */
  const roof_level *binding; /**< the level that gives the memory time, NULL when none */
  const roof_link *link;     /**< the link that gives the network time, NULL when none is known */
  double compute_seconds;
  double memory_seconds;
  double overhead_seconds; /**< launches x launch cost; NaN when the cost is unknown */
  double network_seconds;
  double lower_seconds;
  double upper_seconds;
  double expected_seconds;
  double expected_low_seconds;
  double expected_high_seconds;
  double energy_joules; /**< of the expected time; energy.h has its terms and bounds */
  roof_level_time levels[ROOF_LEVEL_KIND_COUNT];
  int level_count;
} roof_prediction;

/** What a measurement is judged against: a datasheet's figures, or those a benchmark reached. */
typedef enum roof_basis { ROOF_THEORETICAL, ROOF_ACHIEVED, ROOF_BASIS_COUNT } roof_basis;

/** The roof over some work on one basis. NaN where the figure is unknown on it. */
typedef struct roof_ceiling {
  double seconds;          /**< lower bound of the time */
  double flops_per_second; /**< peak of the work's unit */
  double bytes_per_second; /**< outermost level, for this mix of reads and writes */
} roof_ceiling;

/** The defaults given in the comments of the fields of roof_options.
 *  Units: as the fields.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_options roof_options_default(void);

/** Resolves a machine, formats and options. A missing vector peak falls back to fp32's, of a format of at most 8 bits to
 *  the fastest of fp32, fp16 and bf16.
 *  Units: none.
 *  Ownership: *target points into `machine` and `options->link`, its framework is spelt as constants have it; nothing to
 *  free.
 *  Errors: ROOF_E_ARGUMENT for an option or a format out of range, ROOF_E_UNSUPPORTED for a sparse peak the machine
 *  lacks, ROOF_E_NAME for an unknown link or framework. */
ROOF_API roof_status roof_target_init(roof_target *target, const roof_machine *machine,
                                      const roof_types *types, const roof_options *options,
                                      roof_error *error);

/** Checks that the machine has a path for the formats on `unit`. Every machine has vector lanes, of an
 *  unknown peak perhaps.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED where the hardware lacks it, naming a format it has. */
ROOF_API roof_status roof_target_supports(const roof_target *target, roof_unit unit, roof_error *error);

/** The link over which so many devices of the machine exchange: the one asked for by name, else the first of its file that
 *  joins as many.
 *  Units: devices.
 *  Ownership: points into the machine.
 *  Errors: NULL where none does. */
ROOF_API const roof_link *roof_target_link(const roof_target *target, double ranks);

/** Checks that a link joins so many devices.
 *  Units: devices.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED where none does, saying how many it joins. */
ROOF_API roof_status roof_target_joins(const roof_target *target, double ranks, roof_error *error);

/** Checks that the bandwidth of the machine's memory is known, or of a level before it.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED where none is. */
ROOF_API roof_status roof_target_moves(const roof_target *target, roof_error *error);

/** Checks that the machine has what bounds the work: a path for its FLOPs, a bandwidth for its bytes.
 *  Units: none.
 *  Ownership: none.
 *  Errors: as roof_target_supports and roof_target_moves. */
ROOF_API roof_status roof_prediction_bounds(const roof_target *target, const roof_prediction *prediction,
                                            roof_error *error);

/** Checks that the machine has what was predicted: what bounds the work, and a link for its ranks.
 *  Units: none.
 *  Ownership: none.
 *  Errors: as roof_prediction_bounds and roof_target_joins. */
ROOF_API roof_status roof_prediction_check(const roof_target *target, const roof_prediction *prediction,
                                           roof_error *error);

/** Predicts the work already computed, which may lie in *out. No allocation, no failure: what is unknown is NaN.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: fills *out; pointers in it live as long as the machine.
 *  Errors: none. */
ROOF_API void roof_predict_work(const roof_target *target, const roof_work *work, roof_prediction *out);

/** The same over `link` in place of the target's.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: fills *out, which points to `link`.
 *  Errors: none. */
ROOF_API void roof_predict_transfer(const roof_target *target, const roof_link *link, const roof_work *work,
                                    roof_prediction *out);

/** Which level keeps the tile of the target's options, and which is too small for it.
 *  Units: elements.
 *  Ownership: points into the machine.
 *  Errors: none; a level of unknown size is taken to hold it. */
ROOF_API roof_tile_fit roof_target_tile(const roof_target *target);

/** Predicts one call of `op` with checked `values` (roof_op_complete). About 50 ns.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: fills *out; pointers in it live as long as the machine.
 *  Errors: none. */
ROOF_API void roof_predict(const roof_target *target, const roof_op *op, const double *values,
                           roof_prediction *out);

/** Predicts with parameter `param` at any real `value`, unchecked; what follows another parameter still does.
 *  Units: s, bytes, FLOP, J.
 *  Ownership: fills *out; `values` (not completed: NaN follows) is not changed.
 *  Errors: none. */
ROOF_API void roof_predict_at(const roof_target *target, const roof_op *op, const double *values, int param,
                              double value, roof_prediction *out);

/** The first value of parameter `param` (a real number) at which the memory and compute times are equal. Solves
 *  between 1 and 1e15 to the last digit.
 *  Units: the parameter's.
 *  Ownership: none; `values` (not completed: NaN follows) is not changed.
 *  Errors: NaN where the side never changes or a time is unknown. */
ROOF_API double roof_predict_crossing(const roof_target *target, const roof_op *op, const double *values,
                                      int param);

/** The shares of its bound at which a prediction expects a kernel whose effects are not known. */
typedef struct roof_shares {
  double low, typical, high;
} roof_shares;

/** Those shares: all of a measured ceiling, which holds what kernels reach already, else, and where the effects are left
 *  out, the options' efficiency.
 *  Units: none.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_shares roof_expected_shares(const roof_target *target, const roof_prediction *prediction);

/** Bytes and FLOPs that last as long as the overhead cutoff, or a launch if that is longer, at the expected
 *  efficiency: less is overhead where the latency of a kernel is not known.
 *  Units: bytes, FLOP.
 *  Ownership: writes *bytes and *flops, NaN when unknown.
 *  Errors: none. */
ROOF_API void roof_predict_escape(const roof_target *target, roof_unit unit, double *bytes, double *flops);

/** The roof over `work` on one basis. The physical limit of a measured figure counts as theoretical;
 *  `seconds` is unknown when what binds has no figure on the basis.
 *  Units: s, FLOP/s, bytes/s.
 *  Ownership: by value.
 *  Errors: NaN. */
ROOF_API roof_ceiling roof_ceiling_of(const roof_target *target, roof_basis basis, const roof_work *work);

/** The ceiling over a predicted kernel: what is attainable, or more where the last cache may hold its data.
 *  Units: FLOP/s.
 *  Ownership: none.
 *  Errors: NaN where nothing bounds it. */
ROOF_API double roof_prediction_ceiling(const roof_prediction *prediction);

/** The time under which such a kernel counts as bound by its launch: twice its latency where that is known, or what its
 *  framework's host takes to launch it if that is longer, else the target's overhead cutoff, or its launches if those take longer.
 *  Units: s.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_prediction_cutoff(const roof_target *target, const roof_prediction *prediction);

/** "compute", "memory", "overhead", "network" or "capacity".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_regime_name(roof_regime regime);

/** What binds: "fp16 matrix", a level's name ("DRAM", also for capacity), "launch" or a link's name ("NVLink
 *  4").
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: "unknown" where the machine lacks it. */
ROOF_API char *roof_prediction_binding(const roof_prediction *prediction, char *buffer, size_t size);

/** Whether the memory's own time is more than the lower bound of a memory-bound prediction, since a cache may hold its data.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_prediction_is_kept(const roof_prediction *prediction);

/** The cache whose bandwidth is that bound.
 *  Units: none.
 *  Ownership: in the prediction.
 *  Errors: NULL: none is. */
ROOF_API const roof_level_time *roof_prediction_bound_level(const roof_prediction *prediction);

/** The regime and the resource whose rate is the lower bound: "memory-bound (L2)".
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: as roof_prediction_binding. */
ROOF_API char *roof_prediction_wall(const roof_prediction *prediction, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
