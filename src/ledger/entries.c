/* The entries of a ledger, read whole and written as documents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "documents/json.h"
#include "ledger/entry.h"
#include "roofline/units.h"

/** One value a line, each an object; NULL when out of memory. */
static json_t *read_objects(const roof_text *lines) {
  json_t *array = json_array();
  bool kept = array != NULL;
  for (const char *line = lines->data; line != NULL && *line != '\0' && kept;) {
    const char *newline = strchr(line, '\n');
    json_t *object = rf_json_load(line, (size_t)(newline - line), JSON_REJECT_DUPLICATES, NULL);
    kept = json_array_append_new(array, object) == 0;
    line = newline + 1;
  }
  if (!kept) {
    json_decref(array);
  }
  return kept ? array : NULL;
}

static bool read_samples(json_t *object, roof_ledger_entry *entry) {
  json_t *samples = json_object_get(object, "samples");
  size_t count = json_array_size(samples);
  entry->samples = count > 0 ? malloc(count * sizeof *entry->samples) : NULL;
  if (object == NULL || (count > 0 && entry->samples == NULL)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    entry->samples[entry->sample_count++] = rf_json_number_of(json_array_get(samples, i));
  }
  return true;
}

roof_status roof_ledger_read(const char *path, roof_ledger_entries *out, roof_error *error) {
  roof_ledger_entries all = {0};
  roof_text lines = {0};
  roof_status status = rf_ledger_load(path, false, &all, &lines, error);
  json_t *objects = status == ROOF_OK ? read_objects(&lines) : NULL;
  if (status == ROOF_OK && (objects == NULL || lines.failed)) {
    status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", path);
  }
  for (size_t i = 0; i < all.count && status == ROOF_OK; i++) {
    if (!read_samples(json_array_get(objects, i), &all.entries[i])) {
      status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", path);
    }
  }
  json_decref(objects);
  roof_text_done(&lines);
  if (status == ROOF_OK) {
    *out = all;
  } else {
    roof_ledger_entries_done(&all);
  }
  return status;
}

void roof_ledger_entries_done(roof_ledger_entries *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->entries[i].samples);
  }
  free(all->entries);
  *all = (roof_ledger_entries){0};
}

roof_status roof_ledger_write(const char *path, roof_text *out, roof_error *error) {
  roof_text lines = {0};
  roof_status status = roof_ledger_lines(path, &lines, error);
  if (status == ROOF_OK) {
    status = rf_json_write(json_pack("{s:s, s:s, s:o}", "schema", "roofline.ledger/1", "ledger", path,
                                     "entries", read_objects(&lines)),
                           path, out, error);
  }
  roof_text_done(&lines);
  return status;
}

/** Text as code of Markdown, in which nothing but a bar can be escaped. */
static void add_code(roof_text *out, const char *text) {
  roof_text_add(out, "`");
  for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
    length = roof_text_shown(text);
    roof_text_add(out, *text == '|' || *text == '\\' ? "\\" : length == 0 || *text == '`' ? "?" : "");
    roof_text_add_bytes(out, text, *text == '`' ? 0 : length);
  }
  roof_text_add(out, "`");
}

/** The first measurement of a prediction, one that is marked `unsealed` where there is no other, or NULL. */
static const roof_ledger_entry *measurement_of(const roof_ledger_entries *all, const roof_ledger_entry *of) {
  const roof_ledger_entry *found = NULL;
  for (size_t i = 0; i < all->count; i++) {
    const roof_ledger_entry *e = &all->entries[i];
    bool better = found == NULL || (found->unsealed && !e->unsealed);
    found = e->measured && e->prediction == of->sequence && better ? e : found;
  }
  return found;
}

/** The words that `seal` predicts again, as code; nothing where the operation is not known. */
static void add_words(roof_text *out, const roof_sealing *s) {
  char words[2 * ROOF_PARAMETERS_MAX + ROOF_TYPED_MAX];
  snprintf(words, sizeof words, "%s %s --machine %s --dtype %s%s%s", s->op, s->parameters, s->machine,
           s->dtype, s->typed[0] != '\0' ? " " : "", s->typed);
  if (s->op[0] != '\0') {
    add_code(out, words);
  }
}

static void write_seconds(double seconds, char buffer[48]) {
  buffer[0] = '\0';
  if (seconds > 0) {
    roof_quantity_format(buffer, 48, seconds, "s");
  }
}

static void add_prediction(roof_text *out, const roof_ledger_entries *all, const roof_ledger_entry *e) {
  const roof_sealing *s = &e->of;
  const roof_ledger_entry *measured = measurement_of(all, e);
  double seconds = measured != NULL ? measured->seconds : NAN;
  char number[32], expected[48], lower[48], share[48], regime[128], mine[48], real[64], reached[48] = "";
  rf_format(number, sizeof number, "%.0f", e->sequence);
  rf_format(share, sizeof share, "%.1f %%", 100 * s->lower_seconds / s->expected_seconds);
  if (measured != NULL) {
    rf_format(reached, sizeof reached, "%.1f %%", 100 * s->lower_seconds / seconds);
  }
  bool hand = strcmp(e->origin, roof_sealing_origin_name(ROOF_SEALING_HAND)) == 0;
  snprintf(regime, sizeof regime, "%s (%s)%s", s->regime, s->binding, hand ? ", by hand" : "");
  write_seconds(s->expected_seconds, expected);
  write_seconds(s->lower_seconds, lower);
  write_seconds(s->mine_seconds, mine);
  write_seconds(seconds, real);
  if (measured != NULL && measured->unsealed) {
    strcat(real, ", unsealed");
  }
  const char *cells[] = {number,   e->time, s->label, NULL, s->machine, regime,    lower,
                         expected, share,   mine,     real, reached,    e->commit, e->sha256};
  roof_text_add(out, "|");
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    roof_text_add(out, " ");
    if (cells[i] != NULL) {
      roof_text_add_markdown(out, cells[i]);
    } else {
      add_words(out, s);
    }
    roof_text_add(out, " |");
  }
  roof_text_add(out, "\n");
}

roof_status roof_ledger_write_markdown(const char *path, roof_text *out, roof_error *error) {
  roof_ledger_entries all = {0};
  roof_status status = rf_ledger_load(path, false, &all, NULL, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_text_add(out, "# Predictions\n\nSealed in ");
  add_code(out, path);
  roof_text_add(
      out, " before they were measured; `roofline ledger verify` checks it.\n\n"
           "| # | sealed | label | prediction | machine | regime | at best | expected | of ceiling | yours | "
           "measured | of "
           "ceiling | commit | SHA-256 |\n"
           "|--:|---|---|---|---|---|--:|--:|--:|--:|--:|--:|---|---|\n");
  for (size_t i = 0; i < all.count; i++) {
    if (!all.entries[i].measured) {
      add_prediction(out, &all, &all.entries[i]);
    }
  }
  roof_ledger_entries_done(&all);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", path) : ROOF_OK;
}
