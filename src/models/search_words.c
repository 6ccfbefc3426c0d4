/* What a search or a sweep found, in words. */
#include <math.h>
#include <stdio.h>

#include "models/words.h"
#include "roofline/analysis.h"
#include "roofline/choice.h"
#include "roofline/model_sweep.h"
#include "roofline/plan.h"
#include "roofline/units.h"

enum { SHORT = 48 };

void roof_plans_sentence(roof_text *out, const roof_model *model, const roof_machine *machine,
                         const roof_plan_limits *limits, const roof_model_precisions *precisions,
                         const roof_plan_front *f) {
  char words[2 * SHORT], x[SHORT], y[SHORT];
  const roof_plan_point *b = &f->best;
  roof_text_addf(out, "%s on %.0f x %s: %.0f plans and batches tried, %.0f fit, %.0f within the limits\n",
                 model->name, limits->devices, machine->title, f->tried, f->fit, f->within);
  if (b->batch > 0) {
    roof_plan_point_text(b, precisions->count > 1 ? precisions->names[b->precision] : NULL, words,
                         sizeof words);
    roof_text_addf(out, "best: %s: %s tokens/s per device,", words,
                   rf_plain_number(x, SHORT, b->device_tokens_per_second));
    roof_text_addf(out, " TTFT %s, TPOT %s,", roof_quantity_format(x, SHORT, b->ttft_seconds, "s"),
                   roof_quantity_format(y, SHORT, b->tpot_seconds, "s"));
    roof_text_addf(out, " %s per device", roof_bytes_format(x, SHORT, b->total_bytes));
    if (!isnan(b->price_per_million_tokens)) {
      roof_text_addf(out, ", %.4g per million tokens", b->price_per_million_tokens);
    }
    roof_text_add(out, "\n");
  } else {
    roof_text_add(out, f->fit > 0 ? "best: none within the limits" : "best: none fits");
    roof_text_addf(out, f->fit > 0 ? "; nearest: %s\n" : ", %s short per device\n",
                   f->fit > 0 ? roof_plan_point_text(&f->nearest, NULL, words, sizeof words)
                              : roof_bytes_format(x, SHORT, f->short_bytes));
  }
}

void roof_train_plans_sentence(roof_text *out, const roof_model *model, const roof_machine *machine,
                               const roof_model_settings *settings, double devices,
                               const roof_train_front *f) {
  const roof_train_point *b = &f->best;
  char x[SHORT], y[SHORT], ep[SHORT];
  snprintf(ep, SHORT, " ep %.0f", b->ep);
  roof_text_addf(out, "%s trained on %.0f x %s, %.0f sequences of %.0f tokens: %.0f plans tried, %.0f fit\n",
                 model->name, devices, machine->title, f->batch, settings->prompt, f->tried, f->fit);
  if (f->count == 0) {
    roof_text_add(out, "best: none fits\n");
    return;
  }
  roof_text_addf(out, "best: tp %.0f pp %.0f dp %.0f", b->tp, b->pp, b->dp);
  roof_text_addf(out, "%s%s ZeRO %.0f, recompute %s, micro-batch %.0f: %s per step", b->ep > 1 ? ep : "",
                 b->sp ? " sp" : "", b->zero, roof_recompute_name(b->recompute), b->micro_batch,
                 roof_quantity_format(x, SHORT, b->seconds, "s"));
  roof_text_addf(out, ", %s tokens/s per device, MFU %.1f %%, %s per device\n",
                 rf_plain_number(x, SHORT, b->device_tokens_per_second), 100 * b->mfu,
                 roof_bytes_format(y, SHORT, b->total_bytes));
  roof_model_training_describe(out, &b->training, 1e6 * settings->price / 3600 / b->device_tokens_per_second);
}

void roof_choices_sentence(roof_text *out, const roof_choice_question *q, const roof_choices *all) {
  char x[SHORT], y[SHORT];
  const roof_choice *c = &all->list[0];
  const char *precision = q->precisions->names[c->precision];
  const char *title = q->offers[c->offer].machine->name;
  if (all->meeting == 0) {
    roof_text_addf(out, "nothing meets the limits; nearest: %.0f x %s, %s:\n", c->devices, title, precision);
    char why[128];
    roof_text_addf(out, "  %s\n", roof_choice_why(q, c, why, sizeof why));
    return;
  }
  roof_text_addf(out, "%.0f x %s, %s", c->devices, title, precision);
  if (!isnan(c->point.price_per_million_tokens)) {
    roof_text_addf(out, ": %.4g per million tokens", c->point.price_per_million_tokens);
  }
  roof_text_addf(out, "\n  %s, %.0f requests of %.0f + %.0f tokens at once, continuous:", q->model->name,
                 q->limits.users > 0 ? q->limits.users : c->point.batch, q->base->prompt, q->base->generate);
  roof_text_addf(out, "\n  TTFT %s,", roof_quantity_format(x, SHORT, c->point.ttft_seconds, "s"));
  roof_text_addf(out, " TPOT %s, %s tokens/s and", roof_quantity_format(y, SHORT, c->point.tpot_seconds, "s"),
                 rf_plain_number(x, SHORT, c->point.device_tokens_per_second));
  roof_text_addf(out, " %s per device\n", roof_bytes_format(x, SHORT, c->point.total_bytes));
}

void roof_model_sweep_sentence(roof_text *out, const roof_model_sweep *s) {
  const roof_model_settings *set = &s->settings;
  roof_run_figure rate = roof_model_sweep_rate(s);
  size_t fitting = 0;
  const roof_model_run *best = roof_model_sweep_best(s, &fitting);
  roof_text_addf(out, "%s: %zu runs, %zu fit", s->model->name, s->count, fitting);
  if (best != NULL && s->count > 1) {
    char words[ROOF_RUN_WORDS_MAX], x[SHORT];
    roof_model_run_words(s, best, -1, words, sizeof words);
    roof_text_addf(out, "; most tokens/s per device%s: %s with %s%s%s",
                   rate == ROOF_RUN_DEVICE_RATE ? "" : " of the input",
                   rf_plain_number(x, SHORT, best->figures[rate]), words,
                   words[0] != '\0' && s->machine_count > 1 ? " on " : "",
                   s->machine_count > 1 ? s->machines[best->machine]->name : "");
  }
  roof_text_addf(
      out, "\n\n  where not said: batch %.0f, %.0f tokens in, %.0f out; bound: the longest time of a %s\n\n",
      set->batch, set->prompt, set->generate, roof_model_sweep_generates(s) ? "decoding step" : "step");
}

void roof_model_sweep_batches_describe(roof_text *out, const roof_model_sweep *s, int most) {
  int count = 0;
  for (int axis = 0; axis < s->axes->count; axis++) {
    for (size_t i = 0; i < s->count && count < most; i++) {
      roof_model_batches b = roof_model_sweep_batches(s, &s->runs[i], axis);
      char words[ROOF_RUN_WORDS_MAX];
      if (isnan(b.knee) && isnan(b.largest)) {
        continue;
      }
      roof_text_add(out, count++ == 0 ? "\nHow many sequences pay (a token takes twice as long as with one), "
                                        "and how many fit\n"
                                      : "");
      roof_text_addf(out, "  knee at batch=%.0f, memory ends at batch=%.0f", b.knee, b.largest);
      roof_model_run_words(s, &s->runs[i], axis, words, sizeof words);
      roof_text_addf(out, "%s%s", words[0] != '\0' ? "; " : "", words);
      roof_text_addf(out, "%s%s\n", s->machine_count > 1 ? "; on " : "",
                     s->machine_count > 1 ? s->machines[s->runs[i].machine]->name : "");
    }
  }
}
