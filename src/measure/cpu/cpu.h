/** Measuring this machine's processor. */
#ifndef MEASURE_CPU_CPU_H
#define MEASURE_CPU_CPU_H

#include "kernels/lanes/burst.h"
#include "kernels/lanes/lanes.h"
#include "measure/team.h"
#include "roofline/measure.h"
#include "roofline/stats.h"

/** One run of `measure`: what its steps share. */
typedef struct roof_bench {
  const roof_measure_options *options;
  const roof_lanes *lanes;
  roof_team team;
  roof_machine *machine;
  double
      load_cycles[ROOF_CORE_KIND_MAX]; /**< from one load of the first cache to the next that waits for it */
  double budget;                       /**< s of samples a figure */
  struct roof_trial *trials;           /**< what is measured in rounds (trial.h) */
  int trial_count;
  void *loads, *flows; /**< what the trials run: peaks.c, levels.c */
  void *data;          /**< random numbers that the levels read and write */
  bool siblings;       /**< all hardware threads work, after one thread a core has */
  int steps;           /**< of the whole run */
  int steps_done;
} roof_bench;

/** Tells the caller that another step of the run begins.
 *  Units: none. Ownership: none. Errors: none. */
void roof_bench_step(roof_bench *bench, const char *step);

/** Appends a note to the machine, dropped when it has no room left.
 *  Units: none. Ownership: copies. Errors: none. */
void roof_bench_note(roof_bench *bench, const char *format, ...) ROOF_PRINTF(2, 3);

/** Fills in the processor's name and cores, and notes what the plan of its topology says. `levels` (four) get
 * the caches (one level each, capacity and instances of all kinds of core together) and memory.
 *  Units: bytes. Ownership: none. Errors: none; what hwloc does not know stays unknown. Returns how many. */
int roof_cpu_identify(roof_bench *bench, roof_level *levels);

/** Who works in a measurement: one core of a kind, or all cores. */
typedef struct roof_crew {
  int kind;                           /**< of the one core; -1: all cores */
  int threads;                        /**< of the team, from the first on */
  int cores;                          /**< that they run on */
  int per_core;                       /**< hardware threads of a core */
  double weights[ROOF_CORE_KIND_MAX]; /**< work of a thread on a core of that kind, the first kind's is 1 */
} roof_crew;

/** How many crews measure each figure: one core of each kind where there are several cores, then all; all
 * alone in the pass with all hardware threads. Units: count. Ownership: none. Errors: none. */
int roof_crew_count(const roof_bench *bench);

/** The crew `index`, with equal work for all its threads.
 *  Units: none. Ownership: by value. Errors: none. */
roof_crew roof_crew_at(const roof_bench *bench, int index);

/** Moves the calling thread to the crew's core.
 *  Units: none. Ownership: undone by roof_crew_leave. Errors: none. */
void roof_crew_enter(const roof_bench *bench, const roof_crew *crew);

/** Moves the calling thread back to the first core.
 *  Units: none. Ownership: none. Errors: none. */
void roof_crew_leave(const roof_bench *bench, const roof_crew *crew);

/** The work of one thread, as a share of that of a thread on the first kind of core.
 *  Units: none. Ownership: none. Errors: none. */
double roof_crew_weight(const roof_bench *bench, const roof_crew *crew, int thread);

/** The work of all threads together, in the same measure.
 *  Units: none. Ownership: none. Errors: none. */
double roof_crew_work(const roof_bench *bench, const roof_crew *crew);

/** True for cores of several kinds: they have no common clock.
 *  Units: none. Ownership: none. Errors: none. */
bool roof_crew_is_mixed(const roof_bench *bench, const roof_crew *crew);

/** Fills in whom a figure is for: `cores` (0: all), the kind's name (ROOF_CORE_KIND_SIZE bytes, "" where
 * there is one kind) and hardware threads a core (0: one). Units: none. Ownership: none. Errors: none. */
void roof_crew_sign(const roof_bench *bench, const roof_crew *crew, int *cores, char *kind, int *per_core);

/** "1 P-core", "14 cores", "4 cores, all hardware threads". Returns `text`.
 *  Units: none. Ownership: fills the caller's text. Errors: truncates to `size`. */
char *roof_crew_name(const roof_bench *bench, const roof_crew *crew, char *text, size_t size);

/** Plans to measure the core's clock and the cost of a parallel region.
 *  Units: Hz, s. Ownership: none. Errors: ROOF_E_MEMORY. */
roof_status roof_cpu_plan_clock(roof_bench *bench, roof_error *error);

/** Adds a cost of synchronisation, dropped when the machine has no room left; `cores` of the team.
 *  Units: s. Ownership: copies. Errors: none. */
void roof_cpu_add_cost(roof_bench *bench, const char *name, int cores, const roof_stats *stats,
                       const char *source);

/** Measures what synchronisation costs: atomic operations, a mutex, a barrier, hand-offs between cores.
 *  Units: s. Ownership: none. Errors: ROOF_E_MEMORY. */
roof_status roof_cpu_measure_sync(roof_bench *bench, roof_error *error);

/** Number of bursts that this processor can run.
 *  Units: count. Ownership: none. Errors: none. */
int roof_cpu_burst_count(void);

/** Plans to measure the peak of every instruction set and format this processor has, on one core and on all.
 *  Units: FLOP/s. Ownership: bench->loads. Errors: ROOF_E_MEMORY. */
roof_status roof_cpu_plan_peaks(roof_bench *bench, roof_error *error);

/** Notes the load under which the clock is lowest, when that is more than 2 % under what it is between loads.
 *  Units: none. Ownership: none. Errors: none. */
void roof_cpu_note_pace(roof_bench *bench);

/** Plans to measure the bandwidth of each of the `count` levels with every crew and appends them to the
 * machine. Each thread reads what it touched first, so that its data are in the memory next to it.
 *  Units: bytes/s. Ownership: bench->flows, bench->data. Errors: ROOF_E_MEMORY. */
roof_status roof_cpu_plan_levels(roof_bench *bench, const roof_level *plain, int count, roof_error *error);

/** Bytes of a cache level that a core of a kind uses when it works alone, for -1 each of `per_core` threads
 * of each core when all work, the least of all kinds; 0 when the level cannot be told from the one inside it.
 *  Units: bytes. Ownership: none. Errors: none. */
double roof_cpu_cache_share(const roof_topology *topology, roof_level_kind level, int kind, int per_core);

/** Notes whether all hardware threads do more than one a core, from the figures of both.
 *  Units: none. Ownership: none. Errors: none. */
void roof_cpu_note_siblings(roof_bench *bench);

/** Notes what the figures say against themselves: above a physical limit, cores that do not add up, an outer
 *  level faster than the one inside it.
 *  Units: none. Ownership: none. Errors: none. */
void roof_cpu_judge(roof_bench *bench);

/** Measures the latency of every level with large pages and with small ones, and of memory while other cores
 * read. Units: s. Ownership: none. Errors: ROOF_E_MEMORY, ROOF_E_UNSUPPORTED. */
roof_status roof_cpu_measure_latency(roof_bench *bench, roof_error *error);

/** Latency of a load when `bytes` of data, a power of two, are in use; the best of a few windows. Overwrites
 * the data. Units: s. Ownership: none. Errors: none. */
double roof_cpu_latency_of(char *data, size_t bytes);

/** The largest power of two not above `bytes`, at least 1 KiB.
 *  Units: bytes. Ownership: none. Errors: none. */
size_t roof_cpu_floor_power(double bytes);

/** Where a curve leaves one plateau for a higher one: the index of the first value of the new plateau, of the
 * last value of a slope. Units: none. Ownership: fills `at`. Errors: none; returns how many. */
int roof_curve_rises(const double *values, int count, int *at, int capacity);

/** What a core can do in one cycle at most; NaN unknown. */
typedef struct roof_core_limits {
  double multiply_pipes; /**< instructions that multiply or multiply and add */
  double add_pipes;      /**< instructions that add */
  double fp_pipes;       /**< of either kind together */
  double dot_pipes;      /**< instructions that add products of bytes */
  double tile_cycles;    /**< of one product of tiles */
  double load_bytes;     /**< from the first cache */
  double store_bytes;    /**< to the first cache */
  double l2_bytes;       /**< from the second cache */
  const char *source;    /**< static */
} roof_core_limits;

/** The limits of this processor's core with registers of `bits`.
 *  Units: instructions, cycles and bytes per cycle. Ownership: by value. Errors: NaN when unknown. */
roof_core_limits roof_cpu_limits(int bits);

/** The limits of the crew's cores: known for the first kind alone.
 *  Units: as roof_cpu_limits. Ownership: by value. Errors: NaN when unknown. */
roof_core_limits roof_crew_limits(const roof_bench *bench, const roof_crew *crew, int bits);

/** What a burst can do at most.
 *  Units: FLOP per cycle of one core. Ownership: none. Errors: NaN when unknown. */
double roof_cpu_burst_limit(const roof_core_limits *limits, const roof_burst *burst);

/** What loads and stores in this proportion can move at most to and from the first cache.
 *  Units: bytes per cycle of one core. Ownership: none. Errors: NaN when unknown. */
double roof_cpu_transfer_limit(const roof_core_limits *limits, double loads, double stores);

#endif
