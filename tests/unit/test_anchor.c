/* Programs that are asked, and anchors as they are read. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/ask.h"
#include "host/clock.h"
#include "ledger/anchor.h"
#include "test.h"

static roof_status ask(const char *script, const char *input, double patience, rf_answer *a,
                       roof_error *error) {
  const rf_question q = {.words = (const char *const[]){"sh", "-c", script, NULL},
                         .environment = (const char *const[]){"ASKED=1", NULL},
                         .input = input,
                         .length = input != NULL ? strlen(input) : 0,
                         .patience = patience};
  *a = (rf_answer){0};
  return rf_ask(&q, a, error);
}

static void a_program_answers(void **state) {
  (void)state;
  rf_answer a;
  char why[32];
  assert_int_equal(
      ask("cat; echo $ASKED; echo first >&2; printf ' \\tno\\033t a\\n\\n' >&2; exit 3", "in\n", 9, &a, NULL),
      ROOF_OK);
  assert_int_equal(a.code, 3);
  assert_string_equal(a.out.data, "in\n1\n");
  assert_string_equal(rf_answer_why(&a, why, sizeof why), "no?t a");
  assert_string_equal(rf_answer_why(&a, why, 3), "no");
  rf_answer_done(&a);
  assert_int_equal(ask("cat /dev/stdin /dev/stdin", "twice ", 9, &a, NULL), ROOF_OK); /* it is a file */
  assert_int_equal(a.code, 0);
  rf_answer_done(&a);
  signal(SIGCHLD, SIG_IGN);
  assert_int_equal(ask("exit 5", NULL, 9, &a, NULL), ROOF_OK);
  assert_int_equal(a.code, 5);
  assert_ptr_equal(signal(SIGCHLD, SIG_DFL), SIG_IGN);
  rf_answer_done(&a);
  assert_int_equal(ask("cat", NULL, 9, &a, NULL), ROOF_OK); /* nothing to read is an end */
  assert_int_equal(a.out.length, 0);
  assert_string_equal(rf_answer_why(&a, why, sizeof why), "");
  rf_answer_done(&a);
  assert_int_equal(ask("printf 'a\\000b'; exec >&- 2>&-; sleep 0.1; exit 4", NULL, 9, &a, NULL), ROOF_OK);
  assert_true(a.code == 4 && a.out.length == 3);
  rf_answer_done(&a);
}

static void a_program_that_gives_no_answer_is_left(void **state) {
  (void)state;
  rf_answer a;
  roof_error error;
  double start = rf_clock_seconds();
  assert_int_equal(ask("exec sleep 60", NULL, 0.2, &a, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "sh: has not ended after 0 s"));
  assert_int_equal(ask("exec >&- 2>&-; exec sleep 60", NULL, 0.2, &a, NULL), ROOF_E_UNSUPPORTED);
  assert_int_equal(ask("sleep 5 & echo left", NULL, 9, &a, NULL), ROOF_OK); /* another holds its output */
  assert_string_equal(a.out.data, "left\n");
  rf_answer_done(&a);
  assert_true(rf_clock_seconds() - start < 4);
  assert_int_equal(ask("yes", NULL, 9, &a, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "sh: prints more than 1 MiB");
  assert_int_equal(ask("kill -9 $$", NULL, 9, &a, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "sh: ended by signal 9");
  const rf_question none = {.words = (const char *const[]){"no such program", NULL}, .patience = 9};
  assert_int_equal(rf_ask(&none, &a, NULL), ROOF_OK);
  char why[64];
  assert_int_equal(a.code, RF_ANSWER_NONE);
  assert_string_equal(rf_answer_why(&a, why, sizeof why), "cannot be executed: No such file or directory");
  rf_answer_done(&a);
}

static void kinds_have_names(void **state) {
  (void)state;
  roof_anchor_kind kind = ROOF_ANCHOR_GIT;
  for (int i = 0; i < ROOF_ANCHOR_KIND_COUNT; i++) {
    assert_int_equal(roof_anchor_kind_parse(roof_anchor_kind_name((roof_anchor_kind)i), &kind, NULL),
                     ROOF_OK);
    assert_int_equal(kind, i);
  }
  assert_string_equal(roof_anchor_kind_name(ROOF_ANCHOR_KIND_COUNT), "?");
  assert_int_equal(roof_anchor_kind_parse("tag", &kind, NULL), ROOF_E_NAME);
}

static void heads_are_read_strictly(void **state) {
  (void)state;
  static const char digits[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  static const struct {
    const char *before;
    int digits;
    const char *after;
  } bad[] = {{"", 0, ""},     {"1", 0, ""},    {"1:", 0, ""},   {":", 64, ""},   {"0:", 64, ""},
             {"-1:", 64, ""}, {" 1:", 64, ""}, {"1 :", 64, ""}, {"+1:", 64, ""}, {"1: ", 64, ""},
             {"1:", 64, " "}, {"1:0", 64, ""}, {"1:", 63, ""},  {"1:", 63, "A"}, {"1:", 63, "g"}};
  char text[128], digest[ROOF_DIGEST_MAX] = "";
  size_t number = 0;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, "%s%.*s%s", bad[i].before, bad[i].digits, digits, bad[i].after);
    assert_false(rf_ledger_head_read(text, &number, digest));
    assert_true(number == 0 && digest[0] == '\0');
  }
  snprintf(text, sizeof text, "12:%s", digits);
  assert_true(rf_ledger_head_read(text, &number, digest));
  assert_int_equal(number, 12);
  assert_string_equal(digest, digits);
  roof_anchor a = {.entries = 12};
  memcpy(a.digest, digest, sizeof digest);
  assert_string_equal(rf_anchor_head(&a, text), text);
}

static void what_anchors_prove(void **state) {
  (void)state;
  roof_anchor list[] = {{ROOF_ANCHOR_TSA, "l.2.head.tsr", 2, "ab", "2026-01-31T12:00:00Z"},
                        {ROOF_ANCHOR_OTS, "l.3.head.ots", 3, "cd", "2026-02-01"},
                        {ROOF_ANCHOR_GIT, "roofline/1-ef", 1, "ef", "2026-02-02T12:00:00.000Z"}};
  const roof_anchors all = {list, 3}, none = {0};
  const roof_ledger_summary summary = {.entries = 4};
  roof_text text = {0};
  assert_int_equal(roof_anchors_cover(&all), 3);
  assert_int_equal(roof_anchors_cover(NULL), 0);
  roof_anchors_sentences(&none, &summary, &text);
  assert_int_equal(text.length, 0);
  roof_anchors_sentences(&all, &summary, &text);
  assert_string_equal(
      text.data,
      "\nanchor l.2.head.tsr: entries 1 to 2 are as they were on 2026-01-31T12:00:00Z, says the authority"
      "\nanchor l.3.head.ots: entries 1 to 3 are as they were on 2026-02-01, says a block of Bitcoin"
      "\nanchor roofline/1-ef: entries 1 to 1 are as they were when others got this tag, made "
      "2026-02-02T12:00:00.000Z by its maker's clock"
      "\nno anchor covers entries 4 to 4");
  roof_text_done(&text);
  list[0].time[0] = '\0';
  assert_int_equal(roof_anchor_write("l", &list[0], &text, NULL), ROOF_OK);
  assert_string_equal(
      text.data,
      "{\n  \"schema\": \"roofline.anchor/1\",\n  \"ledger\": \"l\",\n  \"kind\": \"tsa\",\n"
      "  \"anchor\": \"l.2.head.tsr\",\n  \"entries\": 2,\n  \"head\": \"2:ab\",\n  \"time\": null\n}\n");
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_answers),  cmocka_unit_test(a_program_that_gives_no_answer_is_left),
      cmocka_unit_test(kinds_have_names),   cmocka_unit_test(heads_are_read_strictly),
      cmocka_unit_test(what_anchors_prove),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
