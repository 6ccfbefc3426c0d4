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

static char folder[] = "/tmp/roofline-anchor-XXXXXX";
static char ledger[64];

static int make_folder(void **state) {
  (void)state;
  char command[512];
  snprintf(ledger, sizeof ledger, "%s/l", mkdtemp(folder));
  snprintf(command, sizeof command, "cp '%s/tests/fixtures/ledger/0.1.ledger' %s && chmod u+w %s",
           getenv("ROOFLINE_SOURCE"), ledger, ledger);
  return system(command);
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void a_tag_is_made_and_verified(void **state) {
  (void)state;
  char command[512];
  roof_anchor made = {0};
  roof_anchors all = {0};
  snprintf(command, sizeof command,
           "cd %s && git init -q . 2>/dev/null && git config user.name n && git config user.email e && git "
           "commit -q "
           "--allow-empty -m m",
           folder);
  if (system(command) != 0) {
    skip();
  }
  assert_int_equal(roof_ledger_verify_anchors(ledger, "git", NULL, &all, NULL), ROOF_E_GATE);
  assert_int_equal(roof_ledger_anchor(ledger, ROOF_ANCHOR_GIT, NULL, &made, NULL), ROOF_OK);
  assert_true(made.kind == ROOF_ANCHOR_GIT && made.entries == 8);
  for (size_t times = 1; times <= 2; times++) { /* each appends */
    assert_int_equal(roof_ledger_verify_anchors(ledger, "git", NULL, &all, NULL), ROOF_OK);
    assert_int_equal(all.count, times);
    assert_string_equal(all.list[times - 1].name, made.name);
    assert_string_equal(all.list[times - 1].digest, made.digest);
  }
  snprintf(command, sizeof command, "cd %s && head -7 l >short && mv short l", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(roof_ledger_verify_anchors(ledger, "git", NULL, &all, NULL), ROOF_E_GATE);
  assert_int_equal(all.count, 2);
  roof_anchors_done(&all);
  assert_true(all.list == NULL && all.count == 0);
}

static void what_is_no_anchor_is_refused(void **state) {
  (void)state;
  char proof[128];
  roof_anchor made = {.entries = 77};
  roof_anchors all = {0};
  assert_int_equal(roof_ledger_anchor(ledger, ROOF_ANCHOR_GIT, "http://a", &made, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_ledger_anchor("/nowhere/l", ROOF_ANCHOR_OTS, NULL, &made, NULL), ROOF_E_INPUT);
  assert_int_equal(made.entries, 77);
  assert_int_equal(roof_ledger_verify_anchors(ledger, "files", NULL, &all, NULL), ROOF_E_GATE);
  assert_int_equal(roof_ledger_verify_anchors(ledger, ledger, NULL, &all, NULL), ROOF_E_ARGUMENT);
  snprintf(proof, sizeof proof, "%s.1.head.tsr", ledger);
  assert_int_equal(roof_ledger_verify_anchors(ledger, proof, ledger, &all, NULL), ROOF_E_INPUT);
  char command[512];
  snprintf(command, sizeof command, "echo 1:%064d >%s.1.head && echo >%s", 7, ledger, proof);
  assert_int_equal(system(command), 0);
  assert_int_equal(roof_ledger_verify_anchors(ledger, proof, NULL, &all, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_ledger_verify_anchors(ledger, proof, "/nowhere/ca", &all, NULL), ROOF_E_INPUT);
  assert_int_equal(all.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_answers),          cmocka_unit_test(a_program_that_gives_no_answer_is_left),
      cmocka_unit_test(kinds_have_names),           cmocka_unit_test(heads_are_read_strictly),
      cmocka_unit_test(what_anchors_prove),         cmocka_unit_test(what_is_no_anchor_is_refused),
      cmocka_unit_test(a_tag_is_made_and_verified),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
