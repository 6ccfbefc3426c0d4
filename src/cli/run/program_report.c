/* What a program did, as text, JSON, CSV or a chart: on stderr, for stdout is the program's, or in a file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/chart.h"
#include "cli/grid.h"
#include "cli/run/program.h"
#include "documents/measurements.h"
#include "roofline/version.h"

enum { QUANTITY = 32 };

const cli_part *cli_program_parts(const cli_program *program, int *count) {
  *count = program->count > 0 ? program->count : 1;
  return program->count > 0 ? program->parts : &program->whole;
}

/** The median of one figure over the runs. */
static double median_of(const cli_program *program, size_t field) {
  int count = program->options->repeats;
  roof_stats stats = {.median = NAN};
  double *values = malloc((size_t)count * sizeof *values);
  for (int i = 0; i < count && values != NULL; i++) {
    values[i] = *(const double *)(const void *)((const char *)&program->runs[i] + field);
  }
  if (values != NULL) {
    (void)roof_stats_of(values, (size_t)count, &stats, NULL);
  }
  free(values);
  return stats.median;
}

#define MEDIAN(program, field) median_of(program, offsetof(rf_program_usage, field))

static double cores_busy(const cli_program *program) {
  return (MEDIAN(program, user_seconds) + MEDIAN(program, system_seconds)) / MEDIAN(program, seconds);
}

/* Text */

static void add_quantity(cli_grid *grid, double value, const char *unit) {
  char text[QUANTITY];
  cli_grid_add(grid, "%s", isfinite(value) ? roof_quantity_format(text, sizeof text, value, unit) : "-");
}

static void add_row(cli_grid *grid, const cli_part *part) {
  const roof_measurement *m = &part->measurement;
  const roof_placed *at = &part->placed;
  cli_grid_add(grid, "%s", m->label);
  cli_grid_add(grid, "%.0f", part->calls);
  cli_grid_add(grid, "%.0f", part->threads);
  add_quantity(grid, m->seconds, "s");
  if (m->sample_count > 1) {
    cli_grid_add(grid, "%.1f %%", 100 * m->stats.spread);
  } else {
    cli_grid_add(grid, "-");
  }
  add_quantity(grid, part->threads * m->flops / m->seconds, "FLOP/s");
  add_quantity(grid, part->threads * m->bytes / m->seconds, "B/s");
  if (isfinite(m->flops / m->bytes)) {
    cli_grid_add(grid, "%.4g", m->flops / m->bytes);
  } else {
    cli_grid_add(grid, "-");
  }
  if (!isnan(at->share)) {
    cli_grid_add(grid, "%.1f %%", 100 * at->share);
  } else {
    cli_grid_add(grid, "-");
  }
  cli_grid_add(grid, "%s", at->binding[0] != '\0' ? at->binding : "-");
}

static const char *const heads[] = {"region", "calls",  "threads", "time",       "spread",
                                    "FLOPs",  "memory", "FLOP/B",  "of ceiling", "bound by"};
enum { HEADS = sizeof heads / sizeof heads[0] };

static void add_rows(const cli_program *program, cli_grid *grid) {
  int count = 0;
  const cli_part *parts = cli_program_parts(program, &count);
  for (int i = 0; i < HEADS; i++) {
    cli_grid_add(grid, "%s", i == 0 && program->count == 0 ? "program" : heads[i]);
  }
  for (int i = 0; i < count; i++) {
    add_row(grid, &parts[i]);
  }
}

/** "3 runs of 1.2 s, 1.9 cores busy; ..." */
static void add_usage(const cli_program *program, roof_text *out) {
  char wall[QUANTITY], user[QUANTITY], kernel[QUANTITY], peak[QUANTITY];
  int repeats = program->options->repeats;
  roof_text_addf(
      out, "%s: %d run%s of %s, %.2f cores busy: user %s, system %s\n", program->name, repeats,
      repeats == 1 ? "" : "s", roof_quantity_format(wall, QUANTITY, program->whole.measurement.seconds, "s"),
      cores_busy(program), roof_quantity_format(user, QUANTITY, MEDIAN(program, user_seconds), "s"),
      roof_quantity_format(kernel, QUANTITY, MEDIAN(program, system_seconds), "s"));
  roof_text_addf(out, "  %s resident at most; context switches: %.0f waiting, %.0f forced\n",
                 roof_bytes_format(peak, QUANTITY, MEDIAN(program, peak_bytes)),
                 MEDIAN(program, voluntary_switches), MEDIAN(program, involuntary_switches));
}

/** What was counted by hardware, or why not. */
static void add_counters(const cli_program *program, roof_text *out) {
  const rf_program_counting *c = &program->counting;
  char total[QUANTITY];
  roof_text_add(out, "  counters: FLOPs: ");
  if (c->flops) {
    for (int k = 0; k < rf_counters_count(); k++) {
      double flops = median_of(program, offsetof(rf_program_usage, flops) + (size_t)k * sizeof(double));
      roof_text_addf(out, "%s%s in %s (%s)", k > 0 ? ", " : "",
                     roof_quantity_format(total, QUANTITY, flops, "FLOP"),
                     roof_dtype_name(rf_counters_dtype(k)), rf_counters_name(k));
    }
  } else {
    roof_text_add(out, c->flops_reason);
  }
  roof_text_addf(out, "\n  counters: memory: %s\n",
                 c->memory ? roof_quantity_format(total, QUANTITY, MEDIAN(program, memory_bytes), "B")
                           : c->memory_reason);
}

static bool is_unknown(const cli_part *part) {
  return isnan(part->measurement.flops) && isnan(part->measurement.bytes);
}

static void add_remark(const cli_part *part, roof_text *out) {
  const roof_measurement *m = &part->measurement;
  if (is_unknown(part)) {
    roof_text_addf(out, "  %s: its FLOPs and bytes are unknown, so it has no place on a roofline\n",
                   m->label);
  } else if (part->placed.state > ROOF_PLACE_POSSIBLE) {
    roof_text_addf(out,
                   "  %s: above the roof of memory or peak: its data stay in a cache, or it does less "
                   "than it says\n",
                   m->label);
  }
  if (part->threads > 1) {
    roof_text_addf(out, "  %s: the rates are those of its %.0f threads, taken to run at the same time\n",
                   m->label, part->threads);
  }
}

static void add_remarks(const cli_program *program, roof_text *out) {
  int count = 0;
  const cli_part *parts = cli_program_parts(program, &count);
  for (int i = 0; i < count; i++) {
    add_remark(&parts[i], out);
  }
  for (size_t i = 0; i < program->missed.skipped_count; i++) {
    roof_text_addf(out, "  %s: %s\n", program->missed.skipped[i].what, program->missed.skipped[i].why);
  }
  if (program->count == 0 && is_unknown(&program->whole)) {
    roof_text_add(out, "  no region was marked (docs/regions.md); --flops and --bytes, or --op, say what the "
                       "program does\n");
  }
}

static void add_text(const cli_program *program, roof_text *out) {
  cli_grid grid = {0};
  add_usage(program, out);
  if (!program->args->quiet) {
    add_counters(program, out);
  }
  roof_text_add(out, "\n");
  add_rows(program, &grid);
  cli_grid_end(&grid, out, "lrrrrrrrrl");
  roof_text_add(out, "\n");
  if (!program->args->quiet) {
    add_remarks(program, out);
  }
  if (program->machine == NULL) {
    roof_text_add(out, "  ceilings: unknown; `roofline measure` finds them\n");
  } else if (program->options->threads > 0) {
    roof_text_addf(out, "  ceilings: %d of the cores of %s\n", program->options->threads,
                   program->machine->name);
  } else {
    roof_text_addf(out, "  ceilings: %s%s%s\n", program->machine->name,
                   program->machine->kind == ROOF_MEASURED ? " as measured on " : "",
                   program->machine->kind == ROOF_MEASURED ? program->machine->date : "");
  }
  if (program->machine != NULL && program->count > 0) {
    roof_text_add(
        out, "  each region is set against as many cores as called it, unless it did more than they can\n");
  }
}

/* JSON and CSV */

static json_t *samples_json(const roof_measurement *m) {
  json_t *samples = json_array();
  for (size_t i = 0; i < m->sample_count; i++) {
    json_array_append_new(samples, rf_json_number(m->samples[i]));
  }
  return samples;
}

/** What only this command says of a part. */
static void add_details(const cli_part *part, json_t *kernel) {
  const roof_measurement *m = &part->measurement;
  json_object_set_new(kernel, "intensity", rf_json_number(m->flops / m->bytes));
  cli_json_add_placed(kernel, &part->placed, 1);
}

static json_t *counters_json(const cli_program *program) {
  const rf_program_counting *c = &program->counting;
  json_t *flops = c->flops ? json_object() : json_null();
  for (int k = 0; k < rf_counters_count() && c->flops; k++) {
    double median = median_of(program, offsetof(rf_program_usage, flops) + (size_t)k * sizeof(double));
    json_object_set_new(flops, roof_dtype_name(rf_counters_dtype(k)), rf_json_number(median));
  }
  return json_pack("{s:o, s:s?, s:o, s:s?}", "flops", flops, "flops_reason",
                   c->flops ? NULL : c->flops_reason, "memory_bytes",
                   rf_json_number(MEDIAN(program, memory_bytes)), "memory_reason",
                   c->memory ? NULL : c->memory_reason);
}

static json_t *program_json(const cli_program *program) {
  json_t *command = json_array();
  for (int i = 0; program->args->program[i] != NULL; i++) {
    json_array_append_new(command, json_string(program->args->program[i]));
  }
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "command", command, "seconds",
                   rf_json_number(program->whole.measurement.seconds), "samples",
                   samples_json(&program->whole.measurement), "user_seconds",
                   rf_json_number(MEDIAN(program, user_seconds)), "system_seconds",
                   rf_json_number(MEDIAN(program, system_seconds)), "cores_busy",
                   rf_json_number(cores_busy(program)), "voluntary_switches",
                   rf_json_number(MEDIAN(program, voluntary_switches)), "involuntary_switches",
                   rf_json_number(MEDIAN(program, involuntary_switches)), "peak_bytes",
                   rf_json_number(MEDIAN(program, peak_bytes)), "counters", counters_json(program));
}

static json_t *answer_json(const cli_program *program) {
  int count = 0;
  const cli_part *parts = cli_program_parts(program, &count);
  roof_measurements all = program->missed;
  all.list = calloc((size_t)count, sizeof *all.list);
  snprintf(all.source, sizeof all.source, "roofline " ROOF_VERSION_TEXT);
  snprintf(all.format, sizeof all.format, "program");
  snprintf(all.machine, sizeof all.machine, "%s", program->machine != NULL ? program->machine->name : "host");
  for (; all.list != NULL && all.count < (size_t)count; all.count++) {
    all.list[all.count] = parts[all.count].measurement;
  }
  json_t *answer = rf_measurements_json(&all), *kernels = json_object_get(answer, "kernels");
  for (int i = 0; i < count; i++) {
    add_details(&parts[i], json_array_get(kernels, (size_t)i));
  }
  json_object_set_new(answer, "program", program_json(program));
  free(all.list);
  return answer;
}

static void add_json(const cli_program *program, roof_text *out) {
  cli_json_add_lines(out, answer_json(program));
}

static void add_csv(const cli_program *program, roof_text *out) {
  json_t *answer = answer_json(program);
  cli_answer_add_csv(out, answer);
  json_decref(answer);
}

/* Chart */

static roof_status add_dot(const cli_part *part, roof_scene *scene, roof_error *error) {
  const roof_measurement *m = &part->measurement;
  char time[QUANTITY];
  if (!(m->flops > 0 && m->bytes > 0)) {
    return ROOF_OK; /* without both it has no place */
  }
  roof_scene_dot dot = {.intensity = m->flops / m->bytes,
                        .flops_per_second = part->threads * m->flops / m->seconds,
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%.79s", m->label);
  snprintf(dot.detail, sizeof dot.detail, "%s per call, %.0f %% of its ceiling",
           roof_quantity_format(time, sizeof time, m->seconds, "s"), 100 * part->placed.share);
  return roof_scene_add_placed(scene, &dot, &part->placed) >= 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d dots", m->label,
                              ROOF_SCENE_DOTS);
}

static roof_status fill_scene(const cli_program *program, roof_scene *scene, roof_error *error) {
  int count = 0;
  const cli_part *parts = cli_program_parts(program, &count);
  roof_dtype dtype = parts[0].measurement.dtype;
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "%.50s on %.50s, %s", program->name, program->machine->title,
           roof_dtype_name(dtype));
  roof_machine *drawn = roof_machine_copy(program->machine);
  if (drawn == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  }
  if (program->options->threads > 0) {
    roof_machine_for_cores(drawn, program->options->threads);
  }
  roof_status status = roof_scene_add_machine(scene, drawn, dtype, error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = add_dot(&parts[i], scene, error);
  }
  roof_machine_free(drawn);
  return status;
}

static roof_status write_chart(const cli_program *program, roof_error *error) {
  roof_scene *scene = malloc(sizeof *scene);
  cli_grid grid = {0};
  add_rows(program, &grid);
  const char **cells = cli_grid_cells(&grid);
  roof_status status = scene == NULL || cells == NULL
                           ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory")
                           : fill_scene(program, scene, error);
  if (status == ROOF_OK) {
    const roof_table table = {"Regions", cells, HEADS, grid.count / HEADS - 1};
    status = cli_chart_write(program->args->to, scene, &table, error);
  }
  free(cells);
  cli_grid_done(&grid);
  free(scene);
  return status;
}

/* Where to */

/** True when the report is a chart; an error when it could not be drawn. */
static bool wants_chart(const cli_program *program) {
  const cli_args *args = program->args;
  return args->to != NULL && !args->json && !args->csv &&
         (roof_text_ends_with(args->to, ".svg") || roof_text_ends_with(args->to, ".png") ||
          roof_text_ends_with(args->to, ".html"));
}

roof_status cli_program_check(const cli_program *program, roof_error *error) {
  if (!wants_chart(program)) {
    return ROOF_OK;
  }
  return program->machine != NULL
             ? cli_chart_check(program->args->to, error)
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "--to %s: the ceilings are unknown; `roofline measure` finds them",
                              program->args->to);
}

static roof_status put(const cli_program *program, const roof_text *text, roof_error *error) {
  const char *to = program->args->to;
  if (text->failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "report: out of memory");
  }
  if (to != NULL) {
    return rf_write_file(to, text->data, text->length, error);
  }
  return fwrite(text->data, 1, text->length, stderr) == text->length
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_OUTPUT, "standard error: %s", strerror(errno));
}

roof_status cli_program_report(const cli_program *program, roof_error *error) {
  const cli_args *args = program->args;
  roof_text text = {0};
  if (wants_chart(program)) {
    return write_chart(program, error);
  }
  bool json = args->json || (!args->csv && roof_text_ends_with(args->to, ".json"));
  bool csv = args->csv || roof_text_ends_with(args->to, ".csv");
  (json ? add_json : csv ? add_csv : add_text)(program, &text);
  roof_status status = put(program, &text, error);
  roof_text_done(&text);
  return status;
}
