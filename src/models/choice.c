/* Machines, numbers of them and precisions compared: the cheapest of each that meets the limits, ranked. */
#include "roofline/choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "models/choice.h"
#include "models/front.h"
#include "models/limits.h"
#include "models/step.h"
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

void rf_choice_answers(const roof_choice_question *q, double *shortest, double *longest) {
  double mean = q->base->generate, context = q->model->context > 0 ? q->model->context : INFINITY;
  double half = q->limits.rate > 0 ? 0 : floor(mean / 2); /* whole tokens: of one there is no half */
  half = fmin(half, context - q->base->prompt - mean);
  *shortest = mean - half;
  *longest = mean + half;
}

static double dot_time(const void *dot) {
  return roof_plan_token_seconds(&((const roof_choice_dot *)dot)->point);
}

static double dot_price(const void *dot) {
  return ((const roof_choice_dot *)dot)->point.price_per_million_tokens;
}

static double dot_less_throughput(const void *dot) {
  return -((const roof_choice_dot *)dot)->point.device_tokens_per_second;
}

/** What a search of one machine found, among what was found of the others. */
static void join_front(const roof_plan_front *front, const roof_choice *c, roof_choices *all) {
  const model_front_kind kind = {sizeof(roof_choice_dot), dot_time,
                                 all->priced ? dot_price : dot_less_throughput};
  all->tried += front->tried;
  for (int i = 0; i < front->count; i++) {
    roof_choice_dot dot = {.point = front->points[i], .offer = c->offer, .devices = c->devices};
    dot.point.precision = c->precision;
    if (!all->priced || !isnan(dot.point.price_per_million_tokens)) {
      rf_model_front_add(&kind, all->front, &all->front_count, &dot);
    }
  }
}

/** So many devices of one machine in one precision, within limits that are asked for. */
static roof_status judge(const roof_choice_question *q, const roof_plan_limits *asked, double devices,
                         roof_choice *c, roof_choices *all, roof_error *error) {
  roof_plan_front *front = malloc(sizeof *front);
  if (front == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  const roof_offer *offer = &q->offers[c->offer];
  roof_model_settings settings = *q->base;
  roof_plan_limits limits = *asked;
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
    c->point.precision = c->precision;
    c->short_bytes = fits ? NAN : front->short_bytes;
    join_front(front, c, all);
  }
  snprintf(c->why, sizeof c->why, "%.127s", why.message);
  free(front);
  return status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message) : ROOF_OK;
}

/** The ends of the range of a choice's times. */
static roof_status add_range(const roof_choice_question *q, roof_choice *c, roof_error *error) {
  roof_model_settings settings = *q->base;
  const roof_offer *offer = &q->offers[c->offer];
  roof_plan_limits limits = q->limits;
  settings.price = offer->price;
  limits.devices = c->devices;
  return c->point.batch > 0
             ? roof_plan_range(q->model, offer->machine, &settings, &q->precisions->list[c->precision],
                               &limits, &c->point, &c->low, &c->high, error)
             : ROOF_OK;
}

/** What fails the less: too slow by the smaller factor, else short of fewer bytes. */
bool rf_choice_is_nearer(const roof_choice_question *q, const roof_choice *a, const roof_choice *b) {
  if (a->result != b->result) {
    return a->result < b->result;
  }
  return a->result == ROOF_CHOICE_SLOW
             ? roof_plan_excess(&q->limits, &a->point) < roof_plan_excess(&q->limits, &b->point)
             : a->short_bytes < b->short_bytes;
}

/** The next number of devices of an offer: 1, 2, 3 ... of a node, then whole nodes. */
static double more_devices(const roof_choice_question *q, int offer, double devices) {
  double node = rf_model_node(q->base, q->offers[offer].machine);
  return devices < node ? devices + 1 : devices + node;
}

/** Cheaper: with a price by it, without by devices and then by throughput. */
static bool cheaper(const roof_choice *a, const roof_choice *b) {
  double price_a = a->point.price_per_million_tokens, price_b = b->point.price_per_million_tokens;
  if (!isnan(price_a) || !isnan(price_b)) {
    return isnan(price_b) || price_a < price_b;
  }
  return a->devices < b->devices ||
         (a->devices == b->devices && a->point.device_tokens_per_second > b->point.device_tokens_per_second);
}

/** Whether more devices than meet the limits may make a token cheaper: not without a price, nor where as many tokens
 *  are asked for whatever the devices. */
static bool more_may_pay(const roof_choice_question *q, const roof_choice *c) {
  return !isnan(q->offers[c->offer].price) && !(q->limits.rate > 0);
}

static const roof_plan_limits *limits_of(const roof_choice_question *q, const model_tight *tight, int count,
                                         double devices) {
  int i = 0;
  while (i < count && tight[i].devices != devices) {
    i++;
  }
  return i < count ? &tight[i].limits : &q->limits;
}

/** The first number of devices that may do: not those that a run has failed before more were tried. */
static double fewest_devices(const roof_choice_question *q, const model_tight *tight, int count,
                             const roof_choice *c) {
  return q->limits.devices > 0              ? q->limits.devices
         : count > 0 && !more_may_pay(q, c) ? tight[count - 1].devices
                                            : 1;
}

/** The cheapest number of devices that meets the limits, and the nearest of fewer that do not. */
static roof_status find_cheapest(const roof_choice_question *q, const model_tight *tight, int count,
                                 roof_choice *found, roof_choice *failed, roof_choices *all,
                                 roof_error *error) {
  double most = q->limits.devices > 0 ? q->limits.devices
                                      : MOST_NODES * rf_model_node(q->base, q->offers[found->offer].machine);
  roof_choice nearest = {.devices = 0}, best = {.devices = 0};
  for (double n = fewest_devices(q, tight, count, found); n <= most; n = more_devices(q, found->offer, n)) {
    roof_choice c = {.offer = found->offer, .precision = found->precision};
    roof_status status = judge(q, limits_of(q, tight, count, n), n, &c, all, error);
    if (status != ROOF_OK) {
      return status;
    }
    bool meets = c.result == ROOF_CHOICE_MEETS;
    best = meets && (best.devices == 0 || cheaper(&c, &best)) ? c : best;
    bool near = !meets && best.devices == 0 && (nearest.devices == 0 || rf_choice_is_nearer(q, &c, &nearest));
    nearest = near ? c : nearest;
    if (meets && !more_may_pay(q, &c)) {
      break;
    }
  }
  *found = best.devices > 0 ? best : nearest;
  *failed = best.devices > 0 ? nearest : (roof_choice){.devices = 0};
  return ROOF_OK;
}

/** Those that meet the limits first, of them those whose queue never grows. */
static bool before(const roof_choice_question *q, const roof_choice *a, const roof_choice *b) {
  bool meet = a->result == ROOF_CHOICE_MEETS && b->result == ROOF_CHOICE_MEETS;
  if (meet && rf_choice_is_steady(a) != rf_choice_is_steady(b)) {
    return rf_choice_is_steady(a);
  }
  return meet ? cheaper(a, b) : rf_choice_is_nearer(q, a, b);
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

/** Where no machine says its memory there is nothing to choose from. */
static roof_status check_memory(const roof_choice_question *q, roof_error *error) {
  for (int i = 0; i < q->offer_count; i++) {
    const roof_level *memory = roof_machine_level(q->offers[i].machine, ROOF_MEMORY, ROOF_DATASHEET);
    if (memory != NULL && memory->bytes > 0) {
      return ROOF_OK;
    }
  }
  return roof_error_set(
      error, ROOF_E_UNSUPPORTED,
      "plan: %s does not say how much memory it has; `roofline machine show %s --json` writes a "
      "file for it",
      q->offers[0].machine->name, q->offers[0].machine->name);
}

/** Refuses what no machine could answer. */
static roof_status check(const roof_choice_question *q, roof_error *error) {
  roof_model_settings one = *q->base;
  roof_model_target *room = malloc(sizeof *room);
  if (room == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  one.tp = one.pp = one.dp = one.ep = one.cp = 1;
  roof_status status = roof_model_target_init(room, q->model, q->offers[0].machine, &one, error);
  free(room);
  if (status == ROOF_OK && q->offer_count * q->precisions->count > ROOF_CHOICES_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "plan: more than %d machines and precisions",
                            ROOF_CHOICES_MAX);
  }
  double tokens = q->base->prompt + q->base->generate, most_tokens = q->model->context;
  if (status == ROOF_OK && most_tokens > 0 && tokens > most_tokens) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "plan: %.0f tokens per sequence are more than the %.0f that %s was made for",
                            tokens, most_tokens, roof_model_title(q->model));
  }
  status = status == ROOF_OK ? rf_model_limits_check(q->model, &q->limits, error) : status;
  status = status == ROOF_OK ? check_memory(q, error) : status;
  status = status == ROOF_OK ? rf_limit_generates("plan", q->base, error) : status;
  if (status == ROOF_OK && q->base->generate <= 1 && !isnan(q->limits.tpot_seconds)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "plan: --tpot: requests of one token (generate=1) have no time per token");
  }
  return status;
}

roof_status roof_choices_of(const roof_choice_question *q, roof_choices *choices, roof_error *error) {
  roof_status status = check(q, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_choices *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plan: out of memory");
  }
  for (int i = 0; i < q->offer_count; i++) {
    all->priced = all->priced || !isnan(q->offers[i].price);
  }
  for (int i = 0; status == ROOF_OK && i < q->offer_count * q->precisions->count; i++) {
    roof_choice found = {.offer = i / q->precisions->count, .precision = i % q->precisions->count}, fewer;
    status = find_cheapest(q, NULL, 0, &found, &fewer, all, error);
    status = status == ROOF_OK ? add_range(q, &found, error) : status;
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

void rf_choices_replace(const roof_choice_question *q, roof_choices *all, int index, const roof_choice *by,
                        const roof_choice *fewer) {
  all->meeting -= all->list[index].result == ROOF_CHOICE_MEETS;
  all->count--;
  size_t behind = (size_t)(all->count - index);
  memmove(all->list + index, all->list + index + 1, behind * sizeof *all->list);
  memmove(all->fewer + index, all->fewer + index + 1, behind * sizeof *all->fewer);
  insert(q, all, by, fewer);
}

roof_status rf_choices_next(const roof_choice_question *q, const model_tight *tight, int count,
                            roof_choices *all, roof_choice *found, bool *meets, roof_error *error) {
  roof_choice fewer;
  *meets = false;
  roof_status status = find_cheapest(q, tight, count, found, &fewer, all, error);
  status = status == ROOF_OK && found->devices > 0 ? add_range(q, found, error) : status;
  *meets = status == ROOF_OK && found->devices > 0 && found->result == ROOF_CHOICE_MEETS;
  return status;
}

bool rf_choice_is_steady(const roof_choice *c) {
  return c->high.busy < 1;
}

bool roof_choice_is_sure(const roof_choice_question *q, const roof_choice *c) {
  const roof_plan_limits *l = &q->limits;
  return c->result == ROOF_CHOICE_MEETS && rf_choice_is_steady(c) &&
         !(c->high.ttft_seconds > l->ttft_seconds) && !(c->high.tpot_seconds > l->tpot_seconds);
}

/** Appends a time over its limit, "" where it is not. */
static void add_excess(char *buffer, size_t size, const char *name, double seconds, double limit) {
  char x[SHORT], y[SHORT];
  size_t used = strlen(buffer);
  if (seconds > limit && used < size) {
    roof_quantity_format(x, SHORT, seconds, "s");
    bool first = used == 0 || buffer[used - 1] == ' ';
    snprintf(buffer + used, size - used, "%s%s %s, %s over the limit", first ? "" : "; ", name, x,
             roof_quantity_format(y, SHORT, seconds - limit, "s"));
  }
}

char *roof_choice_why(const roof_choice_question *q, const roof_choice *c, char *buffer, size_t size) {
  char x[SHORT];
  const roof_plan_point *p = &c->point;
  buffer[0] = '\0';
  if (c->result == ROOF_CHOICE_IMPOSSIBLE) {
    snprintf(buffer, size, "%s", c->why);
  } else if (c->result == ROOF_CHOICE_SHORT) {
    snprintf(buffer, size, "%s short per device", roof_bytes_format(x, SHORT, c->short_bytes));
  } else if (c->result == ROOF_CHOICE_SLOW && p->busy >= 1) {
    rf_format(buffer, size, "cannot keep up with %.4g requests/s", q->limits.rate);
  } else if (c->result == ROOF_CHOICE_SLOW) {
    snprintf(buffer, size, "%s", c->simulated ? "simulated: " : "");
    add_excess(buffer, size, "TTFT", p->ttft_seconds, q->limits.ttft_seconds);
    add_excess(buffer, size, "TPOT", p->tpot_seconds, q->limits.tpot_seconds);
  }
  return buffer;
}
