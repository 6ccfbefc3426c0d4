/* A ranking written as roofline.measurements/1: figures per call, with how each was counted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/json.h"
#include "documents/measurements.h"
#include "import/_intervals.h"
#include "import/_stalls.h"
#include "import/_time_document.h"
#include "import/import.h"
#include "roofline/time.h"
#include "roofline/timeline.h"

/** Sets `key` of both objects: the count per call, and how it was counted (`unit`: on which one; NULL for
 * bytes) or why it is missing. */
static void add_count(json_t *values, json_t *counted, const char *key, const char *unit,
                      const roof_count *count, double calls) {
  if (!isnan(count->value)) {
    rf_json_set(values, key, rf_json_number(count->value / calls));
  }
  if (count->source[0] != '\0') {
    json_t *how =
        json_pack("{s:s, s:s}", "source", count->source, "quality", roof_quality_name(count->quality));
    rf_json_set_text(how, "unit", unit);
    rf_json_set(counted, key, how);
  }
}

/** FLOPs by format: "fp16", and "fp16 vector" where both units of a format worked or the matrix unit's are missing. */
static json_t *flops_of(const roof_record *r, double calls, json_t *counted) {
  json_t *flops = json_object();
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const char *name = roof_dtype_name((roof_dtype)d);
    add_count(flops, counted, name, NULL, &r->other_flops[d], calls);
    for (int u = ROOF_UNIT_COUNT - 1; u >= 0; u--) {
      char key[64];
      bool both = u == ROOF_VECTOR && r->flops[d][ROOF_MATRIX].source[0] != '\0';
      snprintf(key, sizeof key, "%s%s", name, both || json_object_get(flops, name) != NULL ? " vector" : "");
      add_count(flops, counted, key, roof_unit_name((roof_unit)u), &r->flops[d][u], calls);
    }
  }
  return rf_json_filled(flops);
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
    rf_json_set(json_object_get(counted, "link"), "link", json_string(r->link));
  }
  return rf_json_filled(bytes);
}

/** Counters that begin with `prefix`, without it; "": those that have no key of their own. Not `busy`: without the busy shares,
 * which are of another chip. */
static json_t *counters_of(const roof_record *r, const char *prefix, bool busy) {
  json_t *counters = json_object();
  size_t length = strlen(prefix);
  for (size_t i = 0; i < r->counter_count; i++) {
    const char *name = r->counters[i].name;
    bool own = rf_stall_is(name) || rf_interval_is(name);
    bool share = strcmp(name, "compute") == 0 || strcmp(name, "memory") == 0;
    if ((busy || !share) && own == (length > 0) && strncmp(name, prefix, length) == 0) {
      rf_json_set(counters, name + length, rf_json_number(r->counters[i].value));
    }
  }
  return rf_json_filled(counters);
}

static json_t *rules_of(const roof_record *r) {
  json_t *rules = json_array();
  for (size_t i = 0; i < r->rule_count; i++) {
    const roof_rule *said = &r->rules[i];
    json_t *rule = json_pack("{s:s, s:s}", "name", said->name, "text", said->text);
    rf_json_set(rule, "speedup", rf_json_number(said->speedup));
    rf_json_set(rule, "speedup_of", said->scope[0] != '\0' ? json_string(said->scope) : json_null());
    rf_json_set(rule, "type", said->type[0] != '\0' ? json_string(said->type) : json_null());
    rf_json_append(rules, rule);
  }
  return rules;
}

static json_t *line_json(const roof_line *line) {
  json_t *stalls = json_object();
  for (int i = 0; i < ROOF_STALL_COUNT; i++) {
    if (line->stalls[i] > 0) {
      rf_json_set(stalls, roof_stall_name((roof_stall)i), json_integer((json_int_t)line->stalls[i]));
    }
  }
  return json_pack("{s:o, s:o, s:s, s:I, s:I, s:I, s:o}", "file",
                   line->number > 0 ? json_string(line->file) : json_null(), "line",
                   line->number > 0 ? json_integer(line->number) : json_null(), "function", line->function,
                   "offset_bytes", (json_int_t)line->offset, "instructions", (json_int_t)line->executed,
                   "samples", (json_int_t)line->samples, "stalls", rf_json_filled(stalls));
}

/** By place in the source. */
static json_t *lines_of(const roof_record *r) {
  json_t *lines = json_array();
  for (size_t i = 0; i < r->line_count; i++) {
    rf_json_append(lines, line_json(&r->lines[i]));
  }
  return lines;
}

static json_t *kernel_json(const roof_ranked_record *row, bool busy) {
  const roof_record *r = row->record;
  const roof_placed *at = &row->at;
  double calls = r->calls > 0 ? (double)r->calls : 1;
  json_t *counted = json_object(), *items = json_object();
  json_t *flops = flops_of(r, calls, counted), *bytes = bytes_of(r, calls, counted);
  add_count(items, counted, "items", NULL, &r->items, calls);
  json_t *kernel = json_pack(
      "{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", r->name, "calls", (json_int_t)r->calls,
      "seconds", rf_json_number(at->seconds / calls), "total_seconds", rf_json_number(at->seconds), "samples",
      rf_json_numbers(r->samples, r->sample_count), "flops", flops, "bytes", bytes, "items",
      json_incref(json_object_get(items, "items") != NULL ? json_object_get(items, "items") : json_null()),
      "counters", counters_of(r, "", busy));
  if (!isnan(r->own_seconds)) {
    rf_json_set(kernel, "own_seconds", rf_json_number(r->own_seconds));
  }
  rf_json_set(kernel, "part", r->part != NULL ? json_string(r->part) : json_null());
  rf_json_set(kernel, "stalls", counters_of(r, RF_STALL, busy));
  rf_json_set(kernel, "intervals", counters_of(r, RF_INTERVAL, busy));
  rf_json_set(kernel, "rules", rules_of(r));
  rf_json_set(kernel, "lines", lines_of(r));
  rf_json_set(kernel, "counted", counted);
  rf_json_add_placed(kernel, at, calls);
  rf_json_set(kernel, "not_counted", row->uncounted[0] != '\0' ? json_string(row->uncounted) : json_null());
  json_decref(items);
  return kernel;
}

/** When it was measured, and whether that is from the file or from its date; null if unknown. */
static void add_taken(json_t *object, const roof_profile *p) {
  char text[ROOF_TIME_MAX];
  bool known = !isnan(p->taken);
  rf_json_set(object, "taken", known ? json_string(roof_time_write(p->taken, text)) : json_null());
  rf_json_set(object, "taken_from",
              known ? json_string(p->dated_by_file ? "date of the file" : "file") : json_null());
}

static json_t *facts_json(const roof_profile *p) {
  json_t *facts = json_object();
  for (size_t i = 0; i < p->fact_count; i++) {
    const roof_fact *f = &p->facts[i];
    rf_json_set(facts, f->name, f->text != NULL ? json_string(f->text) : rf_json_number(f->value));
  }
  return facts;
}

static json_t *skipped_json(const roof_profile *p) {
  json_t *skipped = json_array();
  for (size_t i = 0; i < p->skip_count; i++) {
    rf_json_append(skipped, json_pack("{s:s, s:s, s:I}", "what", p->skips[i].what, "why", p->skips[i].why,
                                      "times", (json_int_t)p->skips[i].times));
  }
  return skipped;
}

static json_t *recorded_json(const roof_ranking *ranking, const roof_recorded *recorded) {
  json_t *labels = json_array(), *left_out = json_array();
  for (size_t i = 0; i < ranking->count; i++) {
    const char *name = ranking->rows[i].record->name, *why = recorded->why[i];
    rf_json_append(why == NULL ? labels : left_out,
                   why == NULL ? json_string(name) : json_pack("{s:s, s:s}", "what", name, "why", why));
  }
  return json_pack("{s:s, s:o, s:o}", "ledger", recorded->ledger, "labels", labels, "left_out", left_out);
}

static json_t *part_json(const roof_part *part) {
  return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "part", part->label,
                   "kernels", (json_int_t)part->kernels, "calls", (json_int_t)part->calls, "seconds",
                   rf_json_number(part->seconds), "time_share", rf_json_number(part->time_share), "flops",
                   rf_json_number(part->flops), "bytes", rf_json_number(part->bytes), "judged_seconds",
                   rf_json_number(part->judged_seconds), "ceiling_seconds",
                   rf_json_number(part->ceiling_seconds), "fraction_of_ceiling", rf_json_number(part->share),
                   "lost_seconds", rf_json_number(part->lost_seconds), "worst",
                   part->worst != NULL ? part->worst->record->name : NULL);
}

/** Who waited for the others, where kernels are rolled up by rank. */
static void add_ranks(json_t *object, const roof_profile *profile, const roof_ranking *ranking) {
  static const char *const keys[] = {"ranks", "collectives", "unmatched_collectives", "imbalance"};
  bool asked = ranking->parts != NULL && ranking->parts->by == ROOF_BY_RANK;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0] && !asked; i++) {
    rf_json_set(object, keys[i], json_null());
  }
  if (!asked) {
    return;
  }
  roof_ranks ranks = {0};
  json_t *list = json_array();
  if (roof_profile_ranks(profile, &ranks, NULL) != ROOF_OK) {
    json_decref(list);
    list = NULL;
  }
  for (size_t i = 0; i < ranks.count; i++) {
    const roof_rank_time *r = &ranks.list[i];
    rf_json_append(list, json_pack("{s:i, s:o, s:o, s:I}", "rank", r->rank, "compute_seconds",
                                   rf_json_number(r->compute_seconds), "waited_seconds",
                                   rf_json_number(r->waited_seconds), "last", (json_int_t)r->last));
  }
  rf_json_set(object, "ranks", list);
  rf_json_set(object, "collectives", json_integer((json_int_t)ranks.collectives));
  rf_json_set(object, "unmatched_collectives", json_integer((json_int_t)ranks.unmatched));
  rf_json_set(object, "imbalance", rf_json_number(ranks.imbalance));
  roof_ranks_done(&ranks);
}

/** What the kernels were rolled up by, null where they were not. */
static void add_parts(json_t *object, const roof_profile *profile, const roof_ranking *ranking) {
  json_t *parts = ranking->parts != NULL ? json_array() : json_null();
  for (size_t i = 0; ranking->parts != NULL && i < ranking->parts->count; i++) {
    rf_json_append(parts, part_json(&ranking->parts->list[i]));
  }
  rf_json_set(object, "by",
              profile->by != ROOF_BY_KERNEL ? json_string(roof_by_name(profile->by)) : json_null());
  rf_json_set(object, "parts", parts);
}

/** What was counted by interval; null where nothing was. */
static json_t *intervals_json(const roof_profile *p) {
  json_t *list = p->intervals != NULL ? json_array() : json_null();
  for (size_t i = 0; p->intervals != NULL && i < p->interval_count; i++) {
    const roof_interval *at = &p->intervals[i];
    rf_json_append(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "start_seconds", rf_json_number(at->start),
                                   "end_seconds", rf_json_number(at->end), "flops_per_second",
                                   rf_json_number(at->flops_per_second), "bytes_per_second",
                                   rf_json_number(at->bytes_per_second), "instructions_per_cycle",
                                   rf_json_number(at->instructions_per_cycle)));
  }
  return list;
}

roof_status roof_ranking_write(const roof_profile *profile, const roof_ranking *ranking,
                               const roof_machine *machine, const roof_recorded *recorded, roof_text *out,
                               roof_error *error) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < ranking->count; i++) {
    rf_json_append(kernels, kernel_json(&ranking->rows[i], ranking->other_chip == NULL));
  }
  json_t *object = json_pack(
      "{s:s, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "roofline.measurements/1",
      "source", profile->format->title, "format", profile->format->name, "device",
      profile->device[0] != '\0' ? profile->device : NULL, "machine", machine != NULL ? machine->name : NULL,
      "total_seconds", rf_json_number(ranking->seconds), "lost_seconds",
      rf_json_number(ranking->lost_seconds), "judged_seconds", rf_json_number(ranking->judged_seconds),
      "kernels", kernels, "facts", facts_json(profile), "skipped", skipped_json(profile));
  if (object != NULL) {
    add_taken(object, profile);
    rf_json_set(object, "truncated", json_boolean(profile->truncated));
    add_parts(object, profile, ranking);
    add_ranks(object, profile, ranking);
    rf_json_set(object, "time", rf_time_json(profile));
    rf_json_set(object, "intervals", intervals_json(profile));
    rf_json_set(object, "recorded", recorded != NULL ? recorded_json(ranking, recorded) : json_null());
  }
  return rf_json_write(object, "import", out, error);
}
