/** A machine: its ceilings, each with where the figure comes from. Behind a handle that is owned: loaders and
 * roof_machine_new give one, roof_machine_free takes it back; never copy the struct, use roof_machine_copy.
 *
 *  Example:
 *    roof_machine *machine = roof_machine_new();
 *    roof_peak *peak = machine != NULL ? roof_machine_add_peak(machine) : NULL;
 *    if (peak != NULL) {
 *      peak->dtype = ROOF_FP32;
 *      peak->unit = ROOF_VECTOR;
 *      peak->kind = ROOF_DATASHEET;
 *      peak->flops_per_second = 19.5e12;
 *    }
 *    roof_machine_free(machine); */
#ifndef ROOFLINE_MACHINE_H
#define ROOFLINE_MACHINE_H

#include "roofline/dtype.h"
#include "roofline/kernel.h"
#include "roofline/stats.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_NAME_MAX 64
#define ROOF_SOURCE_MAX 512
#define ROOF_ALIAS_MAX 8
#define ROOF_PEAK_MAX 96
#define ROOF_LEVEL_MAX 24
#define ROOF_LINK_MAX 24
#define ROOF_NOTE_MAX 24
#define ROOF_CORE_KIND_SIZE 32
#define ROOF_FLOP_ENERGY_MAX 16
#define ROOF_CONSTANTS_MAX 96
#define ROOF_FRAMEWORK_MAX 16

/** Where a figure comes from. All but ROOF_MEASURED serve as a theoretical basis. */
typedef enum roof_provenance {
  ROOF_DATASHEET, /**< the vendor's own document */
  ROOF_MEASURED,
  ROOF_ASSUMED,   /**< derived or recalled; the source says how */
  ROOF_SECONDARY, /**< a quotation of the vendor: a database, an article, somebody's table */
  ROOF_PROVENANCE_COUNT
} roof_provenance;

/** Memory levels, inner to outer. A level's name ("HBM", "DRAM", "MALL") maps to one of these. */
typedef enum roof_level_kind {
  ROOF_REGISTERS,
  ROOF_L1,
  ROOF_L2,
  ROOF_L3,
  ROOF_MEMORY,
  ROOF_LEVEL_KIND_COUNT
} roof_level_kind;

/** FLOP/s of one (dtype, unit). Peaks are dense; `sparse` marks the separate sparse figure. Unknown numbers are
 *  NaN. */
typedef struct roof_peak {
  roof_dtype dtype; /**< also one with scales, where operands with scales have a rate of their own */
  roof_unit unit;
  roof_provenance kind;
  bool sparse;
  bool mixed; /**< needs as many additions as multiply-adds: not for products alone */
  bool
      fp16_sums; /**< of products summed in fp16, where those summed in fp32 are slower: not for predictions */
  bool unsupported;                    /**< the hardware has no such path; flops_per_second is NaN */
  int cores;                           /**< cores this figure is for, 0: all */
  int threads_per_core;                /**< hardware threads of a core that worked together, 0: one */
  char core_kind[ROOF_CORE_KIND_SIZE]; /**< "P-core", where a machine has several kinds; "": any or all */
  double flops_per_second;             /**< FLOP/s */
  double limit_flops_per_second;       /**< physical limit of a measured figure */
  double spread;                       /**< relative spread of a measured figure: (q75 - q25) / median */
  double flops_per_cycle;      /**< FLOP per compute unit and cycle, to recompute the peak or its limit */
  double clock_hz;             /**< the clock quoted or seen under this load, NaN: the machine's */
  roof_conditions *conditions; /**< how it was measured; NULL: not here */
  char isa[32];                /**< instruction set or method, "" unknown */
  char source[ROOF_SOURCE_MAX];
  char date[16]; /**< as-of date, ISO 8601 */
} roof_peak;

/** The access patterns that bandwidths are known for, by the share of the bytes that is written. */
typedef enum roof_mix_kind {
  ROOF_MIX_READ,   /**< nothing */
  ROOF_MIX_TRIAD,  /**< a third, elsewhere than what is read */
  ROOF_MIX_COPY,   /**< half, elsewhere */
  ROOF_MIX_WRITE,  /**< all */
  ROOF_MIX_UPDATE, /**< half, where it was read */
  ROOF_MIX_COUNT
} roof_mix_kind;

/** One memory level. Bandwidths are of the whole level (all units) unless `cores` says fewer. Unknown:
 *  NaN. */
typedef struct roof_level {
  char name[ROOF_NAME_MAX];
  roof_level_kind level;
  roof_provenance kind;
  int cores;                           /**< cores this figure is for, 0: all */
  int threads_per_core;                /**< hardware threads of a core that worked together, 0: one */
  char core_kind[ROOF_CORE_KIND_SIZE]; /**< "P-core", where a machine has several kinds; "": any or all */
  double bytes;                        /**< capacity of one instance */
  double instances;                    /**< how many there are (L1 per core or SM), 1 if shared by all */
  double bytes_per_second;             /**< any mix of reads and writes (a datasheet has only this one) */
  double read_bytes_per_second;        /**< measured, by access pattern */
  double write_bytes_per_second;
  double copy_bytes_per_second;
  double update_bytes_per_second;
  double triad_bytes_per_second;
  double latency_seconds;
  double plateau_bytes; /**< the largest working set at which one core still reads at the level's rate */
  char plateau[16]; /**< "flat", "not flat": its figures hold for one working set, "not seen", "" unknown */
  double limit_bytes_per_second;       /**< physical limit of reading, or of the one bandwidth there is */
  double write_limit_bytes_per_second; /**< physical limits of the other patterns */
  double copy_limit_bytes_per_second;
  double update_limit_bytes_per_second;
  double triad_limit_bytes_per_second;
  double clock_hz;                  /**< of the cores when it was measured */
  double spread;                    /**< the widest of its patterns */
  struct roof_level_report *report; /**< roofline/report.h: what only its measurement shows; NULL: nothing */
  double bus_bits;                  /**< to recompute the bandwidth: bus_bits / 8 x transfers_per_second */
  double transfers_per_second;      /**< per pin */
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_level;

/** A link to other devices or the host; bytes_per_second is ONE direction, all `count` lanes or links
 *  together. `joins` counts the device itself: 2 of a bridge, 1 of a link to the host alone. */
typedef struct roof_link {
  char name[ROOF_NAME_MAX];
  roof_provenance kind;
  double bytes_per_second;
  double both_ways_bytes_per_second; /**< the headline figure where the vendor quotes both directions */
  double latency_seconds;
  double count;
  double joins;       /**< devices of this kind at most; NaN or 0: those of a node, however many */
  bool reduces;       /**< its switch adds up what passes it: an all-reduce sends its buffer once */
  bool between_nodes; /**< no machine file says so: roof_link_complete does */
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_link;

/** Joules of one FLOP of a format on a unit, over what an idle machine takes. */
typedef struct roof_flop_energy {
  roof_dtype dtype;
  roof_unit unit;
  double joules;
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
} roof_flop_energy;

/** Joules of one byte that a level supplies, over what an idle machine takes: all the way to the registers,
 *  so that what the levels inside it take is included. */
typedef struct roof_byte_energy {
  roof_level_kind level;
  double joules;
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
} roof_byte_energy;

/** Joules; NaN where unknown. */
typedef struct roof_energy {
  double joules_per_flop; /**< over what an idle machine takes, where that is known; of fp64 if measured */
  double fp32_joules_per_flop;  /**< of fp32 and narrower, where it has its own figure */
  double joules_per_byte;       /**< of memory */
  double total_joules_per_flop; /**< what an idle machine takes included */
  double total_fp32_joules_per_flop;
  double total_joules_per_byte;
  double idle_watts;
  double watts;            /**< thermal design power or the highest draw measured */
  roof_flop_energy *flops; /**< per format, where known; takes precedence over the figures above */
  int flop_count;
  roof_byte_energy *bytes; /**< by level, likewise */
  int byte_count;
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_energy;

/** Where one figure comes from that is not part of a peak, a level or a link. */
typedef struct roof_origin {
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX]; /**< "": not said */
  char date[16];
} roof_origin;

/** Constants of the expected time of one kind of kernel in one format (roofline/effects.h). NaN: its form does not use
 *  it. */
typedef struct roof_constants {
  roof_kernel_kind kernel;
  roof_dtype dtype;                   /**< of the arithmetic */
  char framework[ROOF_FRAMEWORK_MAX]; /**< whose kernels: "vllm"; "" any */
  bool blocks;                        /**< of narrow formats with a scale for each block of operands */
  bool narrow;                 /**< what is stored is narrower than the arithmetic (roof_types_narrow) */
  char machine[ROOF_NAME_MAX]; /**< whose they are, where they are to be scaled to another's; "" its own */
  double values[ROOF_CONSTANT_COUNT];
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
  /** By format FLOPs of a unit in a clock over those where `efficiency` was fitted, which is scaled by those of `dtype`; 0: its own. */
  double clocks[ROOF_SCALED_END];
} roof_constants;

/** A list's entries never move: a pointer to one holds as long as the machine does. Append with the functions
 *  below, which return an empty entry. */
typedef struct roof_machine {
  char name[ROOF_NAME_MAX];
  char title[96]; /**< as the vendor writes it */
  char vendor[ROOF_NAME_MAX];
  char architecture[ROOF_NAME_MAX];
  char family[ROOF_NAME_MAX]; /**< machines with the same constants of kernels, "" none */
  char device_class[32];      /**< cpu, gpu, accelerator */
  roof_provenance kind;
  char aliases[ROOF_ALIAS_MAX][ROOF_NAME_MAX];
  int alias_count;
  char unit_kind[ROOF_NAME_MAX]; /**< SM, CU, core */
  double unit_count;
  double clock_hz;
  double launch_seconds;          /**< cost of one launch or parallel region */
  double overhead_cutoff_seconds; /**< below this an operation of unknown latency is overhead; NaN: 8 us */
  roof_origin unit_origin, clock_origin, launch_origin, overhead_origin; /**< of the four figures above */
  roof_peak *peaks;
  int peak_count;
  roof_level *levels; /**< inner to outer */
  int level_count;
  roof_link *links;
  int link_count;
  roof_energy energy;
  roof_constants *constants; /**< the machine's own, then those of its family */
  int constants_count;
  char date[16];
  char (*notes)[ROOF_SOURCE_MAX];
  int note_count;
  struct roof_report *report; /**< roofline/report.h: what only a measurement shows; NULL: nothing */
} roof_machine;

/** What a device costs. */
typedef struct roof_listed_price {
  double value;     /**< of one device and hour, in any currency; NaN: not given */
  char source[128]; /**< where it was read; "" where it was typed */
  char date[12];    /**< when, 2026-11-23 */
} roof_listed_price;

/** An empty machine: every number NaN, every count 0, every text "".
 *  Units: none.
 *  Ownership: the caller's, release with roof_machine_free.
 *  Errors: NULL when out of memory. */
ROOF_API roof_machine *roof_machine_new(void);

/** A machine of its own that is equal to `machine`.
 *  Units: none.
 *  Ownership: the caller's, release with roof_machine_free.
 *  Errors: NULL when out of memory. */
ROOF_API roof_machine *roof_machine_copy(const roof_machine *machine);

/** Frees a machine; NULL is none.
 *  Units: none.
 *  Ownership: releases `machine` and all it points to.
 *  Errors: none. */
ROOF_API void roof_machine_free(roof_machine *machine);

/** Adds an empty peak.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_PEAK_MAX). */
ROOF_API roof_peak *roof_machine_add_peak(roof_machine *machine);

/** Adds an empty level: inner to outer.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_LEVEL_MAX). */
ROOF_API roof_level *roof_machine_add_level(roof_machine *machine);

/** Adds an empty link.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_LINK_MAX). */
ROOF_API roof_link *roof_machine_add_link(roof_machine *machine);

/** Adds constants of a kind of kernel, all unknown.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_CONSTANTS_MAX). */
ROOF_API roof_constants *roof_machine_add_constants(roof_machine *machine);

/** Adds an empty note, a text of ROOF_SOURCE_MAX bytes.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_NOTE_MAX). */
ROOF_API char *roof_machine_add_note(roof_machine *machine);

/** Adds the energy of a FLOP of one format on one unit.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_FLOP_ENERGY_MAX). */
ROOF_API roof_flop_energy *roof_machine_add_flop_energy(roof_machine *machine);

/** Adds the energy of a byte of one level.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_LEVEL_KIND_COUNT). */
ROOF_API roof_byte_energy *roof_machine_add_byte_energy(roof_machine *machine);

/** The machine's name for people: as the vendor writes it, else the catalogue's.
 *  Units: none.
 *  Ownership: points into `machine`.
 *  Errors: none. */
ROOF_API const char *roof_machine_title(const roof_machine *machine);

/** The dense (or sparse) peak used for predictions, never a mixed one or one with fp16 sums; of a format with scales without one of its own
 *  that of what is multiplied. ROOF_MEASURED prefers measured figures;
 *  ROOF_DATASHEET and ROOF_ASSUMED alike those that are not; where there is none of the preferred, one of the
 *  others serves. Of equals the one for the most cores, then the fastest.
 *  Units: FLOP/s.
 *  Ownership: points into `machine`.
 *  Errors: NULL when there is none with a known rate. */
ROOF_API const roof_peak *roof_machine_peak(const roof_machine *machine, roof_dtype dtype, roof_unit unit,
                                            bool sparse, roof_provenance kind);

/** "dense", "2:4 sparse", or "sparse" where the figure is more than twice the dense one, which 2:4 is at most.
 *  Units: none.
 *  Ownership: static text.
 *  Errors: none. */
ROOF_API const char *roof_peak_density(const roof_machine *machine, const roof_peak *peak);

/** The level of that kind with the most cores, the fastest of several and, as for peaks, of the preferred
 *  provenance, or NULL.
 *  Units: none.
 *  Ownership: points into `machine`.
 *  Errors: NULL when there is none. */
ROOF_API const roof_level *roof_machine_level(const roof_machine *machine, roof_level_kind level,
                                              roof_provenance kind);

/** The outermost level with a known bandwidth (HBM, DRAM), or NULL.
 *  Units: none.
 *  Ownership: points into `machine`.
 *  Errors: NULL when there is none. */
ROOF_API const roof_level *roof_machine_memory(const roof_machine *machine, roof_provenance kind);

/** One figure: what it is, its value, and where that comes from. */
typedef struct roof_machine_value {
  const char *key;   /**< in JSON: "read_bytes_per_second" */
  const char *label; /**< "read" */
  const char *unit;  /**< "B/s"; "" for a count */
  double value;
  bool limited;  /**< a rate, which has a physical limit */
  bool cited;    /**< needs a source of its own, which machine files may leave out of others */
  double limit;  /**< NaN: not known */
  double spread; /**< relative spread of a measured figure, NaN: not known */
  const roof_conditions *conditions; /**< how it was measured; NULL: not here */
  roof_provenance kind;
  const char *source;
  const char *date;
} roof_machine_value;

/** A figure of the machine that is no peak, level, link or energy (units, clock, launch, overhead cutoff), by
 *  `index` from 0. One that is not known has the value NaN.
 *  Units: as `unit` says.
 *  Ownership: fills *figure, which points into the machine.
 *  Errors: false beyond the last. */
ROOF_API bool roof_machine_figure(const roof_machine *machine, int index, roof_machine_value *figure);

/** A figure of a peak, by `index` from 0.
 *  Units: as `unit` says.
 *  Ownership: fills *figure, which points into the machine.
 *  Errors: false beyond the last. */
ROOF_API bool roof_peak_figure(const roof_peak *peak, int index, roof_machine_value *figure);

/** A figure of a level (a bandwidth of each pattern, latency), by `index` from 0. One that is not known has
 *  the value NaN.
 *  Units: as `unit` says.
 *  Ownership: fills *figure, which points into the machine.
 *  Errors: false beyond the last. */
ROOF_API bool roof_level_figure(const roof_level *level, int index, roof_machine_value *figure);

/** A figure of energy, by `index` from 0. One that is not known has the value NaN.
 *  Units: as `unit` says.
 *  Ownership: fills *figure, which points into the machine.
 *  Errors: false beyond the last. */
ROOF_API bool roof_energy_figure(const roof_energy *energy, int index, roof_machine_value *figure);

/** What a byte of each pattern takes at least. A pattern without a figure of its own takes what its
 *  neighbours do, and one bandwidth alone serves all; none takes longer than one that moves as much and more
 *  (to read two arrays, what a triad takes that writes a third as well).
 *  Units: s per byte.
 *  Ownership: fills `costs`.
 *  Errors: NaN when no bandwidth is known, and for updates that have no figure of their own. */
ROOF_API void roof_level_costs(const roof_level *level, double costs[ROOF_MIX_COUNT]);

/** The least of them: what a byte takes of an unknown mix.
 *  Units: s per byte.
 *  Ownership: none.
 *  Errors: NaN when none is known. */
ROOF_API double roof_costs_least(const double costs[ROOF_MIX_COUNT]);

/** The level's bandwidth for a mix with `written` (0 to 1) of its bytes written, `in_place` of them (at most
 *  half and at most `written`) where they were read. Interpolated in seconds per byte between read (0), triad
 *  (1/3), copy (1/2) and write (1). Updates with a figure of their own count apart: they, or all reads and
 *  the writes elsewhere, whichever takes longer, but no mix is faster than the fastest pattern.
 *  Units: bytes/s.
 *  Ownership: none.
 *  Errors: NaN when no bandwidth is known. */
ROOF_API double roof_level_bandwidth(const roof_level *level, double written, double in_place);

/** Makes a machine of `cores` of its cores: measured figures for all cores become the smaller of those and
 *  `cores` times the one-core figure, their source says so, and private caches are fewer. Of cores of several
 *  kinds the fastest come first, each with its own figure; the first caches of a kind give the number of
 *  cores that it has. Figures without a one-core counterpart stay, and so does the machine when it has no
 *  more cores than that. A measured launch is one of threads: one core has none.
 *  Units: cores, at least 1.
 *  Ownership: changes the machine in place.
 *  Errors: none. */
ROOF_API void roof_machine_for_cores(roof_machine *machine, int cores);

/** Says after a name what a figure is for: ", 1 P-core", ", 2 threads per core"; nothing where it is for all.
 *  Units: none.
 *  Ownership: appends to the `text` of `size` bytes.
 *  Errors: none; what does not fit is left out. */
ROOF_API void roof_cores_append(char *text, size_t size, int cores, const char *core_kind,
                                int threads_per_core);

/** Maps a level's name to its kind, case ignored, a generation left out ("HBM3e", "GDDR6"): RF is registers;
 *  shared, SMEM and LDS are L1; LLC, SLC, MALL, VMEM and SRAM are L3; HBM, DRAM, GDDR, LPDDR and DDR are memory.
 *  Units: none.
 *  Ownership: writes *kind on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_level_kind_parse(const char *name, roof_level_kind *kind, roof_error *error);

/** "registers", "L1", "L2", "L3" or "memory".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_level_kind_name(roof_level_kind kind);

/** "datasheet", "secondary", "measured" or "assumed".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_provenance_name(roof_provenance kind);

/** Finds a provenance by name.
 *  Units: none.
 *  Ownership: writes *kind on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_provenance_parse(const char *text, roof_provenance *kind, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
