/* Which kernels are one, and what it is called: `name`, `base`, `REGEX=NAME`. */
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

roof_status rf_import_regex(const char *option, const char *text, regex_t *pattern, roof_error *error) {
  int code = regcomp(pattern, text, REG_EXTENDED | REG_NOSUB);
  if (code == 0) {
    return ROOF_OK;
  }
  char why[120];
  regerror(code, pattern, why, sizeof why);
  return roof_error_set(error, ROOF_E_ARGUMENT, "%s `%.60s`: %s", option, text, why);
}

void rf_import_groups_done(import_groups *groups) {
  for (size_t i = 0; i < groups->count; i++) {
    regfree(&groups->rules[i].pattern);
  }
  free(groups->rules);
  *groups = (import_groups){0};
}

/** `REGEX=NAME`, split at the first equals sign: the labels of operations hold some. */
static roof_status add_rule(import_groups *groups, const char *text, roof_error *error) {
  import_group *rule = &groups->rules[groups->count];
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return roof_error_set(error, ROOF_E_NAME, "--merge `%s`: give name, base or REGEX=NAME", text);
  }
  char *pattern = strndup(text, (size_t)(equals - text));
  roof_status status = pattern != NULL ? rf_import_regex("--merge", pattern, &rule->pattern, error)
                                       : roof_error_set(error, ROOF_E_MEMORY, "--merge: out of memory");
  if (status == ROOF_OK) {
    rule->name = equals + 1;
    rule->text = text;
    groups->count++;
  }
  free(pattern);
  return status;
}

roof_status rf_import_groups_read(const char *const *texts, import_groups *groups, roof_error *error) {
  size_t count = 0;
  while (texts != NULL && texts[count] != NULL) {
    count++;
  }
  *groups = (import_groups){.rules = calloc(count + 1, sizeof *groups->rules)};
  roof_status status =
      groups->rules != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "--merge: out of memory");
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    groups->base |= strcmp(texts[i], "base") == 0;
    if (strcmp(texts[i], "base") != 0 && strcmp(texts[i], "name") != 0) {
      status = add_rule(groups, texts[i], error);
    }
  }
  return status;
}

void rf_import_groups_apply(import_groups *groups, roof_profile *profile) {
  for (size_t k = 0; k < profile->count; k++) {
    roof_record *record = &profile->records[k];
    bool named = false;
    for (size_t i = 0; i < groups->count && !named; i++) {
      import_group *rule = &groups->rules[i];
      named = regexec(&rule->pattern, record->name, 0, NULL, 0) == 0;
      if (named) {
        rule->matches++;
        record->own_name = record->name;
        record->own_names = 1;
        record->name = roof_profile_text(profile, rule->name);
      }
    }
  }
}

roof_status rf_import_groups_check(const import_groups *groups, roof_error *error) {
  for (size_t i = 0; i < groups->count; i++) {
    if (groups->rules[i].matches == 0) {
      return roof_error_set(error, ROOF_E_NAME, "--merge `%.60s`: no kernel's name matches",
                            groups->rules[i].text);
    }
  }
  return ROOF_OK;
}
