/* A whole model where an operation is asked about: claims, energy, levers, predictions to seal. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "roofline/analysis.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/model_sweep.h"
#include "roofline/weights.h"

static roof_machine *machine = NULL;
static roof_model model;
static roof_model_target target;
static roof_model_answer answered;

static int setup(void **state) {
  (void)state;
  return roof_catalog_load("h100", &machine, NULL) == ROOF_OK &&
                 roof_model_load("llama-3.1-8b", &model, NULL) == ROOF_OK
             ? 0
             : -1;
}

static void answer(const roof_model_settings *s) {
  roof_error error = {0};
  if (roof_model_target_init(&target, &model, machine, s, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_answer_of(&target, &answered);
}

static roof_model_claim claim_of(const char *word) {
  roof_model_claim claim;
  bool read = false;
  assert_int_equal(roof_model_claim_read(word, &claim, &read, NULL), ROOF_OK);
  assert_true(read);
  return claim;
}

static roof_model_judged judge(const char *word) {
  roof_model_claim claim = claim_of(word);
  roof_model_judged judged;
  assert_int_equal(roof_model_claim_judge(&target, &answered, &claim, &judged, NULL), ROOF_OK);
  return judged;
}

static void words(void **state) {
  (void)state;
  roof_model_claim claim = {ROOF_MODEL_CLAIM_TTFT, 1};
  bool read = true;
  assert_near(claim_of("tpot=18ms").value, 18e-3, 1e-12);
  assert_near(claim_of("5ktokens/s").value, 5000, 1e-12);
  assert_near(claim_of("1200tok/s").value, 1200, 1e-12);
  assert_near(claim_of("45%").value, 0.45, 1e-12);
  assert_int_equal(claim_of("mfu=0.45").kind, ROOF_MODEL_CLAIM_MFU);
  assert_int_equal(roof_model_claim_read("batch=8", &claim, &read, NULL), ROOF_OK);
  assert_true(!read && claim.value == 1);
  assert_int_equal(roof_model_claim_read("18ms", &claim, &read, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_model_claim_read("tpot=0", &claim, &read, NULL), ROOF_E_ARGUMENT);
  assert_int_equal(roof_model_claim_read("tpot=18x", &claim, &read, NULL), ROOF_E_PARSE);
  roof_error error = {0};
  assert_int_equal(roof_model_claim_read("1200tp", &claim, &read, &error), ROOF_E_PARSE);
  assert_non_null(strstr(error.message, "5000tokens/s"));
}

/** What is expected is possible, the limit's time is at the limit, twice as fast is not, in every quantity. */
static void claims(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  s.batch = 8;
  answer(&s);
  assert_near(judge("ttft=1").expected, answered.ttft_seconds, 1e-12);
  assert_near(judge("tpot=1").expected, answered.tpot_seconds, 1e-12);
  assert_near(judge("rate=1").expected, answered.batch_tokens_per_second, 1e-12);
  assert_near(judge("mfu=10%").expected, answered.phases[ROOF_PHASE_PREFILL].mfu, 1e-12);
  for (int kind = 0; kind < ROOF_MODEL_CLAIM_COUNT; kind++) {
    roof_model_judged judged;
    roof_model_claim claim = {(roof_model_claim_kind)kind, 1};
    if (kind == ROOF_MODEL_CLAIM_STEP) {
      assert_int_equal(roof_model_claim_judge(&target, &answered, &claim, &judged, NULL), ROOF_E_ARGUMENT);
      continue;
    }
    assert_int_equal(roof_model_claim_judge(&target, &answered, &claim, &judged, NULL), ROOF_OK);
    bool more = kind == ROOF_MODEL_CLAIM_RATE || kind == ROOF_MODEL_CLAIM_MFU;
    const double values[] = {judged.expected, judged.limit, more ? judged.limit * 2 : judged.limit / 2};
    for (int i = 0; i < 3; i++) {
      claim.value = values[i];
      assert_int_equal(roof_model_claim_judge(&target, &answered, &claim, &judged, NULL), ROOF_OK);
      assert_true(judged.possible == (i < 2));
      if (i > 0) {
        assert_near(judged.placed.share, i, 1e-9);
      }
    }
  }
}

/** What the prediction foresees, slow as it may be, is no bug; what takes longer than its interval is. */
static void what_is_foreseen_is_expected(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  s.tp = 4;
  answer(&s);
  const roof_model_phase *decode = &answered.phases[ROOF_PHASE_DECODE];
  double slowest = decode->expected_high_seconds;
  assert_true(decode->lower_seconds / slowest < 0.5);
  const double times[] = {decode->expected_seconds, slowest * 0.999, slowest * 1.001};
  for (int i = 0; i < 3; i++) {
    roof_model_judged judged;
    roof_model_claim claim = {ROOF_MODEL_CLAIM_TPOT, times[i]}, rate = {ROOF_MODEL_CLAIM_RATE, 1 / times[i]};
    assert_int_equal(roof_model_claim_judge(&target, &answered, &claim, &judged, NULL), ROOF_OK);
    assert_string_equal(judged.placed.verdict->name, i < 2 ? "expected" : "bug");
    assert_int_equal(roof_model_claim_judge(&target, &answered, &rate, &judged, NULL), ROOF_OK);
    assert_string_equal(judged.placed.verdict->name, i < 2 ? "expected" : "bug");
  }
}

static void what_does_not_fit_is_impossible(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  s.batch = 4096;
  answer(&s);
  roof_model_judged judged = judge("ttft=1000s");
  assert_true(!judged.possible && !judged.fits && strstr(judged.because, "does not fit") != NULL);
  s.batch = 1, s.train = true;
  answer(&s);
  assert_near(judge("step=1s").expected, answered.ttft_seconds, 1e-12);
  assert_near(judge("mfu=10%").expected, answered.phases[ROOF_PHASE_TRAIN].mfu, 1e-12);
}

/** Power x time is the energy; prefill and steps together are what a generated token takes. */
static void energy(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  s.batch = 2;
  answer(&s);
  roof_model_joules rows[ROOF_PHASE_COUNT];
  size_t count = roof_model_joules_of(&target, &answered, rows);
  assert_int_equal(count, 2);
  for (size_t i = 0; i < count; i++) {
    assert_near(rows[i].joules, rows[i].watts * rows[i].seconds, 1e-12);
    assert_near(rows[i].joules, rows[i].joules_per_token * rows[i].tokens, 1e-12);
  }
  double all = rows[0].joules + (s.generate - 1) * rows[1].joules;
  assert_near(all / (s.batch * s.generate), answered.joules_per_token, 1e-12);
}

/** Every gain is that of the run so changed; those that help come first; the largest batch fits. */
static void levers(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_lever list[ROOF_MODEL_LEVERS_MAX];
  int count = 0;
  answer(&s);
  roof_model_answer before = answered;
  assert_int_equal(roof_model_levers_of(&target, &answered, list, &count, NULL), ROOF_OK);
  assert_true(count > 6);
  for (int i = 0; i < count; i++) {
    assert_true(i == 0 || list[i].helps <= list[i - 1].helps);
    assert_true(!list[i].helps || list[i].rate_gain > 1);
    assert_true(list[i].helps || !list[i].fits || list[i].rate_gain < 1.005);
    assert_near(list[i].ttft_gain, before.ttft_seconds / list[i].ttft_seconds, 1e-12);
    if (strstr(list[i].change, "largest") != NULL) {
      assert_true(list[i].fits && list[i].helps);
    }
    if (strcmp(list[i].name, "prefix cache") == 0) {
      s.prefix = 0.75;
      answer(&s);
      assert_near(list[i].ttft_seconds, answered.ttft_seconds, 1e-12);
      assert_true(list[i].ttft_gain > 3 && list[i].helps);
    }
  }
  s.prefix = 0, s.train = true;
  answer(&s);
  assert_int_equal(roof_model_levers_of(&target, &answered, list, &count, NULL), ROOF_E_ARGUMENT);
}

static void sealed(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  roof_sealings all = {0};
  answer(&s);
  assert_int_equal(roof_model_sealings(&target, &answered, &all, NULL), ROOF_OK);
  assert_int_equal(all.count, 2);
  assert_string_equal(all.list[1].label, "llama-3.1-8b decode batch=1 prompt=2048 generate=256");
  assert_near(all.list[1].expected_seconds, answered.tpot_seconds, 1e-12);
  roof_sealings_done(&all);
}

static void run_read_from_words(void **state) {
  (void)state;
  const char *const run[] = {"llama-3.1-8b", "batch=4", "tpot=18ms"};
  const char *const training[] = {"llama-3.1-8b", "train", "batch=8"};
  const roof_formats formats = {.weights = "int4"}, group = {.group = "128"};
  roof_error error = {0};
  roof_whole *whole = NULL;
  assert_true(roof_model_is("llama-3.1-8b") && !roof_model_is("gemm"));
  assert_int_equal(roof_whole_read(run, 3, &formats, NULL, true, &whole, NULL), ROOF_OK);
  assert_true(whole->settings.batch == 4 && !whole->settings.train);
  assert_true(whole->claim.kind == ROOF_MODEL_CLAIM_TPOT && fabs(whole->claim.value - 18e-3) < 1e-12);
  assert_int_equal(whole->settings.precision.weights[ROOF_PART_MLP].stored, ROOF_INT4);
  assert_int_equal(roof_whole_on(whole, machine, NULL), ROOF_OK);
  assert_true(whole->answer.tpot_seconds > 0);
  roof_whole_free(whole);
  whole = NULL;
  assert_true(roof_whole_read(run, 3, &formats, NULL, false, &whole, &error) != ROOF_OK); /* no claim here */
  assert_int_equal(roof_whole_read(run, 2, &group, NULL, false, &whole, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "--group: of an operation, not of a whole model");
  assert_null(whole);
  assert_int_equal(roof_whole_read(training, 3, &(roof_formats){0}, NULL, false, &whole, NULL), ROOF_OK);
  assert_true(whole->settings.train && isnan(whole->claim.value));
  roof_whole_free(whole);
}

/** What does not fit has works and no times; each change that is named makes it fit. */
static void what_would_make_it_fit(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_fit fits[ROOF_MODEL_FITS_MAX];
  roof_error error = {0};
  answer(&s);
  assert_int_equal(roof_model_fits_of(&target, fits), 0);
  assert_int_equal(roof_model_check_fit(&target, &answered, "precision", NULL), ROOF_OK);
  s.batch = 800;
  answer(&s);
  double flops = answered.phases[ROOF_PHASE_DECODE].flops;
  assert_false(roof_model_has_times(&answered));
  answered.phases[ROOF_PHASE_TRAIN].count =
      1 << 30; /* of a phase that the run has not: room that was never written */
  roof_model_drop_times(&answered);
  const roof_model_phase *decode = &answered.phases[ROOF_PHASE_DECODE];
  assert_true(isnan(answered.tpot_seconds) && isnan(decode->expected_seconds) && isnan(decode->mfu) &&
              isnan(decode->operations[0].expected_seconds) && isnan(answered.continuous.tpot_seconds));
  assert_true(decode->flops == flops && answered.capacity.total_bytes > answered.capacity.capacity_bytes);
  size_t count = roof_model_fits_of(&target, fits);
  assert_true(count >= 3);
  for (size_t i = 0; i < count; i++) {
    const char *word = fits[i].change;
    if (strchr(word, '=') != NULL && strchr(word, ' ') == NULL) {
      roof_model_settings changed = s;
      assert_int_equal(roof_model_settings_read(&word, 1, &changed, NULL, NULL), ROOF_OK);
      answer(&changed);
      assert_true(answered.capacity.fits && target.devices == fits[i].devices);
    }
  }
  answer(&s);
  assert_int_equal(roof_model_check_fit(&target, &answered, "weights", &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "so it has no times; fits with batch="));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words),
                                     cmocka_unit_test(claims),
                                     cmocka_unit_test(what_is_foreseen_is_expected),
                                     cmocka_unit_test(what_does_not_fit_is_impossible),
                                     cmocka_unit_test(energy),
                                     cmocka_unit_test(levers),
                                     cmocka_unit_test(what_would_make_it_fit),
                                     cmocka_unit_test(sealed),
                                     cmocka_unit_test(run_read_from_words)};
  return cmocka_run_group_tests(tests, setup, NULL);
}
