#include "service/kept.h"

#include <math.h>
#include <string.h>

#include "models/shape.h"

static bool is_plain(const service_kept *k) {
  return k->count == 0 && k->state == 0;
}

/** Adds layers with a window, infinite without; the widest come together where there is no room for more. */
static void add_kind(service_kept *k, double window, double share) {
  int i = 0;
  while (i < k->count && k->kinds[i].window != window) {
    i++;
  }
  if (i == SERVICE_WINDOWS) {
    i--;
    k->kinds[i].window = fmax(k->kinds[i].window, window);
  } else if (i == k->count) {
    k->kinds[k->count++].window = window;
  }
  k->kinds[i].share += share;
}

static void scale(service_kept *k, double factor) {
  k->state *= factor;
  for (int i = 0; i < k->count; i++) {
    k->kinds[i].share *= factor;
  }
}

service_kept rf_kept_layers(const roof_model_target *t, double *block_bytes) {
  service_kept k;
  memset(&k, 0, sizeof k);
  double each = t->kv_bytes * t->settings.page / t->settings.cp;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    double bytes = t->stage_layers[i] * each * rf_model_kv_elements(b, t->settings.tp);
    if (b->mixer == ROOF_MIX_CROSS) {
      k.state += bytes / t->settings.page * roof_model_stream_tokens(t, (int)b->source - 1);
    } else if (bytes > 0) {
      add_kind(&k, b->window > 0 ? b->window : INFINITY, bytes);
    }
    k.state += t->stage_layers[i] * t->state_bytes * rf_model_widths_of(b, t->settings.tp).state;
  }
  *block_bytes = 0;
  for (int i = 0; i < k.count; i++) {
    *block_bytes += k.kinds[i].share;
  }
  *block_bytes = *block_bytes > 0 ? *block_bytes : k.state;
  if (*block_bytes > 0) {
    scale(&k, 1 / *block_bytes);
  }
  bool plain = k.state == 0 && k.count == 1 && isinf(k.kinds[0].window);
  return plain ? (service_kept){.state = 0} : k;
}

service_kept rf_kept_both(const service_kept *kept, double bytes, const service_kept *other,
                          double other_bytes) {
  const service_kept *const each[] = {kept, other};
  const double parts[] = {bytes / (bytes + other_bytes), other_bytes / (bytes + other_bytes)};
  service_kept both;
  memset(&both, 0, sizeof both);
  if (is_plain(kept) && is_plain(other)) {
    return both;
  }
  for (int m = 0; m < 2; m++) {
    both.state += parts[m] * each[m]->state;
    for (int i = 0; i < each[m]->count; i++) {
      add_kind(&both, each[m]->kinds[i].window, parts[m] * each[m]->kinds[i].share);
    }
    if (is_plain(each[m])) {
      add_kind(&both, INFINITY, parts[m]);
    }
  }
  return both;
}

double rf_kept_blocks(const service_kept *k, double page, double tokens) {
  double blocks = is_plain(k) ? ceil(tokens / page) : k->state;
  for (int i = 0; i < k->count; i++) {
    blocks += k->kinds[i].share * ceil(fmin(tokens, k->kinds[i].window) / page);
  }
  return blocks;
}

double rf_kept_tokens(const service_kept *k, double page, double tokens) {
  double kept = is_plain(k) ? tokens : k->state * page;
  for (int i = 0; i < k->count; i++) {
    kept += k->kinds[i].share * fmin(tokens, k->kinds[i].window);
  }
  return kept;
}

double rf_kept_growth(const service_kept *k, double from, double to) {
  double growth = is_plain(k) ? 1 : 0;
  for (int i = 0; i < k->count; i++) {
    double within = fmin(fmax(0, k->kinds[i].window - from), to - from);
    growth += k->kinds[i].share * (to > from ? within / (to - from) : 0);
  }
  return growth;
}

double rf_kept_lasting(const service_kept *k) {
  double lasting = is_plain(k) ? 1 : 0;
  for (int i = 0; i < k->count; i++) {
    lasting += isinf(k->kinds[i].window) ? k->kinds[i].share : 0;
  }
  return lasting;
}

double rf_kept_longest(const service_kept *k, double page, double blocks) {
  const double most = 0x1p40;
  if (is_plain(k) || isinf(blocks)) {
    return blocks * page;
  }
  double low = 0, high = most;
  if (rf_kept_blocks(k, page, high) <= blocks) {
    return INFINITY;
  }
  while (high - low > 1) {
    double middle = floor((low + high) / 2);
    *(rf_kept_blocks(k, page, middle) <= blocks ? &low : &high) = middle;
  }
  return low;
}
