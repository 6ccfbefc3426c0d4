/* Settings of a model's run as words: batch=8 prompt=4k generate=256 tp=2. */
#include <string.h>

#include "cli/model.h"

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
  const char *near = roof_suggest(name, names);
  return roof_error_set(error, ROOF_E_NAME, "%s: no such setting%s%s%s", name,
                        near ? "; did you mean `" : " (batch, prompt, generate, chunk, tp, ...)",
                        near ? near : "", near ? "`?" : "");
}

static roof_status take_word(const char *word, roof_model_settings *settings, roof_error *error) {
  size_t length = strcspn(word, "=");
  if (word[length] == '\0') {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.60s`: settings are key=value, for instance batch=8",
                          word);
  }
  const setting *s = find(word, length);
  if (s == NULL) {
    return fail_unknown(word, length, error);
  }
  roof_error why = {0};
  double *value = (double *)(void *)((char *)settings + s->offset);
  roof_status status = roof_quantity_parse_unit(word + length + 1, s->unit, value, &why);
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s: %s", s->name, why.message);
}

roof_status roof_model_words(const char *const *words, int count, roof_model_settings *settings,
                             roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = take_word(words[i], settings, error);
  }
  return status;
}
