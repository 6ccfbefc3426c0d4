/* A measured program written as roofline.measurements/1. */
#include <math.h>
#include <stdlib.h>

#include "documents/json.h"
#include "documents/measurements.h"
#include "region/job.h"
#include "roofline/version.h"

static json_t *counters_json(const roof_program_counters *c) {
  json_t *flops = c->count > 0 ? json_object() : json_null();
  for (int k = 0; k < c->count; k++) {
    rf_json_set(flops, roof_dtype_name(c->list[k].dtype), rf_json_number(c->list[k].flops));
  }
  return json_pack("{s:o, s:s?, s:o, s:s?}", "flops", flops, "flops_reason",
                   c->count > 0 ? NULL : c->flops_reason, "memory_bytes", rf_json_number(c->memory_bytes),
                   "memory_reason", c->memory_reason[0] == '\0' ? NULL : c->memory_reason);
}

/** The words of the command; NULL where one is not UTF-8. */
static json_t *command_json(const char *const *words) {
  json_t *command = json_array();
  for (; *words != NULL; words++) {
    if (json_array_append_new(command, json_string(*words)) != 0) {
      json_decref(command);
      return NULL;
    }
  }
  return command;
}

json_t *rf_program_json(const roof_program *program) {
  const roof_program_usage *u = &program->usage;
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "command", command_json(program->words),
      "seconds", rf_json_number(program->whole.measurement.seconds), "samples",
      rf_json_numbers(program->whole.measurement.samples, program->whole.measurement.sample_count),
      "user_seconds", rf_json_number(u->user_seconds), "system_seconds", rf_json_number(u->system_seconds),
      "cores_busy", rf_json_number(u->cores_busy), "voluntary_switches",
      rf_json_number(u->voluntary_switches), "involuntary_switches", rf_json_number(u->involuntary_switches),
      "peak_bytes", rf_json_number(u->peak_bytes), "counters", counters_json(&program->counters));
}

/** The measurements of the parts as one document. */
static roof_status parts_document(const roof_program *program, json_t **document, roof_error *error) {
  int count = 0;
  const roof_program_part *parts = roof_program_parts(program, &count);
  const roof_machine *machine = program->ceilings.machine;
  roof_measurements all = program->missed;
  all.list = calloc((size_t)count, sizeof *all.list);
  if (all.list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "program: out of memory");
  }
  snprintf(all.source, sizeof all.source, "roofline " ROOF_VERSION_TEXT);
  snprintf(all.format, sizeof all.format, "program");
  snprintf(all.machine, sizeof all.machine, "%s", machine != NULL ? machine->name : "host");
  for (; all.count < (size_t)count; all.count++) {
    all.list[all.count] = parts[all.count].measurement;
  }
  roof_status status = rf_measurements_document(&all, document, error);
  free(all.list);
  return status;
}

json_t *rf_program_ranks_json(int count, int slowest, double slowest_seconds, double mean_seconds) {
  return count < 2 ? json_null()
                   : json_pack("{s:i, s:i, s:o, s:o}", "count", count, "slowest", slowest, "slowest_seconds",
                               rf_json_number(slowest_seconds), "mean_seconds", rf_json_number(mean_seconds));
}

roof_status rf_program_document(const roof_program *program, json_t **document, roof_error *error) {
  int count = 0;
  const roof_program_part *parts = roof_program_parts(program, &count);
  json_t *answer = NULL, *about = rf_program_json(program);
  roof_status status =
      about != NULL
          ? parts_document(program, &answer, error)
          : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a word of its command is not UTF-8", program->name);
  if (status != ROOF_OK) {
    json_decref(about);
    return status;
  }
  for (int i = 0; i < count; i++) {
    json_t *kernel = json_array_get(json_object_get(answer, "kernels"), (size_t)i);
    const roof_measurement *m = &parts[i].measurement;
    rf_json_set(kernel, "intensity", rf_json_number(m->flops / m->bytes));
    rf_json_add_placed(kernel, &parts[i].placed, 1);
    rf_json_set(kernel, "ranks",
                rf_program_ranks_json(parts[i].ranks, parts[i].slowest_rank, parts[i].slowest_seconds,
                                      parts[i].mean_seconds));
  }
  rf_json_set(answer, "program", about);
  *document = answer;
  return ROOF_OK;
}

roof_status roof_program_write(const roof_program *program, roof_text *out, roof_error *error) {
  json_t *document = NULL;
  roof_status status = rf_program_document(program, &document, error);
  if (status == ROOF_OK) {
    rf_json_set(document, "job", json_null());
    status = rf_json_write(document, "program", out, error);
  }
  return status;
}
