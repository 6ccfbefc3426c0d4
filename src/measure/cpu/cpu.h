/** Measuring this machine's processor. */
#ifndef MEASURE_CPU_CPU_H
#define MEASURE_CPU_CPU_H

#include "kernels/lanes/lanes.h"
#include "kernels/lanes/peak.h"
#include "measure/sampler.h"
#include "measure/team.h"
#include "roofline/measure.h"
#include "roofline/report.h"
#include "roofline/stats.h"

/** One run of `measure`: what its steps share. */
typedef struct rf_bench {
  const roof_measure_options *options;
  const rf_lanes *lanes;
  rf_team team;
  roof_machine *machine;
  double load_cycles[RF_CORE_KIND_MAX]; /**< from one load of the first cache to the next that waits for it */
  double budget;                        /**< s of samples per figure */
  struct rf_trial *trials;              /**< what is measured in rounds (trial.h) */
  int trial_count;
  void *loads, *flows, *works; /**< what the trials run: peaks.c, levels.c, rates.c */
  int load_count;
  void *data; /**< random numbers that the levels read and write */
  size_t data_bytes;
  bool siblings; /**< all hardware threads take part, in the pass after one thread per core */
  int steps;     /**< of the whole run */
  int steps_done;
} rf_bench;

/** Reports to the caller that another step of the run begins.
 *  Units: none. Ownership: none. Errors: none. */
void rf_bench_step(rf_bench *bench, const char *step);

/** Appends a note to the machine, dropped when it has no room left.
 *  Units: none. Ownership: copies. Errors: none. */
void rf_bench_note(rf_bench *bench, const char *format, ...) ROOF_PRINTF(2, 3);

/** Fills in the processor's name and cores, and notes what the plan of its topology says. `levels` (four) get
 *  the caches (one level each, capacity and instances of all kinds of core together) and memory.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: none; what hwloc does not know stays unknown. Returns how many. */
int rf_cpu_identify(rf_bench *bench, roof_level *levels);

/** The cores that take part in a measurement: one core of a kind, or all cores. */
typedef struct rf_core_set {
  int kind;                         /**< of the one core; -1: all cores */
  int threads;                      /**< of the team, from the first on */
  int cores;                        /**< that they run on */
  int per_core;                     /**< hardware threads per core */
  double weights[RF_CORE_KIND_MAX]; /**< work of a thread on a core of that kind, the first kind's is 1 */
} rf_core_set;

/** How many core sets measure each figure: one core of each kind if there are several cores, then all cores;
 *  only all cores in the pass with all hardware threads.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
int rf_core_set_count(const rf_bench *bench);

/** The core set `index`, with equal work for all its threads.
 *  Units: none. Ownership: by value. Errors: none. */
rf_core_set rf_core_set_at(const rf_bench *bench, int index);

/** Binds the calling thread to the core set's core.
 *  Units: none. Ownership: undone by rf_core_set_leave. Errors: none. */
void rf_core_set_enter(const rf_bench *bench, const rf_core_set *set);

/** Moves the calling thread back to the first core.
 *  Units: none. Ownership: none. Errors: none. */
void rf_core_set_leave(const rf_bench *bench, const rf_core_set *set);

/** The work of one thread, as a share of that of a thread on the first kind of core.
 *  Units: none. Ownership: none. Errors: none. */
double rf_core_set_weight(const rf_bench *bench, const rf_core_set *set, int thread);

/** The work of all threads together, in the same unit.
 *  Units: none. Ownership: none. Errors: none. */
double rf_core_set_work(const rf_bench *bench, const rf_core_set *set);

/** True if the set has cores of several kinds, which have no common clock.
 *  Units: none. Ownership: none. Errors: none. */
bool rf_core_set_is_mixed(const rf_bench *bench, const rf_core_set *set);

/** Sets the cores, core type and SMT width a figure applies to: `cores` (0: all), the core type's name
 *  (ROOF_CORE_KIND_SIZE bytes, "" if there is one type) and hardware threads per core (0: one).
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
void rf_core_set_sign(const rf_bench *bench, const rf_core_set *set, int *cores, char *kind, int *per_core);

/** "1 P-core", "14 cores", "4 cores, all hardware threads". Returns `text`.
 *  Units: none. Ownership: fills the caller's text. Errors: truncates to `size`. */
char *rf_core_set_name(const rf_bench *bench, const rf_core_set *set, char *text, size_t size);

/** Plans to measure the core's clock and the cost of a parallel region.
 *  Units: Hz, s. Ownership: none. Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_plan_clock(rf_bench *bench, roof_error *error);

/** Adds a cost of synchronisation, dropped when the machine has no room left; `cores` of the team.
 *  Units: s. Ownership: copies. Errors: none. */
void rf_cpu_add_cost(rf_bench *bench, const char *name, int cores, const roof_stats *stats,
                     const char *source);

/** Measures what synchronisation costs: atomic operations, a mutex, a barrier, hand-offs between cores.
 *  Units: s. Ownership: none. Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_measure_sync(rf_bench *bench, roof_error *error);

/** Number of peak kernels that this processor can run.
 *  Units: count. Ownership: none. Errors: none. */
int rf_cpu_peak_kernel_count(void);

/** Plans to measure the peak of every instruction set and format this processor has, on one core and on all.
 *  Units: FLOP/s. Ownership: bench->loads. Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_plan_peaks(rf_bench *bench, roof_error *error);

/** Plans to measure integer arithmetic, divisions and square roots, on one core and on all.
 *  Units: operations/s. Ownership: bench->works. Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_plan_rates(rf_bench *bench, roof_error *error);

/** Notes the load under which the clock is lowest, if it is more than 2 % below the clock without load.
 *  Units: none. Ownership: none. Errors: none. */
void rf_cpu_note_pace(rf_bench *bench);

/** Plans to measure the bandwidth of each of the `count` levels with every core set and appends them to the
 *  machine. Each thread reads what it touched first, so that its data are in the memory next to it. Marks the
 *  plateaus of `plain`.
 *  Units: bytes/s.
 *  Ownership: bench->flows, bench->data.
 *  Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_plan_levels(rf_bench *bench, roof_level *plain, int count, roof_error *error);

/** Measures memory and the outermost cache with small pages, with the variants that were fastest.
 *  Units: bytes/s. Ownership: needs what rf_cpu_plan_levels left. Errors: none. */
void rf_cpu_try_pages(rf_bench *bench);

/** The first part of bench->data, for so many threads to read while the others rest: what the threads of their
 *  memory domains filled.
 *  Units: bytes. Ownership: none. Errors: none. */
double rf_cpu_near_bytes(const rf_bench *bench, int threads);

/** Bytes of a cache level that a core of a kind uses when it works alone, for -1 each of `per_core` threads
 *  of each core when all work, the least of all kinds; 0 if the level cannot be distinguished from the one
 *  inside it.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: none. */
double rf_cpu_cache_share(const rf_topology *topology, roof_level_kind level, int kind, int per_core);

/** Notes whether all hardware threads do more than one thread per core, from the figures of both.
 *  Units: none. Ownership: none. Errors: none. */
void rf_cpu_note_siblings(rf_bench *bench);

/** Notes figures that are impossible or contradict each other: above a physical limit, cores that do not
 *  scale, an outer level faster than the one inside it.
 *  Units: none. Ownership: none. Errors: none. */
void rf_cpu_judge(rf_bench *bench);

/** Measures the latency of every level with large pages and with small ones, how far the TLBs reach, and the
 *  latency of memory while other cores read.
 *  Units: s.
 *  Ownership: none.
 *  Errors: ROOF_E_MEMORY, ROOF_E_UNSUPPORTED. */
roof_status rf_cpu_measure_latency(rf_bench *bench, roof_error *error);

/** Latency of a load when `bytes` of data, a power of two, are in use; the best of a few windows. Overwrites
 *  the data.
 *  Units: s.
 *  Ownership: none.
 *  Errors: none. */
double rf_cpu_latency_of(char *data, size_t bytes);

/** The largest power of two not above `bytes`, at least 1 KiB.
 *  Units: bytes. Ownership: none. Errors: none. */
size_t rf_cpu_floor_power(double bytes);

/** Measures how many pages each TLB holds, in memory of `bytes` with large and with small pages.
 *  Units: bytes, s. Ownership: none; the memory's content is lost. Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_measure_tlbs(rf_bench *bench, void *large, void *small, size_t bytes, roof_error *error);

/** Measures the latency of memory against the bandwidth that other cores draw.
 *  Units: s, bytes/s. Ownership: none. Errors: ROOF_E_MEMORY, ROOF_E_UNSUPPORTED. */
roof_status rf_cpu_measure_loaded(rf_bench *bench, roof_error *error);

/** The share of the memory that lies in large pages.
 *  Units: none. Ownership: none. Errors: NaN if the system does not report it. */
double rf_pages_large(const void *data, size_t bytes);

/** The reason why only part of the memory got large pages.
 *  Units: none. Ownership: static. Errors: none. */
const char *rf_pages_refused(double share);

/** One measured bandwidth, with the variant that was fastest. */
typedef struct rf_stream {
  double (*timed)(void *flow); /**< s of one window */
  void *flow;
  double bytes; /**< of a window */
  double *rate; /**< the figure: bytes/s */
  bool shared;  /**< RF_SHARED if other cores use the level too; else the fastest window counts */
  roof_level *level;
  const char *name; /**< of the pattern */
} rf_stream;

/** Measures memory and the outermost cache again with small pages; keeps the faster figure and names the
 *  other in the level's source. Adds a note if the pages cannot be determined.
 *  Units: bytes, bytes/s.
 *  Ownership: `data`, large pages with random numbers, gets new ones.
 *  Errors: none. */
void rf_cpu_try_small_pages(rf_bench *bench, void *data, size_t bytes, rf_stream *streams, int count);

enum { RF_CHASE_LINE = 64 };

/** The working set, a power of two, whose latency is that of memory: three times the last cache, of `last` bytes, or
 *  more, within `room`.
 *  Units: bytes. Ownership: none. Errors: none. */
size_t rf_chase_bytes(bool quick, double last, double room);

/** Chains all lines of `bytes`, a power of two, into one cycle that no prefetcher follows.
 *  Units: bytes. Ownership: none. Errors: none. */
void rf_chase_link(char *data, size_t bytes);

/** Follows the chain for `loads` loads; *from becomes the position reached.
 *  Units: s per load. Ownership: none. Errors: none. */
double rf_chase(void ***from, int loads);

/** Where a curve leaves a plateau for a higher one. */
typedef struct rf_rise {
  int from; /**< the last point of the plateau it leaves */
  int to;   /**< the first point of the next, past the slope between them */
} rf_rise;

/** Where a curve rises by more than 1.4 times.
 *  Units: none. Ownership: fills `rises`. Errors: none; returns how many. */
int rf_curve_rises(const double *values, int count, rf_rise *rises, int capacity);

/** Where a level shows in a curve of bandwidth by working set. */
typedef struct rf_place {
  bool seen;       /**< it has a plateau, larger and slower than that of the level inside it */
  bool sloped;     /**< its two ends differ by more than 15 % */
  double from, to; /**< B: the plateau's first and last working set */
  roof_curve_point
      ends[2]; /**< of the working sets that should have equal rates, after removing slow-downs by other
                    programs */
} rf_place;

/** Finds levels in a curve of bandwidth by growing working set: plateaus by where bandwidth falls, matched in
 *  order with the capacities the system reports (caches inner to outer, then memory). The first plateau is
 *  the first level's, the last one memory's; a cache between them that has none is not seen.
 *  Units: bytes, bytes/s.
 *  Ownership: fills `places`, one per level.
 *  Errors: none; returns how many plateaus were found. */
int rf_curve_place(const roof_curve_point *curve, int count, const double *capacities, int levels,
                   rf_place *places);

/** What a cache holds by the curve, where that is less than half of what the system reports, as in a virtual machine that has a
 *  part of it: the largest working set of which at least half comes from the cache, by the time per byte just beyond the cache inside it
 *  and that of memory. What is reported, where the curve does not show it.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: none. */
double rf_curve_holds(const roof_curve_point *curve, int count, double inner, double reported);

/** Measures the curve of one core that reads, and marks `levels` by it: flat or not or not seen, with the end
 *  of their plateau. The last cache gets the size that the curve shows, where the system reports more than twice that. Adds a note
 *  for each level where the curve and the reported size disagree.
 *  Units: bytes.
 *  Ownership: none; `data` is read.
 *  Errors: none. */
void rf_cpu_place_levels(rf_bench *bench, void *data, size_t bytes, roof_level *levels, int count);

/** Samples calls of a prepared kernel for `budget` seconds, or until `precision` is reached (rf_sampling); where one
 *  thread does the work `alone`, those that had its core for themselves. `team` are the threads, whose cores are looked at
 *  between samples; NULL: nobody looks.
 *  Units: s per call.
 *  Ownership: *samples on success only, freed by rf_samples_done.
 *  Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_sample(roof_kernel_run *run, const rf_team *team, bool alone, double budget,
                          double precision, rf_samples *samples, roof_error *error);

/** Samples calls of two prepared kernels in turns of some samples each: sample i of both is of the same turn, before
 *  which the threads of the other sleep. The first's precision and budget count.
 *  Units: s per call.
 *  Ownership: both of `samples` on success only, freed by rf_samples_done.
 *  Errors: ROOF_E_MEMORY. */
roof_status rf_cpu_sample_in_turns(roof_kernel_run runs[2], double budget, double precision,
                                   rf_samples samples[2], roof_error *error);

/** `run` and `run_in_turns` of the backend (roofline/measure.h).
 *  Units: s per call. Ownership: as the backend's. Errors: likewise. */
roof_status rf_cpu_run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error);
roof_status rf_cpu_run_in_turns(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement out[2],
                                roof_error *error);

/** A library's kernel on some cores. */
typedef struct rf_attempt {
  const roof_kernel *kernel;
  const rf_team *team;
  int threads;
  const char *sizes;    /**< as roof_kernel_values takes them */
  double budget;        /**< s of samples per format */
  double limit_seconds; /**< time limit in s */
} rf_attempt;

enum { RF_ATTEMPT_MAX = 4 };

/** Runs the kernel in a separate process, in every format it supports: checked, then timed. Gives one entry
 *  per format with the rate or the reason for failure; a single entry if no format can run.
 *  Units: FLOP/s.
 *  Ownership: fills at most RF_ATTEMPT_MAX entries, returns how many.
 *  Errors: as `skipped`. */
int rf_library_try(const rf_attempt *attempt, roof_library *results);

/** Tries every number of chains on one core and chooses the fastest, among equals the one with fewest chains.
 *  Units: none. Ownership: static. Errors: none. */
const rf_peak_kernel_way *rf_cpu_choose_way(const rf_bench *bench, const rf_peak_kernel *kernel);

/** Measures power and joules per FLOP and byte of memory with the counters below the folder `root`, "" for
 *  this machine; peaks and bandwidths must be measured first.
 *  Units: J, W.
 *  Ownership: none.
 *  Errors: none; without counters a note says why. */
void rf_cpu_measure_energy(rf_bench *bench, const char *root);

/** Number of kernels that call a library.
 *  Units: count. Ownership: none. Errors: none. */
int rf_cpu_library_count(void);

/** Measures what the libraries' products of matrices reach, on one core and on all.
 *  Units: FLOP/s. Ownership: none. Errors: none; if a library fails, its entry has the reason. */
void rf_cpu_measure_libraries(rf_bench *bench);

/** Looks for the blocks in which the built-in product of square matrices is fastest, of so many rows where one core does
 *  it, of as many for each core where all do. Tries fewer where it takes long.
 *  Units: elements. Ownership: none. Errors: none; a note says why there are none. */
void rf_cpu_measure_blocks(rf_bench *bench, double side);

/** The most that a core can do in one cycle; NaN: unknown. */
typedef struct rf_core_limits {
  double multiply_pipes; /**< instructions that multiply or multiply and add */
  double add_pipes;      /**< instructions that add */
  double fp_pipes;       /**< of either kind together */
  double dot_pipes;      /**< instructions that add products of bytes */
  double tile_cycles;    /**< of one product of tiles */
  double load_bytes;     /**< from the first cache */
  double store_bytes;    /**< to the first cache */
  double l2_bytes;       /**< from the second cache */
  const char *source;    /**< static */
} rf_core_limits;

/** The limits of the processor's core with registers of `bits`, as described below the folder `root`, "" for this
 *  machine.
 *  Units: instructions, cycles and bytes per cycle. Ownership: by value. Errors: NaN when unknown. */
rf_core_limits rf_cpu_limits(const char *root, int bits);

/** The limits of the core set's cores: known for the first kind alone.
 *  Units: as rf_cpu_limits. Ownership: by value. Errors: NaN when unknown. */
rf_core_limits rf_core_set_limits(const rf_bench *bench, const rf_core_set *set, int bits);

/** The upper limit of a peak kernel.
 *  Units: FLOP per cycle of one core. Ownership: none. Errors: NaN when unknown. */
double rf_cpu_peak_kernel_limit(const rf_core_limits *limits, const rf_peak_kernel *kernel);

/** The most that loads and stores in this proportion can move to and from the first cache.
 *  Units: bytes per cycle of one core. Ownership: none. Errors: NaN when unknown. */
double rf_cpu_transfer_limit(const rf_core_limits *limits, double loads, double stores);

#endif
