#include "prose/quantity.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "roofline/units.h"

/** What is read: `at` moves on. */
typedef struct cursor {
  const char *text;
  size_t at, to;
} cursor;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/** Takes `word` where it is next, letters of either case unless `exact`. */
static bool take(cursor *c, const char *word, bool exact) {
  size_t length = strlen(word);
  if (c->to - c->at < length || (exact ? memcmp(c->text + c->at, word, length) != 0
                                       : rf_letters_compare_some(c->text + c->at, word, length) != 0)) {
    return false;
  }
  c->at += length;
  return true;
}

static void skip_blanks(cursor *c) {
  while (c->at < c->to && strchr(" \t\n", c->text[c->at]) != NULL && c->text[c->at] != '\0') {
    c->at++;
  }
}

static bool at_end_of_word(const cursor *c) {
  return c->at == c->to || !is_word(c->text[c->at]);
}

/** Takes a whole word after blanks. */
static bool take_word(cursor *c, const char *word) {
  cursor next = *c;
  skip_blanks(&next);
  if (next.at == c->at || !take(&next, word, false) || !at_end_of_word(&next)) {
    return false;
  }
  *c = next;
  return true;
}

static size_t digits(const char *text, size_t at, size_t to) {
  size_t end = at;
  while (end < to && isdigit((unsigned char)text[end])) {
    end++;
  }
  return end - at;
}

size_t rf_quantity_number(const char *text, size_t at, size_t to, double *value) {
  char plain[64];
  size_t length = 0, end = at, run = digits(text, at, to);
  if (run == 0 || run > 40) {
    return at;
  }
  memcpy(plain, text + end, run);
  length = run;
  end += run;
  while (run <= 3 && length < 20 && end < to && text[end] == ',' && digits(text, end + 1, to) == 3) {
    memcpy(plain + length, text + end + 1, 3);
    length += 3;
    end += 4;
  }
  if (end < to && text[end] == ',' && digits(text, end + 1, to) > 0) {
    return at; /* a decimal comma, or a list: which is not known */
  }
  size_t fraction = end < to && text[end] == '.' ? digits(text, end + 1, to) : 0;
  if (fraction > 0 && fraction <= 20) {
    memcpy(plain + length, text + end, fraction + 1);
    length += fraction + 1;
    end += fraction + 1;
  }
  return roof_number_read(plain, length, value) == length ? end : at;
}

/** Whether a number may begin at `at`: not within a name, a version, a power, a price. */
static bool may_begin(const char *text, size_t from, size_t at) {
  if (at == from) {
    return true;
  }
  char before = text[at - 1];
  if (before == '-') {
    return at - 1 > from && isdigit((unsigned char)text[at - 2]); /* a range's end */
  }
  size_t last = at;
  while (last > from && text[last - 1] == ' ') {
    last--;
  }
  bool summand = last > from && strchr("+*/", text[last - 1]) != NULL; /* a part of a calculation */
  bool times = last > from + 1 && text[last - 1] == 'x' && !is_word(text[last - 2]);
  return !is_word(before) && strchr(".,^$/#\\@", before) == NULL && !summand && !times;
}

static const struct {
  const char *letter, *word;
  double factor;
} prefixes[] = {{"k", "kilo", 1e3},  {"K", "kilo", 1e3},  {"M", "mega", 1e6}, {"G", "giga", 1e9},
                {"T", "tera", 1e12}, {"P", "peta", 1e15}, {"E", "exa", 1e18}};

enum {
  PREFIX = 1, /**< without a prefix it is none */
  LARGE = 2,  /**< without `per second` it is a rate from tera on, below rather an amount */
  RATE = 4,   /**< a rate as it stands */
  EXACT = 8   /**< letters as they are */
};

/** Stems of units, the longer of two that begin alike first. */
static const struct {
  const char *stem;
  roof_prose_kind kind;
  unsigned how;
} stems[] = {
    {"FLOPS", ROOF_PROSE_RATE, PREFIX | RATE | EXACT},
    {"FLOPs", ROOF_PROSE_RATE, PREFIX | LARGE},
    {"FLOP", ROOF_PROSE_RATE, PREFIX},
    {"OPS", ROOF_PROSE_RATE, PREFIX | LARGE | EXACT},
    {"OPs", ROOF_PROSE_RATE, PREFIX | EXACT},
    {"OP", ROOF_PROSE_RATE, PREFIX | EXACT},
    {"bytes", ROOF_PROSE_BANDWIDTH, PREFIX},
    {"byte", ROOF_PROSE_BANDWIDTH, PREFIX},
    {"Bps", ROOF_PROSE_BANDWIDTH, PREFIX | RATE | EXACT},
    {"B", ROOF_PROSE_BANDWIDTH, PREFIX | EXACT},
    {"tokens", ROOF_PROSE_TOKENS, 0},
    {"token", ROOF_PROSE_TOKENS, 0},
    {"toks", ROOF_PROSE_TOKENS, 0},
    {"tok", ROOF_PROSE_TOKENS, 0},
    {"t", ROOF_PROSE_TOKENS, EXACT},
};

/** "/s", "/sec", "/second", " per second": true where one is next. */
static bool take_second(cursor *c) {
  cursor next = *c;
  if (take_word(&next, "per")) {
    if (take_word(&next, "second") || take_word(&next, "sec")) {
      *c = next;
      return true;
    }
    return false;
  }
  if (!take(&next, "/", true)) {
    return false;
  }
  bool second = take(&next, "second", false) || take(&next, "sec", false) || take(&next, "s", false);
  if (second && at_end_of_word(&next)) {
    *c = next;
    return true;
  }
  return false;
}

/** The prefix of a unit, as a letter before a symbol or a word before one; 1 where there is none. */
static double take_prefix(cursor *c, bool *binary) {
  *binary = false;
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    if (take(c, prefixes[i].word, false)) {
      return prefixes[i].factor;
    }
  }
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    if (take(c, prefixes[i].letter, true)) {
      *binary = take(c, "i", true);
      return *binary ? exp2(10 * round(log10(prefixes[i].factor) / 3)) : prefixes[i].factor;
    }
  }
  return 1;
}

/** Takes the unit after a prefix of `factor`. */
static bool take_stem(cursor *c, double factor, rf_quantity *q) {
  for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++) {
    cursor next = *c;
    unsigned how = stems[i].how;
    if ((factor == 1 && (how & PREFIX) != 0) || !take(&next, stems[i].stem, (how & EXACT) != 0)) {
      continue;
    }
    cursor timed = next;
    bool rate = (how & RATE) != 0 || ((how & LARGE) != 0 && factor >= 1e12);
    if (take_second(&timed)) {
      next = timed;
    } else if (!rate || !at_end_of_word(&next)) {
      continue;
    }
    q->kind = stems[i].kind;
    *c = next;
    return true;
  }
  return false;
}

/** Prefix and unit, or the unit alone: "tokens" begins like none, "t" like tera's nothing. */
static bool take_unit(cursor *c, rf_quantity *q) {
  cursor next = *c;
  bool binary;
  double factor = take_prefix(&next, &binary);
  skip_blanks(&next); /* "1.2k tokens/s" */
  if (factor > 1 && take_stem(&next, factor, q) && !(binary && q->kind != ROOF_PROSE_BANDWIDTH)) {
    q->value *= factor;
    *c = next;
    return true;
  }
  return take_stem(c, 1, q);
}

/** Of what the quantity is one; false where that makes it something else: "per watt", "/core". */
static bool take_per(cursor *c, rf_quantity *q) {
  static const struct {
    const char *word;
    rf_per per;
  } words[] = {{"GPUs", RF_PER_DEVICE},  {"GPU", RF_PER_DEVICE},   {"device", RF_PER_DEVICE},
               {"chip", RF_PER_DEVICE},  {"card", RF_PER_DEVICE},  {"accelerator", RF_PER_DEVICE},
               {"user", RF_PER_USER},    {"request", RF_PER_USER}, {"stream", RF_PER_USER},
               {"sequence", RF_PER_USER}};
  cursor next = *c;
  q->per = RF_PER_NOTHING;
  bool slash = take(&next, "/", true);
  if (!slash && !take_word(&next, "per") && !take_word(&next, "each")) {
    return true;
  }
  skip_blanks(&next);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (take(&next, words[i].word, false) && at_end_of_word(&next)) {
      q->per = words[i].per;
      c->at = next.at;
      return true;
    }
  }
  return false;
}

/** Reads number and unit at `at`. */
static bool read_quantity(const rf_prose_page *page, rf_prose_span span, size_t at, rf_quantity *q) {
  cursor c = {page->text, at, span.to};
  c.at = rf_quantity_number(page->text, at, span.to, &q->value);
  if (c.at == at || !(q->value > 0)) {
    return false;
  }
  skip_blanks(&c);
  take(&c, "-", true);
  if (!take_unit(&c, q)) {
    return false;
  }
  bool whole = take_per(&c, q);
  q->span = (rf_prose_span){at, c.at};
  return whole && isfinite(q->value);
}

bool rf_quantity_next(const rf_prose_page *page, rf_prose_span span, rf_quantity *quantity) {
  for (size_t at = span.from; at < span.to; at++) {
    if (!isdigit((unsigned char)page->text[at])) {
      continue;
    }
    if (!page->code[at] && may_begin(page->text, span.from, at) && read_quantity(page, span, at, quantity)) {
      return true;
    }
    at += digits(page->text, at, span.to);
  }
  return false;
}
