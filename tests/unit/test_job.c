/* The documents of a job's ranks as one answer, its sums checked by hand. */
#include "test.h"

#include "region/job.h"
#include "roofline/documents.h"
#include "roofline/job.h"

/** A machine of 4 cores whose memory gives 60 GB/s, one core 25 GB/s. */
static const char machine_text[] =
    "{\"schema\": \"roofline.machine/1\", \"name\": \"four\", \"vendor\": \"test\", \"kind\": \"measured\","
    "\"date\": \"2026-01-01\", \"unit_count\": 4, \"peaks\": [{\"dtype\": \"fp64\", \"unit\": \"vector\","
    "\"flops_per_second\": 4e10, \"kind\": \"measured\", \"source\": \"test\"}], \"levels\": [{\"name\": "
    "\"DRAM\","
    "\"bytes\": 1e9, \"bytes_per_second\": 6e10, \"kind\": \"measured\", \"source\": \"test\"}, {\"name\": "
    "\"DRAM\","
    "\"bytes\": 1e9, \"cores\": 1, \"bytes_per_second\": 2.5e10, \"kind\": \"measured\", \"source\": "
    "\"test\"}]}";

static roof_machine *four_cores(void) {
  roof_machine *machine = NULL;
  roof_error error;
  if (roof_machine_read(machine_text, strlen(machine_text), "four", &machine, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return machine;
}

/** Rank `rank` moves 24.3 GB/s in 10 calls of `seconds` each. */
static void answer(char *text, size_t size, int rank, const char *node, const char *cores, double seconds) {
  roof_text out = {0};
  roof_text_addf(
      &out,
      "{\"schema\": \"roofline.measurements/1\", \"source\": \"test\", \"format\": \"program\", \"machine\": "
      "\"host\", \"kernels\": [{\"name\": \"triad\", \"calls\": 10, \"threads\": 1, \"seconds\": %g, "
      "\"total_seconds\": %g, \"samples\": [%g], \"flops\": {\"fp64\": %.17g}, \"bytes\": {\"DRAM\": "
      "%.17g}}], "
      "\"skipped\": [], \"program\": {\"seconds\": 2.5, \"cores_busy\": 0.5}, \"rank\": {\"rank\": %d, "
      "\"node\": "
      "\"%s\", \"processors\": \"%s\", \"cores\": \"%s\", \"node_processors\": 4}}",
      seconds, 10 * seconds, seconds, 2.025e9 * seconds, 24.3e9 * seconds, rank, node, cores, cores);
  assert_true(out.length < size);
  memcpy(text, out.data, out.length + 1);
  roof_text_done(&out);
}

/** A job of `count` ranks, each on its node and cores, settled. */
static roof_job *job_of(int count, const char *const *nodes, const char *const *cores, const double *seconds,
                        const roof_machine *machine) {
  roof_job *job = NULL;
  roof_error error;
  assert_int_equal(roof_job_new("solver", count, &job, NULL), ROOF_OK);
  for (int i = 0; i < count; i++) {
    char text[2048];
    answer(text, sizeof text, i, nodes[i], cores[i], seconds[i]);
    if (roof_job_add(job, text, strlen(text), "rank", &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
  }
  assert_int_equal(roof_job_settle(job, machine, 0, NULL), ROOF_OK);
  return job;
}

static const char *said(const roof_job *job, roof_text *text) {
  roof_text_done(text);
  roof_job_describe(text, job);
  roof_job_remarks_describe(text, job);
  return text->data;
}

static void two_ranks_of_a_node_are_summed(void **state) {
  (void)state;
  roof_machine *machine = four_cores();
  roof_text text = {0};
  roof_job *job = job_of(2, (const char *const[]){"n1", "n1"}, (const char *const[]){"0", "1"},
                         (const double[]){0.1, 0.1}, machine);
  assert_int_equal(job->region_count, 1);
  assert_near(job->parts[0].bytes_per_second, 48.6e9, 1e-9);
  assert_near(job->parts[0].flops_per_second, 4.05e9, 1e-9);
  assert_int_equal(job->parts[0].cores, 2);
  assert_near(job->parts[0].share, 48.6 / 50, 1e-9); /* of twice what one core reaches */
  assert_int_equal(job->pinning, ROOF_JOB_APART);
  assert_non_null(strstr(said(job, &text),
                         "solver: 2 ranks on 1 node: triad at 48.60 GB/s in all, 97.2 % of the "
                         "ceiling of 2 cores (DRAM); all ranks take equally long\n"));
  assert_non_null(strstr(text.data, "no two ranks of a node may use the same core"));
  assert_near(job->measured.list[0].bytes, 24.3e8, 1e-9);
  assert_true(job->measured.list[0].calls == 20 && job->measured.list[0].threads == 2);
  roof_text_done(&text);
  roof_job_free(job);
  roof_machine_free(machine);
}

static void nodes_have_roofs_of_their_own(void **state) {
  (void)state;
  roof_machine *machine = four_cores();
  roof_text text = {0};
  roof_job *job =
      job_of(3, (const char *const[]){"n1", "n1", "n2"}, (const char *const[]){"0-1", "2-3", "0-3"},
             (const double[]){0.1, 0.1, 0.2}, machine);
  assert_int_equal(job->node_count, 2);
  assert_near(job->parts[0].share, 3 * 24.3 / 75, 1e-9); /* 2 cores of n1 and 1 of n2 */
  assert_near(job->parts[1].share, 48.6 / 50, 1e-9);
  assert_near(job->parts[2].share, 24.3 / 25, 1e-9);
  assert_int_equal(job->parts[0].slowest, 2);
  assert_near(job->parts[0].slowest_seconds / job->parts[0].mean_seconds, 2 / (4 / 3.0), 1e-9);
  assert_non_null(strstr(said(job, &text),
                         "of the ceiling of 3 cores on 2 nodes (DRAM); rank 2 (n2) takes 1.50 times "
                         "the mean\n"));
  assert_non_null(strstr(text.data, "taken for every node"));
  roof_text_done(&text);
  roof_job_free(job);
  roof_machine_free(machine);
}

static void ranks_on_one_core_have_its_roof(void **state) {
  (void)state;
  roof_machine *machine = four_cores();
  roof_text text = {0};
  roof_job *job = job_of(2, (const char *const[]){"n1", "n1"}, (const char *const[]){"3", "3"},
                         (const double[]){0.1, 0.1}, machine);
  assert_int_equal(job->parts[0].cores, 1);
  assert_int_equal(job->pinning, ROOF_JOB_SHARED);
  assert_non_null(
      strstr(said(job, &text), "ranks 0 and 1 (n1) may use the same cores: hardware threads 3 and 3"));
  roof_text_done(&text);
  roof_job_free(job);
  job = job_of(1, (const char *const[]){"n1"}, (const char *const[]){"0-3"}, (const double[]){0.1}, NULL);
  assert_int_equal(job->pinning, ROOF_JOB_FREE);
  assert_true(isnan(job->parts[0].share));
  assert_non_null(strstr(said(job, &text), "24.30 GB/s in all, its ceiling is unknown\n"));
  roof_text_done(&text);
  roof_job_free(job);
  roof_machine_free(machine);
}

static void who_is_missing_is_named(void **state) {
  (void)state;
  char text[2048];
  roof_text out = {0};
  roof_job *job = NULL;
  roof_error error;
  assert_int_equal(roof_job_new("solver", 0, &job, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_job_new("solver", 3, &job, NULL), ROOF_OK);
  answer(text, sizeof text, 1, "n1", "0", 0.1);
  assert_int_equal(roof_job_add(job, text, strlen(text), "rank 1", NULL), ROOF_OK);
  assert_int_equal(roof_job_add(job, text, strlen(text), "rank 1", &error), ROOF_E_INPUT);
  assert_string_equal(error.message, "rank 1: rank 1 answered twice");
  answer(text, sizeof text, 3, "n1", "0", 0.1);
  assert_int_equal(roof_job_add(job, text, strlen(text), "x", &error), ROOF_E_INPUT);
  assert_string_equal(error.message, "x: rank 3 is not of this job");
  roof_job_miss(job, 0, "n2", "it hangs");
  roof_job_miss(job, 1, "n2", "it has answered");
  roof_job_miss(job, 7, "n2", "there is none");
  assert_int_equal(roof_job_settle(job, NULL, 0, NULL), ROOF_OK);
  assert_int_equal(job->missing, 2);
  assert_non_null(strstr(said(job, &out), "solver: 1 of 3 ranks on 1 node: triad at 24.30 GB/s"));
  assert_non_null(
      strstr(out.data, "  rank 0 (n2) is missing: it hangs\n  rank 2 is missing: it gave no answer\n"));
  roof_text_done(&out);
  roof_job_free(job);
}

static void lists_of_processors(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "x", "3-1", "0,", "0-", "4096", "0-99999999", "1 2"};
  char text[16];
  cpu_set_t set;
  assert_true(rf_job_list_read("0-3,8,10-11", &set));
  assert_int_equal(CPU_COUNT(&set), 7);
  rf_job_list_write(&set, text, sizeof text);
  assert_string_equal(text, "0-3,8,10-11");
  rf_job_list_write(&set, text, 9);
  assert_string_equal(text, "0-3,8...");
  assert_false(rf_job_list_read(text, &set));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_false(rf_job_list_read(wrong[i], &set));
  }
}

static void a_rank_says_where_it_is(void **state) {
  (void)state;
  const char *const words[] = {"/bin/true", NULL};
  roof_program_options options = roof_program_options_default();
  roof_program *program = NULL;
  roof_job_place place;
  roof_text text = {0}, whole = {0};
  roof_job *job = NULL;
  options.bytes = 1e6;
  assert_int_equal(roof_program_run(words, NULL, &options, &program, NULL), ROOF_OK);
  roof_job_place_here(&place);
  assert_true(place.node[0] != '\0' && place.processors[0] != '\0' && place.node_processors > 0);
  assert_int_equal(roof_job_rank_write(program, &place, &text, NULL), ROOF_OK);
  assert_int_equal(roof_job_new("true", 1, &job, NULL), ROOF_OK);
  assert_int_equal(roof_job_add(job, text.data, text.length, "rank 0", NULL), ROOF_OK);
  assert_int_equal(roof_job_settle(job, NULL, 0, NULL), ROOF_OK);
  assert_false(job->is_marked);
  assert_true(job->ranks[0].cores > 0 && job->ranks[0].seconds > 0);
  assert_int_equal(roof_job_write(job, program, &whole, NULL), ROOF_OK);
  assert_non_null(strstr(whole.data, "\"rank_count\": 1"));
  assert_non_null(strstr(whole.data, place.processors));
  roof_text_done(&text);
  roof_text_done(&whole);
  roof_job_free(job);
  roof_program_free(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_ranks_of_a_node_are_summed),
                                     cmocka_unit_test(nodes_have_roofs_of_their_own),
                                     cmocka_unit_test(ranks_on_one_core_have_its_roof),
                                     cmocka_unit_test(who_is_missing_is_named),
                                     cmocka_unit_test(lists_of_processors),
                                     cmocka_unit_test(a_rank_says_where_it_is)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
