/* A model's run from the words and formats that describe it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "models/step.h"
#include "roofline/model_sweep.h"
#include "roofline/text.h"
#include "roofline/weights.h"

enum { LARGEST_BATCH = 1 << 16 };

/** Whether a file names itself a model's, so that the error of reading it is the one to report. */
static bool says_type(const char *path) {
  roof_text text = {0};
  bool says = rf_file_read(path, &text, NULL) == ROOF_OK && text.data != NULL &&
              strstr(text.data, "\"model_type\"") != NULL;
  roof_text_done(&text);
  return says || rf_file_begins(path, "GGUF");
}

bool roof_model_is(const char *name) {
  roof_model *model = malloc(sizeof *model);
  bool is = model != NULL && roof_model_load(name, model, NULL) == ROOF_OK;
  free(model);
  return is || says_type(name);
}

static roof_status read_formats(const roof_formats *f, roof_model_precision *p, roof_error *error) {
  const char *other = f->group != NULL        ? "group"
                      : f->accumulate != NULL ? "accumulate"
                      : f->output != NULL     ? "output"
                                              : NULL;
  if (other != NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: of an operation, not of a whole model", other);
  }
  roof_status status = f->dtype != NULL ? roof_model_precision_read(f->dtype, p, error) : ROOF_OK;
  status =
      status == ROOF_OK && f->weights != NULL ? roof_model_precision_parse(f->weights, p, error) : status;
  return status == ROOF_OK && f->kv != NULL ? roof_dtype_parse_scaled(f->kv, &p->kv, error) : status;
}

static roof_status read_word(roof_whole *w, const char *word, bool claims, roof_error *error) {
  bool train = strcmp(word, "train") == 0, sp = strcmp(word, "sp") == 0, read = train || sp;
  roof_status status = ROOF_OK;
  w->settings.train |= train;
  w->settings.sp |= sp;
  bool claimed = !isnan(w->claim.value);
  if (!read && claims) {
    status = roof_model_claim_read(word, &w->claim, &read, error);
  }
  if (status == ROOF_OK && claimed && read && !train && !sp) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "claim: `%.40s`: one speed or time at once", word);
  }
  return read || status != ROOF_OK ? status : roof_model_settings_read(&word, 1, &w->settings, NULL, error);
}

/** Refuses a word whose setting one before it gave. */
static roof_status refuse_again(const char *const *words, int at, roof_error *error) {
  size_t name = strcspn(words[at], "=");
  for (int i = 1; i < at && words[at][name] == '='; i++) {
    if (strncmp(words[i], words[at], name + 1) == 0) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%.*s`: given twice", (int)(name < 60 ? name : 60),
                            words[at]);
    }
  }
  return ROOF_OK;
}

static roof_status read_whole(roof_whole *w, const char *const *words, int count, const roof_formats *formats,
                              const roof_options *options, bool claims, roof_error *error) {
  roof_status status = roof_model_load(words[0], &w->model, error);
  if (status != ROOF_OK) {
    return status;
  }
  w->settings = roof_model_settings_default(&w->model);
  w->claim.value = NAN;
  if (options != NULL) {
    w->settings.options = *options;
    w->settings.kernel_seconds = options->launch;
  }
  status = read_formats(formats, &w->settings.precision, error);
  for (int i = 1; i < count && status == ROOF_OK; i++) {
    status = refuse_again(words, i, error);
    status = status != ROOF_OK ? status : read_word(w, words[i], claims, error);
  }
  return status == ROOF_OK ? roof_model_settings_check(&w->model, &w->settings, NULL, false, NULL, error)
                           : status;
}

roof_status roof_whole_read(const char *const *words, int count, const roof_formats *formats,
                            const roof_options *options, bool claims, roof_whole **whole, roof_error *error) {
  roof_whole *w = calloc(1, sizeof *w);
  roof_status status = w != NULL ? read_whole(w, words, count, formats, options, claims, error)
                                 : roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  if (status == ROOF_OK) {
    *whole = w;
  } else {
    free(w);
  }
  return status;
}

roof_status roof_whole_on(roof_whole *w, const roof_machine *machine, roof_error *error) {
  roof_status status = roof_model_target_init(&w->target, &w->model, machine, &w->settings, error);
  if (status == ROOF_OK) {
    roof_model_answer_of(&w->target, &w->answer);
  }
  return status;
}

/** Of a rate it is open how many sequences make it up. */
static bool has_any_batch(const roof_whole *w) {
  return w->claim.kind == ROOF_MODEL_CLAIM_RATE && !w->settings.train &&
         !rf_model_typed(&w->settings, "batch");
}

static roof_status judge_batch(roof_whole *w, const roof_machine *machine, double batch,
                               roof_model_judged *judged, roof_error *error) {
  w->settings.batch = batch;
  roof_status status = roof_whole_on(w, machine, error);
  return status == ROOF_OK ? roof_model_claim_judge(&w->target, &w->answer, &w->claim, judged, error)
                           : status;
}

/** "possible at batch 64: ...": what the verdict is of goes behind it. */
static void name_tried(roof_model_judged *j, const char *tried) {
  char because[sizeof j->because];
  int verdict = (int)strcspn(j->because, ":");
  snprintf(because, sizeof because, "%.*s%s%s", verdict, j->because, tried, j->because + verdict);
  memcpy(j->because, because, sizeof because);
}

static void name_batch(const roof_whole *w, bool brief, roof_model_judged *j) {
  const roof_model_settings *s = &w->settings;
  bool all = s->batch + s->dp > w->answer.capacity.largest_batch;
  char tried[96];
  snprintf(tried, sizeof tried, " at batch %.0f%s%s", s->batch,
           brief && !j->possible ? ", short contexts" : "",
           j->possible ? ""
           : all       ? ", the most that fit"
                       : ", the largest tried");
  name_tried(j, tried);
}

/** Whether the contexts are open too: the shorter they are, the more sequences fit. */
static bool has_any_context(const roof_whole *w) {
  static const char *const names[] = {"prompt", "generate", "prefix"};
  bool open = !w->model.encoder && !w->model.denoises;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    open = open && !rf_model_typed(&w->settings, names[i]);
  }
  return open;
}

/** The most sequences worth a try: all that fit, as many on each replica. */
static double most_sequences(const roof_whole *w) {
  double fit = w->answer.capacity.largest_batch, dp = w->settings.dp;
  return dp * floor((fit < LARGEST_BATCH ? fit : LARGEST_BATCH) / dp);
}

static roof_status judge_batches(roof_whole *w, const roof_machine *machine, roof_model_judged *judged,
                                 roof_error *error) {
  roof_model_settings *s = &w->settings;
  bool brief = has_any_context(w);
  if (brief) {
    s->prompt = 1, s->generate = 2;
  }
  roof_model_judged j;
  roof_status status = judge_batch(w, machine, s->dp, &j, error);
  double most = status == ROOF_OK ? most_sequences(w) : 0;
  while (status == ROOF_OK && j.fits && !j.possible && s->batch < most) {
    status = judge_batch(w, machine, fmin(2 * s->batch, most), &j, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  if (j.fits) {
    name_batch(w, brief, &j);
  }
  *judged = j;
  return ROOF_OK;
}

/** A training step, and the most favourable of those tried. */
typedef struct step_search {
  roof_whole *run;
  const roof_machine *machine;
  roof_model_settings typed, best;
  roof_model_judged judged; /**< of the best */
  double spare_bytes;       /**< of the best */
} step_search;

/** Keeps the settings of the run where it fits with a lower limit than the best, or lacks less. */
static void try_step(step_search *t) {
  const double rounding = 1e-9;
  roof_model_judged j;
  if (judge_batch(t->run, t->machine, t->typed.batch, &j, NULL) != ROOF_OK) {
    return;
  }
  double spare = t->run->answer.capacity.spare_bytes;
  bool better = j.fits != t->judged.fits ? j.fits
                : j.fits                 ? j.placed.share < (1 - rounding) * t->judged.placed.share
                                         : spare > t->spare_bytes;
  if (better) {
    t->best = t->run->settings, t->judged = j, t->spare_bytes = spare;
  }
}

static void try_microbatches(step_search *t) {
  double sequences = roof_model_replica_batch(&t->run->target);
  if (rf_model_typed(&t->typed, "microbatches")) {
    try_step(t);
    return;
  }
  for (double count = 1; count <= sequences; count = rf_model_next_microbatches(sequences, count)) {
    t->run->settings.microbatches = count;
    try_step(t);
  }
}

/** "possible with microbatches=64 sp: ...". */
static void name_step(const roof_whole *w, const roof_model_settings *typed, roof_model_judged *j) {
  const roof_model_settings *s = &w->settings;
  char tried[96], count[40] = "";
  double microbatches = roof_model_microbatches(&w->target);
  if (microbatches != rf_model_microbatches(typed, roof_model_replica_batch(&w->target))) {
    snprintf(count, sizeof count, " microbatches=%.0f", microbatches);
  }
  bool recomputes = s->recompute != typed->recompute, splits = s->sp != typed->sp;
  snprintf(tried, sizeof tried, "%s%s%s%s%s", j->possible ? " with" : " even with", count,
           recomputes ? " recompute=" : "", recomputes ? roof_recompute_name(s->recompute) : "",
           splits ? " sp" : "");
  if (count[0] != '\0' || recomputes || splits) {
    name_tried(j, tried);
  }
}

/** Of a training step it may be open in how many pieces it runs, what is computed again and what tp shares. */
static roof_status judge_steps(roof_whole *w, const roof_machine *machine, roof_model_judged *judged,
                               roof_error *error) {
  roof_model_settings *s = &w->settings;
  step_search t = {.run = w, .machine = machine, .typed = *s, .best = *s};
  roof_status status = judge_batch(w, machine, s->batch, &t.judged, error);
  if (status != ROOF_OK) {
    return status;
  }
  t.spare_bytes = w->answer.capacity.spare_bytes;
  for (int sp = t.typed.sp; sp <= (t.typed.sp || s->tp > 1); sp++) {
    for (int r = 0; r < ROOF_RECOMPUTE_COUNT; r++) {
      s->sp = sp, s->recompute = (roof_recompute)r;
      if (s->recompute == t.typed.recompute || !rf_model_typed(&t.typed, "recompute")) {
        try_microbatches(&t);
      }
    }
  }
  *s = t.best;
  status = judge_batch(w, machine, s->batch, &t.judged, error);
  if (status == ROOF_OK) {
    name_step(w, &t.typed, &t.judged);
    *judged = t.judged;
  }
  return status;
}

roof_status roof_whole_judge(roof_whole *w, const roof_machine *machine, roof_model_judged *judged,
                             roof_error *error) {
  return has_any_batch(w)    ? judge_batches(w, machine, judged, error)
         : w->settings.train ? judge_steps(w, machine, judged, error)
                             : judge_batch(w, machine, w->settings.batch, judged, error);
}

void roof_whole_free(roof_whole *whole) {
  free(whole);
}
