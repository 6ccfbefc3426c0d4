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

#define FLUX                                                                                                 \
  "{\"_class_name\": \"FluxTransformer2DModel\", \"attention_head_dim\": 128, \"guidance_embe"               \
  "ds\": true, \"in_channels\": 64, \"joint_attention_dim\": 4096, \"num_attention_heads\": 2"               \
  "4, \"num_layers\": 19, \"num_single_layers\": 38, \"patch_size\": 1, \"pooled_projection_d"               \
  "im\": 768}"

#define FLUX2                                                                                                \
  "{\"_class_name\": \"Flux2Transformer2DModel\", \"attention_head_dim\": 128, \"in_channels"                \
  "\": 128, \"joint_attention_dim\": 15360, \"num_attention_heads\": 48, \"num_layers\": 8, "                \
  "\"num_single_layers\": 48, \"patch_size\": 1, \"out_channels\": null}"

#define QWEN_IMAGE                                                                                           \
  "{\"_class_name\": \"QwenImageTransformer2DModel\", \"attention_head_dim\": 128, \"guidance"               \
  "_embeds\": false, \"in_channels\": 64, \"joint_attention_dim\": 3584, \"num_attention_head"               \
  "s\": 24, \"num_layers\": 60, \"patch_size\": 2, \"pooled_projection_dim\": 768, \"out_chan"               \
  "nels\": 16}"

#define SD35_LARGE                                                                                           \
  "{\"_class_name\": \"SD3Transformer2DModel\", \"attention_head_dim\": 64, \"in_channels\": "               \
  "16, \"joint_attention_dim\": 4096, \"num_attention_heads\": 38, \"num_layers\": 38, \"patc"               \
  "h_size\": 2, \"pooled_projection_dim\": 2048, \"out_channels\": 16, \"pos_embed_max_size\""               \
  ": 192, \"sample_size\": 128}"

#define SD35_MEDIUM                                                                                          \
  "{\"_class_name\": \"SD3Transformer2DModel\", \"attention_head_dim\": 64, \"in_channels\": "               \
  "16, \"joint_attention_dim\": 4096, \"num_attention_heads\": 24, \"num_layers\": 24, \"patc"               \
  "h_size\": 2, \"pooled_projection_dim\": 2048, \"dual_attention_layers\": [0, 1, 2, 3, 4, 5"               \
  ", 6, 7, 8, 9, 10, 11, 12], \"out_channels\": 16, \"pos_embed_max_size\": 384, \"sample_siz"               \
  "e\": 128}"

#define PIXART                                                                                               \
  "{\"_class_name\": \"PixArtTransformer2DModel\", \"attention_head_dim\": 72, \"in_channels"                \
  "\": 4, \"num_attention_heads\": 16, \"num_layers\": 28, \"patch_size\": 2, \"caption_chann"               \
  "els\": 4096, \"out_channels\": 8, \"sample_size\": 128}"

#define DIT                                                                                                  \
  "{\"_class_name\": \"DiTTransformer2DModel\", \"attention_head_dim\": 72, \"in_channels\": "               \
  "4, \"num_attention_heads\": 16, \"num_layers\": 28, \"patch_size\": 2, \"out_channels\": 8"               \
  ", \"sample_size\": 32}"

#define GEMMA3N_E4B                                                                                          \
  "{\"model_type\": \"gemma3n_text\", \"altup_num_inputs\": 4, \"head_dim\": 256, \"hidden_si"               \
  "ze\": 2048, \"hidden_size_per_layer_input\": 256, \"laurel_rank\": 64, \"num_attention_hea"               \
  "ds\": 8, \"num_hidden_layers\": 35, \"num_key_value_heads\": 2, \"num_kv_shared_layers\": "               \
  "15, \"sliding_window\": 512, \"vocab_size\": 262400, \"vocab_size_per_layer_input\": 26214"               \
  "4, \"intermediate_size\": [16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, "               \
  "16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384,"               \
  " 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384"               \
  "]}"

#define GEMMA3N_E2B                                                                                          \
  "{\"model_type\": \"gemma3n_text\", \"altup_num_inputs\": 4, \"head_dim\": 256, \"hidden_si"               \
  "ze\": 2048, \"hidden_size_per_layer_input\": 256, \"laurel_rank\": 64, \"num_attention_hea"               \
  "ds\": 8, \"num_hidden_layers\": 30, \"num_key_value_heads\": 2, \"num_kv_shared_layers\": "               \
  "10, \"sliding_window\": 512, \"vocab_size\": 262400, \"vocab_size_per_layer_input\": 26214"               \
  "4, \"intermediate_size\": [8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 819"               \
  "2, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 819"               \
  "2, 8192, 8192, 8192, 8192]}"

#define RWKV7                                                                                                \
  "{\"a_low_rank_dim\": 96, \"decay_low_rank_dim\": 96, \"gate_low_rank_dim\": 256, \"head_di"               \
  "m\": 64, \"hidden_size\": 2048, \"intermediate_size\": 8192, \"model_type\": \"rwkv7\", \""               \
  "num_hidden_layers\": 24, \"v_low_rank_dim\": 64, \"vocab_size\": 65536}"

#define RWKV6                                                                                                \
  "{\"head_size\": 64, \"hidden_size\": 2048, \"intermediate_size\": null, \"model_type\": \""               \
  "rwkv6\", \"num_hidden_layers\": 24, \"vocab_size\": 65536}"

#define GLM4                                                                                                 \
  "{\"model_type\": \"glm4\", \"hidden_size\": 4096, \"num_hidden_layers\": 40, \"num_attenti"               \
  "on_heads\": 32, \"num_key_value_heads\": 2, \"head_dim\": 128, \"intermediate_size\": 1369"               \
  "6, \"vocab_size\": 151552, \"attention_bias\": false, \"tie_word_embeddings\": false}"

#define GLM_FLASH                                                                                            \
  "{\"model_type\": \"glm4_moe_lite\", \"hidden_size\": 2048, \"num_hidden_layers\": 47, \"nu"               \
  "m_attention_heads\": 20, \"num_key_value_heads\": 20, \"q_lora_rank\": 768, \"kv_lora_rank"               \
  "\": 512, \"qk_nope_head_dim\": 192, \"qk_rope_head_dim\": 64, \"v_head_dim\": 256, \"inter"               \
  "mediate_size\": 10240, \"moe_intermediate_size\": 1536, \"n_routed_experts\": 64, \"n_shar"               \
  "ed_experts\": 1, \"num_experts_per_tok\": 4, \"first_k_dense_replace\": 1, \"vocab_size\":"               \
  " 154880}"

#define COHERE_R7B                                                                                           \
  "{\"model_type\": \"cohere2\", \"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_atte"               \
  "ntion_heads\": 32, \"num_key_value_heads\": 8, \"head_dim\": 128, \"intermediate_size\": 1"               \
  "4336, \"vocab_size\": 256000, \"sliding_window\": 4096, \"sliding_window_pattern\": 4}"

#define GRANITE_3B                                                                                           \
  "{\"model_type\": \"granitemoe\", \"hidden_size\": 1536, \"num_hidden_layers\": 32, \"num_a"               \
  "ttention_heads\": 24, \"num_key_value_heads\": 8, \"intermediate_size\": 512, \"num_local_"               \
  "experts\": 40, \"num_experts_per_tok\": 8, \"vocab_size\": 49155, \"tie_word_embeddings\":"               \
  " true}"

#define GRANITE_1B                                                                                           \
  "{\"model_type\": \"granitemoe\", \"hidden_size\": 1024, \"num_hidden_layers\": 24, \"num_a"               \
  "ttention_heads\": 16, \"num_key_value_heads\": 8, \"intermediate_size\": 512, \"num_local_"               \
  "experts\": 32, \"num_experts_per_tok\": 8, \"vocab_size\": 49155, \"tie_word_embeddings\":"               \
  " true}"

#define INTERNLM2_7B                                                                                         \
  "{\"model_type\": \"internlm2\", \"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_at"               \
  "tention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336, \"vocab_siz"               \
  "e\": 92544, \"bias\": false}"

#define QWEN2_VL                                                                                             \
  "{\"model_type\": \"qwen2_vl\", \"hidden_size\": 3584, \"num_hidden_layers\": 28, \"num_att"               \
  "ention_heads\": 28, \"num_key_value_heads\": 4, \"intermediate_size\": 18944, \"vocab_size"               \
  "\": 152064, \"tie_word_embeddings\": false, \"vision_config\": {\"depth\": 32, \"embed_dim"               \
  "\": 1280, \"mlp_ratio\": 4, \"num_heads\": 16, \"in_chans\": 3, \"hidden_size\": 3584, \"p"               \
  "atch_size\": 14, \"spatial_merge_size\": 2, \"spatial_patch_size\": 14, \"temporal_patch_s"               \
  "ize\": 2}}"

#define QWEN25_VL                                                                                            \
  "{\"model_type\": \"qwen2_5_vl\", \"hidden_size\": 3584, \"num_hidden_layers\": 28, \"num_a"               \
  "ttention_heads\": 28, \"num_key_value_heads\": 4, \"intermediate_size\": 18944, \"vocab_si"               \
  "ze\": 152064, \"tie_word_embeddings\": false, \"vision_config\": {\"depth\": 32, \"hidden_"               \
  "act\": \"silu\", \"hidden_size\": 1280, \"intermediate_size\": 3420, \"num_heads\": 16, \""               \
  "in_chans\": 3, \"out_hidden_size\": 3584, \"patch_size\": 14, \"spatial_merge_size\": 2, "                \
  "\"spatial_patch_size\": 14, \"window_size\": 112, \"fullatt_block_indexes\": [7, 15, 23, 3"               \
  "1], \"temporal_patch_size\": 2}}"

#define CHATGLM3                                                                                             \
  "{\"model_type\": \"chatglm\", \"add_bias_linear\": false, \"add_qkv_bias\": true, "                       \
  "\"apply_query_key_layer_scaling\": true, \"apply_residual_connection_post_layernorm\": "                  \
  "false, \"attention_softmax_in_fp32\": true, \"bias_dropout_fusion\": true, "                              \
  "\"ffn_hidden_size\": 13696, \"fp32_residual_connection\": false, \"hidden_size\": 4096, "                 \
  "\"kv_channels\": 128, \"layernorm_epsilon\": 1e-05, \"multi_query_attention\": true, "                    \
  "\"multi_query_group_num\": 2, \"num_attention_heads\": 32, \"num_layers\": 28, "                          \
  "\"original_rope\": true, \"padded_vocab_size\": 65024, \"post_layer_norm\": true, "                       \
  "\"rmsnorm\": true, \"seq_length\": 8192, \"tie_word_embeddings\": false, "                                \
  "\"pre_seq_len\": null, \"prefix_projection\": false, \"quantization_bit\": 0}"

#define GLM4_CHAT                                                                                            \
  "{\"model_type\": \"chatglm\", \"add_bias_linear\": false, \"add_qkv_bias\": true, "                       \
  "\"apply_query_key_layer_scaling\": true, \"apply_residual_connection_post_layernorm\": "                  \
  "false, \"attention_softmax_in_fp32\": true, \"bias_dropout_fusion\": true, "                              \
  "\"ffn_hidden_size\": 13696, \"fp32_residual_connection\": false, \"hidden_size\": 4096, "                 \
  "\"kv_channels\": 128, \"layernorm_epsilon\": 1e-05, \"multi_query_attention\": true, "                    \
  "\"multi_query_group_num\": 2, \"num_attention_heads\": 32, \"num_layers\": 40, "                          \
  "\"original_rope\": true, \"padded_vocab_size\": 151552, \"vocab_size\": 151552, "                         \
  "\"rope_ratio\": 500, \"classifier_dropout\": null, \"post_layer_norm\": true, "                           \
  "\"rmsnorm\": true, \"seq_length\": 131072, \"tie_word_embeddings\": false, "                              \
  "\"pre_seq_len\": null, \"prefix_projection\": false, \"quantization_bit\": 0}"

#define GPTJ                                                                                                 \
  "{\"activation_function\": \"gelu_new\", \"gradient_checkpointing\": false, "                              \
  "\"layer_norm_epsilon\": 1e-05, \"model_type\": \"gptj\", \"n_embd\": 4096, \"n_head\": "                  \
  "16, \"n_inner\": null, \"n_layer\": 28, \"n_positions\": 2048, \"rotary\": true, "                        \
  "\"rotary_dim\": 64, \"scale_attn_weights\": true, \"tie_word_embeddings\": false, "                       \
  "\"vocab_size\": 50400}"

#define CODEGEN                                                                                              \
  "{\"activation_function\": \"gelu_new\", \"gradient_checkpointing\": false, "                              \
  "\"layer_norm_epsilon\": 1e-05, \"model_type\": \"codegen\", \"n_ctx\": 2048, "                            \
  "\"n_embd\": 1024, \"n_head\": 16, \"n_inner\": null, \"n_layer\": 20, \"n_positions\": "                  \
  "2048, \"rotary_dim\": 32, \"scale_attn_weights\": true, \"tie_word_embeddings\": false, "                 \
  "\"vocab_size\": 51200}"

#define DBRX                                                                                                 \
  "{\"attn_config\": {\"clip_qkv\": 8, \"kv_n_heads\": 8, \"model_type\": \"\", "                            \
  "\"rope_theta\": 500000}, \"d_model\": 6144, \"ffn_config\": {\"ffn_hidden_size\": "                       \
  "10752, \"model_type\": \"\", \"moe_jitter_eps\": 0.01, \"moe_loss_weight\": 0.05, "                       \
  "\"moe_num_experts\": 16, \"moe_top_k\": 4}, \"max_seq_len\": 32768, \"model_type\": "                     \
  "\"dbrx\", \"n_heads\": 48, \"n_layers\": 40, \"output_router_logits\": false, "                           \
  "\"router_aux_loss_coef\": 0.05, \"tie_word_embeddings\": false, \"vocab_size\": 100352}"

#define EXAONE35                                                                                             \
  "{\"activation_function\": \"silu\", \"head_dim\": 128, \"hidden_size\": 4096, "                           \
  "\"intermediate_size\": 14336, \"layer_norm_epsilon\": 1e-05, "                                            \
  "\"max_position_embeddings\": 32768, \"model_type\": \"exaone\", "                                         \
  "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"num_layers\": 32, "                            \
  "\"rope_scaling\": {\"factor\": 8.0, \"rope_type\": \"llama3\"}, \"rope_theta\": "                         \
  "1000000, \"tie_word_embeddings\": false, \"vocab_size\": 102400}"

#define MINITRON                                                                                             \
  "{\"hidden_act\": \"relu2\", \"hidden_size\": 3072, \"intermediate_size\": 9216, "                         \
  "\"max_position_embeddings\": 4096, \"model_type\": \"nemotron\", "                                        \
  "\"num_attention_heads\": 24, \"head_dim\": 128, \"num_hidden_layers\": 32, "                              \
  "\"num_key_value_heads\": 8, \"norm_eps\": 1e-05, \"rope_theta\": 10000, "                                 \
  "\"partial_rotary_factor\": 0.5, \"tie_word_embeddings\": false, \"vocab_size\": 256000, "                 \
  "\"attention_bias\": false, \"mlp_bias\": false}"

#define QWEN3_VL                                                                                             \
  "{\"model_type\": \"qwen3_vl\", \"text_config\": {\"model_type\": \"qwen3_vl_text\", \"hidd"               \
  "en_size\": 4096, \"num_hidden_layers\": 36, \"num_attention_heads\": 32, \"num_key_value_h"               \
  "eads\": 8, \"head_dim\": 128, \"intermediate_size\": 12288, \"vocab_size\": 151936}, \"tie"               \
  "_word_embeddings\": false, \"vision_config\": {\"depth\": 27, \"hidden_size\": 1152, \"int"               \
  "ermediate_size\": 4304, \"model_type\": \"qwen3_vl\", \"num_heads\": 16, \"num_position_em"               \
  "beddings\": 2304, \"out_hidden_size\": 4096, \"patch_size\": 16, \"spatial_merge_size\": 2"               \
  ", \"temporal_patch_size\": 2, \"deepstack_visual_indexes\": [8, 16, 24]}}"

#define GEMMA3                                                                                               \
  "{\"model_type\": \"gemma3\", \"mm_tokens_per_image\": 256, \"text_config\": {\"model_type"                \
  "\": \"gemma3_text\", \"hidden_size\": 2560, \"num_hidden_layers\": 34, \"intermediate_size"               \
  "\": 10240, \"sliding_window\": 1024}, \"vision_config\": {\"model_type\": \"siglip_vision_"               \
  "model\", \"hidden_size\": 1152, \"image_size\": 896, \"intermediate_size\": 4304, \"num_at"               \
  "tention_heads\": 16, \"num_hidden_layers\": 27, \"patch_size\": 14}}"

#define LLAVA                                                                                                \
  "{\"model_type\": \"llava\", \"text_config\": {\"model_type\": \"llama\", \"hidden_size\": "               \
  "4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, \"intermediate_size\": 11008"               \
  ", \"vocab_size\": 32064, \"max_position_embeddings\": 4096}, \"vision_config\": {\"model_t"               \
  "ype\": \"clip_vision_model\", \"hidden_size\": 1024, \"image_size\": 336, \"intermediate_s"               \
  "ize\": 4096, \"num_attention_heads\": 16, \"num_hidden_layers\": 24, \"patch_size\": 14}}"

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
      /* black-forest-labs: 12 B and 32 B (FLUX.1-dev's file: 11,901,408,320); Qwen/Qwen-Image: 20 B */
      {"flux.1-dev", read_config(FLUX), 11901408320},
      {"flux.2-dev", read_config(FLUX2), 32.2e9},
      {"qwen-image", read_config(QWEN_IMAGE), 20.43e9},
      /* stabilityai: 8.1 B and 2.5 B; arXiv:2310.00426: 0.61 B; arXiv:2212.09748: 675 M */
      {"sd3.5-large", read_config(SD35_LARGE), 8.15e9},
      {"sd3.5-medium", read_config(SD35_MEDIUM), 2.47e9},
      {"pixart-alpha", read_config(PIXART), 610e6},
      {"dit-xl-2", read_config(DIT), 675e6},
      /* ggml-org/gemma-3n-E4B-it-GGUF: 6.87 B, E2B: 4.46 B, both without vision and sound */
      {"gemma-3n-e4b", read_config(GEMMA3N_E4B), 6.87e9},
      {"gemma-3n-e2b", read_config(GEMMA3N_E2B), 4.46e9},
      /* BlinkDL/rwkv-7-world, RWKV/rwkv-6-world-1b6: 1.53 B, 1.60 B */
      {"rwkv7-1.5b", read_config(RWKV7), 1.53e9},
      {"rwkv6-1.6b", read_config(RWKV6), 1.60e9},
      /* zai-org/GLM-4-9B-0414 (the text of GLM-4.1V): 9.4 B; GLM-4.7-Flash: 30 B; CohereLabs/c4ai-command-r7b-12-2024: 8.03 B;
         ibm-granite/granite-3.1-3b-a800m-instruct, -1b-a400m-: 3.3 B, 1.33 B; internlm/internlm2-7b: 7.74 B */
      {"glm-4-9b-0414", read_config(GLM4), 9.4e9},
      {"glm-4.7-flash", read_config(GLM_FLASH), 30e9},
      {"command-r7b", read_config(COHERE_R7B), 8.03e9},
      {"granite-3.1-3b-a800m", read_config(GRANITE_3B), 3.3e9},
      {"granite-3.1-1b-a400m", read_config(GRANITE_1B), 1.33e9},
      {"internlm2-7b", read_config(INTERNLM2_7B), 7.74e9},
      /* Salesforce/codegen-350M-mono; databricks/dbrx-base: 132 B; LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct: 6.98 B and
         two tables; nvidia/Minitron-4B-Base: 4.19 B */
      {"codegen-350m", read_config(CODEGEN), 357e6},
      {"dbrx", read_config(DBRX), 132e9},
      {"exaone-3.5-7.8b", read_config(EXAONE35), 6.98e9 + 2 * 102400.0 * 4096},
      {"minitron-4b", read_config(MINITRON), 4.19e9},
      /* with the tower of images: Qwen/Qwen2-VL-7B-Instruct and Qwen2.5-VL-7B: 8.29 B; Qwen3-VL-8B: 8,767,123,696;
         google/gemma-3-4b-it: 4.3 B; llava-hf/llava-1.5-7b-hf: 7.06 B */
      {"qwen2-vl-7b", read_config(QWEN2_VL), 8.29e9},
      {"qwen2.5-vl-7b", read_config(QWEN25_VL), 8.29e9},
      {"qwen3-vl-8b", read_config(QWEN3_VL), 8767123696},
      {"gemma-3-4b", read_config(GEMMA3), 4.3e9},
      {"llava-1.5-7b", read_config(LLAVA), 7.06e9},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double counted = roof_model_count(&rows[i].model).total;
    if (fabs(counted / rows[i].parameters - 1) > 0.01) {
      fail_msg("%s: %.0f of %.0f", rows[i].name, counted, rows[i].parameters);
    }
  }
}

#define OPT_350M                                                                                             \
  "{\"model_type\": \"opt\", \"hidden_size\": 1024, \"ffn_dim\": 4096, \"num_attention_heads\": 16, "        \
  "\"num_hidden_layers\": 24, \"vocab_size\": 50272, \"max_position_embeddings\": 2048, "                    \
  "\"word_embed_proj_dim\": 512, \"do_layer_norm_before\": false}"

/** To the last element of the published files: keys of Whisper have no bias, norms of Cohere no shift, OPT-350M no norm after
 * the last layer; a class token is one, what makes tokens of an image has norms, and some towers' patches no bias. */
static void vectors_to_the_last(void **state) {
  (void)state;
  roof_model cohere, vit;
  assert_int_equal(roof_model_load("command-r-35b", &cohere, NULL), ROOF_OK);
  assert_int_equal(roof_model_load("vit-base", &vit, NULL), ROOF_OK);
  const struct {
    roof_model model;
    double parameters;
  } rows[] = {{cohere, 34980831232},
              {whisper(1280, 32, 32, 128, 51866), 1543490560},
              {vit, 85798656},
              {read_config(OPT_350M), 331196416},
              {read_config(CHATGLM3), 6243584000},
              {read_config(GLM4_CHAT), 9399951360},
              {read_config(GPTJ), 6050882784},
              {read_config(QWEN2_VL), 8291375616},
              {read_config(QWEN25_VL), 8292166656},
              {read_config(QWEN3_VL), 8767123696},
              {read_config(GEMMA3), 4300079472},
              {read_config(LLAVA), 7063427072}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double counted = roof_model_count(&rows[i].model).total;
    if (counted != rows[i].parameters) {
      fail_msg("%s: %.0f of %.0f", rows[i].model.architecture, counted, rows[i].parameters);
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

/** A step of FLUX.1 at 1024 x 1024: 4096 tokens of the image and 512 of the text, h = 3072. */
static void denoising(void **state) {
  (void)state;
  const double h = 3072, image = 4096, text = 512, all = image + text;
  roof_model model = read_config(FLUX);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  roof_text words = {0};
  assert_true(s.prompt == image && s.steps == 28 && s.guidance == 1 && s.generate == 0);
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *p = &a->phases[ROOF_PHASE_DENOISE];
  assert_true(operation(p, "attention")->flops == all * all * (4 * h + 5 * 24));
  assert_true(operation(p, "attention")->count == 19 + 38);
  double qkv = 0, products = 0;
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    qkv += strcmp(o->name, "qkv_proj") == 0 ? o->count * o->flops : 0;
    products += o->kind == ROOF_KIND_PRODUCT ? o->count * o->flops : 0;
  }
  assert_true(qkv == (19 + 38) * 2 * all * h * 3 * h);
  /* each token meets 12 h^2 of every layer; the conditioning is made once an image */
  double layers = (19 + 38) * 2 * all * 12 * h * h, once = 2 * h * h * (19 * 12 + 38 * 3 + 2 + 3);
  double ends = 2 * h * (image * 64 * 2 + text * 4096 + 2 * 256 + 768);
  assert_near(products, layers + once + ends, 1e-9);
  assert_near(p->bytes[ROOF_BYTES_WEIGHTS], a->capacity.weight_bytes, 1e-9);
  assert_true(a->capacity.kv_bytes == 0 && isnan(a->tpot_seconds));
  assert_near(a->image_seconds, 28 * p->expected_seconds, 1e-12);
  roof_model_headline(&words, &target, a);
  assert_non_null(strstr(words.data, "an image of 1024 x 1024 in "));
  assert_non_null(strstr(words.data, ": 28 steps of "));
  roof_text_done(&words);
  double most = a->capacity.largest_batch; /* activations alone grow with it */
  assert_true(most > 1);
  s.batch = most;
  assert_true(answer(&model, &s, &target)->capacity.fits);
  s.batch = most + 1;
  assert_false(answer(&model, &s, &target)->capacity.fits);
  s.batch = 1;
  s.size = 512;
  s.text = 256;
  p = &answer(&model, &s, &target)->phases[ROOF_PHASE_DENOISE];
  assert_true(operation(p, "attention")->flops == 1280.0 * 1280 * (4 * h + 5 * 24));
}

/** PixArt attends to its text, twice per step: with it and without (Ho and Salimans 2022). */
static void attends_to_text(void **state) {
  (void)state;
  const double h = 1152;
  roof_model model = read_config(PIXART);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *p = &a->phases[ROOF_PHASE_DENOISE];
  assert_true(s.guidance == 2);
  assert_true(operation(p, "cross_attention")->flops == 2 * 4096.0 * 300 * (4 * h + 5 * 16));
  assert_true(operation(p, "cross_kv_proj")->flops == 2 * (2 * 300) * h * 2 * h);
  assert_true(operation(p, "cross_kv_proj")->count == 28 && a->capacity.kv_bytes == 0);
  double table = roof_model_count(&model).embedding * 2;
  assert_near(p->bytes[ROOF_BYTES_WEIGHTS], a->capacity.weight_bytes - table, 1e-9);
}

/** RWKV-7: a matrix of 64 x 64 per head and two shifted tokens in each of 24 layers, and no cache. */
static void recurrent(void **state) {
  (void)state;
  const double h = 2048;
  roof_model model = read_config(RWKV7);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *step = &a->phases[ROOF_PHASE_DECODE];
  assert_true(roof_model_count(&model).state_elements == 24 * (32 * 64 * 64 + 2 * h));
  assert_true(a->capacity.kv_bytes == 0 && a->capacity.state_bytes == 24 * (32 * 64 * 64 + 2 * h) * 4);
  assert_true(operation(step, "in_proj")->flops == 2 * h * 3 * h);
  assert_true(operation(step, "lora_up")->flops == 2 * 512 * h);
  assert_true(operation(step, "state_update")->flops == 7 * h * 64);
  assert_near(step->bytes[ROOF_BYTES_WEIGHTS], a->capacity.weight_bytes - 65536 * h * 2, 1e-9);
}

/** Gemma 3n E4B: of 35 layers 20 have keys of their own, 16 of them in a window of 512; each looks up 256 elements. */
static void shared_keys(void **state) {
  (void)state;
  const double h = 2048;
  roof_model model = read_config(GEMMA3N_E4B);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  s.prompt = 4000, s.generate = 96;
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *step = &a->phases[ROOF_PHASE_DECODE];
  assert_true(a->capacity.kv_bytes == (16 * 512 + 4 * 4096.0) * 2 * 512 * 2);
  assert_true(operation(step, "qkv_proj")->count == 20 && operation(step, "q_proj")->count == 15);
  assert_true(operation(step, "per_layer_proj")->flops == 2 * h * 35 * 256);
  assert_true(operation(step, "altup_proj")->flops == 2 * h * 3 * h);
  assert_true(operation(step, "laurel_left")->flops == 2 * h * 64);
  assert_true(operation(step, "layer_gate")->flops == 2 * h * 256);
  assert_non_null(strstr(model.notes[0], "4.52 B"));
}

/** An image of Gemma 3: 64 x 64 patches of 3 x 14 x 14 through 27 layers, pooled to 256 tokens of the prompt. */
static void images_of_a_prompt(void **state) {
  (void)state;
  const double d = 1152, n = 4096;
  roof_model model = read_config(GEMMA3);
  roof_model_settings s = roof_model_settings_default(&model);
  roof_model_target target;
  roof_error error = {0};
  s.images = 2, s.batch = 3;
  const roof_model_answer *a = answer(&model, &s, &target);
  const roof_model_phase *e = &a->phases[ROOF_PHASE_ENCODE];
  assert_true(operation(e, "patch_proj")->flops == 2 * 6 * n * 588 * d);
  assert_true(operation(e, "attention")->flops == 6 * n * n * (4 * d + 5 * 16));
  assert_true(operation(e, "attention")->count == 27);
  assert_true(operation(e, "image_in")->flops == 2 * 6 * 256 * d * 2560);
  double with = a->ttft_seconds, weights = a->capacity.weight_bytes,
         prompt = a->phases[ROOF_PHASE_PREFILL].flops;
  assert_near(a->encode_seconds, e->expected_seconds, 1e-12);
  s.images = 0;
  a = answer(&model, &s, &target);
  assert_true(!a->phases[ROOF_PHASE_ENCODE].present && isnan(a->encode_seconds) && a->ttft_seconds < with);
  assert_true(a->capacity.weight_bytes == weights && a->phases[ROOF_PHASE_PREFILL].flops == prompt);
  s.images = 9; /* 2304 tokens of 2048 */
  assert_int_equal(roof_model_target_init(&target, &model, machine, &s, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "9 images are 2304 tokens"));
  /* of Qwen2.5-VL's layers four see all 72 x 72 patches, the others windows of 8 x 8 */
  model = read_config(QWEN25_VL);
  s = roof_model_settings_default(&model);
  e = &answer(&model, &s, &target)->phases[ROOF_PHASE_ENCODE];
  double pairs = 0;
  for (int i = 0; i < e->count; i++) {
    const roof_model_operation *o = &e->operations[i];
    pairs += strcmp(o->name, "attention") == 0 ? o->count * o->flops / (4 * 1280 + 5 * 16) : 0;
  }
  assert_near(pairs, 4 * 5184.0 * 5184 + 28 * 5184.0 * 64, 1e-12);
}

/** A tower that a list of modules leaves out stays in the activations' format: of the MLPs its share, here of 36 x 3 x 4096 x 12288
 *  and 27 x 2 x 1152 x 4304. */
static void quantized_but_for_images(void **state) {
  (void)state;
  static const char format[] =
      ", \"quantization_config\": {\"quant_method\": \"fp8\", \"modules_to_not_convert\": "
      "[\"lm_head\", \"model.visual.blocks.0.attn.qkv\"]}}";
  const double text = 36.0 * 3 * 4096 * 12288, image = 27.0 * 2 * 1152 * 4304;
  char config[4096], name[64];
  snprintf(config, sizeof config, "%s", QWEN3_VL);
  config[strlen(config) - 1] = '\0';
  strncat(config, format, sizeof config - strlen(config) - 1);
  roof_model model = read_config(config);
  const roof_weight_format *mlp = &model.precision.weights[ROOF_PART_MLP];
  assert_near(roof_weight_format_bytes(mlp), (text + 2 * image) / (text + image), 1e-9);
  assert_string_equal(roof_weight_format_name(mlp, name, sizeof name), "fp8+bf16");
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(published),
                                     cmocka_unit_test(vectors_to_the_last),
                                     cmocka_unit_test(sound),
                                     cmocka_unit_test(text_to_text),
                                     cmocka_unit_test(two_towers),
                                     cmocka_unit_test(denoising),
                                     cmocka_unit_test(attends_to_text),
                                     cmocka_unit_test(recurrent),
                                     cmocka_unit_test(images_of_a_prompt),
                                     cmocka_unit_test(quantized_but_for_images),
                                     cmocka_unit_test(shared_keys),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, load_machine, free_machine);
}
