/* Two writers, killed at any moment, now and then on a full disk: nothing sealed is lost or half written.
 * ROOFLINE_TORTURE=200 sets the rounds; each starts two writers on the same ledger. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/entry.h"

enum { WRITERS = 2, ROUNDS = 12, LABEL = 40 };

static char folder[64], path[96];

/** What the writers report before they die: how many of their seals were acknowledged or refused. */
typedef struct tally {
  int sealed[WRITERS];
  int refused[WRITERS];
} tally;

static void write_label(char *label, int round, int writer, int number) {
  snprintf(label, LABEL, "r%d w%d n%d", round, writer, number);
}

static void write_on(tally *shared, int round, int writer) {
  for (;;) {
    char label[LABEL];
    const roof_ceiling unknown = {NAN, NAN, NAN};
    write_label(label, round, writer, shared->sealed[writer]);
    roof_sealing s = {.regime = "memory",
                      .binding = "DRAM",
                      .lower_seconds = 1,
                      .expected_seconds = 2,
                      .ceilings = {unknown, unknown}};
    snprintf(s.label, sizeof s.label, "%s", label);
    bool good = roof_ledger_seal(path, &s, 1, NULL, NULL) == ROOF_OK;
    (good ? shared->sealed : shared->refused)[writer]++;
  }
}

static off_t size_now(void) {
  struct stat info;
  return stat(path, &info) == 0 ? info.st_size : 0;
}

/** A file may grow by so many bytes more: writes come back short, then fail. */
static void fill_disk(long room) {
  struct rlimit limit = {(rlim_t)(size_now() + room), RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
}

static bool is_full(int round) {
  return round % 3 == 2;
}

/** Waits, 10 s at most, until the writers have done some seals, in some rounds none; on a full disk until one was refused. Either
 * may keep the other from the ledger. */
static void let_work(const volatile tally *shared, int round) {
  for (int waited = 0; waited < 10000; waited++) {
    int sealed = shared->sealed[0] + shared->sealed[1], refused = shared->refused[0] + shared->refused[1];
    if (is_full(round) ? refused > 0 : sealed >= round % 4) {
      return;
    }
    usleep(1000);
  }
}

static void run_round(tally *shared, int round) {
  pid_t writers[WRITERS];
  *shared = (tally){{0}, {0}};
  for (int i = 0; i < WRITERS; i++) {
    writers[i] = fork();
    if (writers[i] == 0) {
      if (is_full(round)) {
        fill_disk(random() % 3000);
      }
      write_on(shared, round, i);
    }
  }
  let_work(shared, round);
  for (int i = 0; i < WRITERS; i++) {
    usleep((useconds_t)(500 + random() % 12000));
    kill(writers[i], SIGKILL);
    waitpid(writers[i], NULL, 0);
  }
}

/** Lines are whole but for what a kill tore at the very end; the next append drops that. */
static char *whole_lines(void) {
  roof_text lines = {0};
  roof_error error = {0};
  const roof_ceiling unknown = {NAN, NAN, NAN};
  roof_sealing s = {.label = "survivor",
                    .regime = "memory",
                    .binding = "DRAM",
                    .lower_seconds = 1,
                    .expected_seconds = 2,
                    .ceilings = {unknown, unknown}};
  assert_int_equal(roof_ledger_seal(path, &s, 1, NULL, NULL), ROOF_OK);
  if (roof_ledger_lines(path, &lines, &error) != ROOF_OK) {
    fail_msg("line %d: %s", error.line, error.message);
  }
  return lines.data;
}

static int check_round(const tally *shared, int round, const char *text) {
  int checked = 0;
  for (int writer = 0; writer < WRITERS; writer++) {
    for (int n = 0; n < shared->sealed[writer]; n++, checked++) {
      char label[LABEL], quoted[LABEL + 4];
      write_label(label, round, writer, n);
      snprintf(quoted, sizeof quoted, "\"%s\"", label);
      if (strstr(text, quoted) == NULL) {
        fail_msg("%s was sealed and is lost", label);
      }
    }
  }
  return checked;
}

static void nothing_sealed_is_lost(void **state) {
  (void)state;
  const char *asked = getenv("ROOFLINE_TORTURE");
  int rounds = asked != NULL ? atoi(asked) : ROUNDS, sealed = 0, refused = 0;
  tally *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  tally *history = calloc((size_t)rounds, sizeof *history);
  char *text = NULL;
  srandom(1);
  for (int round = 0; round < rounds; round++) {
    run_round(shared, round);
    history[round] = *shared;
    refused += shared->refused[0] + shared->refused[1];
    free(text);
    text = whole_lines();
    (void)check_round(shared, round, text);
  }
  for (int round = 0; round < rounds; round++) {
    sealed += check_round(&history[round], round, text);
  }
  print_message(
      "%d rounds of %d writers killed with SIGKILL, every third on a full disk: %d seals acknowledged, "
      "%d refused, 0 lost, 0 half written\n",
      rounds, WRITERS, sealed, refused);
  assert_true(sealed > 0 && (rounds < 3 || refused > 0));
  free(text);
  free(history);
  munmap(shared, sizeof *shared);
}

int main(void) {
  strcpy(folder, "/tmp/test_torture.XXXXXX");
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  snprintf(path, sizeof path, "%s/ledger", folder);
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_sealed_is_lost)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  rmdir(folder);
  return failed;
}
