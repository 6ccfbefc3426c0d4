/* Machines, numbers of them and precisions compared: the fewest devices of each that meet the limits, ranked. */
#include "roofline/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/units.h"

enum { MOST_NODES = 8, SHORT = 48 };

static const char *const result_names[ROOF_CHOICE_RESULT_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_CHOICE_RESULT_MAP(NAME)
#undef NAME
};

const char *roof_choice_result_name(roof_choice_result result) {
  return (unsigned)result < ROOF_CHOICE_RESULT_COUNT ? result_names[result] : "?";
}

/** So many devices of one machine in one precision. */
static roof_status judge(const roof_choice_question *q, double devices, roof_choice *c, roof_error *error) {
  roof_plan_front *front = malloc(sizeof *front);
  if (front == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "choice: out of memory");
  }
  const roof_offer *offer = &q->offers[c->offer];
  roof_model_settings settings = *q->base;
  roof_plan_limits limits = q->limits;
  roof_error why = {0};
  limits.devices = c->devices = devices;
  settings.price = offer->price;
  roof_status status = roof_plan_search(q->model, offer->machine, &settings,
                                        &q->precisions->list[c->precision], 1, &limits, front, &why);
  bool meets = status == ROOF_OK && front->best.batch > 0, fits = status == ROOF_OK && front->fit > 0;
  c->result = meets               ? ROOF_CHOICE_MEETS
              : fits              ? ROOF_CHOICE_SLOW
              : status == ROOF_OK ? ROOF_CHOICE_SHORT
                                  : ROOF_CHOICE_IMPOSSIBLE;
  c->short_bytes = NAN;
  if (status == ROOF_OK) {
    c->point = meets ? front->best : front->nearest;
    c->short_bytes = fits ? NAN : front->short_bytes;
  }
  snprintf(c->why, sizeof c->why, "%.127s", why.message);
  free(front);
  return status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message) : ROOF_OK;
}

/** What fails the less: too slow by the smaller factor, else short of fewer bytes. */
static bool nearer(const roof_choice_question *q, const roof_choice *a, const roof_choice *b) {
  if (a->result != b->result) {
    return a->result < b->result;
  }
  return a->result == ROOF_CHOICE_SLOW
             ? roof_plan_excess(&q->limits, &a->point) < roof_plan_excess(&q->limits, &b->point)
             : a->short_bytes < b->short_bytes;
}

/** 1, 2, 3 ... devices of a node, then whole nodes. */
static double more_devices(const roof_choice_question *q, double devices) {
  return devices < q->base->node ? devices + 1 : devices + q->base->node;
}

/** The fewest devices that meet the limits, and the nearest of what does not. */
static roof_status find_fewest(const roof_choice_question *q, roof_choice *found, roof_choice *failed,
                               roof_error *error) {
  bool fixed = q->limits.devices > 0;
  double most = fixed ? q->limits.devices : MOST_NODES * q->base->node;
  roof_choice nearest = {.devices = 0};
  for (double n = fixed ? most : 1; n <= most; n = more_devices(q, n)) {
    roof_choice c = {.offer = found->offer, .precision = found->precision};
    roof_status status = judge(q, n, &c, error);
    if (status != ROOF_OK) {
      return status;
    }
    if (c.result == ROOF_CHOICE_MEETS) {
      *found = c;
      *failed = nearest;
      return ROOF_OK;
    }
    nearest = nearest.devices == 0 || nearer(q, &c, &nearest) ? c : nearest;
  }
  *found = nearest;
  *failed = (roof_choice){.devices = 0};
  return ROOF_OK;
}

/** Those that meet the limits first: with a price by it, without by devices. */
static bool before(const roof_choice_question *q, const roof_choice *a, const roof_choice *b) {
  bool met = a->result == ROOF_CHOICE_MEETS;
  double price_a = a->point.price_per_million_tokens, price_b = b->point.price_per_million_tokens;
  if (!met || b->result != ROOF_CHOICE_MEETS) {
    return nearer(q, a, b);
  }
  if (!isnan(price_a) || !isnan(price_b)) {
    return isnan(price_b) || price_a < price_b;
  }
  return a->devices < b->devices ||
         (a->devices == b->devices && a->point.device_tokens_per_second > b->point.device_tokens_per_second);
}

static void insert(const roof_choice_question *q, roof_choices *all, const roof_choice *c,
                   const roof_choice *fewer) {
  int place = all->count++;
  for (; place > 0 && before(q, c, &all->list[place - 1]); place--) {
    all->list[place] = all->list[place - 1];
    all->fewer[place] = all->fewer[place - 1];
  }
  all->list[place] = *c;
  all->fewer[place] = *fewer;
  all->meeting += c->result == ROOF_CHOICE_MEETS;
}

/** Refuses what no machine could answer. */
static roof_status check(const roof_choice_question *q, roof_error *error) {
  roof_model_settings one = *q->base;
  roof_model_target *room = malloc(sizeof *room);
  if (room == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "choice: out of memory");
  }
  one.tp = one.pp = one.dp = one.ep = one.cp = 1;
  roof_status status = roof_model_target_init(room, q->model, q->offers[0].machine, &one, error);
  free(room);
  if (status == ROOF_OK && q->offer_count * q->precisions->count > ROOF_CHOICES_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "search: more than %d machines and precisions",
                            ROOF_CHOICES_MAX);
  }
  if (status == ROOF_OK && q->model->encoder) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "search: %s is an encoder: it has no time per token",
                            q->model->name);
  }
  return status;
}

roof_status roof_choices_of(const roof_choice_question *q, roof_choices *choices, roof_error *error) {
  roof_status status = check(q, error);
  roof_choices *all = status == ROOF_OK ? calloc(1, sizeof *all) : NULL;
  if (status == ROOF_OK && all == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "choice: out of memory");
  }
  for (int i = 0; status == ROOF_OK && i < q->offer_count * q->precisions->count; i++) {
    roof_choice found = {.offer = i / q->precisions->count, .precision = i % q->precisions->count}, fewer;
    status = find_fewest(q, &found, &fewer, error);
    if (status == ROOF_OK) {
      insert(q, all, &found, &fewer);
    }
  }
  if (status == ROOF_OK) {
    *choices = *all;
  }
  free(all);
  return status;
}

char *roof_choice_why(const roof_choice_question *q, const roof_choice *c, char *buffer, size_t size) {
  char x[SHORT], y[SHORT];
  const roof_plan_point *p = &c->point;
  buffer[0] = '\0';
  if (c->result == ROOF_CHOICE_IMPOSSIBLE) {
    snprintf(buffer, size, "%s", c->why);
  } else if (c->result == ROOF_CHOICE_SHORT) {
    snprintf(buffer, size, "%s short per device", roof_bytes_format(x, SHORT, c->short_bytes));
  } else if (c->result == ROOF_CHOICE_SLOW) {
    bool first = !(p->tpot_seconds / q->limits.tpot_seconds >= p->ttft_seconds / q->limits.ttft_seconds) &&
                 p->ttft_seconds > q->limits.ttft_seconds;
    double took = first ? p->ttft_seconds : p->tpot_seconds;
    double limit = first ? q->limits.ttft_seconds : q->limits.tpot_seconds;
    roof_quantity_format(x, SHORT, took, "s");
    snprintf(buffer, size, "%s %s, %s over the limit", first ? "TTFT" : "TPOT", x,
             roof_quantity_format(y, SHORT, took - limit, "s"));
  }
  return buffer;
}
