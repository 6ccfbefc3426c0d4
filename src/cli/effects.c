#include "cli/effects.h"

#include <stdio.h>
#include <string.h>

#include "cli/whole/whole.h"

const cli_effect cli_no_table[] = {{.options = "csv"}, {0}};

bool cli_is_among(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) {
      return true;
    }
  }
  return false;
}

bool cli_has_option(const struct poptOption *table, const char *name) {
  bool found = false;
  for (const struct poptOption *o = table; o != NULL && !cli_args_is_end(o) && !found; o++) {
    bool includes = (o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE;
    found = includes ? cli_has_option(o->arg, name) : o->longName != NULL && strcmp(o->longName, name) == 0;
  }
  return found;
}

/** Options that have an effect on every answer. */
static bool is_common(const char *option) {
  return cli_is_among("json csv quiet color to list help", option);
}

/** A model by its name has all its settings. */
static bool has_setting(const cli_args *args) {
  for (int i = 0; i < args->word_count; i++) {
    if (strchr(args->words[i], '=') != NULL) {
      return true;
    }
  }
  return cli_whole_is(args);
}

/** Whether the option was typed, or what the condition names: "list", a verb, "key=value", "WORD" for any. */
static bool holds(const cli_typed *typed, const char *condition) {
  const cli_args *args = typed->args;
  const char *verb = !args->list && args->word_count > 0 ? args->words[0] : "";
  bool said = (strcmp(condition, "list") == 0 && args->list) ||
              (strcmp(condition, "json") == 0 && args->json) ||
              (strcmp(condition, "csv") == 0 && args->csv) ||
              (strcmp(condition, "key=value") == 0 && has_setting(args)) ||
              (strcmp(condition, "WORD") == 0 && args->word_count > 0) || strcmp(condition, verb) == 0;
  for (int i = 0; i < typed->count && !said; i++) {
    said = strcmp(typed->options[i], condition) == 0;
  }
  return said;
}

/** Whether one of several holds, which single spaces part. */
static bool any_holds(const cli_typed *typed, const char *conditions) {
  bool said = false;
  char one[64];
  for (const char *at = conditions; *at != '\0' && !said; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    snprintf(one, sizeof one, "%.*s", (int)length, at);
    at += length;
    said = holds(typed, one);
  }
  return said;
}

static bool names(const cli_effect *effect, const char *option) {
  if (strcmp(effect->options, "*") != 0) {
    return cli_is_among(effect->options, option);
  }
  return !is_common(option) && (effect->except == NULL || !cli_is_among(effect->except, option));
}

/** "--search", "`list`", "an operation's key=value": what is no option of the command is a verb. */
static const char *condition_text(const cli_typed *typed, const char *condition, char *text, size_t size) {
  const bool verb = strcmp(condition, "list") == 0 || !cli_has_option(typed->table, condition);
  const char *words = strcmp(condition, "WORD") == 0        ? "a name"
                      : strcmp(condition, "key=value") == 0 ? "an operation's key=value"
                                                            : NULL;
  snprintf(text, size, words != NULL ? "%s" : verb ? "`%s`" : "--%s", words != NULL ? words : condition);
  return text;
}

/** "--ladder or --strong or --weak": of several. */
static const char *conditions_text(const cli_typed *typed, const char *conditions, char *text, size_t size) {
  char one[64], shown[64];
  size_t used = 0;
  for (const char *at = conditions; *at != '\0' && used < size; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    snprintf(one, sizeof one, "%.*s", (int)length, at);
    used += (size_t)snprintf(text + used, size - used, "%s%s", at == conditions ? "" : " or ",
                             condition_text(typed, one, shown, sizeof shown));
    at += length;
  }
  return text;
}

/** "ledger keygen: does not take --csv", "model --analysis: does not take --csv". */
static roof_status refuse_csv(const cli_effect *effect, const char *command, const cli_typed *typed,
                              roof_error *error) {
  const char *with = effect->with != NULL ? effect->with : "";
  bool option = false;
  for (int i = 0; i < typed->count && !option; i++) {
    option = strcmp(typed->options[i], with) == 0;
  }
  return roof_error_set(error, ROOF_E_ARGUMENT,
                        "%s%s%s: does not take --csv: there is no table in its answer", command,
                        option            ? " --"
                        : with[0] != '\0' ? " "
                                          : "",
                        with);
}

static roof_status refuse(const cli_effect *effect, const char *command, const cli_typed *typed,
                          const char *option, roof_error *error) {
  char condition[128];
  const char *named = effect->with != NULL ? effect->with : effect->without;
  if (strcmp(option, "csv") == 0) {
    return refuse_csv(effect, command, typed, error);
  }
  return named == NULL
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--%s: has no effect on `%s`", option, command)
             : roof_error_set(error, ROOF_E_ARGUMENT, "--%s: has no effect %s %s", option,
                              effect->with != NULL ? "with" : "without",
                              conditions_text(typed, named, condition, sizeof condition));
}

bool cli_effects_never(const cli_effect *effects, const char *option) {
  for (const cli_effect *e = effects; e != NULL && e->options != NULL; e++) {
    if (e->with == NULL && e->without == NULL && names(e, option)) {
      return true;
    }
  }
  return false;
}

roof_status cli_effects_check(const cli_effect *effects, const char *command, const cli_typed *typed,
                              roof_error *error) {
  for (const cli_effect *e = effects; e != NULL && e->options != NULL; e++) {
    bool idle =
        (e->with == NULL || holds(typed, e->with)) && (e->without == NULL || !any_holds(typed, e->without));
    for (int i = 0; i < typed->count && idle; i++) {
      if (names(e, typed->options[i])) {
        return refuse(e, command, typed, typed->options[i], error);
      }
    }
  }
  return ROOF_OK;
}
