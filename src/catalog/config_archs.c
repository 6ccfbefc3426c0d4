/* Architectures: what a class fixes, and what it takes where its config is silent. One row a family. Source
 * of every row: the class's configuration and modeling file in huggingface/transformers
 * (src/transformers/models/TYPE), or what `source` names. */
#include <stdio.h>
#include <string.h>

#include "catalog/config.h"

static const config_arch archs[] = {
    {.types = "llama", .classes = "Llama", .activation = "silu"},
    {.types = "mistral", .classes = "Mistral", .activation = "silu", .window_everywhere = true},
    {.types = "qwen2", .classes = "Qwen2", .defaults = {[Q_QKV_BIAS] = 1}, .window_needs_flag = true},
    {.types = "qwen3 qwen3_vl qwen3_vl_text",
     .classes = "Qwen3 Qwen3VL",
     .qk_norm = QK_NORM_HEAD,
     .qk_norm_always = true,
     .window_needs_flag = true},
    {.types = "mixtral", .classes = "Mixtral", .expert_is_width = true, .window_everywhere = true},
    {.types = "phi3", .classes = "Phi3", .window_everywhere = true},
};
enum { ARCH_COUNT = sizeof archs / sizeof archs[0], NAME_COUNT = 96, NAME_SIZE = 24 };

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

const config_arch *config_arch_find(const char *type, const char *class_name) {
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

const char *const *config_arch_names(void) {
  static char storage[NAME_COUNT][NAME_SIZE];
  static const char *names[NAME_COUNT + 1];
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
  names[count] = NULL;
  return names;
}
