/* Names of kernels as a table shows them: without what all of them have, and so that different kernels differ. */
#include "documents/kernel_names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/documents.h"

enum { SHORTEST = 16, LEAST = 12 /* for two ellipses */, ELLIPSIS = 3, ROUNDS = 3, BACK = 8 };

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || (c & 0x80) != 0;
}

/** The end of what `open` begins at `text`: brackets within count, what is not closed goes to the end. */
static const char *closed(const char *text, char open, char close) {
  int depth = 0;
  for (; *text != '\0'; text++) {
    depth += *text == open;
    depth -= *text == close;
    if (depth == 0) {
      return text + 1;
    }
  }
  return text;
}

/** Whether it is a name of C++ with parameters or template arguments, not "Memcpy HtoD (Pageable -> Device)". */
static bool is_cpp(const char *name) {
  bool scoped = strncmp(name, "void ", 5) == 0 || strstr(name, "::") != NULL;
  for (const char *c = name; *c != '\0'; c++) {
    if (c > name && in_word(c[-1]) && (*c == '<' || *c == '(')) {
      const char *end = closed(c, *c, *c == '<' ? '>' : ')');
      return end[-1] == '>' || (end[-1] == ')' && (scoped || strcspn(c, "*&") < (size_t)(end - c)));
    }
  }
  return false;
}

static bool skip(const char **at, const char *text) {
  size_t length = strlen(text);
  bool there = strncmp(*at, text, length) == 0;
  *at += there ? length : 0;
  return there;
}

/** "{lambda(float)#1}" and "[lambda(float) (instance 1)]" as "{float 1}"; false where there is none. */
static bool add_lambda(roof_text *out, const char **at) {
  const char *from = *at;
  bool brace = skip(&from, "{lambda("), bracket = !brace && skip(&from, "[lambda(");
  if (!brace && !bracket) {
    return false;
  }
  const char *end = closed(*at, brace ? '{' : '[', brace ? '}' : ']'),
             *types = closed(from - 1, '(', ')') - 1;
  const char *number = types < end ? types + strcspn(types, "0123456789") : end;
  size_t length = types > from ? (size_t)(types - from) : 0;
  roof_text_add(out, "{");
  roof_text_add_bytes(out, from, length);
  roof_text_add(out, length > 0 ? " " : "");
  roof_text_add_bytes(out, number, number < end ? strspn(number, "0123456789") : 0);
  roof_text_add(out, "}");
  *at = end;
  return true;
}

/** Passes what distinguishes no kernels: namespaces, parameters, casts, what every lambda is within. */
static bool pass_noise(const char **at, const char *begin) {
  static const char *const noise[] = {
      "(anonymous namespace)::", "<unnamed>::", "unnamed>::", "operator()", " const::", " [clone .kd]"};
  for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
    if (skip(at, noise[i])) {
      return true;
    }
  }
  if (**at == '(') {
    *at = closed(*at, '(', ')');
    return true;
  }
  if (strncmp(*at, "::", 2) == 0 && (strchr(")}]", (*at)[-(*at > begin)]) != NULL || !in_word((*at)[2]))) {
    *at += 2;
    return true;
  }
  size_t word = 0;
  bool begins = *at == begin || !in_word((*at)[-1]);
  while (begins && in_word((*at)[word])) {
    word++;
  }
  if (word > 0 && strncmp(*at + word, "::", 2) == 0 && strchr("{[", (*at)[word + 2]) == NULL) {
    *at += word + 2;
    return true;
  }
  return false;
}

void rf_kernel_plain_name(roof_text *out, const char *name) {
  if (!is_cpp(name)) {
    roof_text_add(out, name);
    return;
  }
  const char *at = name;
  (void)skip(&at, "void ");
  while (*at != '\0') {
    if (!add_lambda(out, &at) && !pass_noise(&at, name)) {
      roof_text_add_bytes(out, at++, 1);
    }
  }
}

/** Where a character begins, at or before `at`. */
static size_t character(const char *text, size_t at) {
  while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80) {
    at--;
  }
  return at;
}

/** Its beginning and its end, with "..." between them where it is longer than `width`. */
static void cut(const char *text, size_t width, char *out) {
  size_t length = strlen(text), tail = width > ELLIPSIS ? (width - ELLIPSIS + 2) / 3 : 0;
  if (length <= width || tail == 0) {
    size_t shown = length <= width ? length : character(text, width);
    memcpy(out, text, shown);
    out[shown] = '\0';
    return;
  }
  size_t head = character(text, width - ELLIPSIS - tail);
  const char *end = text + length - tail;
  while (((unsigned char)*end & 0xC0) == 0x80) {
    end++;
  }
  memcpy(out, text, head);
  memcpy(out + head, "...", ELLIPSIS);
  memcpy(out + head + ELLIPSIS, end, strlen(end) + 1);
}

/** Its beginning, and from `from` on what distinguishes it from the others; of a label its end too, which says on what
 * it ran ("1 core"). */
static void cut_at(const char *text, size_t from, bool label, size_t width, char *out) {
  size_t room = width - ELLIPSIS, length = strlen(text), most = room / 2, tail = 0;
  if (length <= width) {
    memcpy(out, text, length + 1);
    return;
  }
  for (int back = 0;
       back < BACK && from > 0 && isalnum((unsigned char)text[from - 1]) && length - from != most; back++) {
    from--; /* to where the word begins, as long as the end has room */
  }
  from = length < most ? 0 : from > length - most ? length - most : from;
  from = character(text, from);
  size_t rest = length - from, fits = label ? most + ELLIPSIS : most;
  size_t shown = rest > fits ? character(text, from + most - ELLIPSIS) - from : rest;
  if (label && shown < rest) {
    tail = length - character(text, length - room / 3);
    tail = tail < rest - shown && tail + shown + ELLIPSIS < room ? tail : 0;
  }
  size_t head = character(text, room - shown - tail - (shown < rest ? ELLIPSIS : 0));
  if (head >= from) { /* the beginning shows it */
    head = character(text, room);
    shown = rest = tail = 0;
    from = length;
  }
  memcpy(out, text, head);
  memcpy(out + head, "...", ELLIPSIS);
  memcpy(out + head + ELLIPSIS, text + from, shown);
  memcpy(out + head + ELLIPSIS + shown, "...", shown < rest ? ELLIPSIS : 0);
  memcpy(out + head + ELLIPSIS + shown + (shown < rest ? ELLIPSIS : 0), text + length - tail, tail + 1);
}

/** A name with what is shown of it. */
typedef struct entry {
  const char *name, *plain; /* `plain` is in the texts */
  size_t index;
  char *shown;
} entry;

static int by_shown(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strcmp(x->shown, y->shown);
  order = order == 0 ? strcmp(x->plain, y->plain) : order;
  return order != 0 ? order : x->index < y->index ? -1 : 1;
}

static size_t common(const char *a, const char *b) {
  size_t length = 0;
  while (a[length] != '\0' && a[length] == b[length]) {
    length++;
  }
  return length;
}

/** Shows where those differ that are shown alike; the full names where their plain ones are equal. */
static void separate(entry *entries, size_t count, size_t width) {
  bool same = strcmp(entries[0].plain, entries[count - 1].plain) == 0; /* sorted: then all are */
  for (size_t i = 0; same && i < count; i++) {
    entries[i].plain = entries[i].name;
  }
  size_t from = SIZE_MAX;
  for (size_t i = 1; i < count; i++) {
    size_t alike = common(entries[0].plain, entries[i].plain);
    from = alike < from ? alike : from;
  }
  for (size_t i = 0; i < count; i++) {
    cut_at(entries[i].plain, from, !is_cpp(entries[i].name), width, entries[i].shown);
  }
}

/** Numbers those that are still shown alike: "scale~2". */
static void number(entry *entries, size_t count, size_t width) {
  for (size_t i = 1; i < count; i++) {
    char mark[24];
    size_t length = strlen(entries[i].shown), marked = (size_t)snprintf(mark, sizeof mark, "~%zu", i + 1);
    size_t at = length + marked > width ? character(entries[i].shown, width - marked) : length;
    memcpy(entries[i].shown + at, mark, marked + 1);
  }
}

/** Gives `settle` each run of two or more entries that are shown alike. */
static void each_run(entry *entries, size_t count, size_t width,
                     void (*settle)(entry *entries, size_t count, size_t width)) {
  qsort(entries, count, sizeof *entries, by_shown);
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && strcmp(entries[to].shown, entries[from].shown) == 0; to++) {
    }
    if (to - from > 1) {
      settle(entries + from, to - from, width);
    }
  }
}

static int by_name(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order != 0 ? order : x->index < y->index ? -1 : 1;
}

/** Entries of the names, each once, with where they are shown; `first` has for each name the place of that one. */
static size_t read_names(const char *const *names, size_t count, entry *entries, size_t *first) {
  size_t distinct = 0;
  for (size_t i = 0; i < count; i++) {
    entries[i] = (entry){.name = names[i], .index = i};
  }
  qsort(entries, count, sizeof *entries, by_name);
  for (size_t i = 0; i < count; i++) {
    const entry e = entries[i];
    if (distinct == 0 || strcmp(entries[distinct - 1].name, e.name) != 0) {
      entries[distinct++] = e;
    }
    first[e.index] = entries[distinct - 1].index;
  }
  return distinct;
}

static bool read_plain(entry *entries, size_t count, roof_text *plain) {
  for (size_t i = 0; i < count; i++) {
    rf_kernel_plain_name(plain, entries[i].name);
    roof_text_add_bytes(plain, "", 1);
  }
  const char *at = plain->data;
  for (size_t i = 0; i < count && !plain->failed; i++, at += strlen(at) + 1) {
    entries[i].plain = at[0] != '\0' ? at : entries[i].name;
  }
  return !plain->failed;
}

roof_status roof_kernel_names(const char *const *names, size_t count, size_t width, char *shown,
                              size_t stride, roof_error *error) {
  entry *entries = calloc(count + 1, sizeof *entries);
  size_t *first = calloc(count + 1, sizeof *first), distinct = 0;
  roof_text plain = {0};
  bool done = entries != NULL && first != NULL;
  if (done) {
    distinct = read_names(names, count, entries, first);
    done = read_plain(entries, distinct, &plain);
  }
  width = width < SHORTEST ? SHORTEST : width;
  width = width < stride ? width : stride - 1;
  for (size_t i = 0; i < distinct && done; i++) {
    entries[i].shown = shown + entries[i].index * stride;
    cut(entries[i].plain, width, entries[i].shown);
  }
  for (int round = 0; round < ROUNDS && done && width >= LEAST; round++) {
    each_run(entries, distinct, width, separate);
  }
  if (done && width >= LEAST) {
    each_run(entries, distinct, width, number);
  }
  for (size_t i = 0; i < count && done; i++) {
    memmove(shown + i * stride, shown + first[i] * stride, width + 1);
  }
  free(entries);
  free(first);
  roof_text_done(&plain);
  return done ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "names of kernels: out of memory");
}

char *roof_kernel_shorten(const char *name, char *out, size_t size) {
  roof_text plain = {0};
  rf_kernel_plain_name(&plain, name);
  bool usable = !plain.failed && plain.length > 0;
  cut(usable ? plain.data : name, size <= ROOF_KERNEL_SHOWN ? size - 1 : ROOF_KERNEL_SHOWN, out);
  roof_text_done(&plain);
  return out;
}
