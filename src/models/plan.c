/* A plan: how the devices of a cluster share a model. Neighbours first share tensors (tp), then sequences
 * (cp), then replicas (dp) and with them the experts (ep), then the layers (pp). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/step.h"
#include "roofline/ops.h"
#include "roofline/plan.h"

static bool divides(double parts, double whole) {
  return fmod(whole, parts) == 0;
}

double rf_model_outer_tokens(const model_step *s) {
  const roof_model_settings *set = &s->target->settings;
  return s->tokens / (set->sp ? set->tp : 1);
}

double rf_model_expert_slots(const roof_model_block *b, const roof_model_settings *s) {
  return ceil((b->experts + s->redundant_experts) / s->ep) * s->ep;
}

double rf_model_expert_cut(const roof_model_settings *s) {
  return fmax(1, s->tp / s->ep);
}

/** What a plan cuts: "32 heads"; no name: everything is cut evenly. */
typedef struct cut {
  double whole;
  const char *name;
} cut;

/** Each device must get whole heads and channels; KV heads may be repeated. Returns what cannot be cut so. */
static cut cannot_split(const roof_model_block *b, const roof_model_settings *s) {
  double tp = s->tp, channels = b->head_dim * b->heads;
  bool kv = divides(tp, b->kv_heads) || divides(b->kv_heads, tp), mamba = b->mixer == ROOF_MIX_MAMBA1;
  return !divides(tp, b->heads) && !mamba                    ? (cut){b->heads, "heads"}
         : mamba && !divides(tp, channels)                   ? (cut){channels, "channels"}
         : b->kv_heads > 0 && !kv                            ? (cut){b->kv_heads, "KV heads"}
         : !divides(tp, b->width)                            ? (cut){b->width, "columns of the MLP"}
         : !divides(rf_model_expert_cut(s), b->expert_width) ? (cut){b->expert_width, "columns of an expert"}
                                                             : (cut){0, NULL};
}

static bool splits_all(const roof_model *m, const roof_model_settings *s) {
  bool all = true;
  for (int i = 0; i < m->block_count; i++) {
    all = all && cannot_split(&m->blocks[i], s).name == NULL;
  }
  return all;
}

/** "tp=3: does not divide the 32 heads of llama-3.1-8b; 2 4 8 16 32 do". */
static roof_status refuse_split(const roof_model *m, const roof_model_settings *s, cut what,
                                roof_error *error) {
  enum { MOST = 64 };
  char choices[3 * MOST] = "";
  roof_model_settings other = *s;
  for (other.tp = 2; other.tp <= MOST; other.tp++) {
    size_t used = strlen(choices);
    if (splits_all(m, &other) && used + 5 < sizeof choices) {
      snprintf(choices + used, sizeof choices - used, "%s%.0f", used > 0 ? " " : "", other.tp);
    }
  }
  return roof_error_set(error, ROOF_E_ARGUMENT, "tp=%.0f: does not divide the %.0f %s of %s%s%s%s", s->tp,
                        what.whole, what.name, m->name, choices[0] != '\0' ? "; " : "", choices,
                        choices[0] != '\0' ? strchr(choices, ' ') != NULL ? " do" : " does" : "");
}

static roof_status check_blocks(const roof_model *m, const roof_model_settings *s, roof_error *error) {
  for (int i = 0; i < m->block_count; i++) {
    const roof_model_block *b = &m->blocks[i];
    const cut what = cannot_split(b, s);
    if (what.name != NULL) {
      return refuse_split(m, s, what, error);
    }
    if (b->experts > 0 && rf_model_expert_slots(b, s) > 2 * b->experts) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "%s=%.0f: would hold more than two copies of each of the %.0f experts of %s",
                            s->redundant_experts > 0 ? "redundant_experts" : "ep",
                            s->redundant_experts > 0 ? s->redundant_experts : s->ep, b->experts, m->name);
    }
  }
  return ROOF_OK;
}

static bool has_experts(const roof_model *m) {
  bool found = false;
  for (int i = 0; i < m->block_count; i++) {
    found = found || m->blocks[i].experts > 0;
  }
  return found;
}

static roof_status check_experts(const roof_model *m, const roof_model_settings *s, roof_error *error) {
  if (!(s->expert_skew >= 0 && s->expert_skew <= 5)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "expert_skew=%g: an exponent from 0 to 5", s->expert_skew);
  }
  const struct {
    const char *name;
    double value, least;
  } of_experts[] = {
      {"ep", s->ep, 1}, {"expert_skew", s->expert_skew, 0}, {"redundant_experts", s->redundant_experts, 0}};
  for (int i = 0; i < m->block_count && s->expert_shares != NULL; i++) {
    double experts = m->blocks[i].experts;
    if (!has_experts(m) || (experts > 0 && experts != s->expert_count)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "experts: %d are counted, %s has %.0f", s->expert_count,
                            m->name, experts);
    }
  }
  for (size_t i = 0; i < sizeof of_experts / sizeof of_experts[0] && !has_experts(m); i++) {
    if (of_experts[i].value > of_experts[i].least) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%g: %s has no experts", of_experts[i].name,
                            of_experts[i].value, m->name);
    }
  }
  if (!divides(s->ep, s->tp * s->dp) || !(divides(s->ep, s->tp) || divides(s->tp, s->ep))) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "ep=%.0f: experts are spread over devices of tp x dp = %.0f x %.0f; one of ep and tp "
        "must divide the other, and ep their product",
        s->ep, s->tp, s->dp);
  }
  return ROOF_OK;
}

static roof_status check_training(const roof_model_settings *s, double layers, roof_error *error) {
  double batch = s->batch / s->dp;
  if (s->zero > 3) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "zero=%.0f: stages are 0 to 3", s->zero);
  }
  if (s->zero > 0 && !s->train) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "zero=%.0f: of a training step, which `model --train` predicts", s->zero);
  }
  if (s->train && s->microbatches > 0 && !divides(s->microbatches, batch)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "microbatches=%.0f: does not divide the %.0f sequences per replica",
                          s->microbatches, batch);
  }
  double v = s->interleave, m = rf_model_microbatches(s, batch);
  if (!(v >= 0 && s->lora >= 0) || (!s->train && (v > 1 || s->lora > 0))) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s=%.0f: of a training step, which `model --train` predicts%s",
                          s->lora > 0 ? "lora" : "interleave", s->lora > 0 ? s->lora : v,
                          s->lora > 0 ? "; `serve` has `adapters=` and `rank=`" : "");
  }
  if (v > 1 && s->pp > 1 && (v * s->pp > layers || !divides(s->pp, m))) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "interleave=%.0f: needs %.0f layers, and microbatches that pp=%.0f divides", v,
                          v * s->pp, s->pp);
  }
  return s->sp && s->tp <= 1
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "sp: shares what lies between the products of several devices; add --tp")
             : ROOF_OK;
}

/** Weights that were packed for inference stay as they are; what a model itself stores is trained in its activations' format. */
static roof_status check_trained(const roof_model *m, const roof_model_settings *s, roof_error *error) {
  for (int i = 0; i < ROOF_PART_COUNT && s->train && s->lora == 0; i++) {
    if (s->precision.weights[i].weight_only && !m->precision.weights[i].weight_only) {
      return roof_error_set(
          error, ROOF_E_ARGUMENT,
          "--precision: weights of the %s packed for inference do not change; lora=N trains adapters "
          "next to them",
          roof_model_part_name((roof_model_part)i));
    }
  }
  return ROOF_OK;
}

roof_status rf_model_plan_check(const roof_model *m, const roof_model_settings *s, roof_error *error) {
  double batch = s->batch / s->dp;
  if (!divides(s->dp, s->batch)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "dp=%.0f: does not divide the batch of %.0f sequences",
                          s->dp, s->batch);
  }
  if (s->pp > m->layer_count) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "pp=%.0f: %s has %d layers", s->pp, m->name,
                          m->layer_count);
  }
  if (s->microbatches > batch) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "microbatches=%.0f: a replica has %.0f sequence%s",
                          s->microbatches, batch, batch == 1 ? "" : "s");
  }
  if (s->cp > s->prompt) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "cp=%.0f: the prompt has %.0f tokens", s->cp, s->prompt);
  }
  bool attends = m->stream_count > 0 && m->streams[0].result == 0;
  if (attends && (s->train || s->cp > 1)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "%s: of %s, which has streams, not computed by this version",
                          s->train ? "--train" : "cp", m->name);
  }
  if (m->encoder && s->generate > 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "generate=%.0f: %s is %s", s->generate, m->name,
                          m->denoises ? "a diffusion model: steps=" : "an encoder");
  }
  for (int i = 0; i < m->stream_count && !m->encoder; i++) {
    if (s->images * m->streams[i].result > s->prompt) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "prompt=%.0f: %.0f images are %.0f tokens of it; images=0 leaves them out",
                            s->prompt, s->images, s->images * m->streams[i].result);
    }
  }
  if (!m->denoises && (s->size > 0 || s->steps > 1 || s->guidance > 1 || s->text > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "size, steps, guidance and text are of diffusion models, %s is none", m->name);
  }
  if (m->denoises && s->size > 0 && s->size < m->pixels) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "size=%.0f: a token of %s is %.0f pixels wide", s->size,
                          m->name, m->pixels);
  }
  roof_status status = check_training(s, m->layer_count, error);
  status = status == ROOF_OK ? check_trained(m, s, error) : status;
  status = status == ROOF_OK ? check_experts(m, s, error) : status;
  return status == ROOF_OK ? check_blocks(m, s, error) : status;
}

/** What is cut through blocks of 128 x 128 weights that share a scale: of a part of one no device has the scale (vLLM and
 * SGLang, fp8.py, create_weights; https://github.com/vllm-project/vllm/issues/17569). */
static cut cut_blocks(const roof_model_block *b, const roof_model_settings *s) {
  enum { SIDE = 128 };
  const struct {
    cut what;
    double parts;
    roof_model_part part;
  } matrices[] = {{{b->width, "columns of the MLP"}, s->tp, ROOF_PART_MLP},
                  {{b->expert_width, "columns of an expert"}, rf_model_expert_cut(s), ROOF_PART_EXPERTS}};
  for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
    bool blocks = s->precision.weights[matrices[i].part].group == SIDE * SIDE;
    if (blocks && matrices[i].parts > 1 && !divides(SIDE * matrices[i].parts, matrices[i].what.whole)) {
      return matrices[i].what;
    }
  }
  return (cut){0, NULL};
}

static cut first_cut_block(const roof_model *m, const roof_model_settings *s) {
  cut what = {0, NULL};
  for (int i = 0; i < m->block_count && what.name == NULL; i++) {
    what = cut_blocks(&m->blocks[i], s);
  }
  return what;
}

bool rf_model_plan_runs(const roof_model *m, const roof_model_settings *s) {
  return rf_model_plan_check(m, s, NULL) == ROOF_OK && first_cut_block(m, s).name == NULL;
}

bool roof_model_cuts_blocks(const roof_model_target *t, char *buffer, size_t size) {
  const cut what = first_cut_block(t->model, &t->settings);
  if (what.name == NULL) {
    return false;
  }
  roof_model_settings fewer = t->settings, spread = t->settings;
  char other[32] = "";
  while (--fewer.tp > 1 && !rf_model_plan_runs(t->model, &fewer)) {
  }
  while (++spread.ep < spread.tp && !rf_model_plan_runs(t->model, &spread)) {
  }
  if (rf_model_plan_runs(t->model, &spread)) {
    snprintf(other, sizeof other, " or ep=%.0f", spread.ep);
  }
  snprintf(buffer, size,
           "tp=%.0f cuts the %.0f %s through blocks of 128 x 128, which vLLM and SGLang refuse; tp=%.0f%s "
           "keeps them whole",
           t->settings.tp, what.whole, what.name, fewer.tp, other);
  return true;
}

double roof_model_replica_batch(const roof_model_target *t) {
  return t->settings.batch / t->settings.dp;
}

double rf_model_microbatches(const roof_model_settings *s, double sequences) {
  return s->microbatches > 0 ? s->microbatches : s->train && s->pp > 1 ? sequences : fmin(s->pp, sequences);
}

double rf_model_next_microbatches(double sequences, double count) {
  double root = floor(sqrt(sequences)), next = count + 1;
  while (next <= root && !divides(next, sequences)) {
    next++;
  }
  if (next <= root) {
    return next;
  }
  double each = fmin(root, ceil(sequences / count) - 1);
  while (each >= 1 && !divides(each, sequences)) {
    each--;
  }
  return each >= 1 ? sequences / each : INFINITY;
}

double roof_model_microbatches(const roof_model_target *t) {
  return rf_model_microbatches(&t->settings, roof_model_replica_batch(t));
}

/** Devices of a node that exchange something, one after another: replicas that serve do not. */
static double neighbours(const roof_model_settings *s) {
  bool all = s->train || s->pp > 1;
  double devices = s->cp * (all ? s->tp * s->dp * s->pp : fmax(s->tp, s->ep));
  return fmin(devices, s->node);
}

bool rf_model_plan_share(roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  double layers = t->model->layer_count, fullest = ceil(layers / s->pp);
  t->devices = s->tp * s->pp * s->dp * s->cp;
  for (int i = 0; i < t->model->block_count; i++) {
    t->stage_layers[i] = t->layers[i] * fullest / layers;
  }
  const roof_link *link = roof_target_link(&t->plain, neighbours(s)), *near = roof_target_link(&t->plain, 2);
  if (link != NULL) {
    t->links[ROOF_SPAN_NODE] = roof_link_complete(link, false);
  }
  t->links[ROOF_SPAN_NEIGHBOURS] =
      near != NULL && near != link ? roof_link_complete(near, false) : (roof_link){.joins = 0};
  return link != NULL || neighbours(s) <= 1;
}

/** The link to the host: one that joins no other device, else PCI Express. */
static const roof_link *host_link(const roof_machine *m) {
  const roof_link *found = NULL;
  for (int i = m->link_count - 1; i >= 0; i--) {
    const roof_link *l = &m->links[i];
    bool own = l->joins == 1, pci = strncmp(l->name, "PCIe", strlen("PCIe")) == 0;
    bool better = own || (pci && (found == NULL || found->joins != 1));
    found = l->kind != ROOF_MEASURED && better ? l : found;
  }
  return found;
}

static roof_status find_host(roof_model_target *t, roof_error *error) {
  const roof_machine *m = t->machine;
  bool is_host = strcmp(m->device_class, "cpu") == 0;
  const roof_link *link = is_host ? NULL : host_link(m);
  if (link != NULL) {
    t->links[ROOF_SPAN_HOST] = roof_link_complete(link, false);
    return ROOF_OK;
  }
  return t->settings.offload > 0 || t->settings.offload_kv > 0 || t->settings.offload_optimizer > 0
             ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "offload: the file of %s has no link to its host (PCIe)", m->name)
             : ROOF_OK;
}

bool rf_model_one_port(const roof_model_target *t) {
  return strcmp(t->links[ROOF_SPAN_NODE].name, t->links[ROOF_SPAN_HOST].name) == 0;
}

roof_status rf_model_plan_init(roof_model_target *t, roof_error *error) {
  static const char *const names[ROOF_COLLECTIVE_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
      ROOF_COLLECTIVE_MAP(NAME)
#undef NAME
  };
  const roof_model_settings *s = &t->settings;
  for (int i = 0; i < ROOF_COLLECTIVE_COUNT; i++) {
    roof_status status = roof_op_find(names[i], &t->collectives[i], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  if (!rf_model_plan_share(t)) {
    return roof_target_joins(&t->plain, neighbours(s), error);
  }
  t->links[ROOF_SPAN_CLUSTER] = roof_link_complete(rf_model_network(s), true);
  return find_host(t, error);
}
