/* What a search or a sweep found, in words. */
#include <math.h>
#include <stdio.h>

#include "models/choice.h"
#include "models/words.h"
#include "roofline/analysis.h"
#include "roofline/choice.h"
#include "roofline/model_sweep.h"
#include "roofline/plan.h"
#include "roofline/units.h"

enum { SHORT = 48 };

/** How each device shares the model, without the step's time. */
static void add_train_point(roof_text *out, const roof_train_point *b) {
  roof_text_addf(out, "tp %.0f pp %.0f dp %.0f", b->tp, b->pp, b->dp);
  if (b->ep > 1) {
    roof_text_addf(out, " ep %.0f", b->ep);
  }
  roof_text_addf(out, "%s ZeRO %.0f, recompute %s, micro-batch %.0f", b->sp ? " sp" : "", b->zero,
                 roof_recompute_name(b->recompute), b->micro_batch);
}

/** Where no plan fits: which lacks the least, and what would hold it. */
static void add_nearest(roof_text *out, const roof_train_front *f, double devices,
                        const roof_model_settings *s) {
  char x[SHORT];
  roof_text_add(out, "best: none fits; nearest: ");
  add_train_point(out, &f->nearest);
  roof_text_addf(out, ": %s short on each device\n", roof_bytes_format(x, SHORT, f->short_bytes));
  if (!isnan(f->enough_devices)) {
    roof_text_addf(out, "  fits on %.0f devices in place of %.0f\n", f->enough_devices, devices);
  } else {
    roof_text_add(out,
                  "  does not fit on 64 times as many devices either: smaller pieces of the batch, or fewer "
                  "tokens\n");
  }
  if (s->offload_optimizer == 0) {
    roof_text_add(out, "  offload_optimizer=1 keeps the optimizer's state with the host\n");
  }
}

void roof_train_plans_sentence(roof_text *out, const roof_model *model, const roof_machine *machine,
                               const roof_model_settings *settings, double devices, const roof_train_front *f,
                               const roof_failures *failures) {
  const roof_train_point *b = &f->best;
  char x[SHORT], y[SHORT];
  roof_text_addf(out,
                 "%s trained on %.0f x %s, %.0f sequence%s of %.0f tokens: %.0f plan%s tried, %.0f fit\n",
                 roof_model_title(model), devices, machine->title, f->batch, f->batch == 1 ? "" : "s",
                 settings->prompt, f->tried, f->tried == 1 ? "" : "s", f->fit);
  if (settings->interleave > 1) {
    roof_text_addf(out, "  pipelines of %.0f stages on each device\n", settings->interleave);
  }
  if (settings->lora > 0) {
    roof_text_addf(out, "  adapters of rank %.0f are trained alone; their own FLOPs are not counted\n",
                   settings->lora);
  }
  if (settings->offload > 0 || settings->offload_optimizer > 0) {
    roof_text_addf(out, "  with the host %.4g %% of the weights and %.4g %% of the optimizer's state\n",
                   100 * settings->offload, 100 * settings->offload_optimizer);
  }
  if (f->count == 0) {
    add_nearest(out, f, devices, settings);
    return;
  }
  roof_text_add(out, "best: ");
  add_train_point(out, b);
  roof_text_addf(out, ": %s per step", roof_quantity_format(x, SHORT, b->seconds, "s"));
  roof_text_addf(out, ", %s tokens/s per device, MFU %.1f %%, %s per device\n",
                 rf_plain_number(x, SHORT, b->device_tokens_per_second), 100 * b->mfu,
                 roof_bytes_format(y, SHORT, b->total_bytes));
  roof_model_training_describe(out, &b->training, settings,
                               1e6 * settings->price / 3600 / b->device_tokens_per_second, failures);
}

/** The limits, and how many requests keep them, or the times. */
static void add_limits(roof_text *out, const roof_plan_limits *l) {
  char x[SHORT];
  bool first = !isnan(l->ttft_seconds), next = !isnan(l->tpot_seconds);
  if (!first && !next && l->share > 0) {
    roof_text_addf(out, "no limit of TTFT or TPOT; times that %.4g %% of them keep\n", 100 * l->share);
    return;
  }
  if (!first && !next) {
    roof_text_add(out, "no limit of TTFT or TPOT; times on average\n");
    return;
  }
  if (l->share > 0) {
    roof_text_addf(out, "%.4g %% of them within", 100 * l->share);
  } else {
    roof_text_add(out, "on average");
  }
  if (first) {
    roof_text_addf(out, " TTFT %s%s", roof_quantity_format(x, SHORT, l->ttft_seconds, "s"), next ? "," : "");
  }
  if (next) {
    roof_text_addf(out, " TPOT %s", roof_quantity_format(x, SHORT, l->tpot_seconds, "s"));
  }
  roof_text_add(out, "\n");
}

static void add_question(roof_text *out, const roof_choice_question *q) {
  char x[SHORT];
  const roof_plan_limits *l = &q->limits;
  roof_text_addf(out, "  %s, ", roof_model_title(q->model));
  if (l->rate > 0) {
    roof_text_addf(out, "%s requests/s", rf_plain_number(x, SHORT, l->rate));
  } else if (l->users > 0) {
    roof_text_addf(out, "%.0f request%s at once", l->users, l->users == 1 ? "" : "s");
  } else {
    roof_text_add(out, "requests as many as fit and pay");
  }
  roof_text_addf(out, " of %.0f + %.0f tokens", q->base->prompt, q->base->generate);
  rf_model_add_drafts(out, q->base);
  roof_text_add(out, "\n  ");
  add_limits(out, l);
}

void rf_plan_add_time(roof_text *out, const char *name, double seconds, double low, double high) {
  char x[SHORT], y[SHORT], z[SHORT];
  roof_quantity_format(x, SHORT, seconds, "s");
  roof_quantity_format(y, SHORT, low, "s");
  if (isfinite(high)) {
    roof_text_addf(out, "%s %s (%s to %s)", name, x, y, roof_quantity_format(z, SHORT, high, "s"));
  } else {
    roof_text_addf(out, "%s %s (from %s; at the slow end it grows)", name, x, y);
  }
}

void rf_plan_add_sure(roof_text *out, const roof_plan_limits *limits, bool sure) {
  if (!isnan(limits->ttft_seconds) || !isnan(limits->tpot_seconds)) {
    roof_text_add(out, sure ? "  within the limits at the slow end of its range as well\n"
                            : "  over a limit at the slow end of its range\n");
  }
}

void rf_plan_add_how(roof_text *out, const roof_choice_question *q, bool simulated) {
  double shortest, longest;
  if (!simulated) {
    roof_text_add(out, "  estimated, the queue in closed form\n");
    return;
  }
  roof_text_add(out, "  simulated request by request, with the queue, without the host's time");
  rf_choice_answers(q, &shortest, &longest);
  if (longest > shortest) {
    roof_text_addf(out, "\n  answers of %.0f to %.0f tokens", shortest, longest);
  }
  roof_text_add(out, "\n");
}

static void add_times(roof_text *out, const roof_choice_question *q, const roof_choice *c) {
  roof_text_add(out, "  ");
  rf_plan_add_time(out, "TTFT", c->point.ttft_seconds, c->low.ttft_seconds, c->high.ttft_seconds);
  if (!isnan(c->point.tpot_seconds)) {
    rf_plan_add_time(out, ", TPOT", c->point.tpot_seconds, c->low.tpot_seconds, c->high.tpot_seconds);
  }
  roof_text_add(out, "\n");
  rf_plan_add_how(out, q, c->simulated);
}

/** What the winner is made of and how sure it is. */
static void add_winner(roof_text *out, const roof_choice_question *q, const roof_choice *c) {
  char x[SHORT], y[SHORT], words[2 * SHORT];
  roof_text_addf(out, "  %s, ", roof_plan_point_text(&c->point, NULL, words, sizeof words));
  roof_text_addf(out, "%s tokens/s", rf_plain_number(x, SHORT, c->point.device_tokens_per_second));
  roof_text_addf(out, " and %s per device", roof_bytes_format(y, SHORT, c->point.total_bytes));
  rf_model_add_memory_rule(out, q->base, false);
  roof_text_addf(out, "\n  prompts take %.0f %% of the time, energy %s per token\n", 100 * c->point.busy,
                 isnan(c->point.joules_per_token)
                     ? "not known"
                     : roof_quantity_format(x, SHORT, c->point.joules_per_token, "J"));
  rf_plan_add_sure(out, &q->limits, roof_choice_is_sure(q, c));
}

void roof_choices_sentence(roof_text *out, const roof_choice_question *q, const roof_choices *all) {
  const roof_choice *c = &all->list[0];
  const char *precision = q->precisions->names[c->precision];
  const char *title = q->offers[c->offer].machine->name;
  if (all->meeting == 0) {
    char why[128];
    roof_text_addf(out, "nothing meets the limits; nearest: %.0f x %s, %s:\n", c->devices, title, precision);
    roof_text_addf(out, "  %s", roof_choice_why(q, c, why, sizeof why));
    if (c->result == ROOF_CHOICE_SHORT) {
      rf_model_add_memory_rule(out, q->base, true);
    }
    roof_text_add(out, "\n");
    add_question(out, q);
    return;
  }
  roof_text_addf(out, "%.0f x %s, %s", c->devices, title, precision);
  if (!isnan(c->point.price_per_million_tokens)) {
    roof_text_addf(out, ": %.4g per million tokens", c->point.price_per_million_tokens);
  }
  roof_text_add(out, "\n");
  add_question(out, q);
  add_times(out, q, c);
  add_winner(out, q, c);
}

/** How many run, fit, and cannot be judged. */
static void add_fitting(roof_text *out, const roof_model_sweep *s, size_t fitting) {
  size_t unknown = 0;
  for (size_t i = 0; i < s->count; i++) {
    unknown += s->runs[i].why[0] == '\0' && isnan(s->runs[i].figures[ROOF_RUN_SPARE_BYTES]) ? 1 : 0;
  }
  roof_text_addf(out, "%s: %zu run%s", roof_model_title(s->model), s->count, s->count == 1 ? "" : "s");
  if (unknown < s->count) {
    roof_text_addf(out, ", %zu fit", fitting);
  }
  if (unknown > 0) {
    roof_text_addf(out, unknown < s->count ? ", of %zu the memory is not known" : ", memory not known",
                   unknown);
  }
}

void roof_model_sweep_sentence(roof_text *out, const roof_model_sweep *s) {
  char words[ROOF_RUN_WORDS_MAX];
  size_t fitting = 0;
  const roof_model_run *best = roof_model_sweep_best(s, &fitting);
  add_fitting(out, s, fitting);
  if (best != NULL && s->count > 1 && !isnan(best->figures[ROOF_RUN_DEVICE_RATE])) {
    char x[SHORT];
    roof_model_run_words(s, best, -1, words, sizeof words);
    roof_text_addf(out, "; most tokens/s per device: %s with %s%s%s",
                   rf_plain_number(x, SHORT, best->figures[ROOF_RUN_DEVICE_RATE]), words,
                   words[0] != '\0' && s->machine_count > 1 ? " on " : "",
                   s->machine_count > 1 ? s->machines[best->machine]->name : "");
  }
  roof_text_addf(out, "\n\n  where not said: %s; bound: the longest time of a %s\n\n",
                 roof_model_sweep_settings(s, words, sizeof words),
                 roof_model_sweep_generates(s) ? "decoding step" : "step");
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
      roof_text_addf(out, "  knee at batch=%.0f, ", b.knee);
      roof_text_addf(out, b.largest < 1 ? "not one fits" : "memory ends at batch=%.0f", b.largest);
      roof_model_run_words(s, &s->runs[i], axis, words, sizeof words);
      roof_text_addf(out, "%s%s", words[0] != '\0' ? "; " : "", words);
      roof_text_addf(out, "%s%s\n", s->machine_count > 1 ? "; on " : "",
                     s->machine_count > 1 ? s->machines[s->runs[i].machine]->name : "");
    }
  }
}
