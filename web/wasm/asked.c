#include "web/wasm/asked.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"

enum { WORDS = sizeof((web_list *)0)->texts / sizeof *((web_list *)0)->texts };

typedef enum option_kind { TEXT, LIST, COMMAS, FLAG } option_kind;

/** A bit for each command, in the order of `commands`. */
enum {
  PREDICT = 1,
  SWEEP = 2,
  ADVISE = 4,
  PLOT = 8,
  MODEL = 16,
  PLAN = 32,
  SERVE = 64,
  DRILL = 128,
  OPERATION = PREDICT | SWEEP | ADVISE,
  WHOLE = MODEL | PLAN | SERVE,
  DRAWN = SWEEP | PLOT | WHOLE,
};

static const char *const commands[] = {"predict", "sweep", "advise", "plot",    "model",
                                       "plan",    "serve", "drill",  "machine", "op"};

#define FORMAT(name) {#name, TEXT, OPERATION | PLOT, offsetof(web_asked, formats.name)},
#define OPTION(name) {#name, TEXT, OPERATION | WHOLE, offsetof(web_asked, options.name)},
#define SWITCH(name) {#name, FLAG, OPERATION | WHOLE, offsetof(web_asked, options.name)},
#define OWN(name, kind, commands, member)                                                                    \
  { #name, kind, commands, offsetof(web_asked, member) }

/** The options of the commands that have a part here, under the same names. */
static const struct {
  const char *name;
  option_kind kind;
  unsigned commands;
  size_t offset;
} options[] = {OWN(machine, LIST, OPERATION | PLOT | WHOLE | DRILL, machines),
               OWN(peak, LIST, OPERATION | PLOT | WHOLE | DRILL, peaks),
               OWN(bandwidth, TEXT, OPERATION | PLOT | WHOLE | DRILL, bandwidth),
               OWN(dtype, COMMAS, OPERATION | PLOT | WHOLE, dtypes),
               OWN(kv, TEXT, WHOLE, formats.kv),
               OWN(precision, TEXT, ADVISE | WHOLE, precision),
               OWN(mode, TEXT, MODEL | PLAN, mode),
               OWN(fuse, TEXT, MODEL | PLAN, fuse),
               OWN(recompute, TEXT, MODEL, recompute),
               OWN(network, TEXT, WHOLE, network),
               OWN(rate, TEXT, PLAN | SERVE, rate),
               OWN(ttft, TEXT, PLAN | SERVE, ttft),
               OWN(tpot, TEXT, PLAN | SERVE, tpot),
               OWN(percentile, TEXT, PLAN, percentile),
               OWN(devices, TEXT, PLAN, devices),
               OWN(price, TEXT, WHOLE, price),
               OWN(concurrency, TEXT, SERVE, concurrency),
               OWN(requests, TEXT, SERVE, requests),
               OWN(seed, TEXT, SERVE | DRILL, seed),
               OWN(to, TEXT, DRAWN, to),
               OWN(width, TEXT, DRAWN, width),
               OWN(json, FLAG, ~0u, json),
               OWN(train, FLAG, MODEL, train),
               OWN(arrows, FLAG, PLOT, arrows),
               OWN(lenient, FLAG, MODEL | PLAN, lenient),
               ROOF_FORMATS_MAP(FORMAT) ROOF_OPTIONS_MAP(OPTION) ROOF_SWITCHES_MAP(SWITCH)};

enum { OPTION_COUNT = sizeof options / sizeof options[0] };

/** The bit of a command; all bits for what is none. */
static unsigned bit_of(const char *command) {
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(commands[i], command) == 0) {
      return 1u << i;
    }
  }
  return ~0u;
}

static roof_status add(web_list *list, const char *text, roof_error *error) {
  if (list->count + 1 >= WORDS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.80s`: more than %d words of a kind", text, WORDS - 1);
  }
  list->texts[list->count++] = text;
  return ROOF_OK;
}

/** Adds what stands between the commas of `text`, which is cut there. */
static roof_status add_parts(web_list *list, char *text, roof_error *error) {
  roof_status status = ROOF_OK;
  char *rest = NULL;
  for (char *part = strtok_r(text, ",", &rest); part != NULL && status == ROOF_OK;
       part = strtok_r(NULL, ",", &rest)) {
    status = add(list, part, error);
  }
  return status;
}

static roof_status keep(web_asked *asked, size_t option, const char *value, roof_error *error) {
  char *member = (char *)asked + options[option].offset;
  switch (options[option].kind) {
  case TEXT:
    if (*(const char **)member != NULL) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: given 2 times; one value is taken",
                            options[option].name);
    }
    *(const char **)member = value;
    return ROOF_OK;
  case FLAG:
    *(int *)member = 1;
    return ROOF_OK;
  case LIST:
    return add((web_list *)member, value, error);
  default:
    return add_parts((web_list *)member, (char *)(uintptr_t)value, error);
  }
}

/** The option of that name that the command has; OPTION_COUNT: none. */
static size_t find(const char *command, const char *name, size_t length) {
  const unsigned bit = bit_of(command);
  size_t i = 0;
  while (i < OPTION_COUNT && ((options[i].commands & bit) == 0 || strlen(options[i].name) != length ||
                              strncmp(options[i].name, name, length) != 0)) {
    i++;
  }
  return i;
}

/** Takes the option at `*at`; its value stands behind `=`, or is the word after it. */
static roof_status take_option(web_asked *asked, size_t *at, roof_error *error) {
  const char *name = json_string_value(json_array_get(asked->line, *at)) + 2;
  const size_t length = strcspn(name, "=");
  const size_t option = find(asked->command, name, length);
  if (option == OPTION_COUNT) {
    return roof_error_set(error, ROOF_E_NAME, "--%.*s: not an option that `%.20s` has here",
                          length < 80 ? (int)length : 80, name, asked->command);
  }
  const bool flag = options[option].kind == FLAG, joined = name[length] == '=';
  if (flag && joined) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--%.80s: option does not take an argument", name);
  }
  const char *value = flag     ? ""
                      : joined ? name + length + 1
                               : json_string_value(json_array_get(asked->line, ++*at));
  return value != NULL ? keep(asked, option, value, error)
                       : roof_error_set(error, ROOF_E_ARGUMENT, "--%s: missing argument", name);
}

static roof_status take_words(web_asked *asked, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < json_array_size(asked->line) && status == ROOF_OK; i++) {
    const char *word = json_string_value(json_array_get(asked->line, i));
    if (word == NULL) {
      status = roof_error_set(error, ROOF_E_PARSE, "what is asked: a list of words");
    } else if (i == 0) {
      asked->command = word;
    } else {
      status = strncmp(word, "--", 2) == 0 ? take_option(asked, &i, error) : add(&asked->words, word, error);
    }
  }
  return status;
}

/** --peak and --bandwidth are one more machine. */
static roof_status take_figures(web_asked *asked, roof_error *error) {
  roof_text *text = &asked->figures;
  if ((asked->peaks.count > 0) != (asked->bandwidth != NULL)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--%s: a machine is both, --peak RATE --bandwidth RATE",
                          asked->peaks.count > 0 ? "peak" : "bandwidth");
  }
  if (asked->bandwidth == NULL) {
    return ROOF_OK;
  }
  for (int i = 0; i < asked->peaks.count; i++) {
    roof_text_add(text, i > 0 ? " " : "");
    roof_text_addf(text, "peak=%s", asked->peaks.texts[i]);
  }
  roof_text_addf(text, " bandwidth=%s", asked->bandwidth);
  return text->failed ? roof_error_set(error, ROOF_E_MEMORY, "machines: out of memory")
                      : add(&asked->machines, text->data, error);
}

roof_status web_asked_read(web_asked *asked, const char *text, size_t length, roof_error *error) {
  memset(asked, 0, sizeof *asked);
  asked->line = json_loadb(text, length, 0, NULL);
  asked->command = "";
  roof_status status = json_is_array(asked->line)
                           ? take_words(asked, error)
                           : roof_error_set(error, ROOF_E_PARSE, "what is asked: a list of words");
  status = status == ROOF_OK ? take_figures(asked, error) : status;
  asked->formats.dtype = asked->dtypes.count > 0 ? asked->dtypes.texts[0] : NULL;
  return status;
}

void web_asked_done(web_asked *asked) {
  json_decref(asked->line);
  roof_text_done(&asked->figures);
}

void web_words_of(const web_asked *asked, const char *price, web_words *words) {
  words->count = 0;
  for (int i = 1; i < asked->words.count; i++) {
    words->list[words->count++] = asked->words.texts[i];
  }
  if (price != NULL) {
    snprintf(words->price, sizeof words->price, "price=%.50s", price);
    words->list[words->count++] = words->price;
  }
}

int web_width(const web_asked *asked) {
  return asked->width != NULL ? (int)strtol(asked->width, NULL, 10) : 0;
}

roof_status web_draw_curves(const web_asked *asked,
                            roof_status (*fill)(const void *of, roof_curves *chart, roof_error *error),
                            const void *of, roof_text *out, roof_error *error) {
  roof_curves *chart = calloc(1, sizeof *chart);
  roof_status status =
      chart != NULL ? fill(of, chart, error) : roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  status = status == ROOF_OK ? roof_draw_curves_svg(chart, web_width(asked), out, error) : status;
  free(chart);
  return status;
}

roof_status web_write_each(json_t *all, roof_text *out, roof_error *error) {
  json_t *document = json_array_size(all) == 1
                         ? json_incref(json_array_get(all, 0))
                         : json_pack("{s:s, s:O}", "schema", "roofline.models/1", "models", all);
  return rf_json_write(document, "model", out, error);
}
