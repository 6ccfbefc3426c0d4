/* How many of a machine a text means. */
#include <ctype.h>
#include <string.h>

#include "core/letters.h"
#include "prose/names.h"
#include "prose/quantity.h"

/** Numbers in words; a machine alone is one. */
static const struct {
  const char *word;
  double value;
} numbers[] = {{"one", 1}, {"a", 1},     {"an", 1},    {"single", 1},  {"each", 1}, {"per", 1},
               {"two", 2}, {"dual", 2},  {"three", 3}, {"four", 4},    {"quad", 4}, {"five", 5},
               {"six", 6}, {"seven", 7}, {"eight", 8}, {"sixteen", 16}};

static double of_word(const char *text, rf_prose_span w) {
  double value = 0;
  size_t length = w.to - w.from;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (strlen(numbers[i].word) == length &&
        rf_letters_compare_some(text + w.from, numbers[i].word, length) == 0) {
      return numbers[i].value;
    }
  }
  size_t end = rf_quantity_number(text, w.from, w.to, &value);
  bool times = end > w.from && end + 1 == w.to && (text[end] == 'x' || text[end] == 'X');
  bool year = value >= 1990 && value < 2100 && memchr(text + w.from, ',', length) == NULL;
  bool whole = value >= 1 && value <= 1e6 && value == (double)(long)value;
  return end > w.from && (end == w.to || times) && whole && !year ? value : 0;
}

/** The word that ends one blank or `-` before `at`; a comma or a point may be in it. A number at the end of another line is
 * none of this. */
static rf_prose_span before(const char *text, size_t from, size_t at) {
  bool line = at > from && text[at - 1] == '\n';
  at -= at > from && strchr(" \n-", text[at - 1]) != NULL;
  rf_prose_span w = {at, at};
  if (line && at > from && isdigit((unsigned char)text[at - 1])) {
    return w;
  }
  while (w.from > from &&
         (isalnum((unsigned char)text[w.from - 1]) || text[w.from - 1] == ',' || text[w.from - 1] == '.')) {
    w.from--;
  }
  return w;
}

static bool is(const char *text, rf_prose_span w, const char *word) {
  return w.to - w.from == strlen(word) && rf_letters_compare_some(text + w.from, word, w.to - w.from) == 0;
}

double rf_names_devices(const rf_prose_page *page, rf_prose_span span, rf_prose_span name) {
  static const char *const between[] = {"nvidia", "amd",  "intel", "google", "tesla",
                                        "apple",  "gpus", "of",    "x",      "instinct"};
  const char *text = page->text;
  rf_prose_span w = before(text, span.from, name.from);
  for (size_t i = 0; i < sizeof between / sizeof between[0]; i++) {
    if (is(text, w, between[i])) {
      w = before(text, span.from, w.from);
      i = (size_t)-1; /* from the first again */
    }
  }
  double value = of_word(text, w);
  size_t after = name.to;
  while (after < span.to && text[after] == ' ') {
    after++;
  }
  if (value == 0 && after + 1 < span.to && text[after] == 'x' && isdigit((unsigned char)text[after + 1])) {
    rf_prose_span number = {after + 1, after + 1}; /* "H100 x8" */
    while (number.to < span.to && isalnum((unsigned char)text[number.to])) {
      number.to++;
    }
    value = of_word(text, number);
  }
  return value;
}
