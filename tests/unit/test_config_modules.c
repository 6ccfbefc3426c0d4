/* Lists of modules that a quantized file leaves as they are: each form of an entry, and each kind of layer. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "roofline/weights.h"

#define QUANTIZED(model, list)                                                                               \
  "{" model ", \"vocab_size\": 100, \"torch_dtype\": \"bfloat16\", \"quantization_config\": "                \
  "{\"quant_method\": \"fp8\", " list "}}"

#define LLAMA                                                                                                \
  "\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, " \
  "\"num_hidden_layers\": 2"

#define NEXT                                                                                                 \
  "\"model_type\": \"qwen3_next\", \"hidden_size\": 64, \"intermediate_size\": 128, "                        \
  "\"num_attention_heads\": "                                                                                \
  "4, \"num_key_value_heads\": 4, \"head_dim\": 16, \"num_hidden_layers\": 2, \"full_attention_interval\": " \
  "2, \"linear_num_key_heads\": 2, \"linear_num_value_heads\": 4, \"linear_key_head_dim\": 16, "             \
  "\"linear_value_head_dim\": 16, \"linear_conv_kernel_dim\": 4, \"num_experts\": 4, "                       \
  "\"num_experts_per_tok\": 2, \"moe_intermediate_size\": 32, \"shared_expert_intermediate_size\": 32"

#define HYBRID                                                                                               \
  "\"model_type\": \"nemotron_h\", \"hidden_size\": 64, \"intermediate_size\": 128, "                        \
  "\"num_attention_heads\": "                                                                                \
  "4, \"num_key_value_heads\": 4, \"head_dim\": 16, \"num_hidden_layers\": 4, \"hybrid_override_pattern\": " \
  "\"M-*-\", \"ssm_state_size\": 16, \"conv_kernel\": 4, \"mamba_num_heads\": 8, \"mamba_head_dim\": 16, "   \
  "\"n_groups\": 1"

static const double bf16 = 2, fp8 = 1;

/* elements: Q, K, V and z, two scalars of each head, the product out; attention with a gate next to its queries */
static const double linear = 64 * (32 + 32 + 64) + 64 * 64 + 2 * 64 * 4 + 64 * 64, gated = 5 * 64 * 64;
static const double state = 64 * (2 * 128 + 2 * 16 + 8) + 128 * 64, heads = 4 * 64 * 64;

/** Bytes of a weight of one part, and what a note says of the list. */
static void lists(void **unused) {
  (void)unused;
  const struct {
    const char *text;
    roof_model_part part;
    double share; /**< of the part that stays in bf16 */
    const char *note;
  } rows[] = {
      {QUANTIZED(LLAMA, "\"ignore\": [\"lm_head\", \"re:.*mlp.*\"]"), ROOF_PART_MLP, 1, NULL},
      {QUANTIZED(LLAMA, "\"ignore\": [\"re:.*mlp.*\"]"), ROOF_PART_MIXER, 0, NULL},
      {QUANTIZED(LLAMA, "\"ignore\": [\"re:model\\\\.layers\\\\.(?:[\\\\d])\\\\.mlp\\\\.(gate|up)_proj$\"]"),
       ROOF_PART_MLP, 2.0 / 3, NULL},
      {QUANTIZED(LLAMA, "\"ignore\": [\"re:.*?layers\\\\.\\\\d+\\\\.self_attn\\\\.\\\\w_proj\"]"),
       ROOF_PART_MIXER, 1, NULL},
      {QUANTIZED(LLAMA, "\"ignore\": [\"re:mlp.*\"]"), ROOF_PART_MLP, 0, "ignore: 1 of 1 entries"},
      {QUANTIZED(LLAMA, "\"ignore\": [\"re:.*(?!mlp)\", \"lm_head\"]"), ROOF_PART_MLP, 0,
       "ignore: 1 of 2 entries name no matrix known here (`re:.*(?!mlp)`)"},
      {QUANTIZED(LLAMA, "\"exclude_modules\": [\"*.q_proj\"]"), ROOF_PART_MIXER, 0.25, NULL},
      {QUANTIZED(LLAMA, "\"exclude_modules\": [\"model.layers.*.mlp*\"]"), ROOF_PART_MLP, 1, NULL},
      {QUANTIZED(LLAMA, "\"exclude_modules\": [\"model.layers.1*\", \"model.layers.1.mlp.up_proj\"]"),
       ROOF_PART_MLP, 0.5, NULL},
      {QUANTIZED(LLAMA, "\"modules_to_not_convert\": [\"self_attn\"]"), ROOF_PART_MIXER, 1, NULL},
      {QUANTIZED(LLAMA, "\"modules_to_not_convert\": [\"down_proj\", \"mlp.up_proj\"]"), ROOF_PART_MLP,
       2.0 / 3, NULL},
      {QUANTIZED(LLAMA, "\"modules_to_not_convert\": [\"attn\", \"p_proj\"]"), ROOF_PART_MLP, 0,
       "1 of 2 entries name no matrix known here (`p_proj`)"},
      {QUANTIZED(LLAMA, "\"llm_int8_skip_modules\": [\"model.layers.0.mlp\"]"), ROOF_PART_MLP, 0.5, NULL},
      {QUANTIZED(LLAMA, "\"ignored_layers\": [\"model.layers.0.self_attn.q_proj\"]"), ROOF_PART_MIXER, 0.125,
       NULL},
      {QUANTIZED(LLAMA, "\"ignore\": [\"model.embed_tokens\", \"re:.*vision.*\", \"mlp.gate\", "
                        "\"model.layers.0.input_layernorm\", \"model.layers.2.eh_proj\", \"re:.*gate$\"]"),
       ROOF_PART_MLP, 0, NULL},
      {QUANTIZED(NEXT, "\"ignore\": [\"re:.*linear_attn.*\"]"), ROOF_PART_MIXER, linear / (linear + gated),
       NULL},
      {QUANTIZED(
           NEXT,
           "\"exclude_modules\": [\"model.layers.0.linear_attn*\", \"model.layers.0.linear_attn.conv1d\"]"),
       ROOF_PART_MIXER, linear / (linear + gated), NULL},
      {QUANTIZED(NEXT, "\"ignore\": [\"re:.*shared_expert\\\\..*\", \"re:.*shared_expert_gate\"]"),
       ROOF_PART_MLP, 1, NULL},
      {QUANTIZED(NEXT, "\"ignore\": [\"re:.*shared_expert.*\"]"), ROOF_PART_EXPERTS, 0, NULL},
      {QUANTIZED(NEXT, "\"ignore\": [\"re:.*mlp\\\\.experts\\\\.\\\\d+\\\\.down_proj\"]"), ROOF_PART_EXPERTS,
       1.0 / 3, NULL},
      {QUANTIZED(NEXT,
                 "\"ignore\": [\"model.layers.0.mlp.experts.3.up_proj\", \"model.layers.1.mlp.experts\"]"),
       ROOF_PART_EXPERTS, 0.5 + 1.0 / 24, NULL},
      {QUANTIZED(HYBRID,
                 "\"exclude_modules\": [\"backbone.layers.1.mixer.up_proj\", \"backbone.layers.3.mixer*\"]"),
       ROOF_PART_MLP, 0.75, NULL},
      {QUANTIZED(HYBRID, "\"exclude_modules\": [\"backbone.layers.2.mixer*\"]"), ROOF_PART_MIXER,
       heads / (heads + state), NULL},
      {QUANTIZED(HYBRID, "\"exclude_modules\": [\"backbone.layers.0.mixer.in_proj\", "
                         "\"backbone.layers.0.mixer.out_proj\"]"),
       ROOF_PART_MIXER, state / (heads + state), NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model m;
    roof_error error = {0};
    if (roof_model_read(rows[i].text, strlen(rows[i].text), "x", &m, &error) != ROOF_OK) {
      fail_msg("%s: %s", rows[i].text, error.message);
    }
    double bytes = roof_weight_format_bytes(&m.precision.weights[rows[i].part]);
    if (fabs(bytes - fp8 - (bf16 - fp8) * rows[i].share) > 1e-12) {
      fail_msg("%s: %.4f bytes, not %.4f", rows[i].text, bytes, fp8 + (bf16 - fp8) * rows[i].share);
    }
    assert_int_equal(m.note_count, rows[i].note != NULL);
    assert_true(rows[i].note == NULL || strstr(m.notes[0], rows[i].note) != NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
