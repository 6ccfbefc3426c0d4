/* Machines, numbers and plans compared, written as roofline.choices/1. */
#include <math.h>

#include "documents/json.h"

static json_t *choice(const roof_choice_question *q, const roof_choice *c) {
  char why[128];
  bool fits = c->point.batch > 0, price = !isnan(q->offers[c->offer].price);
  const rf_json_member numbers[] = {
      {"devices", c->devices},
      {"price", price ? q->offers[c->offer].price : NAN},
      {"tp", fits ? c->point.tp : NAN},
      {"pp", fits ? c->point.pp : NAN},
      {"dp", fits ? c->point.dp : NAN},
      {"ep", fits ? c->point.ep : NAN},
      {"batch", fits ? c->point.batch : NAN},
      {"ttft_seconds", fits ? c->point.ttft_seconds : NAN},
      {"tpot_seconds", fits ? c->point.tpot_seconds : NAN},
      {"device_tokens_per_second", fits ? c->point.device_tokens_per_second : NAN},
      {"price_per_million_tokens", fits ? c->point.price_per_million_tokens : NAN},
      {"total_bytes", fits ? c->point.total_bytes : NAN},
      {"short_bytes", fits ? NAN : c->short_bytes}};
  json_t *object =
      json_pack("{s:s, s:s, s:s}", "machine", q->offers[c->offer].machine->name, "precision",
                q->precisions->names[c->precision], "result", roof_choice_result_name(c->result));
  RF_JSON_SET(object, numbers);
  roof_choice_why(q, c, why, sizeof why);
  rf_json_set(object, "why", why[0] != '\0' ? json_string(why) : json_null());
  return object;
}

json_t *rf_choices_json(const roof_choice_question *q, const roof_choices *all, const char *served) {
  const rf_json_member numbers[] = {{"users", q->limits.users > 0 ? q->limits.users : NAN},
                                    {"ttft_limit_seconds", q->limits.ttft_seconds},
                                    {"tpot_limit_seconds", q->limits.tpot_seconds}};
  json_t *object = json_pack("{s:s, s:s}", "schema", "roofline.choices/1", "name", q->model->name);
  json_t *list = json_array(), *launch = json_object();
  RF_JSON_SET(object, numbers);
  for (int i = 0; i < all->count; i++) {
    json_t *one = choice(q, &all->list[i]);
    rf_json_set(one, "fewer", all->fewer[i].devices > 0 ? choice(q, &all->fewer[i]) : json_null());
    rf_json_append(list, one);
  }
  for (int i = 0; i < ROOF_ENGINE_COUNT; i++) {
    char command[512];
    rf_json_set(launch, roof_engine_name((roof_engine)i),
                all->meeting > 0 ? json_string(roof_choice_launch(q, &all->list[0], (roof_engine)i, served,
                                                                  command, sizeof command))
                                 : json_null());
  }
  rf_json_set(object, "best", all->meeting > 0 ? choice(q, &all->list[0]) : json_null());
  rf_json_set(object, "choices", list);
  rf_json_set(object, "launch", launch);
  return object;
}

roof_status roof_choices_write(const roof_choice_question *question, const roof_choices *choices,
                               const char *served, roof_text *out, roof_error *error) {
  return rf_json_write(rf_choices_json(question, choices, served), "choices", out, error);
}
