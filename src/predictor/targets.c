#include "predictor/targets.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roofline/catalog.h"

enum { WORDS = 32 };

roof_status rf_predictor_names_add(predictor_names *names, const char *name, roof_error *error) {
  if (names->count == PREDICTOR_NAMES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.80s`: more than %d files", name, PREDICTOR_NAMES);
  }
  char *copy = strdup(name);
  if (copy == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  }
  names->texts[names->count++] = copy;
  return ROOF_OK;
}

static void names_done(predictor_names *names) {
  while (names->count > 0) {
    free(names->texts[--names->count]);
  }
}

static bool is_file(const char *name) {
  static const char *const endings[] = {".json", ".gguf", ".safetensors"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    if (roof_text_ends_with(name, endings[i])) {
      return true;
    }
  }
  return strcmp(name, "-") == 0 || (strchr(name, '/') != NULL && access(name, F_OK) == 0);
}

/** Refuses a file that was not allowed: who asks need not be who started the service. */
static roof_status check_file(const predictor_names *names, const char *what, const char *name,
                              roof_error *error) {
  bool allowed = !is_file(name);
  for (int i = 0; i < names->count && !allowed; i++) {
    allowed = strcmp(names->texts[i], name) == 0;
  }
  return allowed ? ROOF_OK
                 : roof_error_set(error, ROOF_E_INPUT,
                                  "%s `%.200s`: a file that the service was not started with (--%s)", what,
                                  name, what);
}

static void target_done(predictor_target *t) {
  roof_whole_free(t->whole);
  roof_machine_free(t->machine);
  free(t->key);
  free(t->link);
  free(t->framework);
  *t = (predictor_target){0};
}

static roof_status load_machine(predictor_targets *all, const predictor_request *r, predictor_target *t,
                                roof_error *error) {
  const char *name = r->machine != NULL        ? r->machine
                     : all->machines.count > 0 ? all->machines.texts[0]
                                               : NULL;
  roof_status status = name != NULL ? check_file(&all->machines, "machine", name, error) : ROOF_OK;
  const char *const names[] = {name, NULL};
  roof_machine **machines = NULL;
  int count = 0;
  status = status == ROOF_OK ? roof_machines_load(names, &machines, &count, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (count == 1) {
    t->machine = machines[0];
    free(machines);
    return ROOF_OK;
  }
  roof_machines_free(machines, count);
  return roof_error_set(error, ROOF_E_ARGUMENT, "machine `%.80s`: one at a time", name);
}

/** Options as typed, with texts of the target's own. */
static roof_status read_options(const predictor_request *r, predictor_target *t, roof_options *options,
                                roof_error *error) {
  roof_options_text typed = r->options;
  t->link = typed.link != NULL ? strdup(typed.link) : NULL;
  t->framework = typed.framework != NULL ? strdup(typed.framework) : NULL;
  if ((typed.link != NULL && t->link == NULL) || (typed.framework != NULL && t->framework == NULL)) {
    return roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  }
  typed.link = t->link;
  typed.framework = t->framework;
  return roof_options_read(&typed, options, error);
}

/** Cuts a plan ("tp=8 pp=2") into words behind the model's name. */
static roof_status plan_words(const char *model, char *plan, const char **words, int *count,
                              roof_error *error) {
  char *rest = NULL;
  words[0] = model;
  *count = 1;
  for (char *word = strtok_r(plan, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    if (*count == WORDS) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "plan: more than %d words", WORDS - 1);
    }
    words[(*count)++] = word;
  }
  return ROOF_OK;
}

/** A step has the sequences of its request, of one replica: the plan is one of as many as it needs. */
static roof_status init_target(roof_whole *w, const roof_machine *machine, roof_error *error) {
  w->settings.batch = w->settings.dp * fmax(1, w->settings.microbatches);
  return roof_model_target_init(&w->target, &w->model, machine, &w->settings, error);
}

static roof_status init_model(const predictor_targets *all, const predictor_request *r,
                              const roof_options *options, predictor_target *t, roof_error *error) {
  const char *words[WORDS];
  int count = 0;
  char *plan = strdup(r->plan != NULL ? r->plan : "");
  roof_status status = plan != NULL ? check_file(&all->models, "model", r->model, error)
                                    : roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  status = status == ROOF_OK ? plan_words(r->model, plan, words, &count, error) : status;
  status = status == ROOF_OK ? roof_whole_read(words, count, &r->formats, options, false, &t->whole, error)
                             : status;
  status = status == ROOF_OK ? init_target(t->whole, t->machine, error) : status;
  free(plan);
  return status;
}

static roof_status init_op(const predictor_request *r, const roof_options *options, predictor_target *t,
                           roof_error *error) {
  roof_types types;
  roof_status status = r->plan == NULL ? roof_formats_read(&r->formats, t->machine, &types, error)
                                       : roof_error_set(error, ROOF_E_ARGUMENT, "plan: of a model alone");
  return status == ROOF_OK ? roof_target_init(&t->target, t->machine, &types, options, error) : status;
}

static roof_status make(predictor_targets *all, const predictor_request *r, predictor_target *t,
                        roof_error *error) {
  roof_options options;
  roof_status status = load_machine(all, r, t, error);
  status = status == ROOF_OK ? read_options(r, t, &options, error) : status;
  if (status == ROOF_OK) {
    status = r->model != NULL ? init_model(all, r, &options, t, error) : init_op(r, &options, t, error);
  }
  if (status == ROOF_OK && (t->key = strdup(all->key.data)) == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  }
  return status;
}

static bool is_of(const predictor_target *t, const roof_text *key) {
  return t != NULL && t->key != NULL && strcmp(t->key, key->data) == 0;
}

/** The place of the key, or else that which was not asked for longest. */
static predictor_target *place_of(predictor_targets *all) {
  predictor_target *oldest = all->kept;
  if (is_of(all->last, &all->key)) {
    return all->last;
  }
  for (predictor_target *t = all->kept; t < all->kept + PREDICTOR_KEPT; t++) {
    if (is_of(t, &all->key)) {
      return t;
    }
    oldest = t->used < oldest->used ? t : oldest;
  }
  return oldest;
}

roof_status rf_predictor_targets_find(predictor_targets *all, const predictor_request *r,
                                      predictor_target **found, roof_error *error) {
  all->key.length = 0;
  roof_text_add(&all->key, r->model != NULL ? "model\n" : "op\n");
  rf_predictor_request_key(r, &all->key);
  if (all->key.failed) {
    return roof_error_set(error, ROOF_E_MEMORY, "predictor: out of memory");
  }
  predictor_target *t = place_of(all);
  if (!is_of(t, &all->key)) {
    predictor_target made = {0};
    roof_status status = make(all, r, &made, error);
    target_done(status == ROOF_OK ? t : &made);
    if (status != ROOF_OK) {
      return status;
    }
    *t = made;
  }
  t->used = ++all->requests;
  *found = all->last = t;
  return ROOF_OK;
}

void rf_predictor_targets_done(predictor_targets *all) {
  for (int i = 0; i < PREDICTOR_KEPT; i++) {
    target_done(&all->kept[i]);
  }
  names_done(&all->machines);
  names_done(&all->models);
  roof_text_done(&all->key);
}
