/* What stands within a paragraph of Markdown: spans of code, links, tags, signs that only set type. */
#include <string.h>

#include "prose/page.h"

static void hide(rf_prose_page *page, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    page->text[i] = page->text[i] == '\n' ? '\n' : ' ';
  }
}

static size_t run_of(const rf_prose_page *page, size_t at, size_t to, char c) {
  size_t end = at;
  while (end < to && page->text[end] == c) {
    end++;
  }
  return end - at;
}

/** A span of code between equally many backticks; returns what follows it, or the backticks where none closes it. */
static size_t mark_code(rf_prose_page *page, size_t at, size_t to) {
  size_t ticks = run_of(page, at, to, '`');
  for (size_t end = at + ticks; end < to; end++) {
    size_t run = run_of(page, end, to, '`');
    if (run == ticks) {
      memset(page->code + at, true, end + run - at);
      hide(page, at, at + ticks);
      hide(page, end, end + run);
      return end + run;
    }
    end += run;
  }
  return at + ticks;
}

/** Hides from `at` to the first `end` in the block, `end` included; returns what follows. */
static size_t hide_to(rf_prose_page *page, size_t at, size_t to, char end) {
  const char *found = memchr(page->text + at, end, to - at);
  if (found == NULL) {
    return at + 1;
  }
  size_t stop = (size_t)(found - page->text) + 1;
  hide(page, at, stop);
  return stop;
}

static bool starts(const rf_prose_page *page, size_t at, size_t to, const char *word) {
  size_t length = strlen(word);
  return to - at >= length && memcmp(page->text + at, word, length) == 0;
}

/** Hides an address that stands by itself. */
static size_t hide_address(rf_prose_page *page, size_t at, size_t to) {
  size_t end = at;
  while (end < to && strchr(" \t\n<>\"|", page->text[end]) == NULL) {
    end++;
  }
  hide(page, at, end);
  return end;
}

/** Signs of several bytes and entities as what they mean to a reader of numbers; `with` is padded by blanks. */
static const struct {
  const char *sign, *with;
} signs[] = {{"&nbsp;", ""},        {"&thinsp;", ""},      {"&times;", "x"},      {"&approx;", ""},
             {"\xc2\xa0", ""},      {"\xe2\x80\xaf", ""},  {"\xe2\x80\x89", ""},  {"\xc3\x97", "x"},
             {"\xe2\x80\x93", "-"}, {"\xe2\x80\x94", ","}, {"\xe2\x80\x91", "-"}, {"\xe2\x88\x92", "-"},
             {"\xe2\x89\x88", ""},  {"\xe2\x89\xa4", ""},  {"\xe2\x80\x99", "'"}, {"\xc2\xb9", "^"},
             {"\xc2\xb2", "^"},     {"\xc2\xb3", "^"},     {"\xe2\x81\xb0", "^"}, {"\xe2\x81\xb4", "^"},
             {"\xe2\x81\xb5", "^"}, {"\xe2\x81\xb6", "^"}, {"\xe2\x81\xb7", "^"}, {"\xe2\x81\xb8", "^"},
             {"\xe2\x81\xb9", "^"}, {"\xe2\x81\xbb", "^"}, {"\xc2\xb7", ","}};

static size_t replace_sign(rf_prose_page *page, size_t at, size_t to) {
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    size_t length = strlen(signs[i].sign), with = strlen(signs[i].with);
    if (starts(page, at, to, signs[i].sign)) {
      hide(page, at, at + length);
      /* a range's dash belongs to the number before it, all else to what follows */
      memcpy(page->text + at, signs[i].with, with);
      return at + length;
    }
  }
  return at;
}

/** What follows the sign at `at`, after hiding what it begins. */
static size_t hide_sign(rf_prose_page *page, size_t at, size_t to) {
  const char *c = page->text + at;
  if (*c == '`') {
    return mark_code(page, at, to);
  }
  if (*c == ']' && at + 1 < to && c[1] == '(') {
    return hide_to(page, at, to, ')');
  }
  if (*c == '<' && at + 1 < to && strchr(" =0123456789", c[1]) == NULL) {
    return hide_to(page, at, to, '>');
  }
  if (starts(page, at, to, "http://") || starts(page, at, to, "https://") || starts(page, at, to, "www.")) {
    return hide_address(page, at, to);
  }
  if (*c == '*' || *c == '~' || *c == '[' || *c == ']' || *c == '\\') {
    page->text[at] = ' ';
    return at + 1;
  }
  size_t after = replace_sign(page, at, to);
  return after > at ? after : at + 1;
}

void rf_prose_signs(rf_prose_page *page, rf_prose_span block) {
  for (size_t at = block.from; at < block.to;) {
    size_t after = replace_sign(page, at, block.to);
    at = after > at ? after : at + 1;
  }
}

void rf_prose_inline(rf_prose_page *page, rf_prose_span block) {
  for (size_t at = block.from; at < block.to;) {
    at = hide_sign(page, at, block.to);
  }
}
