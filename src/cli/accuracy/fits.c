#include "cli/accuracy/fits.h"

#include <math.h>
#include <string.h>

#include "core/number.h"

#include "cli/accuracy/lines.h"

/** One constant of a fit. */
typedef struct constant_line {
  const roof_fit *fit;
  roof_constant constant;
} constant_line;

CLI_WORD(name_of, constant_line, roof_constant_row_of(r->constant)->name)

/** Seconds, bytes and shares each as people read them. */
static const char *quantity(const constant_line *line, double value, char scratch[CLI_SCRATCH]) {
  const char *unit = roof_constant_row_of(line->constant)->unit;
  return isnan(value)      ? NULL
         : unit[0] == '\0' ? cli_number(scratch, value)
                           : cli_quantity(scratch, value, strcmp(unit, "bytes") == 0 ? "B" : unit);
}

CLI_WORD(value_of, constant_line, quantity(r, r->fit->constants.values[r->constant], scratch))
CLI_WORD(spread_of, constant_line, quantity(r, r->fit->spread[r->constant], scratch))
CLI_VALUE(gain_of, constant_line, r->fit->gain[r->constant])
CLI_WORD(meaning_of, constant_line, roof_constant_row_of(r->constant)->text)

static const cli_column columns[] = {{.header = "constant", .text = name_of},
                                     {.header = "value", .text = value_of, .right = true},
                                     {.header = "+-", .text = spread_of, .right = true},
                                     {.header = "gain", .number = gain_of, CLI_PERCENT(1)},
                                     {.header = "what it is", .text = meaning_of, .rank = 1},
                                     {0}};

/** What becomes of the constants in place where those fitted are further off; which timings are better fitted apart. */
static void add_worse(const roof_fit *fit, roof_text *out) {
  roof_text_add(out, "; worse: a machine keeps those in place");
  if (fit->constants.framework[0] == '\0' && fit->framework_count > 1) {
    roof_text_add(out, ", --framework NAME fits those of one:");
    for (int i = 0; i < fit->framework_count; i++) {
      roof_text_addf(out, "%s %s", i > 0 ? "," : "", fit->frameworks[i]);
    }
  }
}

/** Where no kernel's constant is: the longest times, the smallest shares. What splits take is there in sound timings too. */
static bool is_at_limit(roof_constant constant, double value) {
  const roof_constant_row *row = roof_constant_row_of(constant);
  static const double near = 1e-3;
  switch (constant) {
  case ROOF_LATENCY_SECONDS:
  case ROOF_WAVE_SECONDS:
    return value >= row->most * (1 - near);
  case ROOF_EFFICIENCY:
  case ROOF_BANDWIDTH:
    return value <= row->least * (1 + near);
  default:
    return false;
  }
}

/** Times in another unit than was said drive the search to its limits. */
static void add_limits(const roof_fit *fit, roof_text *out) {
  int count = 0;
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    if (is_at_limit((roof_constant)i, fit->constants.values[i])) {
      roof_text_addf(out, "%s%s", count++ > 0 ? " and " : "  ", roof_constant_row_of((roof_constant)i)->name);
    }
  }
  roof_text_add(out, count > 0 ? " at the limit of the search: check the unit of the times\n" : "");
}

static void add_fit(const roof_fit *fit, roof_text *out) {
  constant_line lines[ROOF_CONSTANT_COUNT];
  size_t count = 0;
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    if (!isnan(fit->constants.values[i])) {
      lines[count++] = (constant_line){fit, (roof_constant)i};
    }
  }
  roof_text_addf(out, "\n%s in %s%s%s%s%s: %.1f %% off (median of %zu timings%s; %.1f %% before)",
                 roof_kernel_kind_name(fit->constants.kernel), roof_dtype_name(fit->constants.dtype),
                 fit->constants.blocks ? " in blocks" : "", fit->constants.narrow ? ", stored narrower" : "",
                 fit->constants.framework[0] != '\0' ? ", " : "", fit->constants.framework,
                 100 * fit->after.median, fit->after.count,
                 fit->apart ? " not fitted" : ", the fitted ones: too few", 100 * fit->before.median);
  if (fit->worse) {
    add_worse(fit, out);
  }
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(columns, lines, count));
  add_limits(fit, out);
}

/** "x1.32", or the host's "+ 1.2 ms". */
static const char *amount_of(const void *row, char scratch[CLI_SCRATCH]) {
  const roof_run_cause *c = row;
  char x[CLI_SHORT];
  if (isnan(c->factor)) {
    snprintf(scratch, CLI_SCRATCH, "+ %s", cli_quantity(x, c->seconds, "s"));
  } else {
    rf_format(scratch, CLI_SCRATCH, "x %.2f", c->factor);
  }
  return scratch;
}

CLI_WORD(usual_of, roof_run_cause,
         isnan(r->usual_low) ? NULL : cli_column_say(scratch, "%.2f to %.2f", r->usual_low, r->usual_high))

static const cli_column cause_columns[] = {
    {.header = "cause alone", CLI_FIELD(TEXT, roof_run_cause, name)},
    {.header = "share", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_run_cause, share)},
    {.header = "would take", .right = true, .text = amount_of},
    {.header = "usual", .right = true, .none = "-", .text = usual_of},
    {.header = "leaves", CLI_PERCENT(1), CLI_FIELD(NUMBER, roof_run_cause, left)},
    {.header = "what it is", .rank = 1, CLI_FIELD(TEXT, roof_run_cause, text)},
    {0}};

void cli_runs_add(const roof_calibration *c, roof_text *out) {
  for (size_t i = 0; i < c->run_count; i++) {
    roof_text_add(out, i > 0 ? "\n" : "");
    roof_run_causes_sentence(&c->runs[i], out);
    roof_text_add(out, "\n");
    cli_columns_add_text(out, CLI_ROWS(cause_columns, c->runs[i].causes, c->runs[i].count));
  }
  roof_text_add(out, "\n  would take: of its predicted time, were it the only cause; usual: what 8 of 10 "
                     "comparable kernels do\n"
                     "  leaves: median error of the runs then\n");
}

void cli_fits_add(const roof_calibration *c, roof_text *out) {
  bool apart = true;
  if (c->run_count > 0) {
    cli_runs_add(c, out);
  }
  if (c->count == 0) {
    cli_gaps_add(&c->judged, out);
    return;
  }
  for (size_t i = 0; i < c->count; i++) {
    apart = apart && c->fits[i].apart;
  }
  roof_text_addf(out, "%.1f %% off (median of %zu timings%s), %.1f %% of them inside the interval\n",
                 100 * c->judged.all.median, c->judged.all.count, apart ? " not fitted" : "",
                 100 * c->judged.all.inside);
  for (size_t i = 0; i < c->count; i++) {
    add_fit(&c->fits[i], out);
  }
  roof_text_add(out, "\n  +-: standard deviation over resamples of the timings\n"
                     "  gain: how much less off the constant's effect makes the fitted timings\n");
  cli_accuracy_add(&c->judged, out);
}
