#include "web/wasm/plan.h"

#include "roofline/apart.h"
#include "roofline/catalog.h"
#include "roofline/choice.h"
#include "roofline/draw.h"
#include "roofline/simulate.h"
#include "roofline/weights.h"
#include "web/wasm/model.h"

/** What is asked, on which machines. */
typedef struct plan {
  const web_asked *asked;
  roof_model model;
  roof_model_settings settings;
  roof_model_precisions precisions;
  roof_plan_limits limits;
  roof_machine **machines;
  roof_offer offers[ROOF_CHOICES_MAX];
  roof_listed_price prices[ROOF_CHOICES_MAX];
  int count;
} plan;

static bool prices_are_listed(const web_asked *asked) {
  return asked->price != NULL && roof_prices_are_listed(asked->price);
}

/** The load, the other settings, and a price of all machines. */
static roof_status read_settings(plan *p, roof_error *error) {
  const web_asked *asked = p->asked;
  roof_model_settings *s = &p->settings;
  web_words words;
  s->price = prices_are_listed(asked) ? 0 : s->price;
  web_words_of(asked, prices_are_listed(asked) ? NULL : asked->price, &words);
  roof_status status = roof_plan_settings_read(&p->model, words.list, words.count, s, &p->limits, error);
  return status == ROOF_OK && asked->network != NULL
             ? roof_network_find(asked->network, p->machines[0], &s->network, error)
             : status;
}

/** A price of all, or one each. */
static roof_status read_prices(plan *p, roof_error *error) {
  if (p->count > ROOF_CHOICES_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "plan: more than %d machines", ROOF_CHOICES_MAX);
  }
  roof_status status = prices_are_listed(p->asked)
                           ? roof_catalog_prices(p->asked->price, p->machines, p->count, p->prices, error)
                           : roof_price_of_one(p->settings.price, p->count, p->prices, error);
  for (int i = 0; i < p->count; i++) {
    p->offers[i] = (roof_offer){p->machines[i], p->prices[i].value};
  }
  return status;
}

static roof_status read_question(plan *p, roof_error *error) {
  const web_asked *asked = p->asked;
  const roof_plan_limits_text typed = {.devices = asked->devices,
                                       .ttft = asked->ttft,
                                       .tpot = asked->tpot,
                                       .rate = asked->rate,
                                       .percentile = asked->percentile};
  if (asked->words.count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "plan: which model?");
  }
  roof_status status =
      (asked->lenient ? roof_model_load_lenient : roof_model_load)(asked->words.texts[0], &p->model, error);
  status = status == ROOF_OK ? web_model_settings(asked, &p->model, true, &p->settings, error) : status;
  status =
      status == ROOF_OK ? roof_machines_load(asked->machines.texts, &p->machines, &p->count, error) : status;
  status = status == ROOF_OK ? roof_plan_limits_read(&typed, &p->limits, error) : status;
  status = status == ROOF_OK ? read_settings(p, error) : status;
  status = status == ROOF_OK ? read_prices(p, error) : status;
  return status == ROOF_OK
             ? roof_model_precisions_parse(asked->precision, &p->settings.precision, &p->precisions, error)
             : status;
}

static roof_status draw(const web_asked *asked, const roof_choice_question *q, const roof_choices *choices,
                        roof_text *out, roof_error *error) {
  static roof_front chart;
  roof_choices_chart(q, choices, &chart);
  return roof_draw_front_svg(&chart, web_width(asked), out, error);
}

static roof_status answer(const plan *p, roof_text *out, roof_error *error) {
  static roof_choices choices;
  const roof_choice_question q = {&p->model, &p->settings, &p->precisions, p->offers, p->count, p->limits};
  roof_apart apart = {.found = false};
  roof_service_answer served = {.requests = 0};
  bool simulated = false;
  roof_status status = roof_choices_of(&q, &choices, error);
  status = status == ROOF_OK ? roof_apart_simulated_of(&q, &apart, error) : status;
  status = status == ROOF_OK ? roof_choices_simulate(&q, &choices, &served, &simulated, error) : status;
  if (status == ROOF_OK && p->asked->to != NULL) {
    return draw(p->asked, &q, &choices, out, error);
  }
  status = status == ROOF_OK ? roof_choices_simulated_write(&q, &choices, &apart, simulated ? &served : NULL,
                                                            p->prices, p->asked->words.texts[0], out, error)
                             : status;
  return status == ROOF_OK && choices.meeting == 0 && !apart.found ? ROOF_E_GATE : status;
}

roof_status web_plan(const web_asked *asked, roof_text *out, roof_error *error) {
  static plan p;
  p = (plan){.asked = asked};
  roof_status status = read_question(&p, error);
  status = status == ROOF_OK ? answer(&p, out, error) : status;
  roof_machines_free(p.machines, p.count);
  return status;
}
