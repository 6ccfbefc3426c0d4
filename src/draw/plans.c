/* The front of machines and plans that a search found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/draw.h"

/** Whether the dot is the choice that the answer names. */
static bool is_best(const roof_choices *all, const roof_choice_dot *d) {
  const roof_choice *c = &all->list[0];
  const roof_plan_point *p = &c->point, *of = &d->point;
  return all->meeting > 0 && c->offer == d->offer && c->devices == d->devices &&
         c->precision == of->precision && p->batch == of->batch && p->chunk == of->chunk && p->tp == of->tp &&
         p->pp == of->pp && p->dp == of->dp && p->ep == of->ep && p->cp == of->cp;
}

static void name_axes(const roof_choice_question *q, const roof_choices *all, roof_front *chart) {
  char whose[32] = "on average";
  if (q->limits.share > 0) {
    rf_format(whose, sizeof whose, "of %.4g %% of the requests", 100 * q->limits.share);
  }
  if (all->priced) {
    snprintf(chart->x_title, sizeof chart->x_title, "ms %s, %s: to the left: faster",
             q->base->generate > 1 ? "per token" : "to the first token", whose);
    snprintf(chart->y_title, sizeof chart->y_title, "price of a million tokens: down: cheaper");
    snprintf(chart->least, sizeof chart->least, "TPOT limit, met to the left");
    chart->least_x = 1e3 * q->limits.tpot_seconds;
  } else {
    snprintf(chart->x_title, sizeof chart->x_title, "%s per request, %s: to the right: faster",
             q->base->generate > 1 ? "tokens/s" : "first tokens/s", whose);
    snprintf(chart->y_title, sizeof chart->y_title, "tokens/s per device: up: cheaper");
    snprintf(chart->least, sizeof chart->least, "TPOT limit, met to the right");
    chart->least_x = 1 / q->limits.tpot_seconds;
  }
}

/** Adds a dot where its place is along x: the best one's is that of its run, which may beat others of the front. */
static void add_dot(roof_front *chart, const roof_front_dot *d) {
  int place = chart->count++;
  for (; place > 0 && chart->dots[place - 1].x > d->x; place--) {
    chart->dots[place] = chart->dots[place - 1];
  }
  chart->dots[place] = *d;
}

/** Those that the best one beats in both. */
static void drop_beaten(roof_front *chart, bool priced, const roof_front_dot *best) {
  int kept = 0;
  for (int i = 0; i < chart->count; i++) {
    const roof_front_dot *d = &chart->dots[i];
    bool beaten = priced ? d->x >= best->x && d->y >= best->y : d->x <= best->x && d->y <= best->y;
    if (d->best || !beaten) {
      chart->dots[kept++] = *d;
    }
  }
  chart->count = kept;
}

void roof_choices_chart(const roof_choice_question *q, const roof_choices *all, roof_front *chart) {
  memset(chart, 0, sizeof *chart);
  snprintf(chart->title, sizeof chart->title, "%.60s: plans of which none is both cheaper and faster",
           roof_model_title(q->model));
  snprintf(chart->subtitle, sizeof chart->subtitle,
           "%.0f tried; %.0f + %.0f tokens per request; times estimated%s", all->tried, q->base->prompt,
           q->base->generate,
           all->meeting > 0 && all->list[0].simulated ? ", the best plan's simulated" : "");
  roof_front_dot named = {.best = false};
  name_axes(q, all, chart);
  for (int i = 0; i < all->front_count; i++) {
    const roof_choice_dot *found = &all->front[i];
    bool best = is_best(all, found);
    const roof_plan_point *p = best ? &all->list[0].point : &found->point;
    const char *precision = q->precisions->count > 1 ? q->precisions->names[found->point.precision] : NULL;
    char words[96];
    double seconds = roof_plan_token_seconds(p);
    roof_front_dot d = {.x = all->priced ? 1e3 * seconds : 1 / seconds,
                        .y = all->priced ? p->price_per_million_tokens : p->device_tokens_per_second,
                        .best = best};
    roof_plan_point_text(p, precision, words, sizeof words);
    rf_format(d.label, sizeof d.label, "%.0f x %.20s %s", found->devices,
              q->offers[found->offer].machine->name, words);
    add_dot(chart, &d);
    named = best ? d : named;
  }
  if (named.best) {
    drop_beaten(chart, all->priced, &named);
  }
}
