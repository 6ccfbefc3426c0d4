#include "web/wasm/asked.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"

enum { WORDS = sizeof((web_list *)0)->texts / sizeof *((web_list *)0)->texts };

typedef enum option_kind { TEXT, LIST, COMMAS, FLAG } option_kind;

#define FORMAT(name) {#name, TEXT, offsetof(web_asked, formats.name)},
#define OPTION(name) {#name, TEXT, offsetof(web_asked, options.name)},
#define SWITCH(name) {#name, FLAG, offsetof(web_asked, options.name)},
#define OWN(name, kind, member)                                                                              \
  { #name, kind, offsetof(web_asked, member) }

/** The options of the command that have a part here, under the same names. */
static const struct {
  const char *name;
  option_kind kind;
  size_t offset;
} options[] = {OWN(machine, LIST, machines),
               OWN(dtype, COMMAS, dtypes),
               OWN(peak, LIST, peaks),
               OWN(bandwidth, TEXT, bandwidth),
               OWN(precision, TEXT, precision),
               OWN(mode, TEXT, mode),
               OWN(fuse, TEXT, fuse),
               OWN(recompute, TEXT, recompute),
               OWN(network, TEXT, network),
               OWN(rate, TEXT, rate),
               OWN(ttft, TEXT, ttft),
               OWN(tpot, TEXT, tpot),
               OWN(percentile, TEXT, percentile),
               OWN(devices, TEXT, devices),
               OWN(price, TEXT, price),
               OWN(concurrency, TEXT, concurrency),
               OWN(requests, TEXT, requests),
               OWN(seed, TEXT, seed),
               OWN(to, TEXT, to),
               OWN(width, TEXT, width),
               OWN(json, FLAG, json),
               OWN(train, FLAG, train),
               OWN(arrows, FLAG, arrows),
               OWN(lenient, FLAG, lenient),
               ROOF_FORMATS_MAP(FORMAT) ROOF_OPTIONS_MAP(OPTION) ROOF_SWITCHES_MAP(SWITCH)};

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

/** Takes the option at `*at`, and the word after it where it is its value. */
static roof_status take_option(web_asked *asked, size_t *at, roof_error *error) {
  const char *name = json_string_value(json_array_get(asked->line, *at)) + 2;
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    if (strcmp(options[i].name, name) == 0) {
      bool flag = options[i].kind == FLAG;
      const char *value = flag ? "" : json_string_value(json_array_get(asked->line, ++*at));
      return value != NULL ? keep(asked, i, value, error)
                           : roof_error_set(error, ROOF_E_ARGUMENT, "--%s: missing argument", name);
    }
  }
  return roof_error_set(error, ROOF_E_NAME, "--%.80s: not an option that the explorer has", name);
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
