/* A model's run in words: its layers, the settings, memory, the plan, the rates. */
#include "models/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "models/step.h"
#include "roofline/analysis.h"
#include "roofline/plan.h"
#include "roofline/units.h"

enum { SHORT = 48, HOUR = 3600, DAY = 86400 };

/** As people write counts of parameters: 8.03 B. */
static const char *billions(char buffer[SHORT], double count) {
  rf_format(buffer, SHORT, count >= 1e9 ? "%.4g B" : "%.4g M", count >= 1e9 ? count / 1e9 : count / 1e6);
  return buffer;
}

/** "an image" is "image". */
static const char *without_article(const char *text) {
  return strncmp(text, "an ", 3) == 0 ? text + 3 : strncmp(text, "a ", 2) == 0 ? text + 2 : text;
}

static void add_model(roof_text *out, const roof_model_target *t) {
  const roof_model *m = t->model;
  const roof_model_parameters *p = &t->parameters;
  char x[SHORT];
  roof_text_addf(out, "  model       %s: %s parameters", m->architecture, billions(x, p->total));
  if (p->active < p->total) {
    roof_text_addf(out, ", %s active per token", billions(x, p->active));
    if (p->embedding > 0) {
      roof_text_addf(out, " (%s without the embedding table)", billions(x, p->active - p->embedding));
    }
  }
  roof_text_addf(out, "; %d layer%s of width %.0f, %.0f %s\n", m->layer_count, m->layer_count == 1 ? "" : "s",
                 m->hidden, m->patch > 0 ? m->patch : m->vocab,
                 m->patch > 0 ? "inputs in a patch" : "tokens in the vocabulary");
  for (int i = 0; i < m->block_count; i++) {
    const roof_model_block *b = &m->blocks[i];
    const char *stream = b->stream > 0 ? m->streams[(int)b->stream - 1].name : "";
    roof_text_addf(out, "    %3.0f x     %s%s%s", t->layers[i], stream, stream[0] != '\0' ? ": " : "",
                   roof_mixer_name(b->mixer));
    if (b->heads > 0 && b->mixer != ROOF_MIX_NONE) {
      roof_text_addf(out, " of %.0f heads", b->heads);
      if (b->kv_heads > 0 && b->kv_heads != b->heads) {
        roof_text_addf(out, " on %.0f", b->kv_heads);
      }
      roof_text_addf(out, " of %.0f", b->head_dim);
    }
    if (b->window > 0) {
      roof_text_addf(out, ", %s %.0f", b->chunked ? "chunks of" : "window", b->window);
    }
    if (b->kv_rank > 0) {
      roof_text_addf(out, ", latent %.0f + %.0f", b->kv_rank, b->rope_dim);
    }
    if (b->width > 0) {
      roof_text_addf(out, "; %sMLP %.0f", b->gated ? "gated " : "", b->width);
    }
    if (b->joint > 0) {
      roof_text_addf(out, "; %s %s", m->streams[(int)b->joint - 1].name,
                     b->joint_weights ? "through weights of its own" : "and image as one");
    }
    if (b->experts > 0) {
      roof_text_addf(out, "; %.0f of %.0f experts of %.0f", b->experts_per_token, b->experts,
                     b->expert_width);
    }
    roof_text_add(out, "\n");
  }
}

/** A format that the vector unit alone multiplies, and those that the matrix unit does in its place. */
static void add_vector_path(roof_text *out, const roof_machine *machine, roof_dtype dtype) {
  static const roof_dtype others[] = {ROOF_TF32, ROOF_BF16};
  const char *between = "; faster: --dtype ";
  roof_text_addf(out, "              %s is multiplied by the vector unit, as the matrix unit has no %s",
                 roof_dtype_name(dtype), roof_dtype_name(dtype));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    if (roof_machine_peak(machine, others[i], ROOF_MATRIX, false, ROOF_DATASHEET) != NULL) {
      roof_text_addf(out, "%s%s", between, roof_dtype_name(others[i]));
      between = " or ";
    }
  }
  roof_text_add(out, "\n");
}

/** Formats that the machine cannot multiply, each once, and what it does instead. */
static void add_paths(roof_text *out, const roof_model_target *t) {
  roof_model_format formats[ROOF_PART_COUNT];
  bool shown[ROOF_DTYPE_COUNT] = {false};
  int count = roof_model_formats(t, formats);
  for (const roof_model_format *f = formats; f < formats + count; f++) {
    if (!f->native && !shown[f->wanted] && f->wanted == f->compute) {
      add_vector_path(out, t->machine, f->wanted);
      shown[f->wanted] = true;
    } else if (!f->native && !shown[f->wanted]) {
      roof_text_addf(out, "              %s %s %s: %s %s\n", f->lacks ? "no native" : "its",
                     roof_dtype_name(f->wanted), f->lacks ? "path" : "peak is not known",
                     f->quantized ? "those weights are dequantised and multiplied in" : "multiplied in",
                     roof_dtype_name(f->compute));
      shown[f->wanted] = true;
    }
  }
}

void rf_model_add_precision(roof_text *out, const roof_model_target *t) {
  const roof_model_precision *p = &t->settings.precision;
  char format[SHORT];
  roof_text_addf(out, "  precision   activations %s, KV %s; weights", roof_dtype_name(p->activations),
                 roof_dtype_name(p->kv));
  for (int part = 0, shown = 0; part < ROOF_PART_COUNT; part++) {
    if (t->parameters.parts[part] > 0) {
      roof_weight_format_name(&p->weights[part], format, sizeof format);
      roof_text_addf(out, "%s %s %s", shown++ > 0 ? "," : "", roof_model_part_name((roof_model_part)part),
                     format);
    }
  }
  roof_text_add(out, "\n");
  add_paths(out, t);
}

const char *rf_model_axes(char *buffer, size_t size, const roof_model_settings *s) {
  char ep[SHORT] = "", cp[SHORT] = "";
  if (s->ep > 1) {
    snprintf(ep, sizeof ep, " ep %.0f", s->ep);
  }
  if (s->cp > 1) {
    snprintf(cp, sizeof cp, " cp %.0f", s->cp);
  }
  snprintf(buffer, size, "tp %.0f pp %.0f dp %.0f%s%s", s->tp, s->pp, s->dp, ep, cp);
  return buffer;
}

/** What goes in besides the prompt. */
static void add_inputs(roof_text *out, const roof_model_target *t) {
  for (int i = 0; i < t->model->stream_count; i++) {
    const roof_model_stream *s = &t->model->streams[i];
    if (s->tokens > 0 && (s->result == 0 || t->settings.images > 0)) {
      roof_text_addf(out, "%.0f x %s (%.0f tokens)%s", s->result > 0 ? t->settings.images : 1,
                     without_article(s->input), s->result > 0 ? t->settings.images * s->result : s->tokens,
                     s->result > 0 ? " among " : " and ");
    }
  }
}

/** What a diffusion model makes an image of. */
static void add_images(roof_text *out, const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  roof_text_addf(out, "  run         batch %.0f, image of %.0f tokens", s->batch, s->prompt);
  if (t->model->stream_count > 0) {
    roof_text_addf(out, ", text of %.0f", roof_model_stream_tokens(t, 0));
  }
  roof_text_addf(out, "; %.0f step%s, %.0f pass%s each", s->steps, s->steps == 1 ? "" : "s", s->guidance,
                 s->guidance > 1 ? "es (guidance)" : "");
}

void rf_model_add_drafts(roof_text *out, const roof_model_settings *s) {
  if (s->draft > 0) {
    roof_text_addf(out, ", %.0f drafted per step, each %.4g %% right%s", s->draft, 100 * s->accept,
                   rf_model_typed(s, "accept") ? "" : " (assumed)");
  }
}

/** What goes in: prompts and generated tokens, or the microbatches of a training step. */
static void add_run(roof_text *out, const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  double m = roof_model_microbatches(t);
  if (t->model->denoises) {
    add_images(out, t);
    return;
  }
  if (!s->train) {
    roof_text_addf(out, "  run         batch %.0f, ", s->batch);
    add_inputs(out, t);
    roof_text_addf(out, "%.0f tokens in", s->prompt);
    if (s->prefix > 0) {
      roof_text_addf(out, " (%.0f held by the prefix cache)", roof_model_prefix(s));
    }
    roof_text_addf(out, ", %.0f out", s->generate);
    rf_model_add_drafts(out, s);
    return;
  }
  roof_text_addf(out, "  run         global batch %.0f of %.0f tokens, micro-batch %.0f, %.0f accumulated",
                 s->batch, s->prompt, roof_model_replica_batch(t) / m, m);
  roof_text_addf(out, "; recompute %s", roof_recompute_name(s->recompute));
}

static void add_plan(roof_text *out, const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  char x[SHORT];
  add_run(out, t);
  if (s->offload > 0) {
    roof_text_addf(out, "; %.4g %% of the weights with the host", 100 * s->offload);
  }
  if (s->offload_kv > 0) {
    roof_text_addf(out, "; %.4g %% of the cache with the host", 100 * s->offload_kv);
  }
  if (s->offload_optimizer > 0) {
    roof_text_addf(out, "; %.4g %% of the optimizer's state with the host", 100 * s->offload_optimizer);
  }
  const char *framework = s->options.framework;
  if (framework != NULL && strcmp(framework, ROOF_EAGER) == 0 && isnan(s->kernel_seconds)) {
    roof_text_add(out, "; eager launches, as PyTorch's were timed\n");
  } else {
    roof_text_addf(out, "; %s launches, %s per kernel (%s)\n", roof_launch_name(s->launch),
                   roof_quantity_format(x, SHORT, t->kernel.seconds, "s"),
                   roof_provenance_name(t->kernel.kind));
  }
  rf_model_add_precision(out, t);
}

/** What the file of weights holds, one line per type. */
static void add_stored(roof_text *out, const roof_model *m) {
  char x[SHORT];
  roof_stored_type all = roof_model_stored(m);
  if (m->stored_count > 0) {
    roof_text_addf(out, "  file        %.0f tensors, %.0f elements, %.0f B (%s), %.4g bits per weight\n",
                   all.tensors, all.elements, all.bytes, roof_bytes_format(x, SHORT, all.bytes),
                   8 * all.bytes / all.elements);
  }
  for (int i = 0; i < m->stored_count; i++) {
    const roof_stored_type *s = &m->stored[i];
    roof_text_addf(out, "              %-8s %5.0f tensors, %.0f elements, %.0f B, %.4g bits each\n", s->name,
                   s->tensors, s->elements, s->bytes, 8 * s->bytes / s->elements);
  }
}

static void add_cache_rates(roof_text *out, const roof_model_capacity *c) {
  char x[SHORT], y[SHORT];
  roof_text_addf(out, "              %s per token and sequence",
                 roof_bytes_format(x, SHORT, c->kv_bytes_beyond_windows));
  if (c->kv_window_bytes > 0) {
    roof_text_addf(out, " beyond its windows, which hold %s",
                   roof_bytes_format(y, SHORT, c->kv_window_bytes));
  }
}

static void add_capacity(roof_text *out, const roof_model_target *t, const roof_model_capacity *c) {
  char x[SHORT], y[SHORT];
  const struct {
    const char *name;
    double bytes;
  } parts[] = {{"weights", c->weight_bytes},      {"KV cache", c->kv_bytes},
               {"state", c->state_bytes},         {"gradients", c->gradient_bytes},
               {"optimizer", c->optimizer_bytes}, {"activations", c->activation_bytes},
               {"workspace", c->workspace_bytes}, {"half-filled pages", c->fragmentation_bytes}};
  roof_text_addf(out, "  memory      %s of %s per device", roof_bytes_format(x, SHORT, c->total_bytes),
                 roof_bytes_format(y, SHORT, c->capacity_bytes));
  if (t->settings.memory_share < 1) {
    roof_text_addf(out, ", %.4g %% of all", 100 * t->settings.memory_share);
  }
  roof_text_add(out, ":");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (parts[i].bytes > 0) {
      roof_text_addf(out, "%s %s %s", i > 0 ? "," : "", parts[i].name,
                     roof_bytes_format(x, SHORT, parts[i].bytes));
    }
  }
  if (c->shared_kv_bytes > 0) {
    roof_text_addf(out, "; sharing the prefix saves %s", roof_bytes_format(x, SHORT, c->shared_kv_bytes));
  }
  if (c->host_bytes > 0) {
    roof_text_addf(out, "; with the host %s", roof_bytes_format(x, SHORT, c->host_bytes));
  }
  roof_text_add(out, "\n");
  if (t->model->context > 0 && c->longest_context > t->model->context) {
    snprintf(y, SHORT, " (the model itself: %.0f)", t->model->context);
  } else {
    y[0] = '\0';
  }
  if (t->model->denoises && isfinite(c->largest_batch)) {
    roof_text_addf(out, "              largest batch %.0f image%s\n", c->largest_batch,
                   c->largest_batch == 1 ? "" : "s");
  } else if (isinf(c->longest_context) && !t->settings.train && !t->model->denoises) {
    if (c->kv_window_bytes > 0) {
      roof_text_addf(out, "              windows hold %s of a sequence",
                     roof_bytes_format(x, SHORT, c->kv_window_bytes));
    } else {
      roof_text_add(out, "              a state, no cache");
    }
    roof_text_addf(out, ": any context; largest batch %.0f\n", c->largest_batch);
  } else if (!t->model->encoder && !t->settings.train && !isnan(c->capacity_bytes)) {
    add_cache_rates(out, c);
    roof_text_addf(out, "; longest context %.0f%s at batch %.0f, largest batch %.0f at %.0f tokens\n",
                   c->longest_context, y, t->settings.batch, c->largest_batch,
                   t->settings.prompt + t->settings.generate);
  }
}

void rf_model_add_memory_rule(roof_text *out, const roof_model_settings *s, bool changed) {
  if (s->memory_rule == ROOF_MEMORY_VLLM) {
    roof_text_addf(out, ", of %.0f %% of its memory", 100 * s->memory_share);
  } else {
    roof_text_addf(out, ", memory as %s takes it", roof_memory_rule_name(s->memory_rule));
  }
  if (changed && s->memory_rule != ROOF_MEMORY_SGLANG) {
    roof_text_add(out, " (memory_share= sets it)");
  }
}

/* The plan: devices along each axis, links, the pipeline's bubble. */

static void add_link(roof_text *out, const roof_model_target *t, roof_span span, const char *where) {
  char x[SHORT], y[SHORT];
  const roof_link *l = &t->links[span];
  roof_text_addf(out, "%s %s, %s per message %s", l->name,
                 roof_quantity_format(x, SHORT, l->bytes_per_second, "B/s"),
                 roof_quantity_format(y, SHORT, l->latency_seconds, "s"), where);
}

/** How long the transfers of a step keep each link, and which of several binds. */
static void add_spans(roof_text *out, const roof_model_target *t, const roof_model_phase *p) {
  static const char *const spans[ROOF_SPAN_COUNT] = {
#define SPAN(symbol, text) [symbol] = text,
      ROOF_SPAN_MAP(SPAN)
#undef SPAN
  };
  char x[SHORT];
  int links = 0;
  for (int i = 0; i < ROOF_SPAN_COUNT; i++) {
    if (p->link_seconds[i] > 0) {
      roof_text_addf(out, "%s %s %s %s", links++ > 0 ? "," : "", t->links[i].name,
                     roof_quantity_format(x, SHORT, p->link_seconds[i], "s"), spans[i]);
    }
  }
  bool one_port =
      rf_model_one_port(t) && fmin(p->link_seconds[ROOF_SPAN_NODE], p->link_seconds[ROOF_SPAN_HOST]) > 0;
  roof_text_add(out, one_port ? ", over one port" : "");
  if (links - one_port > 1) {
    roof_text_addf(out, ", %s binds of the links", t->links[roof_model_phase_span(p)].name);
  }
  roof_text_add(out, links > 0 ? ";" : "");
}

static void add_network(roof_text *out, const roof_model_target *t, const roof_model_phase *p,
                        const char *name) {
  char x[SHORT];
  if (!p->present) {
    return;
  }
  roof_text_addf(out, "              %s: %.6g token%s per device", name, p->tokens,
                 p->tokens == 1 ? "" : "s");
  if (isnan(p->expected_seconds)) { /* it does not fit */
    roof_text_add(out, "\n");
    return;
  }
  roof_text_add(out, ";");
  add_spans(out, t, p);
  roof_text_addf(out, " bubble %.1f %%;", 100 * p->bubble);
  roof_text_addf(out, " at best %s if transfers hide", roof_quantity_format(x, SHORT, p->lower_seconds, "s"));
  roof_text_addf(out, ", %s if nothing does\n", roof_quantity_format(x, SHORT, p->upper_seconds, "s"));
  if (p->replica_seconds > 0) {
    roof_text_addf(out, "              between replicas %s per step,",
                   roof_quantity_format(x, SHORT, p->replica_seconds, "s"));
    roof_text_addf(out, " %s of it hidden", roof_quantity_format(x, SHORT, p->hidden_seconds, "s"));
    roof_text_addf(out, "; the backward pass takes %s\n",
                   roof_quantity_format(x, SHORT, p->backward_seconds, "s"));
  }
}

/** Experts that are held more than once, or chosen more often. */
static void add_copies(roof_text *out, const roof_model_target *t) {
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    double copies = rf_model_expert_slots(b, &t->settings) - b->experts;
    if (b->experts <= 0) {
      continue;
    }
    if (copies > 0) {
      roof_text_addf(out, "; %.0f experts and %.0f copies of some", b->experts, copies);
    }
    if (rf_model_prefers_experts(&t->settings) && t->settings.ep > 1) {
      roof_text_addf(out, "; the busiest device has %.2f times the mean of their tokens",
                     rf_model_expert_imbalance(b, &t->settings));
    }
    return;
  }
}

static void add_devices(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  const roof_model_settings *s = &t->settings;
  if (t->devices <= 1) {
    return;
  }
  const struct {
    const char *name;
    double devices;
  } axes[] = {{"tp", s->tp}, {"pp", s->pp}, {"dp", s->dp}, {"cp", s->cp}, {"ep", s->ep}};
  char zero[SHORT];
  snprintf(zero, sizeof zero, " ZeRO %.0f", s->zero);
  roof_text_add(out, "  plan       ");
  for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
    if (axes[i].devices > 1) {
      roof_text_addf(out, " %s %.0f", axes[i].name, axes[i].devices);
    }
  }
  double nodes = ceil(t->devices / s->node), sequences = roof_model_replica_batch(t);
  roof_text_addf(out, "%s%s: %.0f devices in %.0f node%s of %.0f; %.0f sequence%s per replica",
                 s->sp ? " sp" : "", s->zero > 0 ? zero : "", t->devices, nodes, nodes == 1 ? "" : "s",
                 s->node, sequences, sequences == 1 ? "" : "s");
  if (roof_model_microbatches(t) > 1) {
    roof_text_addf(out, " in %.0f microbatches", roof_model_microbatches(t));
  }
  add_copies(out, t);
  roof_text_add(out, "\n  links       ");
  if (t->links[ROOF_SPAN_NEIGHBOURS].joins > 0) {
    add_link(out, t, ROOF_SPAN_NEIGHBOURS, "between neighbours");
    roof_text_add(out, "; ");
  }
  add_link(out, t, ROOF_SPAN_NODE, "within a node");
  if (t->devices > s->node) {
    roof_text_add(out, "; ");
    add_link(out, t, ROOF_SPAN_CLUSTER,
             s->network != NULL ? "between nodes" : "between nodes (assumed; --network says another)");
  }
  roof_text_add(out, "\n");
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    add_network(out, t, &a->phases[i], roof_phase_name((roof_phase)i));
  }
}

void roof_model_describe(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  add_model(out, t);
  add_plan(out, t);
  add_stored(out, t->model);
  add_capacity(out, t, &a->capacity);
  add_devices(out, t, a);
}

/* The first line: one of what the model is for. */

/** "an image", "4 x image"; a text with its tokens. */
static void add_items(roof_text *out, const roof_model_target *t, const char *input, double tokens) {
  double batch = t->settings.batch;
  if (batch > 1) {
    roof_text_addf(out, "%.0f x %s", batch, without_article(input));
  } else {
    roof_text_add(out, input);
  }
  if (tokens > 0) {
    roof_text_addf(out, " of %.0f tokens", tokens);
  }
}

/** All that goes into an encoder, or into the encoder of a model that generates. */
static void add_all_items(roof_text *out, const roof_model_target *t) {
  const roof_model *m = t->model;
  for (int i = 0; i < m->stream_count; i++) {
    const roof_model_stream *s = &m->streams[i];
    add_items(out, t, s->input, s->tokens > 0 ? 0 : t->settings.prompt);
    roof_text_add(out, m->encoder ? " and " : "");
  }
  if (m->encoder && m->patch > 0) {
    add_items(out, t, "an image", 0);
  } else if (m->encoder) {
    add_items(out, t, "a text", t->settings.prompt);
  }
}

static void add_wall(roof_text *out, const roof_model_phase *p) {
  roof_text_addf(out, "%s-bound", roof_regime_name(roof_model_phase_regime(p)));
}

/** Each stream's time, where there is more than one. */
static void add_stream_times(roof_text *out, const roof_model_target *t, const roof_model_phase *p) {
  char x[SHORT];
  const roof_model *m = t->model;
  for (int i = 1; i <= m->stream_count; i++) {
    roof_text_addf(out, "%s%s %s, ", i > 1 ? "" : " (", m->streams[i - 1].name,
                   roof_quantity_format(x, SHORT, p->stream_seconds[i], "s"));
  }
  if (m->stream_count > 0) {
    roof_text_addf(out, "text %s)", roof_quantity_format(x, SHORT, p->stream_seconds[0], "s"));
  }
}

static void add_generation(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[SHORT], y[SHORT];
  const roof_model_phase *before = &a->phases[ROOF_PHASE_ENCODE], *step = roof_model_step(a);
  double lasts = t->model->streams[0].seconds;
  roof_text_addf(out, " in %s", roof_quantity_format(x, SHORT, a->request_seconds, "s"));
  if (lasts > 0) {
    roof_text_addf(out, " (%.3g x real time)", t->settings.batch * lasts / a->request_seconds);
  }
  roof_text_addf(out, ": encoder %s, ", roof_quantity_format(x, SHORT, before->expected_seconds, "s"));
  add_wall(out, before);
  if (roof_model_generates(t)) {
    roof_text_addf(out, ", %.0f tokens at %s, ", t->settings.generate,
                   roof_quantity_format(y, SHORT, a->tpot_seconds, "s"));
    add_wall(out, step);
  }
}

/** How long an image takes, of so many pixels. */
static void add_image(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[SHORT], y[SHORT], input[SHORT];
  const roof_model_phase *step = &a->phases[ROOF_PHASE_DENOISE];
  double side = sqrt(t->settings.prompt) * t->model->pixels;
  snprintf(input, sizeof input, "an image of %.0f x %.0f", side, side);
  add_items(out, t, input, 0);
  roof_text_addf(out, " in %s: %.0f steps of %s, ", roof_quantity_format(x, SHORT, a->image_seconds, "s"),
                 t->settings.steps, roof_quantity_format(y, SHORT, step->expected_seconds, "s"));
  add_wall(out, step);
}

void roof_model_headline(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[SHORT];
  const roof_model *m = t->model;
  const roof_model_phase *first = &a->phases[ROOF_PHASE_ENCODE];
  bool attends = m->stream_count > 0 && m->streams[0].result == 0;
  if (m->denoises && !t->settings.train && !isnan(a->image_seconds)) {
    add_image(out, t, a);
    return;
  }
  if (t->settings.train || !first->present || isnan(first->expected_seconds) || !(m->encoder || attends)) {
    return;
  }
  add_all_items(out, t);
  if (!m->encoder) {
    add_generation(out, t, a);
    return;
  }
  roof_text_addf(out, " in %s", roof_quantity_format(x, SHORT, first->expected_seconds, "s"));
  add_stream_times(out, t, first);
  roof_text_add(out, ", ");
  add_wall(out, first);
}

void roof_model_rates_describe(roof_text *out, const roof_model_target *t, const roof_model_answer *a) {
  char x[SHORT];
  if (!roof_model_generates(t)) {
    return;
  }
  roof_text_addf(out, "\n  rates       %s tokens/s per request",
                 rf_plain_number(x, SHORT, a->tokens_per_second));
  if (t->settings.batch > 1) {
    roof_text_addf(out, ", %s together", rf_plain_number(x, SHORT, a->batch_tokens_per_second));
  }
  if (a->devices > 1) {
    roof_text_addf(out, ", %s per device", rf_plain_number(x, SHORT, a->device_tokens_per_second));
  }
  roof_text_addf(out, "; prompts %s tokens/s\n", rf_plain_number(x, SHORT, a->prompt_tokens_per_second));
  roof_text_addf(out, "  TPOT        %s with the first token's cache,",
                 roof_quantity_format(x, SHORT, a->tpot_first_seconds, "s"));
  roof_text_addf(out, " %s with the last\n", roof_quantity_format(x, SHORT, a->tpot_last_seconds, "s"));
  roof_text_addf(out, "  request     %s", roof_quantity_format(x, SHORT, a->request_seconds, "s"));
  if (!isnan(a->joules_per_token)) {
    roof_text_addf(out, "; %s%s a generated token", t->plain.costs.power_only ? "at full power " : "",
                   roof_quantity_format(x, SHORT, a->joules_per_token, "J"));
  }
  if (!isnan(a->price_per_million_tokens)) {
    roof_text_addf(out, "; %.4g per million generated tokens", a->price_per_million_tokens);
    roof_model_price_describe(out, &t->settings);
  }
  roof_text_add(out, "\n");
}

void roof_model_price_describe(roof_text *out, const roof_model_settings *s) {
  if (isnan(s->price)) {
    return;
  }
  roof_text_addf(out, " at %.4g per device and hour", s->price);
  if (s->listed != NULL && s->listed->source[0] != '\0') {
    roof_text_addf(out, " (%s, %s)", s->listed->source, s->listed->date);
  }
}

void roof_model_training_describe(roof_text *out, const roof_model_training *r,
                                  const roof_model_settings *settings, double per_million,
                                  const roof_failures *failures) {
  char x[SHORT];
  bool run = !isnan(r->tokens), price = !isnan(per_million);
  double longer = failures != NULL ? failures->seconds / r->seconds : 1;
  if (run) {
    roof_text_addf(out, "  training    %s tokens: %.0f steps,", roof_quantity_format(x, SHORT, r->tokens, ""),
                   r->steps);
    roof_text_addf(out,
                   r->seconds < 1000 * DAY ? " %.4g days (%.4g to %.4g)\n" : " %.0f days (%.0f to %.0f)\n",
                   r->seconds / DAY, r->low_seconds / DAY, r->high_seconds / DAY);
  }
  if (failures != NULL) {
    roof_failures_describe(out, failures);
  }
  if (isinf(longer)) {
    return;
  }
  if (run || price) {
    roof_text_add(out, "  cost        ");
  }
  if (run) {
    double hours = longer * r->device_seconds / HOUR;
    roof_text_addf(out, hours < 100 ? "%.3g device-hours%s" : "%.0f device-hours%s", hours,
                   price ? ", " : "\n");
  }
  if (run && price) {
    double cost = longer * r->price;
    roof_text_addf(out, "%s; ",
                   cost < 1 ? rf_plain_number(x, SHORT, cost) : roof_quantity_format(x, SHORT, cost, ""));
  }
  if (price) {
    roof_text_addf(out, "%.4g per million tokens", longer * per_million);
    roof_model_price_describe(out, settings);
    roof_text_add(out, "\n");
  }
}
