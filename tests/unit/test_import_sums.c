/* No calls and no time are lost or invented, whatever is joined or grouped. */
#include "test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/import.h"

enum { FILES_MAX = 256, GROUPS = 12 };

static const char *files[FILES_MAX];
static size_t file_count;

typedef struct sums {
  uint64_t calls, picoseconds;
} sums;

static sums sums_of(const roof_profile *profile) {
  sums s = {0};
  for (size_t i = 0; i < profile->count; i++) {
    s.calls += profile->records[i].calls;
    s.picoseconds += profile->records[i].picoseconds;
  }
  return s;
}

static bool is_counted(const roof_profile *profile) {
  for (size_t i = 0; i < profile->count; i++) {
    const roof_record *r = &profile->records[i];
    bool counted = r->other_bytes.quality == ROOF_QUALITY_MEASURED;
    for (int k = 0; k < ROOF_LEVEL_KIND_COUNT; k++) {
      counted = counted || r->bytes[k].quality == ROOF_QUALITY_MEASURED;
    }
    for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
      counted = counted || r->other_flops[d].quality == ROOF_QUALITY_MEASURED;
      for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
        counted = counted || r->flops[d][u].quality == ROOF_QUALITY_MEASURED;
      }
    }
    if (counted) {
      return true;
    }
  }
  return false;
}

/** The sums of `count` files with the groups; false where they are not read alone or together. */
static bool sums_with(const char *const *paths, size_t count, const char *const *groups, sums *s,
                      bool *counted) {
  const roof_import_options options = {.groups = groups};
  roof_profile profile;
  assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
  bool read = roof_import_files(paths, count, &options, &profile, NULL) == ROOF_OK;
  *s = sums_of(&profile);
  if (counted != NULL) {
    *counted = is_counted(&profile);
  }
  roof_profile_done(&profile);
  return read;
}

static void assert_same(const char *what, const char *file, const char *other, sums is, sums wanted) {
  if (is.calls != wanted.calls || is.picoseconds != wanted.picoseconds) {
    fail_msg("%s of %s and %s: %lu calls and %lu ps, not %lu and %lu", what, file, other, is.calls,
             is.picoseconds, wanted.calls, wanted.picoseconds);
  }
}

static void groups_lose_nothing(void **state) {
  (void)state;
  static const char *const letters[] = {"e",    "a",   "k",     "_",  "s",    "gemm",
                                        "copy", "mem", "[0-9]", "^v", "r.*e", "."};
  for (size_t i = 0; i < file_count; i++) {
    sums alone, grouped;
    if (!sums_with(&files[i], 1, NULL, &alone, NULL)) {
      continue;
    }
    const char *base[] = {"base", NULL};
    assert_true(sums_with(&files[i], 1, base, &grouped, NULL));
    assert_same("base", files[i], "none", grouped, alone);
    for (int g = 0; g < GROUPS; g++) {
      char rule[64];
      snprintf(rule, sizeof rule, "%s=one", letters[g]);
      const char *both[] = {rule, g % 2 == 0 ? "base" : NULL, NULL};
      if (sums_with(&files[i], 1, both, &grouped, NULL)) { /* a rule that no name matches is refused */
        assert_same(rule, files[i], "none", grouped, alone);
      }
    }
  }
}

/** Two files of which neither was counted, one pair in five, and a file with itself. */
static void pairs_lose_nothing(void **state) {
  (void)state;
  enum { APART = 5 };
  sums alone[FILES_MAX];
  bool read[FILES_MAX], counted[FILES_MAX];
  for (size_t i = 0; i < file_count; i++) {
    read[i] = sums_with(&files[i], 1, NULL, &alone[i], &counted[i]);
  }
  for (size_t i = 0; i < file_count; i++) {
    for (size_t k = i; k < file_count && read[i]; k += k == i ? 1 + i % APART : APART) {
      const char *pair[] = {files[i], files[k]};
      sums together, both = {alone[i].calls + alone[k].calls, alone[i].picoseconds + alone[k].picoseconds};
      if (read[k] && (i == k || (!counted[i] && !counted[k]))) {
        assert_true(sums_with(pair, 2, NULL, &together, NULL));
        assert_same("join", files[i], files[k], together, both);
      }
    }
  }
}

/** Parts of every dimension that a file has add up to what is not rolled up: calls, time, FLOPs and bytes. */
static void parts_lose_nothing(void **state) {
  (void)state;
  roof_ceilings ceilings;
  size_t rolled[ROOF_BY_COUNT] = {0};
  assert_int_equal(roof_ceilings_init(&ceilings, NULL, 0, NULL, NULL), ROOF_OK);
  for (size_t i = 0; i < file_count; i++) {
    sums alone;
    if (!sums_with(&files[i], 1, NULL, &alone, NULL)) {
      continue;
    }
    for (int by = 0; by < ROOF_BY_COUNT; by++) {
      const roof_import_options options = {.by = (roof_by)by};
      roof_profile profile;
      roof_ranking ranking = {0};
      roof_parts parts = {0};
      uint64_t calls = 0;
      double seconds = 0;
      assert_int_equal(roof_profile_init(&profile, NULL), ROOF_OK);
      if (roof_import_files(&files[i], 1, &options, &profile, NULL) == ROOF_OK) {
        assert_same(roof_by_name((roof_by)by), files[i], "none", sums_of(&profile), alone);
        assert_int_equal(roof_profile_rank(&profile, &ceilings, NULL, &ranking, NULL), ROOF_OK);
        assert_int_equal(roof_ranking_parts(&ranking, (roof_by)by, &parts, NULL), ROOF_OK);
        for (size_t k = 0; k < parts.count; k++) {
          calls += parts.list[k].calls;
          seconds += parts.list[k].seconds;
        }
        assert_int_equal(calls, alone.calls);
        bool summed = !profile.overlap || ranking.count < 2;
        assert_true(summed ? fabs(seconds - parts.seconds) <= 1e-9 * parts.seconds : isnan(parts.seconds));
        rolled[by] += parts.count > 1;
      }
      free(parts.list);
      free(ranking.rows);
      roof_profile_done(&profile);
    }
  }
  for (int by = 0; by < ROOF_BY_COUNT; by++) {
    bool several_files = by == ROOF_BY_RANK || by == ROOF_BY_DEVICE, within_kernels = by == ROOF_BY_LINE;
    assert_true(rolled[by] > 0 || several_files || within_kernels);
  }
}

static glob_t found;

static int find_files(void **state) {
  (void)state;
  char pattern[500];
  snprintf(pattern, sizeof pattern, "%s/tests/fixtures/import/*", getenv("ROOFLINE_SOURCE"));
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc && file_count < FILES_MAX; i++) {
    files[file_count++] = found.gl_pathv[i];
  }
  return file_count > 0 ? 0 : 1;
}

static int forget_files(void **state) {
  (void)state;
  globfree(&found);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(groups_lose_nothing),
                                     cmocka_unit_test(pairs_lose_nothing),
                                     cmocka_unit_test(parts_lose_nothing)};
  return cmocka_run_group_tests(tests, find_files, forget_files);
}
