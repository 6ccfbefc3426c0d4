/* Settings of a model's run as words: batch=8 prompt=4k generate=256 tp=2. */
#include <stdlib.h>
#include <string.h>

#include "cli/model/model.h"

/** A setting by name. */
typedef struct setting {
  const char *name;
  size_t offset;
  const char *unit;
} setting;

#define SETTING(name, unit)                                                                                  \
  { #name, offsetof(roof_model_settings, name), unit }

static const setting settings_table[] = {
    SETTING(batch, ""), SETTING(prompt, ""), SETTING(generate, ""),   SETTING(chunk, ""),
    SETTING(draft, ""), SETTING(accept, ""), SETTING(tp, ""),         SETTING(pp, ""),
    SETTING(dp, ""),    SETTING(ep, ""),     SETTING(cp, ""),         SETTING(microbatches, ""),
    SETTING(node, ""),  SETTING(page, ""),   SETTING(workspace, "B"), SETTING(price, ""),
    SETTING(zero, ""),
};
enum { SETTING_COUNT = sizeof settings_table / sizeof settings_table[0] };

static const setting *find(const char *word, size_t length) {
  for (int i = 0; i < SETTING_COUNT; i++) {
    if (strlen(settings_table[i].name) == length && strncmp(settings_table[i].name, word, length) == 0) {
      return &settings_table[i];
    }
  }
  return NULL;
}

static roof_status fail_unknown(const char *word, size_t length, roof_error *error) {
  const char *names[SETTING_COUNT + 1] = {NULL};
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
  for (int i = 0; i < SETTING_COUNT; i++) {
    names[i] = settings_table[i].name;
  }
  return roof_error_unknown(error, "setting", name, names, NULL);
}

static roof_status read_setting(const void *context, const char *text, double *value, roof_error *error) {
  const setting *s = context;
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, s->unit, value, &why);
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s: %s", s->name, why.message);
}

/** Reads a list or range; the setting itself gets the first value. */
static roof_status take_list(const setting *s, const char *list, roof_model_settings *settings,
                             cli_model_axes *axes, roof_error *error) {
  char copy[256];
  if (axes == NULL || axes->count == CLI_MODEL_AXES || strlen(list) >= sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%.60s: %s", s->name, list,
                          axes == NULL ? "one value here" : "too many lists, or a long one");
  }
  for (int i = 0; i < axes->count; i++) {
    if (axes->list[i].offset == s->offset) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: given twice", s->name);
    }
  }
  cli_model_axis *axis = &axes->list[axes->count++];
  *axis = (cli_model_axis){.name = s->name, .offset = s->offset};
  snprintf(copy, sizeof copy, "%s", list);
  bool whole = s->unit[0] == '\0' && strcmp(s->name, "accept") != 0 && strcmp(s->name, "price") != 0;
  roof_status status = roof_axis_read(&axis->values, s->name, whole, read_setting, s, copy, error);
  if (status == ROOF_OK) {
    *(double *)(void *)((char *)settings + s->offset) = axis->values.values[0];
  }
  return status;
}

static roof_status take_word(const char *word, roof_model_settings *settings, cli_model_axes *axes,
                             roof_error *error) {
  size_t length = strcspn(word, "=");
  if (word[length] == '\0') {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.60s`: settings are key=value, for instance batch=8",
                          word);
  }
  const setting *s = find(word, length);
  const char *text = word + length + 1;
  if (s == NULL) {
    return fail_unknown(word, length, error);
  }
  if (strchr(text, ',') != NULL || strstr(text, "..") != NULL) {
    return take_list(s, text, settings, axes, error);
  }
  return read_setting(s, text, (double *)(void *)((char *)settings + s->offset), error);
}

roof_status cli_model_words(const char *const *words, int count, roof_model_settings *settings,
                            cli_model_axes *axes, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = take_word(words[i], settings, axes, error);
  }
  return status;
}

void cli_model_axes_done(cli_model_axes *axes) {
  for (int i = 0; i < axes->count; i++) {
    free(axes->list[i].values.values);
  }
  axes->count = 0;
}

roof_status cli_model_choices(const char *text, const roof_model_settings *settings,
                              roof_model_precision precisions[CLI_MODEL_CHOICES],
                              char names[CLI_MODEL_CHOICES][CLI_MODEL_CHOICE_SIZE], int *count,
                              roof_error *error) {
  roof_status status = ROOF_OK;
  *count = 1;
  precisions[0] = settings->precision;
  snprintf(names[0], CLI_MODEL_CHOICE_SIZE, "%s", "as stored");
  for (int i = 0; text != NULL && status == ROOF_OK; i++) {
    char formats[CLI_MODEL_CHOICE_SIZE];
    size_t length = strcspn(text, "/");
    if (i == CLI_MODEL_CHOICES || length >= sizeof formats) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--precision: more than %d choices, or a long one",
                            CLI_MODEL_CHOICES);
    }
    snprintf(formats, sizeof formats, "%.*s", (int)length, text);
    memcpy(names[i], formats, sizeof formats);
    precisions[i] = settings->precision;
    *count = i + 1;
    status = roof_model_precision_parse(formats, &precisions[i], error);
    text = text[length] == '/' ? text + length + 1 : NULL;
  }
  return status;
}
