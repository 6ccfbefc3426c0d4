/** What only a measurement of a machine shows: how each figure was measured, what synchronisation and address
 *  translation cost, bandwidth by working set, memory domains, what libraries reach.
 *
 *  Example:
 *    extern const roof_machine *machine; // by a backend
 *    const roof_report *report = roof_machine_report(machine);
 *    for (int i = 0; i < report->cost_count; i++) {
 *      printf("%s: %g s\n", report->costs[i].name, report->costs[i].seconds);
 *    } */
#ifndef ROOFLINE_REPORT_H
#define ROOFLINE_REPORT_H

#include "roofline/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOF_COST_MAX 24
#define ROOF_TLB_MAX 8
#define ROOF_LOAD_MAX 12
#define ROOF_MODE_MAX 5
#define ROOF_CURVE_MAX 64
#define ROOF_INTENSITY_MAX 24
#define ROOF_SCALING_MAX 12
#define ROOF_CORE_COUNTS_MAX 12
#define ROOF_RATE_MAX 48
#define ROOF_DOMAIN_MAX 16
#define ROOF_LIBRARY_MAX 32
#define ROOF_BLOCKS_MAX 16

/** Latency of memory while other cores draw a bandwidth from it. */
typedef struct roof_loaded_latency {
  double bytes_per_second; /**< of all other cores together, 0: idle */
  double latency_seconds;
} roof_loaded_latency;

/** Two bandwidths that a pattern was seen to have, and nothing between. */
typedef struct roof_modes {
  char pattern[16];
  double fast_bytes_per_second;
  double slow_bytes_per_second;
} roof_modes;

/** How a level was measured: each pattern by itself, its latency under load, patterns that have two rates. */
typedef struct roof_level_report {
  roof_conditions read, write, copy, update, triad;
  roof_loaded_latency loaded_latency[ROOF_LOAD_MAX]; /**< by growing load */
  int loaded_latency_count;
  roof_modes modes[ROOF_MODE_MAX];
  int mode_count;
} roof_level_report;

/** What one act of synchronisation costs. */
typedef struct roof_cost {
  char name[ROOF_NAME_MAX]; /**< "barrier", "atomic add, shared line" */
  roof_provenance kind;
  int cores; /**< cores that take part, 0: all */
  double seconds;
  double least_seconds; /**< of several pairs of cores, the fastest and the slowest */
  double most_seconds;
  double clock_hz; /**< of the cores, to convert to cycles */
  double samples;
  double spread;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_cost;

/** How far one level of address translation reaches with pages of one size. */
typedef struct roof_tlb {
  char name[ROOF_NAME_MAX]; /**< "L1 TLB" */
  double page_bytes;
  double entries; /**< pages that fit; NaN when none was found */
  double reach_bytes;
  double miss_seconds; /**< what a load takes longer beyond it */
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_tlb;

/** Bandwidth at one working set. */
typedef struct roof_curve_point {
  double bytes;
  double bytes_per_second;
} roof_curve_point;

/** What a loop reaches that reads memory and computes in fp64 on all cores, at one intensity. */
typedef struct roof_intensity_point {
  double intensity; /**< FLOP/byte of memory */
  double flops_per_second;
} roof_intensity_point;

/** How a ceiling grows with the cores that work. Entry i of one list belongs to entry i of the other. */
typedef struct roof_scaling {
  char name[ROOF_NAME_MAX]; /**< "DRAM read", "fp64 vector AVX-512" */
  char unit[16];            /**< "B/s" or "FLOP/s" */
  double cores[ROOF_CORE_COUNTS_MAX];
  int core_count;
  double per_second[ROOF_CORE_COUNTS_MAX]; /**< of these cores together */
  int rate_count;
  double saturating_cores; /**< the fewest of them that reach nearly as much as any; NaN: it needs them all */
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_scaling;

/** Operations that no peak counts: of integers, divisions, square roots. An element of a vector is one operation. */
typedef struct roof_rate {
  char name[ROOF_NAME_MAX]; /**< "int32 multiply", "fp64 divide" */
  char isa[32];
  int cores;         /**< cores this figure is for, 0: all */
  double per_second; /**< operations of these cores together */
  double clock_hz;   /**< of the cores meanwhile */
  double spread;
  roof_conditions conditions;
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_rate;

/** One domain of memory: what its cores read from each domain. Entry i of a list is for domain i; NaN:
 *  unknown. */
typedef struct roof_domain {
  char name[32];
  double cores;                                  /**< nearest to it; 0 for memory without cores */
  double bytes;                                  /**< of memory */
  double read_bytes_per_second[ROOF_DOMAIN_MAX]; /**< by all its cores together */
  int read_count;
  double latency_seconds[ROOF_DOMAIN_MAX]; /**< of a load that waits for the one before it */
  int latency_count;
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_domain;

/** What a library reaches. Predictions do not use it: it shows how near the peaks tuned code comes. */
typedef struct roof_library {
  char name[ROOF_NAME_MAX];      /**< "OpenBLAS" */
  char version[ROOF_SOURCE_MAX]; /**< as the library says */
  char op[ROOF_NAME_MAX];        /**< "gemm" */
  roof_dtype dtype;
  int cores;                      /**< cores this figure is for, 0: all */
  char parameters[ROOF_NAME_MAX]; /**< "m=1024 n=1024 k=1024" */
  double flops_per_second;        /**< FLOP/s by the algorithm that it takes; NaN when it was skipped */
  double best_flops_per_second;   /**< by the fastest of those that it suggests; NaN: nobody looked */
  double fraction_of_peak;        /**< of the measured peak of that format on those cores */
  double spread;
  roof_provenance kind;
  char skipped[ROOF_SOURCE_MAX]; /**< why there is no figure, or "" */
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_library;

/** The blocks in which a product of matrices C = A B is fastest on all cores of this machine, of those that a measurement
 *  tried. The built-in product uses them. Of an accelerator's kernel, whose blocks are its own: the fastest of its variants
 *  at this shape. */
typedef struct roof_blocks {
  roof_dtype dtype;
  char kernel[ROOF_NAME_MAX];  /**< of an accelerator, "gemm-cluster"; "": the processor's product */
  char variant[ROOF_NAME_MAX]; /**< of that kernel, "band=4"; "": as it is */
  double depth;                /**< rows of B, columns of A */
  double width;                /**< columns of B that a core keeps */
  double height;               /**< rows of A that a core takes at a time */
  double flops_per_second;     /**< with them, of `parameters` */
  double gain; /**< times as fast as the blocks that follow from the sizes of the caches, or as
                                     the kernel as it is */
  char parameters[ROOF_NAME_MAX]; /**< "m=1024 n=1024 k=1024" */
  roof_provenance kind;
  char source[ROOF_SOURCE_MAX];
  char date[16];
} roof_blocks;

typedef struct roof_report {
  roof_conditions clock, launch; /**< how these two figures of the machine were measured */
  roof_cost *costs;
  int cost_count;
  roof_tlb *tlbs;
  int tlb_count;
  roof_curve_point *curve; /**< one core reads: bandwidth by working set */
  int curve_count;
  roof_intensity_point *intensities; /**< by growing intensity */
  int intensity_count;
  roof_scaling *scaling; /**< of each level and of the peak */
  int scaling_count;
  roof_rate *rates;
  int rate_count;
  roof_domain *domains; /**< of memory; none where there is only one */
  int domain_count;
  roof_library *libraries;
  int library_count;
  roof_blocks *blocks; /**< one per format; of an accelerator one per kernel, format and shape */
  int block_count;
} roof_report;

/** What was measured of the machine: an empty report where nothing was.
 *  Units: none.
 *  Ownership: points into `machine`, or static.
 *  Errors: none. */
ROOF_API const roof_report *roof_machine_report(const roof_machine *machine);

/** What was measured of a level: an empty report where nothing was.
 *  Units: none.
 *  Ownership: points into what `level` is part of, or static.
 *  Errors: none. */
ROOF_API const roof_level_report *roof_level_report_of(const roof_level *level);

/** The report of a machine to fill in, made where there is none yet.
 *  Units: none.
 *  Ownership: the machine's.
 *  Errors: NULL when out of memory. */
ROOF_API roof_report *roof_machine_make_report(roof_machine *machine);

/** The report of a level to fill in, made where there is none yet.
 *  Units: none.
 *  Ownership: the machine's.
 *  Errors: NULL when out of memory. */
ROOF_API roof_level_report *roof_level_make_report(roof_level *level);

/** How a peak was measured, to fill in, made where there is nothing yet.
 *  Units: none.
 *  Ownership: the machine's.
 *  Errors: NULL when out of memory. */
ROOF_API roof_conditions *roof_peak_make_conditions(roof_peak *peak);

/** Adds an empty cost of synchronisation to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_COST_MAX) or memory is out. */
ROOF_API roof_cost *roof_machine_add_cost(roof_machine *machine);

/** Adds an empty level of address translation to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_TLB_MAX) or memory is out. */
ROOF_API roof_tlb *roof_machine_add_tlb(roof_machine *machine);

/** Adds a point to the curve of the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_CURVE_MAX) or memory is out. */
ROOF_API roof_curve_point *roof_machine_add_curve_point(roof_machine *machine);

/** Adds a point to the sweep of intensity.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_INTENSITY_MAX) or memory is out. */
ROOF_API roof_intensity_point *roof_machine_add_intensity(roof_machine *machine);

/** Adds how a ceiling grows with the cores, empty, to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_SCALING_MAX) or memory is out. */
ROOF_API roof_scaling *roof_machine_add_scaling(roof_machine *machine);

/** The fewest cores that reach 95 % of the most that any count reaches.
 *  Units: count.
 *  Ownership: none.
 *  Errors: NaN where only the most cores do, or nothing is known. */
ROOF_API double roof_scaling_saturation(const roof_scaling *scaling);

/** Adds an empty rate of operations to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_RATE_MAX) or memory is out. */
ROOF_API roof_rate *roof_machine_add_rate(roof_machine *machine);

/** Adds an empty memory domain to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_DOMAIN_MAX) or memory is out. */
ROOF_API roof_domain *roof_machine_add_domain(roof_machine *machine);

/** Adds an empty entry of what a library reaches to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_LIBRARY_MAX) or memory is out. */
ROOF_API roof_library *roof_machine_add_library(roof_machine *machine);

/** Adds an empty entry of blocks to the report.
 *  Units: none.
 *  Ownership: the entry is the machine's.
 *  Errors: NULL when the list is full (ROOF_BLOCKS_MAX) or memory is out. */
ROOF_API roof_blocks *roof_machine_add_blocks(roof_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
