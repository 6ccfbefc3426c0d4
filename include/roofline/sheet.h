/** A machine's sheet: all its figures in the tables and the order that people read them in, each with what it
 *  is judged by.
 *
 *  Example:
 *    extern const roof_machine *machine; // by roof_catalog_load
 *    roof_sheet sheet;
 *    if (roof_sheet_init(&sheet, machine, NULL) == ROOF_OK) {
 *      for (size_t i = sheet.first[ROOF_SHEET_PEAKS]; i < sheet.first[ROOF_SHEET_PEAKS + 1]; i++) {
 *        printf("%s: %.3g %s\n", sheet.rows[i].name, sheet.rows[i].value, sheet.rows[i].unit);
 *      }
 *      roof_sheet_done(&sheet);
 *    } */
#ifndef ROOFLINE_SHEET_H
#define ROOFLINE_SHEET_H

#include "roofline/report.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The tables in their order. Peaks: each quoted one, dense or sparse, then the measured ones of its format
 *  and unit, then those that nothing is quoted for. Levels: a row for each bandwidth and latency that is
 *  known. Others: energy, and the machine's own figures that say where they come from. */
typedef enum roof_sheet_table {
  ROOF_SHEET_PEAKS,
  ROOF_SHEET_LEVELS,
  ROOF_SHEET_DOMAINS, /**< as in the report: only their provenance */
  ROOF_SHEET_LINKS,
  ROOF_SHEET_MODES, /**< patterns with two bandwidths and nothing between: `least` and `most` */
  ROOF_SHEET_TLBS,
  ROOF_SHEET_COSTS,
  ROOF_SHEET_RATES, /**< operations that no peak counts */
  ROOF_SHEET_SCALING, /**< a ceiling of one core (`least`), of all (`most`), and how many saturate it (`count`) */
  ROOF_SHEET_LIBRARIES, /**< without those that were skipped */
  ROOF_SHEET_OTHERS,
  ROOF_SHEET_TABLE_COUNT
} roof_sheet_table;

/** One figure. A number that is not known, or that its table does not have, is NaN. */
typedef struct roof_sheet_row {
  char name[144];   /**< "fp16 matrix, sm_90 tensor core", "DRAM read, 1 core" */
  bool under;       /**< measured, of a machine that is quoted: it belongs to the figures before it */
  double value;     /**< rate, bandwidth, time, of a TLB what a miss costs */
  const char *unit; /**< of `value` */
  double share;     /**< of its physical limit, of a library of the peak */
  double spread;    /**< of its samples */
  bool noisy;       /**< it differs from round to round */
  double ridge;     /**< of a peak: FLOP per byte of memory */
  double bytes;     /**< of a level in its first row: capacity; of a TLB: reach */
  bool is_memory;   /**< of a level: main memory, whose size is in decimal units */
  double count;     /**< of a level in its first row how many there are, of a link how many lanes, where there
                             are several; of a TLB its entries */
  double both_ways; /**< of a link */
  double joins;     /**< of a link: devices at most */
  double cycles;    /**< of a cost */
  double per_cycle; /**< of a rate: operations of one core */
  double least, most;     /**< of a cost, of the two modes of a level */
  double page_bytes;      /**< of a TLB */
  const char *parameters; /**< of a library: what it computed; "": nothing */
  roof_provenance kind;
  int source; /**< which of the sheet's sources, from 1; 0: it names none */
} roof_sheet_row;

/** Where figures come from. */
typedef struct roof_sheet_source {
  const char *source;
  const char *date; /**< "": not said */
} roof_sheet_source;

/** The rows of table t are those from first[t] to before first[t + 1]. */
typedef struct roof_sheet {
  roof_sheet_row *rows;
  size_t first[ROOF_SHEET_TABLE_COUNT + 1];
  roof_sheet_source *sources; /**< each once, in the order of the rows that name them first */
  size_t source_count;
} roof_sheet;

/** Makes the sheet of a machine.
 *  Units: as each row says; FLOP/byte, bytes, s.
 *  Ownership: fills *sheet on success only; release with roof_sheet_done. It points into the machine.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_sheet_init(roof_sheet *sheet, const roof_machine *machine, roof_error *error);

/** Appends what a machine is in three lines: name and title, the figures people look for, how old they are and its
 *  other names.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_sheet_head(const roof_machine *machine, roof_text *out);

/** Appends a line of the formats that the machine has no path for in hardware; nothing where there are none.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_sheet_lacks(const roof_machine *machine, roof_text *out);

/** Appends a line of what an SM and a block of an NVIDIA GPU hold on chip; nothing where that is not known.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_sheet_block(const roof_machine *machine, roof_text *out);

/** Appends the notes of a machine, then the numbered sources of its sheet, a line each.
 *  Units: none.
 *  Ownership: appends to the caller's text.
 *  Errors: out->failed. */
ROOF_API void roof_sheet_footer(const roof_sheet *sheet, const roof_machine *machine, roof_text *out);

/** Frees a sheet.
 *  Units: none.
 *  Ownership: releases what roof_sheet_init filled.
 *  Errors: none. */
ROOF_API void roof_sheet_done(roof_sheet *sheet);

/** A ceiling that counts: the best way to compute a format, or what a level gives. */
typedef struct roof_brief_row {
  char name[64];    /**< "fp32 vector", "DRAM read" */
  const char *unit; /**< "FLOP/s" or "B/s" */
  double one;       /**< of one core, NaN not known */
  double all;       /**< of all of them, or of the device */
  double share;    /**< of its physical limit, of all cores where that is known, else of one; NaN not known */
  const char *isa; /**< how, "" not known */
  const char *noisy; /**< why it is not to be relied on, "" when it is */
} roof_brief_row;

enum { ROOF_BRIEF_MAX = 24 };

/** The ceilings that count of a measured machine: the highest peak of each format and unit, then reading and triad of
 *  each level from the inside out.
 *  Units: FLOP/s, bytes/s.
 *  Ownership: fills at most ROOF_BRIEF_MAX rows, which point into the machine; returns how many.
 *  Errors: none. */
ROOF_API int roof_sheet_brief(const roof_machine *machine, roof_brief_row *rows);

#ifdef __cplusplus
}
#endif
#endif
