/* The front that a search of plans found. */
#include <stdio.h>
#include <string.h>

#include "roofline/draw.h"

void roof_plans_chart(const roof_model *model, const roof_machine *machine, const roof_plan_limits *limits,
                      const roof_model_precisions *precisions, const roof_plan_front *f, roof_front *chart) {
  memset(chart, 0, sizeof *chart);
  chart->least_x = 1 / limits->tpot_seconds;
  chart->count = f->count;
  snprintf(chart->title, sizeof chart->title, "%.60s on %.0f x %.40s", model->name, limits->devices,
           machine->title);
  snprintf(chart->subtitle, sizeof chart->subtitle,
           "%.0f plans and batches tried, %.0f fit; no other has more of both", f->tried, f->fit);
  snprintf(chart->x_title, sizeof chart->x_title, "%s", "tokens/s per request: to the right: faster answers");
  snprintf(chart->y_title, sizeof chart->y_title, "%s", "tokens/s per device: up: cheaper");
  snprintf(chart->least, sizeof chart->least, "TPOT limit, met to the right");
  for (int i = 0; i < f->count; i++) {
    const roof_plan_point *p = &f->points[i];
    const char *precision = precisions->count > 1 ? precisions->names[p->precision] : NULL;
    roof_front_dot *d = &chart->dots[i];
    d->x = 1 / p->tpot_seconds;
    d->y = p->device_tokens_per_second;
    d->best = memcmp(p, &f->best, sizeof *p) == 0;
    roof_plan_point_text(p, precision, d->label, sizeof d->label);
  }
}
