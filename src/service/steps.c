#include "service/steps.h"

#include <math.h>
#include <stdlib.h>

enum {
  TOKENS = 1 << 17, /* of a microbatch; what is larger is not kept */
  SEQUENCES = 1 << 14,
  NODES = 110, /* of a context: 0, 1, and four to each octave */
  PROMPTS = 33,
  QUERIES = 161 /* from 1, eight to an octave: a parabola's chord is 0.2 % off */
};
static const double first_context = 1;

/** Prompts in a microbatch: few of them exactly. */
static const double prompt_nodes[PROMPTS] = {
    0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1,   2,   3,   4,   5,    6,    7,    8,    12,   16,   24,
    32,       48,      64,     96,    128,  192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 16384};

roof_status rf_steps_init(service_steps *s, const roof_model_target *t, roof_error *error) {
  s->target = *t;
  s->draft = NULL;
  s->overlaps = false;
  s->tokens = calloc(TOKENS + 1, sizeof *s->tokens);
  s->logits = calloc(TOKENS + 1, sizeof *s->logits);
  s->stages = calloc(TOKENS + 1, sizeof *s->stages);
  s->transfers = calloc(TOKENS + 1, sizeof *s->transfers);
  s->contexts = calloc((size_t)(SEQUENCES + 1) * NODES, sizeof *s->contexts);
  s->pieces = calloc((size_t)PROMPTS * QUERIES * NODES, sizeof *s->pieces);
  s->encoders = calloc(2 * (size_t)(SEQUENCES + 1), sizeof *s->encoders);
  bool enough = s->encoders != NULL && s->tokens != NULL && s->logits != NULL && s->stages != NULL &&
                s->transfers != NULL && s->contexts != NULL && s->pieces != NULL;
  return enough ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "serve: out of memory");
}

void rf_steps_done(service_steps *s) {
  free(s->tokens);
  free(s->logits);
  free(s->stages);
  free(s->transfers);
  free(s->contexts);
  free(s->pieces);
  free(s->encoders);
}

static double predict(service_steps *s, const roof_load *load, model_extent extent) {
  roof_load one = *load;
  one.microbatches = 1;
  return rf_model_load_seconds(&s->target, &one, extent, &s->phase);
}

/** Of one stage, with the most layers, the embedding and the output projection. */
static double predict_stage(service_steps *s, const roof_load *load, model_extent extent) {
  double seconds = predict(s, load, extent);
  return seconds * (1 - s->phase.bubble);
}

/** Of what grows with the tokens the seconds of transfers. */
static double predict_transfers(service_steps *s, const roof_load *load, model_extent extent) {
  double seconds = 0;
  predict(s, load, extent);
  for (int i = 0; i < s->phase.count; i++) {
    const roof_model_operation *o = &s->phase.operations[i];
    seconds += o->kind == ROOF_KIND_COLLECTIVE ? o->count * o->expected_seconds : 0;
  }
  return seconds;
}

/** By tokens or by logits; where a pipeline cuts a batch, parts of one are between two entries. */
static double by_rows(service_steps *s, double *table, double rows, model_extent extent) {
  double (*const seconds)(service_steps *, const roof_load *, model_extent) =
      table == s->transfers ? predict_transfers
      : table == s->stages  ? predict_stage
                            : predict;
  double near = floor(rows + 0.5), low = fabs(rows - near) < 1e-6 ? near : floor(rows), sum = 0;
  double part =
      fmax(0, rows - low); /* a mean length times a number is a whole number but for its last digit */
  if (rows > TOKENS || low < 1) {
    const roof_load load = {.prompts = 1, .queries = rows, .logits = rows};
    return rows > 0 ? seconds(s, &load, extent) : 0;
  }
  for (int i = 0; i < (part > 1e-6 ? 2 : 1); i++) {
    double *entry = &table[(size_t)low + (size_t)i];
    if (*entry == 0) {
      const roof_load load = {.prompts = 1, .queries = low + i, .logits = low + i};
      *entry = seconds(s, &load, extent);
    }
    sum += *entry * (part <= 1e-6 ? 1 : i == 0 ? 1 - part : part);
  }
  return sum;
}

/** 2 to so many eighths, which are not negative: exp2 has not the same last digit everywhere. */
static double power_of_two(int eighths) {
  static const double within[] = {1,
                                  0x1.172b83c7d517bp+0,
                                  0x1.306fe0a31b715p+0,
                                  0x1.4bfdad5362a27p+0,
                                  0x1.6a09e667f3bcdp+0,
                                  0x1.8ace5422aa0dbp+0,
                                  0x1.ae89f995ad3adp+0,
                                  0x1.d5818dcfba487p+0};
  return ldexp(within[eighths % 8], eighths / 8);
}

static double context_at(int node) {
  return node == 0 ? 0 : first_context * power_of_two(2 * (node - 1));
}

/** The node at or before a context, and in *part how far it is to the next. */
static int node_before(double context, double *part) {
  int node = context < first_context ? 0 : 1 + (int)(4 * log2(context / first_context));
  node = node < NODES - 2 ? node : NODES - 2;
  double at = context_at(node);
  *part = (context - at) / (context_at(node + 1) - at);
  return node;
}

/** Attention of whole sequences that generate, at a node of their context. */
static double attention(service_steps *s, double sequences, int node) {
  roof_load load = {.decodes = sequences, .context = context_at(node)};
  if (sequences > SEQUENCES) {
    return predict(s, &load, MODEL_OF_GROUPS);
  }
  double *entry = &s->contexts[(size_t)sequences * NODES + (size_t)node];
  *entry = *entry == 0 ? predict(s, &load, MODEL_OF_GROUPS) : *entry;
  return *entry;
}

/** The line of attention alone, of a microbatch. */
static service_line attention_line(service_steps *s, double sequences, double context) {
  double part, low = fmax(1, floor(sequences)), rest = sequences - low;
  int node = node_before(context, &part);
  double from = attention(s, low, node), to = attention(s, low, node + 1);
  if (rest > 0) {
    from += rest * (attention(s, low + 1, node) - from);
    to += rest * (attention(s, low + 1, node + 1) - to);
  }
  double slope = (to - from) / (context_at(node + 1) - context_at(node));
  return (service_line){from + (to - from) * part, slope, context_at(node + 1)};
}

static double piece(service_steps *s, int prompts, int queries, int past) {
  double *entry = &s->pieces[((size_t)prompts * QUERIES + (size_t)queries) * NODES + (size_t)past];
  if (*entry == 0) {
    const roof_load load = {
        .prompts = prompt_nodes[prompts], .queries = power_of_two(queries), .past = context_at(past)};
    *entry = predict(s, &load, MODEL_OF_GROUPS);
  }
  return *entry;
}

/** Attention of pieces of prompts, between eight entries. */
static double pieces(service_steps *s, double prompts, double queries, double past) {
  double of_queries = 8 * log2(fmax(1, queries)), along, sum = 0;
  int k = 0, q = (int)fmin(QUERIES - 2, of_queries), node = node_before(past, &along);
  while (k < PROMPTS - 2 && prompt_nodes[k + 1] <= prompts) {
    k++;
  }
  double least = power_of_two(q), up = (fmax(1, queries) - least) / (least * (power_of_two(1) - 1));
  double across = (prompts - prompt_nodes[k]) / (prompt_nodes[k + 1] - prompt_nodes[k]);
  for (int corner = 0; corner < 8; corner++) {
    int i = corner & 1, j = corner >> 1 & 1, l = corner >> 2;
    double share = (i ? across : 1 - across) * (j ? up : 1 - up) * (l ? along : 1 - along);
    sum += share != 0 ? share * piece(s, k + i, q + j, node + l) : 0;
  }
  return sum;
}

/** Microbatches of so many sequences. */
static double cut(const service_steps *s, double sequences) {
  return rf_model_microbatches(&s->target.settings, fmax(1, sequences));
}

/** A step of `parts` microbatches of `rows` tokens that take `pass` seconds each through all stages of a pipeline, so many of
 * them for logits and attention. A microbatch's next token waits for its last stage, and with enough others no stage waits;
 * after prompts alone (`flows`) other sequences follow at once. In *part: how often a second of attention counts. */
static double of_stages(service_steps *s, double parts, double rows, double pass, double logits,
                        double attended, bool flows, double *part) {
  *part = parts;
  if (s->target.settings.pp <= 1) {
    return parts * pass;
  }
  double share = 1 / rf_model_full_stages(&s->target);
  double stage = by_rows(s, s->stages, rows, MODEL_OF_TOKENS) + logits + share * attended;
  *part = flows || parts * stage > pass ? parts * share : 1;
  return flows ? parts * stage : fmax(pass, parts * stage);
}

/** What a model that drafts does in such a step: its own steps one after another, and the same prompts. */
static double draft_seconds(const service_steps *s, const roof_load *l) {
  const roof_load prompts = {.prompts = l->prompts, .queries = l->queries, .past = l->past};
  double each = l->decodes > 0 ? rf_steps_line(s->draft, l->decodes, l->context).seconds : 0;
  return s->target.settings.draft * each + (l->prompts > 0 ? rf_steps_seconds(s->draft, &prompts) : 0);
}

/** One step after another. */
static double plain_seconds(service_steps *s, const roof_load *l) {
  double part, parts = cut(s, l->decodes + l->prompts);
  double tokens = l->decodes * (s->target.settings.draft + 1) + l->prompts * l->queries;
  double logits = by_rows(s, s->logits, l->logits / parts, MODEL_OF_LOGITS);
  double decoding = l->decodes > 0 ? attention_line(s, l->decodes / parts, l->context).seconds : 0;
  double prompts = l->prompts > 0 ? pieces(s, l->prompts / parts, l->queries, l->past) : 0;
  double pass = by_rows(s, s->tokens, tokens / parts, MODEL_OF_TOKENS) + logits + decoding + prompts;
  return of_stages(s, parts, tokens / parts, pass, logits, decoding + prompts, l->decodes == 0, &part);
}

static service_line plain_line(service_steps *s, double sequences, double context) {
  double part, parts = cut(s, sequences), rows = sequences / parts * (s->target.settings.draft + 1);
  service_line line = attention_line(s, sequences / parts, context);
  double logits = by_rows(s, s->logits, rows, MODEL_OF_LOGITS);
  double pass = by_rows(s, s->tokens, rows, MODEL_OF_TOKENS) + logits + line.seconds;
  line.seconds = of_stages(s, parts, rows, pass, logits, line.seconds, false, &part);
  line.slope *= part;
  return line;
}

/** Transfers of half of a step's tokens: through all stages, or one's for each microbatch. */
static double half_transfers(service_steps *s, double sequences, double tokens) {
  double parts = cut(s, sequences / 2);
  double times = fmax(rf_model_full_stages(&s->target), parts);
  return times * by_rows(s, s->transfers, tokens / 2 / parts, MODEL_OF_TOKENS);
}

/** Two halves, of `half` seconds each and of them `transfers`: one is computed while the other's tokens travel, but in the first layer. */
static double overlapped(const service_steps *s, double half, double transfers) {
  double work = half - transfers, layers = s->target.model->layer_count;
  return 2 * fmax(work, transfers) + 2 * fmin(work, transfers) / layers;
}

double rf_steps_seconds(void *data, const roof_load *l) {
  service_steps *s = data;
  double seconds = plain_seconds(s, l);
  if (s->overlaps) {
    const roof_load half = {.decodes = l->decodes / 2,
                            .context = l->context,
                            .prompts = l->prompts / 2,
                            .queries = l->queries,
                            .past = l->past,
                            .logits = l->logits / 2};
    double tokens = l->decodes * (s->target.settings.draft + 1) + l->prompts * l->queries;
    double transfers = half_transfers(s, l->decodes + l->prompts, tokens);
    seconds = fmin(seconds, overlapped(s, plain_seconds(s, &half), transfers));
  }
  return seconds + (s->draft != NULL ? draft_seconds(s, l) : 0);
}

service_line rf_steps_line(void *data, double sequences, double context) {
  service_steps *s = data;
  service_line line = plain_line(s, sequences, context);
  if (s->overlaps) {
    service_line half = plain_line(s, sequences / 2, context);
    double transfers = half_transfers(s, sequences, sequences * (s->target.settings.draft + 1));
    double seconds = overlapped(s, half.seconds, transfers);
    if (seconds < line.seconds) {
      double layers = s->target.model->layer_count, part = half.seconds > 2 * transfers ? 2 : 2 / layers;
      line = (service_line){seconds, part * half.slope, fmin(line.end, half.end)};
    }
  }
  if (s->draft != NULL) {
    service_line drafts = rf_steps_line(s->draft, sequences, context);
    line.seconds += s->target.settings.draft * drafts.seconds;
    line.slope += s->target.settings.draft * drafts.slope;
    line.end = fmin(line.end, drafts.end);
  }
  return line;
}

double rf_steps_lag(void *data, const roof_load *l, double step_seconds) {
  service_steps *s = data;
  if (s->target.settings.pp <= 1) {
    return 0;
  }
  double parts = cut(s, l->prompts), rows = l->prompts * l->queries / parts;
  double pass = by_rows(s, s->tokens, rows, MODEL_OF_TOKENS) +
                pieces(s, l->prompts / parts, l->queries, l->past) +
                by_rows(s, s->logits, fmin(l->logits, l->prompts) / parts, MODEL_OF_LOGITS);
  return fmax(0, pass - step_seconds);
}

static double encode(void *data, double prompts, double *lag) {
  service_steps *s = data;
  double more[2] = {0, 0}, *entry = prompts <= SEQUENCES ? &s->encoders[2 * (size_t)prompts] : more;
  if (*entry == 0 && rf_model_encode(&s->target, prompts, &s->phase)) {
    entry[1] = s->phase.bubble * s->phase.expected_seconds;
    entry[0] = s->phase.expected_seconds - entry[1];
    s->phase.present = false;
  }
  *lag = entry[1];
  return entry[0];
}

service_clock rf_steps_clock(service_steps *s) {
  return (service_clock){s, rf_steps_seconds, rf_steps_line, rf_steps_lag,
                         rf_model_encodes(&s->target) ? encode : NULL};
}
