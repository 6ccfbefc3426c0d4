/* The clock of the first rank, asked over datagrams. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cluster/gather_clock.h"

static rf_gather here;

static int make_folder(void **state) {
  (void)state;
  here = (rf_gather){.rank = 0, .size = 2, .node = "n"};
  snprintf(here.folder, sizeof here.folder, "/tmp/test_gather_clock.XXXXXX");
  return mkdtemp(here.folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state) {
  char path[sizeof here.folder + 16];
  (void)state;
  snprintf(path, sizeof path, "%s/0.clock", here.folder);
  unlink(path);
  return rmdir(here.folder);
}

static void the_clock_of_a_neighbour_is_ones_own(void **state) {
  (void)state;
  rf_clock_server *server = NULL;
  rf_clock_readings readings = {0};
  roof_clock clock;
  assert_int_equal(rf_clock_server_start(&here, &server, NULL), ROOF_OK);
  assert_int_equal(rf_clock_ask(&here, 5, &readings, NULL), ROOF_OK);
  usleep(50000);
  assert_int_equal(rf_clock_ask(&here, 5, &readings, NULL), ROOF_OK);
  rf_clock_server_stop(server);
  assert_true(readings.count > RF_CLOCK_ASKED && readings.count <= RF_CLOCK_READINGS);
  assert_true(rf_clock_fit(readings.list, readings.count, &clock));
  assert_true(clock.offset.low <= 0 && clock.offset.high >= 0);
  assert_true(clock.drift.low <= 0 && clock.drift.high >= 0);
}

static void who_does_not_know_the_word_is_not_answered(void **state) {
  (void)state;
  rf_clock_server *server = NULL;
  rf_clock_readings readings = {0};
  roof_text text = {0};
  roof_error error = {0};
  assert_int_equal(rf_clock_server_start(&here, &server, NULL), ROOF_OK);
  assert_int_equal(rf_gather_attached(&here, 0, "clock", &text, NULL), ROOF_OK);
  char *word = strchr(text.data, '\n') + 1;
  word[0] = word[0] == '0' ? '1' : '0';
  assert_int_equal(rf_gather_attach(&here, "clock", &text, NULL), ROOF_OK);
  assert_int_equal(rf_clock_ask(&here, 0.2, &readings, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "rank 0 does not answer to datagrams (UDP) at its addresses");
  assert_int_equal(readings.count, 0);
  rf_clock_server_stop(server);
  roof_text_done(&text);
}

static void without_a_first_rank_there_is_an_end(void **state) {
  (void)state;
  rf_clock_readings readings = {0};
  roof_error error = {0};
  assert_int_equal(rf_clock_ask(&here, 0.05, &readings, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "rank 0 has no clock to ask");
}

static void what_is_no_place_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "1",
                                      "99\n00",
                                      "99\n000102030405060708090a0b0c0d0e0g\n127.0.0.1\n",
                                      "none\n000102030405060708090a0b0c0d0e0f\n127.0.0.1\n",
                                      "9\n000102030405060708090a0b0c0d0e0f\nnowhere\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    rf_clock_readings readings = {0};
    roof_text text = {0};
    roof_text_add(&text, texts[i]);
    assert_int_equal(rf_gather_attach(&here, "clock", &text, NULL), ROOF_OK);
    assert_int_equal(rf_clock_ask(&here, 0.02, &readings, NULL), ROOF_E_UNSUPPORTED);
    roof_text_done(&text);
  }
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(the_clock_of_a_neighbour_is_ones_own),
      IN_FOLDER(who_does_not_know_the_word_is_not_answered),
      cmocka_unit_test(without_a_first_rank_there_is_an_end),
      IN_FOLDER(what_is_no_place_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
