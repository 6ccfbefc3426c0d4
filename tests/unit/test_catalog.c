/* Machine files: the built-in ones, what is read and written, what is refused and where. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "catalog/builtin.h"
#include "core/form.h"
#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/kernels.h"

static roof_catalog_list list;

static int set_up(void **state) {
  (void)state;
  unsetenv("ROOFLINE_PATH");
  setenv("XDG_CONFIG_HOME", "/dev/null", 1);
  return roof_catalog_list_all(&list, NULL) != ROOF_OK;
}

static int tear_down(void **state) {
  (void)state;
  roof_catalog_list_done(&list);
  return 0;
}

static void every_builtin_machine_round_trips(void **state) {
  (void)state;
  assert_true(list.count >= 84);
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *machine = NULL;
    owned roof_machine *again = NULL;
    roof_error error = {0};
    roof_text text = {0}, text_again = {0};
    if (roof_catalog_load(list.entries[i].name, &machine, &error) != ROOF_OK) {
      fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    }
    assert_string_equal(machine->name, list.entries[i].name);
    assert_int_equal(roof_machine_write(machine, &text, NULL), ROOF_OK);
    assert_int_equal(roof_machine_read(text.data, text.length, "again", &again, &error), ROOF_OK);
    assert_int_equal(roof_machine_write(again, &text_again, NULL), ROOF_OK);
    assert_string_equal(text.data, text_again.data);
    roof_text_done(&text);
    roof_text_done(&text_again);
    owned roof_machine *copy = roof_machine_copy(machine);
    assert_true(same_machine(copy, machine));
  }
}

static void libraries_and_energy_read_back(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  owned roof_machine *again = NULL;
  roof_text text = {0};
  empty_machine(&machine);
  snprintf(machine->name, sizeof machine->name, "x");
  *roof_machine_add_library(machine) = (roof_library){.name = "OpenBLAS",
                                                      .version = "0.3.21 Prescott",
                                                      .op = "gemm",
                                                      .dtype = ROOF_FP32,
                                                      .cores = 1,
                                                      .parameters = "m=512 n=512 k=512",
                                                      .flops_per_second = 3e10,
                                                      .best_flops_per_second = 4e10,
                                                      .fraction_of_peak = 0.25,
                                                      .spread = 0.125,
                                                      .kind = ROOF_MEASURED,
                                                      .source = "best of 3",
                                                      .date = "2026-11-21"};
  *roof_machine_add_library(machine) = (roof_library){.name = "BLIS",
                                                      .op = "gemm",
                                                      .dtype = ROOF_FP64,
                                                      .flops_per_second = NAN,
                                                      .best_flops_per_second = NAN,
                                                      .fraction_of_peak = NAN,
                                                      .spread = NAN,
                                                      .kind = ROOF_MEASURED,
                                                      .skipped = "no BLIS"};
  machine->energy.idle_watts = 40;
  machine->energy.fp32_joules_per_flop = 1e-12;
  machine->energy.total_joules_per_byte = 3e-11;
  assert_int_equal(roof_machine_write(machine, &text, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(text.data, text.length, "again", &again, NULL), ROOF_OK);
  assert_int_equal(again->report->library_count, 2);
  const roof_library *one = &again->report->libraries[0], *other = &again->report->libraries[1];
  assert_string_equal(one->name, "OpenBLAS");
  assert_string_equal(one->version, "0.3.21 Prescott");
  assert_string_equal(one->parameters, "m=512 n=512 k=512");
  assert_true(one->dtype == ROOF_FP32 && one->cores == 1 && one->kind == ROOF_MEASURED);
  assert_true(one->flops_per_second == 3e10 && one->fraction_of_peak == 0.25 && one->spread == 0.125);
  assert_true(one->best_flops_per_second == 4e10 && isnan(other->best_flops_per_second));
  assert_true(other->cores == 0 && isnan(other->flops_per_second) && isnan(other->fraction_of_peak));
  assert_string_equal(other->skipped, "no BLIS");
  assert_true(again->energy.idle_watts == 40 && again->energy.fp32_joules_per_flop == 1e-12);
  assert_true(again->energy.total_joules_per_byte == 3e-11 && isnan(again->energy.joules_per_flop));
  roof_text_done(&text);
}

static void blocks_read_back(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  owned roof_machine *again = NULL;
  roof_text text = {0};
  empty_machine(&machine);
  snprintf(machine->name, sizeof machine->name, "x");
  *roof_machine_add_blocks(machine) = (roof_blocks){.dtype = ROOF_FP32,
                                                    .depth = 208,
                                                    .width = 528,
                                                    .height = 32,
                                                    .flops_per_second = 3e11,
                                                    .gain = 1.0625,
                                                    .parameters = "m=960 n=960 k=960",
                                                    .kind = ROOF_MEASURED,
                                                    .source = "best of 10",
                                                    .date = "2026-11-23"};
  *roof_machine_add_blocks(machine) = (roof_blocks){.dtype = ROOF_BF16,
                                                    .kernel = "gemm-cluster",
                                                    .variant = "band=4",
                                                    .depth = 64,
                                                    .width = 256,
                                                    .height = 256,
                                                    .flops_per_second = 7e14,
                                                    .gain = 1.03125,
                                                    .parameters = "m=4096 n=4096 k=4096",
                                                    .kind = ROOF_MEASURED};
  assert_int_equal(roof_machine_write(machine, &text, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(text.data, text.length, "again", &again, NULL), ROOF_OK);
  assert_int_equal(again->report->block_count, 2);
  const roof_blocks *cluster = &again->report->blocks[1];
  assert_string_equal(cluster->kernel, "gemm-cluster");
  assert_string_equal(cluster->variant, "band=4");
  assert_true(cluster->dtype == ROOF_BF16 && cluster->gain == 1.03125 && cluster->height == 256);
  assert_null(roof_machine_blocks(again, ROOF_BF16)); /* of the processor */
  const roof_blocks *b = roof_machine_blocks(again, ROOF_FP32);
  assert_true(b->depth == 208 && b->width == 528 && b->height == 32 && b->flops_per_second == 3e11);
  assert_true(b->gain == 1.0625 && b->kind == ROOF_MEASURED);
  assert_string_equal(b->parameters, "m=960 n=960 k=960");
  assert_string_equal(b->source, "best of 10");
  assert_string_equal(b->date, "2026-11-23");
  assert_string_equal(b->kernel, "");
  assert_string_equal(b->variant, "");
  roof_text_done(&text);
}

/** The text is no variant: the file says which entry is wrong. */
static void wrong_blocks_are_refused(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"\"kernel\": \"gemm-cluster\", \"variant\": 4", "blocks[0].variant"},
      {"\"kernel\": [1]", "blocks[0].kernel"}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    roof_machine *machine = NULL;
    roof_error error = {0};
    char text[256];
    int length = snprintf(text, sizeof text,
                          "{\"schema\": \"roofline.machine/1\", \"name\": \"x\", \"blocks\": [{\"dtype\": "
                          "\"bf16\", \"depth\": 1, \"width\": 1, \"height\": 1, %s}]}",
                          texts[i][0]);
    assert_int_not_equal(roof_machine_read(text, (size_t)length, "x.json", &machine, &error), ROOF_OK);
    assert_null(machine);
    assert_non_null(strstr(error.message, texts[i][1]));
  }
}

/** Whatever the machine: what names a framework of another's constants is no mistake. */
static void every_framework_of_the_constants_has_a_name(void **state) {
  (void)state;
  owned roof_machine *bare = NULL;
  const char *name = NULL;
  int seen = 0;
  assert_int_equal(roof_catalog_load(list.entries[0].name, &bare, NULL), ROOF_OK);
  int own = bare->constants_count;
  bare->constants_count = 0;
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *m = NULL;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &m, NULL), ROOF_OK);
    for (int k = 0; k < m->constants_count; k++) {
      const char *framework = m->constants[k].framework;
      if (framework[0] != '\0') {
        roof_error error = {0};
        if (rf_framework_find(bare, framework, &name, &error) != ROOF_OK) {
          fail_msg("%s", error.message);
        }
        assert_string_equal(name, framework);
        seen++;
      }
    }
  }
  assert_true(seen > 10);
  bare->constants_count = own;
}

static void every_figure_has_a_source(void **state) {
  (void)state;
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *m = NULL;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &m, NULL), ROOF_OK);
    assert_true(m->peak_count > 0 && m->level_count > 0);
    for (int k = 0; k < m->peak_count; k++) {
      assert_true(m->peaks[k].source[0] != '\0' && m->peaks[k].date[0] != '\0');
    }
    for (int k = 0; k < m->level_count; k++) {
      assert_true(m->levels[k].source[0] != '\0' && m->levels[k].date[0] != '\0');
    }
    for (int k = 0; k < m->link_count; k++) {
      assert_true(m->links[k].source[0] != '\0' && m->links[k].date[0] != '\0');
    }
    assert_true(isnan(m->energy.watts) || m->energy.source[0] != '\0');
  }
}

static void names_and_aliases_are_unique_and_load(void **state) {
  (void)state;
  const char *seen[1024];
  size_t count = 0;
  for (size_t i = 0; i < list.count; i++) {
    char words[1024];
    char *rest = NULL;
    snprintf(words, sizeof words, "%s %s", list.entries[i].name, list.entries[i].aliases);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
      owned roof_machine *machine = NULL;
      assert_int_equal(roof_catalog_load(word, &machine, NULL), ROOF_OK);
      assert_string_equal(machine->name, list.entries[i].name);
      for (size_t k = 0; k < count; k++) {
        if (strcmp(seen[k], word) == 0) {
          fail_msg("`%s` names two machines", word);
        }
      }
      assert_true(count < sizeof seen / sizeof seen[0]);
      seen[count++] = strdup(word);
    }
  }
  while (count > 0) {
    free((void *)(uintptr_t)seen[--count]);
  }
}

/* What drivers call devices. NVIDIA: `nvidia-smi -L` in public logs and the names of vLLM's tuned
 * configurations (device_name=..., from the driver); AMD: rocminfo's marketing name, clinfo's board name,
 * vLLM's likewise. */
static void devices_go_by_their_drivers_names(void **state) {
  (void)state;
  static const char *const devices[][2] = {
      {"NVIDIA H100 80GB HBM3", "nvidia-h100-sxm"},
      {"NVIDIA H100 PCIe", "nvidia-h100-pcie"},
      {"NVIDIA H100 NVL", "nvidia-h100-nvl"},
      {"NVIDIA H200", "nvidia-h200-sxm"},
      {"NVIDIA GH200 480GB", "nvidia-gh200-96gb"},
      {"NVIDIA H20", "nvidia-h20"},
      {"NVIDIA B100", "nvidia-b100-hgx"},
      {"NVIDIA B200", "nvidia-b200-hgx"},
      {"NVIDIA GB200", "nvidia-gb200"},
      {"NVIDIA B300 SXM6 AC", "nvidia-b300-hgx"},
      {"NVIDIA GB10", "nvidia-dgx-spark-gb10"},
      {"NVIDIA A100-SXM4-80GB", "nvidia-a100-sxm-80gb"},
      {"NVIDIA A100-SXM4-40GB", "nvidia-a100-sxm-40gb"},
      {"NVIDIA A100-PG509-200", "nvidia-a100-sxm-40gb"},
      {"NVIDIA A100 80GB PCIe", "nvidia-a100-pcie-80gb"},
      {"NVIDIA A100-PCIE-40GB", "nvidia-a100-pcie-40gb"},
      {"NVIDIA A10", "nvidia-a10"},
      {"NVIDIA A10G", "nvidia-a10g"},
      {"NVIDIA A30", "nvidia-a30"},
      {"NVIDIA A40", "nvidia-a40"},
      {"NVIDIA L4", "nvidia-l4"},
      {"NVIDIA L40S", "nvidia-l40s"},
      {"NVIDIA GeForce RTX 3060", "nvidia-rtx-3060"},
      {"NVIDIA GeForce RTX 3070", "nvidia-rtx-3070"},
      {"NVIDIA GeForce RTX 3080", "nvidia-rtx-3080"},
      {"NVIDIA GeForce RTX 3090", "nvidia-rtx-3090"},
      {"NVIDIA GeForce RTX 4060", "nvidia-rtx-4060"},
      {"NVIDIA GeForce RTX 4060 Ti", "nvidia-rtx-4060-ti-16gb"},
      {"NVIDIA GeForce RTX 4070", "nvidia-rtx-4070"},
      {"NVIDIA GeForce RTX 4070 Ti SUPER", "nvidia-rtx-4070-ti-super"},
      {"NVIDIA GeForce RTX 4080", "nvidia-rtx-4080"},
      {"NVIDIA GeForce RTX 4090", "nvidia-rtx-4090"},
      {"NVIDIA GeForce RTX 5060 Ti", "nvidia-rtx-5060-ti-16gb"},
      {"NVIDIA GeForce RTX 5070", "nvidia-rtx-5070"},
      {"NVIDIA GeForce RTX 5080", "nvidia-rtx-5080"},
      {"NVIDIA GeForce RTX 5090", "nvidia-rtx-5090"},
      {"NVIDIA RTX 6000 Ada Generation", "nvidia-rtx-6000-ada"},
      {"Tesla T4", "nvidia-t4"},
      {"Tesla V100-SXM2-16GB", "nvidia-v100-sxm2-16gb"},
      {"Tesla V100-SXM2-32GB", "nvidia-v100-sxm2-32gb"},
      {"AMD Instinct MI100", "amd-mi100"},
      {"AMD Instinct MI210", "amd-mi210"},
      {"AMD Instinct MI250X", "amd-mi250x-gcd"},
      {"AMD Instinct MI250X/MI250", "amd-mi250x-gcd"},
      {"AMD Instinct MI300A", "amd-mi300a"},
      {"AMD Instinct MI300X", "amd-mi300x"},
      {"AMD Instinct MI300X OAM", "amd-mi300x"},
      {"AMD Instinct MI325X", "amd-mi325x"},
      {"AMD Instinct MI325 OAM", "amd-mi325x"},
      {"AMD Instinct MI350X", "amd-mi350x"},
      {"AMD Instinct MI355X", "amd-mi355x"},
      {"AMD Radeon RX 7900 XTX", "amd-rx-7900-xtx"},
      {"Intel(R) Arc(TM) B580 Graphics", "intel-arc-b580"},
      {"Intel(R) Arc(TM) Pro B60 Graphics", "intel-arc-pro-b60"},
      {"NVIDIA H800", "nvidia-h800-sxm"},
      {"NVIDIA L40", "nvidia-l40"},
      {"NVIDIA L20", "nvidia-l20"},
      {"NVIDIA RTX A6000", "nvidia-rtx-a6000"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "nvidia-rtx-pro-6000-server"},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "nvidia-rtx-pro-6000-workstation"},
      {"Tesla V100-PCIE-16GB", "nvidia-v100-pcie-16gb"},
      {"Tesla V100-PCIE-32GB", "nvidia-v100-pcie-32gb"},
      {"Tesla P100-SXM2-16GB", "nvidia-p100-sxm2"},
      {"Tesla P100-PCIE-16GB", "nvidia-p100-pcie"},
      {"Tesla P4", "nvidia-p4"}};
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    owned roof_machine *machine = NULL;
    roof_error error = {0};
    if (roof_catalog_load_device(devices[i][0], &machine, &error) != ROOF_OK) {
      fail_msg("%s: %s", devices[i][0], error.message);
    }
    assert_string_equal(machine->name, devices[i][1]);
  }
  owned roof_machine *machine = NULL;
  assert_int_equal(roof_catalog_load_device("NVIDIA A10X", &machine, NULL), ROOF_E_NAME);
}

/** Names as nvidia-smi, PyTorch and people write them; never another product. */
static void names_as_people_write_them(void **state) {
  (void)state;
  static const char *const names[][2] = {{"NVIDIA H100 80GB HBM3", "nvidia-h100-sxm"},
                                         {"RTX 4090", "nvidia-rtx-4090"},
                                         {"3080", "nvidia-rtx-3080"},
                                         {"RTX 3080 10 GB", "nvidia-rtx-3080"},
                                         {"rtx-4060-ti", "nvidia-rtx-4060-ti-16gb"},
                                         {"4070 Ti SUPER", "nvidia-rtx-4070-ti-super"},
                                         {"Tesla T4", "nvidia-t4"},
                                         {"nvidia-h100", "nvidia-h100-sxm"},
                                         {"rtx-5090", "nvidia-rtx-5090"},
                                         {"A100-SXM4-80GB", "nvidia-a100-sxm-80gb"},
                                         {"GB200 NVL72", "nvidia-gb200"},
                                         {"AMD EPYC 9654 96-Core Processor", "amd-epyc-9654"},
                                         {"Intel(R) Xeon(R) Platinum 8480+", "intel-xeon-8480p"},
                                         {"Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "intel-xeon-8380"},
                                         {"AMD Instinct MI250X", "amd-mi250x-gcd"},
                                         {"AMD Instinct MI250X/MI250", "amd-mi250x-gcd"},
                                         {"mi250x", "amd-mi250x"}};
  static const char *const wrong[] = {"a2",
                                      "t3",
                                      "b40",
                                      "gfx942",
                                      "h100/none",
                                      "tpu",
                                      "epyc",
                                      "rubin",
                                      "rtx6000",
                                      "h300x",
                                      "rtx 4090 ti",
                                      "rtx 3080 ti",
                                      "rtx3080ti",
                                      "rtx 3080 12gb",
                                      "rtx 4070 ti",
                                      "rtx 4070 super",
                                      "rtx 4080 super",
                                      "rtx 4060 laptop",
                                      "rtx 4060 ti 8gb"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    owned roof_machine *machine = NULL;
    roof_error error = {0};
    if (roof_catalog_load(names[i][0], &machine, &error) != ROOF_OK) {
      fail_msg("%s: %s", names[i][0], error.message);
    }
    assert_string_equal(machine->name, names[i][1]);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    owned roof_machine *machine = NULL;
    roof_error error = {0};
    assert_int_equal(roof_catalog_load(wrong[i], &machine, &error), ROOF_E_NAME);
    assert_non_null(strstr(error.message, "`roofline machine list` shows all"));
    assert_null(strstr(error.message, "`m2`"));
    assert_null(strstr(error.message, "`m3`"));
    assert_null(strstr(error.message, "`a40`"));
    assert_null(strstr(error.message, "pvc"));
    assert_null(strstr(error.message, "turin"));
    assert_null(strstr(error.message, "rtx3090"));
  }
}

static void every_title_loads_its_own_machine(void **state) {
  (void)state;
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *machine = NULL;
    roof_machine **same = NULL;
    roof_error error = {0};
    int count = 0;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &machine, NULL), ROOF_OK);
    if (roof_machines_load((const char *const[]){machine->title, NULL}, &same, &count, &error) != ROOF_OK) {
      fail_msg("%s: %s", machine->title, error.message);
    }
    assert_int_equal(count, 1);
    assert_string_equal(same[0]->name, machine->name);
    roof_machines_free(same, count);
  }
}

/** No kernel is shorter than its launch: every accelerator has a cost, assumed where its file has none. */
static void accelerators_have_a_launch_cost(void **state) {
  (void)state;
  roof_catalog_list all;
  assert_int_equal(roof_catalog_list_all(&all, NULL), ROOF_OK);
  for (size_t i = 0; i < all.count; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(all.entries[i].name, &machine, NULL), ROOF_OK);
    bool known = machine->launch_seconds > 0 && machine->launch_origin.source[0] != '\0';
    if (known == (strcmp(machine->device_class, "cpu") == 0)) {
      fail_msg("%s: launch cost %g s (%s)", machine->name, machine->launch_seconds,
               machine->launch_origin.source);
    }
  }
  roof_catalog_list_done(&all);
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(h100->launch_origin.kind, ROOF_ASSUMED);
}

static void dense_is_not_sparse(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  assert_int_equal(roof_catalog_load("nvidia_h100_sxm", &h100, NULL), ROOF_OK);
  const roof_peak *dense = roof_machine_peak(h100, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET);
  const roof_peak *sparse = roof_machine_peak(h100, ROOF_FP16, ROOF_MATRIX, true, ROOF_DATASHEET);
  assert_true(dense->flops_per_second == 989.4e12);
  assert_true(sparse->flops_per_second == 1978.9e12);
  const roof_level *memory = roof_machine_memory(h100, ROOF_DATASHEET);
  assert_true(memory->bytes_per_second == 3.35e12 && memory->kind == ROOF_DATASHEET);
  assert_true(roof_machine_memory(h100, ROOF_MEASURED)->kind == ROOF_MEASURED);
  assert_null(roof_machine_peak(h100, ROOF_FP4, ROOF_MATRIX, false, ROOF_DATASHEET));
  assert_true(h100->links[0].bytes_per_second == 450e9);
}

static void memories_of_units_have_a_width(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double bytes; /* of a unit in a clock */
  } rows[] = {{"t4", 64}, {"a100", 128}, {"mi300x", 128}, {"mi350x", 256}, {"mi355x", 256}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    owned roof_machine *m = NULL;
    assert_int_equal(roof_catalog_load(rows[i].name, &m, NULL), ROOF_OK);
    const roof_level *level = roof_machine_level(m, ROOF_L1, ROOF_DATASHEET);
    assert_true(level->bytes_per_second == rows[i].bytes * m->unit_count * m->clock_hz);
  }
}

/** Google's all-reduce bandwidth of a pod over its chips is what a chip sends. */
static void chips_send_their_part_of_a_pod(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double pod, chips;
  } rows[] = {{"tpu-v3", 340e12, 1024}, {"tpu-v5e", 51.2e12, 256}, {"tpu-v6e", 102.4e12, 256}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    owned roof_machine *m = NULL;
    assert_int_equal(roof_catalog_load(rows[i].name, &m, NULL), ROOF_OK);
    assert_true(fabs(m->links[0].bytes_per_second - rows[i].pod / rows[i].chips) < 0.1e9);
  }
}

static double number_of(const json_t *device, const char *key) {
  const json_t *value = json_object_get(device, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/** The figure tests/data/devices.json gives for a peak, NaN for none. */
/** Effects count waves on units and what a cache supplies: every GPU says both, also where it is assumed. */
static void gpus_have_units_and_a_fast_cache(void **state) {
  (void)state;
  roof_catalog_list all;
  assert_int_equal(roof_catalog_list_all(&all, NULL), ROOF_OK);
  for (size_t i = 0; i < all.count; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(all.entries[i].name, &machine, NULL), ROOF_OK);
    if (strcmp(machine->device_class, "gpu") != 0) {
      continue;
    }
    const roof_level *cache = roof_machine_level(machine, ROOF_L2, ROOF_DATASHEET);
    const roof_level *memory = roof_machine_memory(machine, ROOF_DATASHEET);
    bool known = machine->unit_count > 0 && machine->clock_hz > 0;
    if (!known ||
        (cache != NULL && !(cache->bytes > 0 && cache->bytes_per_second > memory->bytes_per_second))) {
      fail_msg("%s: %g units at %g Hz; no bandwidth of its L2 over memory's", machine->name,
               machine->unit_count, machine->clock_hz);
    }
  }
  roof_catalog_list_done(&all);
}

/** The latency of a level, whoever measured it; NaN: no row has it. */
static double latency_of(const roof_machine *machine, roof_level_kind level) {
  double seconds = NAN;
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *row = &machine->levels[i];
    seconds = row->level == level && isnan(seconds) ? row->latency_seconds : seconds;
  }
  return seconds;
}

/** Of architectures that somebody published latencies of; a row of one supplies nothing to a prediction. */
static void gpus_have_latencies_of_their_architecture(void **state) {
  (void)state;
  static const char *const known[] = {"pascal", "volta",     "turing",        "ampere", "ada",
                                      "hopper", "blackwell", "blackwell-rtx", "cdna"};
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &machine, NULL), ROOF_OK);
    bool named = false;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
      named = named || strcmp(machine->family, known[k]) == 0;
    }
    double l1 = latency_of(machine, ROOF_L1), l2 = latency_of(machine, ROOF_L2);
    double memory = latency_of(machine, ROOF_MEMORY);
    if (named && (!(l1 > 10e-9) || !(l2 > l1) || memory <= l2 || memory > 1e-6)) {
      fail_msg("%s: latencies of %g, %g and %g s", machine->name, l1, l2, memory);
    }
    for (int k = 0; k < machine->level_count; k++) {
      const roof_level *level = &machine->levels[k];
      for (int kind = 0; kind < ROOF_PROVENANCE_COUNT && named; kind++) {
        const roof_level *best = roof_machine_level(machine, level->level, (roof_provenance)kind);
        assert_true(best->bytes > 0 || best->bytes_per_second > 0);
      }
    }
  }
}

/** The kernels of Blackwell's data centres multiply by 128 x 256 in a pair of SMs, those of its cards as Ada's do: a family's
 * constants go by how much an SM does in a clock. */
static void blackwells_differ_by_what_an_sm_does_in_a_clock(void **state) {
  (void)state;
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &machine, NULL), ROOF_OK);
    const roof_peak *peak = roof_machine_peak(machine, ROOF_BF16, ROOF_MATRIX, false, ROOF_DATASHEET);
    if (peak != NULL && strncmp(machine->family, "blackwell", strlen("blackwell")) == 0) {
      bool large = peak->flops_per_second / machine->unit_count / machine->clock_hz > 4096;
      assert_string_equal(machine->family, large ? "blackwell" : "blackwell-rtx");
    }
  }
}

/** What quotes a vendor is a theoretical figure too, and is counted on its own. */
static void secondary_figures_are_theoretical(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  roof_provenance kind = ROOF_MEASURED;
  assert_int_equal(roof_provenance_parse("secondary", &kind, NULL), ROOF_OK);
  assert_int_equal(kind, ROOF_SECONDARY);
  assert_int_equal(roof_catalog_load("h800", &machine, NULL), ROOF_OK);
  const roof_peak *peak = roof_machine_peak(machine, ROOF_BF16, ROOF_MATRIX, false, ROOF_DATASHEET);
  assert_non_null(peak);
  assert_int_equal(peak->kind, ROOF_SECONDARY);
  roof_machine_summary summary = roof_machine_summarize(machine);
  assert_true(summary.kinds[ROOF_SECONDARY] > 0);
  assert_int_equal(summary.kinds[ROOF_MEASURED], 0);
  assert_true(summary.half_flops_per_second == peak->flops_per_second);
}

static double collected_peak(const json_t *device, roof_dtype dtype, roof_unit unit) {
  char key[64];
  bool integer = dtype == ROOF_INT8 || dtype == ROOF_INT4;
  snprintf(key, sizeof key, "peak_dense_%s_%s_%s_per_s", roof_dtype_name(dtype), roof_unit_name(unit),
           integer ? "op" : "flop");
  return number_of(device, key);
}

static void check_collected(const json_t *device) {
  char name[ROOF_NAME_MAX];
  snprintf(name, sizeof name, "%s", json_string_value(json_object_get(device, "id")));
  owned roof_machine *m = NULL;
  assert_int_equal(roof_catalog_load(name, &m, NULL), ROOF_OK);
  const roof_level *memory = roof_machine_memory(m, ROOF_DATASHEET);
  assert_true(memory->bytes_per_second == number_of(device, "mem_bandwidth_bytes_per_s"));
  double reported = number_of(device, "mem_capacity_bytes_reported");
  /* Memory chips have binary sizes: a marketed GB is a GiB. */
  double bytes = isnan(reported) ? 0x1p30 * number_of(device, "mem_capacity_GB_marketed") : reported;
  assert_true(isnan(bytes) ? isnan(memory->bytes) : memory->bytes == bytes);
  for (int dtype = 0; dtype < ROOF_DTYPE_COUNT; dtype++) {
    for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
      const roof_peak *peak = roof_machine_peak(m, (roof_dtype)dtype, (roof_unit)unit, false, ROOF_DATASHEET);
      double expected = collected_peak(device, (roof_dtype)dtype, (roof_unit)unit);
      bool more = peak != NULL && peak->kind != ROOF_MEASURED && peak->kind != ROOF_ASSUMED;
      if (isnan(expected) ? more : peak == NULL || peak->flops_per_second != expected) {
        fail_msg("%s: %s %s is not %g", name, roof_dtype_name((roof_dtype)dtype),
                 roof_unit_name((roof_unit)unit), expected);
      }
    }
  }
}

/** Lint flags exactly the figures that could not be recomputed from independent data. */
static void check_flags(const json_t *device) {
  owned roof_machine *m = NULL;
  roof_finding findings[64];
  assert_int_equal(roof_catalog_load(json_string_value(json_object_get(device, "id")), &m, NULL), ROOF_OK);
  size_t count = roof_machine_lint(m, findings, 64), flagged = 0, expected = 0;
  for (size_t i = 0; i < count; i++) {
    flagged += strstr(findings[i].message, ", but ") != NULL;
  }
  const json_t *checks = json_object_get(device, "recomputed");
  for (size_t i = 0; i < json_array_size(checks); i++) {
    expected += json_is_true(json_object_get(json_array_get(checks, i), "flag_over_2_percent"));
  }
  if (flagged != expected) {
    fail_msg("%s: lint flags %zu figures, the collection %zu", m->name, flagged, expected);
  }
}

static void figures_equal_the_collected_ones(void **state) {
  (void)state;
  const char *source = getenv("ROOFLINE_SOURCE");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/data/devices.json", source != NULL ? source : ".");
  json_t *devices = json_load_file(path, 0, NULL);
  assert_non_null(devices);
  assert_int_equal(json_array_size(devices), 84);
  for (size_t i = 0; i < json_array_size(devices); i++) {
    check_collected(json_array_get(devices, i));
    check_flags(json_array_get(devices, i));
  }
  json_decref(devices);
}

static void wrong_names_get_the_nearest(void **state) {
  (void)state;
  static const struct {
    const char *name, *message;
  } cases[] = {
      {"h1000", "machine `h1000`: unknown; did you mean `h100`?; `roofline machine list` shows all"},
      {"nvidia-h100-smx", "machine `nvidia-h100-smx`: unknown; did you mean `nvidia-h100-sxm`?; `roofline "
                          "machine list` shows all"},
      {"host", "machine `host`: unknown; `roofline measure` makes it"},
      {"zzzzzzzzzzzz", "machine `zzzzzzzzzzzz`: unknown; `roofline machine list` shows all"},
      {"", "machine ``: unknown"},
      {"./missing.json", "`./missing.json`: No such file or directory"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    owned roof_machine *machine = NULL;
    roof_error error = {0};
    assert_int_not_equal(roof_catalog_load(cases[i].name, &machine, &error), ROOF_OK);
    assert_string_equal(error.message, cases[i].message);
  }
}

#define HEAD "{\"schema\": \"roofline.machine/1\", \"name\": \"x\""

static void bad_files_say_where(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
    int line, column;
  } cases[] = {
      {"", "machine: '[' or '{' expected near end of file", 1, 1},
      {"{\"schema\": 1", "machine: '}' expected near end of file", 1, 12},
      {"[1]", "machine: not an object", 1, 1},
      {"{}", "machine: `schema` is missing", 1, 1},
      {"{\"schema\": \"roofline.machine/2\"}", "schema: not `roofline.machine/1`", 1, 12},
      {"{\"schema\": \"roofline.machine/1\"}", "machine: `name` is missing", 1, 1},
      {"{\"schema\": \"roofline.machine/1\", \"name\": \"a b\"}",
       "name: a name has letters, digits and . _ + - only", 1, 42},
      {HEAD ",\n \"peeks\": []}", "peeks: unknown key; did you mean `peaks`?", 2, 2},
      {HEAD ",\n \"peaks\": {}}", "peaks: not a list", 2, 11},
      {HEAD ",\n \"peaks\": [{\"dtype\": \"fp16\"}]}", "peaks[0]: `unit` is missing", 2, 12},
      {HEAD ",\n \"peaks\": [{\"dtype\": \"fp61\", \"unit\": \"vector\"}]}",
       "peaks[0].dtype: dtype `fp61`: unknown; did you mean `fp16`?", 2, 22},
      {HEAD ",\n \"peaks\": [\n  {\"dtype\": \"fp16\", \"unit\": \"matrix\"},\n"
            "  {\"dtype\": \"fp16\", \"unit\": \"matrix\", \"flops_per_second\": -1}]}",
       "peaks[1].flops_per_second: negative or not finite", 4, 59},
      {HEAD ",\n \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 0}]}",
       "levels[0].bytes_per_second: zero; null means unknown", 2, 49},
      {HEAD ",\n \"levels\": [{\"name\": \"HMB\"}]}",
       "levels[0]: memory level `HMB`: unknown; did you mean `HBM`?", 2, 13},
      {HEAD ", \"clock_hz\": \"1 GHz\"}", "clock_hz: not a number", 1, 59},
      {HEAD ", \"title\": \"\xC3\xA9\", \"clock_hz\": []}", "clock_hz: not a number", 1, 73},
      {HEAD ", \"clock_hz\": 1.98}", "clock_hz: less than 1 MHz; it is in Hz", 1, 59},
      {HEAD ", \"unit_count\": 1.5}", "unit_count: not a whole number", 1, 61},
      {HEAD ",\n \"levels\": [{\"name\": \"L2\", \"instances\": 0.5}]}",
       "levels[0].instances: not a whole number", 2, 41},
      {HEAD ",\n \"peaks\": [{\"dtype\": \"fp8\", \"unit\": \"matrix\", \"flops_per_second\": 3},\n"
            "  {\"dtype\": \"fp8\", \"unit\": \"matrix\", \"sparse\": true, \"flops_per_second\": 2}]}",
       "peaks[1]: sparse, yet slower than the dense peak", 3, 3},
      {HEAD ",\n \"peaks\": [{\"dtype\": \"fp8\", \"unit\": \"matrix\", \"sparse\": true, "
            "\"flops_per_second\": 2},\n  {\"dtype\": \"fp8\", \"unit\": \"matrix\", "
            "\"flops_per_second\": 3}]}",
       "peaks[1]: dense, yet faster than the sparse peak", 3, 3},
      {HEAD ",\n \"links\": [{\"name\": \"NVLink\", \"bytes_per_second\": 450e9, "
            "\"both_ways_bytes_per_second\": 1}]}",
       "links[0]: `both_ways_bytes_per_second` is less than `bytes_per_second`, one way", 2, 12},
      {HEAD ", \"vendor\": \"a\\u0007b\"}", "vendor: contains a control character", 1, 57},
      {HEAD ", \"device_class\": \"0123456789012345678901234567890123456789\"}",
       "device_class: longer than 31 bytes", 1, 63},
      {HEAD ", \"aliases\": [\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"]}",
       "aliases[8]: more than 8 entries", 1, 91},
      {HEAD ", \"peaks\": [{\"dtype\": \"fp4\", \"unit\": \"matrix\", \"supported\": false, "
            "\"flops_per_second\": 1}]}",
       "peaks[0]: `supported` is false, yet there is a `flops_per_second`", 1, 57},
      {HEAD ", \"peaks\": [{\"dtype\": \"fp4\", \"unit\": \"matrix\", \"cores\": 1.5}]}",
       "peaks[0].cores: not a whole number from 1 to 1000000, or null", 1, 101},
      {HEAD ",\n \"costs\": [{\"cores\": 2}]}", "costs[0]: `name` is missing", 2, 12},
      {HEAD ",\n \"costs\": [{\"name\": \"barrier\", \"seconds\": -1}]}",
       "costs[0].seconds: negative or not finite", 2, 43},
      {HEAD ",\n \"levels\": [{\"name\": \"HBM\", \"loaded_latency\": [\n{\"latency_seconds\": 0}]}]}",
       "levels[0].loaded_latency[0].latency_seconds: zero; null means unknown", 3, 21},
      {HEAD ",\n \"curve\": [{\"bytes\": 1}]}", "curve[0]: `bytes_per_second` is missing", 2, 12},
      {HEAD ", \"domains\": [{\"name\": \"a\", \"read_bytes_per_second\": [1, 2]}]}",
       "machine: domain `a` has 2 figures for 1 domains", 1, 1},
      {HEAD ", \"domains\": [{\"name\": \"a\", \"latency_seconds\": [\"b\"]}]}",
       "domains[0].latency_seconds[0]: not a number", 1, 93},
      {HEAD ", \"libraries\": [{\"name\": \"BLIS\", \"op\": \"gemm\"}]}", "libraries[0]: `dtype` is missing",
       1, 61},
      {HEAD ", \"name\": \"y\"}", "machine: duplicate object key near '\"name\"'", 1, 52},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine *machine = NULL;
    roof_error error = {0};
    assert_int_not_equal(roof_machine_read(cases[i].text, strlen(cases[i].text), "x.json", &machine, &error),
                         ROOF_OK);
    assert_string_equal(error.message, cases[i].message);
    assert_string_equal(error.file, "x.json");
    assert_int_equal(error.line, cases[i].line);
    assert_int_equal(error.column, cases[i].column);
    assert_null(machine);
  }
}

static void what_measure_adds_reads_back(void **state) {
  (void)state;
  static const char text[] = HEAD
      ", \"levels\": [{\"name\": \"DRAM\", \"loaded_latency\": [{\"bytes_per_second\": 0, "
      "\"latency_seconds\": 1e-7}, {\"bytes_per_second\": 2e10, \"latency_seconds\": 2e-7}], "
      "\"modes\": [{\"pattern\": \"read\", \"fast_bytes_per_second\": 2e10, \"slow_bytes_per_second\": "
      "1e10}], "
      "\"plateau\": \"not flat\", \"plateau_bytes\": 8192}, {\"name\": \"L1\", \"loaded_latency\": null}], "
      "\"costs\": [{\"name\": \"hand-off, same L3\", \"cores\": 2, \"seconds\": 5e-8, \"least_seconds\": "
      "4e-8, "
      "\"most_seconds\": 6e-8, \"clock_hz\": 3e9, \"samples\": 24, \"spread\": 0.1, \"kind\": "
      "\"measured\"}], "
      "\"tlbs\": [{\"name\": \"L1 TLB\", \"page_bytes\": 4096, \"entries\": 64, \"reach_bytes\": 262144, "
      "\"miss_seconds\": 2e-9}], \"curve\": [{\"bytes\": 8192, \"bytes_per_second\": 4e11}]}";
  static roof_machine *m = NULL, *again = NULL;
  roof_text once = {0}, twice = {0};
  assert_int_equal(roof_machine_read(text, sizeof text - 1, "x.json", &m, NULL), ROOF_OK);
  assert_int_equal(roof_level_report_of(&m->levels[0])->loaded_latency_count, 2);
  assert_true(roof_level_report_of(&m->levels[0])->loaded_latency[0].bytes_per_second == 0);
  assert_true(roof_level_report_of(&m->levels[0])->loaded_latency[1].latency_seconds == 2e-7);
  assert_string_equal(roof_level_report_of(&m->levels[0])->modes[0].pattern, "read");
  assert_true(roof_level_report_of(&m->levels[0])->modes[0].slow_bytes_per_second == 1e10);
  assert_string_equal(m->levels[0].plateau, "not flat");
  assert_true(roof_level_report_of(&m->levels[1])->loaded_latency_count == 0 &&
              roof_level_report_of(&m->levels[1])->mode_count == 0);
  assert_true(m->levels[0].plateau_bytes == 8192 && m->levels[1].plateau[0] == '\0');
  assert_true(m->report->costs[0].cores == 2 && m->report->costs[0].seconds == 5e-8 &&
              m->report->costs[0].most_seconds == 6e-8);
  assert_true(m->report->costs[0].kind == ROOF_MEASURED && m->report->costs[0].samples == 24);
  assert_true(m->report->tlbs[0].entries == 64 && m->report->tlbs[0].miss_seconds == 2e-9);
  assert_true(m->report->curve_count == 1 && m->report->curve[0].bytes_per_second == 4e11);
  assert_int_equal(roof_machine_write(m, &once, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(once.data, once.length, "again", &again, NULL), ROOF_OK);
  assert_int_equal(roof_machine_write(again, &twice, NULL), ROOF_OK);
  assert_string_equal(once.data, twice.data);
  assert_non_null(strstr(once.data, "\"loaded_latency\": [{\"bytes_per_second\": 0, "));
  assert_non_null(strstr(once.data, "\"loaded_latency\": null"));
  roof_text_done(&once);
  roof_text_done(&twice);
}

enum { FINDINGS = 64 };

static size_t errors_of(const roof_machine *machine) {
  roof_finding findings[FINDINGS];
  size_t count = roof_machine_lint(machine, findings, FINDINGS), errors = 0;
  for (size_t i = 0; i < count && i < FINDINGS; i++) {
    if (findings[i].error) {
      print_message("%s: %s: %s\n", machine->name, findings[i].where, findings[i].message);
      errors++;
    }
  }
  return errors;
}

static void builtin_machines_have_no_lint_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < list.count; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(list.entries[i].name, &machine, NULL), ROOF_OK);
    assert_int_equal(errors_of(machine), 0);
  }
}

static void the_template_lints_clean_but_for_what_is_to_fill_in(void **state) {
  (void)state;
  roof_text text = {0};
  owned roof_machine *machine = NULL;
  roof_error error = {0};
  assert_int_equal(roof_machine_template("my-gpu", &text, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(text.data, text.length, "my-gpu", &machine, &error), ROOF_OK);
  assert_string_equal(machine->name, "my-gpu");
  static roof_finding findings[FINDINGS];
  size_t count = roof_machine_lint(machine, findings, FINDINGS);
  assert_in_range(count, 3, FINDINGS);
  for (size_t i = 0; i < count; i++) {
    assert_non_null(strstr(findings[i].message, "is still `REPLACE`"));
  }
  assert_int_equal(roof_machine_template("my gpu", &text, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "name `my gpu`: up to 63 letters, digits and . _ + - only");
  roof_text_done(&text);
}

static void test_figures_are_a_machine(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  roof_error error = {0};
  assert_int_equal(roof_catalog_load("peak=20TFLOP/s peak=fp16:312TFLOP/s bandwidth=2TB/s", &machine, &error),
                   ROOF_OK);
  assert_true(machine->peaks[0].dtype == ROOF_FP16 && machine->peaks[0].flops_per_second == 312e12);
  assert_true(machine->peak_count == ROOF_DTYPE_COUNT && machine->peaks[1].flops_per_second == 20e12);
  assert_true(machine->levels[0].bytes_per_second == 2e12);
  assert_string_equal(machine->title, "312.0 TFLOP/s, 2.000 TB/s");
  roof_machine *none = NULL;
  assert_int_equal(roof_catalog_load("peak=20TB/s bandwidth=2TB/s", &none, &error), ROOF_E_PARSE);
  assert_int_equal(roof_catalog_load("peak=fp17:20TFLOP/s", &none, &error), ROOF_E_NAME);
  assert_int_equal(roof_catalog_load("bandwidth=2TB/s speed=3", &none, &error), ROOF_E_ARGUMENT);
  assert_null(none);
}

static void test_parts_give_peak_and_bandwidth(void **state) {
  (void)state;
  roof_text text = {0};
  owned roof_machine *machine = NULL;
  roof_machine_parts parts = {108, 1.41e9, 128, 5120, 3.186e9, ROOF_FP32};
  assert_int_equal(roof_machine_compute("mine", &parts, &text, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(text.data, text.length, "mine", &machine, NULL), ROOF_OK);
  assert_true(machine->peaks[0].flops_per_second == 108 * 128 * 1.41e9);
  assert_true(machine->levels[0].bytes_per_second == 640 * 3.186e9);
  parts.bus_bits = NAN;
  roof_error error = {0};
  assert_int_equal(roof_machine_compute("mine", &parts, &text, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "bus: missing"));
  roof_text_done(&text);
}

/** Two domains; the far memory of the second is nearer than its own. */
#define DOMAINS                                                                                              \
  ", \"domains\": [{\"name\": \"node 0\", \"cores\": 4, \"bytes\": 8e9, \"read_bytes_per_second\": [2e10, "  \
  "1e10], "                                                                                                  \
  "\"latency_seconds\": [1e-7, null], \"kind\": \"measured\", \"source\": \"s\", \"date\": "                 \
  "\"2026-01-31\"}, "                                                                                        \
  "{\"name\": \"node 1\", \"latency_seconds\": [8e-8, 1e-7], \"source\": \"s\"}]}"

static void domains_round_trip(void **state) {
  (void)state;
  static const char file[] = HEAD DOMAINS;
  static roof_machine *m = NULL, *again = NULL;
  roof_text text = {0};
  roof_finding findings[FINDINGS];
  assert_int_equal(roof_machine_read(file, strlen(file), "x.json", &m, NULL), ROOF_OK);
  assert_true(m->report->domain_count == 2 && m->report->domains[0].cores == 4 &&
              isnan(m->report->domains[1].cores));
  assert_true(m->report->domains[0].read_bytes_per_second[1] == 1e10 &&
              isnan(m->report->domains[0].latency_seconds[1]));
  assert_true(m->report->domains[1].read_count == 0 && m->report->domains[1].latency_count == 2);
  assert_int_equal(roof_machine_write(m, &text, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(text.data, text.length, "x.json", &again, NULL), ROOF_OK);
  assert_int_equal(again->report->domain_count, 2);
  assert_memory_equal(m->report->domains, again->report->domains, 2 * sizeof *m->report->domains);
  size_t count = roof_machine_lint(m, findings, FINDINGS);
  assert_true(count >= 2);
  assert_string_equal(findings[count - 2].message, "no date");
  assert_string_equal(findings[count - 1].where, "domains[1] node 1");
  assert_string_equal(findings[count - 1].message, "80.00 ns to `node 0`, yet 100.0 ns to its own memory: "
                                                   "measured while something else ran?");
  owned roof_machine *copy = roof_machine_copy(m);
  assert_true(same_machine(copy, m) && copy->report->domains != m->report->domains);
  m->report->domain_count = 0;
  roof_text_done(&text);
  text = (roof_text){0};
  assert_int_equal(roof_machine_write(m, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"domains\": null"));
  roof_text_done(&text);
}

/** A machine without findings: one peak, one level, one link. */
#define FIGURE "\"kind\": \"datasheet\", \"source\": \"s\", \"date\": \"2026-01-31\""
#define PEAKS                                                                                                \
  ", \"unit_count\": 10, \"clock_hz\": 1e9, \"peaks\": [{\"dtype\": \"fp16\", \"unit\": \"matrix\", "
#define LEVELS ", \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 1e12, " FIGURE "}]"
#define GOOD_PEAKS PEAKS "\"flops_per_second\": 4e12, " FIGURE "}]"
#define LINK(figures) HEAD GOOD_PEAKS LEVELS ", \"links\": [{" figures ", " FIGURE "}]}"

static void lint_finds(void **state) {
  (void)state;
  static const struct {
    const char *text, *where, *message;
    bool error;
  } cases[] = {
      {HEAD GOOD_PEAKS LEVELS
       ", \"costs\": [{\"name\": \"barrier\", \"seconds\": 2, \"most_seconds\": 1, " FIGURE "}]}",
       "costs[0] barrier", "`seconds` is not between `least_seconds` and `most_seconds`", true},
      {HEAD GOOD_PEAKS LEVELS ", \"tlbs\": [{\"name\": \"L1 TLB\", \"page_bytes\": 4096, \"entries\": 64, "
                              "\"reach_bytes\": 4096, " FIGURE "}]}",
       "tlbs[0] L1 TLB", "4.096 kB, but entries x page_bytes = 262.1 kB (-98.4 %)", false},
      {HEAD PEAKS "\"flops_per_second\": 4e12, \"flops_per_cycle\": 390, " FIGURE "}]" LEVELS "}",
       "peaks[0] fp16 matrix",
       "4.000 TFLOP/s, but 10 units x 390 FLOP/cycle x 1.000 GHz = 3.900 TFLOP/s (+2.6 %)", false},
      {HEAD PEAKS "\"flops_per_second\": 3.9e12, \"flops_per_cycle\": 100, \"clock_hz\": 4e9, " FIGURE
                  "}]" LEVELS "}",
       "peaks[0] fp16 matrix",
       "3.900 TFLOP/s, but 10 units x 100 FLOP/cycle x 4.000 GHz = 4.000 TFLOP/s (-2.5 %)", false},
      {HEAD PEAKS "\"flops_per_second\": 4e12, " FIGURE "}, {\"dtype\": \"fp16\", \"unit\": \"matrix\", "
                  "\"sparse\": true, \"flops_per_second\": 4e12, " FIGURE "}]" LEVELS "}",
       "peaks[0] fp16 matrix", "4.000 TFLOP/s is also the sparse figure: sparse quoted as dense?", true},
      {HEAD PEAKS "\"flops_per_second\": 4e12, \"kind\": \"assumed\", \"date\": \"2026-01-31\"}]" LEVELS "}",
       "peaks[0] fp16 matrix", "no source", true},
      {HEAD PEAKS "\"flops_per_second\": 4e12, \"source\": \"s\", \"date\": \"31.1.2026\"}]" LEVELS "}",
       "peaks[0] fp16 matrix", "date `31.1.2026` is not YYYY-MM-DD", true},
      {HEAD PEAKS "\"flops_per_second\": 4e12, \"source\": \"s\", \"date\": \"2026-13-01\"}]" LEVELS "}",
       "peaks[0] fp16 matrix", "date `2026-13-01` is not YYYY-MM-DD", true},
      {HEAD PEAKS "\"flops_per_second\": 4e12, \"source\": \"s\"}]" LEVELS "}", "peaks[0] fp16 matrix",
       "no date", false},
      {HEAD PEAKS "\"flops_per_second\": 4e12, \"limit_flops_per_second\": 3e12, \"kind\": \"measured\", "
                  "\"source\": \"s\", \"date\": \"2026-01-31\"}]" LEVELS "}",
       "peaks[0] fp16 matrix", "4.000 TFLOP/s is above its limit of 3.000 TFLOP/s (+33.3 %): explain it",
       false},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"HBM\", \"read_bytes_per_second\": 1e12, "
                       "\"write_bytes_per_second\": 2e12, \"limit_bytes_per_second\": 1e12, "
                       "\"kind\": \"measured\", \"source\": \"s\", \"date\": \"2026-01-31\"}]}",
       "levels[0] HBM", "2.000 TB/s is above its limit of 1.000 TB/s (+100.0 %): explain it", false},
      {HEAD PEAKS "\"flops_per_second\": 4e12, " FIGURE "}, {\"dtype\": \"fp16\", \"unit\": \"matrix\", "
                  "\"flops_per_second\": 4e12, " FIGURE "}]" LEVELS "}",
       "peaks[1] fp16 matrix", "the same figure as peaks[0]", true},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 1e12, \"bus_bits\": 1024, "
                       "\"transfers_per_second\": 6e9, " FIGURE "}]}",
       "levels[0] HBM", "1.000 TB/s, but 1024 bit x 6.000 GT/s / 8 = 768.0 GB/s (+30.2 %)", false},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"HBM\", \"level\": \"memory\", \"bytes\": 80e9, "
                       "\"bytes_per_second\": 1e12, " FIGURE "}]}",
       "levels[0] HBM",
       "80.00 GB of memory, but chips have binary sizes: 80 GiB, or what the driver reports?", false},
      {HEAD ", \"kind\": \"datasheet\"" PEAKS
            "\"flops_per_second\": 4e12, \"kind\": \"assumed\", \"source\": \"s\", "
            "\"date\": \"2026-01-31\"}]" LEVELS "}",
       "machine", "kind is datasheet, yet every peak is assumed", false},
      {HEAD ", \"kind\": \"datasheet\"" PEAKS
            "\"flops_per_second\": 4e12, \"kind\": \"secondary\", \"source\": \"s\", "
            "\"date\": \"2026-01-31\"}]" LEVELS "}",
       "machine", "kind is datasheet, yet every peak is secondary or assumed", false},
      {HEAD PEAKS
       "\"flops_per_second\": 4e12, \"kind\": \"datasheet\", \"source\": \"a page quoting the vendor\", "
       "\"date\": \"2026-01-31\"}]" LEVELS "}",
       "peaks[0] fp16 matrix", "kind is datasheet, but its source says `quot`: secondary, or assumed?",
       false},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 1e12, " FIGURE
                       "}, {\"name\": \"L2\", " FIGURE "}]}",
       "levels[1] L2", "L2 stands after HBM: levels go from inner to outer", true},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"L2\", \"bytes_per_second\": 1e12, " FIGURE
                       "}, {\"name\": \"HBM\", \"bytes_per_second\": 2e12, " FIGURE "}]}",
       "levels[1] HBM", "faster than the inner level L2", false},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"L2\", \"latency_seconds\": 2e-7, " FIGURE
                       "}, {\"name\": \"HBM\", \"bytes_per_second\": 2e12, \"latency_seconds\": 1e-7, " FIGURE
                       "}]}",
       "levels[1] HBM", "a load takes longer from the inner level L2", false},
      {HEAD GOOD_PEAKS ", \"levels\": [{\"name\": \"HBM\", \"bytes_per_second\": 1e12, " FIGURE
                       "}, {\"name\": \"HBM\", \"latency_seconds\": 4e-7, " FIGURE
                       "}, {\"name\": \"HBM\", \"latency_seconds\": 5e-7, " FIGURE "}]}",
       "levels[2] HBM", "the same figure as levels[1]", true},
      {LINK("\"name\": \"NVLink 4\", \"bytes_per_second\": 900e9"), "links[0] NVLink 4",
       "900.0 GB/s is both directions (NVIDIA H100: 900 GB/s total over 18 links): both directions quoted as "
       "one",
       true},
      {LINK("\"name\": \"PCIe Gen5\", \"count\": 8, \"bytes_per_second\": 63e9"), "links[0] PCIe Gen5",
       "63.00 GB/s is both directions (PCI-SIG: 32 GT/s per lane, 128b/130b): both directions quoted as one",
       true},
      {LINK("\"name\": \"ICI\", \"bytes_per_second\": 8e9, \"both_ways_bytes_per_second\": 8e9"),
       "links[0] ICI", "8.000 GB/s is more than half of both ways: both directions quoted as one", true},
      {LINK("\"name\": \"NVLink 4 bridge\", \"bytes_per_second\": 300e9"), "links[0] NVLink 4 bridge",
       "how many devices it `joins` is not said: 2 of a bridge, 1 of a link to the host alone", false},
      {LINK("\"name\": \"ICI\", \"joins\": 2.5, \"bytes_per_second\": 8e9"), "links[0] ICI",
       "`joins` is a number of devices: 2 of a bridge, 1 of a link to the host alone", true},
      {HEAD GOOD_PEAKS LEVELS ", \"aliases\": [\"y\", \"x\"]}", "machine", "alias `x` is there twice", true},
      {HEAD GOOD_PEAKS LEVELS ", \"energy\": {\"watts\": 5}}", "energy", "no source", true},
      {HEAD GOOD_PEAKS LEVELS ", \"notes\": [\"one\", \"two\", \"one\"]}", "notes[2]",
       "the same note as notes[0]", true},
      {HEAD GOOD_PEAKS "}", "machine", "no level with a bandwidth: nothing can be predicted", true},
      {HEAD LEVELS "}", "machine", "no peaks: nothing can be predicted", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    owned roof_machine *machine = NULL;
    roof_finding finding;
    assert_int_equal(roof_machine_read(cases[i].text, strlen(cases[i].text), "x", &machine, NULL), ROOF_OK);
    assert_int_equal(roof_machine_lint(machine, &finding, 1), 1);
    assert_string_equal(finding.where, cases[i].where);
    assert_string_equal(finding.message, cases[i].message);
    assert_int_equal(finding.error, cases[i].error);
  }
}

static void a_sparse_figure_as_dense_is_an_error(void **state) {
  (void)state;
  static const char text[] =
      HEAD PEAKS "\"flops_per_second\": 4e12, \"flops_per_cycle\": 200, " FIGURE "}]" LEVELS "}";
  owned roof_machine *machine = NULL;
  roof_finding findings[2];
  assert_int_equal(roof_machine_read(text, sizeof text - 1, "x", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_machine_lint(machine, findings, 2), 2);
  assert_false(findings[0].error);
  assert_true(findings[1].error);
  assert_string_equal(findings[1].message,
                      "4.000 TFLOP/s is twice units x FLOP/cycle x clock: sparse quoted as dense?");
}

static void one_way_links_are_fine(void **state) {
  (void)state;
  static const char *const texts[] = {
      LINK("\"name\": \"NVLink 4\", \"bytes_per_second\": 450e9, \"both_ways_bytes_per_second\": 900e9"),
      LINK("\"name\": \"NVLink-C2C\", \"joins\": 1, \"bytes_per_second\": 450e9"),
      LINK("\"name\": \"PCIe 5.0 x16\", \"bytes_per_second\": 63e9"),
      LINK("\"name\": \"PCIe x16\", \"bytes_per_second\": 63e9"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_machine_read(texts[i], strlen(texts[i]), "x", &machine, NULL), ROOF_OK);
    assert_int_equal(roof_machine_lint(machine, NULL, 0), 0);
  }
}

/** A folder with one machine file, as $ROOFLINE_PATH. */
static void user_folders_come_first(void **state) {
  (void)state;
  static const char text[] = HEAD ", \"title\": \"mine\", \"aliases\": [\"my-alias\"]}";
  char folder[] = "/tmp/test-catalog-XXXXXX", path[64], variable[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/nvidia-t4.json", folder);
  snprintf(variable, sizeof variable, "/nonexistent:%s", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  setenv("ROOFLINE_PATH", variable, 1);
  static const char *const names[] = {"nvidia-t4", "nvidia_t4", "my-alias"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    owned roof_machine *machine = NULL;
    assert_int_equal(roof_catalog_load(names[i], &machine, NULL), ROOF_OK);
    assert_string_equal(machine->title, "mine");
  }
  roof_catalog_list all;
  assert_int_equal(roof_catalog_list_all(&all, NULL), ROOF_OK);
  assert_int_equal(all.count, list.count);
  roof_catalog_list_done(&all);
  unsetenv("ROOFLINE_PATH");
  remove(path);
  remove(folder);
}

static void several_machines_in_one_document(void **state) {
  (void)state;
  roof_machine *one = roof_machine_new(), *two = roof_machine_new();
  const roof_machine *const machines[] = {one, two};
  roof_text all = {0}, first = {0};
  assert_int_equal(roof_machines_write(machines, 2, &all, NULL), ROOF_OK);
  assert_int_equal(roof_machine_write(one, &first, NULL), ROOF_OK);
  assert_non_null(strstr(all.data, "{\"schema\": \"roofline.machines/1\", \"machines\": [{"));
  assert_non_null(strstr(all.data, first.data));
  assert_string_equal(all.data + all.length - 3, "]}\n");
  roof_text_done(&all);
  roof_text_done(&first);
  roof_machine_free(one);
  roof_machine_free(two);
}

static void machines_are_loaded_by_their_names(void **state) {
  (void)state;
  const char *const names[] = {"h100,a100", "peak=19.5TFLOP/s bandwidth=2039GB/s", NULL};
  const char *const commas[] = {",", NULL}, *const unknown[] = {"h100,a101", NULL};
  roof_machine **machines = NULL;
  int count = 0;
  roof_error error;
  assert_int_equal(roof_machines_load(names, &machines, &count, NULL), ROOF_OK);
  assert_int_equal(count, 3);
  assert_string_equal(machines[1]->name, "nvidia-a100-sxm-80gb");
  roof_machines_free(machines, count);
  machines = NULL;
  assert_int_equal(roof_machines_load(commas, &machines, &count, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "--machine: no name");
  assert_int_equal(roof_machines_load(unknown, &machines, &count, NULL), ROOF_E_NAME);
  assert_null(machines);
  roof_machines_free(NULL, 0);
}

static void targets_are_machines_in_formats(void **state) {
  (void)state;
  const char *const names[] = {"h100", "a100", NULL}, *const dtypes[] = {"fp32", "fp16", NULL};
  const roof_formats formats = {.dtype = "bf16"}, bad = {.dtype = "fp17"};
  const roof_options_text options = {.efficiency = "70%", .warm = 1};
  roof_targets targets;
  assert_int_equal(roof_targets_init(&targets, names, &formats, NULL, &options, NULL), ROOF_OK);
  assert_int_equal(targets.count, 2);
  assert_int_equal(targets.targets[1].types.compute, ROOF_BF16);
  assert_true(targets.targets[1].options.warm);
  assert_near(targets.targets[1].options.efficiency, 0.7, 1e-12);
  roof_targets_done(&targets);
  assert_int_equal(roof_targets_init(&targets, names, &formats, dtypes, &options, NULL), ROOF_OK);
  assert_int_equal(targets.count, 4);
  assert_int_equal(targets.targets[2].types.compute, ROOF_FP32);
  assert_int_equal(targets.targets[3].types.compute, ROOF_FP16);
  assert_string_equal(targets.machines[3]->name, "nvidia-a100-sxm-80gb");
  roof_targets_done(&targets);
  assert_int_equal(targets.count, 0);
  assert_int_equal(roof_targets_init(&targets, names, &bad, NULL, &options, NULL), ROOF_E_NAME);
}

static void options_are_read_as_typed(void **state) {
  (void)state;
  const roof_options_text none = {0},
                          typed = {
                              .efficiency = "65%,78%,85%", .launch = "5us", .unit = "vector", .tile = "64"};
  const roof_options_text bad[] = {{.efficiency = "1,2"}, {.overlap = "x"}, {.unit = "scalar"}};
  roof_options options;
  roof_error error;
  assert_false(roof_options_typed(&none));
  assert_true(roof_options_typed(&typed));
  assert_int_equal(roof_options_read(&none, &options, NULL), ROOF_OK);
  assert_near(options.efficiency, roof_options_default().efficiency, 0);
  assert_int_equal(roof_options_read(&typed, &options, NULL), ROOF_OK);
  assert_near(options.efficiency_low, 0.65, 1e-12);
  assert_near(options.efficiency_high, 0.85, 1e-12);
  assert_near(options.launch, 5e-6, 1e-12);
  assert_near(options.tile, 64, 0);
  assert_int_equal(options.unit, ROOF_VECTOR);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_not_equal(roof_options_read(&bad[i], &options, &error), ROOF_OK);
  }
  assert_near(options.tile, 64, 0);
  assert_int_equal(roof_options_read(&bad[0], &options, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "--efficiency 1,2: one share, or LOW,TYPICAL,HIGH");
}

static void an_answer_may_do_without_a_machine(void **state) {
  (void)state;
  roof_machine *machine = NULL;
  roof_error error = {0};
  assert_int_equal(roof_catalog_load_known("no-such-machine", &machine, &error), ROOF_OK);
  assert_null(machine);
  assert_string_equal(error.message, "");
  assert_int_equal(roof_catalog_load_known("h100", &machine, &error), ROOF_OK);
  assert_string_equal(machine->name, "nvidia-h100-sxm");
  roof_machine_free(machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_may_do_without_a_machine),
      cmocka_unit_test(machines_are_loaded_by_their_names),
      cmocka_unit_test(targets_are_machines_in_formats),
      cmocka_unit_test(options_are_read_as_typed),
      cmocka_unit_test(test_figures_are_a_machine),
      cmocka_unit_test(test_parts_give_peak_and_bandwidth),
      cmocka_unit_test(several_machines_in_one_document),
      cmocka_unit_test(every_builtin_machine_round_trips),
      cmocka_unit_test(libraries_and_energy_read_back),
      cmocka_unit_test(blocks_read_back),
      cmocka_unit_test(wrong_blocks_are_refused),
      cmocka_unit_test(every_framework_of_the_constants_has_a_name),
      cmocka_unit_test(every_figure_has_a_source),
      cmocka_unit_test(names_and_aliases_are_unique_and_load),
      cmocka_unit_test(devices_go_by_their_drivers_names),
      cmocka_unit_test(names_as_people_write_them),
      cmocka_unit_test(every_title_loads_its_own_machine),
      cmocka_unit_test(accelerators_have_a_launch_cost),
      cmocka_unit_test(gpus_have_units_and_a_fast_cache),
      cmocka_unit_test(gpus_have_latencies_of_their_architecture),
      cmocka_unit_test(secondary_figures_are_theoretical),
      cmocka_unit_test(dense_is_not_sparse),
      cmocka_unit_test(memories_of_units_have_a_width),
      cmocka_unit_test(chips_send_their_part_of_a_pod),
      cmocka_unit_test(figures_equal_the_collected_ones),
      cmocka_unit_test(wrong_names_get_the_nearest),
      cmocka_unit_test(bad_files_say_where),
      cmocka_unit_test(what_measure_adds_reads_back),
      cmocka_unit_test(builtin_machines_have_no_lint_errors),
      cmocka_unit_test(blackwells_differ_by_what_an_sm_does_in_a_clock),
      cmocka_unit_test(the_template_lints_clean_but_for_what_is_to_fill_in),
      cmocka_unit_test(lint_finds),
      cmocka_unit_test(a_sparse_figure_as_dense_is_an_error),
      cmocka_unit_test(one_way_links_are_fine),
      cmocka_unit_test(domains_round_trip),
      cmocka_unit_test(user_folders_come_first),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
