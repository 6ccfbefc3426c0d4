/* Laws of a ledger's chain, on a ledger of five entries: every change of it is found, and where. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ledger/entry.h"
#include "roofline/ledger.h"

enum { ENTRIES = 5 };

static char folder[64], path[96], part[96], *text;
static size_t length, starts[ENTRIES + 1]; /* of its lines, and the end */

static void spill(const char *file, const char *bytes, size_t count) {
  FILE *stream = fopen(file, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(bytes, 1, count, stream), count);
  assert_int_equal(fclose(stream), 0);
}

static void seal(const char *label, size_t count) {
  roof_sealing list[2];
  for (size_t i = 0; i < count; i++) {
    list[i] = (roof_sealing){.machine = "host",
                             .op = "triad",
                             .dtype = "fp64",
                             .regime = "memory",
                             .binding = "HBM",
                             .lower_seconds = 1,
                             .upper_seconds = 2,
                             .expected_seconds = 1.5};
    snprintf(list[i].label, sizeof list[i].label, "%s%zu", label, i);
  }
  assert_int_equal(roof_ledger_seal(path, list, count, NULL, NULL), ROOF_OK);
}

/** Three appends of one entry, and one of two. */
static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_ledger_laws.XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/ledger", folder);
  snprintf(part, sizeof part, "%s/part", folder);
  seal("a", 1);
  seal("b", 1);
  seal("both", 2);
  seal("c", 1);
  roof_text read = {0};
  FILE *stream = fopen(path, "rb");
  char block[512];
  for (size_t got; (got = fread(block, 1, sizeof block, stream)) > 0;) {
    roof_text_add_bytes(&read, block, got);
  }
  fclose(stream);
  text = read.data;
  length = read.length;
  for (size_t i = 1; i <= ENTRIES; i++) {
    starts[i] = (size_t)(strchr(text + starts[i - 1], '\n') + 1 - text);
  }
  return starts[ENTRIES] == length ? 0 : 1;
}

static int tear_down(void **state) {
  (void)state;
  free(text);
  unlink(path);
  unlink(part);
  return rmdir(folder);
}

/** The line at which a text stops being a ledger; 0 where it is one. */
static int broken_at(const char *bytes, size_t count) {
  roof_ledger_entries entries;
  roof_error error = {0};
  roof_status status = rf_ledger_read(bytes, count, "l", true, &entries, &error);
  if (status == ROOF_OK) {
    free(entries.entries);
  }
  return status == ROOF_OK ? 0 : error.line;
}

static int line_of(size_t byte) {
  int line = 1;
  while (byte >= starts[line]) {
    line++;
  }
  return line;
}

static void every_flipped_bit_is_found_in_its_line(void **state) {
  (void)state;
  assert_int_equal(broken_at(text, length), 0);
  for (size_t i = 0; i < length; i++) {
    for (int bit = 0; bit < 8; bit++) {
      text[i] = (char)(text[i] ^ 1 << bit);
      assert_int_equal(broken_at(text, length), line_of(i));
      text[i] = (char)(text[i] ^ 1 << bit);
    }
  }
}

/** `count` bytes from `from` on replaced by `by`: what is left of the text is in `out`, its length returned. */
static size_t spliced(char *out, size_t from, size_t count, const char *by, size_t more) {
  memcpy(out, text, from);
  memcpy(out + from, by, more);
  memcpy(out + from + more, text + from + count, length - from - count);
  return length - count + more;
}

static void every_byte_lost_gained_or_swapped_is_found(void **state) {
  (void)state;
  char *changed = malloc(length + 1);
  for (size_t i = 0; i < length; i++) {
    char twice[2] = {text[i], text[i]}, swapped[2] = {text[i + 1], text[i]};
    assert_int_equal(broken_at(changed, spliced(changed, i, 1, "", 0)), line_of(i));
    bool empty_line = i + 1 == starts[line_of(i)]; /* the second of two newlines ends a line of its own */
    assert_int_equal(broken_at(changed, spliced(changed, i, 1, twice, 2)), line_of(i) + empty_line);
    if (i + 1 < length && text[i] != text[i + 1]) {
      assert_int_equal(broken_at(changed, spliced(changed, i, 2, swapped, 2)), line_of(i));
    }
  }
  free(changed);
}

/** The text with its lines in another order, or some left out, or twice. */
static size_t arranged(char *out, const size_t *lines, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    size_t bytes = starts[lines[i] + 1] - starts[lines[i]];
    memcpy(out + at, text + starts[lines[i]], bytes);
    at += bytes;
  }
  return at;
}

static void lines_have_one_order(void **state) {
  (void)state;
  char *out = malloc(2 * length);
  for (size_t a = 0; a < ENTRIES; a++) {
    size_t without[ENTRIES], twice[ENTRIES + 1];
    for (size_t i = 0; i <= ENTRIES; i++) {
      twice[i] = i <= a ? i : i - 1;
    }
    for (size_t i = 0; i + 1 < ENTRIES; i++) {
      without[i] = i < a ? i : i + 1;
    }
    assert_int_equal(broken_at(out, arranged(out, twice, ENTRIES + 1)), a + 2);
    assert_int_equal(broken_at(out, arranged(out, without, ENTRIES - 1)), a + 1 < ENTRIES ? a + 1 : 0);
    for (size_t b = a + 1; b < ENTRIES; b++) {
      size_t order[ENTRIES] = {0, 1, 2, 3, 4};
      order[a] = b, order[b] = a;
      assert_int_equal(broken_at(out, arranged(out, order, ENTRIES)), a + 1);
    }
  }
  free(out);
}

/** A ledger cut at the end of a line may hold: that it is not the one seen before, only its earlier head shows. */
static void an_earlier_head_shows_every_cut(void **state) {
  (void)state;
  roof_ledger_summary whole, summary;
  char head[ROOF_DIGEST_MAX + 8], short_head[ROOF_DIGEST_MAX + 8], missing[64];
  assert_int_equal(roof_ledger_verify(path, NULL, &whole, NULL), ROOF_OK);
  snprintf(head, sizeof head, "%d:%s", ENTRIES, whole.head);
  for (size_t kept = 1; kept < ENTRIES; kept++) {
    size_t seen = 0;
    roof_error error = {0};
    spill(part, text, starts[kept]);
    if (kept == 3) { /* half of the append of two */
      assert_int_equal(roof_ledger_verify(part, NULL, &summary, NULL), ROOF_E_GATE);
      continue;
    }
    assert_int_equal(roof_ledger_verify(part, NULL, &summary, NULL), ROOF_OK);
    assert_int_equal(summary.entries, kept);
    assert_int_equal(roof_ledger_extends(part, head, &seen, &error), ROOF_E_GATE);
    snprintf(missing, sizeof missing, "%zu of its %d entries are missing", ENTRIES - kept, ENTRIES);
    assert_non_null(strstr(error.message, missing));
    assert_int_equal(roof_ledger_extends(part, path, &seen, &error), ROOF_E_GATE);
    assert_non_null(strstr(error.message, missing));
    snprintf(short_head, sizeof short_head, "%zu:%s", kept, summary.head);
    assert_int_equal(roof_ledger_extends(path, short_head, &seen, NULL), ROOF_OK);
    assert_int_equal(roof_ledger_extends(path, part, &seen, NULL), ROOF_OK);
    assert_int_equal(seen, kept);
  }
}

/** A head is a number and 64 hexadecimal digits; whatever else was typed is the name of a file. */
static void what_is_no_head_is_a_file(void **state) {
  (void)state;
  roof_ledger_summary summary;
  size_t seen;
  char head[ROOF_DIGEST_MAX + 8];
  assert_int_equal(roof_ledger_verify(path, NULL, &summary, NULL), ROOF_OK);
  snprintf(head, sizeof head, "%d:%s", ENTRIES, summary.head);
  assert_int_equal(roof_ledger_extends(path, head, &seen, NULL), ROOF_OK);
  for (size_t i = 0; i < strlen(head); i++) {
    char kept = head[i];
    head[i] = 'g';
    assert_int_equal(roof_ledger_extends(path, head, &seen, NULL), ROOF_E_INPUT);
    head[i] = kept;
  }
  assert_int_equal(roof_ledger_extends(path, &head[1], &seen, NULL), ROOF_E_INPUT);
  head[strlen(head) - 1] = '\0';
  assert_int_equal(roof_ledger_extends(path, head, &seen, NULL), ROOF_E_INPUT);
}

/** Makes a line's own SHA-256 anew, after its content was changed. */
static void digest_anew(char *line) {
  char digest[ROOF_DIGEST_MAX];
  char *seal_at = strstr(line, ",\"sha256\":\"");
  roof_ledger_digest(line, (size_t)(seal_at - line), digest);
  memcpy(seal_at + strlen(",\"sha256\":\""), digest, LEDGER_DIGEST);
}

/** Whoever changes an entry and makes its digest anew breaks the next link, or, at the end, the head. */
static void every_change_with_its_digest_breaks_the_next_link(void **state) {
  (void)state;
  roof_ledger_summary summary;
  roof_error error = {0};
  size_t seen;
  char head[ROOF_DIGEST_MAX + 8], *changed = malloc(length + 1);
  assert_int_equal(roof_ledger_verify(path, NULL, &summary, NULL), ROOF_OK);
  snprintf(head, sizeof head, "%d:%s", ENTRIES, summary.head);
  for (int entry = 0; entry < ENTRIES; entry++) {
    memcpy(changed, text, length + 1);
    strstr(changed + starts[entry], "triad")[0] = 'T';
    digest_anew(changed + starts[entry]);
    assert_int_equal(broken_at(changed, length), entry + 1 < ENTRIES ? entry + 2 : 0);
  }
  spill(part, changed, length);
  assert_int_equal(roof_ledger_extends(part, head, &seen, &error), ROOF_E_GATE);
  assert_non_null(strstr(error.message, "entry 5 is another"));
  free(changed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_flipped_bit_is_found_in_its_line),
      cmocka_unit_test(every_byte_lost_gained_or_swapped_is_found),
      cmocka_unit_test(lines_have_one_order),
      cmocka_unit_test(an_earlier_head_shows_every_cut),
      cmocka_unit_test(what_is_no_head_is_a_file),
      cmocka_unit_test(every_change_with_its_digest_breaks_the_next_link),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
