/* GGUF files: one built here byte by byte, and the samples. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "roofline/catalog.h"

enum { SIZE = 1 << 20, F32 = 0, Q4_0 = 2, U32 = 4, TEXT = 8 };
static unsigned char file[SIZE];
static size_t used;

static void put(uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) {
    file[used++] = (unsigned char)(value >> (8 * i));
  }
}

static void put_text(const char *text) {
  put(strlen(text), 8);
  memcpy(file + used, text, strlen(text));
  used += strlen(text);
}

static void put_number(const char *key, uint64_t value) {
  put_text(key);
  put(U32, 4);
  put(value, 4);
}

static uint64_t offset;

static void put_tensor(const char *name, uint64_t columns, uint64_t rows, uint64_t type) {
  put_text(name);
  put(2, 4);
  put(columns, 8);
  put(rows, 8);
  put(type, 4);
  put(offset, 8);
  offset += columns * rows * (type == F32 ? 128 : 18) / 32;
}

/** A llama of one layer, 64 wide, with 4 heads on 2, an MLP of 128 and 96 tokens. */
static void build(const char *architecture) {
  memset(file, 0, sizeof file);
  used = 0;
  offset = 0;
  memcpy(file, "GGUF", 4);
  used = 4;
  put(3, 4);
  put(9, 8);
  put(8, 8);
  put_text("general.architecture");
  put(TEXT, 4);
  put_text(architecture);
  put_number("llama.block_count", 1);
  put_number("llama.embedding_length", 64);
  put_number("llama.feed_forward_length", 128);
  put_number("llama.attention.head_count", 4);
  put_number("llama.attention.head_count_kv", 2);
  put_number("llama.context_length", 512);
  put_number("llama.vocab_size", 96);
  put_tensor("token_embd.weight", 64, 96, Q4_0);
  put_tensor("output.weight", 64, 96, F32);
  put_tensor("blk.0.attn_q.weight", 64, 64, Q4_0);
  put_tensor("blk.0.attn_k.weight", 64, 32, Q4_0);
  put_tensor("blk.0.attn_v.weight", 64, 32, Q4_0);
  put_tensor("blk.0.attn_output.weight", 64, 64, Q4_0);
  put_tensor("blk.0.ffn_gate.weight", 64, 128, Q4_0);
  put_tensor("blk.0.ffn_up.weight", 64, 128, Q4_0);
  put_tensor("blk.0.ffn_down.weight", 128, 64, Q4_0);
  used = (used + 31) / 32 * 32 + (size_t)offset;
}

static void reads(void **state) {
  (void)state;
  roof_model m;
  roof_error error = {0};
  build("llama");
  if (roof_model_read_gguf(file, used, "dir/tiny.gguf", &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(m.name, "tiny");
  assert_string_equal(m.architecture, "llama");
  assert_true(m.hidden == 64 && m.vocab == 96 && m.context == 512 && m.layer_count == 1 && !m.tied);
  assert_true(m.blocks[0].heads == 4 && m.blocks[0].kv_heads == 2 && m.blocks[0].width == 128);
  assert_true(roof_weight_format_bytes(&m.precision.weights[ROOF_PART_MLP]) == 18.0 / 32);
  assert_true(roof_weight_format_bytes(&m.precision.weights[ROOF_PART_HEAD]) == 4);
  assert_string_equal(m.precision.weights[ROOF_PART_MLP].label, "Q4_0");
  assert_true(m.precision.table_bytes == 18.0 / 32);
  assert_int_equal(m.stored_count, 2);
  assert_true(m.stored[0].bytes + m.stored[1].bytes == (double)offset);
}

/** Decoding moves the bytes of the file: every matrix once. */
static void true_bytes(void **state) {
  (void)state;
  static roof_machine machine;
  static roof_model_answer answer;
  roof_model m;
  roof_model_target target;
  build("llama");
  assert_int_equal(roof_model_read_gguf(file, used, "tiny.gguf", &m, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  roof_model_settings settings = roof_model_settings_default(&m);
  assert_int_equal(roof_model_target_init(&target, &m, &machine, &settings, NULL), ROOF_OK);
  roof_model_answer_of(&target, &answer);
  double table = 64 * 96 * 18.0 / 32, norms = 0; /* the file has no norms: nothing is known of them */
  for (int i = 0; i < answer.phases[ROOF_PHASE_DECODE].count; i++) {
    const roof_model_operation *o = &answer.phases[ROOF_PHASE_DECODE].operations[i];
    norms += o->part == ROOF_PART_COUNT ? o->count * o->bytes[ROOF_BYTES_WEIGHTS] : 0;
  }
  assert_near(answer.phases[ROOF_PHASE_DECODE].bytes[ROOF_BYTES_WEIGHTS] - norms, (double)offset - table,
              1e-9);
}

static void refuse_with(const char *words) {
  roof_model m;
  roof_error error = {0};
  assert_int_not_equal(roof_model_read_gguf(file, used, "bad.gguf", &m, &error), ROOF_OK);
  if (strstr(error.message, words) == NULL) {
    fail_msg("no `%s` in: %s", words, error.message);
  }
  assert_string_equal(error.file, "bad.gguf");
}

static void refuses(void **state) {
  (void)state;
  build("llama");
  used -= 1;
  refuse_with("cut short");
  used = 40;
  refuse_with("byte ");
  build("llama");
  file[0] = 'g';
  refuse_with("not a GGUF file");
  build("llama");
  file[4] = 9;
  refuse_with("byte 4: a version");
  build("lama");
  refuse_with("did you mean `llama`?");
  build("llama");
  file[8] = 200; /* tensors that are not there */
  refuse_with("byte ");
}

static bool load_sample(const char *name, roof_model *m, roof_error *error) {
  char path[512];
  const char *shared = getenv("ROOFLINE_SHARED");
  snprintf(path, sizeof path, "%s/profiler-samples/gguf/%s", shared != NULL ? shared : "../shared", name);
  FILE *there = fopen(path, "rb");
  if (there == NULL) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  fclose(there);
  return roof_model_load(path, m, error) == ROOF_OK;
}

static void samples(void **state) {
  (void)state;
  roof_model m;
  roof_error error = {0};
  double tensors = 0, elements = 0, bytes = 0;
  assert_true(load_sample("GENERATED_tiny_llama_q4k.gguf", &m, &error));
  for (int i = 0; i < m.stored_count; i++) {
    tensors += m.stored[i].tensors;
    elements += m.stored[i].elements;
    bytes += m.stored[i].bytes;
  }
  assert_true(tensors == 11 && elements == 1102336 && bytes == 730064);
  assert_true(load_sample("ggml-vocab-llama-spm.gguf", &m, &error));
  assert_non_null(strstr(m.notes[0], "no tensors"));
  assert_true(load_sample("ggml-vocab-phi-3.gguf", &m, &error));
  assert_non_null(strstr(m.notes[0], "no tensors"));
  assert_false(load_sample("CORRUPT_utf8-mangled_ggml-vocab-bert-bge.gguf", &m, &error));
  assert_non_null(strstr(error.message, "byte "));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(true_bytes),
                                     cmocka_unit_test(refuses), cmocka_unit_test(samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
