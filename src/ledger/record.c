/* What goes in and comes out: predictions, measurements, and the rule that the first come first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "documents/json.h"
#include "documents/measurements.h"
#include "ledger/entry.h"
#include "roofline/catalog.h"
#include "roofline/units.h"

/** A number that reads back as the same double; null when unknown. */
static json_t *number(double value) {
  if (!isfinite(value)) {
    return json_null();
  }
  return fabs(value) < 0x1p53 && value == floor(value) ? json_integer((json_int_t)value) : json_real(value);
}

/** `use`: what a time is needed for. */
static roof_status check(const char *label, double seconds, const char *use, roof_error *error) {
  char time[32];
  roof_status status = roof_label_check(label, error);
  if (status != ROOF_OK || (seconds > 0 && isfinite(seconds))) {
    return status;
  }
  return seconds <= 0 ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: its time, %s, must be more than 0 s",
                                       label, roof_quantity_format(time, sizeof time, seconds, "s"))
                      : roof_error_set(error, ROOF_E_ARGUMENT,
                                       "%s: its time is unknown, so there is nothing to %s", label, use);
}

/** What no prediction can say of its times, its regime and its machine. */
static roof_status check_sealing(const roof_sealing *s, roof_error *error) {
  bool regime = false;
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    regime |= strcmp(s->regime, roof_regime_name((roof_regime)i)) == 0;
  }
  const char *digest = s->machine_digest;
  bool hex = strlen(digest) == LEDGER_DIGEST && strspn(digest, "0123456789abcdef") == LEDGER_DIGEST;
  const char *times = rf_ledger_contradiction(s);
  const char *why = times != NULL               ? times
                    : !regime                   ? "its regime is none"
                    : digest[0] != '\0' && !hex ? "`machine_sha256` is no SHA-256"
                                                : NULL;
  return why == NULL ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s", s->label, why);
}

static roof_status no_memory(const char *what, roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", what);
}

/** Adds `fields` to the list; NULL: `why` says what could not be written: text that is not UTF-8,
 * else memory ran out. */
static roof_status add(json_t *list, const char *label, json_t *fields, const json_error_t *why,
                       roof_error *error) {
  if (fields == NULL && json_error_code(why) == json_error_invalid_utf8) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s", label, why->text);
  }
  const char *key;
  json_t *value;
  json_object_foreach(fields, key, value) {
    if (json_is_string(value) && !roof_text_is_plain(json_string_value(value))) {
      json_decref(fields);
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s: its %s is not one line of text that can be shown",
                            label, key);
    }
  }
  return fields != NULL && json_array_append_new(list, fields) == 0 ? ROOF_OK : no_memory(label, error);
}

/** Unknown as null. */
static const char *known(const char *text) {
  return text != NULL && text[0] != '\0' ? text : NULL;
}

static json_t *ceiling_json(const roof_ceiling *ceiling) {
  return json_pack("{s:o, s:o, s:o}", "seconds", number(ceiling->seconds), "flops_per_second",
                   number(ceiling->flops_per_second), "bytes_per_second", number(ceiling->bytes_per_second));
}

/** {"L2": 5.5e12}: what is known, by level; NULL when out of memory. */
static json_t *levels_json(const double levels[ROOF_LEVEL_KIND_COUNT]) {
  json_t *object = json_object();
  bool kept = object != NULL;
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT && kept; i++) {
    kept = !(levels[i] > 0) ||
           json_object_set_new(object, roof_level_kind_name((roof_level_kind)i), number(levels[i])) == 0;
  }
  if (!kept) {
    json_decref(object);
  }
  return kept ? object : NULL;
}

static roof_status add_sealing(json_t *list, const roof_sealing *s, const char *commit, roof_error *error) {
  json_error_t why;
  roof_status status = check(s->label, s->lower_seconds, "seal", error);
  if (status == ROOF_OK) {
    status = check(s->label, s->expected_seconds, "seal", error);
  }
  if (status == ROOF_OK) {
    status = check_sealing(s, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  json_t *seconds = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "compute", number(s->compute_seconds),
      "memory", number(s->memory_seconds), "overhead", number(s->overhead_seconds), "network",
      number(s->network_seconds), "lower", number(s->lower_seconds), "least", number(s->least_seconds),
      "upper", number(s->upper_seconds), "expected", number(s->expected_seconds), "expected_low",
      number(s->expected_low_seconds), "expected_high", number(s->expected_high_seconds), "mine",
      number(s->mine_seconds > 0 ? s->mine_seconds : NAN));
  json_t *fields = json_pack_ex(
      &why, 0,
      "{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:{s:o, s:o}, "
      "s:o}",
      "kind", "prediction", "label", s->label, "origin", known(roof_sealing_origin_name(s->origin)),
      "machine", known(s->machine), "device_class", known(s->device_class), "machine_sha256",
      known(s->machine_digest), "commit", known(commit), "op", known(s->op), "parameters",
      known(s->parameters), "dtype", known(s->dtype), "regime", known(s->regime), "binding",
      known(s->binding), "flops", number(s->flops), "bytes", number(s->bytes), "seconds", seconds, "ceilings",
      "theoretical", ceiling_json(&s->ceilings[ROOF_THEORETICAL]), "achieved",
      ceiling_json(&s->ceilings[ROOF_ACHIEVED]), "levels", levels_json(s->level_bytes_per_second));
  if (fields != NULL && s->typed[0] != '\0') {
    rf_json_set_text(fields, "options", s->typed);
  }
  if (fields != NULL && s->overhead_assumed) {
    rf_json_set(fields, "overhead_assumed", json_true());
  }
  return add(list, s->label, fields, &why, error);
}

roof_status rf_ledger_given_twice(const char *label, roof_error *error) {
  return roof_error_set(error, ROOF_E_ARGUMENT, "label `%s`: given to two predictions", label);
}

static int compare_labels(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static roof_status check_twice(const roof_sealing *sealings, size_t count, roof_error *error) {
  const char **labels = calloc(count + 1, sizeof *labels);
  roof_status status = ROOF_OK;
  if (labels == NULL) {
    return no_memory("seal", error);
  }
  for (size_t i = 0; i < count; i++) {
    labels[i] = sealings[i].label;
  }
  qsort(labels, count, sizeof *labels, compare_labels);
  for (size_t i = 1; i < count && status == ROOF_OK; i++) {
    if (strcmp(labels[i - 1], labels[i]) == 0) {
      status = rf_ledger_given_twice(labels[i], error);
    }
  }
  free(labels);
  return status;
}

roof_status roof_ledger_seal(const char *path, const roof_sealing *sealings, size_t count,
                             const roof_ledger_options *options, roof_error *error) {
  roof_ledger_options o = options != NULL ? *options : (roof_ledger_options){0};
  rf_json_begin();
  json_t *list = json_array();
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    status = add_sealing(list, &sealings[i], o.commit, error);
  }
  if (status == ROOF_OK) {
    status = check_twice(sealings, count, error);
  }
  if (status == ROOF_OK) {
    status = rf_ledger_append(path, list, o.key, NULL, NULL, error);
  }
  json_decref(list);
  return status;
}

/** {"occupancy": 0.3}; a clue with a value that it cannot have is refused. */
static roof_status counters_json(const roof_measurement *m, json_t **out, roof_error *error) {
  json_t *object = json_object();
  roof_status status = object != NULL ? ROOF_OK : no_memory(m->label, error);
  for (size_t i = 0; i < m->counter_count && status == ROOF_OK; i++) {
    const roof_figure *figure = &m->counters[i];
    roof_clue clue;
    if (roof_clue_parse(figure->name, &clue, NULL) == ROOF_OK) {
      status = roof_clue_check(clue, figure->value, error);
    }
    if (status == ROOF_OK && json_object_set_new(object, figure->name, number(figure->value)) != 0) {
      status = no_memory(m->label, error);
    }
  }
  if (status == ROOF_OK) {
    *out = object;
  } else {
    json_decref(object);
  }
  return status;
}

static roof_status check_taken(const roof_measurement *m, roof_error *error) {
  char when[LEDGER_TIME], now[LEDGER_TIME];
  double present = roof_time_now();
  return m->taken > present + RF_LEDGER_SKEW_SECONDS
             ? roof_error_set(error, ROOF_E_ARGUMENT, "measurement `%s`: taken %s, later than now (%s)",
                              m->label, roof_time_write(m->taken, when), roof_time_write(present, now))
             : ROOF_OK;
}

static roof_status check_amount(const roof_measurement *m, double amount, const char *unit,
                                roof_error *error) {
  return amount < 0 || isinf(amount)
             ? roof_error_set(error, ROOF_E_ARGUMENT, "measurement `%s`: %g %s cannot be", m->label, amount,
                              unit)
             : ROOF_OK;
}

/** What was counted is no amount below nothing. */
static roof_status check_amounts(const roof_measurement *m, roof_error *error) {
  roof_status status = check_amount(m, m->flops, "FLOP", error);
  status = status == ROOF_OK ? check_amount(m, m->bytes, "bytes", error) : status;
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT && status == ROOF_OK; i++) {
    status = check_amount(m, m->level_bytes[i], "bytes", error);
  }
  return status;
}

static roof_status check_samples(const roof_measurement *m, roof_error *error) {
  roof_error why = {0};
  roof_status status = rf_measurement_check_samples(m, &why);
  return status == ROOF_OK ? status
                           : roof_error_set(error, status, "measurement `%s`: %s", m->label, why.message);
}

static json_t *samples_json(const roof_measurement *m) {
  json_t *samples = json_array();
  bool kept = samples != NULL;
  for (size_t i = 0; i < m->sample_count && kept; i++) {
    kept = json_array_append_new(samples, number(m->samples[i])) == 0;
  }
  if (!kept) {
    json_decref(samples);
  }
  return kept ? samples : NULL;
}

static roof_status add_measurement(json_t *list, const roof_measurement *m, const roof_ledger_options *o,
                                   roof_error *error) {
  json_error_t why;
  char when[LEDGER_TIME];
  bool hand = m->taken_from == ROOF_TAKEN_HAND;
  json_t *counters = NULL;
  roof_status status = check(m->label, m->seconds, "record", error);
  if (status == ROOF_OK) {
    status = check_taken(m, error);
  }
  if (status == ROOF_OK) {
    status = check_samples(m, error);
  }
  if (status == ROOF_OK) {
    status = check_amounts(m, error);
  }
  if (status == ROOF_OK) {
    status = counters_json(m, &counters, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  roof_counted work;
  roof_counted_of(m, &work);
  json_t *samples = samples_json(m);
  if (samples == NULL) {
    json_decref(counters);
    return no_memory(m->label, error);
  }
  json_t *fields = json_pack_ex(
      &why, 0,
      "{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:b}",
      "kind", "measurement", "label", m->label, "machine", m->machine, "commit", known(o->commit), "measured",
      m->taken > 0 ? roof_time_write(m->taken, when) : NULL, "taken_from",
      known(roof_taken_name(m->taken_from)), "dtype",
      hand && !m->dtype_said ? NULL : roof_dtype_name(m->dtype), "seconds", number(m->seconds), "noise",
      number(work.noise), "memory_pace", number(m->memory_pace), "samples", samples, "flops",
      number(m->flops), "bytes", number(m->bytes), "levels", levels_json(m->level_bytes), "counters",
      counters, "counted", m->counted, "counted_flops", m->counted_flops, "note", m->note, "dtype_said",
      (int)m->dtype_said);
  rf_json_set_text(fields, "measured_as", known(m->measured_as));
  return add(list, m->label, fields, &why, error);
}

/** The last prediction of that label that was sealed before `taken`, else the first of it, or NULL. */
static const roof_ledger_entry *find_prediction(const roof_ledger_entries *ledger, const char *label,
                                                const char *taken) {
  const roof_ledger_entry *found = NULL;
  for (size_t i = ledger->count; i > 0; i--) {
    const roof_ledger_entry *entry = &ledger->entries[i - 1];
    if (!entry->measured && strcmp(entry->of.label, label) == 0) {
      found = entry;
      if (!rf_ledger_is_early(entry, taken)) {
        break;
      }
    }
  }
  return found;
}

static roof_status refuse_unpredicted(const roof_ledger_entries *before, const char *label,
                                      roof_error *error) {
  const char **labels = calloc(before->count + 1, sizeof *labels);
  size_t count = 0;
  if (labels == NULL) {
    return no_memory(label, error);
  }
  for (size_t i = 0; i < before->count; i++) {
    if (!before->entries[i].measured) {
      labels[count++] = before->entries[i].of.label;
    }
  }
  roof_error_set(error, ROOF_E_GATE,
                 "measurement `%s`: taken with --unsealed only, since no prediction of it is sealed", label);
  roof_error_suggest(error, label, labels);
  free(labels);
  return ROOF_E_GATE;
}

/** What a measurement says that its prediction does not: "machine", by all its names, "dtype", where somebody typed it; NULL:
 * nothing. */
static roof_status difference(const roof_ledger_entry *prediction, const char *machine, const char *dtype,
                              const char **differs, roof_error *error) {
  const char *predicted = prediction->of.machine;
  bool other = machine[0] != '\0' && predicted[0] != '\0' && strcmp(machine, predicted) != 0;
  roof_machine *named = NULL;
  roof_status status = other ? roof_catalog_load_known(machine, &named, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  if (named != NULL) {
    other = strcmp(named->name, predicted) != 0;
    roof_machine_free(named);
  }
  bool format = dtype != NULL && prediction->of.dtype[0] != '\0' && strcmp(dtype, prediction->of.dtype) != 0;
  *differs = other && format ? "machine, dtype" : other ? "machine" : format ? "dtype" : NULL;
  return ROOF_OK;
}

/** The prediction of a measurement, and whether that was sealed too late; where it is none, nothing is known. */
typedef struct match {
  const roof_ledger_entry *of;
  bool early;
  bool late_clock; /**< by the time since the system started alone */
} match;

static match match_of(const roof_ledger_entries *before, json_t *fields) {
  const char *when = json_string_value(json_object_get(fields, "measured"));
  roof_ledger_entry now = {.at = roof_time_now(), .uptime = rf_ledger_uptime()};
  char boot[ROOF_DIGEST_MAX];
  snprintf(now.taken, sizeof now.taken, "%s", when != NULL ? when : "");
  snprintf(now.boot, sizeof now.boot, "%.19s", rf_ledger_boot(boot));
  match m = {.of = find_prediction(before, json_string_value(json_object_get(fields, "label")), now.taken)};
  m.early = m.of != NULL && rf_ledger_is_early(m.of, now.taken);
  m.late_clock = m.of != NULL && !m.early && rf_ledger_lead(m.of, &now) > RF_LEDGER_SKEW_SECONDS;
  return m;
}

static roof_status refuse_early(const match *m, json_t *fields, roof_error *error) {
  return roof_error_set(
      error, ROOF_E_GATE,
      "measurement `%s`: taken %s, before its prediction was sealed (%s%s); --unsealed "
      "takes it and marks it so",
      json_string_value(json_object_get(fields, "label")),
      json_string_value(json_object_get(fields, "measured")), m->of->time,
      m->late_clock ? ", by a clock that was set: the time since the system started says later" : "");
}

static roof_status set_marks(const match *m, json_t *fields, roof_error *error) {
  bool said = json_is_true(json_object_get(fields, "dtype_said"));
  const char *dtype = said ? json_string_value(json_object_get(fields, "dtype")) : NULL;
  const char *machine = json_string_value(json_object_get(fields, "machine")), *differs = NULL;
  roof_status status = m->of != NULL ? difference(m->of, machine, dtype, &differs, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  json_t *marks = json_pack("{s:o, s:b}", "prediction",
                            m->of != NULL ? json_integer((json_int_t)m->of->sequence) : json_null(),
                            "unsealed", (int)(m->of == NULL || m->early || m->late_clock));
  rf_json_set_text(marks, "differs", differs);
  json_object_del(fields, "dtype_said");
  return json_object_update_new(fields, marks) == 0
             ? ROOF_OK
             : no_memory(json_string_value(json_object_get(fields, "label")), error);
}

/** Marks each measurement with its prediction's number, with what is another, or as unsealed where that is allowed. */
static roof_status mark(json_t *list, const roof_ledger_entries *before, void *user, roof_error *error) {
  const roof_ledger_options *o = user;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    json_t *fields = json_array_get(list, i);
    const char *label = json_string_value(json_object_get(fields, "label"));
    match m = match_of(before, fields);
    if (m.of == NULL && !o->unsealed) {
      status = refuse_unpredicted(before, label, error);
    } else if ((m.early || m.late_clock) && !o->unsealed) {
      status = refuse_early(&m, fields, error);
    } else {
      status = set_marks(&m, fields, error);
    }
  }
  return status;
}

roof_status roof_ledger_record(const char *path, const roof_measurement *measurements, size_t count,
                               const roof_ledger_options *options, roof_error *error) {
  roof_ledger_options o = options != NULL ? *options : (roof_ledger_options){0};
  rf_json_begin();
  json_t *list = json_array();
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    status = add_measurement(list, &measurements[i], &o, error);
  }
  if (status == ROOF_OK) {
    status = rf_ledger_append(path, list, o.key, mark, &o, error);
  }
  json_decref(list);
  return status;
}

/** The labels that have a prediction, sorted; none where there is no ledger yet. free() them, then the
 * entries they point into. */
static roof_status predicted_labels(const char *path, roof_ledger_entries *ledger, const char ***labels,
                                    size_t *count, roof_error *error) {
  roof_status status = access(path, F_OK) == 0 ? rf_ledger_load(path, false, ledger, NULL, error) : ROOF_OK;
  const char **list = status == ROOF_OK ? calloc(ledger->count + 1, sizeof *list) : NULL;
  if (list == NULL) {
    return status == ROOF_OK ? no_memory(path, error) : status;
  }
  for (size_t i = 0; i < ledger->count; i++) {
    if (!ledger->entries[i].measured) {
      list[(*count)++] = ledger->entries[i].of.label;
    }
  }
  qsort(list, *count, sizeof *list, compare_labels);
  *labels = list;
  return ROOF_OK;
}

/** Why a measurement cannot be recorded, or NULL. */
static const char *obstacle(const roof_measurement *m, const char **labels, size_t count, bool unsealed) {
  const char *label = m->label;
  bool sealed = count > 0 && bsearch(&label, labels, count, sizeof *labels, compare_labels) != NULL;
  return label[0] == '\0' ? "its name is too long for a label: --merge 'REGEX=NAME'"
         : roof_label_check(label, NULL) != ROOF_OK
             ? "its name has characters that a label may not have: --merge 'REGEX=NAME'"
         : !sealed && !unsealed                      ? "no prediction of it is sealed"
         : !(m->seconds > 0 && isfinite(m->seconds)) ? "the file gives no time of it"
                                                     : NULL;
}

static roof_status refuse_all(const char *path, const char *label, roof_error *error) {
  return roof_error_set(
      error, ROOF_E_GATE,
      "%s: no prediction of any of these kernels is sealed%s%s%s; --merge 'REGEX=LABEL' names "
      "kernels, --unsealed takes them and marks them so",
      path, label != NULL ? " (but of `" : "", label != NULL ? label : "", label != NULL ? "`)" : "");
}

roof_status roof_ledger_record_known(const char *path, const roof_measurement *measurements, size_t count,
                                     const roof_ledger_options *options, const char **why,
                                     roof_error *error) {
  roof_ledger_entries ledger = {0};
  const char **labels = NULL;
  size_t label_count = 0, chosen_count = 0;
  roof_measurement *chosen = calloc(count + 1, sizeof *chosen);
  if (chosen == NULL) {
    return no_memory(path, error);
  }
  roof_status status = predicted_labels(path, &ledger, &labels, &label_count, error);
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    why[i] = obstacle(&measurements[i], labels, label_count, options != NULL && options->unsealed);
    if (why[i] == NULL) {
      chosen[chosen_count++] = measurements[i];
    }
  }
  if (status == ROOF_OK) {
    status = chosen_count > 0 ? roof_ledger_record(path, chosen, chosen_count, options, error)
                              : refuse_all(path, label_count > 0 ? labels[0] : NULL, error);
  }
  free(chosen);
  free(labels);
  free(ledger.entries);
  return status;
}

roof_status roof_ledger_lines(const char *path, roof_text *lines, roof_error *error) {
  roof_ledger_entries ledger;
  roof_status status = rf_ledger_load(path, false, &ledger, lines, error);
  if (status == ROOF_OK) {
    free(ledger.entries);
    status = lines->failed ? no_memory(path, error) : ROOF_OK;
  }
  return status;
}
