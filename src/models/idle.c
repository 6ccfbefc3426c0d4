/* Settings that were typed and change nothing in the answer asked for: each with its condition and the reason. */
#include <math.h>

#include "core/letters.h"
#include "models/step.h"
#include "roofline/model_sweep.h"

/** What is asked. */
typedef struct question {
  const roof_model *model;
  const roof_model_settings *settings;
  const roof_machine *machine; /**< NULL: of several any */
  bool searches;
  bool varies; /**< settings have several values: a condition on values may hold for one of them alone */
} question;

static bool typed(const question *q, const char *name) {
  return rf_model_typed(q->settings, name);
}

static bool trains(const question *q) {
  return q->settings->train;
}

static bool serves(const question *q) {
  return !trains(q);
}

static bool searches(const question *q) {
  return q->searches;
}

static bool searches_training(const question *q) {
  return q->searches && trains(q);
}

static bool makes_images(const question *q) {
  return q->model->denoises;
}

static bool drafts_nothing(const question *q) {
  return !typed(q, "draft");
}

static bool shares_nothing(const question *q) {
  return !typed(q, "prefix");
}

static bool has_no_run(const question *q) {
  return searches_training(q) && !typed(q, "tokens");
}

static double devices(const question *q) {
  const roof_model_settings *s = q->settings;
  return s->tp * s->pp * s->dp * s->cp;
}

static bool has_one_device(const question *q) {
  return !q->searches && !q->varies && devices(q) <= 1;
}

static bool has_one_replica(const question *q) {
  const roof_model_settings *s = q->settings;
  return trains(q) && s->zero > 0 && !q->searches && !q->varies && s->cp * s->dp <= 1;
}

static bool has_one_stage(const question *q) {
  return q->settings->interleave > 1 && !q->searches && !q->varies && q->settings->pp <= 1;
}

static bool has_no_cache(const question *q) {
  const roof_model_precision *p = &q->settings->precision;
  return p->kv != q->model->precision.kv && p->kv != p->activations &&
         (trains(q) || q->model->encoder || !(roof_model_count(q->model).kv_elements_per_token > 0));
}

static bool has_other_link(const question *q) {
  return q->settings->options.link != NULL && has_one_device(q);
}

static bool launches_eagerly(const question *q) {
  const char *framework = q->settings->options.framework;
  return framework != NULL && rf_letters_compare(framework, ROOF_EAGER) == 0 &&
         q->settings->launch == ROOF_LAUNCH_PERSISTENT;
}

static bool reads_no_images(const question *q) {
  bool reads = false;
  for (int i = 0; i < q->model->stream_count; i++) {
    reads = reads || q->model->streams[i].result > 0;
  }
  return !reads;
}

static bool splits_sequences(const question *q) {
  return q->settings->sp && q->searches;
}

static bool recomputes(const question *q) {
  return (q->settings->recompute != ROOF_RECOMPUTE_NONE || typed(q, "recompute")) && q->searches;
}

/** `option`: not a setting of words, its condition says whether it was given. */
static const struct {
  const char *name;
  bool option;
  bool (*idle)(const question *q);
  const char *why;
} rules[] = {
    {"tp", false, searches, "a search tries every plan"},
    {"pp", false, searches, "a search tries every plan"},
    {"dp", false, searches, "a search tries every plan"},
    {"ep", false, searches, "a search tries every plan"},
    {"microbatches", false, searches, "a search tries every plan"},
    {"zero", false, searches_training, "a search tries every stage"},
    {"zero", false, has_one_replica, "one replica has nothing to share; add dp=N"},
    {"interleave", false, has_one_stage, "one stage does not wait; add pp=N"},
    {"sp", true, splits_sequences, "a search tries it"},
    {"recompute", true, recomputes, "a search tries all of it"},
    {"recompute", false, serves, "of --train, not of requests"},
    {"generate", false, trains, "of requests, not of --train"},
    {"chunk", false, trains, "of requests, not of --train"},
    {"draft", false, trains, "of requests, not of --train"},
    {"page", false, trains, "of requests, not of --train"},
    {"prompt", false, makes_images, "the model makes images; size=N says how large"},
    {"kv", true, has_no_cache, "nothing is kept in a cache"},
    {"images", false, reads_no_images, "no tower that reads them is described"},
    {"accept", false, drafts_nothing, "no token is drafted; add draft=N"},
    {"sharers", false, shares_nothing, "no prefix is shared; add prefix=N"},
    {"price", false, has_no_run, "a search for training prices a whole run; add tokens=N"},
    {"node", false, has_one_device, "one device has no other in its node; add tp=N"},
    {"mode", true, launches_eagerly, "what --framework eager launches one at a time is no persistent kernel"},
    {"link", true, has_other_link, "one device sends nothing; add tp=N"},
};

/** A search with a node of its own size asks by itself. */
static roof_status check_network(const question *q, roof_error *error) {
  double node = q->machine != NULL         ? rf_model_node(q->settings, q->machine)
                : isnan(q->settings->node) ? MODEL_USUAL_NODE
                                           : q->settings->node;
  return q->searches || q->varies ? ROOF_OK
                                  : rf_model_network_check(q->settings->network, devices(q), node, error);
}

roof_status roof_model_settings_check(const roof_model *model, const roof_model_settings *settings,
                                      const roof_machine *machine, bool searched, const roof_model_axes *axes,
                                      roof_error *error) {
  const question q = {model, settings, machine, searched, axes != NULL && axes->count > 0};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    if ((rules[i].option || typed(&q, rules[i].name)) && rules[i].idle(&q)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s%s: has no effect: %s", rules[i].option ? "--" : "",
                            rules[i].name, rules[i].why);
    }
  }
  return check_network(&q, error);
}
