#include "web/wasm/serve.h"

#include "roofline/catalog.h"
#include "roofline/model_sweep.h"
#include "roofline/service.h"
#include "roofline/weights.h"
#include "web/wasm/model.h"

static bool price_is_listed(const web_asked *asked) {
  return asked->price != NULL && roof_prices_are_listed(asked->price);
}

/** Formats and settings of the plan; of the load what words say. */
static roof_status read_settings(const web_asked *asked, const roof_model *model,
                                 roof_machine *const *machine, web_words *words, roof_model_settings *s,
                                 roof_service_text *typed, roof_error *error) {
  web_words_of(asked, price_is_listed(asked) ? NULL : asked->price, words);
  roof_status status = web_model_settings(asked, model, false, s, error);
  status =
      status == ROOF_OK ? roof_service_settings_read(words->list, words->count, s, typed, error) : status;
  status = status == ROOF_OK && asked->network != NULL
               ? roof_network_find(asked->network, *machine, &s->network, error)
               : status;
  status = status == ROOF_OK ? roof_model_settings_check(model, s, *machine, false, NULL, error) : status;
  roof_listed_price read = {.value = s->price};
  status = status == ROOF_OK && price_is_listed(asked)
               ? roof_catalog_prices(asked->price, machine, 1, &read, error)
               : status;
  s->price = read.value;
  return status;
}

static roof_status chart_of(const void *study, roof_curves *chart, roof_error *error) {
  return roof_service_study_chart(study, chart, error);
}

static roof_status answer(const web_asked *asked, roof_service_study *s, roof_text *out, roof_error *error) {
  roof_status status = roof_service_study_run(s, error);
  return status != ROOF_OK   ? status
         : asked->to != NULL ? web_draw_curves(asked, chart_of, s, out, error)
                             : roof_service_study_write(s, out, error);
}

static roof_status serve_on(const web_asked *asked, const roof_model *model, roof_machine *const *machine,
                            roof_text *out, roof_error *error) {
  static roof_model_target target;
  static web_words words;
  roof_model_settings settings;
  roof_service_study s;
  roof_service_text typed = {.rate = asked->rate,
                             .concurrency = asked->concurrency,
                             .requests = asked->requests,
                             .seed = asked->seed,
                             .ttft = asked->ttft,
                             .tpot = asked->tpot};
  roof_status status = read_settings(asked, model, machine, &words, &settings, &typed, error);
  status = status == ROOF_OK ? roof_service_target_init(&target, model, *machine, &settings, error) : status;
  status = status == ROOF_OK ? roof_service_study_init(&s, &target, &typed, error) : status;
  if (status == ROOF_OK) {
    status = answer(asked, &s, out, error);
    roof_service_study_done(&s);
  }
  return status;
}

roof_status web_serve(const web_asked *asked, roof_text *out, roof_error *error) {
  static roof_model model;
  roof_machine **machines = NULL;
  int count = 0;
  if (asked->words.count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "serve: which model?");
  }
  roof_status status = roof_model_load(asked->words.texts[0], &model, error);
  status = status == ROOF_OK ? roof_machines_load(asked->machines.texts, &machines, &count, error) : status;
  if (status == ROOF_OK && count > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "serve: one machine at a time");
  }
  status = status == ROOF_OK ? serve_on(asked, &model, machines, out, error) : status;
  roof_machines_free(machines, count);
  return status;
}
