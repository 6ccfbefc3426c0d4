/* A model on a device and its host: what each computes in turn, and what crosses between them. */
#include "roofline/hybrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/step.h"

/** Tokens of a prompt for which weights come over the link once: llama.cpp's micro-batch (`--ubatch-size`, 512 by default). */
static const double micro_batch = 512;

typedef struct work {
  const roof_hybrid_question *question;
  roof_hybrid_kind kind;
  roof_model_target device, host;
  double share; /**< of the layers, or of their experts, that the host has */
  double expert_layers;
  roof_model_phase phase;
} work;

/** Times of a step, or a prompt, of what is shared. */
typedef struct times {
  double expected, low, high;
} times;

static const struct {
  const char *name, *text;
} kinds[ROOF_HYBRID_COUNT] = {
#define NAME(symbol, name, text) [symbol] = {name, text},
    ROOF_HYBRID_MAP(NAME)
#undef NAME
};

const char *roof_hybrid_name(roof_hybrid_kind kind, const char **text) {
  bool known = (unsigned)kind < ROOF_HYBRID_COUNT;
  if (text != NULL) {
    *text = known ? kinds[kind].text : "?";
  }
  return known ? kinds[kind].name : "?";
}

/** Share of an operation that the host does: what is done once is outside of the layers. */
static double moved(const work *w, const roof_model_operation *o) {
  bool outer = o->part == ROOF_PART_HEAD || o->kind == ROOF_KIND_SAMPLING || o->count <= 1;
  return w->kind == ROOF_HYBRID_DEVICE    ? 0
         : w->kind == ROOF_HYBRID_HOST    ? 1
         : w->kind == ROOF_HYBRID_EXPERTS ? (o->part == ROOF_PART_EXPERTS ? w->share : 0)
         : outer                          ? 0
                                          : w->share;
}

/** Adds the operations of a phase that one of both does. */
static void add_phase(work *w, const roof_model_target *t, bool host, roof_phase kind, times *sum) {
  double prompt = roof_model_own_prompt(t), last = prompt + fmax(0, t->settings.generate - 2);
  roof_model_phase_of(t, kind, prompt, last, &w->phase);
  for (int i = 0; i < w->phase.count; i++) {
    const roof_model_operation *o = &w->phase.operations[i];
    double away = moved(w, o), count = o->count * (host ? away : 1 - away);
    if (count > 0) {
      sum->expected += count * o->expected_seconds;
      sum->low += count * o->expected_low_seconds;
      sum->high += count * o->expected_high_seconds;
    }
  }
}

/** Bytes of weights of all layers, or of their experts. */
static double layer_bytes(const roof_model_target *t, bool experts) {
  model_weights weights = rf_model_local_weights(t);
  double all = rf_model_weight_bytes(t, &weights),
         outer =
             weights.table * t->table_bytes + weights.parts[ROOF_PART_HEAD] * t->weight_bytes[ROOF_PART_HEAD];
  return experts ? weights.parts[ROOF_PART_EXPERTS] * t->weight_bytes[ROOF_PART_EXPERTS] : all - outer;
}

static double table_bytes(const roof_model_target *t) {
  model_weights weights = rf_model_local_weights(t);
  return weights.table * t->table_bytes;
}

/** The host's part of the weights, the cache of its layers and the table. */
static void add_memory(const work *w, roof_hybrid *s) {
  roof_model_capacity all = roof_model_capacity_of(&w->device);
  double cache = all.kv_bytes + all.state_bytes + all.fragmentation_bytes;
  bool layers = w->kind == ROOF_HYBRID_LAYERS;
  double away =
      table_bytes(&w->device) + w->share * layer_bytes(&w->device, !layers) + (layers ? w->share * cache : 0);
  away = w->kind == ROOF_HYBRID_DEVICE ? table_bytes(&w->device)
         : w->kind == ROOF_HYBRID_HOST ? all.total_bytes
                                       : away;
  s->host_bytes = away;
  s->device_bytes = all.total_bytes - away;
  s->device_capacity_bytes = all.capacity_bytes;
  s->host_capacity_bytes = isnan(w->question->host_bytes) ? w->host.plain.capacity : w->question->host_bytes;
  double more = fmax(s->device_bytes - s->device_capacity_bytes, s->host_bytes - s->host_capacity_bytes);
  s->fits = !(more > 0);
  s->short_bytes = s->fits ? NAN : more;
}

/** Activations that cross the link in a step: to the host and back, for whole layers once, for experts in each layer. */
static double crossing_seconds(const work *w, double layers) {
  const roof_link *link = &w->device.links[ROOF_SPAN_HOST];
  double crossings = w->kind == ROOF_HYBRID_LAYERS    ? (layers > 0) * 2
                     : w->kind == ROOF_HYBRID_EXPERTS ? 2 * layers
                                                      : 0;
  double bytes = w->device.settings.batch * w->device.model->hidden * w->device.activation_bytes;
  return crossings * (link->latency_seconds + bytes / link->bytes_per_second);
}

/** Weights of the host's layers that come to the device for a prompt. */
static double streaming_seconds(const work *w) {
  bool shared = w->kind == ROOF_HYBRID_LAYERS || w->kind == ROOF_HYBRID_EXPERTS;
  double rounds = ceil(w->device.settings.prompt / micro_batch);
  double bytes = shared ? w->share * layer_bytes(&w->device, w->kind == ROOF_HYBRID_EXPERTS) : 0;
  return rounds * bytes / w->device.links[ROOF_SPAN_HOST].bytes_per_second;
}

static double layers_of(const work *w) {
  return w->kind == ROOF_HYBRID_EXPERTS ? w->expert_layers : w->device.model->layer_count;
}

static void set_layers(work *w, double layers, roof_hybrid *s) {
  s->kind = w->kind;
  s->layers = layers;
  s->of = layers_of(w);
  w->share = layers / s->of;
  add_memory(w, s);
}

static void add_times(work *w, roof_hybrid *s) {
  times step = {0}, prompt = {0};
  bool on_host = w->kind == ROOF_HYBRID_HOST;
  if (!on_host) {
    add_phase(w, &w->device, false, ROOF_PHASE_DECODE, &step);
  }
  if (w->kind != ROOF_HYBRID_DEVICE) {
    add_phase(w, &w->host, true, ROOF_PHASE_DECODE, &step);
  }
  w->kind = on_host ? ROOF_HYBRID_HOST : ROOF_HYBRID_DEVICE; /* prompts stay together */
  add_phase(w, on_host ? &w->host : &w->device, on_host, ROOF_PHASE_PREFILL, &prompt);
  w->kind = s->kind;
  s->link_seconds = crossing_seconds(w, s->layers);
  s->prompt_seconds = prompt.expected / w->device.settings.batch + streaming_seconds(w);
  s->token_seconds = step.expected + s->link_seconds;
  s->token_low_seconds = step.low + s->link_seconds;
  s->token_high_seconds = step.high + s->link_seconds;
  s->tokens_per_second = w->device.settings.batch / s->token_seconds;
}

static roof_status check(work *w, roof_error *error) {
  const roof_model *m = w->question->model;
  for (int i = 0; i < m->layer_count; i++) {
    w->expert_layers += m->blocks[m->layers[i]].experts > 0;
  }
  if (m->encoder) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "hybrid: %s is %s: it has no time per token", m->name,
                          m->denoises ? "a diffusion model" : "an encoder");
  }
  if (w->kind == ROOF_HYBRID_EXPERTS && w->expert_layers == 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "hybrid: %s has no experts", m->name);
  }
  if (isnan(w->device.plain.capacity)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "hybrid: %s does not say how much memory it has",
                          w->question->device->name);
  }
  return w->device.links[ROOF_SPAN_HOST].bytes_per_second > 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "hybrid: the file of %s has no link to its host (PCIe)",
                              w->question->device->name);
}

static roof_status init(work *w, const roof_hybrid_question *q, roof_hybrid_kind kind, roof_error *error) {
  roof_model_settings one = *q->base;
  one.tp = one.pp = one.dp = one.ep = one.cp = 1;
  w->question = q;
  w->kind = kind;
  roof_status status = roof_model_target_init(&w->device, q->model, q->device, &one, error);
  one.memory_share = 1;
  status = status == ROOF_OK ? roof_model_target_init(&w->host, q->model, q->host, &one, error) : status;
  return status == ROOF_OK ? check(w, error) : status;
}

roof_status roof_hybrid_of(const roof_hybrid_question *q, roof_hybrid_kind kind, roof_hybrid *way,
                           roof_error *error) {
  work *w = calloc(1, sizeof *w);
  if (w == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "hybrid: out of memory");
  }
  roof_hybrid found = {.layers = 0};
  roof_status status = init(w, q, kind, error);
  if (status == ROOF_OK) {
    double most = layers_of(w), n = kind == ROOF_HYBRID_HOST ? most : kind == ROOF_HYBRID_DEVICE ? 0 : 1;
    set_layers(w, n, &found);
    while ((kind == ROOF_HYBRID_EXPERTS || kind == ROOF_HYBRID_LAYERS) && n < most &&
           found.device_bytes > found.device_capacity_bytes) {
      set_layers(w, ++n, &found);
    }
    add_times(w, &found);
    if (!found.fits) {
      found.prompt_seconds = found.token_seconds = found.token_low_seconds = found.token_high_seconds = NAN;
      found.link_seconds = found.tokens_per_second = NAN;
    }
    *way = found;
  }
  free(w);
  return status;
}

char *roof_hybrid_options(const roof_hybrid *s, char *buffer, size_t size) {
  const double all = 99;
  if (s->kind == ROOF_HYBRID_EXPERTS) {
    snprintf(buffer, size, "-ngl %.0f --n-cpu-moe %.0f", all, s->layers);
  } else {
    /* the output projection counts as a layer */
    double layers = s->kind == ROOF_HYBRID_DEVICE ? all
                    : s->kind == ROOF_HYBRID_HOST ? 0
                                                  : s->of - s->layers + 1;
    snprintf(buffer, size, "-ngl %.0f", layers);
  }
  return buffer;
}
