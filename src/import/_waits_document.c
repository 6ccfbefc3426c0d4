/* Which rank waits for which, as the member `waits` of `time`. */
#include "documents/json.h"
#include "import/_time_document.h"

static json_t *region_json(const roof_shared_region *r) {
  return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "region", r->name, "ranks", (json_int_t)r->ranks,
                   "calls", (json_int_t)r->calls, "seconds", rf_json_number(r->seconds), "any_rank_seconds",
                   rf_json_number(r->any_seconds), "all_ranks_seconds", rf_json_number(r->all_seconds),
                   "waited_seconds", r->meets ? rf_json_number(r->waited_seconds) : json_null());
}

static json_t *pair_json(const roof_wait *w) {
  return json_pack("{s:i, s:i, s:o, s:I, s:s}", "rank", w->rank, "waits_for", w->awaited, "seconds",
                   rf_json_number(w->seconds), "calls", (json_int_t)w->calls, "region", w->region);
}

static json_t *stretch_json(const roof_stretch *s) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "start_seconds", rf_json_number(s->start), "end_seconds",
                   rf_json_number(s->end), "busiest_rank",
                   s->busiest >= 0 ? json_integer(s->busiest) : json_null(), "imbalance",
                   rf_json_number(s->imbalance), "waiting_share", rf_json_number(s->waiting_share));
}

static json_t *waits_json(const roof_waits *w) {
  json_t *regions = json_array(), *pairs = json_array(), *stretches = json_array();
  for (size_t i = 0; i < w->region_count; i++) {
    rf_json_append(regions, region_json(&w->regions[i]));
  }
  for (size_t i = 0; i < w->count; i++) {
    rf_json_append(pairs, pair_json(&w->list[i]));
  }
  for (int i = 0; i < ROOF_STRETCHES; i++) {
    rf_json_append(stretches, stretch_json(&w->stretches[i]));
  }
  return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "seconds", rf_json_number(w->seconds),
                   "uncertainty_seconds", rf_json_number(w->uncertainty), "waited_seconds",
                   rf_json_number(w->waited_seconds), "cut", (int)w->cut, "pairs", pairs, "regions", regions,
                   "stretches", stretches);
}

json_t *rf_waits_json(const roof_profile *profile) {
  roof_waits waits = {0};
  roof_status status = roof_profile_waits(profile, &waits, NULL);
  if (status != ROOF_OK) {
    return status == ROOF_E_MEMORY ? NULL : json_null();
  }
  json_t *made = waits_json(&waits);
  roof_waits_done(&waits);
  return made;
}
