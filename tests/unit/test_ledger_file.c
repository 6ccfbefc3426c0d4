/* How a ledger's file is kept: its chain, link by link, torn ends, locks, and files that are none. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/file.h"
#include "ledger/entry.h"
#include "ledger/file.h"
#include "roofline/ledger.h"

static char folder[64], path[96], torn[112], heard[1024];

static void listen(void *user, const char *sentence) {
  (void)user;
  snprintf(heard, sizeof heard, "%s", sentence);
}

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_ledger_file.XXXXXX");
  heard[0] = '\0';
  roof_ledger_listen(listen, NULL);
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  snprintf(path, sizeof path, "%s/ledger", folder);
  snprintf(torn, sizeof torn, "%s.torn", path);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static roof_sealing sealing(const char *label) {
  roof_sealing s = {.machine = "host",
                    .op = "triad",
                    .dtype = "fp64",
                    .regime = "memory",
                    .binding = "HBM",
                    .lower_seconds = 1,
                    .upper_seconds = 2,
                    .expected_seconds = 1.5};
  snprintf(s.label, sizeof s.label, "%s", label);
  return s;
}

static roof_status seal(const char *label, roof_error *error) {
  roof_sealing s = sealing(label);
  return roof_ledger_seal(path, &s, 1, NULL, error);
}

/** Seals `count` predictions in one append. */
static void seal_batch(size_t count) {
  roof_sealing list[16];
  for (size_t i = 0; i < count; i++) {
    char label[16];
    snprintf(label, sizeof label, "b%zu", i);
    list[i] = sealing(label);
  }
  assert_int_equal(roof_ledger_seal(path, list, count, NULL, NULL), ROOF_OK);
}

static char *slurp(const char *file, size_t *length) {
  FILE *stream = fopen(file, "rb");
  assert_non_null(stream);
  char *text = calloc(1, 1 << 20);
  *length = fread(text, 1, (1 << 20) - 1, stream);
  fclose(stream);
  return text;
}

static void spill(const char *text, size_t length) {
  FILE *stream = fopen(path, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(text, 1, length, stream), length);
  assert_int_equal(fclose(stream), 0);
}

static size_t verified(void) {
  roof_ledger_summary summary;
  roof_error error = {0};
  if (roof_ledger_verify(path, NULL, &summary, &error) != ROOF_OK) {
    fail_msg("%d: %s", error.line, error.message);
  }
  return summary.entries;
}

/** Makes a line's own SHA-256 anew, after its content was changed. */
static void digest_anew(char *line) {
  char digest[ROOF_DIGEST_MAX];
  char *seal_at = strstr(line, ",\"sha256\":\"");
  roof_ledger_digest(line, (size_t)(seal_at - line), digest);
  memcpy(seal_at + strlen(",\"sha256\":\""), digest, LEDGER_DIGEST);
}

static void finds(const char *text, size_t length, int line, const char *message) {
  roof_ledger_entries entries;
  roof_error error = {0};
  assert_int_equal(rf_ledger_read(text, length, "l", false, &entries, &error), ROOF_E_GATE);
  assert_int_equal(error.line, line);
  assert_string_equal(error.message, message);
}

static char *three_lines(size_t *length, char *lines[3]) {
  assert_int_equal(seal("a", NULL), ROOF_OK);
  assert_int_equal(seal("b", NULL), ROOF_OK);
  assert_int_equal(seal("c", NULL), ROOF_OK);
  char *text = slurp(path, length);
  lines[0] = text;
  lines[1] = strchr(lines[0], '\n') + 1;
  lines[2] = strchr(lines[1], '\n') + 1;
  return text;
}

/** A changed line whose own digest is right: only the next line's link shows it. */
static void the_link_alone_shows_a_change(void **state) {
  (void)state;
  size_t length;
  char *lines[3], *text = three_lines(&length, lines);
  strstr(lines[1], "triad")[0] = 'T';
  digest_anew(lines[1]);
  finds(text, length, 3, "entry 3: the line before it was changed");
  free(text);
}

static void the_digest_alone_shows_a_change(void **state) {
  (void)state;
  size_t length;
  char *lines[3], *text = three_lines(&length, lines);
  strstr(lines[2], "triad")[0] = 'T'; /* no line comes after it */
  finds(text, length, 3, "entry 3: its SHA-256 does not match");
  free(text);
}

/** Digest and link are right, the number is not. */
static void the_sequence_alone_shows_a_gap(void **state) {
  (void)state;
  size_t length;
  char *lines[3], *text = three_lines(&length, lines);
  strstr(lines[2], "\"sequence\":3")[strlen("\"sequence\":")] = '4';
  digest_anew(lines[2]);
  finds(text, length, 3, "entry 3: its sequence number does not follow");
  free(text);
}

static void only_a_chain_that_holds_is_continued(void **state) {
  (void)state;
  size_t length, now;
  char *lines[3], *text = three_lines(&length, lines);
  strstr(lines[1], "triad")[0] = 'T';
  spill(text, length);
  roof_error error = {0};
  assert_int_equal(seal("after", &error), ROOF_E_GATE);
  assert_int_equal(error.line, 2);
  assert_string_equal(error.file, path);
  strstr(lines[1], "Triad")[0] = '\0'; /* as a page that was lost, but later lines were acknowledged */
  spill(text, length);
  assert_int_equal(seal("after", &error), ROOF_E_GATE);
  assert_int_equal(error.line, 2);
  char *kept = slurp(path, &now);
  assert_int_equal(now, length);
  assert_memory_equal(kept, text, length);
  assert_int_equal(access(torn, F_OK), -1);
  free(kept);
  free(text);
  spill("{\"sequence\":1,\"kind\":\"x\"}\n", 26);
  assert_int_equal(seal("l", &error), ROOF_E_GATE);
  assert_int_equal(error.line, 1);
}

/** The torn end is in the file, the sentence and the next entry. */
static void expect_torn(const char *end, size_t length, const char *said) {
  char digest[ROOF_DIGEST_MAX];
  size_t kept_length;
  char *kept = slurp(torn, &kept_length);
  assert_int_equal(kept_length, length);
  assert_memory_equal(kept, end, length);
  if (strstr(heard, said) == NULL || strstr(heard, torn) == NULL) {
    fail_msg("%s: not `%s`", heard, said);
  }
  roof_ledger_entries all;
  assert_int_equal(roof_ledger_read(path, &all, NULL), ROOF_OK);
  const roof_ledger_entry *last = &all.entries[all.count - 1];
  assert_true(last->torn_bytes == (double)length);
  assert_string_equal(last->torn_sha256, roof_ledger_digest(end, length, digest));
  roof_ledger_entries_done(&all);
  assert_int_equal(unlink(torn), 0);
  free(kept);
}

static void a_chopped_entry_is_kept_said_and_noted(void **state) {
  (void)state;
  size_t length;
  char *lines[3], *text = three_lines(&length, lines);
  size_t whole = (size_t)(lines[2] - text);
  for (size_t cut = whole + 100; cut < length - 1; cut += 97) {
    spill(text, cut);
    assert_int_equal(seal("next", NULL), ROOF_OK);
    bool block = cut % 512 == 0;
    expect_torn(
        lines[2], cut - whole,
        block ? "(entry 3, `c`), which was not acknowledged"
              : "(entry 3, `c`): its end was cut off, which no crash does; it may have been acknowledged");
    assert_int_equal(verified(), 3);
  }
  free(text);
}

static void a_torn_end_is_never_written_over(void **state) {
  (void)state;
  size_t length, kept;
  char *lines[3], *text = three_lines(&length, lines), second[128];
  spill(text, length - 9);
  assert_int_equal(seal("one", NULL), ROOF_OK);
  spill(text, length - 10);
  assert_int_equal(seal("two", NULL), ROOF_OK);
  snprintf(second, sizeof second, "%s.2", torn);
  free(slurp(torn, &kept));
  assert_int_equal(kept, length - 9 - (size_t)(lines[2] - text));
  free(slurp(second, &kept));
  assert_int_equal(kept, length - 10 - (size_t)(lines[2] - text));
  assert_non_null(strstr(heard, second));
  free(text);
}

/** No name is left for what is kept: then nothing is cut off. */
static void a_torn_end_that_cannot_be_kept_stays(void **state) {
  (void)state;
  size_t length, now;
  char *lines[3], *text = three_lines(&length, lines), longest[400];
  roof_sealing s = sealing("next");
  roof_error error = {0};
  int start = snprintf(longest, sizeof longest, "%s/", folder);
  memset(longest + start, 'l', 254);
  longest[start + 254] = '\0';
  FILE *file = fopen(longest, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length - 9, file), length - 9);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(roof_ledger_seal(longest, &s, 1, NULL, &error), ROOF_E_OUTPUT);
  assert_non_null(strstr(error.message, "its torn end cannot be kept"));
  char *kept = slurp(longest, &now);
  assert_int_equal(now, length - 9);
  assert_memory_equal(kept, text, now);
  free(kept);
  free(text);
}

/** Pages of one append reach the disk in any order: those that do not read as zeros. */
static void a_batch_torn_inside_is_dropped_whole(void **state) {
  (void)state;
  enum { PAGE = 512, COUNT = 6 };
  assert_int_equal(seal("first", NULL), ROOF_OK);
  size_t whole, length;
  free(slurp(path, &whole));
  seal_batch(COUNT);
  char *text = slurp(path, &length);
  assert_int_equal(verified(), 1 + COUNT);
  for (size_t page = whole / PAGE + 1; page * PAGE < length; page++) {
    char *state_now = malloc(length);
    size_t end = (page + 1) * PAGE < length ? (page + 1) * PAGE : length;
    memcpy(state_now, text, length);
    memset(state_now + page * PAGE, 0, end - page * PAGE);
    spill(state_now, length);
    assert_int_equal(seal("after", NULL), ROOF_OK);
    expect_torn(state_now + whole, length - whole, "which was not acknowledged");
    assert_int_equal(verified(), 2);
    free(state_now);
  }
  free(text);
}

/** Cut at the end of a line, each line that is left holds, but not the append. */
static void a_part_of_a_batch_is_none_of_it(void **state) {
  (void)state;
  assert_int_equal(seal("first", NULL), ROOF_OK);
  size_t whole, length;
  free(slurp(path, &whole));
  seal_batch(3);
  char *text = slurp(path, &length);
  char *second = strchr(text + whole, '\n') + 1;
  finds(text, (size_t)(second - text), 2,
        "entry 2: the entries appended with it are missing: appending them was interrupted");
  spill(text, (size_t)(second - text));
  assert_int_equal(seal("after", NULL), ROOF_OK);
  expect_torn(text + whole, (size_t)(second - text) - whole, "dropped");
  assert_int_equal(verified(), 2);
  /* One that was edited is no torn one. */
  strstr(second, "triad")[0] = 'T';
  spill(text, length);
  roof_error error;
  assert_int_equal(seal("after", &error), ROOF_E_GATE);
  assert_int_equal(error.line, 3);
  free(text);
}

static void batches_do_not_mix(void **state) {
  (void)state;
  seal_batch(2);
  size_t length;
  char *text = slurp(path, &length);
  char *second = strchr(text, '\n') + 1;
  strstr(second, "\"last\":2")[strlen("\"last\":")] = '3';
  digest_anew(second);
  finds(text, length, 2, "entry 2: the entries appended with it are missing: appending them was interrupted");
  free(text);
  unlink(path);
  assert_int_equal(seal("a", NULL), ROOF_OK);
  seal_batch(2);
  text = slurp(path, &length);
  second = strchr(text, '\n') + 1;
  strstr(second, "\"first\":2")[strlen("\"first\":")] = '1';
  digest_anew(second);
  finds(text, length, 2, "entry 2: its batch does not begin with it");
  free(text);
}

/** An entry by itself is no end of the batch that is open before it. */
static void a_batch_ends_before_the_next_entry(void **state) {
  (void)state;
  static const char batch[] = ",\"batch\":{\"first\":1,\"last\":2}";
  seal_batch(2);
  size_t length;
  char *text = slurp(path, &length);
  char *second = strchr(text, '\n') + 1, *at = strstr(second, batch);
  assert_non_null(at);
  memmove(at, at + strlen(batch), strlen(at + strlen(batch)) + 1);
  digest_anew(second);
  finds(text, strlen(text), 2,
        "entry 2: the entries appended with it are missing: appending them was interrupted");
  free(text);
}

/** A whole entry that lost its newline alone was an entry; with zeros for the newline it never was. */
static void zeros_at_the_end_are_torn(void **state) {
  (void)state;
  size_t length;
  char *lines[3], *text = three_lines(&length, lines);
  size_t whole = (size_t)(lines[2] - text);
  memset(text + length, 0, 4096);
  text[length - 1] = '\0';
  spill(text, length + 4096);
  assert_int_equal(seal("after", NULL), ROOF_OK);
  expect_torn(lines[2], length + 4096 - whole, "not acknowledged");
  assert_int_equal(verified(), 3);
  free(text);
}

/** Nothing of the first append reached the disk but its length. */
static void a_first_append_of_zeros_is_torn(void **state) {
  (void)state;
  char zeros[1000] = "";
  memcpy(zeros + 512, "abc\n", 4);
  spill(zeros, sizeof zeros);
  assert_int_equal(seal("first", NULL), ROOF_OK);
  expect_torn(zeros, sizeof zeros, "dropped 1000 bytes of a torn append (entry 1)");
  assert_int_equal(verified(), 1);
  zeros[600] = '\1';
  spill(zeros, sizeof zeros);
  assert_int_equal(seal("first", NULL), ROOF_E_GATE);
}

/** Runs `act` in a process of its own that holds the ledger's lock, and lets the lock go after `microseconds`. */
static pid_t hold_lock(useconds_t microseconds, void (*act)(void)) {
  int ready[2];
  char byte = 0;
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    int file = open(path, O_RDONLY);
    _exit(flock(file, LOCK_EX) != 0 || write(ready[1], &byte, 1) != 1 || usleep(microseconds) != 0 ||
          (act != NULL ? act() : (void)0, 0));
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return child;
}

static void let_go(pid_t child) {
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void waiting_for_a_lock_is_said(void **state) {
  (void)state;
  assert_int_equal(seal("a", NULL), ROOF_OK);
  pid_t child = hold_lock(1200000, NULL);
  assert_int_equal(seal("b", NULL), ROOF_OK);
  assert_non_null(strstr(heard, "ledger: waiting for another program that holds its lock"));
  let_go(child);
  assert_int_equal(verified(), 2);
}

static void a_lock_is_not_waited_for_for_ever(void **state) {
  (void)state;
  assert_int_equal(seal("a", NULL), ROOF_OK);
  pid_t child = hold_lock(400000, NULL);
  ledger_file file;
  roof_error error = {0};
  assert_int_equal(rf_ledger_file_open(path, true, 0.05, &file, &error), ROOF_E_OUTPUT);
  assert_non_null(strstr(error.message, "another program has held its lock for "));
  assert_int_equal(rf_ledger_file_open(path, false, 0.05, &file, &error), ROOF_E_INPUT);
  let_go(child);
  assert_int_equal(rf_ledger_file_open(path, true, 0.05, &file, &error), ROOF_OK);
  rf_ledger_file_close(&file);
}

static void replace(void) {
  char command[512];
  snprintf(command, sizeof command, "cp %s %s.new && mv %s.new %s", path, path, path, path);
  if (system(command) != 0) {
    _exit(1);
  }
}

/** As an editor or git does: the entry must be in the file that has the name now. */
static void a_file_replaced_while_waiting_is_opened_anew(void **state) {
  (void)state;
  assert_int_equal(seal("a", NULL), ROOF_OK);
  pid_t child = hold_lock(200000, replace);
  assert_int_equal(seal("b", NULL), ROOF_OK);
  let_go(child);
  assert_int_equal(verified(), 2);
}

static void what_is_no_regular_file_is_refused(void **state) {
  (void)state;
  roof_ledger_summary summary;
  roof_error error = {0};
  char key[128], public_key[140];
  roof_sealing s = sealing("l");
  roof_ledger_options how = {.key = key};
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(seal("l", &error), ROOF_E_OUTPUT);
  assert_non_null(strstr(error.message, "not a regular file"));
  assert_int_equal(roof_ledger_verify(path, NULL, &summary, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "not a regular file"));
  unlink(path);
  snprintf(key, sizeof key, "%s/key", folder);
  snprintf(public_key, sizeof public_key, "%s.pub", key);
  assert_int_equal(mkfifo(key, 0600), 0);
  assert_int_equal(mkfifo(public_key, 0600), 0);
  assert_int_equal(roof_ledger_seal(path, &s, 1, &how, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "not a regular file"));
  assert_int_equal(seal("l", NULL), ROOF_OK);
  assert_int_equal(roof_ledger_verify(path, public_key, &summary, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "not a regular file"));
}

/** The key of another user is not ours to sign with. */
static void a_key_of_another_user_is_refused(void **state) {
  (void)state;
  char key[128];
  roof_sealing s = sealing("l");
  roof_ledger_options how = {.key = key};
  roof_error error = {0};
  snprintf(key, sizeof key, "%s/key", folder);
  assert_int_equal(roof_ledger_keygen(key, NULL), ROOF_OK);
  if (chown(key, geteuid() + 1, (gid_t)-1) != 0) {
    skip(); /* root alone gives files away */
  }
  assert_int_equal(roof_ledger_seal(path, &s, 1, &how, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "belongs to another user"));
}

/** Clocks of two machines agree within 2 s. */
static void a_time_later_than_now_is_refused(void **state) {
  (void)state;
  static const double ahead[] = {1.5, 2.5, 10};
  assert_int_equal(seal("a", NULL), ROOF_OK);
  for (int i = 0; i < 3; i++) {
    roof_measurement m;
    roof_measurement_init(&m);
    strcpy(m.label, "a");
    m.seconds = 1;
    m.taken = roof_time_now() + ahead[i];
    roof_status expected = ahead[i] < 2 ? ROOF_OK : ROOF_E_ARGUMENT;
    assert_int_equal(roof_ledger_record(path, &m, 1, NULL, NULL), expected);
  }
}

/** A ledger that does not fit in memory is an error. */
static void memory_for_a_ledger_may_be_short(void **state) {
  (void)state;
#ifdef SANITIZED
  skip(); /* no limit of memory leaves the sanitizer enough */
#endif
  assert_int_equal(seal("a", NULL), ROOF_OK);
  assert_int_equal(truncate(path, 1LL << 33), 0);
  pid_t child = fork();
  if (child == 0) {
    roof_ledger_summary summary;
    const struct rlimit room = {1LL << 31, 1LL << 31};
    _exit(setrlimit(RLIMIT_AS, &room) != 0 ||
          roof_ledger_verify(path, NULL, &summary, NULL) != ROOF_E_MEMORY ||
          seal("b", NULL) != ROOF_E_MEMORY);
  }
  let_go(child);
}

static roof_status read_bytes(size_t length, roof_error *error) {
  roof_text text = {0};
  assert_int_equal(truncate(path, (off_t)length), 0);
  roof_status status = rf_file_read(path, &text, error);
  assert_true(status != ROOF_OK || text.length == length);
  roof_text_done(&text);
  return status;
}

static void files_that_are_read_whole_have_at_most_16_mib(void **state) {
  (void)state;
  roof_error error = {0};
  spill("", 0);
  assert_int_equal(read_bytes((16 << 20) - 1, NULL), ROOF_OK);
  assert_int_equal(read_bytes(16 << 20, NULL), ROOF_OK);
  assert_int_equal(read_bytes((16 << 20) + 1, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "larger than 16 MiB"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_link_alone_shows_a_change),
      TEST(the_digest_alone_shows_a_change),
      TEST(the_sequence_alone_shows_a_gap),
      TEST(only_a_chain_that_holds_is_continued),
      TEST(a_chopped_entry_is_kept_said_and_noted),
      TEST(a_torn_end_is_never_written_over),
      TEST(a_torn_end_that_cannot_be_kept_stays),
      TEST(a_batch_torn_inside_is_dropped_whole),
      TEST(a_part_of_a_batch_is_none_of_it),
      TEST(batches_do_not_mix),
      TEST(a_batch_ends_before_the_next_entry),
      TEST(zeros_at_the_end_are_torn),
      TEST(a_first_append_of_zeros_is_torn),
      TEST(waiting_for_a_lock_is_said),
      TEST(a_lock_is_not_waited_for_for_ever),
      TEST(a_file_replaced_while_waiting_is_opened_anew),
      TEST(what_is_no_regular_file_is_refused),
      TEST(a_key_of_another_user_is_refused),
      TEST(a_time_later_than_now_is_refused),
      TEST(memory_for_a_ledger_may_be_short),
      TEST(files_that_are_read_whole_have_at_most_16_mib),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
