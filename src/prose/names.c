#include "prose/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/match.h"
#include "core/letters.h"
#include "roofline/dtype.h"
#include "roofline/weights.h"

enum { WINDOW = 6 }; /**< most words of a name */

static roof_status add(rf_names *names, const char *key, const char *name, rf_naming naming,
                       roof_error *error) {
  if (strpbrk(key, "0123456789") == NULL) {
    return ROOF_OK; /* a word like any other: host, grace, flux */
  }
  if (names->count == names->capacity) {
    size_t capacity = names->capacity * 2 + 512;
    rf_name *list = realloc(names->list, capacity * sizeof *list);
    if (list == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "claim: out of memory");
    }
    names->list = list;
    names->capacity = capacity;
  }
  rf_name *n = &names->list[names->count++];
  snprintf(n->key, sizeof n->key, "%s", key);
  n->name = name;
  n->naming = naming;
  return ROOF_OK;
}

/** Letters and digits of a text, small. */
static void key_of(const char *text, size_t length, char key[ROOF_NAME_MAX]) {
  size_t used = 0;
  for (size_t i = 0; i < length && used + 1 < ROOF_NAME_MAX; i++) {
    if (isalnum((unsigned char)text[i])) {
      key[used++] = (char)rf_lower((unsigned char)text[i]);
    }
  }
  key[used] = '\0';
}

/** The key that a name of `naming` goes by: a machine's without its vendor. */
static void name_key(const char *name, rf_naming naming, char key[ROOF_NAME_MAX]) {
  if (naming == RF_NAMES_MACHINE) {
    rf_catalog_key(name, key, ROOF_NAME_MAX);
  } else {
    key_of(name, strlen(name), key);
  }
}

/** A name and its aliases, which single blanks separate. */
static roof_status add_entry(rf_names *names, const char *name, const char *aliases, rf_naming naming,
                             roof_error *error) {
  char key[ROOF_NAME_MAX], alias[ROOF_NAME_MAX];
  name_key(name, naming, key);
  roof_status status = add(names, key, name, naming, error);
  for (const char *at = aliases; status == ROOF_OK && *at != '\0';) {
    size_t length = strcspn(at, " ");
    snprintf(alias, sizeof alias, "%.*s", (int)length, at);
    name_key(alias, naming, key);
    bool number = strspn(key, "0123456789") == strlen(key); /* "4090": any number may be meant */
    status = number ? ROOF_OK : add(names, key, name, naming, error);
    at += length + (at[length] == ' ');
  }
  return status;
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const rf_name *)a)->key, ((const rf_name *)b)->key);
}

/** What people write for formats in addition to their names. */
static const struct {
  const char *key, *dtype;
} formats[] = {{"float64", "fp64"}, {"f64", "fp64"},   {"float32", "fp32"},  {"f32", "fp32"},
               {"float16", "fp16"}, {"f16", "fp16"},   {"bfloat16", "bf16"}, {"e4m3", "fp8"},
               {"e5m2", "fp8"},     {"nvfp4", "fp4"},  {"mxfp4", "fp4"},     {"mxfp8", "mxfp8"},
               {"w8a8", "int8"},    {"w4a16", "int4"}, {"4bit", "int4"},     {"8bit", "int8"}};

static roof_status add_formats(rf_names *names, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int d = 0; d < ROOF_DTYPE_COUNT && status == ROOF_OK; d++) {
    const char *name = roof_dtype_name((roof_dtype)d);
    status = add(names, name, name, RF_NAMES_FORMAT, error);
  }
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && status == ROOF_OK; i++) {
    status = add(names, formats[i].key, formats[i].dtype, RF_NAMES_FORMAT, error);
  }
  return status;
}

roof_status rf_names_init(rf_names *names, roof_error *error) {
  *names = (rf_names){0};
  roof_status status = roof_catalog_list_all(&names->catalog, error);
  for (size_t i = 0; i < names->catalog.count && status == ROOF_OK; i++) {
    const roof_catalog_entry *e = &names->catalog.entries[i];
    status = add_entry(names, e->name, e->aliases, RF_NAMES_MACHINE, error);
  }
  for (size_t i = 0; status == ROOF_OK && roof_model_entry_at(i).name != NULL; i++) {
    roof_model_entry e = roof_model_entry_at(i);
    status = add_entry(names, e.name, e.aliases, RF_NAMES_MODEL, error);
  }
  status = status == ROOF_OK ? add_formats(names, error) : status;
  if (status == ROOF_OK) {
    qsort(names->list, names->count, sizeof *names->list, by_key);
  } else {
    rf_names_done(names);
  }
  return status;
}

void rf_names_done(rf_names *names) {
  roof_catalog_list_done(&names->catalog);
  free(names->list);
  *names = (rf_names){0};
}

/* Words */

static bool is_word(const char *text, size_t at) {
  return isalnum((unsigned char)text[at]) || (unsigned char)text[at] >= 0x80;
}

/** The next word in `span`: letters and digits, a point between digits. Empty at the end. */
static rf_prose_span next_word(const char *text, rf_prose_span span) {
  rf_prose_span w = {span.from, span.from};
  while (w.from < span.to && !is_word(text, w.from)) {
    w.from++;
  }
  for (w.to = w.from; w.to < span.to; w.to++) {
    bool point = text[w.to] == '.' && w.to + 1 < span.to && isdigit((unsigned char)text[w.to + 1]);
    if (!is_word(text, w.to) && !point) {
      break;
    }
  }
  return w;
}

static bool equals(const char *text, rf_prose_span word, const char *other, size_t length) {
  bool begins = length > 0 && other[length - 1] == '*';
  length -= begins;
  return (begins ? word.to - word.from >= length : word.to - word.from == length) &&
         rf_letters_compare_some(text + word.from, other, length) == 0;
}

/** Whether `phrase` begins at the word; its hyphens may be spaces: "all-reduce", "bus bandwidth". */
static bool begins_phrase(const char *text, rf_prose_span word, const char *phrase, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool space = phrase[i] == '-' && text[word.from + i] == ' ';
    if (!space && rf_letters_compare_some(text + word.from + i, phrase + i, 1) != 0) {
      return false;
    }
  }
  return !is_word(text, word.from + length);
}

/** Whether the word is one of `words`; of those with hyphens, whether it begins them. */
static bool is_one_of(const char *text, rf_prose_span word, const char *words) {
  for (const char *at = words; *at != '\0';) {
    size_t length = strcspn(at, " ");
    bool phrase = memchr(at, '-', length) != NULL;
    if (word.to > word.from && (phrase ? begins_phrase : equals)(text, word, at, length)) {
      return true;
    }
    at += length + (at[length] == ' ');
  }
  return false;
}

bool rf_names_has(const rf_prose_page *page, rf_prose_span span, const char *words) {
  for (rf_prose_span w = next_word(page->text, span); w.from < w.to;
       w = next_word(page->text, (rf_prose_span){w.to, span.to})) {
    if (is_one_of(page->text, w, words)) {
      return true;
    }
  }
  return false;
}

/** The last word in `span` before `at`; empty where there is none. */
static rf_prose_span word_before(const char *text, rf_prose_span span, size_t at) {
  rf_prose_span last = {at, at};
  for (rf_prose_span w = next_word(text, span); w.from < w.to && w.to <= at;
       w = next_word(text, (rf_prose_span){w.to, span.to})) {
    last = w;
  }
  return last;
}

/* Mentions */

static const rf_name *find(const rf_names *names, const char *key, bool machine) {
  rf_name wanted;
  snprintf(wanted.key, sizeof wanted.key, "%s", key);
  const rf_name *found = bsearch(&wanted, names->list, names->count, sizeof wanted, by_key);
  return found != NULL && (found->naming == RF_NAMES_MACHINE) == machine ? found : NULL;
}

/** Whether a short name stands for a machine here: "L4 GPU", "Apple M1", "NVIDIA T4"; and is written as one. */
static bool is_meant(const rf_prose_page *page, rf_prose_span span, rf_prose_span name, const char *key) {
  const char *text = page->text;
  rf_prose_span before = word_before(text, span, name.from),
                after = next_word(text, (rf_prose_span){name.to, span.to});
  bool upper = isupper((unsigned char)text[name.from]) != 0;
  if (strlen(key) <= 3 && !upper && !page->code[name.from]) {
    return false;
  }
  bool product = is_one_of(text, before, "nvidia tesla apple intel google tpu arc") ||
                 is_one_of(text, after, "gpu gpus card cards");
  return strlen(key) > 2 || product;
}

/** Whether the words after the name are another size of memory than the machine's: "RTX 3080 12GB", "12 GB"; no rate. */
static bool is_other_size(const rf_names *names, const char *text, rf_prose_span span, rf_prose_span after,
                          const char *name) {
  rf_prose_span unit = next_word(text, (rf_prose_span){after.to, span.to});
  bool apart = unit.from - after.to <= 1 && is_one_of(text, unit, "gb");
  size_t end = apart ? unit.to : after.to;
  char written[32];
  rf_words words = {0};
  if (end - after.from >= sizeof written || text[end] == '/') {
    return false;
  }
  snprintf(written, sizeof written, "%.*s", (int)(end - after.from), text + after.from);
  rf_catalog_words(written, &words);
  bool size = words.count == 1 && rf_catalog_is_size(words.list[0]);
  for (size_t i = 0; size && i < names->catalog.count; i++) {
    const roof_catalog_entry *e = &names->catalog.entries[i];
    if (strcmp(e->name, name) == 0) {
      return rf_catalog_other_size(e->name, e->aliases, words.list[0]);
    }
  }
  return false;
}

/** Whether the word after a machine's name makes it another machine. */
static bool is_variant(const rf_names *names, const char *text, rf_prose_span span, rf_prose_span name,
                       const char *machine) {
  rf_prose_span after = next_word(text, (rf_prose_span){name.to, span.to});
  bool joined = after.from - name.to <= 1 && after.to > after.from;
  return joined && (is_one_of(text, after, "ti super laptop mobile max ultra pro nano d") ||
                    is_other_size(names, text, span, after, machine));
}

/** The name that the words of `all` are, of a machine also in the plural. */
static const rf_name *name_of(const rf_names *names, const char *text, rf_prose_span all, bool *plural) {
  char key[ROOF_NAME_MAX], written[ROOF_NAME_MAX];
  size_t length = all.to - all.from;
  *plural = false;
  if (length >= sizeof written) {
    return NULL;
  }
  memcpy(written, text + all.from, length);
  written[length] = '\0';
  key_of(written, length, key);
  const rf_name *found = find(names, key, false);
  bool amount = length > 2 && rf_letters_compare_some(written, "gb ", 3) == 0; /* "80 GB 10 times" */
  if (found != NULL || amount) {
    return found;
  }
  rf_catalog_key(written, key, sizeof key);
  found = find(names, key, true);
  if (found == NULL && length > 2 && written[length - 1] == 's') {
    written[length - 1] = '\0';
    rf_catalog_key(written, key, sizeof key);
    found = find(names, key, true);
    *plural = found != NULL;
  }
  return found;
}

/** The ends of the words from `first` on that one sign separates, as in a name. */
static int window_of(const char *text, rf_prose_span span, rf_prose_span first, rf_prose_span ends[WINDOW]) {
  int count = 1;
  ends[0] = first;
  while (count < WINDOW) {
    rf_prose_span last = ends[count - 1], next = next_word(text, (rf_prose_span){last.to, span.to});
    if (next.from == next.to || next.from - last.to > 1 || strchr(" \n-_", text[last.to]) == NULL) {
      break;
    }
    ends[count++] = next;
  }
  return count;
}

/** What the words from `first` on name, the longest name first. */
static bool find_at(const rf_names *names, const rf_prose_page *page, rf_prose_span span, rf_prose_span first,
                    rf_mention *m) {
  rf_prose_span ends[WINDOW];
  for (int i = window_of(page->text, span, first, ends) - 1; i >= 0; i--) {
    rf_prose_span all = {first.from, ends[i].to};
    bool plural;
    const rf_name *found = name_of(names, page->text, all, &plural);
    bool machine = found != NULL && found->naming == RF_NAMES_MACHINE;
    if (found != NULL && (!machine || (is_meant(page, span, all, found->key) &&
                                       !is_variant(names, page->text, span, all, found->name)))) {
      *m = (rf_mention){.span = all, .name = found, .plural = plural};
      return true;
    }
  }
  return false;
}

/** The word without the number of "8xH100". */
static rf_prose_span without_times(const char *text, rf_prose_span word) {
  size_t at = word.from;
  while (at < word.to && isdigit((unsigned char)text[at])) {
    at++;
  }
  bool times = at > word.from && at + 1 < word.to && (text[at] == 'x' || text[at] == 'X') &&
               isalpha((unsigned char)text[at + 1]);
  return (rf_prose_span){times ? at + 1 : word.from, word.to};
}

int rf_names_find(const rf_names *names, const rf_prose_page *page, rf_prose_span span,
                  rf_mention mentions[RF_MENTIONS]) {
  const char *text = page->text;
  int count = 0;
  rf_prose_span word = next_word(text, span);
  while (word.from < word.to && count < RF_MENTIONS) {
    rf_mention *m = &mentions[count];
    if (find_at(names, page, span, without_times(text, word), m)) {
      m->devices = m->name->naming == RF_NAMES_MACHINE ? rf_names_devices(page, span, m->span) : 0;
      word.to = m->span.to;
      count++;
    }
    word = next_word(text, (rf_prose_span){word.to, span.to});
  }
  return count;
}
