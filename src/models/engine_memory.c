/* What of a device's memory the cache may fill, by the rule of the engine that serves:
 *   vLLM          a share of all, 0.9 unless set, less weights and what the largest step takes (gpu_memory_utilization;
 *                 docs.vllm.ai/en/latest/configuration/engine_args)
 *   SGLang        a static share has weights and cache; what is left out of it is reserved for activations, graphs and the plan's
 *                 communication (sgl-project/sglang, python/sglang/srt/server_args.py, where --mem-fraction-static is not set)
 *   TensorRT-LLM  0.9 of what weights, activations and runtime leave free (free_gpu_memory_fraction;
 *                 nvidia.github.io/TensorRT-LLM/examples/kvcacheconfig.html) */
#include <math.h>
#include <string.h>

#include "models/step.h"

static const char *const names[ROOF_MEMORY_RULE_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_MEMORY_RULE_MAP(NAME)
#undef NAME
};

const char *roof_memory_rule_name(roof_memory_rule rule) {
  return (unsigned)rule < ROOF_MEMORY_RULE_COUNT ? names[rule] : "?";
}

roof_status roof_memory_rule_parse(const char *text, roof_memory_rule *rule, roof_error *error) {
  const char *all[ROOF_MEMORY_RULE_COUNT + 1] = {NULL};
  for (int i = 0; i < ROOF_MEMORY_RULE_COUNT; i++) {
    all[i] = names[i];
    if (strcmp(text, names[i]) == 0) {
      *rule = (roof_memory_rule)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "engine", text, all, NULL);
}

static const double MIB = 1048576, GIB = 1073741824;

/** SGLang's sizes of a step and of its graphs, by the memory of a device. */
static const struct {
  double below_gib, chunk, graphs, wide_graphs; /**< the last with 4 devices or more of tp */
} sizes[] = {{20, 2048, 8, 8},
             {35, 2048, 24, 80},
             {60, 4096, 32, 160},
             {160, 8192, 256, 512},
             {INFINITY, 16384, 512, 512}};

static double reserved(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  size_t i = 0;
  while (t->plain.capacity >= sizes[i].below_gib * GIB) {
    i++;
  }
  double graphs = s->tp < 4 ? sizes[i].graphs : sizes[i].wide_graphs;
  double mib = 512 + 1.5 * fmax(2048, s->chunk > 0 ? s->chunk : sizes[i].chunk) + 2 * graphs +
               s->tp * s->pp / 8 * 1024;
  if (s->ep > s->tp && s->dp > 1) { /* replicas that share experts: attention alone is apart */
    mib += graphs * s->dp * (graphs > 300 ? 4.5 : 3);
  }
  return MIB * (t->plain.capacity > 60 * GIB ? fmax(mib, 10 * 1024) : mib);
}

double rf_engine_capacity(const roof_model_target *t, const roof_model_capacity *c) {
  const roof_model_settings *s = &t->settings;
  double all = t->plain.capacity, steps = c->workspace_bytes + c->activation_bytes;
  double fixed = c->weight_bytes + steps;
  if (s->train || s->memory_rule == ROOF_MEMORY_VLLM) {
    return all * s->memory_share;
  }
  return s->memory_rule == ROOF_MEMORY_SGLANG ? all - reserved(t) + steps
                                              : fixed + s->memory_share * fmax(0, all - fixed);
}
