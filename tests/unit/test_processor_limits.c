/* What a core can do per cycle, by processors as /proc/cpuinfo describes them. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "measure/cpu/cpu.h"

static char root[64];

static int set_up(void **state) {
  (void)state;
  char path[128];
  strcpy(root, "/tmp/roofline-limits-XXXXXX");
  snprintf(path, sizeof path, "%s/proc", mkdtemp(root));
  return mkdir(path, 0755);
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command);
}

static rf_core_limits limits_of(const char *vendor, int family, int model, const char *name,
                                const char *flags, int bits) {
  char path[128];
  snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "vendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: %s\nflags\t\t: %s\n", vendor,
          family, model, name, flags);
  fclose(file);
  return rf_cpu_limits(root, bits);
}

/** NaN, or the number. */
static void assert_pipes(double found, double wanted) {
  assert_true(isnan(wanted) ? isnan(found) : found == wanted);
}

static void pipes_are_those_of_the_model(void **state) {
  (void)state;
  static const struct {
    const char *vendor;
    int family, model;
    const char *name, *flags;
    int bits;
    double multiply, load;
  } cases[] = {
      {"GenuineIntel", 6, 85, "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "fma avx512f", 512, 2, 128},
      {"GenuineIntel", 6, 85, "Intel(R) Xeon(R) Silver 4114 CPU @ 2.20GHz", "fma avx512f", 512, NAN, 128},
      {"GenuineIntel", 6, 85, "Intel(R) Xeon(R) Silver 4114 CPU @ 2.20GHz", "fma avx512f", 256, 2, 64},
      {"GenuineIntel", 6, 85, "Intel Xeon Processor (Skylake, IBRS)", "fma avx512f", 512, NAN, 128},
      {"GenuineIntel", 6, 106, "Intel(R) Xeon(R) Silver 4310 CPU @ 2.10GHz", "fma avx512f", 512, 2, 128},
      {"GenuineIntel", 6, 126, "Intel(R) Core(TM) i7-1065G7", "fma avx512f", 512, 1, 128},
      {"GenuineIntel", 6, 143, "Intel(R) Xeon(R) Platinum 8480+", "fma avx512f avx_vnni amx_tile", 512, 2,
       128},
      {"GenuineIntel", 6, 151, "12th Gen Intel(R) Core(TM) i9-12900K", "fma avx_vnni", 256, 2, 96},
      {"GenuineIntel", 6, 190, "Intel(R) N100", "fma avx_vnni", 256, NAN, NAN},
      {"GenuineIntel", 6, 175, "Intel(R) Xeon(R) 6780E", "fma avx_vnni", 256, NAN, NAN},
      {"AuthenticAMD", 23, 1, "AMD EPYC 7601 32-Core Processor", "fma", 256, 1, 32},
      {"AuthenticAMD", 23, 1, "AMD EPYC 7601 32-Core Processor", "fma", 128, 2, 32},
      {"AuthenticAMD", 23, 24, "AMD Ryzen 7 3700U", "fma", 64, 2, 32},
      {"AuthenticAMD", 23, 49, "AMD EPYC 7742 64-Core Processor", "fma", 256, 2, 64},
      {"AuthenticAMD", 25, 17, "AMD EPYC 9654 96-Core Processor", "fma avx512f", 512, 1, 64},
      {"AuthenticAMD", 26, 2, "AMD EPYC 9755 128-Core Processor", "fma avx512f", 512, 2, 128},
      {"AuthenticAMD", 26, 36, "AMD Ryzen AI 9 HX 370", "fma avx512f", 512, NAN, NAN},
      {"AuthenticAMD", 26, 36, "AMD Ryzen AI 9 HX 370", "fma avx512f", 256, 2, 64},
      {"AuthenticAMD", 26, 112, "AMD RYZEN AI MAX+ 395", "fma avx512f", 512, 2, 128},
      {"CentaurHauls", 7, 91, "ZHAOXIN KaiXian KX-6640MA", "fma", 256, NAN, NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rf_core_limits l = limits_of(cases[i].vendor, cases[i].family, cases[i].model, cases[i].name,
                                 cases[i].flags, cases[i].bits);
    assert_pipes(l.multiply_pipes, cases[i].multiply);
    assert_pipes(l.load_bytes, cases[i].load);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pipes_are_those_of_the_model)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
