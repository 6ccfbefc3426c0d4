/** The columns of CSV that all measurements have: of rows that begin with a roof_measurement `measurement`. */
#ifndef CLI_RUN_MEASURED_H
#define CLI_RUN_MEASURED_H

#include "cli/columns.h"

/** What was measured, and how it was counted. */
#define CLI_MEASURED(type)                                                                                   \
  {.key = "name", CLI_FIELD(NAME, type, measurement.label)},                                                 \
      {.key = "calls", CLI_FIELD(NUMBER, type, measurement.calls)},                                          \
      {.key = "threads", CLI_FIELD(NUMBER, type, measurement.threads)},                                      \
      {.key = "seconds", CLI_FIELD(NUMBER, type, measurement.seconds)},                                      \
      {.key = "total_seconds", CLI_FIELD(NUMBER, type, measurement.total_seconds)},                          \
      {.key = "samples", .add = cli_measured_samples}, {.key = "dtype", .text = cli_measured_dtypes},        \
      {.key = "flops", CLI_FIELD(NUMBER, type, measurement.flops)},                                          \
      {.key = "bytes", CLI_FIELD(NUMBER, type, measurement.bytes)},                                          \
      {.key = "flops_counted", CLI_FIELD(NAME, type, measurement.counted_flops)},                            \
      {.key = "bytes_counted", CLI_FIELD(NAME, type, measurement.counted)}, {                                \
    .key = "spread", .number = cli_measured_spread                                                           \
  }

/** Where it stands, in the member `placed`. */
#define CLI_MEASURED_PLACED(type, placed)                                                                    \
  {.key = "binding", CLI_FIELD(NAME, type, placed.binding)},                                                 \
      {.key = "ceiling_seconds", CLI_FIELD(NUMBER, type, placed.ceiling_seconds)},                           \
      {.key = "fraction_of_ceiling", CLI_FIELD(NUMBER, type, placed.share)}, {                               \
    .key = "note", CLI_FIELD(NAME, type, measurement.note)                                                   \
  }

void cli_measured_samples(const void *row, roof_text *out);
const char *cli_measured_dtypes(const void *row, char scratch[CLI_SCRATCH]);
/** "72.1 %", "over 1000 %"; NULL: unknown. */
const char *cli_measured_share(double share, char scratch[CLI_SCRATCH]);
double cli_measured_flops_rate(const void *row);
double cli_measured_bytes_rate(const void *row);
double cli_measured_intensity(const void *row); /**< NaN where it is not finite */
double cli_measured_spread(const void *row);    /**< NaN without samples */
double cli_measured_unknown(const void *row);   /**< NaN: for a column that other measurements have */

#endif
