/* Architectures: what a class fixes, and what it takes where its config is silent. One row a family. Source
 * of every row: the class's configuration and modeling file in huggingface/transformers
 * (src/transformers/models/TYPE), or what `source` names. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "weights/config.h"

static const config_arch archs[] = {
    {.types = "llama", .classes = "Llama LLaMA"},
    {.types = "mistral", .classes = "Mistral", .window_everywhere = true},
    {.types = "mixtral", .classes = "Mixtral", .expert_is_width = true, .window_everywhere = true},
    {.types = "qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text",
     .classes = "Qwen2 Qwen2VL Qwen2_5_VL",
     .defaults = {[Q_QKV_BIAS] = 1},
     .window_needs_flag = true},
    {.types = "qwen2_moe",
     .classes = "Qwen2Moe",
     .defaults = {[Q_QKV_BIAS] = 1},
     .shared_gate = true,
     .window_needs_flag = true},
    {.types = "qwen3 qwen3_vl qwen3_vl_text",
     .classes = "Qwen3 Qwen3VL",
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true,
     .window_needs_flag = true},
    {.types = "qwen3_moe qwen3_vl_moe qwen3_vl_moe_text",
     .classes = "Qwen3Moe Qwen3VLMoe",
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true,
     .window_needs_flag = true},
    {.types = "qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
     .classes = "Qwen3Next Qwen3_5 Qwen3_5Moe",
     .defaults = {[Q_OUTPUT_GATE] = 1, [Q_FULL_INTERVAL] = 4, [Q_SCAN] = 64},
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true,
     .shared_gate = true},
    {.types = "gemma",
     .classes = "Gemma",
     .defaults = {[Q_TIED] = 1, [Q_HEAD_DIM] = 256},
     .activation = "gelu_pytorch_tanh"},
    {.types = "gemma2",
     .classes = "Gemma2",
     .defaults = {[Q_TIED] = 1, [Q_HEAD_DIM] = 256, [Q_WINDOW] = 4096, [Q_WINDOW_PATTERN] = 2},
     .activation = "gelu_pytorch_tanh",
     .norms = 4},
    {.types = "gemma3 gemma3_text",
     .classes = "Gemma3",
     .defaults = {[Q_TIED] = 1,
                  [Q_HEADS] = 8,
                  [Q_KV_HEADS] = 4,
                  [Q_HEAD_DIM] = 256,
                  [Q_VOCAB] = 262208,
                  [Q_CONTEXT] = 131072,
                  [Q_WINDOW] = 4096,
                  [Q_WINDOW_PATTERN] = 6},
     .activation = "gelu_pytorch_tanh",
     .norms = 4,
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true},
    {.types = "gemma4 gemma4_text",
     .classes = "Gemma4",
     .defaults = {[Q_TIED] = 1},
     .activation = "gelu_pytorch_tanh",
     .norms = 4,
     .norms_parallel = 3,
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true},
    {.types = "gpt2",
     .classes = "GPT2 GPT2Custom",
     .defaults = {[Q_TIED] = 1, [Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_CONTEXT] = 1024},
     .activation = "gelu_new",
     .four_times = true,
     .plain_mlp = true,
     .layer_norm = true,
     .learned_positions = true},
    {.types = "gpt_bigcode",
     .classes = "GPTBigCode",
     .defaults = {[Q_TIED] = 1, [Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_CONTEXT] = 1024, [Q_MULTI_QUERY] = 1},
     .activation = "gelu_pytorch_tanh",
     .four_times = true,
     .plain_mlp = true,
     .layer_norm = true,
     .learned_positions = true},
    {.types = "gpt_neox",
     .classes = "GPTNeoX",
     .defaults = {[Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_PARALLEL] = 1},
     .activation = "gelu",
     .plain_mlp = true,
     .layer_norm = true,
     .separate_norms = true},
    {.types = "starcoder2",
     .classes = "Starcoder2",
     .defaults = {[Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_TIED] = 1},
     .activation = "gelu_pytorch_tanh",
     .plain_mlp = true,
     .layer_norm = true,
     .window_everywhere = true},
    {.types = "bloom",
     .classes = "Bloom",
     .defaults = {[Q_TIED] = 1, [Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1},
     .activation = "gelu",
     .four_times = true,
     .plain_mlp = true,
     .layer_norm = true,
     .no_positions = true,
     .embedding_norm = true},
    {.types = "falcon RefinedWebModel",
     .classes = "Falcon RW",
     .defaults = {[Q_TIED] = 1, [Q_MULTI_QUERY] = 1, [Q_PARALLEL] = 1},
     .activation = "gelu",
     .four_times = true,
     .plain_mlp = true,
     .layer_norm = true},
    {.types = "opt",
     .classes = "OPT",
     .defaults = {[Q_TIED] = 1, [Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_CONTEXT] = 2048},
     .activation = "relu",
     .plain_mlp = true,
     .layer_norm = true,
     .learned_positions = true,
     .more_positions = 2},
    {.types = "phi",
     .classes = "Phi",
     .defaults = {[Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_PARALLEL] = 1, [Q_HEAD_BIAS] = 1},
     .fixed_bias = true,
     .activation = "gelu_new",
     .plain_mlp = true,
     .layer_norm = true,
     .qk_norm = QK_NORM_HEAD},
    {.types = "phi3", .classes = "Phi3", .window_everywhere = true},
    {.types = "phimoe",
     .classes = "PhiMoE Phimoe",
     .layer_norm = true,
     .expert_is_width = true,
     .window_everywhere = true},
    {.types = "deepseek_v2", .classes = "DeepseekV2"},
    {.types = "deepseek_v3 deepseek_v32 kimi_k2 kimi_k25",
     .classes = "DeepseekV3 DeepseekV32 KimiK25",
     .router_bias = true},
    {.types = CONFIG_OWN_DEEPSEEK,
     .classes = CONFIG_OWN_DEEPSEEK,
     .source = "deepseek-ai/DeepSeek-V3 inference/model.py"},
    {.types = "glm_moe_dsa", .classes = "GlmMoeDsa", .router_bias = true},
    {.types = "glm4_moe_lite", .classes = "Glm4MoeLite", .router_bias = true},
    {.types = "glm", .classes = "Glm", .bias_of_qkv = true},
    {.types = "glm4 glm4v glm4v_text", .classes = "Glm4 Glm4v", .bias_of_qkv = true, .norms = 4},
    {.types = "glm4_moe glm4v_moe glm4v_moe_text",
     .classes = "Glm4Moe Glm4vMoe",
     .bias_of_qkv = true,
     .router_bias = true,
     .qk_norm = QK_NORM_HEAD},
    {.types = "gpt_oss",
     .classes = "GptOss",
     .defaults = {[Q_EXPERT_BIAS] = 1, [Q_ROUTER_BIAS] = 1, [Q_WINDOW_PATTERN] = 2},
     .sinks = true,
     .expert_is_width = true},
    {.types = "llama4 llama4_text",
     .classes = "Llama4",
     .defaults = {[Q_CHUNK] = 8192, [Q_WINDOW_PATTERN] = 4, [Q_MOE_STEP] = 1},
     .expert_is_width = true,
     .shared_is_expert = true},
    {.types = "minimax_m2", .classes = "MiniMaxM2", .qk_norm = QK_NORM_WHOLE, .expert_is_width = true},
    {.types = "minimax minimax_text_01 minimax_m1",
     .classes = "MiniMax MiniMaxText01 MiniMaxM1",
     .defaults = {[Q_SCAN] = 256},
     .expert_is_width = true,
     .lightning = true},
    {.types = "kimi_linear",
     .classes = "KimiLinear",
     .source = "moonshotai/Kimi-Linear-48B-A3B-Base modeling_kimi.py",
     .defaults = {[Q_SCAN] = 64},
     .router_bias = true,
     .no_positions = true},
    {.types = "cohere",
     .classes = "Cohere",
     .defaults = {[Q_TIED] = 1, [Q_PARALLEL] = 1},
     .layer_norm = true,
     .qk_norm = QK_NORM_WHOLE},
    {.types = "cohere2",
     .classes = "Cohere2",
     .defaults = {[Q_TIED] = 1, [Q_PARALLEL] = 1, [Q_WINDOW_PATTERN] = 4},
     .layer_norm = true},
    {.types = "granite", .classes = "Granite"},
    {.types = "granitemoe", .classes = "GraniteMoe", .expert_is_width = true},
    {.types = "olmoe",
     .classes = "Olmoe",
     .expert_is_width = true,
     .qk_norm = QK_NORM_WHOLE,
     .qk_norm_always = true},
    {.types = "smollm3", .classes = "SmolLM3", .defaults = {[Q_TIED] = 1}},
    {.types = "seed_oss", .classes = "SeedOss", .bias_of_qkv = true},
    {.types = "internlm2", .classes = "InternLM2", .source = "internlm/internlm2-7b modeling_internlm2.py"},
    {.types = "step3p5 step3p7",
     .classes = "Step3p5 Step3p7Flash",
     .source =
         "no public class was found: attention and experts as their keys say, norms of Q and K per head",
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true},
    {.types = "olmo2 olmo3",
     .classes = "Olmo2 Olmo3",
     .defaults = {[Q_WINDOW_PATTERN] = 4},
     .qk_norm = QK_NORM_WHOLE,
     .qk_norm_always = true},
    {.types = "nemotron_h",
     .classes = "NemotronH",
     .defaults = {[Q_CONV_BIAS] = 1},
     .activation = "relu2",
     .plain_mlp = true,
     .no_positions = true},
    {.types = "nemotron-nas", .classes = "DeciLM"},
    {.types = "granitemoehybrid",
     .classes = "GraniteMoeHybrid",
     .defaults = {[Q_TIED] = 1,
                  [Q_STATE_HEADS] = 128,
                  [Q_STATE_GROUPS] = 1,
                  [Q_STATE] = 256,
                  [Q_KERNEL] = 4,
                  [Q_EXPAND] = 2,
                  [Q_SCAN] = 256,
                  [Q_CONV_BIAS] = 1},
     .expert_is_width = true,
     .mamba_where_silent = true},
    {.types = "falcon_h1",
     .classes = "FalconH1",
     .defaults = {[Q_STATE_HEADS] = 128,
                  [Q_STATE_GROUPS] = 1,
                  [Q_STATE] = 256,
                  [Q_KERNEL] = 4,
                  [Q_EXPAND] = 2,
                  [Q_INNER] = 1024,
                  [Q_SCAN] = 256,
                  [Q_CONV_BIAS] = 1},
     .mamba_parallel = true},
    {.types = "jamba",
     .classes = "Jamba",
     .defaults = {[Q_ATTENTION_PERIOD] = 8,
                  [Q_ATTENTION_OFFSET] = 4,
                  [Q_MOE_PERIOD] = 2,
                  [Q_MOE_OFFSET] = 1,
                  [Q_CONV_BIAS] = 1},
     .expert_is_width = true,
     .no_positions = true,
     .mamba1 = true,
     .mamba_norms = true},
    {.types = "mamba",
     .classes = "Mamba",
     .defaults = {[Q_TIED] = 1, [Q_CONV_BIAS] = 1, [Q_STATE] = 16, [Q_KERNEL] = 4, [Q_EXPAND] = 2},
     .no_positions = true,
     .mamba1 = true,
     .mamba_alone = true},
    {.types = "mamba2",
     .classes = "Mamba2",
     .defaults = {[Q_CONV_BIAS] = 1,
                  [Q_STATE] = 128,
                  [Q_KERNEL] = 4,
                  [Q_EXPAND] = 2,
                  [Q_HEAD_DIM] = 64,
                  [Q_STATE_GROUPS] = 8,
                  [Q_SCAN] = 256},
     .no_positions = true,
     .mamba_alone = true},
    {.types = "bert",
     .classes = "Bert",
     .defaults = {[Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1, [Q_CONTEXT] = 512, [Q_TOKEN_TYPES] = 2, [Q_TIED] = 1},
     .activation = "gelu",
     .plain_mlp = true,
     .layer_norm = true,
     .learned_positions = true,
     .encoder = true,
     .embedding_norm = true,
     .no_final_norm = true,
     .pooler = true},
    {.types = "vit",
     .classes = "ViT",
     .defaults = {[Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1},
     .activation = "gelu",
     .plain_mlp = true,
     .layer_norm = true,
     .no_positions = true,
     .encoder = true,
     .patches = true,
     .class_token = true},
    {.types = "siglip_vision_model",
     .classes = "SiglipVision",
     .defaults = {[Q_OUT_BIAS] = 1, [Q_MLP_BIAS] = 1},
     .activation = "gelu_pytorch_tanh",
     .plain_mlp = true,
     .layer_norm = true,
     .no_positions = true,
     .encoder = true,
     .patches = true},
};
enum { ARCH_COUNT = sizeof archs / sizeof archs[0], NAME_COUNT = 128, NAME_SIZE = 24 };

/** True when `word` is one of `words`. */
static bool has_word(const char *words, const char *word) {
  size_t length = word != NULL ? strlen(word) : 0;
  for (const char *at = words; length > 0 && at != NULL && *at != '\0';) {
    size_t span = strcspn(at, " ");
    if (span == length && strncmp(at, word, length) == 0) {
      return true;
    }
    at += span + strspn(at + span, " ");
  }
  return false;
}

const config_arch *rf_config_arch_find(const char *type, const char *class_name) {
  for (int i = 0; i < ARCH_COUNT; i++) {
    if (has_word(archs[i].types, type)) {
      return &archs[i];
    }
  }
  for (int i = 0; i < ARCH_COUNT && type == NULL; i++) {
    if (has_word(archs[i].classes, class_name)) {
      return &archs[i];
    }
  }
  return NULL;
}

const char *rf_config_arch_refusal(const char *type, const char *class_name) {
  static const struct {
    const char *types, *classes, *why;
  } refusals[] = {
      {"gemma3n gemma3n_text", "Gemma3n",
       "its per-layer embeddings, its four streams (AltUp), its layers that share keys and values"},
      {"whisper t5 mt5 umt5 bart mbart pegasus marian led longt5 speech_to_text m2m_100",
       "Whisper T5 MT5 UMT5 Bart MBart Pegasus Marian LED LongT5 Speech2Text M2M100",
       "an encoder and a decoder that attends to it"},
      {"siglip siglip2 clip chinese_clip align blip", "Siglip Siglip2 CLIP ChineseCLIP Align Blip",
       "two towers, of text and of images"},
      {"siglip2_vision_model clip_vision_model dinov2 dinov3_vit swin convnext "
       "wav2vec2 hubert",
       "Siglip2Vision CLIPVision Dinov2 DINOv3ViT Swin ConvNext Wav2Vec2 Hubert",
       "an encoder of images or sound: it has no vocabulary"},
      {"rwkv rwkv5 rwkv6 rwkv7 xlstm recurrent_gemma", "Rwkv Rwkv5 Rwkv6 Rwkv7 xLSTM RecurrentGemma",
       "its recurrence"},
      {"mllama", "Mllama", "layers that attend to another tower"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    if (has_word(refusals[i].types, type) || (type == NULL && has_word(refusals[i].classes, class_name))) {
      return refusals[i].why;
    }
  }
  return NULL;
}

static const char *names[NAME_COUNT + 1];

static void list_names(void) {
  static char storage[NAME_COUNT][NAME_SIZE];
  int count = 0;
  for (int i = 0; i < ARCH_COUNT; i++) {
    for (const char *at = archs[i].types; *at != '\0' && count < NAME_COUNT;) {
      int span = (int)strcspn(at, " ");
      snprintf(storage[count], NAME_SIZE, "%.*s", span, at);
      names[count] = storage[count];
      count++;
      at += span + (int)strspn(at + span, " ");
    }
  }
}

const char *const *rf_config_arch_names(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, list_names);
  return names;
}
