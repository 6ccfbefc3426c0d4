/* The scanner of JSON text: strictly by a table of members, and quickly by where values end. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "documents/scan.h"

typedef struct entry {
  char name[8];
  double seconds, lower;
  bool flag;
} entry;

static const rf_scan_field fields[] = {
    RF_SCAN_FIELD("name", TEXT, entry, name),
    RF_SCAN_FIELD("seconds", NUMBER, entry, seconds),
    RF_SCAN_FIELD("times.lower", NUMBER, entry, lower),
    RF_SCAN_FIELD("flag", FLAG, entry, flag),
    RF_SCAN_UNKEPT("hash", TEXT),
    RF_SCAN_UNKEPT("h", TEXT),
    RF_SCAN_UNKEPT("list", LIST),
    RF_SCAN_UNKEPT("rest.", REST),
};

/** From memory that ends with the text, so that a read behind it is found by a sanitizer. */
static bool scan(const char *text, entry *e) {
  size_t length = strlen(text);
  char *copy = malloc(length);
  assert_non_null(copy);
  memcpy(copy, text, length);
  *e = (entry){.seconds = -1, .lower = -1};
  bool good = rf_scan_object(copy, length, fields, sizeof fields / sizeof fields[0], e);
  free(copy);
  return good;
}

static void members_go_where_the_table_says(void **state) {
  (void)state;
  entry e;
  assert_true(scan("{\"list\":[1,-2.5,null],\"name\":\"a\\u00e9\\n\",\"times\":{\"lower\":2.5},\"rest\":{\"x."
                   "y\":1,\"z\":null},"
                   "\"flag\":true,\"seconds\":-1e3,\"hash\":\"0\"}",
                   &e));
  assert_string_equal(e.name, "a\u00e9\n");
  assert_true(e.seconds == -1000 && e.lower == 2.5 && e.flag);
  assert_true(scan("{\"seconds\":null,\"name\":\"1234567\",\"hash\":\"\"}", &e));
  assert_true(e.seconds == -1);
  assert_string_equal(e.name, "1234567");
}

static void what_is_no_json_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "[]",
      "{",
      "{\"name\":\"12345678\"}",      /* too long */
      "{\"name\":\"123456\\u00e9\"}", /* with its NUL */
      "{\"name\":1,\"h\":\"\"}",      /* another type */
      "{\"seconds\":\"1\",\"h\":\"\"}",
      "{\"seconds\":01,\"h\":\"\"}",
      "{\"seconds\":1.,\"h\":\"\"}",
      "{\"seconds\":1e999,\"h\":\"\"}",
      "{\"name\":\"a\",\"name\":\"a\"}", /* twice */
      "{\"hash\":\"\\q\"}",              /* no escape */
      "{\"hash\":\"\\u12g4\"}",
      "{\"hash\":\"\\u0000\"}",
      "{\"hash\":\"a\tb\"}", /* a control character */
      "{\"hash\":\"0123456789\tb\"}",
      "{\"hash\":\"\xff\"}", /* no UTF-8 */
      "{\"hash\":\"01234567\xc3\"}",
      "{\"hash\":\"\xed\xa0\x80\"}",
      "{\"list\": [1],\"h\":\"\"}", /* a blank */
      "{\"hash\":nul,\"h\":\"\"}",
      "{\"list\":[1,],\"h\":\"\"}",
      "{\"list\":[[[[[[[[[1]]]]]]]]],\"h\":\"\"}", /* too deep */
      "{\"other\":1,\"h\":\"\"}",                  /* not in the table */
      "{\"times.lower\":1,\"h\":\"\"}",            /* no path */
      "{\"times\":{\"x\":1},\"h\":\"\"}",          /* not in the table */
      "{\"times\":[1],\"h\":\"\"}",
      "{\"rest\":{\"a\":1,\"a\":1},\"h\":\"\"}", /* twice */
      "{\"rest\":{\"a\":1},\"rest\":{\"b\":1},\"h\":\"\"}",
      "{\"list\":[1e999],\"h\":\"\"}",
      "{\"seconds\":9007199254740993,\"h\":\"\"}", /* no double */
      "{\"hash\":\"\\ud83d\\ude80\"}",             /* surrogates */
      "{\"hash\":\"a\"} ",
      "{\"hash\":\"a\"",
      "{\"hash\":\"a\\\"}",
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    entry e;
    if (scan(bad[i], &e)) {
      fail_msg("taken: %s", bad[i]);
    }
  }
}

typedef struct event {
  rf_span name, start, device, all;
} event;

static const rf_scan_field of_arguments[] = {RF_SCAN_FIELD("device", SPAN, event, device)};
static const rf_scan_field of_event[] = {RF_SCAN_FIELD("name", SPAN, event, name),
                                         RF_SCAN_FIELD("ts", SPAN, event, start)};

static bool wanted(const void *user, const void *row) {
  (void)row;
  return *(const bool *)user;
}

static const rf_scan_table arguments = {.fields = of_arguments, .count = 1};
static const rf_scan_table table = {.fields = of_event,
                                    .count = 2,
                                    .inner = "args",
                                    .table = &arguments,
                                    .offset = offsetof(event, all),
                                    .wanted = wanted};

/** The members of `text`, an object; NUL follows it with seven bytes more. */
static const char *members(const char *text, bool want, event *e, rf_scan *s, char buffer[256]) {
  memset(buffer, 0, 256);
  strcpy(buffer, text);
  *e = (event){.name = {0}};
  *s = (rf_scan){.end = buffer + strlen(buffer)};
  return rf_scan_members(s, buffer + 1, &table, &want, e);
}

static void spans_are_kept_by_name(void **state) {
  (void)state;
  static const char text[] = "{ \"name\" : \"a \\\"b\\\"\", \"more\": [{\"ts\": 1}, \"]\"],\n \"ts\": 12.5,"
                             " \"args\": {\"x\": {}, \"device\": 7}, }";
  char buffer[256], name[16];
  event e;
  rf_scan s;
  assert_ptr_equal(members(text, true, &e, &s, buffer), buffer + strlen(text));
  assert_true(e.name.escaped && rf_scan_is(e.start, "12.5") && rf_scan_is(e.device, "7"));
  assert_int_equal(rf_scan_text(e.name, name, sizeof name), 5);
  assert_string_equal(name, "a \"b\"");
  assert_true(e.all.at[0] == '{' && e.all.at[e.all.size - 1] == '}');
  assert_ptr_equal(members(text, false, &e, &s, buffer), buffer + strlen(text));
  assert_true(e.device.at == NULL && e.all.at == NULL);
}

/** At the end more bytes may help, elsewhere they do not. */
static void a_scan_says_where_it_stopped(void **state) {
  (void)state;
  static const char *const cut[] = {"{\"name\": \"a", "{\"name\"", "{\"x\": [1, {",
                                    "{\"ts\": 12",    "{\"a\": 1", "{"};
  static const char *const malformed[] = {"{\"x\": [}", "{\"x\" 1}", "{x: 1}", "{\"x\": ?}", "{\"x\": 1 2}"};
  char buffer[256];
  event e;
  rf_scan s;
  for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
    assert_null(members(cut[i], true, &e, &s, buffer));
    assert_ptr_equal(s.stopped, s.end);
  }
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
    assert_null(members(malformed[i], true, &e, &s, buffer));
    assert_true(s.stopped < s.end);
  }
}

static void lists_are_walked(void **state) {
  (void)state;
  char text[64] = "[[1, 2], \"b\", 3]";
  const char *at = text + 1;
  rf_span key, value;
  assert_true(rf_scan_next(&at, &key, &value) && rf_scan_is(value, "[1, 2]") && key.size == 0);
  assert_true(rf_scan_next(&at, &key, &value) && rf_scan_is(value, "b"));
  assert_true(rf_scan_next(&at, &key, &value) && rf_scan_is(value, "3"));
  assert_false(rf_scan_next(&at, &key, &value));
  char object[64] = "{\"k\": 1, \"l\": {\"m\": 2}}";
  at = object + 1;
  assert_true(rf_scan_next(&at, &key, &value) && rf_scan_is(key, "k") && rf_scan_is(value, "1"));
  assert_true(rf_scan_next(&at, &key, &value) && rf_scan_is(key, "l") && rf_scan_is(value, "{\"m\": 2}"));
  assert_false(rf_scan_next(&at, &key, &value));
}

/** What is no escape stands for itself, and what does not fit is cut off. */
static void texts_of_others_are_tolerated(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
  } texts[] = {{"plain", "plain"},    {"a\\/b\\tc", "a/b\tc"},
               {"\\q\\u4", "q\x04"},  {"\\u0000x", " x"},
               {"\\u20ac", "\u20ac"}, {"\\ud83d\\ude00", "\ufffd\ufffd"},
               {"end\\", "end\\"},    {"0123456789abcdefgh", "0123456789abcde"}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char text[16];
    rf_span span = {texts[i].from, strlen(texts[i].from), strchr(texts[i].from, '\\') != NULL};
    assert_int_equal(rf_scan_text(span, text, sizeof text), strlen(texts[i].to));
    assert_string_equal(text, texts[i].to);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_go_where_the_table_says),
      cmocka_unit_test(what_is_no_json_is_refused),
      cmocka_unit_test(spans_are_kept_by_name),
      cmocka_unit_test(a_scan_says_where_it_stopped),
      cmocka_unit_test(lists_are_walked),
      cmocka_unit_test(texts_of_others_are_tolerated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
