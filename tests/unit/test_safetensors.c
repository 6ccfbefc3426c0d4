/* Safetensors headers: built here, and the samples; with a config.json they give a model its bytes. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roofline/weights.h"
#include "weights/safetensors.h"

static char folder[] = "/tmp/test_safetensors_XXXXXX";

/** A header with its length before it, and `bytes` of data behind. */
static size_t build(unsigned char *file, size_t size, const char *header, size_t bytes) {
  size_t length = strlen(header);
  memset(file, 0, size);
  file[0] = (unsigned char)length;
  file[1] = (unsigned char)(length >> 8);
  memcpy(file + 8, header, length);
  return 8 + length + bytes;
}

static void refuse_with(const char *header, size_t bytes, const char *words) {
  unsigned char file[1024];
  weights w = {0};
  roof_error error = {0};
  size_t length = build(file, sizeof file, header, bytes);
  assert_int_equal(rf_safetensors_add(&w, file, length, "x.safetensors", &error), ROOF_E_PARSE);
  if (strstr(error.message, words) == NULL) {
    fail_msg("no `%s` in: %s", words, error.message);
  }
}

static void refuses(void **state) {
  (void)state;
  refuse_with("{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 15,
              "a: truncated: its data lie beyond");
  refuse_with("{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,8]}}", 16, "data_offsets");
  refuse_with("{\"a\":{\"dtype\":\"F33\",\"shape\":[4],\"data_offsets\":[0,16]}}", 16, "dtype");
  refuse_with("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,16]}}", 16, "no shape");
  refuse_with("{\"a\":}", 0, "byte 14: header");
  refuse_with("[]", 0, "byte 0: not a safetensors");
}

static void write_file(const char *name, const void *data, size_t length) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  fclose(file);
}

/** The config says bf16, the files fp32 and fp8 for the MLP: the files are right. */
static void next_to_a_config(void **state) {
  (void)state;
  static unsigned char file[4096];
  roof_model m;
  roof_error error = {0};
  const char *config = "{\"model_type\":\"llama\",\"hidden_size\":8,\"intermediate_size\":8,"
                       "\"num_hidden_layers\":1,\"num_attention_heads\":1,\"vocab_size\":8,"
                       "\"torch_dtype\":\"bfloat16\"}";
  assert_non_null(mkdtemp(folder));
  write_file("config.json", config, strlen(config));
  size_t length = build(file, sizeof file,
                        "{\"model.embed_tokens.weight\":{\"dtype\":\"F32\",\"shape\":[8,8],"
                        "\"data_offsets\":[0,256]},\"model.layers.0.mlp.up_proj.weight\":{\"dtype\":"
                        "\"F8_E4M3\",\"shape\":[24,8],\"data_offsets\":[256,448]}}",
                        448);
  write_file("model-00001-of-00002.safetensors", file, length);
  assert_int_equal(roof_model_load(folder, &m, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "1 of 2 files"));
  length = build(file, sizeof file,
                 "{\"lm_head.weight\":{\"dtype\":\"F32\",\"shape\":[8,8],\"data_offsets\":[0,256]}}", 256);
  write_file("model-00002-of-00002.safetensors", file, length);
  if (roof_model_load(folder, &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(m.stored_count == 2 && m.stored[0].bytes == 512 && m.stored[1].bytes == 192);
  assert_int_equal(m.precision.weights[ROOF_PART_MLP].stored, ROOF_FP8);
  assert_true(roof_weight_format_bytes(&m.precision.weights[ROOF_PART_MLP]) == 1);
  assert_int_equal(m.precision.weights[ROOF_PART_HEAD].stored, ROOF_FP32);
  assert_true(m.precision.table_bytes == 4);
  assert_non_null(strstr(m.notes[0], "320 elements"));
}

static int clean(void **state) {
  (void)state;
  static const char *const names[] = {"config.json", "model-00001-of-00002.safetensors",
                                      "model-00002-of-00002.safetensors"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return rmdir(folder);
}

static void samples(void **state) {
  (void)state;
  static const struct {
    const char *file, *words;
  } rows[] = {{"Model-Saving-Test__model.safetensors", "4 tensors, 430 elements, 1720 B"},
              {"mnist-tinygrad__model.safetensors", "2 tensors, 101632 elements, 406528 B"}};
  const char *shared = getenv("ROOFLINE_SHARED");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char path[512];
    roof_model m;
    roof_error error = {0};
    snprintf(path, sizeof path, "%s/profiler-samples/safetensors/%s", shared != NULL ? shared : "../shared",
             rows[i].file);
    if (access(path, R_OK) != 0) {
      print_message("skipped: no %s\n", path);
      skip();
    }
    assert_int_equal(roof_model_load(path, &m, &error), ROOF_E_ARGUMENT);
    if (strstr(error.message, rows[i].words) == NULL) {
      fail_msg("%s", error.message);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refuses), cmocka_unit_test(samples),
                                     cmocka_unit_test_teardown(next_to_a_config, clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
