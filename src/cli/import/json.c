/* What was imported as roofline.measurements/1: figures a call, with how each was counted. */
#include <math.h>

#include "cli/import/import.h"
#include "documents/measurements.h"
#include "roofline/time.h"

/** Sets `key` of both objects: the count per call, and how it was counted (`unit`: on which one; NULL for
 * bytes) or why it is missing. */
static void add_count(json_t *values, json_t *counted, const char *key, const char *unit,
                      const roof_count *count, double calls) {
  if (!isnan(count->value)) {
    json_object_set_new(values, key, rf_json_number(count->value / calls));
  }
  if (count->source[0] != '\0') {
    json_object_set_new(counted, key,
                        json_pack("{s:s, s:s, s:s*}", "source", count->source, "quality",
                                  roof_quality_name(count->quality), "unit", unit));
  }
}

/** Null where nothing is known. */
static json_t *or_null(json_t *object) {
  if (json_object_size(object) > 0) {
    return object;
  }
  json_decref(object);
  return json_null();
}

/** FLOPs by format: "fp16", and "fp16 vector" where both units of a format worked. */
static json_t *flops_of(const roof_record *r, double calls, json_t *counted) {
  json_t *flops = json_object();
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const char *name = roof_dtype_name((roof_dtype)d);
    add_count(flops, counted, name, NULL, &r->other_flops[d], calls);
    for (int u = ROOF_UNIT_COUNT - 1; u >= 0; u--) {
      char key[64];
      snprintf(key, sizeof key, "%s%s", name, json_object_get(flops, name) != NULL ? " vector" : "");
      add_count(flops, counted, key, roof_unit_name((roof_unit)u), &r->flops[d][u], calls);
    }
  }
  return or_null(flops);
}

static json_t *bytes_of(const roof_record *r, double calls, json_t *counted) {
  json_t *bytes = json_object();
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    const char *name = l == ROOF_MEMORY ? "DRAM" : roof_level_kind_name((roof_level_kind)l);
    add_count(bytes, counted, name, NULL, &r->bytes[l], calls);
  }
  add_count(bytes, counted, "unknown", NULL, &r->other_bytes, calls);
  add_count(bytes, counted, "link", NULL, &r->link_bytes, calls);
  if (r->link[0] != '\0') {
    json_object_set_new(json_object_get(counted, "link"), "link", json_string(r->link));
  }
  return or_null(bytes);
}

static json_t *counters_of(const roof_record *r) {
  json_t *counters = json_object();
  for (size_t i = 0; i < r->counter_count; i++) {
    json_object_set_new(counters, r->counters[i].name, rf_json_number(r->counters[i].value));
  }
  return or_null(counters);
}

static json_t *kernel_json(const roof_ranked_record *row) {
  const roof_record *r = row->record;
  const roof_placed *at = &row->at;
  double calls = r->calls > 0 ? (double)r->calls : 1;
  json_t *samples = json_array(), *counted = json_object(), *items = json_object();
  for (size_t i = 0; i < r->sample_count; i++) {
    json_array_append_new(samples, rf_json_number(r->samples[i]));
  }
  json_t *flops = flops_of(r, calls, counted), *bytes = bytes_of(r, calls, counted);
  add_count(items, counted, "items", NULL, &r->items, calls);
  json_t *kernel = json_pack(
      "{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", r->name, "calls", (json_int_t)r->calls,
      "seconds", rf_json_number(at->seconds / calls), "total_seconds", rf_json_number(at->seconds), "samples",
      samples, "flops", flops, "bytes", bytes, "items",
      json_incref(json_object_get(items, "items") != NULL ? json_object_get(items, "items") : json_null()),
      "counters", counters_of(r));
  json_object_set_new(kernel, "counted", counted);
  rf_json_add_placed(kernel, at, calls);
  json_decref(items);
  return kernel;
}

/** When it was measured, and whether the file itself or its date says so; null when neither does. */
static void add_taken(json_t *object, const import_answer *answer) {
  char text[ROOF_TIME_MAX];
  double taken = answer->profile->taken;
  json_object_set_new(object, "taken",
                      isnan(taken) ? json_null() : json_string(roof_time_write(taken, text)));
  json_object_set_new(
      object, "taken_from",
      isnan(taken) ? json_null() : json_string(answer->profile->dated_by_file ? "date of the file" : "file"));
}

json_t *cli_import_json(const import_answer *answer) {
  const roof_profile *p = answer->profile;
  json_t *kernels = json_array(), *skipped = json_array(), *facts = json_object();
  for (size_t i = 0; i < answer->ranking.count; i++) {
    json_array_append_new(kernels, kernel_json(&answer->ranking.rows[i]));
  }
  for (size_t i = 0; i < p->skip_count; i++) {
    json_array_append_new(skipped, json_pack("{s:s, s:s, s:I}", "what", p->skips[i].what, "why",
                                             p->skips[i].why, "times", (json_int_t)p->skips[i].times));
  }
  for (size_t i = 0; i < p->fact_count; i++) {
    const roof_fact *f = &p->facts[i];
    json_object_set_new(facts, f->name, f->text != NULL ? json_string(f->text) : rf_json_number(f->value));
  }
  json_t *machine =
      answer->ceilings->machine != NULL ? json_string(answer->ceilings->machine->name) : json_null();
  json_t *device = p->device[0] != '\0' ? json_string(p->device) : json_null();
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "roofline.measurements/1", "source",
      p->format->title, "format", p->format->name, "device", device, "machine", machine, "total_seconds",
      rf_json_number(answer->ranking.seconds), "lost_seconds", rf_json_number(answer->ranking.lost_seconds),
      "kernels", kernels, "facts", facts, "skipped", skipped);
  add_taken(object, answer);
  json_object_set_new(object, "recorded",
                      answer->recorded != NULL ? json_incref(answer->recorded) : json_null());
  return object;
}
