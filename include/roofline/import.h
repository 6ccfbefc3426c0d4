/** What profilers write: kernels with their time, their FLOPs by format and their bytes by level.
 *
 *  Example:
 *    roof_profile profile;
 *    extern const char *csv; // as `ncu --csv` prints it
 *    if (roof_profile_init(&profile, NULL) == ROOF_OK) {
 *      if (roof_import("stream.txt", NULL, &profile, NULL) == ROOF_OK &&
 *          roof_import_memory(csv, strlen(csv), "ncu.csv", NULL, &profile, NULL) == ROOF_OK) {
 *        printf("%zu kernels\n", profile.count);
 *      }
 *      roof_profile_done(&profile);
 *    } */
#ifndef ROOFLINE_IMPORT_H
#define ROOFLINE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/documents.h"
#include "roofline/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name): how a count was obtained. */
#define ROOF_QUALITY_MAP(X)                                                                                  \
  X(ROOF_QUALITY_MISSING, "missing")     /* the file does not say; never 0 */                                \
  X(ROOF_QUALITY_MEASURED, "measured")   /* a counter as it was read */                                      \
  X(ROOF_QUALITY_DERIVED, "derived")     /* computed from counters or from the operation's shapes */         \
  X(ROOF_QUALITY_ESTIMATED, "estimated") /* multiplexed, sampled or assumed in part */

typedef enum roof_quality {
#define ROOF_QUALITY_ENUM(symbol, name) symbol,
  ROOF_QUALITY_MAP(ROOF_QUALITY_ENUM)
#undef ROOF_QUALITY_ENUM
      ROOF_QUALITY_COUNT
} roof_quality;

/** A count over all calls of a kernel. */
typedef struct roof_count {
  double value;       /**< NaN: missing */
  const char *source; /**< the counter or formula; why it is missing. Static or the profile's */
  roof_quality quality;
} roof_count;

/** A further figure of a kernel: occupancy, a stall share, a clock. */
typedef struct roof_counter {
  const char *name; /**< a clue of advise.h where there is one; static or the profile's */
  double value;     /**< of all calls, weighted by their time */
  double weight;    /**< seconds behind `value` */
} roof_counter;

/** An operation as it ran, where a file gives its shape. */
typedef struct roof_ran {
  const roof_op *op;
  double values[ROOF_PARAM_MAX]; /**< completed */
  roof_types types;
  const char *device; /**< as the file names it, "" unknown; the profile's */
  const char *how;    /**< what ran it, a framework with its version; "" unknown; the profile's */
} roof_ran;

/** X(symbol, name): what a run of a whole model is timed by; a request by its first token and the others. */
#define ROOF_SERVED_FIGURE_MAP(X)                                                                            \
  X(ROOF_SERVED_TTFT, "TTFT")                                                                                \
  X(ROOF_SERVED_TPOT, "TPOT")                                                                                \
  X(ROOF_SERVED_STEP, "training step")                                                                       \
  X(ROOF_SERVED_REQUEST, "request")

typedef enum roof_served_figure {
#define ROOF_SERVED_FIGURE_ENUM(symbol, name) symbol,
  ROOF_SERVED_FIGURE_MAP(ROOF_SERVED_FIGURE_ENUM)
#undef ROOF_SERVED_FIGURE_ENUM
      ROOF_SERVED_FIGURE_COUNT
} roof_served_figure;

/** A whole model as it ran, where a file says how. Texts are "" where unknown, static or the profile's. */
typedef struct roof_served {
  const char *model;              /**< as the file names it */
  const char *settings;           /**< as of roof_whole_read: "batch=16 prompt=1024 generate=256 tp=2" */
  const char *kv;                 /**< format of the cache; NULL or "": as activations */
  const char *dtype, *weights;    /**< formats of activations and weights; "": as the model stores them */
  const char *experts;            /**< framework whose kernels multiplied the experts; NULL or "": its own */
  const char *device, *how;       /**< as those of roof_ran */
  double device_bytes_per_second; /**< of the device's memory, where the file says so; NaN unknown */
  double
      requests; /**< sent in all, the first of them all at once and then one for each that ends; NaN unknown */
  bool at_once; /**< the file says that all of them were sent at once, as many as were allowed */
  double held;  /**< mean decoding steps for which the engine holds a new request back */
  double
      spread; /**< of the answers' lengths, between the longest and the shortest, over their mean; NaN unknown */
  double seconds[ROOF_SERVED_FIGURE_COUNT]; /**< NaN: not timed */
} roof_served;

/** X(symbol, name, things, hint): what the calls of a profile are rolled up by; what a file has none of where it cannot be;
 *  how that gets into a file, "" nothing helps. */
#define ROOF_BY_MAP(X)                                                                                       \
  X(ROOF_BY_KERNEL, "kernel", "kernels", "")                                                                 \
  X(ROOF_BY_OP, "op", "operators of a framework", "")                                                        \
  X(ROOF_BY_MODULE, "module", "modules", "PyTorch: with_modules=True or with_stack=True")                    \
  X(ROOF_BY_NVTX, "nvtx", "ranges that the program marked", "NVTX, or PyTorch's record_function")            \
  X(ROOF_BY_CLASS, "class", "classes", "")                                                                   \
  X(ROOF_BY_STEP, "step", "steps", "PyTorch: call the profiler's step()")                                    \
  X(ROOF_BY_RANK, "rank", "ranks", "")                                                                       \
  X(ROOF_BY_DEVICE, "device", "devices of its calls", "")                                                    \
  X(ROOF_BY_STREAM, "stream", "streams of its calls", "")                                                    \
  X(ROOF_BY_LINE, "line", "lines of kernels",                                                                \
    "a report of Nsight Compute with --set full or --section SourceCounters")

typedef enum roof_by {
#define ROOF_BY_ENUM(symbol, name, things, hint) symbol,
  ROOF_BY_MAP(ROOF_BY_ENUM)
#undef ROOF_BY_ENUM
      ROOF_BY_COUNT
} roof_by;

/** What a profiler's own rule says of a kernel. Texts are the profile's or static. */
typedef struct roof_rule {
  const char *name, *text;
  const char *type;  /**< as the profiler has it: "OPT", "WRN", "ERR", "INF"; "" unknown */
  double speedup;    /**< that it estimates: 0.38 for 38 %; NaN: it does not */
  const char *scope; /**< of what: "global", the kernel; "local", the resource by itself; "" unknown */
} roof_rule;

/** X(reason, what it means): Nsight Compute, Kernel Profiling Guide, "Statistical Sampler", warp stall reasons. */
#define ROOF_STALL_MAP(X)                                                                                    \
  X(barrier, "for other warps at a barrier")                                                                 \
  X(branch_resolving, "for the target of a branch")                                                          \
  X(dispatch_stall, "for the dispatcher")                                                                    \
  X(drain, "for its last writes")                                                                            \
  X(gmma, "for the tensor core")                                                                             \
  X(imc_miss, "for constants that are not in their cache")                                                   \
  X(lg_throttle, "for room in the queue of global and local memory")                                         \
  X(long_scoreboard, "for data of global or local memory")                                                   \
  X(math_pipe_throttle, "for a busy arithmetic pipe")                                                        \
  X(membar, "for a memory barrier")                                                                          \
  X(mio_throttle, "for room in the queue of shared memory")                                                  \
  X(misc, "for something else")                                                                              \
  X(no_instruction, "for instructions that are not in their cache")                                          \
  X(not_selected, "while another warp issues")                                                               \
  X(selected, "it issues")                                                                                   \
  X(short_scoreboard, "for data of shared memory")                                                           \
  X(sleeping, "in a sleep")                                                                                  \
  X(tex_throttle, "for room in the queue of the texture unit")                                               \
  X(wait, "for a fixed number of cycles")

typedef enum roof_stall {
#define ROOF_STALL_ENUM(reason, meaning) ROOF_STALL_##reason,
  ROOF_STALL_MAP(ROOF_STALL_ENUM)
#undef ROOF_STALL_ENUM
      ROOF_STALL_COUNT
} roof_stall;

/** What a line of a kernel's source cost, or one instruction where the file does not say of which line it is. */
typedef struct roof_line {
  const char *file;                  /**< with its folder, "" unknown; the profile's */
  uint32_t number;                   /**< of the line, from 1; 0 unknown */
  const char *function;              /**< that it was compiled into, as linked; the profile's */
  uint64_t offset;                   /**< bytes from the function's beginning to the first instruction */
  uint64_t executed;                 /**< instructions of warps */
  uint64_t samples;                  /**< of warps that were there */
  uint64_t stalls[ROOF_STALL_COUNT]; /**< of these, why the warp waited */
} roof_line;

enum { ROOF_IMPORT_SAMPLES = 4096 };

/** One kernel, region, test or collective of a file: all its calls together. */
typedef struct roof_record {
  const char *name; /**< UTF-8, as long as it is; the profile's */
  const char
      *own_name; /**< the first that its calls had before --merge named them; NULL: `name`. The profile's */
  uint64_t own_names; /**< how many they had */
  const char *
      part; /**< what its calls are part of in the dimension asked for; NULL: none was. Static or the profile's */
  uint64_t calls;
  uint64_t picoseconds; /**< of all calls, when `timed` */
  bool timed;
  double own_seconds; /**< s of that time outside the regions in it; NaN: all of it */
  double *samples;    /**< s a call: each one, or an even choice of ROOF_IMPORT_SAMPLES of them */
  size_t sample_count;
  uint64_t sampled;                     /**< calls that offered a sample */
  roof_count (*flops)[ROOF_UNIT_COUNT]; /**< of ROOF_DTYPE_COUNT formats */
  roof_count *other_flops;              /**< of each format, on a unit that the file does not name */
  roof_count *bytes;                    /**< of ROOF_LEVEL_KIND_COUNT levels */
  roof_count other_bytes;               /**< through a level that the file does not name */
  double write_share,
      update_share;      /**< of the bytes: written, and written where they were read; NaN unknown */
  roof_count link_bytes; /**< through a link of one device, one way */
  double link_ranks;     /**< devices that exchange them, the most of all calls; 0: not known */
  const char *link;      /**< what that link's name begins with ("PCIe"), "" unknown */
  roof_count items;      /**< tokens, elements or whatever the benchmark counts */
  roof_counter *counters;
  size_t counter_count;
  roof_rule *rules;
  size_t rule_count;
  roof_line *lines; /**< by file and number, then function and offset */
  size_t line_count;
  /** What the file says was not counted, "" nothing, static or the profile's; NULL: it does not say. */
  const char *uncounted;
  roof_given given; /**< the ceiling that the file gives for all calls */
  roof_ran *ran;    /**< NULL: the file gives no shape */
  roof_served *run; /**< NULL: no run of a whole model */
} roof_record;

/** Something the file holds that became no figure, and why. */
typedef struct roof_skip {
  const char *what;
  const char *why;
  uint64_t times;
} roof_skip;

/** A fact about the whole run: idle time of a device, a launch gap, a driver. */
typedef struct roof_fact {
  const char *name; /**< snake_case with the unit: "device_idle_seconds" */
  double value;     /**< NaN when `text` says it */
  const char *text; /**< NULL when `value` says it */
} roof_fact;

/** What was counted from one moment to the next, of all that was counted together. */
typedef struct roof_interval {
  double start, end; /**< s since counting began */
  double flops_per_second, bytes_per_second,
      instructions_per_cycle; /**< bytes of the memory; NaN: not counted */
} roof_interval;

typedef struct roof_format roof_format;
struct roof_source;
struct roof_profile_store;
struct roof_timeline;

/** What one or several files of one format contain. Start from roof_profile_init. */
typedef struct roof_profile {
  const roof_format *format;
  char decimal; /**< the decimal mark that the caller asked for, 0: find out */
  roof_by by;   /**< the dimension that the caller asked for: records are of one part of it */
  unsigned
      dimensions; /**< bits of the dimensions that the file could give, besides those that every file has */
  const char *device; /**< the processor as the file names it, "" unknown */
  double taken;       /**< s since 1970 when the first of it was measured; NaN: the file does not say */
  bool dated_by_file; /**< `taken` is the date of a file that does not say itself */
  bool overlap;   /**< kernels may lie in each other, the file does not say which: no sum of their times */
  bool truncated; /**< a file of it ends too early: what follows is not here */
  roof_machine *machine; /**< what the file has about the processor, figures marked measured; NULL nothing */
  roof_record *records;
  size_t count;
  roof_skip *skips;
  size_t skip_count;
  roof_fact *facts;
  size_t fact_count;
  roof_interval *intervals; /**< one after the other; NULL: the file does not count by interval */
  size_t interval_count;
  struct roof_timeline *timeline;   /**< when the calls were (timeline.h); NULL: no file says */
  struct roof_profile_store *store; /**< texts, and how records are found */
} roof_profile;

/** A format of some profiler. Each file src/import/NAME.c exports one, `roof_format_NAME`. */
struct roof_format {
  const char *name;  /**< for --format: "ncu" */
  const char *title; /**< "Nsight Compute CSV" */
  const char *gives; /**< "time, FLOPs by format, bytes of L1, L2 and DRAM" */
  /** How sure the first bytes (`text` ends with a NUL, holds up to 64 KiB, is UTF-8 unless binary) are of
   *  this format: 0 no, 100 beyond doubt.
   *  Units: %.
   *  Ownership: none.
   *  Errors: none. */
  int (*detect)(const char *text, size_t size);
  /** Adds what the source holds to the profile.
   *  Units: as roof_record.
   *  Ownership: *profile keeps copies of the texts.
   *  Errors: as roof_import. */
  roof_status (*read)(struct roof_source *source, roof_profile *profile, roof_error *error);
  bool ends_lines; /**< what writes it ends the last line, too: a number without an end after it may be cut */
};

typedef struct roof_import_options {
  const roof_format *format; /**< NULL: detect it */
  char decimal;              /**< the decimal mark of the numbers, '.' or ','; 0: find out */
  bool partial;              /**< of packed data that end too early, take what is there */
  roof_by by;                /**< what records are to be of one part of; ROOF_BY_KERNEL: of none */
  bool by_if_known;          /**< take a file that does not give it as it is */
  /** For roof_import_files, ends with NULL, or NULL: "REGEX=NAME" makes the kernels whose name matches one of
   *  that name, "base" those of one name without its template arguments, "name" those of one name. */
  const char *const *groups;
} roof_import_options;

/** Number of formats.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_format_count(void);

/** The format at `index`, 0 to roof_format_count() - 1.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL for an index out of range. */
ROOF_API const roof_format *roof_format_at(int index);

/** Finds a format by name.
 *  Units: none.
 *  Ownership: *format is static, set on success only.
 *  Errors: ROOF_E_NAME with the nearest. */
ROOF_API roof_status roof_format_find(const char *name, const roof_format **format, roof_error *error);

/** Makes an empty profile.
 *  Units: none.
 *  Ownership: the caller's, released by roof_profile_done.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_init(roof_profile *profile, roof_error *error);

/** Releases everything in the profile.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; a profile full of zeros is fine. */
ROOF_API void roof_profile_done(roof_profile *profile);

/** Reads the file at `path` ("-": standard input; gzip, zstd, xz and UTF-16 are decoded) and adds what it contains to
 *  `profile`: records of one name come together. `options` may be NULL.
 *  Units: s, FLOP, bytes of all calls together.
 *  Ownership: *profile keeps everything it points to.
 *  Errors: ROOF_E_INPUT when it cannot be read, ROOF_E_PARSE with FILE:LINE:COLUMN when it is none of the
 *  formats or malformed, ROOF_E_MEMORY. On failure the profile may hold part of the file: release it. */
ROOF_API roof_status roof_import(const char *path, const roof_import_options *options, roof_profile *profile,
                                 roof_error *error);

/** As roof_import, from `size` bytes in memory; `name` stands for the file in messages.
 *  Units: as roof_import.
 *  Ownership: `data` is not kept.
 *  Errors: as roof_import. */
ROOF_API roof_status roof_import_memory(const char *data, size_t size, const char *name,
                                        const roof_import_options *options, roof_profile *profile,
                                        roof_error *error);

/** Reads `count` files as one profile: their kernels named by the groups, then joined (roof_profile_join). A
 *  file that does not say when it was measured counts from its date.
 *  Units: as roof_import.
 *  Ownership: as roof_import.
 *  Errors: as roof_import; ROOF_E_NAME for a group that no kernel's name matches, ROOF_E_ARGUMENT for a
 *  regular expression that is none, and for no file. */
ROOF_API roof_status roof_import_files(const char *const *paths, size_t count,
                                       const roof_import_options *options, roof_profile *profile,
                                       roof_error *error);

/** Gives the kernels whose name matches `pattern` (POSIX extended) the work of an operation, where it was not
 *  counted; `text` names the operation as the counts' source.
 *  Units: as the operation's.
 *  Ownership: keeps nothing.
 *  Errors: ROOF_E_ARGUMENT for the expression, ROOF_E_NAME when no name matches, ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_attach(roof_profile *profile, const char *pattern, const roof_op *op,
                                         const double *values, roof_dtype dtype, const char *text,
                                         roof_error *error);

/** Adds a timing of what `ran`, as roof_op_label writes it ("gemm m=8 n=8 k=8 fp16"; NULL: the label says), on a device of
 *  that name; one that says no operation has its time alone.
 *  Units: s a call.
 *  Ownership: copies the texts.
 *  Errors: ROOF_E_ARGUMENT for a time that is none, ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_add(roof_profile *profile, const char *label, const char *ran,
                                      const char *device, double seconds, roof_error *error);

/** Adds the records of `from` to those of the same name; `base`: without template arguments and parameters. A
 *  record that has only time and one that has counts become one: the time of the first, the counts a call of
 *  the second.
 *  Units: as roof_import.
 *  Ownership: copies; *from is unchanged.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_join(roof_profile *into, const roof_profile *from, bool base,
                                       roof_error *error);

/** One kernel under the ceilings, all its calls together. */
typedef struct roof_ranked_record {
  const roof_record *record;
  char shown[ROOF_KERNEL_SHOWN + 1]; /**< its name, so that no two rows show the same: roof_ranking_name */
  roof_placed at;
  double time_share; /**< of the seconds of all rows; NaN: not timed */
  /** What of its work was not counted ("compute", "memory", "matrix", "KV cache") or has no ceiling ("integer"): then
   *  no share and no loss are stated, and `at.at_least` is the share of the ceiling of the rest. "": nothing. */
  const char *uncounted;
  bool starved; /**< its counters show a device that had no work for most of the time */
} roof_ranked_record;

typedef struct roof_ranking {
  roof_ranked_record
      *rows; /**< most time lost first, those of which that is unknown by their time among the others */
  size_t count;
  size_t kernels;                    /**< names among the rows; 0: as many as there are rows */
  const roof_ranked_record *longest; /**< of the rows of the name that takes most time; NULL: none is timed */
  const roof_ranked_record *worst;   /**< that lost most; NULL: none is known to have */
  double seconds;                    /**< of all rows */
  double lost_seconds;               /**< against the ceilings; NaN: there are none */
  double judged_seconds;             /**< of those that have a ceiling; NaN: there are none */
  /** The compute capability of the files ("12.0") where it is not the machine's: their busy shares, which are of their own
   *  chip, are not used. NULL: it is, or is not known. The profile's. */
  const char *other_chip;
  const struct roof_parts
      *parts; /**< NULL: not rolled up. Whoever asks for them sets them, to have them written */
} roof_ranking;

/** Forgets the ceilings that the files give themselves, so that those of a machine hold.
 *  Units: none.
 *  Ownership: changes *profile.
 *  Errors: none. */
ROOF_API void roof_profile_drop_ceilings(roof_profile *profile);

/** Places the kernels of a profile whose name matches `filter` (POSIX extended; NULL: all) under ceilings.
 *  Units: s.
 *  Ownership: the rows are the caller's to free() and point into the profile; set on success only.
 *  Errors: ROOF_E_ARGUMENT for an expression that is none, ROOF_E_NAME where no name matches, ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_rank(const roof_profile *profile, const roof_ceilings *ceilings,
                                       const char *filter, roof_ranking *ranking, roof_error *error);

/** What a row is fast or slow at: bytes/s over its link, bytes/s of what the memory binds or of which no FLOPs are known,
 *  else FLOP/s.
 *  Units: *unit, "FLOP/s" or "B/s".
 *  Ownership: *unit is static.
 *  Errors: NaN where neither is known. */
ROOF_API double roof_ranked_rate(const roof_ranked_record *row, const char **unit);

/** Names the rows in at most `width` bytes each, up to ROOF_KERNEL_SHOWN, as roof_profile_rank does for the widest.
 *  Units: bytes.
 *  Ownership: sets `shown` of the rows.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ranking_name(roof_ranking *ranking, size_t width, roof_error *error);

/** The rows of a ranking as measurements, taken when the profile was, on `machine` (NULL: one without a name).
 *  Units: s, FLOP and bytes per call.
 *  Ownership: fills *all on success only; release with roof_measurements_done.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ranking_measurements(const roof_profile *profile, const roof_ranking *ranking,
                                               const roof_machine *machine, roof_measurements *all,
                                               roof_error *error);

/** Which rows of a ranking went into a ledger. */
typedef struct roof_recorded {
  const char *ledger;
  const char *const *why; /**< of each row: why it was not recorded, NULL where it was */
} roof_recorded;

/** The name of a dimension: "module".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_by_name(roof_by by);

/** Finds a dimension by its name.
 *  Units: none.
 *  Ownership: sets *by on success only.
 *  Errors: ROOF_E_NAME with the nearest. */
ROOF_API roof_status roof_by_parse(const char *name, roof_by *by, roof_error *error);

/** What kind of work a kernel does, by its operation or else its name: "GEMM", "attention", "convolution", "norm",
 *  "elementwise", "reduction", "communication", "copy" or "other".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: none. */
ROOF_API const char *roof_record_class(const roof_record *record);

/** Kernels rolled up: the sums of their own figures, never a roof of mixed sums. */
typedef struct roof_part {
  const char *label; /**< static or the profile's */
  size_t kernels;
  uint64_t calls;
  double seconds;                       /**< of those that are timed */
  double time_share;                    /**< of the seconds of all parts */
  double flops, bytes;                  /**< of those that have them; NaN: none has */
  double judged_seconds;                /**< of those that have a ceiling */
  double ceiling_seconds, lost_seconds; /**< of the same; NaN: none has */
  double share;                         /**< ceiling_seconds / judged_seconds */
  const roof_ranked_record
      *worst; /**< that has most at stake: lost time, or its time where that is not known */
} roof_part;

typedef struct roof_parts {
  roof_by by;
  roof_part *list; /**< longest first; steps, ranks, devices and streams by their numbers */
  size_t count;
  double seconds; /**< of all parts: the ranking's */
} roof_parts;

/** Rolls a ranking up by the dimension its profile was read by; by kernel or class, which every file has.
 *  Units: s, FLOP, bytes.
 *  Ownership: the list is the caller's to free() and points into the ranking; set on success only.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ranking_parts(const roof_ranking *ranking, roof_by by, roof_parts *parts,
                                        roof_error *error);

#define ROOF_HOT_LABEL 64

/** A line of a kernel among all lines. */
typedef struct roof_hot_line {
  const roof_line *line;
  const roof_ranked_record *row; /**< the kernel's */
  char label[ROOF_HOT_LABEL];    /**< "sgemm.cu:14"; "sgemm+0x230" of an instruction of no known line */
  double share;     /**< of the kernel's samples; of its instructions where nothing was sampled */
  double seconds;   /**< that share of its time; NaN: not sampled, not timed */
  roof_stall stall; /**< what most warps there waited for; ROOF_STALL_COUNT: nothing was sampled */
} roof_hot_line;

/** The lines of all kernels of a ranking, those that take most time first.
 *  Units: s.
 *  Ownership: *lines is the caller's to free() and points into the ranking; set on success only.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ranking_lines(const roof_ranking *ranking, roof_hot_line **lines, size_t *count,
                                        roof_error *error);

/** Appends the hottest lines of the kernel that took longest; nothing where the file has none.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ranking_lines_sentence(const roof_ranking *ranking, roof_text *out,
                                                 roof_error *error);

/** The name of a reason: "long_scoreboard".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_stall_name(roof_stall reason);

/** X(symbol, name): what became of a kernel. */
#define ROOF_DIFF_MAP(X)                                                                                     \
  X(ROOF_DIFF_SAME, "same") /* by no more than its samples vary, or 3 % */                                   \
  X(ROOF_DIFF_FASTER, "faster")                                                                              \
  X(ROOF_DIFF_SLOWER, "slower")                                                                              \
  X(ROOF_DIFF_NEW, "new")                                                                                    \
  X(ROOF_DIFF_GONE, "gone")

typedef enum roof_diff_kind {
#define ROOF_DIFF_ENUM(symbol, name) symbol,
  ROOF_DIFF_MAP(ROOF_DIFF_ENUM)
#undef ROOF_DIFF_ENUM
      ROOF_DIFF_COUNT
} roof_diff_kind;

/** The kernels of one profile that are one row of a diff. */
typedef struct roof_diff_side {
  const char *name; /**< of the longest; NULL: there is none. Its profile's */
  size_t kernels;
  uint64_t calls;
  double seconds;
} roof_diff_side;

/** A kernel of two profiles. */
typedef struct roof_diff_row {
  roof_diff_kind kind;
  const char
      *matched; /**< "name", "operation", "operator" or "base name": what both have; "" one side alone */
  roof_diff_side before, now;
  double difference; /**< of the seconds: now - before, in which who has none takes 0 */
  double
      change; /**< of the time a call, or of all calls where operators match: now / before - 1; NaN: one side */
  double p;   /**< chance of samples so far apart without a change; NaN: too few */
} roof_diff_row;

typedef struct roof_diff {
  roof_diff_row *rows; /**< largest difference first */
  size_t count;
  size_t counts[ROOF_DIFF_COUNT];
  double before_seconds, now_seconds;
  const char *before_device, *now_device;
} roof_diff;

/** What became of the kernels of one profile in another. Kernels match by name; where one side alone has the name by
 *  operation and shape, then by the operator that launched them (both read by ROOF_BY_OP), then by the name without
 *  template arguments.
 *  Units: s.
 *  Ownership: fills *diff on success only, which points into both profiles; release with roof_diff_done.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_diff(const roof_profile *before, const roof_profile *now, roof_diff *diff,
                                       roof_error *error);

/** Appends the answer: the times before and now, and the row that explains most of it.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_diff_sentence(const roof_diff *diff, roof_text *out);

/** Appends it as one roofline.import_diff/1 object.
 *  Units: s.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_diff_write(const roof_diff *diff, roof_text *out, roof_error *error);

/** The name of a kind: "slower".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_diff_kind_name(roof_diff_kind kind);

/** Frees a diff.
 *  Units: none.
 *  Ownership: releases what roof_profile_diff filled.
 *  Errors: none. */
ROOF_API void roof_diff_done(roof_diff *diff);

/** Writes a ranking as roofline.measurements/1: figures per call, how each was counted, and its ceiling.
 *  `machine` is the ceilings' (NULL: there are none), `recorded` may be NULL.
 *  Units: s, FLOP, bytes.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_ranking_write(const roof_profile *profile, const roof_ranking *ranking,
                                        const roof_machine *machine, const roof_recorded *recorded,
                                        roof_text *out, roof_error *error);

/** A copy of `text` that lives as long as the profile; equal texts are one.
 *  Units: none.
 *  Ownership: the profile's.
 *  Errors: "" when out of memory. */
ROOF_API const char *roof_profile_text(roof_profile *profile, const char *text);

/** The fact of that name ("idle_share").
 *  Units: as its name says.
 *  Ownership: none.
 *  Errors: NaN where the file does not give it. */
ROOF_API double roof_profile_fact(const roof_profile *profile, const char *name);

/** A fact as people read it: "idle share: 18.5 %", "mean kernel: 61.13 us".
 *  Units: the text has them.
 *  Ownership: writes to and returns `buffer`.
 *  Errors: cut to `size`. */
ROOF_API char *roof_fact_sentence(const roof_fact *fact, char *buffer, size_t size);

/** Appends what takes the time, before any ceiling: how many kernels, their time, the longest, how long none ran.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_ranking_time(const roof_profile *profile, const roof_ranking *ranking, roof_text *out);

/** Appends the answer in two lines: what takes the time, and what is lost against the ceilings of `machine` (NULL:
 *  there are none).
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_ranking_sentence(const roof_profile *profile, const roof_ranking *ranking,
                                    const roof_machine *machine, roof_text *out);

/** Appends what a kernel's warps wait for most and what the profiler's rules say of it, a line each; nothing where the
 *  files say neither.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_ranked_remarks(const roof_ranked_record *row, roof_text *out);

/** Appends what the files say of the whole run, and the first of what was left out and why, a line each.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_profile_remarks(const roof_profile *profile, roof_text *out);

/** Appends which rows of a ranking were recorded, and the first of those that were not and why, a line each.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_recorded_remarks(const roof_ranking *ranking, const roof_recorded *recorded,
                                    roof_text *out);

/** Whether a word is a setting of a run ("tp=2", "model=llama-3.1-8b", "weights=fp8"), not a file that is there.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_served_is_setting(const char *word);

/** Gives every run of a whole model a setting that its file does not say, or another value of it.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: ROOF_E_ARGUMENT where there is no run; ROOF_E_MEMORY. */
ROOF_API roof_status roof_profile_set_runs(roof_profile *profile, const char *word, roof_error *error);

/** What a run is timed by: "TPOT".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_served_figure_name(roof_served_figure figure);

/** The name of a quality.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_quality_name(roof_quality quality);

/** Seconds of all calls, NaN when the file gives no time.
 *  Units: s.
 *  Ownership: none.
 *  Errors: NaN. */
ROOF_API double roof_record_seconds(const roof_record *record);

/** FLOPs of all formats and units of all calls; *most (nullable) is the format with most of them.
 *  Units: FLOP.
 *  Ownership: none.
 *  Errors: NaN when none is known, and *most unchanged. */
ROOF_API double roof_record_flops(const roof_record *record, roof_dtype *most, roof_unit *unit);

/** One call of a kernel as a measurement: its name as the label, means per call, all samples, the counters
 *  that a ledger takes.
 *  Units: s, FLOP and bytes per call.
 *  Ownership: fills *measurement on success only; release with roof_measurement_done.
 *  Errors: ROOF_E_MEMORY; the label is "" for a name that is too long. */
ROOF_API roof_status roof_record_measurement(const roof_record *record, roof_measurement *measurement,
                                             roof_error *error);

/** The counter of that name ("occupancy").
 *  Units: as its name says.
 *  Ownership: none.
 *  Errors: NaN where the file has none. */
ROOF_API double roof_record_counter(const roof_record *record, const char *name);

/** Bytes of the outermost level that is known; *level (nullable) is that level.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: NaN when none is known, and *level unchanged. */
ROOF_API double roof_record_bytes(const roof_record *record, roof_level_kind *level);

/** What was counted of a record, all its calls together, for roof_place.
 *  Units: s, FLOP, bytes.
 *  Ownership: fills *work, which points to the record's link name.
 *  Errors: NaN for what the file does not say. */
ROOF_API void roof_record_counted(const roof_record *record, roof_counted *work);

#ifdef __cplusplus
}
#endif
#endif
