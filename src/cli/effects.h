/** Options that have no effect: a table in each command says when, and typing one is an error. */
#ifndef CLI_EFFECTS_H
#define CLI_EFFECTS_H

#include "cli/cli.h"

/** What was typed: the long names of the options, of all that `table` has, and the words. */
typedef struct cli_typed {
  const struct poptOption *table;
  const char *const *options;
  int count;
  const cli_args *args;
} cli_typed;

/** Whether `word` is one of the words of `list`, single spaces between them. */
bool cli_is_among(const char *list, const char *word);

/** Whether a table of options, or one it includes, has the long option. */
bool cli_has_option(const struct poptOption *table, const char *name);

/** Whether `effects` (NULL: none) says of an option that it never has one. */
bool cli_effects_never(const cli_effect *effects, const char *option);

/** ROOF_E_ARGUMENT where an option was typed that `effects` (NULL: none) says has no effect. */
roof_status cli_effects_check(const cli_effect *effects, const char *command, const cli_typed *typed,
                              roof_error *error);

#endif
