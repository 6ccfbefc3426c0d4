#include "web/wasm/model.h"

#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/catalog.h"
#include "roofline/draw.h"
#include "roofline/model_sweep.h"
#include "roofline/plan.h"
#include "roofline/plot.h"
#include "roofline/weights.h"
#include "roofline/whole.h"

/** A model on machines, at one or more values of its settings. */
typedef struct run {
  const web_asked *asked;
  roof_model model;
  roof_model_settings settings;
  roof_model_axes axes;
  roof_machine **machines;
  roof_listed_price *prices; /**< of each machine */
  web_words words;
  int count;
} run;

static bool prices_are_listed(const web_asked *asked) {
  return asked->price != NULL && roof_prices_are_listed(asked->price);
}

/** Formats as typed; `choices`: --precision may be several, read by whoever asks. */
static roof_status read_precision(const web_asked *asked, bool choices, roof_model_precision *p,
                                  roof_error *error) {
  const char *dtype = asked->formats.dtype, *precision = asked->precision;
  roof_status status = dtype != NULL ? roof_model_precision_read(dtype, p, error) : ROOF_OK;
  if (status == ROOF_OK && precision != NULL && strchr(precision, '/') == NULL && !choices) {
    status = roof_model_precision_parse(precision, p, error);
  }
  return status == ROOF_OK && asked->formats.kv != NULL
             ? roof_dtype_parse_scaled(asked->formats.kv, &p->kv, error)
             : status;
}

roof_status web_model_settings(const web_asked *asked, const roof_model *model, bool choices,
                               roof_model_settings *s, roof_error *error) {
  *s = roof_model_settings_default(model);
  roof_status status = roof_options_read(&asked->options, &s->options, error);
  s->kernel_seconds = s->options.launch;
  s->train = asked->train != 0;
  status = status == ROOF_OK && asked->recompute != NULL
               ? roof_recompute_parse(asked->recompute, &s->recompute, error)
               : status;
  status = status == ROOF_OK ? read_precision(asked, choices, &s->precision, error) : status;
  status =
      status == ROOF_OK && asked->mode != NULL ? roof_launch_parse(asked->mode, &s->launch, error) : status;
  return status == ROOF_OK && asked->fuse != NULL ? roof_fusion_parse(asked->fuse, &s->fusion, error)
                                                  : status;
}

/** Says which weights --dtype does not reach. */
static void note_kept(run *r) {
  char own[256];
  const char *dtype = r->asked->formats.dtype;
  const roof_model_precision *p = &r->settings.precision;
  if (dtype != NULL && r->asked->precision == NULL &&
      roof_model_own_formats(&r->model, p, own, sizeof own)[0] != '\0') {
    roof_model_note(
        &r->model,
        "--dtype %s is of activations; weights stay as stored (%s) unless --precision says otherwise",
        roof_dtype_name(p->activations), own);
  }
}

static void end_run(run *r) {
  roof_model_axes_done(&r->axes);
  roof_machines_free(r->machines, r->count);
  free(r->prices);
}

static roof_status read_settings(run *r, roof_error *error) {
  const web_asked *asked = r->asked;
  web_words_of(asked, prices_are_listed(asked) ? NULL : asked->price, &r->words);
  roof_status status = web_model_settings(asked, &r->model, false, &r->settings, error);
  if (status == ROOF_OK && asked->recompute != NULL && !asked->train) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--recompute: has no effect without --train");
  }
  return status == ROOF_OK
             ? roof_model_settings_read(r->words.list, r->words.count, &r->settings, &r->axes, error)
             : status;
}

/** A price for each machine. */
static roof_status read_prices(run *r, roof_error *error) {
  r->prices = calloc((size_t)r->count + 1, sizeof *r->prices);
  if (r->prices == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  }
  return prices_are_listed(r->asked)
             ? roof_catalog_prices(r->asked->price, r->machines, r->count, r->prices, error)
             : roof_price_of_one(r->settings.price, r->count, r->prices, error);
}

/** Release *r in any case. */
static roof_status read_run(run *r, roof_error *error) {
  const web_asked *asked = r->asked;
  if (asked->words.count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "model: which model?");
  }
  roof_status status =
      (asked->lenient ? roof_model_load_lenient : roof_model_load)(asked->words.texts[0], &r->model, error);
  status = status == ROOF_OK ? read_settings(r, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  note_kept(r);
  status = roof_machines_load(asked->machines.texts, &r->machines, &r->count, error);
  if (status == ROOF_OK && asked->network != NULL) {
    status = roof_network_find(asked->network, r->machines[0], &r->settings.network, error);
  }
  status = status == ROOF_OK
               ? roof_model_settings_check(&r->model, &r->settings, r->count == 1 ? r->machines[0] : NULL,
                                           false, &r->axes, error)
               : status;
  return status == ROOF_OK ? read_prices(r, error) : status;
}

static bool has_several(const run *r) {
  const char *precision = r->asked->precision;
  return r->axes.count > 0 || (precision != NULL && strchr(precision, '/') != NULL);
}

static roof_status chart_of_sweep(const void *sweep, roof_curves *chart, roof_error *error) {
  return roof_model_sweep_chart(sweep, chart, error);
}

/** Each machine's price in place of 1. */
static void set_prices(const run *r, roof_model_sweep *s) {
  for (size_t i = 0; prices_are_listed(r->asked) && i < s->count; i++) {
    s->runs[i].figures[ROOF_RUN_PRICE] *= r->prices[s->runs[i].machine].value;
  }
}

static roof_status answer_several(run *r, roof_text *out, roof_error *error) {
  roof_model_precisions choices;
  roof_model_sweep s;
  r->settings.price = prices_are_listed(r->asked) ? 1 : r->settings.price;
  roof_status status =
      roof_model_precisions_parse(r->asked->precision, &r->settings.precision, &choices, error);
  status = status == ROOF_OK ? roof_model_sweep_of(&r->model, r->machines, r->count, &r->settings, &r->axes,
                                                   &choices, &s, error)
                             : status;
  if (status == ROOF_OK) {
    set_prices(r, &s);
    status = r->asked->to != NULL ? web_draw_curves(r->asked, chart_of_sweep, &s, out, error)
                                  : roof_model_sweep_write(&s, out, error);
    roof_model_sweep_done(&s);
  }
  return status;
}

static roof_status answer_each(run *r, roof_text *out, roof_error *error) {
  static roof_model_answer answer;
  json_t *all = json_array();
  roof_status status = ROOF_OK;
  for (int i = 0; i < r->count && status == ROOF_OK; i++) {
    roof_model_target target;
    r->settings.price = r->prices[i].value;
    r->settings.listed = &r->prices[i];
    if (r->asked->network != NULL) {
      status = roof_network_find(r->asked->network, r->machines[i], &r->settings.network, error);
    }
    status = status == ROOF_OK
                 ? roof_model_target_init(&target, &r->model, r->machines[i], &r->settings, error)
                 : status;
    if (status == ROOF_OK) {
      roof_model_answer_of(&target, &answer);
      rf_json_append(all, rf_model_json(&target, &answer));
    }
  }
  if (status == ROOF_OK) {
    status = web_write_each(all, out, error);
  }
  json_decref(all);
  return status;
}

/** The roofline of one machine with the operations of one run. */
static roof_status draw_one(const run *r, roof_text *out, roof_error *error) {
  static roof_scene scene;
  static roof_model_answer answer;
  roof_model_target target;
  if (r->count > 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--to %s: draws the operations on one machine",
                          r->asked->to);
  }
  roof_status status = roof_model_target_init(&target, &r->model, r->machines[0], &r->settings, error);
  if (status == ROOF_OK) {
    roof_model_answer_of(&target, &answer);
    status = roof_model_scene(&target, &answer, &scene, error);
  }
  return status == ROOF_OK ? roof_draw_svg(&scene, web_width(r->asked), out, error) : status;
}

roof_status web_model(const web_asked *asked, roof_text *out, roof_error *error) {
  static run r;
  r = (run){.asked = asked};
  roof_status status = read_run(&r, error);
  status = status != ROOF_OK   ? status
           : has_several(&r)   ? answer_several(&r, out, error)
           : asked->to != NULL ? draw_one(&r, out, error)
                               : answer_each(&r, out, error);
  end_run(&r);
  return status;
}

/** --precision is another name of --weights. */
static roof_status read_formats(const web_asked *asked, roof_formats *formats, roof_error *error) {
  *formats = asked->formats;
  if (asked->precision != NULL && formats->weights != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--weights: given 2 times; one value is taken");
  }
  formats->weights = asked->precision != NULL ? asked->precision : formats->weights;
  return ROOF_OK;
}

roof_status web_model_advise(const web_asked *asked, roof_text *out, roof_error *error) {
  roof_model_lever levers[ROOF_MODEL_LEVERS_MAX];
  int lever_count = 0, count = 0;
  roof_options options;
  roof_machine **machines = NULL;
  roof_whole *whole = NULL;
  roof_formats formats;
  roof_status status = read_formats(asked, &formats, error);
  status = status == ROOF_OK ? roof_options_read(&asked->options, &options, error) : status;
  status = status == ROOF_OK ? roof_whole_read(asked->words.texts, asked->words.count, &formats, &options,
                                               false, &whole, error)
                             : status;
  status = status == ROOF_OK ? roof_machines_load(asked->machines.texts, &machines, &count, error) : status;
  if (status == ROOF_OK && count > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "advise: one machine at a time");
  }
  status = status == ROOF_OK ? roof_whole_on(whole, machines[0], error) : status;
  status = status == ROOF_OK
               ? roof_model_levers_of(&whole->target, &whole->answer, levers, &lever_count, error)
               : status;
  status =
      status == ROOF_OK ? roof_model_levers_write(&whole->target, levers, lever_count, out, error) : status;
  roof_machines_free(machines, count);
  roof_whole_free(whole);
  return status;
}
