#include "cli/mcp/tools.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/effects.h"

enum { PAGES = 100000 };

#define SHAPE "[\"gemm\", \"m=8192\", \"n=8192\", \"k=8192\"]"

/** A tool is the command of its name. `writes`: its options that change a file, for --allow-write alone. `example`: of its `words`. */
static const struct tool {
  const char *name, *writes, *example;
} tools[] = {
    {"predict", "seal label mine sign ledger", SHAPE},
    {"sweep", "", "[\"gemm\", \"m=1..1024*2\", \"n=8192\", \"k=8192\"]"},
    {"model", "seal ledger sign", "[\"llama-3.1-8b\", \"batch=16\"]"},
    {"plan", "", "[\"llama-3.1-70b\"]"},
    {"claim", "", "[\"gemm\", \"m=8192\", \"n=8192\", \"k=8192\", \"1500us\"]"},
    {"machine", "", "[\"show\", \"h100\"]"},
    {"import", "ledger sign unsealed", "[\"profile.csv\"]"},
    {"advise", "", SHAPE},
    {"reconcile", "", "[]"},
    {"plot", "", SHAPE},
    {"explain", "", "[\"ridge\"]"},
};
enum { TOOLS = sizeof tools / sizeof tools[0] };

/** How an answer can be asked for, and the word of the command line that does. */
static const struct {
  const char *name, *word;
} kinds[] = {[CLI_MCP_TEXT] = {"text", NULL},
             [CLI_MCP_JSON] = {"json", "--json"},
             [CLI_MCP_CSV] = {"csv", "--csv"},
             [CLI_MCP_SVG] = {"svg", "--to=-.svg"},
             [CLI_MCP_PNG] = {"png", "--to=-.png"}};
_Static_assert(sizeof kinds / sizeof kinds[0] == CLI_MCP_KINDS, "a name for each");

static const struct tool *find(const char *name) {
  for (size_t i = 0; i < TOOLS; i++) {
    if (strcmp(tools[i].name, name) == 0) {
      return &tools[i];
    }
  }
  return NULL;
}

roof_status cli_mcp_tools_find(const char *name, roof_error *error) {
  const char *names[TOOLS + 1] = {NULL};
  for (size_t i = 0; i < TOOLS; i++) {
    names[i] = tools[i].name;
  }
  return find(name) != NULL ? ROOF_OK : roof_error_unknown(error, "tool", name, names, NULL);
}

static const char *text_of(json_t *object, const char *key) {
  return rf_json_text_of(json_object_get(object, key));
}

/** Whether an option of the command is one of the tool: how the answer is wanted is `answer`. */
static bool is_offered(const struct tool *tool, json_t *option, const cli_mcp_limits *limits) {
  const char *name = text_of(option, "name");
  return name[0] != '\0' && !cli_is_among("json csv quiet color help", name) &&
         (limits->may_write || (strcmp(name, "to") != 0 && !cli_is_among(tool->writes, name)));
}

static bool is_kind(json_t *command, int kind) {
  size_t i;
  json_t *ending;
  json_array_foreach(json_object_get(command, "writes"), i, ending) {
    if (strcmp(rf_json_text_of(ending), kinds[kind].name) == 0) {
      return true;
    }
  }
  return kind == CLI_MCP_TEXT || kind == CLI_MCP_JSON;
}

static json_t *kinds_of(json_t *command) {
  json_t *names = json_array();
  for (int kind = 0; kind < CLI_MCP_KINDS; kind++) {
    if (is_kind(command, kind)) {
      rf_json_append(names, json_string(kinds[kind].name));
    }
  }
  return names;
}

/** The schema of an option: true, a text (or a number), or several. */
static json_t *option_schema(json_t *option) {
  const char *value = text_of(option, "value");
  json_t *one = json_pack("{s:[s,s]}", "type", "string", "number");
  json_t *schema = value[0] == '\0' ? json_pack("{s:s}", "type", "boolean")
                   : json_is_true(json_object_get(option, "value_optional"))
                       ? json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean")
                   : json_is_true(json_object_get(option, "repeatable"))
                       ? json_pack("{s:s, s:O}", "type", "array", "items", one)
                       : json_incref(one);
  json_t *text = json_sprintf("%s%s%s", text_of(option, "text"), value[0] != '\0' ? ": " : "", value);
  rf_json_set(schema, "description", text);
  json_decref(one);
  return schema;
}

static json_t *input_schema(const struct tool *tool, json_t *command, const cli_mcp_limits *limits) {
  json_t *properties = json_object(), *option;
  size_t i;
  if (text_of(command, "arguments")[0] != '\0') {
    rf_json_set(
        properties, "words",
        json_pack("{s:s, s:{s:s}, s:o}", "type", "array", "items", "type", "string", "description",
                  json_sprintf("%s, each word by itself: %s", text_of(command, "arguments"), tool->example)));
  }
  json_array_foreach(json_object_get(command, "options"), i, option) {
    if (is_offered(tool, option, limits)) {
      rf_json_set(properties, text_of(option, "name"), option_schema(option));
    }
  }
  rf_json_set(properties, "answer",
              json_pack("{s:s, s:o, s:s}", "type", "string", "enum", kinds_of(command), "description",
                        "how the answer is wanted; default text"));
  rf_json_set(properties, "page",
              json_pack("{s:s, s:i, s:s}", "type", "integer", "minimum", 1, "description",
                        "of an answer that is too long for one"));
  return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties, "additionalProperties", 0);
}

/** Summary and examples, as the command's help has them. */
static json_t *description(json_t *command) {
  roof_text text = {0};
  size_t i;
  json_t *line;
  roof_text_addf(&text, "%s\n", text_of(command, "summary"));
  json_array_foreach(json_object_get(command, "examples"), i, line) {
    roof_text_addf(&text, "%s\n", rf_json_text_of(line));
  }
  json_t *description = text.failed ? NULL : json_string(text.data);
  roof_text_done(&text);
  return description;
}

static json_t *describe(const struct tool *tool, const cli_mcp_limits *limits) {
  json_t *command = cli_describe_command(cli_command_named(tool->name));
  json_t *object = json_pack("{s:s, s:s, s:o, s:o, s:{s:b, s:b}}", "name", tool->name, "title",
                             text_of(command, "summary"), "description", description(command), "inputSchema",
                             input_schema(tool, command, limits), "annotations", "readOnlyHint",
                             !limits->may_write, "openWorldHint", 0);
  json_decref(command);
  return object;
}

json_t *cli_mcp_tools_list(const cli_mcp_limits *limits) {
  json_t *list = json_array();
  for (size_t i = 0; i < TOOLS; i++) {
    rf_json_append(list, describe(&tools[i], limits));
  }
  return json_pack("{s:o}", "tools", list);
}

/** A call on the way to its command line. */
typedef struct calling {
  const struct tool *tool;
  const cli_mcp_limits *limits;
  json_t *command; /**< described */
  cli_mcp_line *line;
} calling;

/** Whether somebody put several words into one text: a space, and a key=value behind it. */
static bool is_several(const char *text) {
  const char *space = strchr(text, ' ');
  return space != NULL && strchr(space, '=') != NULL;
}

static roof_status add_words(const calling *c, json_t *words, roof_error *error) {
  size_t i;
  json_t *word;
  json_array_foreach(words, i, word) {
    const char *text = json_string_value(word);
    if (text == NULL || is_several(text)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "words: each word by itself: %s", c->tool->example);
    }
    if (text[0] == '-') {
      return roof_error_set(
          error, ROOF_E_ARGUMENT,
          "words: `%.80s`: options are arguments of their own, and there is no standard input", text);
    }
    roof_status status = cli_mcp_limits_check(c->limits, text, error);
    if (status != ROOF_OK) {
      return status;
    }
    rf_json_append(c->line->words, json_string(text));
  }
  return ROOF_OK;
}

/** Adds `--name=value`, or `--name` for true. */
static roof_status add_value(const calling *c, const char *name, json_t *value, roof_error *error) {
  char number[ROOF_NUMBER_SIZE];
  const char *text = json_string_value(value);
  if (json_is_number(value)) {
    roof_number_write(number, json_number_value(value), 0);
    text = number;
  }
  if (json_is_true(value)) {
    rf_json_append(c->line->words, json_sprintf("--%s", name));
  }
  if (json_is_boolean(value)) {
    return ROOF_OK;
  }
  if (text == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: must be a text or a number", name);
  }
  if (strcmp(text, "-") == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: there is no standard input", name);
  }
  roof_status status = cli_mcp_limits_check(c->limits, text, error);
  if (status == ROOF_OK) {
    rf_json_append(c->line->words, json_sprintf("--%s=%s", name, text));
  }
  return status;
}

static roof_status add_option(const calling *c, json_t *option, json_t *value, roof_error *error) {
  const char *name = text_of(option, "name");
  bool several = json_is_true(json_object_get(option, "repeatable")) && json_is_array(value);
  bool flag = text_of(option, "value")[0] == '\0',
       optional = json_is_true(json_object_get(option, "value_optional"));
  roof_status status = ROOF_OK;
  if (flag != json_is_boolean(value) && !(optional && json_is_boolean(value))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, flag ? "%s: must be true or false" : "%s: needs a value",
                          name);
  }
  size_t i;
  json_t *one;
  json_array_foreach(several ? value : NULL, i, one) {
    status = status == ROOF_OK ? add_value(c, name, one, error) : status;
  }
  return several ? status : add_value(c, name, value, error);
}

static roof_status take_kind(const calling *c, json_t *value, roof_error *error) {
  const char *names[CLI_MCP_KINDS + 1] = {NULL};
  int count = 0;
  for (int kind = 0; kind < CLI_MCP_KINDS; kind++) {
    if (is_kind(c->command, kind)) {
      names[count++] = kinds[kind].name;
      if (strcmp(kinds[kind].name, rf_json_text_of(value)) == 0) {
        c->line->kind = (cli_mcp_kind)kind;
        return ROOF_OK;
      }
    }
  }
  return roof_error_unknown(error, "answer", rf_json_text_of(value), names, NULL);
}

static roof_status take_page(const calling *c, json_t *value, roof_error *error) {
  json_int_t page = json_integer_value(value);
  if (page < 1 || page > PAGES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "page: must be a whole number from 1");
  }
  c->line->page = (int)page;
  return ROOF_OK;
}

static roof_status refuse_argument(const calling *c, const char *key, roof_error *error) {
  const char *names[128] = {"words", "answer", "page"};
  size_t i, count = 3;
  json_t *option;
  json_array_foreach(json_object_get(c->command, "options"), i, option) {
    const char *name = text_of(option, "name");
    if (strcmp(name, key) == 0 && !cli_is_among("json csv quiet color help", name)) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "%s: writes a file; this server reads only (--allow-write)", key);
    }
    if (is_offered(c->tool, option, c->limits) && count < sizeof names / sizeof names[0] - 1) {
      names[count++] = name;
    }
  }
  names[count] = NULL;
  char hint[160];
  bool takes_words = text_of(c->command, "arguments")[0] != '\0';
  snprintf(hint, sizeof hint, "what is no option is one of `words`: %s", c->tool->example);
  return roof_error_unknown(error, "argument", key, names, takes_words ? hint : NULL);
}

static roof_status take_argument(const calling *c, const char *key, json_t *value, roof_error *error) {
  size_t i;
  json_t *option;
  if (strcmp(key, "words") == 0) {
    return ROOF_OK; /* first on the line */
  }
  if (strcmp(key, "answer") == 0) {
    return take_kind(c, value, error);
  }
  if (strcmp(key, "page") == 0) {
    return take_page(c, value, error);
  }
  json_array_foreach(json_object_get(c->command, "options"), i, option) {
    if (strcmp(text_of(option, "name"), key) == 0 && is_offered(c->tool, option, c->limits)) {
      return json_is_null(value) ? ROOF_OK : add_option(c, option, value, error);
    }
  }
  return refuse_argument(c, key, error);
}

static roof_status take_all(const calling *c, json_t *arguments, roof_error *error) {
  json_t *words = json_object_get(arguments, "words"), *value;
  const char *key;
  roof_status status = words == NULL ? ROOF_OK
                       : json_is_array(words)
                           ? add_words(c, words, error)
                           : roof_error_set(error, ROOF_E_ARGUMENT, "words: a list, each word by itself: %s",
                                            c->tool->example);
  json_object_foreach(arguments, key, value) {
    status = status == ROOF_OK ? take_argument(c, key, value, error) : status;
  }
  if (status == ROOF_OK && kinds[c->line->kind].word != NULL) {
    rf_json_append(c->line->words, json_string(kinds[c->line->kind].word));
  }
  return status;
}

roof_status cli_mcp_tools_line(const cli_mcp_limits *limits, const char *name, json_t *arguments,
                               cli_mcp_line *line, roof_error *error) {
  const struct tool *tool = find(name);
  *line = (cli_mcp_line){json_pack("[s,s]", "roofline", name), CLI_MCP_TEXT, 1};
  calling c = {tool, limits, cli_describe_command(cli_command_named(name)), line};
  roof_status status = arguments == NULL || json_is_object(arguments)
                           ? take_all(&c, arguments, error)
                           : roof_error_set(error, ROOF_E_ARGUMENT, "arguments: must be an object");
  if (status == ROOF_OK && rf_json_lost()) {
    status = roof_error_set(error, ROOF_E_MEMORY, "mcp: out of memory");
  }
  json_decref(c.command);
  return status;
}
