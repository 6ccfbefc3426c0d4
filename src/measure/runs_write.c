/* Runs of built-in kernels written as roofline.measurements/1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "documents/measurements.h"
#include "roofline/runs.h"
#include "roofline/version.h"

static json_t *conditions_json(const roof_conditions *conditions) {
  roof_text text = {0};
  json_t *object = NULL;
  if (roof_conditions_write(conditions, &text, NULL) == ROOF_OK) {
    object = rf_json_load(text.data, text.length, JSON_DECODE_ANY, NULL);
  }
  roof_text_done(&text);
  return object;
}

/** What took turns with it; `fraction`: how fast the kernel is as a share of this one, the median over the
 * turns. */
static json_t *baseline_json(const roof_run *r) {
  const roof_measurement *m = &r->baseline;
  return m->sample_count == 0
             ? json_null()
             : json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", m->label, "seconds", rf_json_number(m->seconds),
                         "samples", rf_json_numbers(m->samples, m->sample_count), "spread",
                         rf_json_number(m->stats.spread), "fraction",
                         rf_json_number(roof_share_in_turns(&r->measurement, m)));
}

static json_t *counts_json(const roof_counts *counts) {
  json_t *bytes = json_object();
  for (int level = 0; level < ROOF_LEVEL_KIND_COUNT; level++) {
    rf_json_set(bytes, roof_level_kind_name((roof_level_kind)level), rf_json_number(counts->bytes[level]));
  }
  return json_pack("{s:s, s:o, s:o, s:o}", "source", "ncu", "flops", rf_json_number(counts->flops), "bytes",
                   bytes, "operational_intensity", rf_json_number(counts->intensity));
}

/** What only a run of a built-in kernel has. */
static void add_details(const roof_run *r, json_t *kernel) {
  const roof_measurement *m = &r->measurement;
  rf_json_merge(kernel,
                json_pack("{s:o, s:o, s:o, s:s?, s:o, s:o, s:o, s:s?, s:o}", "write_share",
                          rf_json_number(m->write_share), "update_share", rf_json_number(m->update_share),
                          "working_set_bytes", rf_json_number(r->working_set), "level",
                          r->level != NULL ? r->level->name : NULL, "conditions",
                          conditions_json(&m->conditions), "watts", rf_json_number(m->watts), "joules",
                          rf_json_number(m->joules), "power", m->power[0] != '\0' ? m->power : NULL,
                          "baseline", baseline_json(r)));
  if (r->counted) {
    rf_json_set(kernel, "counters", counts_json(&r->counts));
  }
  rf_json_set(kernel, "limit_seconds", rf_json_number(r->at.limit_seconds));
  rf_json_add_placed(kernel, &r->at, 1);
}

/** What ran into all->list, which has room, and why the others did not. */
static roof_status collect(const roof_runs *runs, roof_measurements *all, roof_error *error) {
  roof_status status = ROOF_OK;
  snprintf(all->format, sizeof all->format, "%s", runs->backend->name);
  for (size_t i = 0; i < runs->count && status == ROOF_OK; i++) {
    const roof_run *r = &runs->list[i];
    if (r->skipped[0] != '\0') {
      status = roof_measurements_skip(all, r->kernel->name, r->skipped, error);
    } else {
      all->list[all->count++] = r->measurement;
      memcpy(all->machine, r->measurement.machine, sizeof all->machine);
    }
  }
  return status;
}

roof_status roof_runs_write(const roof_runs *runs, roof_text *out, roof_error *error) {
  roof_measurements all = {.list = calloc(runs->count + 1, sizeof *all.list),
                           .source = "roofline " ROOF_VERSION_TEXT};
  json_t *answer = NULL;
  roof_status status = all.list != NULL ? collect(runs, &all, error)
                                        : roof_error_set(error, ROOF_E_MEMORY, "run: out of memory");
  status = status == ROOF_OK ? rf_measurements_document(&all, &answer, error) : status;
  free(all.list);
  free(all.skipped);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *kernels = json_object_get(answer, "kernels");
  for (size_t i = 0, ran = 0; i < runs->count; i++) {
    if (runs->list[i].skipped[0] == '\0') {
      add_details(&runs->list[i], json_array_get(kernels, ran++));
    }
  }
  return rf_json_write(answer, "run", out, error);
}
