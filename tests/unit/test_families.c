/* Models that are no stack of layers over one text: encoder-decoders, towers side by side. Their parameters are those that
 * were published, and what each phase asks for is counted by hand. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "roofline/analysis.h"
#include "roofline/catalog.h"
#include "roofline/weights.h"

static roof_machine *machine;

static int load_machine(void **state) {
  (void)state;
  return roof_catalog_load("h100", &machine, NULL) == ROOF_OK ? 0 : -1;
}

static int free_machine(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

static roof_model read_config(const char *text) {
  static roof_model model;
  roof_error error = {0};
  if (roof_model_read(text, strlen(text), "x.json", &model, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return model;
}

static const roof_model_answer *answer(const roof_model *model, const roof_model_settings *s,
                                       roof_model_target *target) {
  static roof_model_answer a;
  roof_error error = {0};
  if (roof_model_target_init(target, model, machine, s, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  roof_model_answer_of(target, &a);
  return &a;
}

static const roof_model_operation *operation(const roof_model_phase *p, const char *name) {
  for (int i = 0; i < p->count; i++) {
    if (strcmp(p->operations[i].name, name) == 0) {
      return &p->operations[i];
    }
  }
  fail_msg("no operation %s", name);
  return NULL;
}

#define WHISPER                                                                                              \
  "{\"model_type\": \"whisper\", \"d_model\": %d, \"encoder_layers\": %d, \"encoder_attention_heads\": %d, " \
  "\"encoder_ffn_dim\": %d, \"decoder_layers\": %d, \"decoder_attention_heads\": %d, \"decoder_ffn_dim\": "  \
  "%d, \"num_mel_bins\": %d, \"max_source_positions\": 1500, \"max_target_positions\": 448, "                \
  "\"vocab_size\": %d, \"num_hidden_layers\": %d, \"torch_dtype\": \"float16\"}"

static roof_model whisper(int width, int layers, int decoder, int bands, int vocab) {
  char text[1024];
  int heads = width / 64;
  snprintf(text, sizeof text, WHISPER, width, layers, heads, 4 * width, decoder, heads, 4 * width, bands,
           vocab, layers);
  return read_config(text);
}

#define T5                                                                                                   \
  "{\"model_type\": \"t5\", \"d_model\": %d, \"d_ff\": %d, \"d_kv\": 64, \"num_heads\": %d, "                \
  "\"num_layers\": %d, \"vocab_size\": 32128, \"feed_forward_proj\": \"%s\", \"tie_word_embeddings\": %s}"

static roof_model t5(int width, int inner, int heads, int layers, const char *mlp, const char *tied) {
  char text[512];
  snprintf(text, sizeof text, T5, width, inner, heads, layers, mlp, tied);
  return read_config(text);
}

#define BART                                                                                                 \
  "{\"model_type\": \"bart\", \"d_model\": 1024, \"encoder_layers\": 12, \"decoder_layers\": 12, "           \
  "\"encoder_ffn_dim\": 4096, \"decoder_ffn_dim\": 4096, \"encoder_attention_heads\": 16, "                  \
  "\"decoder_attention_heads\": 16, \"max_position_embeddings\": 1024, \"vocab_size\": 50265}"

#define CLIP                                                                                                 \
  "{\"model_type\": \"clip\", \"projection_dim\": 768, \"text_config\": {\"hidden_size\": 768, "             \
  "\"intermediate_size\": 3072, \"num_attention_heads\": 12, \"num_hidden_layers\": 12, \"model_type\": "    \
  "\"clip_text_model\"}, \"vision_config\": {\"hidden_size\": 1024, \"intermediate_size\": 4096, "           \
  "\"num_attention_heads\": 16, \"num_hidden_layers\": 24, \"patch_size\": 14, \"image_size\": 224, "        \
  "\"model_type\": \"clip_vision_model\"}}"

#define DINO                                                                                                 \
  "{\"model_type\": \"dinov2\", \"hidden_size\": 1024, \"num_attention_heads\": 16, \"num_hidden_layers\": " \
  "24, \"mlp_ratio\": 4, \"patch_size\": 14, \"image_size\": 518, \"use_swiglu_ffn\": false}"

/** Elements of the published files of weights (safetensors), or what their authors state. */
static void published(void **state) {
  (void)state;
  const struct {
    const char *name;
    roof_model model;
    double parameters;
  } rows[] = {
      /* huggingface.co/openai/whisper-*: 37.8 M, 72.6 M, 242 M, 764 M, 1.54 B, 809 M */
      {"whisper-tiny", whisper(384, 4, 4, 80, 51865), 37.8e6},
      {"whisper-base", whisper(512, 6, 6, 80, 51865), 72.6e6},
      {"whisper-small", whisper(768, 12, 12, 80, 51865), 242e6},
      {"whisper-medium", whisper(1024, 24, 24, 80, 51865), 764e6},
      {"whisper-large-v3", whisper(1280, 32, 32, 128, 51866), 1543490560},
      {"whisper-large-v3-turbo", whisper(1280, 32, 4, 128, 51866), 809e6},
      /* huggingface.co/google-t5: 60.5 M, 223 M, 738 M; google/flan-t5-xl 2.85 B, -xxl 11.3 B (untied, both tables) */
      {"t5-small", t5(512, 2048, 8, 6, "relu", "true"), 60506624},
      {"t5-base", t5(768, 3072, 12, 12, "relu", "true"), 222903552},
      {"t5-large", t5(1024, 4096, 16, 24, "relu", "true"), 737668096},
      {"flan-t5-xl", t5(2048, 5120, 32, 24, "gated-gelu", "false"), 2.85e9},
      {"flan-t5-xxl", t5(4096, 10240, 64, 24, "gated-gelu", "false"), 11.14e9},
      /* facebook/bart-large: 406 M */
      {"bart-large", read_config(BART), 406291456},
      /* openai/clip-vit-large-patch14: 428 M; facebook/dinov2-large: 304 M */
      {"clip-vit-large-patch14", read_config(CLIP), 427616513},
      {"dinov2-large", read_config(DINO), 304368640},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double counted = roof_model_count(&rows[i].model).total;
    if (fabs(counted / rows[i].parameters - 1) > 0.01) {
      fail_msg("%s: %.0f of %.0f", rows[i].name, counted, rows[i].parameters);
    }
  }
}

/** 30 s of sound through Whisper large-v3, d = 1280: the front of two convolutions, 32 layers over 1500 tokens, the decoder's
 * keys and values once; then a step that reads them. */
static void sound(void **state) {
  (void)state;
  const double d = 1280, n = 1500, layers = 32, bytes = 2;
  roof_model model = whisper(1280, 32, 32, 128, 51866);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  assert_true(s.prompt == 4);
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *e = &a->phases[ROOF_PHASE_ENCODE], *step = &a->phases[ROOF_PHASE_DECODE];
  assert_true(operation(e, "conv1")->flops == 2 * 3000 * (3 * 128) * d);
  assert_true(operation(e, "conv2")->flops == 2 * n * 3 * d * d);
  assert_true(operation(e, "qkv_proj")->flops == 2 * n * d * 3 * d &&
              operation(e, "qkv_proj")->count == layers);
  assert_true(operation(e, "attention")->flops ==
              n * n * (4 * d + 5 * 20)); /* all pairs; softmax 5 a score */
  assert_true(operation(e, "up_proj")->flops == 2 * n * d * 4 * d);
  assert_true(operation(e, "cross_kv_proj")->flops == 2 * n * d * 2 * d);
  assert_true(operation(step, "cross_q_proj")->flops == 2 * d * d);
  assert_true(operation(step, "cross_attention")->flops == n * (4 * d + 5 * 20));
  assert_true(operation(step, "cross_attention")->bytes[ROOF_BYTES_KV] == n * 2 * d * bytes);
  /* one sequence: 1500 tokens of the encoder and 260 of its own in each of 32 layers */
  assert_true(a->capacity.kv_bytes == layers * 2 * d * bytes * (n + 4 + 256));
  assert_true(a->capacity.kv_bytes_per_token == layers * 2 * d * bytes);
  assert_near(a->encode_seconds + a->phases[ROOF_PHASE_PREFILL].expected_seconds, a->ttft_seconds, 1e-12);
  assert_near(e->stream_seconds[1], e->expected_seconds, 1e-12);
  assert_near(a->continuous.ttft_seconds, a->ttft_seconds, 1e-12);
  /* every weight is read once by the encoder or by a step, but for the tables that are looked up */
  double table = roof_model_count(&model).embedding * bytes;
  assert_near(e->bytes[ROOF_BYTES_WEIGHTS] + step->bytes[ROOF_BYTES_WEIGHTS],
              a->capacity.weight_bytes - table, 1e-12);
}

/** The prompt goes into T5's encoder, and its decoder begins with one token. */
static void text_to_text(void **state) {
  (void)state;
  roof_model model = t5(768, 3072, 12, 12, "relu", "true");
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  s.prompt = 400, s.generate = 100, s.batch = 3;
  const roof_model_answer *a = answer(&model, &s, &target);
  assert_true(roof_model_own_prompt(&target) == 1 && roof_model_stream_tokens(&target, 0) == 400);
  assert_true(a->phases[ROOF_PHASE_ENCODE].tokens == 3 * 400 && a->phases[ROOF_PHASE_PREFILL].tokens == 3);
  assert_true(operation(&a->phases[ROOF_PHASE_ENCODE], "up_proj")->flops == 2.0 * 1200 * 768 * 3072);
  assert_true(a->capacity.kv_bytes == 3 * 12 * 2 * 768 * 2.0 * (400 + 1 + 100));
  assert_string_equal(roof_model_stream_name(&model, 1), "text");
  assert_null(roof_model_stream_name(&model, 0));
}

/** CLIP's towers run side by side: nothing is generated or cached. */
static void two_towers(void **state) {
  (void)state;
  roof_model model = read_config(CLIP);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  roof_text text = {0};
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *e = &a->phases[ROOF_PHASE_ENCODE];
  assert_string_equal(model.architecture, "clip");
  assert_true(s.prompt == 77 && a->capacity.kv_bytes == 0 && isnan(a->tpot_seconds));
  assert_near(e->stream_seconds[0] + e->stream_seconds[1], e->expected_seconds, 1e-12);
  assert_true(operation(e, "patch_proj")->flops == 2.0 * 257 * 588 * 1024);
  assert_true(operation(e, "image_projection")->flops == 2.0 * 1024 * 768);
  roof_model_headline(&text, &target, a);
  assert_non_null(strstr(text.data, "an image and a text of 77 tokens in "));
  roof_text_done(&text);
}

/** What is not computed of them is refused. */
static void refused(void **state) {
  (void)state;
  roof_model model = t5(768, 3072, 12, 12, "relu", "true");
  roof_model_target target;
  roof_error error = {0};
  roof_model_settings s = roof_model_settings_default(&model);
  s.train = true;
  assert_int_equal(roof_model_target_init(&target, &model, machine, &s, &error), ROOF_E_UNSUPPORTED);
  static const char tiny[] = "{\"model_type\": \"whisper\", \"d_model\": 64, \"vocab_size\": 100, "
                             "\"max_source_positions\": 0, \"encoder_layers\": 1}";
  assert_true(roof_model_read(tiny, strlen(tiny), "x", &model, &error) != ROOF_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(published), cmocka_unit_test(sound),
                                     cmocka_unit_test(text_to_text), cmocka_unit_test(two_towers),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, load_machine, free_machine);
}
