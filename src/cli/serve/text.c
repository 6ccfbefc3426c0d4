/* The answer of a service for people, and as CSV. */
#include <math.h>

#include "cli/grid.h"
#include "cli/serve/serve.h"
#include "models/words.h"
#include "roofline/analysis.h"

/** A figure of an answer that is a distribution. */
static const struct {
  const char *name, *key;
  size_t offset;
} figures[] = {{"TTFT", "ttft", offsetof(roof_service_answer, ttft)},
               {"TPOT", "tpot", offsetof(roof_service_answer, tpot)},
               {"ITL", "itl", offsetof(roof_service_answer, itl)},
               {"end-to-end", "end_to_end", offsetof(roof_service_answer, end_to_end)},
               {"queue", "wait", offsetof(roof_service_answer, wait)}};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static const roof_service_times *times_of(const roof_service_answer *a, int figure) {
  return (const roof_service_times *)(const void *)((const char *)a + figures[figure].offset);
}

static const char *seconds(char buffer[CLI_SHORT], double value) {
  return isnan(value) ? "-" : cli_quantity(buffer, value, "s");
}

static void add_table(roof_text *out, const roof_service_answer *a) {
  static const char *const headers[] = {"", "50 %", "90 %", "99 %", "mean", "most"};
  char text[CLI_SHORT];
  cli_grid grid = {0};
  for (int i = 0; i < 6; i++) {
    cli_grid_add(&grid, "%s", headers[i]);
  }
  for (int f = 0; f < FIGURES; f++) {
    const roof_service_times *t = times_of(a, f);
    const double values[] = {t->p50, t->p90, t->p99, t->mean, t->most};
    cli_grid_add(&grid, "%s", figures[f].name);
    for (int i = 0; i < 5; i++) {
      cli_grid_add(&grid, "%s", seconds(text, values[i]));
    }
  }
  cli_grid_end(&grid, out, "Lrrrrr");
}

static void add_limits(roof_text *out, const roof_service_settings *s) {
  char x[CLI_SHORT];
  if (!isnan(s->ttft_seconds)) {
    roof_text_addf(out, " TTFT %s", seconds(x, s->ttft_seconds));
  }
  if (!isnan(s->tpot_seconds)) {
    roof_text_addf(out, "%s TPOT %s", isnan(s->ttft_seconds) ? "" : " and", seconds(x, s->tpot_seconds));
  }
}

/** How many requests keep the limits in a run (NULL: none), and up to which rate most do. */
static void add_goodput(roof_text *out, const roof_service_study *s, const roof_service_answer *a) {
  char x[CLI_SHORT];
  bool known = a != NULL && !isnan(a->goodput), bounded = !isnan(s->limit_rate);
  if (!known && !bounded) {
    return;
  }
  roof_text_add(out, "  goodput     ");
  if (known) {
    roof_text_addf(out, "%s requests/s, %.1f %% of them, keep", cli_number(x, a->goodput), 100 * a->within);
  } else {
    roof_text_addf(out, "%.0f %% of requests keep", 100 * ROOF_SERVICE_LIMIT_SHARE);
  }
  add_limits(out, &s->settings);
  if (known && bounded) {
    roof_text_addf(out, "; %.0f %% do", 100 * ROOF_SERVICE_LIMIT_SHARE);
  }
  if (bounded) {
    roof_text_addf(out, s->limit_rate > 0 ? " up to %s requests/s" : " at no rate",
                   cli_number(x, s->limit_rate));
  }
  roof_text_add(out, "\n");
}

static void add_adapters(roof_text *out, const roof_service_study *s, const roof_service_answer *a) {
  char x[CLI_SHORT];
  const roof_service_settings *set = &s->settings;
  roof_text_addf(out, "  adapters    %.0f of rank %.0f, ", set->adapters, set->adapter_rank);
  if (set->adapter_skew > 0) {
    roof_text_addf(out, "the i-th asked for as i^-%g, ", set->adapter_skew);
  } else {
    roof_text_add(out, "all asked for as often, ");
  }
  roof_text_addf(out, "%s each; ",
                 roof_bytes_format(x, sizeof x, roof_service_adapter_bytes(s->service, set)));
  roof_text_addf(out, "%.0f at once on the device, %.0f loads from the host", roof_service_adapter_slots(set),
                 a->adapter_loads);
  if (a->slot_waits > 0) {
    roof_text_addf(out, "; %.1f %% of requests wait for a slot, on average of all %s", 100 * a->slot_waits,
                   seconds(x, a->slot_wait_seconds));
  }
  roof_text_add(out, "\n");
}

static void add_figures(roof_text *out, const roof_service_study *s, const roof_service_answer *a) {
  char x[CLI_SHORT], y[CLI_SHORT];
  roof_text_addf(out, "  throughput  %s requests/s, %s", cli_number(x, a->requests_per_second),
                 cli_number(y, a->tokens_per_second));
  roof_text_addf(out, " tokens/s: %.0f request%s in %s\n", a->requests, a->requests == 1 ? "" : "s",
                 seconds(x, a->seconds));
  add_goodput(out, s, a);
  if (!isnan(s->saturation)) {
    roof_text_addf(out, "  saturation  %s requests/s: beyond it the queue grows\n",
                   cli_number(x, s->saturation));
  }
  roof_text_addf(out, "  busy        %.1f %% of the time; %.1f sequences generate at once, of at most %.0f\n",
                 100 * a->utilisation, a->batch, s->settings.sequences);
  if (!isnan(a->kv_mean)) {
    roof_text_addf(out, "  cache       %.1f %% of %s tokens in use, at most %.1f %%; %.0f preemptions",
                   100 * a->kv_mean, cli_number(x, roof_service_cache_tokens(s->service, &s->settings)),
                   100 * a->kv_most, a->preemptions);
    roof_text_addf(out, a->cached > 0 ? "; %.1f %% of prompts found\n" : "\n", 100 * a->cached);
  } else {
    roof_text_add(out, "  cache       not limited: the machine's memory is not known\n");
  }
  if (s->settings.adapters > 0) {
    add_adapters(out, s, a);
  }
  if (!isnan(a->price_per_million_tokens)) {
    roof_text_addf(out, "  cost        %.4g per million generated tokens", a->price_per_million_tokens);
    roof_model_price_describe(out, &s->target->settings);
    if (s->pool != NULL) {
      roof_text_add(out, "; prompts'");
      roof_model_price_describe(out, &s->pool->settings);
    }
    roof_text_add(out, "\n");
  }
}

/** Requests at a time whose answers are all as long end together, and the prompts after them wait for one another. */
static bool runs_in_step(const roof_service_settings *s) {
  return s->concurrency > 1 && s->generate.kind == ROOF_LENGTHS_CONSTANT;
}

/** The requests, and when they arrive. */
static void add_load(roof_text *out, const roof_service_study *s) {
  char prompt[64], generate[64];
  const roof_service_settings *set = &s->settings;
  roof_text_add(out, "  load        ");
  if (set->trace != NULL) {
    roof_text_addf(out, "trace %s, %zu requests", s->trace.format, s->trace.count);
    if (s->trace.skipped > 0) {
      roof_text_addf(out, ", %zu that failed left out", s->trace.skipped);
    }
  } else {
    roof_text_addf(out, "prompt %s", roof_lengths_text(&set->prompt, prompt, sizeof prompt));
    if (roof_model_prefix(&s->target->settings) > 0) {
      roof_text_addf(out, " (the first %.0f the same of all)", roof_model_prefix(&s->target->settings));
    }
    roof_text_addf(out, ", generate %s tokens", roof_lengths_text(&set->generate, generate, sizeof generate));
    if (set->turns.kind != ROOF_LENGTHS_CONSTANT || set->turns.mean > 1) {
      roof_text_addf(out, ", %s turns of a session, %s apart",
                     roof_lengths_text(&set->turns, prompt, sizeof prompt),
                     cli_quantity(generate, set->turn_seconds, "s"));
    }
    bool at_once = set->concurrency <= 0 && s->count == 1 && isinf(s->rates[0]);
    roof_text_addf(out, ", %s%s%s",
                   set->concurrency > 0 ? "closed-loop"
                   : at_once            ? "all at once"
                                        : roof_arrival_name(set->arrival),
                   at_once ? "" : " arrivals",
                   runs_in_step(set) ? " (in lockstep: all answers are as long)" : "");
  }
  rf_model_add_drafts(out, &s->target->settings);
  roof_text_addf(out, ", seed %.0f\n", set->seed);
}

/** What was simulated. */
static void add_question(roof_text *out, const roof_service_study *s) {
  const roof_service_settings *set = &s->settings;
  const roof_model_settings *m = &s->target->settings;
  char axes[64];
  add_load(out, s);
  if (s->pool != NULL) {
    roof_text_addf(out, "  prompts     on %.0f x %s: %s\n", s->pool->devices, s->pool->machine->name,
                   rf_model_axes(axes, sizeof axes, &s->pool->settings));
  }
  roof_text_addf(out, "  plan        %s on %s: %s", roof_model_title(s->target->model),
                 s->target->machine->name, rf_model_axes(axes, sizeof axes, m));
  if (set->prefills > 0) {
    roof_text_addf(out, ", %.0f of them prefill", set->prefills);
  }
  roof_text_addf(out, "; %.0f tokens per step%s", set->budget,
                 set->whole_prompts ? ", prompts in steps of their own" : "");
  if (m->memory_rule != ROOF_MEMORY_VLLM) {
    roof_text_addf(out, "; memory as %s takes it", roof_memory_rule_name(m->memory_rule));
  }
  if (s->pool != NULL || s->target->devices > m->node) {
    roof_text_addf(out, "; %s between nodes%s", s->target->links[ROOF_SPAN_CLUSTER].name,
                   m->network != NULL ? "" : " (assumed; --network says another)");
  }
  roof_text_add(out, "\n");
  rf_model_add_precision(out, s->target);
  roof_text_add(
      out, "  meaning     as vLLM's benchmark: TTFT from arrival, with the queue; TPOT the mean of a "
           "request's gaps after it, ITL each gap; throughput to the last token; percentiles within 0.5 %\n");
}

/** A line for each rate. */
static void add_rates(roof_text *out, const roof_service_study *s) {
  static const char *const headers[] = {"requests/s", "TTFT",     "99 %", "TPOT",
                                        "99 %",       "tokens/s", "busy", "goodput"};
  char text[CLI_SHORT];
  cli_grid grid = {0};
  bool limited = !isnan(s->settings.ttft_seconds) || !isnan(s->settings.tpot_seconds);
  for (int i = 0; i < (limited ? 8 : 7); i++) {
    cli_grid_add(&grid, "%s", headers[i]);
  }
  for (size_t i = 0; i < s->count; i++) {
    const roof_service_answer *a = &s->answers[i];
    const double values[] = {a->ttft.p50, a->ttft.p99, a->tpot.p50, a->tpot.p99};
    cli_grid_add(&grid, "%s", cli_number(text, s->rates[i]));
    for (int k = 0; k < 4; k++) {
      cli_grid_add(&grid, "%s", k == 0 && a->overloaded ? "too much" : seconds(text, values[k]));
    }
    cli_grid_add(&grid, "%s", cli_number(text, a->tokens_per_second));
    cli_grid_add(&grid, "%.0f %%", 100 * a->utilisation);
    if (limited) {
      cli_grid_add(&grid, "%s", isnan(a->goodput) ? "-" : cli_number(text, a->goodput));
    }
  }
  cli_grid_end(&grid, out, limited ? "Rrrrrrrr" : "Rrrrrrr");
}

void cli_serve_text(roof_text *out, const roof_service_study *s) {
  roof_service_study_sentence(out, s);
  if (s->count > 1) {
    add_rates(out, s);
  } else if (!s->answers->overloaded) {
    add_table(out, s->answers);
  }
  roof_text_add(out, "\n");
  if (s->count == 1) {
    add_figures(out, s, s->answers);
  } else {
    add_goodput(out, s, NULL);
  }
  add_question(out, s);
}

/** A plain figure of an answer. */
typedef struct plain {
  const char *key;
  size_t offset;
} plain;

#define PLAIN(key, member)                                                                                   \
  { key, offsetof(roof_service_answer, member) }
static const plain plains[] = {PLAIN("queue_growth_per_second", queue_growth),
                               PLAIN("requests", requests),
                               PLAIN("seconds", seconds),
                               PLAIN("requests_per_second", requests_per_second),
                               PLAIN("tokens_per_second", tokens_per_second),
                               PLAIN("goodput_per_second", goodput),
                               PLAIN("utilisation", utilisation),
                               PLAIN("kv_mean", kv_mean),
                               PLAIN("kv_max", kv_most),
                               PLAIN("preemptions", preemptions),
                               PLAIN("cached_prompt_share", cached),
                               PLAIN("adapter_loads", adapter_loads),
                               PLAIN("adapter_slot_waits", slot_waits),
                               PLAIN("adapter_slot_wait_mean_seconds", slot_wait_seconds),
                               PLAIN("price_per_million_tokens", price_per_million_tokens)};
#undef PLAIN
enum { PLAINS = sizeof plains / sizeof plains[0] };

static void add_value(roof_text *out, double value) {
  roof_text_add(out, ",");
  if (isfinite(value)) {
    roof_text_addf(out, "%.15g", value);
  }
}

static void add_record(roof_text *out, const roof_service_study *s, size_t run) {
  const roof_service_answer *a = &s->answers[run];
  roof_text_add(out, a->overloaded ? "true" : "false");
  add_value(out, roof_service_study_rate(s, run));
  add_value(out, s->saturation);
  for (int i = 0; i < PLAINS; i++) {
    add_value(out, *(const double *)(const void *)((const char *)a + plains[i].offset));
  }
  for (int f = 0; f < FIGURES; f++) {
    const roof_service_times *t = times_of(a, f);
    const double values[] = {t->p50, t->p90, t->p99, t->mean, t->most};
    for (int i = 0; i < 5; i++) {
      add_value(out, values[i]);
    }
  }
  roof_text_add(out, "\n");
}

void cli_serve_csv(roof_text *out, const roof_service_study *s) {
  static const char *const parts[] = {"p50", "p90", "p99", "mean", "max"};
  roof_text_add(out, "overloaded,rate,saturation_per_second");
  for (int i = 0; i < PLAINS; i++) {
    roof_text_addf(out, ",%s", plains[i].key);
  }
  for (int f = 0; f < FIGURES; f++) {
    for (int i = 0; i < 5; i++) {
      roof_text_addf(out, ",%s_%s_seconds", figures[f].key, parts[i]);
    }
  }
  roof_text_add(out, "\n");
  for (size_t i = 0; i < s->count; i++) {
    add_record(out, s, i);
  }
}
