/* The job that a launcher starts: how it is known, and which ranks are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/job.h"
#include "test.h"

static const char *const variables[] = {
    "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "PMIX_RANK",
    "SLURM_STEP_ID",        "SLURM_STEP_NUM_TASKS"};

static void forget(void) {
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    unsetenv(variables[i]);
  }
}

/** The plugin of the launcher that these variables ("A=1 B=2") tell of, "" for none. */
static const char *plugin_of(const char *words, int *tasks) {
  char text[256], *rest = NULL;
  forget();
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    *equals = '\0';
    setenv(word, equals + 1, 1);
  }
  const rf_launcher *launcher = rf_job_under_launcher(tasks);
  forget();
  return launcher != NULL ? launcher->plugin : "";
}

static void launchers(void **state) {
  (void)state;
  int tasks = 0;
  assert_string_equal(plugin_of("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1 PMIX_RANK=1", &tasks),
                      "openmpi");
  assert_int_equal(tasks, 4);
  assert_string_equal(plugin_of("PMI_RANK=1 PMI_SIZE=8 MPI_LOCALNRANKS=8 SLURM_STEP_ID=0", &tasks), "mpich");
  assert_int_equal(tasks, 8);
  assert_string_equal(plugin_of("PMIX_RANK=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=3", &tasks), "openmpi");
  assert_int_equal(tasks, 3);
  assert_string_equal(plugin_of("PMI_RANK=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2", &tasks), "mpich");
  assert_int_equal(tasks, 2);
  assert_string_equal(plugin_of("SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2", &tasks), "");
  assert_int_equal(tasks, 2);
  assert_string_equal(plugin_of("", &tasks), "");
  assert_int_equal(tasks, 0);
}

static void refused_ranks(void **state) {
  (void)state;
  roof_error error;
  rf_hello all[3] = {{.order = 1, .version = "0.1.0", .node = "a"},
                     {.order = 1, .version = "0.1.0", .node = "b"},
                     {.order = 1, .version = "0.1.1", .node = "c"}};
  assert_int_equal(rf_job_check(all, 2, &error), ROOF_OK);
  assert_int_equal(rf_job_check(all, 3, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "c: has roofline 0.1.1, and a 0.1.0"));
  all[1].order = 0x01000000;
  assert_int_equal(rf_job_check(all, 3, &error), ROOF_E_INPUT);
  assert_non_null(strstr(error.message, "b: its bytes are in another order than those of a"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(launchers), cmocka_unit_test(refused_ranks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
