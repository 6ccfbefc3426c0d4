/* Machines, numbers and plans compared, written as roofline.plan/1. */
#include <math.h>

#include "documents/json.h"
#include "models/step.h"

static void add_point(json_t *object, const roof_plan_point *p) {
  bool fits = p->batch > 0;
  const rf_json_member numbers[] = {{"tp", p->tp},
                                    {"pp", p->pp},
                                    {"dp", p->dp},
                                    {"ep", p->ep},
                                    {"cp", p->cp},
                                    {"batch", p->batch},
                                    {"chunk", p->chunk},
                                    {"ttft_seconds", p->ttft_seconds},
                                    {"tpot_seconds", p->tpot_seconds},
                                    {"prompt_seconds", p->prompt_seconds},
                                    {"busy", p->busy},
                                    {"device_tokens_per_second", p->device_tokens_per_second},
                                    {"joules_per_token", p->joules_per_token},
                                    {"price_per_million_tokens", p->price_per_million_tokens},
                                    {"total_bytes", p->total_bytes}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    rf_json_set(object, numbers[i].key, rf_json_number(fits ? numbers[i].value : NAN));
  }
}

static json_t *names(const roof_choice_question *q, int offer, int precision, double devices) {
  json_t *object = json_pack("{s:s, s:s}", "machine", q->offers[offer].machine->name, "precision",
                             q->precisions->names[precision]);
  rf_json_set(object, "devices", rf_json_number(devices));
  rf_json_set(object, "price", rf_json_number(q->offers[offer].price));
  return object;
}

static json_t *choice(const roof_choice_question *q, const roof_choice *c) {
  char why[256];
  bool fits = c->point.batch > 0;
  const rf_json_member range[] = {{"ttft_low_seconds", fits ? c->low.ttft_seconds : NAN},
                                  {"ttft_high_seconds", fits ? c->high.ttft_seconds : NAN},
                                  {"tpot_low_seconds", fits ? c->low.tpot_seconds : NAN},
                                  {"tpot_high_seconds", fits ? c->high.tpot_seconds : NAN},
                                  {"short_bytes", fits ? NAN : c->short_bytes}};
  json_t *object = names(q, c->offer, c->precision, c->devices);
  rf_json_set(object, "result", json_string(roof_choice_result_name(c->result)));
  add_point(object, &c->point);
  RF_JSON_SET(object, range);
  rf_json_set(object, "simulated", json_boolean(c->simulated));
  rf_json_set(object, "sure", json_boolean(roof_choice_is_sure(q, c)));
  roof_choice_why(q, c, why, sizeof why);
  rf_json_set(object, "why", why[0] != '\0' ? json_string(why) : json_null());
  return object;
}

static json_t *front(const roof_choice_question *q, const roof_choices *all) {
  json_t *list = json_array();
  for (int i = 0; i < all->front_count; i++) {
    const roof_choice_dot *d = &all->front[i];
    json_t *dot = names(q, d->offer, d->point.precision, d->devices);
    add_point(dot, &d->point);
    rf_json_append(list, dot);
  }
  return list;
}

static json_t *pool(const roof_choice_question *q, const roof_pool *p) {
  const rf_json_member numbers[] = {{"devices", p->devices}, {"instances", p->instances},
                                    {"tp", p->tp},           {"pp", p->pp},
                                    {"dp", p->dp},           {"ep", p->ep},
                                    {"batch", p->batch},     {"seconds", p->seconds},
                                    {"busy", p->busy},       {"price", q->offers[p->offer].price}};
  json_t *object = json_pack("{s:s}", "machine", q->offers[p->offer].machine->name);
  RF_JSON_SET(object, numbers);
  return object;
}

/** Two pools, and whether they are cheaper than one. */
static json_t *apart_json(const roof_choice_question *q, const roof_choices *all, const roof_apart *a) {
  if (a == NULL || !a->found) {
    return json_null();
  }
  const rf_json_member numbers[] = {{"requests_per_second", a->requests_per_second},
                                    {"transfer_seconds", a->transfer_seconds},
                                    {"ttft_seconds", a->ttft_seconds},
                                    {"ttft_low_seconds", a->ttft_low_seconds},
                                    {"ttft_high_seconds", a->ttft_high_seconds},
                                    {"tpot_seconds", a->tpot_seconds},
                                    {"tpot_low_seconds", a->tpot_low_seconds},
                                    {"tpot_high_seconds", a->tpot_high_seconds},
                                    {"device_tokens_per_second", a->device_tokens_per_second},
                                    {"price_per_million_tokens", a->price_per_million_tokens}};
  json_t *object =
      json_pack("{s:s, s:b, s:b, s:b, s:o, s:o, s:s, s:b}", "precision", q->precisions->names[a->precision],
                "pays", roof_apart_pays(q, all, a), "sure", roof_apart_is_sure(q, a), "simulated",
                a->simulated, "prefill", pool(q, &a->prefill), "decode", pool(q, &a->decode), "network",
                rf_model_network(q->base)->name, "network_assumed", q->base->network == NULL);
  RF_JSON_SET(object, numbers);
  return object;
}

/** The member that has the plan which the text names first and `--launch` starts. */
static json_t *first_of(const roof_choice_question *q, const roof_choices *all, const roof_apart *apart) {
  bool pools = apart != NULL && roof_apart_pays(q, all, apart);
  return pools ? json_string("apart") : all->meeting > 0 ? json_string("best") : json_null();
}

/** What starts the best plan of one pool, or two pools, by each engine; null where it cannot, or there is none. */
static json_t *launches(const roof_choice_question *q, const roof_choices *all, const roof_apart *apart,
                        const char *served) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_ENGINE_COUNT; i++) {
    roof_text command = {0};
    bool is = apart != NULL ? apart->found : all->meeting > 0;
    roof_engine engine = (roof_engine)i;
    roof_status status = !is ? ROOF_E_UNSUPPORTED
                         : apart != NULL
                             ? roof_apart_launch(q, apart, engine, served, &command, NULL)
                             : roof_choice_launch(q, &all->list[0], engine, served, &command, NULL);
    rf_json_set(object, roof_engine_name(engine),
                status == ROOF_OK ? json_string(command.data) : json_null());
    roof_text_done(&command);
  }
  return object;
}

json_t *rf_choices_json(const roof_choice_question *q, const roof_choices *all, const roof_apart *apart,
                        const char *served) {
  const roof_plan_limits *l = &q->limits;
  const rf_json_member numbers[] = {{"users", l->users > 0 ? l->users : NAN},
                                    {"requests_per_second", l->rate > 0 ? l->rate : NAN},
                                    {"prompt", q->base->prompt},
                                    {"generate", q->base->generate},
                                    {"draft", q->base->draft},
                                    {"accept", q->base->draft > 0 ? q->base->accept : NAN},
                                    {"percentile", l->share > 0 ? 100 * l->share : NAN},
                                    {"ttft_limit_seconds", l->ttft_seconds},
                                    {"tpot_limit_seconds", l->tpot_seconds},
                                    {"energy_price", l->energy_price > 0 ? l->energy_price : NAN},
                                    {"tried", all->tried}};
  json_t *object = json_pack("{s:s, s:s}", "schema", "roofline.plan/1", "name", q->model->name);
  json_t *list = json_array();
  RF_JSON_SET(object, numbers);
  for (int i = 0; i < all->count; i++) {
    json_t *one = choice(q, &all->list[i]);
    rf_json_set(one, "fewer", all->fewer[i].devices > 0 ? choice(q, &all->fewer[i]) : json_null());
    rf_json_append(list, one);
  }
  rf_json_set(object, "memory_rule", json_string(roof_memory_rule_name(q->base->memory_rule)));
  rf_json_set(object, "best", all->meeting > 0 ? choice(q, &all->list[0]) : json_null());
  rf_json_set(object, "apart", apart_json(q, all, apart));
  rf_json_set(object, "first", first_of(q, all, apart));
  rf_json_set(object, "choices", list);
  rf_json_set(object, "front", front(q, all));
  rf_json_set(object, "launch", launches(q, all, NULL, served));
  rf_json_set(object, "launch_apart", apart != NULL ? launches(q, all, apart, served) : json_null());
  rf_json_set(object, "simulated", json_null()); /* src/service knows, and what the prices are */
  rf_json_set(object, "prices", json_null());
  rf_json_set(object, "stragglers", json_null()); /* of a cluster's file, which the command reads */
  return object;
}

roof_status roof_choices_write(const roof_choice_question *question, const roof_choices *choices,
                               const roof_apart *apart, const char *served, roof_text *out,
                               roof_error *error) {
  return rf_json_write(rf_choices_json(question, choices, apart, served), "plan", out, error);
}
