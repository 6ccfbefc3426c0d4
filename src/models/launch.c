/* The commands that serve a plan: options of vLLM ("Engine Arguments", docs.vllm.ai) and SGLang ("Server Arguments",
 * docs.sglang.ai). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/choice.h"

/** Names of an engine's options; a NULL one is not typed. */
typedef struct engine {
  const char *name, *start;
  const char *tp, *pp, *dp;
  const char *experts;        /**< spreads the experts over all devices of tp x dp; no value */
  const char *expert_devices; /**< takes their number */
  const char *context, *batch, *kv_fp8;
} engine;

static const engine engines[ROOF_ENGINE_COUNT] = {
    [ROOF_ENGINE_VLLM] = {.name = "vllm",
                          .start = "vllm serve",
                          .tp = "--tensor-parallel-size",
                          .pp = "--pipeline-parallel-size",
                          .dp = "--data-parallel-size",
                          .experts = "--enable-expert-parallel",
                          .context = "--max-model-len",
                          .batch = "--max-num-seqs",
                          .kv_fp8 = "--kv-cache-dtype fp8"},
    [ROOF_ENGINE_SGLANG] = {.name = "sglang",
                            .start = "python3 -m sglang.launch_server --model-path",
                            .tp = "--tp-size",
                            .pp = "--pp-size",
                            .dp = "--dp-size",
                            .expert_devices = "--ep-size",
                            .context = "--context-length",
                            .batch = "--max-running-requests",
                            .kv_fp8 = "--kv-cache-dtype fp8_e4m3"}};

/** Precisions that an engine makes from the weights of a 16-bit checkpoint. */
static const struct {
  const char *precision, *option;
} formats[] = {{"fp8", "--quantization fp8"}, {"bf16", "--dtype bfloat16"}, {"fp16", "--dtype float16"}};

const char *roof_engine_name(roof_engine which) {
  return (unsigned)which < ROOF_ENGINE_COUNT ? engines[which].name : "?";
}

/** A text that grows in the caller's buffer. */
typedef struct line {
  char *text;
  size_t size, used;
} line;

static void add(line *l, const char *format, ...) ROOF_PRINTF(2, 3);
static void add(line *l, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int n = rf_vformat(l->text + l->used, l->size - l->used, format, values);
  va_end(values);
  l->used = n > 0 && (size_t)n < l->size - l->used ? l->used + (size_t)n : l->size - 1;
}

static void add_count(line *l, const char *option, double value) {
  if (value > 1) {
    add(l, " %s %.0f", option, value);
  }
}

/** SGLang shares experts among devices of `tp`; over replicas these must share attention (its DP attention). */
static void add_plan(line *l, const engine *e, const roof_plan_point *p) {
  bool wide = e->expert_devices != NULL && p->ep > p->tp;
  add_count(l, e->tp, wide ? p->tp * p->dp : p->tp);
  add_count(l, e->pp, p->pp);
  add_count(l, e->dp, p->dp);
  if (wide) {
    add(l, " --enable-dp-attention");
  }
  if (p->ep > 1 && e->experts != NULL) {
    add(l, " %s", e->experts);
  }
  if (e->expert_devices != NULL) {
    add_count(l, e->expert_devices, p->ep);
  }
}

char *roof_choice_launch(const roof_choice_question *q, const roof_choice *c, roof_engine which,
                         const char *served, char *buffer, size_t size) {
  const engine *e = &engines[which];
  const char *precision = q->precisions->names[c->precision];
  line l = {buffer, size, 0};
  add(&l, "%s %s", e->start, served);
  add_plan(&l, e, &c->point);
  add(&l, " %s %.0f", e->context, q->base->prompt + q->base->generate);
  add(&l, " %s %.0f", e->batch, c->point.batch / c->point.dp);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(precision, formats[i].precision) == 0) {
      add(&l, " %s", formats[i].option);
    }
  }
  if (roof_dtype_bytes(q->precisions->list[c->precision].kv) == 1) {
    add(&l, " %s", e->kv_fp8);
  }
  return buffer;
}
