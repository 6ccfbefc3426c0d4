/* roofline.plan/1 with the best plan under its load. */
#include "documents/json.h"
#include "roofline/simulate.h"

static json_t *simulated_json(const roof_service_answer *a) {
  if (a == NULL) {
    return json_null();
  }
  const rf_json_member numbers[] = {{"ttft_p50_seconds", a->ttft.p50}, {"ttft_p90_seconds", a->ttft.p90},
                                    {"ttft_p99_seconds", a->ttft.p99}, {"tpot_p50_seconds", a->tpot.p50},
                                    {"tpot_p90_seconds", a->tpot.p90}, {"tpot_p99_seconds", a->tpot.p99},
                                    {"requests", a->requests}};
  json_t *object = json_pack("{s:b}", "overloaded", a->overloaded);
  RF_JSON_SET(object, numbers);
  return object;
}

static json_t *prices_json(const roof_choice_question *q, const roof_listed_price *prices) {
  json_t *list = json_array();
  for (int i = 0; i < q->offer_count; i++) {
    const roof_listed_price *one = &prices[i];
    bool read = one->source[0] != '\0';
    json_t *object = json_pack("{s:s, s:s?, s:s?}", "machine", q->offers[i].machine->name, "source",
                               read ? one->source : NULL, "date", read ? one->date : NULL);
    rf_json_set(object, "price", rf_json_number(one->value));
    rf_json_append(list, object);
  }
  return list;
}

roof_status roof_choices_simulated_write(const roof_choice_question *question, const roof_choices *choices,
                                         const roof_apart *apart, const roof_service_answer *simulated,
                                         const roof_listed_price *prices, const char *served, roof_text *out,
                                         roof_error *error) {
  json_t *object = rf_choices_json(question, choices, apart, served);
  rf_json_set(object, "simulated", simulated_json(simulated));
  rf_json_set(object, "prices", prices_json(question, prices));
  return rf_json_write(object, "plan", out, error);
}
