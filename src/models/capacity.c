/* What must be in one device's memory, and how far it can be filled. */
#include <math.h>

#include "models/step.h"

/** Tokens that the cache keeps of one sequence in a layer: of a stream all, however long the sequence is. */
static double kept_tokens(const roof_model_target *t, const roof_model_block *b, double context) {
  return b->mixer == ROOF_MIX_CROSS ? roof_model_stream_tokens(t, (int)b->source - 1)
                                    : rf_model_kept_tokens(b, context);
}

/** Bytes of one sequence of `context` tokens in the cache. */
static double sequence_bytes(const roof_model_target *t, double context) {
  double bytes = 0;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    bytes += t->stage_layers[i] * kept_tokens(t, b, context) * rf_model_kv_elements(b, t->settings.tp);
  }
  return t->model->encoder ? 0 : bytes * t->kv_bytes / t->settings.cp;
}

static double longest_window(const roof_model *m) {
  double longest = 0;
  for (int i = 0; i < m->block_count; i++) {
    longest = fmax(longest, m->blocks[i].window);
  }
  return longest;
}

/** What a token adds to the cache, and what windows hold of it. */
static void add_rates(const roof_model_target *t, roof_model_capacity *c) {
  double window = longest_window(t->model), empty = sequence_bytes(t, 0), full = sequence_bytes(t, window);
  c->kv_bytes_per_token = sequence_bytes(t, 1) - empty;
  c->kv_bytes_beyond_windows = sequence_bytes(t, window + 1) - full;
  c->kv_window_bytes = full - empty - window * c->kv_bytes_beyond_windows;
}

/** Tokens of the prefix in a context of so many: a share is of the prompt that it has then. */
static double prefix_at(const roof_model_target *t, double context) {
  roof_model_settings s = t->settings;
  s.prompt += context - (roof_model_own_prompt(t) + s.generate);
  return roof_model_prefix(&s);
}

/** Bytes that two sequences of `context` tokens with a common prefix keep once: of a window what still reaches back
 * into the prefix. */
static double prefix_bytes(const roof_model_target *t, double context) {
  double bytes = 0, own = context - prefix_at(t, context);
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    double kept = b->mixer == ROOF_MIX_CROSS ? 0 : fmax(0, rf_model_kept_tokens(b, context) - own);
    bytes += t->stage_layers[i] * kept * rf_model_kv_elements(b, t->settings.tp);
  }
  return t->model->encoder || t->settings.train ? 0 : bytes * t->kv_bytes / t->settings.cp;
}

/** Copies of the prefix that so many sequences keep. */
static double prefix_copies(const roof_model_settings *s, double sequences) {
  return s->sharers > 0 ? ceil(sequences / s->sharers) : 1;
}

static double state_bytes(const roof_model_target *t) {
  double elements = 0;
  for (int i = 0; i < t->model->block_count; i++) {
    model_widths w = rf_model_widths_of(&t->model->blocks[i], t->settings.tp);
    elements += t->stage_layers[i] * w.state;
  }
  return elements * t->state_bytes;
}

/** Activations of a stream that are alive at once, per token: the residual stream and its normed copy, and the
 * widest of what a sublayer reads and writes. */
static double activation_bytes_per_token(const roof_model_target *t, double stream) {
  double widest = 0, hidden = rf_model_stream(t->model, stream).hidden;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    if (b->stream != stream) {
      continue;
    }
    model_widths w = rf_model_widths_of(b, t->settings.tp);
    double mixer = w.queries + w.keys + w.values + w.mixed + w.in + w.inner;
    double mlp = (b->gated ? 3 : 2) * (w.mlp + b->experts_per_token * w.expert);
    mlp += b->experts > 0 ? b->experts_per_token * hidden : 0;
    widest = fmax(widest, fmax(mixer, mlp));
  }
  return (2 * hidden + widest) * t->activation_bytes;
}

/** Of so many sequences, those whose inputs run at once: a step has a budget for what the model gets of them, as many as its
 *  tokens (vLLM, SchedulerConfig.max_num_encoder_input_tokens), which lets one sequence's through however large. */
static double encoded_at_once(const roof_model_target *t, int stream, double sequences) {
  double chunk = t->settings.chunk, result = t->model->streams[stream].result;
  double each = rf_model_inputs(t, &t->model->streams[stream]) *
                (result > 0 ? result : roof_model_stream_tokens(t, stream));
  return chunk > 0 && each > 0 ? fmin(sequences, fmax(1, floor(chunk / each))) : sequences;
}

/** Of the streams' inputs of so many sequences, which run before the prompts; all at once (`whole`), or within a budget. */
static double stream_bytes(const roof_model_target *t, double sequences, bool whole) {
  double most = 0;
  for (int i = 0; i < t->model->stream_count; i++) {
    double tokens = rf_model_inputs(t, &t->model->streams[i]) * roof_model_stream_tokens(t, i);
    tokens *= whole ? sequences : encoded_at_once(t, i, sequences);
    most = fmax(most, tokens * activation_bytes_per_token(t, i + 1));
  }
  return most;
}

/** Of so many sequences of a replica, at `per_token`, with so many tokens each that no cache holds. */
static double activation_bytes(const roof_model_target *t, double per_token, double sequences, double fresh) {
  const roof_model_settings *s = &t->settings;
  double rows = sequences / rf_model_microbatches(s, sequences) * rf_model_passes(t), tokens = rows * fresh;
  bool whole =
      t->model->encoder || t->model->denoises; /* tokens that see all others are not taken in chunks */
  if (s->chunk > 0 && tokens > s->chunk && !whole) {
    tokens = fmax(s->chunk, rows * (s->draft + 1));
  }
  double logits = t->model->encoder ? 0 : rows * (s->draft + 1) * t->model->vocab / s->tp * 4; /* fp32 */
  return fmax(stream_bytes(t, rows, whole), tokens / s->cp * per_token + logits);
}

/** What the batch takes at so many tokens per sequence: its cache in whole pages, a common prefix once, and its activations. */
static double batch_bytes(const roof_model_target *t, double context) {
  const roof_model_settings *s = &t->settings;
  double sequences = roof_model_replica_batch(t), prefix = prefix_at(t, context);
  double paged = ceil(context / s->page) * s->page, fresh = fmax(1, context - s->generate - prefix);
  double shared = (sequences - prefix_copies(s, sequences)) * prefix_bytes(t, context);
  return (1 - s->offload_kv) * (sequences * sequence_bytes(t, paged) - shared) +
         activation_bytes(t, activation_bytes_per_token(t, 0), sequences, fresh);
}

/** The most tokens per sequence at which the batch has room: whole pages first, as in a page that has begun each further token
 * of a prefix takes less. */
static double longest_context(const roof_model_target *t, double room) {
  enum { MOST = 1 << 30 };
  double low = 0, high = ceil(MOST / t->settings.page) * t->settings.page;
  if (batch_bytes(t, high) <= room) {
    return INFINITY;
  }
  for (double step = t->settings.page; high - low > 1; step = 1) {
    while (high - low > step) {
      double middle = low + floor((high - low) / (2 * step)) * step;
      *(batch_bytes(t, middle) <= room ? &low : &high) = middle;
    }
  }
  return low;
}

/** Sequences of `each` bytes in `room`, of which those that share a prefix have `common` together. */
static double largest_batch(const roof_model_settings *s, double room, double each, double common) {
  double own = each - common, sharers = s->sharers > 0 ? s->sharers : INFINITY;
  if (each <= 0) { /* nothing is kept */
    return room >= 0 ? INFINITY : 0;
  }
  double groups = floor(fmax(0, room) / (common + sharers * own)), rest = room - groups * common;
  rest = groups > 0 ? rest - groups * sharers * own : rest;
  return (groups > 0 ? groups * sharers : 0) + fmax(0, floor((rest - common) / own));
}

/** The most sequences of a replica that `room` holds with their activations, which grow with them. */
static double most_sequences(const roof_model_target *t, double room, double each, double common) {
  enum { MOST = 1 << 30 };
  const roof_model_settings *s = &t->settings;
  double token = activation_bytes_per_token(t, 0), fresh = rf_model_fresh_tokens(t);
  double high = largest_batch(s, room - activation_bytes(t, token, 1, fresh), each, common);
  if (!(high > 1)) {
    return high;
  }
  high = fmin(high, MOST);
  double low = fmax(1, largest_batch(s, room - activation_bytes(t, token, high, fresh), each, common));
  for (high += 1; high - low > 1;) {
    double middle = floor((low + high) / 2);
    bool fits = largest_batch(s, room - activation_bytes(t, token, middle, fresh), each, common) >= middle;
    *(fits ? &low : &high) = middle;
  }
  return low < MOST ? low : INFINITY;
}

/** What is there and whether it fits. */
static roof_model_capacity capacity_of(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  double context = roof_model_own_prompt(t) + s->generate, paged = ceil(context / s->page) * s->page;
  double one = sequence_bytes(t, context), kept = 1 - s->offload_kv;
  model_weights weights = rf_model_local_weights(t);
  roof_model_capacity c = {.weight_bytes = rf_model_weight_bytes(t, &weights),
                           .workspace_bytes = s->workspace};
  double sequences = roof_model_replica_batch(t);
  c.shared_kv_bytes = (sequences - prefix_copies(s, sequences)) * kept * prefix_bytes(t, context);
  c.kv_bytes = sequences * kept * one - c.shared_kv_bytes;
  c.host_bytes = c.kv_bytes / kept * s->offload_kv;
  add_rates(t, &c);
  c.state_bytes = sequences * state_bytes(t);
  c.fragmentation_bytes = sequences * kept * (sequence_bytes(t, paged) - one);
  c.activation_bytes =
      activation_bytes(t, activation_bytes_per_token(t, 0), sequences, rf_model_fresh_tokens(t));
  if (s->train) {
    c.kv_bytes = c.state_bytes = c.fragmentation_bytes = c.host_bytes = 0;
    rf_model_train_capacity(t, &c);
  } else {
    rf_model_move_out(t, &c, &c.weight_bytes, s->offload);
  }
  c.total_bytes = c.weight_bytes + c.workspace_bytes + c.activation_bytes + c.gradient_bytes +
                  c.optimizer_bytes + c.kv_bytes + c.state_bytes + c.fragmentation_bytes;
  c.capacity_bytes = rf_engine_capacity(t, &c);
  c.spare_bytes = c.capacity_bytes - c.total_bytes;
  c.fits = c.spare_bytes >= 0;
  c.longest_context = c.largest_batch = NAN;
  return c;
}

roof_model_capacity rf_model_capacity_at(roof_model_target *t, double tokens) {
  double chunk = t->settings.chunk;
  t->settings.chunk = tokens;
  roof_model_capacity c = capacity_of(t);
  t->settings.chunk = chunk;
  return c;
}

roof_model_capacity roof_model_capacity_of(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  roof_model_capacity c = capacity_of(t);
  if (s->train || isnan(c.capacity_bytes)) {
    return c;
  }
  double batch = roof_model_replica_batch(t), kept = 1 - s->offload_kv;
  double context = roof_model_own_prompt(t) + s->generate, paged = ceil(context / s->page) * s->page;
  double each = kept * sequence_bytes(t, paged) + c.state_bytes / batch;
  double room = c.capacity_bytes - c.weight_bytes - c.workspace_bytes;
  c.longest_context = longest_context(t, room - c.state_bytes);
  c.largest_batch = s->dp * most_sequences(t, room, each, kept * prefix_bytes(t, context));
  return c;
}
