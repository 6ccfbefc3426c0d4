/* What a program did, as text, JSON, CSV or a chart: on stderr, for stdout is the program's, or in a file. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/run/measured.h"
#include "cli/run/program.h"
#include "roofline/plot.h"

/* Text */

static double rate(const roof_program_part *part, double work) {
  double rate = part->threads * work / part->measurement.seconds;
  return isfinite(rate) ? rate : NAN;
}

CLI_VALUE(flops_rate, roof_program_part, rate(r, r->measurement.flops))
CLI_VALUE(bytes_rate, roof_program_part, rate(r, r->measurement.bytes))
CLI_VALUE(spread, roof_program_part, r->measurement.sample_count > 1 ? r->measurement.stats.spread : NAN)
CLI_WORD(share_of, roof_program_part, cli_measured_share(r->placed.share, scratch))

static const cli_column columns[] = {
    {.header = "region", .name = true, CLI_FIELD(NAME, roof_program_part, measurement.label)},
    {.header = "calls", .rank = 1, .fixed = true, CLI_FIELD(NUMBER, roof_program_part, measurement.calls)},
    {.header = "threads",
     .rank = 4,
     .fixed = true,
     .optional = true,
     CLI_FIELD(NUMBER, roof_program_part, measurement.threads)},
    {.header = "time", .unit = "s", CLI_FIELD(NUMBER, roof_program_part, measurement.seconds)},
    {.header = "spread", .rank = 3, CLI_PERCENT(1), .number = spread},
    {.header = "FLOPs", .unit = "FLOP/s", .number = flops_rate},
    {.header = "memory", .unit = "B/s", .number = bytes_rate},
    {.header = "FLOP/B", .rank = 2, .digits = 4, .number = cli_measured_intensity},
    {.header = "of ceiling", .right = true, .text = share_of},
    {.header = "bound by", CLI_FIELD(NAME, roof_program_part, placed.binding)},
    CLI_MEASURED(roof_program_part),
    {.key = "working_set_bytes", .number = cli_measured_unknown},
    {.key = "level", .number = cli_measured_unknown},
    {.key = "intensity", .number = cli_measured_intensity},
    CLI_MEASURED_PLACED(roof_program_part, placed),
    {0},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/** Its parts; `table` has the columns, which are named after what they are. */
static cli_rows rows_of(const roof_program *program, cli_column table[COLUMNS]) {
  int count = 0;
  const roof_program_part *parts = roof_program_parts(program, &count);
  memcpy(table, columns, sizeof columns);
  table[0].header = program->region_count > 0 ? "region" : "program";
  return CLI_ROWS(table, parts, (size_t)count);
}

static void add_text(const cli_args *args, const roof_program *program, roof_text *out) {
  cli_column table[COLUMNS];
  roof_program_usage_describe(out, program);
  if (!args->quiet) {
    roof_program_counters_describe(out, program);
  }
  roof_text_add(out, "\n");
  cli_columns_add_text(out, rows_of(program, table));
  roof_text_add(out, "\n");
  if (!args->quiet) {
    roof_program_remarks_describe(out, program);
  }
  roof_program_ceilings_describe(out, program);
}

/* Chart */

static roof_status write_chart(const cli_args *args, const roof_program *program, roof_error *error) {
  cli_column table[COLUMNS];
  roof_scene *scene = cli_chart_room();
  roof_status status = roof_program_scene(program, scene, error);
  if (status == ROOF_OK) {
    status = cli_chart_write_rows(args, scene, "Regions", rows_of(program, table), error);
  }
  return status;
}

/* Where to */

roof_status cli_program_check(const cli_args *args, const roof_machine *machine, roof_error *error) {
  return args->file == NULL || machine != NULL
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "--to %s: the ceilings are unknown; `roofline measure` finds them", args->to);
}

roof_status cli_program_put(const cli_args *args, const roof_text *text, roof_error *error) {
  if (args->to != NULL) {
    return cli_print(text, error);
  }
  if (!args->json && !args->csv) {
    return cli_note(text, error);
  }
  if (text->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
  }
  return fwrite(text->data, 1, text->length, stderr) == text->length
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_OUTPUT, "standard error: %s", strerror(errno));
}

roof_status cli_program_report(const cli_args *args, const roof_program *program, roof_error *error) {
  cli_column table[COLUMNS];
  roof_text text = {0};
  roof_status status = ROOF_OK;
  if (args->file != NULL) {
    return write_chart(args, program, error);
  }
  if (args->csv) {
    cli_columns_add_csv(&text, rows_of(program, table));
  } else if (args->json) {
    status = roof_program_write(program, &text, error);
  } else {
    add_text(args, program, &text);
  }
  status = status == ROOF_OK ? cli_program_put(args, &text, error) : status;
  roof_text_done(&text);
  return status;
}
