/* The blocks of a text: paragraphs, headings, rows of tables; code, comments and what `<!-- roofline off -->` begins are
 * blanked. */
#include "prose/page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"

enum { COLUMNS = 32 };

/** What has been read, and what is open. */
typedef struct reader {
  rf_prose_page *page;
  bool markdown;
  char fence; /**< of the code that is open; 0: none */
  size_t fence_length;
  bool comment, off, list, after_blank;
  rf_prose_span block; /**< the paragraph that is open; empty: none */
  rf_prose_span heading;
  rf_prose_span headers[COLUMNS]; /**< of the table that is open */
  int columns;                    /**< 0: no table is open */
} reader;

static void hide(const reader *r, rf_prose_span span) {
  for (size_t i = span.from; i < span.to; i++) {
    char *c = r->page->text + i;
    *c = *c == '\n' ? '\n' : ' ';
  }
}

static rf_prose_span trim(const char *text, rf_prose_span span) {
  while (span.from < span.to && isspace((unsigned char)text[span.from])) {
    span.from++;
  }
  while (span.to > span.from && isspace((unsigned char)text[span.to - 1])) {
    span.to--;
  }
  return span;
}

static void add_place(rf_prose_page *page, rf_prose_place place) {
  place.own = trim(page->text, place.own);
  if (place.own.from == place.own.to || page->failed) {
    return;
  }
  if (page->count == page->capacity) {
    size_t capacity = page->capacity * 2 + 64;
    rf_prose_place *places = realloc(page->places, capacity * sizeof *places);
    if (places == NULL) {
      page->failed = true;
      return;
    }
    page->places = places;
    page->capacity = capacity;
  }
  page->places[page->count++] = place;
}

/** True where the period at `at` belongs to a word that is abbreviated: "e.g. 8 H100". */
static bool is_abbreviation(const char *text, size_t from, size_t at) {
  static const char *const words[] = {"e.g", "i.e",  "vs",   "approx", "ca",  "cf", "fig",
                                      "no",  "resp", "incl", "max",    "avg", "etc"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t length = strlen(words[i]);
    if (at - from >= length && rf_letters_compare_some(text + at - length, words[i], length) == 0 &&
        (at - from == length || !isalnum((unsigned char)text[at - length - 1]))) {
      return true;
    }
  }
  return false;
}

/** The end of the sentence that begins at `from`. */
static size_t sentence_end(const char *text, rf_prose_span block, size_t from) {
  for (size_t i = from; i + 1 < block.to; i++) {
    if (text[i] != '\0' && strchr(".!?;", text[i]) != NULL && isspace((unsigned char)text[i + 1]) &&
        !(text[i] == '.' && is_abbreviation(text, from, i))) {
      return i + 1;
    }
  }
  return block.to;
}

/** Ends the open paragraph: its sentences are places. */
static void end_block(reader *r) {
  rf_prose_span block = r->block;
  r->block = (rf_prose_span){0};
  if (block.from == block.to) {
    return;
  }
  if (r->markdown) {
    rf_prose_inline(r->page, block);
  } else {
    rf_prose_signs(r->page, block);
  }
  for (size_t from = block.from; from < block.to;) {
    size_t end = sentence_end(r->page->text, block, from);
    add_place(r->page, (rf_prose_place){.own = {from, end}, .heading = r->heading});
    from = end;
  }
}

/** The cells of a row, between its bars. */
static int split_row(const rf_prose_page *page, rf_prose_span line, rf_prose_span cells[COLUMNS]) {
  int count = 0;
  rf_prose_span all = trim(page->text, line);
  size_t from = all.from + (all.from < all.to && page->text[all.from] == '|');
  for (size_t i = from; i <= all.to && count < COLUMNS; i++) {
    bool bar = i < all.to && page->text[i] == '|' && !page->code[i];
    if (bar || (i == all.to && i > from)) {
      cells[count++] = trim(page->text, (rf_prose_span){from, i});
      from = i + 1;
    }
  }
  return count;
}

static void add_row(reader *r, rf_prose_span line) {
  rf_prose_span cells[COLUMNS];
  rf_prose_inline(r->page, line);
  int count = split_row(r->page, line, cells);
  if (r->columns == 0) {
    memcpy(r->headers, cells, sizeof r->headers);
    r->columns = count;
    return;
  }
  for (int i = 0; i < count; i++) {
    rf_prose_span column = i < r->columns ? r->headers[i] : (rf_prose_span){0};
    rf_prose_span first = i > 0 ? cells[0] : (rf_prose_span){0};
    add_place(r->page, (rf_prose_place){cells[i], column, first, r->heading});
  }
}

/** Whether all of a line are of `signs`, three at least. */
static bool consists_of(const char *text, rf_prose_span line, const char *signs) {
  rf_prose_span own = trim(text, line);
  for (size_t i = own.from; i < own.to; i++) {
    if (text[i] == '\0' || strchr(signs, text[i]) == NULL) {
      return false;
    }
  }
  return own.to - own.from >= 3;
}

/** Blanks the comment that is open or begins in the line, and follows what comments say to this program. */
static void hide_comments(reader *r, rf_prose_span line) {
  char *text = r->page->text;
  for (size_t at = line.from; at < line.to;) {
    const char *mark = r->comment ? "-->" : "<!--";
    char *found = memmem(text + at, line.to - at, mark, strlen(mark));
    size_t stop = found == NULL ? line.to : (size_t)(found - text) + strlen(mark);
    if (r->comment) {
      rf_prose_span own = trim(text, (rf_prose_span){at, found == NULL ? stop : stop - 3});
      bool of_us = own.to - own.from > 9 && memcmp(text + own.from, "roofline ", 9) == 0;
      rf_prose_span said = trim(text, (rf_prose_span){of_us ? own.from + 9 : own.to, own.to});
      bool off = said.to - said.from == 3 && memcmp(text + said.from, "off", 3) == 0;
      bool on = said.to - said.from == 2 && memcmp(text + said.from, "on", 2) == 0;
      r->off = (r->off || off) && !on;
      hide(r, (rf_prose_span){at, stop});
    } else if (r->off) {
      hide(r, (rf_prose_span){at, found == NULL ? stop : stop - 4});
    }
    if (found != NULL && !r->comment) {
      hide(r, (rf_prose_span){stop - 4, stop});
    }
    r->comment = found == NULL ? r->comment : !r->comment;
    at = stop;
  }
}

/** Opens or closes a block of fenced code; true where the line is of one. */
static bool read_fence(reader *r, rf_prose_span line) {
  const char *text = r->page->text;
  rf_prose_span own = trim(text, line);
  char c = own.from < own.to ? text[own.from] : '\0';
  size_t run = 0;
  while (own.from + run < own.to && text[own.from + run] == c) {
    run++;
  }
  bool fence = (c == '`' || c == '~') && run >= 3;
  if (r->fence == 0 && fence && memchr(text + own.from + run, '`', own.to - own.from - run) == NULL) {
    end_block(r);
    r->fence = c;
    r->fence_length = run;
  } else if (r->fence == 0) {
    return false;
  } else if (fence && c == r->fence && run >= r->fence_length && own.from + run == own.to) {
    r->fence = 0;
  }
  hide(r, line);
  return true;
}

/** Blanks the marks that begin a line: quotes, bullets, numbers of a list. True where they begin a block. */
static bool hide_marks(reader *r, rf_prose_span *line) {
  char *text = r->page->text;
  bool begins = false;
  for (rf_prose_span own = trim(text, *line); own.from < own.to; own = trim(text, own)) {
    size_t end = own.from;
    while (end < own.to && isdigit((unsigned char)text[end])) {
      end++;
    }
    bool number =
        end > own.from && end + 1 < own.to && strchr(".)", text[end]) != NULL && text[end + 1] == ' ';
    bool bullet =
        end == own.from && end + 1 < own.to && strchr("-+*", text[end]) != NULL && text[end + 1] == ' ';
    if (!number && !bullet && text[own.from] != '>') {
      break;
    }
    begins |= number || bullet;
    hide(r, (rf_prose_span){own.from, end + 1});
    own.from = end + 1;
  }
  return begins;
}

static void read_heading(reader *r, rf_prose_span line) {
  r->heading = (rf_prose_span){0};
  r->block = line;
  end_block(r);
  r->heading = trim(r->page->text, line);
}

/** A line that is of no code. */
static void read_line(reader *r, rf_prose_span line, rf_prose_span next) {
  const char *text = r->page->text;
  rf_prose_span own = trim(text, line);
  bool rule = own.from < own.to && memchr(text + own.from, '|', own.to - own.from) != NULL;
  bool ruled = next.from < next.to && memchr(text + next.from, '|', next.to - next.from) != NULL &&
               consists_of(text, next, "|:- ");
  if (own.from < own.to && text[own.from] == '#') {
    end_block(r);
    read_heading(r, line);
  } else if (consists_of(text, line, "=") || consists_of(text, line, "-")) {
    rf_prose_span title = trim(text, r->block);
    end_block(r);
    r->heading = title.to > title.from ? title : r->heading;
  } else if (rule && (r->columns > 0 || ruled)) {
    end_block(r);
    if (!consists_of(text, line, "|:- ")) {
      add_row(r, line);
    }
    return;
  } else {
    bool begins = hide_marks(r, &line);
    if (begins) {
      end_block(r);
    }
    r->list |= begins;
    r->block = (rf_prose_span){r->block.to > r->block.from ? r->block.from : line.from, line.to};
  }
  r->columns = 0;
}

static void read_markdown(reader *r, rf_prose_span line, rf_prose_span next) {
  const char *text = r->page->text;
  if (!r->comment && !r->off && read_fence(r, line)) {
    return;
  }
  hide_comments(r, line);
  rf_prose_span own = trim(text, line);
  if (own.from == own.to) {
    end_block(r);
    r->columns = 0;
  } else if (r->after_blank && !r->list && own.from - line.from >= 4) {
    hide(r, line); /* indented code */
    return;
  } else {
    r->list &= !r->after_blank || own.from > line.from;
    read_line(r, line, next);
  }
  r->after_blank = own.from == own.to;
}

static void read_plain(reader *r, rf_prose_span line) {
  rf_prose_span own = trim(r->page->text, line);
  if (own.from == own.to) {
    end_block(r);
  } else {
    r->block = (rf_prose_span){r->block.to > r->block.from ? r->block.from : line.from, line.to};
  }
}

/** The line that begins at `from`, with its end. */
static rf_prose_span line_at(const rf_prose_page *page, size_t from) {
  const char *end = from < page->length ? memchr(page->text + from, '\n', page->length - from) : NULL;
  return (rf_prose_span){from, end == NULL ? page->length : (size_t)(end - page->text)};
}

/** Blanks what a program reads before the text: `---`, keys and values, `---`. */
static size_t hide_front_matter(reader *r) {
  rf_prose_span line = line_at(r->page, 0);
  if (line.to != 3 || memcmp(r->page->text, "---", 3) != 0) {
    return 0;
  }
  for (rf_prose_span next = line_at(r->page, line.to + 1); next.from < r->page->length;
       next = line_at(r->page, next.to + 1)) {
    if (next.to - next.from == 3 && memcmp(r->page->text + next.from, "---", 3) == 0) {
      hide(r, (rf_prose_span){0, next.to});
      return next.to + 1;
    }
  }
  return 0;
}

bool rf_prose_page_read(rf_prose_page *page, const char *text, size_t length, bool markdown) {
  *page = (rf_prose_page){
      .text = malloc(length + 1), .code = calloc(length + 1, sizeof *page->code), .length = length};
  if (page->text == NULL || page->code == NULL) {
    page->failed = true;
    return false;
  }
  memcpy(page->text, text, length);
  page->text[length] = '\0';
  for (size_t i = 0; i < length; i++) {
    page->text[i] = page->text[i] == '\0' || page->text[i] == '\r' ? ' ' : page->text[i];
  }
  reader r = {.page = page, .markdown = markdown, .after_blank = true};
  for (size_t from = markdown ? hide_front_matter(&r) : 0; from < length;) {
    rf_prose_span line = line_at(page, from);
    if (markdown) {
      read_markdown(&r, line, line_at(page, line.to + 1));
    } else {
      read_plain(&r, line);
    }
    from = line.to + 1;
  }
  end_block(&r);
  return !page->failed;
}

void rf_prose_page_done(rf_prose_page *page) {
  free(page->text);
  free(page->code);
  free(page->places);
  *page = (rf_prose_page){0};
}
