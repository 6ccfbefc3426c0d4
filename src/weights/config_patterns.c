/* A name or pattern in a list of modules, as engines read it: a plain name has all below it in it, with or without its layer
 * (bitsandbytes); `*` is any text (Model Optimizer); after `re:` is a regular expression of Python's (compressed-tensors). */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weights/config.h"

/** Where layers lie: a regular expression may begin with any of these. */
static const char *const roots[] = {"model", "language_model.model", "model.language_model", "backbone"};
enum {
  ROOTS = sizeof roots / sizeof roots[0],
  PYTHON_LONGEST = 12 /* of what stands for one of its elements */
};

static bool has_one_of(const char *text, const char *const *words) {
  while (*words != NULL && strstr(text, *words) == NULL) {
    words++;
  }
  return *words != NULL;
}

bool rf_config_pattern_is_outside(const char *text) {
  static const char *const words[] = {"visual",    "vision", "audio",   "image", "multi_modal",
                                      "projector", "mtp",    "lm_head", "embed", NULL};
  return has_one_of(text, words);
}

bool rf_config_pattern_is_small(const char *text) {
  static const char *const words[] = {"norm", "router", "expert_gate", "conv1d", "bias", "scale", NULL};
  size_t length = strlen(text);
  while (length > 0 && strchr("*$.", text[length - 1]) != NULL) {
    length--;
  }
  return has_one_of(text, words) || (length >= 4 && strncmp(text + length - 4, "gate", 4) == 0);
}

/** Copies an element of a regular expression of Python's as POSIX has it; `inside` a class of characters. */
static const char *put_element(const char *at, bool inside, char **out) {
  static const struct {
    const char *python, *whole, *inside;
  } known[] = {{"\\d", "[0-9]", "0-9"},
               {"\\w", "[a-zA-Z0-9_]", "a-zA-Z0-9_"},
               {"(?:", "(", "(?:"},
               {"*?", "*", "*?"},
               {"+?", "+", "+?"}}; /* what is lazy matches the same texts */
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strncmp(at, known[i].python, strlen(known[i].python)) == 0) {
      *out = stpcpy(*out, inside ? known[i].inside : known[i].whole);
      return at + strlen(known[i].python);
    }
  }
  if (at[0] == '\\' && at[1] != '\0') {
    *out = inside ? *out : stpcpy(*out, "\\");
    at++;
  }
  *(*out)++ = at[0];
  return at + 1;
}

/** Anchored at its beginning, as re.match is. */
static bool read_regex(const char *text, regex_t *regex) {
  char *posix = malloc(strlen(text) * PYTHON_LONGEST + 4), *out = posix;
  bool inside = false;
  if (posix == NULL) {
    return false;
  }
  out = stpcpy(out, "^(");
  while (*text != '\0') {
    bool opens = !inside && text[0] == '[', closes = inside && text[0] == ']';
    text = put_element(text, inside, &out);
    inside = (inside || opens) && !closes;
  }
  snprintf(out, 2, ")");
  int code = regcomp(regex, posix, REG_EXTENDED | REG_NOSUB);
  free(posix);
  return code == 0;
}

/** `experts.7.` is as any expert is: the first. */
static void take_expert(config_pattern *p) {
  static const char word[] = "experts.";
  char *at = strstr(p->text, word);
  at = at != NULL ? at + strlen(word) : NULL;
  size_t digits = at != NULL ? strspn(at, "0123456789") : 0;
  p->one_expert = digits > 0;
  if (digits > 0) {
    at[0] = '0';
    memmove(at + 1, at + digits, strlen(at + digits) + 1);
  }
}

bool rf_config_pattern_read(const char *text, config_pattern *p) {
  static const char word[] = "layers.";
  *p = (config_pattern){.layer = -1};
  if (strncmp(text, "re:", 3) == 0) {
    p->is_regex = read_regex(text + 3, &p->regex);
    return p->is_regex;
  }
  const char *at = strstr(text, word);
  char *end = NULL;
  at = at != NULL ? at + strlen(word) : text;
  if (at > text && isdigit((unsigned char)at[0])) {
    p->layer = strtol(at, &end, 10);
    at = end[0] == '*' ? end + 1 : end; /* `layers.1*` is one layer, not eleven */
  }
  p->after_layers = at > text;
  p->is_glob = strpbrk(at, "*?[") != NULL;
  snprintf(p->text, sizeof p->text, "%s", at);
  take_expert(p);
  return strlen(at) < sizeof p->text;
}

void rf_config_pattern_done(config_pattern *p) {
  if (p->is_regex) {
    regfree(&p->regex);
  }
}

/** Whether a name, or what it lies in, is as the pattern says. */
static bool globs(const char *pattern, const char *name) {
  char below[CONFIG_PATTERN_MAX + 2];
  snprintf(below, sizeof below, "%s.*", pattern);
  return fnmatch(pattern, name, 0) == 0 || fnmatch(below, name, 0) == 0;
}

/** Whether `name`, dots around it, has the plain text in it as whole words; of a layer that is known at its beginning. */
static bool has_words(const config_pattern *p, const char *name) {
  size_t length = strlen(p->text);
  if (p->layer >= 0) {
    return strncmp(name, p->text, length) == 0 && (name[length] == '.' || length == 0);
  }
  for (const char *at = strstr(name, p->text); at != NULL; at = strstr(at + 1, p->text)) {
    if (length > 0 && at > name && at[-1] == '.' && at[length] == '.') {
      return true;
    }
  }
  return length == 0;
}

static bool regex_covers(const config_pattern *p, int layer, const char *module) {
  char name[CONFIG_PATTERN_MAX];
  bool found = false;
  for (int i = 0; i < ROOTS && !found; i++) {
    snprintf(name, sizeof name, "%s.layers.%d.%s", roots[i], layer, module);
    found = regexec(&p->regex, name, 0, NULL, 0) == 0;
  }
  return found;
}

/** Whether the pattern is of "self_attn.q_proj" of that layer. */
static bool covers(const config_pattern *p, int layer, const char *module) {
  char name[CONFIG_PATTERN_MAX];
  if (p->is_regex) {
    return regex_covers(p, layer, module);
  }
  if (p->layer >= 0) {
    snprintf(name, sizeof name, p->is_glob ? ".%s" : ".%s.", module);
  } else if (p->is_glob) {
    snprintf(name, sizeof name, "%s%d.%s", p->after_layers ? "" : "model.layers.", layer, module);
  } else {
    snprintf(name, sizeof name, ".%d.%s.", layer, module);
  }
  return p->is_glob ? globs(p->text, name) : has_words(p, name);
}

/** The next of names with `|` between them, and where the one after it begins; NULL after the last. */
static const char *next_name(const char *names, int *length) {
  *length = (int)strcspn(names, "|");
  return names[*length] == '|' ? names + *length + 1 : NULL;
}

bool rf_config_pattern_covers(const config_pattern *p, int layer, const config_module *module) {
  if (p->layer >= 0 && p->layer != layer) {
    return false;
  }
  for (const char *parent = module->parents, *after; parent != NULL; parent = after) {
    int of_parent = 0, of_name = 0;
    after = next_name(parent, &of_parent);
    for (const char *name = module->names, *next; name != NULL; name = next) {
      char whole[96];
      next = next_name(name, &of_name);
      snprintf(whole, sizeof whole, "%.*s.%.*s", of_parent, parent, of_name, name);
      if (covers(p, layer, whole)) {
        return true;
      }
    }
  }
  return false;
}
