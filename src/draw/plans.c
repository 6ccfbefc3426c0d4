/* The front of machines and plans that a search found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/draw.h"

/** Whether the dot is the choice that the answer names. */
static bool is_best(const roof_choices *all, const roof_choice_dot *d) {
  const roof_choice *c = &all->list[0];
  return all->meeting > 0 && c->offer == d->offer && c->devices == d->devices &&
         c->precision == d->point.precision && c->point.batch == d->point.batch &&
         c->point.tpot_seconds == d->point.tpot_seconds;
}

static void name_axes(const roof_choice_question *q, const roof_choices *all, roof_front *chart) {
  char whose[32] = "on average";
  if (q->limits.share > 0) {
    rf_format(whose, sizeof whose, "of %.4g %% of the requests", 100 * q->limits.share);
  }
  if (all->priced) {
    snprintf(chart->x_title, sizeof chart->x_title, "ms per token, %s: to the left: faster", whose);
    snprintf(chart->y_title, sizeof chart->y_title, "price of a million tokens: down: cheaper");
    snprintf(chart->least, sizeof chart->least, "TPOT limit, met to the left");
    chart->least_x = 1e3 * q->limits.tpot_seconds;
  } else {
    snprintf(chart->x_title, sizeof chart->x_title, "tokens/s per request, %s: to the right: faster", whose);
    snprintf(chart->y_title, sizeof chart->y_title, "tokens/s per device: up: cheaper");
    snprintf(chart->least, sizeof chart->least, "TPOT limit, met to the right");
    chart->least_x = 1 / q->limits.tpot_seconds;
  }
}

void roof_choices_chart(const roof_choice_question *q, const roof_choices *all, roof_front *chart) {
  memset(chart, 0, sizeof *chart);
  chart->count = all->front_count;
  snprintf(chart->title, sizeof chart->title, "%.60s: plans of which none is both cheaper and faster",
           q->model->name);
  snprintf(chart->subtitle, sizeof chart->subtitle, "%.0f tried; %.0f + %.0f tokens per request", all->tried,
           q->base->prompt, q->base->generate);
  name_axes(q, all, chart);
  for (int i = 0; i < all->front_count; i++) {
    const roof_choice_dot *found = &all->front[i];
    const roof_plan_point *p = &found->point;
    const char *precision = q->precisions->count > 1 ? q->precisions->names[p->precision] : NULL;
    char words[96];
    roof_front_dot *d = &chart->dots[i];
    d->x = all->priced ? 1e3 * p->tpot_seconds : 1 / p->tpot_seconds;
    d->y = all->priced ? p->price_per_million_tokens : p->device_tokens_per_second;
    d->best = is_best(all, found);
    roof_plan_point_text(p, precision, words, sizeof words);
    rf_format(d->label, sizeof d->label, "%.0f x %.20s %s", found->devices,
              q->offers[found->offer].machine->name, words);
  }
}
