/* Who is named when a rank waits for too long, by an MPI of the test's own: rank 2 of three reports, rank 1 does not. */
#include "test.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/fabric_exchange.h"
#include "cluster/fabric_roll.h"
#include "host/clock.h"

static int reports; /* that wait to be received, of rank 2 */

static int rank_of(int group) {
  (void)group;
  return 0;
}

static int size_of(int group) {
  return group == RF_MPI_WORLD ? 3 : 2;
}

static bool start_receive(int group, int from, int tag, void *data, size_t bytes, rf_mpi_request *request) {
  (void)group, (void)from, (void)tag, (void)data, (void)bytes, (void)request;
  return true;
}

static bool send(int group, int to, int tag, const void *data, size_t bytes) {
  (void)group, (void)to, (void)tag, (void)data, (void)bytes;
  return true;
}

/** Nothing ever comes. */
static bool test(rf_mpi_request *request, bool *done) {
  (void)request;
  *done = false;
  return true;
}

static bool probe(int group, int from, int tag, int *source, size_t *bytes) {
  (void)group, (void)from, (void)tag;
  *source = reports > 0 ? 2 : -1;
  *bytes = 1;
  return true;
}

static bool receive(int group, int from, int tag, void *data, size_t bytes) {
  (void)group, (void)tag, (void)data, (void)bytes;
  reports--;
  return from == 2;
}

static const rf_mpi mpi = {.rank = rank_of,
                           .size = size_of,
                           .start_receive = start_receive,
                           .send = send,
                           .receive = receive,
                           .test = test,
                           .probe = probe};

static rf_job_node nodes[] = {{"n0", 1}, {"n1", 1}, {"n2", 1}};
static int node_of[] = {0, 1, 2}, process[] = {0, 0, 0};
static const rf_job job = {
    .mpi = &mpi, .size = 3, .nodes = nodes, .node_count = 3, .node_of = node_of, .process = process};

static const char *silent(char text[128]) {
  return rf_roll_silent(&job, text, 128);
}

/** Before the roll is called it is the partner that rank 0 cannot leave, where its number is known. */
static void a_partner(void **state) {
  (void)state;
  char text[128];
  rf_roll_at(INFINITY);
  assert_false(rf_roll_is_due());
  assert_string_equal(silent(text), "a rank");
  rf_roll_meets(&mpi, RF_MPI_WORLD, 2);
  assert_string_equal(silent(text), "rank 2 (n2)");
  rf_roll_meets(&mpi, RF_MPI_WORLD + 1, 1);
  assert_string_equal(silent(text), "a rank");
}

static void a_process_that_is_stopped(void **state) {
  (void)state;
  char text[128];
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  assert_true(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
  process[2] = child;
  rf_roll_meets(&mpi, RF_MPI_WORLD, 1);
  assert_string_equal(silent(text), "rank 2 (n2)");
  process[2] = 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  assert_string_equal(silent(text), "rank 1 (n1)");
}

static void those_that_do_not_report(void **state) {
  (void)state;
  char text[128];
  reports = 1;
  rf_roll_at(rf_clock_seconds() - 1);
  assert_true(rf_roll_is_due());
  assert_false(rf_gate(&mpi, RF_MPI_WORLD)); /* which waited for ever before */
  assert_string_equal(silent(text), "rank 1 (n1)");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_partner), cmocka_unit_test(a_process_that_is_stopped),
                                     cmocka_unit_test(those_that_do_not_report)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
