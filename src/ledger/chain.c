/* Whole ledgers in memory: lines are read side by side, then the chain is walked. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ledger/entry.h"

static const char first_start[] = "{\"sequence\":1,\"kind\":\"";

/** A first append of which pages never reached the disk: zeros and text. */
static bool is_torn_start(const char *text, size_t length) {
  bool torn = text[0] == '\0';
  for (size_t i = 0; i < length && torn; i++) {
    torn = text[i] == '\0' || text[i] == '\n' || (unsigned char)text[i] >= ' ';
  }
  return torn;
}

bool rf_ledger_begins(const char *text, size_t length) {
  size_t compared = length < sizeof first_start - 1 ? length : sizeof first_start - 1;
  return memcmp(text, first_start, compared) == 0 || is_torn_start(text, length);
}

typedef struct line {
  const char *text;
  size_t length;
  const char *why; /**< what is wrong with it, or NULL */
  bool ended;      /**< by a newline */
} line;

/** A ledger's lines, and how far they hold. */
typedef struct chain {
  line *lines;
  roof_ledger_entry *entries;
  size_t count;
  size_t good;      /**< lines that hold, from the first on */
  size_t whole;     /**< of these, the lines of appends that are complete */
  ledger_link link; /**< after those */
  const char *why;  /**< what is wrong after the good ones, or NULL */
} chain;

static const char truncated[] = "it is truncated: appending it was interrupted";
static const char incomplete[] = "the entries appended with it are missing: appending them was interrupted";

static size_t count_lines(const char *text, size_t length) {
  size_t count = 0;
  for (const char *at = text, *end = text + length; at < end; count++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    at = newline != NULL ? newline + 1 : end;
  }
  return count;
}

static void split(const char *text, size_t length, line *lines) {
  for (const char *at = text, *end = text + length; at < end; lines++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    bool ended = newline != NULL;
    *lines = (line){.text = at, .length = (size_t)((ended ? newline : end) - at), .ended = ended};
    at = ended ? newline + 1 : end;
  }
}

static void read_lines(const chain *c, bool signatures) {
  line *lines = c->lines;
  roof_ledger_entry *entries = c->entries;
#pragma omp parallel for schedule(static) if (c->count > 1000)
  for (size_t i = 0; i < c->count; i++) {
    lines[i].why = rf_ledger_entry_read(lines[i].text, lines[i].length, &entries[i]);
    if (signatures && lines[i].why == NULL && entries[i].public_key[0] != '\0') {
      lines[i].why = rf_ledger_entry_signature(lines[i].text, lines[i].length, &entries[i]);
    }
  }
}

static bool is_of_batch(const roof_ledger_entry *e) {
  return !isnan(e->batch_first) || !isnan(e->batch_last);
}

/** Why an entry is not the next of its batch, or NULL; `first`: that of the batch that is not complete before it, 0: none. */
static const char *follows_batch(const roof_ledger_entry *e, const roof_ledger_entry *before, size_t first) {
  if (first > 0) {
    bool same = e->batch_first == before->batch_first && e->batch_last == before->batch_last;
    return same ? NULL : incomplete;
  }
  bool starts = e->batch_first == e->sequence && e->batch_last > e->sequence;
  return !is_of_batch(e) || starts ? NULL : "its batch does not begin with it";
}

static void walk(chain *c) {
  ledger_link link = c->link = rf_ledger_link_first();
  for (size_t i = 0; i < c->count && c->why == NULL; i++) {
    const roof_ledger_entry *e = &c->entries[i];
    c->why = c->lines[i].why != NULL ? c->lines[i].why : rf_ledger_entry_follows(e, &link);
    if (c->why == NULL) {
      c->why = follows_batch(e, i > 0 ? e - 1 : NULL, c->good - c->whole);
    }
    if (c->why == NULL) {
      link = rf_ledger_link_after(e);
      c->good++;
    }
    if (c->why == NULL && (!is_of_batch(e) || e->sequence == e->batch_last)) {
      c->whole = c->good;
      c->link = link;
    }
  }
}

/** Entries of a long ledger take hundreds of megabytes: in large pages the system makes them in half the time. */
static void prefer_large_pages(void *data, size_t size) {
  enum { LARGE = 1 << 21 };
  uintptr_t from = ((uintptr_t)data + LARGE - 1) / LARGE * LARGE,
            to = ((uintptr_t)data + size) / LARGE * LARGE;
  if (data != NULL && to > from) {
    (void)madvise((char *)data + (from - (uintptr_t)data), to - from, MADV_HUGEPAGE);
  }
}

static void chain_done(chain *c) {
  free(c->lines);
  free(c->entries);
}

/** Reads the lines and walks them as far as they hold. */
static roof_status chain_of(const char *text, size_t length, const char *file, bool signatures, chain *c,
                            roof_error *error) {
  size_t count = count_lines(text, length);
  *c = (chain){.count = count};
  c->lines = calloc(count + 1, sizeof *c->lines);
  c->entries = calloc(count + 1, sizeof *c->entries);
  prefer_large_pages(c->entries, count * sizeof *c->entries);
  if (c->lines == NULL || c->entries == NULL) {
    chain_done(c);
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  }
  split(text, length, c->lines);
  read_lines(c, signatures);
  walk(c);
  return ROOF_OK;
}

/** The line that is wrong and why. */
static roof_status refuse(const chain *c, const char *file, roof_error *error) {
  size_t at = c->why != NULL ? c->good + 1 : c->good;
  bool unended = at > 0 && !c->lines[at - 1].ended;
  roof_error_set(error, ROOF_E_GATE, "entry %zu: %s", at,
                 unended          ? truncated
                 : c->why != NULL ? c->why
                                  : incomplete);
  roof_error_at(error, file, (int)at, 0);
  return ROOF_E_GATE;
}

/** Whether a text that does not hold was a ledger: it begins as one, or a line of it ends as an entry does. */
static bool was_ledger(const chain *c, const char *text, size_t length) {
  bool was = rf_ledger_begins(text, length);
  for (size_t i = 0; i < c->count && !was; i++) {
    was = rf_ledger_entry_is_sealed(c->lines[i].text, c->lines[i].length);
  }
  return was;
}

roof_status rf_ledger_read(const char *text, size_t length, const char *file, bool signatures,
                           roof_ledger_entries *out, roof_error *error) {
  chain c;
  roof_status status = chain_of(text, length, file, signatures, &c, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool ended = c.count == 0 || c.lines[c.count - 1].ended;
  if (c.whole < c.count || !ended) {
    status = was_ledger(&c, text, length)
                 ? refuse(&c, file, error)
                 : roof_error_set(error, ROOF_E_PARSE, "ledger %s: not a ledger", file);
  } else {
    *out = (roof_ledger_entries){c.entries, c.count};
    c.entries = NULL;
  }
  chain_done(&c);
  return status;
}

/** Whether all from the last complete append on can be what an interrupted one left: bytes that never reached the disk read
 *  as zeros, or the file ends early. A line that holds and is not of that append came later: it was acknowledged. */
static bool is_torn(const chain *c) {
  const roof_ledger_entry *of = NULL;
  const line *bad = &c->lines[c->good];
  if (c->why != NULL && bad->ended && memchr(bad->text, '\0', bad->length) == NULL) {
    return false;
  }
  for (size_t i = c->whole; i < c->count; i++) {
    const roof_ledger_entry *e = &c->entries[i];
    if (c->lines[i].why != NULL) {
      continue;
    }
    of = of == NULL ? e : of;
    if (e->batch_first != (double)(c->whole + 1) || e->batch_last != of->batch_last) {
      return false;
    }
  }
  return true;
}

roof_status rf_ledger_read_end(const char *text, size_t length, const char *file, roof_ledger_entries *out,
                               ledger_end *end, roof_error *error) {
  chain c;
  roof_status status = chain_of(text, length, file, false, &c, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (c.whole < c.count && (!is_torn(&c) || !rf_ledger_begins(text, length))) {
    status = refuse(&c, file, error);
  } else {
    bool all = c.whole == c.count;
    *end = (ledger_end){.link = c.link,
                        .length = all ? length : (size_t)(c.lines[c.whole].text - text),
                        .unended = all && c.count > 0 && !c.lines[c.count - 1].ended};
    *out = (roof_ledger_entries){c.entries, c.whole};
    c.entries = NULL;
  }
  chain_done(&c);
  return status;
}
