/* What every command takes, from the tables that its help is printed from: manual pages and completions are made of it. */
#include "cli/cli.h"

#include <string.h>

static json_t *text_or_null(const char *text) {
  return text != NULL ? json_string(text) : json_null();
}

static json_t *describe_option(const struct poptOption *o, const char *group) {
  const int kind = o->argInfo & POPT_ARG_MASK;
  const char letter[] = {o->shortName, '\0'};
  json_t *option = json_object();
  rf_json_set(option, "name", text_or_null(o->longName));
  rf_json_set(option, "letter", o->shortName != '\0' ? json_string(letter) : json_null());
  rf_json_set(option, "value", text_or_null(o->argDescrip));
  rf_json_set(option, "value_optional", json_boolean((o->argInfo & POPT_ARGFLAG_OPTIONAL) != 0));
  rf_json_set(option, "repeatable", json_boolean(kind == POPT_ARG_ARGV));
  rf_json_set(option, "group", json_string(group));
  rf_json_set(option, "text", text_or_null(o->descrip));
  return option;
}

/** Appends the options of a table, and of those it includes, to `options`. */
static void add_options(json_t *options, const struct poptOption *table, const char *group) {
  for (const struct poptOption *o = table; !cli_args_is_end(o); o++) {
    if ((o->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE) {
      add_options(options, o->arg, o->descrip != NULL ? o->descrip : group);
    } else if ((o->argInfo & POPT_ARGFLAG_DOC_HIDDEN) == 0) {
      rf_json_append(options, describe_option(o, group));
    }
  }
}

/** The lines of `text` without the blanks they begin with. */
static json_t *lines_of(const char *text) {
  json_t *lines = json_array();
  while (text != NULL && *text != '\0') {
    text += strspn(text, " ");
    size_t length = strcspn(text, "\n");
    rf_json_append(lines, json_stringn(text, length));
    text += length + (text[length] == '\n');
  }
  return lines;
}

static json_t *words_of(const char *text) {
  json_t *words = json_array();
  for (size_t length; text != NULL && (length = strcspn(text, " ")) > 0;
       text += length + (text[length] == ' ')) {
    rf_json_append(words, json_stringn(text, length));
  }
  return words;
}

json_t *cli_describe_command(const cli_command *command) {
  static const char *const tasks[] = {
#define X(symbol, title) [CLI_TASK_##symbol] = title,
      CLI_TASK_MAP(X)
#undef X
  };
  json_t *object = json_object(), *options = json_array();
  rf_json_set(object, "name", json_string(command->name));
  rf_json_set(object, "task", json_string(tasks[command->task]));
  rf_json_set(object, "arguments", text_or_null(command->arguments));
  rf_json_set(object, "summary", json_string(command->summary));
  rf_json_set(object, "writes", words_of(command->writes));
  add_options(options, cli_args_table(command), "");
  rf_json_set(object, "options", options);
  rf_json_set(object, "examples", lines_of(command->examples));
  return object;
}

roof_status cli_describe(const cli_command *const *commands, roof_error *error) {
  json_t *object = json_object(), *list = json_array();
  rf_json_set(object, "schema", json_string("roofline.commands/1"));
  for (int i = 0; commands[i] != NULL; i++) {
    rf_json_append(list, cli_describe_command(commands[i]));
  }
  rf_json_set(object, "commands", list);
  roof_text text = {0};
  cli_json_add_lines(&text, object);
  roof_status status = text.failed ? roof_error_set(error, ROOF_E_MEMORY, "help: out of memory")
                                   : cli_print_document(&text, error); /* whatever the terminal's width */
  roof_text_done(&text);
  return status;
}
