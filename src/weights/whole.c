/* A model's run from the words and formats that describe it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "roofline/model_sweep.h"
#include "roofline/text.h"
#include "roofline/weights.h"

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
  return status == ROOF_OK ? roof_model_settings_check(&w->model, &w->settings, false, NULL, error) : status;
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

void roof_whole_free(roof_whole *whole) {
  free(whole);
}
