/* Measurements written as roofline.measurements/1. */
#include <math.h>
#include <stdlib.h>

#include "documents/json.h"
#include "documents/measurements.h"
#include "roofline/time.h"

/** By format, with the unit where it is known: "fp16 matrix". */
static json_t *flops_json(const roof_measurement *m) {
  json_t *flops = json_object();
  char key[ROOF_NAME_MAX];
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const char *name = roof_dtype_name((roof_dtype)d);
    if (!isnan(m->dtype_flops[d])) {
      rf_json_set(flops, name, rf_json_number(m->dtype_flops[d]));
    }
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      if (!isnan(m->unit_flops[d][u])) {
        snprintf(key, sizeof key, "%s %s", name, roof_unit_name((roof_unit)u));
        rf_json_set(flops, key, rf_json_number(m->unit_flops[d][u]));
      }
    }
  }
  if (json_object_size(flops) == 0 && !isnan(m->flops)) {
    rf_json_set(flops, roof_dtype_name(m->dtype), rf_json_number(m->flops));
  }
  return rf_json_filled(flops);
}

static json_t *bytes_json(const roof_measurement *m) {
  json_t *bytes = json_object();
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    if (!isnan(m->level_bytes[l])) {
      rf_json_set(bytes, l == ROOF_MEMORY ? "DRAM" : roof_level_kind_name((roof_level_kind)l),
                  rf_json_number(m->level_bytes[l]));
    }
  }
  if (json_object_size(bytes) == 0 && !isnan(m->bytes)) {
    rf_json_set(bytes, "unknown", rf_json_number(m->bytes));
  }
  if (!isnan(m->link_bytes)) {
    rf_json_set(bytes, "link", rf_json_number(m->link_bytes));
  }
  return rf_json_filled(bytes);
}

static json_t *counters_json(const roof_measurement *m) {
  json_t *counters = json_object();
  for (size_t i = 0; i < m->counter_count; i++) {
    rf_json_set(counters, m->counters[i].name, rf_json_number(m->counters[i].value));
  }
  return rf_json_filled(counters);
}

static json_t *counted_json(const roof_measurement *m) {
  json_t *counted = json_pack("{s:s?, s:s?}", "flops", m->counted_flops[0] != '\0' ? m->counted_flops : NULL,
                              "bytes", m->counted[0] != '\0' ? m->counted : NULL);
  if (m->link[0] != '\0') {
    rf_json_set(counted, "link", json_pack("{s:s}", "link", m->link));
  }
  return counted;
}

static json_t *kernel_json(const roof_measurement *m) {
  json_t *kernel =
      json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "name", m->label,
                "calls", rf_json_number(m->calls), "threads", rf_json_number(m->threads), "seconds",
                rf_json_number(m->seconds), "total_seconds", rf_json_number(m->total_seconds), "samples",
                rf_json_numbers(m->samples, m->sample_count), "flops", flops_json(m), "bytes", bytes_json(m),
                "counted", counted_json(m), "spread",
                rf_json_number(m->sample_count > 0 ? m->stats.spread : NAN), "ceiling_seconds",
                rf_json_number(m->given.ceiling_seconds), "note", m->note, "counters", counters_json(m));
  if (kernel != NULL && !isnan(m->own_seconds)) { /* a marked region's */
    rf_json_set(kernel, "own_seconds", rf_json_number(m->own_seconds));
  }
  return kernel;
}

void rf_json_add_placed(json_t *object, const roof_placed *at, double calls) {
  bool bound = at->regime < ROOF_REGIME_COUNT;
  rf_json_set(object, "ceiling_seconds", rf_json_number(at->ceiling_seconds / calls));
  rf_json_set(object, "fastest_seconds", rf_json_number(at->fastest_seconds / calls));
  rf_json_set(object, "slowest_seconds", rf_json_number(at->slowest_seconds / calls));
  rf_json_set(object, "fraction_of_ceiling", rf_json_number(at->share));
  rf_json_set(object, "at_least", rf_json_number(at->at_least));
  rf_json_set(object, "lost_seconds",
              rf_json_number(at->lost_seconds < 0 ? NAN : at->lost_seconds)); /* above its ceiling */
  rf_json_set(object, "regime", bound ? json_string(roof_regime_name(at->regime)) : json_null());
  rf_json_set(object, "binding", bound ? json_string(at->binding) : json_null());
  rf_json_set(object, "basis", bound ? json_string(roof_basis_name(at->basis)) : json_null());
  rf_json_set(object, "verdict", at->verdict != NULL ? json_string(at->verdict->name) : json_null());
  rf_json_set(object, "why", at->why[0] != '\0' ? json_string(at->why) : json_null());
}

static json_t *document_of(const roof_measurements *all) {
  json_t *kernels = json_array(), *skipped = json_array();
  char when[ROOF_TIME_MAX];
  double taken = all->count > 0 ? all->list[0].taken : NAN;
  for (size_t i = 0; i < all->count; i++) {
    rf_json_append(kernels, kernel_json(&all->list[i]));
  }
  for (size_t i = 0; i < all->skipped_count; i++) {
    rf_json_append(skipped,
                   json_pack("{s:s, s:s}", "what", all->skipped[i].what, "why", all->skipped[i].why));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:o}", "schema", "roofline.measurements/1", "source",
                   all->source, "format", all->format, "machine", all->machine, "taken",
                   taken > 0 ? roof_time_write(taken, when) : NULL, "kernels", kernels, "skipped", skipped);
}

roof_status rf_measurements_document(const roof_measurements *all, json_t **document, roof_error *error) {
  rf_json_begin();
  json_t *made = document_of(all);
  if (made == NULL || json_array_size(json_object_get(made, "kernels")) != all->count) {
    json_decref(made);
    return rf_json_starved()
               ? roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory")
               : roof_error_set(error, ROOF_E_ARGUMENT, "measurements: a text in them is not UTF-8");
  }
  *document = made;
  return ROOF_OK;
}

roof_status roof_measurements_write(const roof_measurements *all, roof_text *out, roof_error *error) {
  json_t *root = NULL;
  roof_status status = rf_measurements_document(all, &root, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_json_add(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17), out);
  roof_text_add(out, "\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "measurements: out of memory") : ROOF_OK;
}
