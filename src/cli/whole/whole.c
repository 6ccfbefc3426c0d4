/* claim, energy, advise and seal of a whole model. */
#include "cli/whole/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/whole_levers.h"
#include "cli/columns.h"
#include "models/words.h"
#include "roofline/analysis.h"
#include "roofline/ledger.h"

/** A model as the words and options of an operation's command describe it, on the machines named. */
typedef struct whole {
  roof_whole *run;
  roof_machine **machines;
  int machine_count;
} whole;

bool cli_whole_is(const cli_args *args) {
  const roof_op *op = NULL;
  return args->word_count > 0 && cli_select_op(args, args->words[0], &op, NULL) != ROOF_OK &&
         !roof_workload_is(args->words[0]) && roof_model_is(args->words[0]);
}

static roof_status read_whole(const cli_args *args, whole *w, bool claims, roof_error *error) {
  roof_options options;
  roof_status status = cli_select_options(args, &options, error);
  status = status == ROOF_OK ? roof_whole_read(args->words, args->word_count, &args->formats, &options,
                                               claims, &w->run, error)
                             : status;
  return status == ROOF_OK ? cli_select_machines(args, &w->machines, &w->machine_count, error) : status;
}

/** Reads a model and its one machine. */
static roof_status read_one(const cli_args *args, bool claims, whole *w, roof_error *error) {
  roof_status status = read_whole(args, w, claims, error);
  return status == ROOF_OK ? cli_select_one(args->words[0], w->machine_count, error) : status;
}

/** Reads and answers a model on one machine, with the figures `given` (nullable) in place of its own. */
static roof_status answer_one(const cli_args *args, const roof_energy_given *given, whole *w,
                              roof_error *error) {
  roof_status status = read_one(args, false, w, error);
  if (status == ROOF_OK && given != NULL) {
    roof_energy_give(given, w->machines[0]);
  }
  return status == ROOF_OK ? roof_whole_on(w->run, w->machines[0], error) : status;
}

static void end(whole *w) {
  roof_machines_free(w->machines, w->machine_count);
  roof_whole_free(w->run);
}

static void add_run(roof_text *out, const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  roof_text_addf(out, "  run      batch %.0f, %.0f token%s", s->batch, s->prompt, s->prompt == 1 ? "" : "s");
  if (!s->train && !t->model->encoder) {
    roof_text_addf(out, " in, %.0f out", s->generate);
    rf_model_add_drafts(out, s);
  }
  if (s->prefix > 0) {
    roof_text_addf(out, ", %.0f of them held by the prefix cache", roof_model_prefix(s));
  }
  roof_text_addf(out, ", on %.0f x %s\n", t->devices, roof_machine_title(t->machine));
}

/* claim */

typedef struct claim_row {
  const char *machine, *name;
  roof_model_claim claim;
  roof_model_judged judged;
} claim_row;

CLI_WORD(verdict_of, claim_row, r->judged.placed.verdict->name)

static const cli_column claim_columns[] = {
    {.key = "machine", CLI_FIELD(TEXT, claim_row, machine)},
    {.key = "name", CLI_FIELD(TEXT, claim_row, name)},
    {.key = "quantity", CLI_FIELD(TEXT, claim_row, judged.name)},
    {.key = "unit", CLI_FIELD(TEXT, claim_row, judged.unit)},
    {.key = "claimed", CLI_FIELD(NUMBER, claim_row, claim.value)},
    {.key = "limit", CLI_FIELD(NUMBER, claim_row, judged.limit)},
    {.key = "expected", CLI_FIELD(NUMBER, claim_row, judged.expected)},
    {.key = "fraction", CLI_FIELD(NUMBER, claim_row, judged.placed.share)},
    {.key = "possible", CLI_FIELD(FLAG, claim_row, judged.possible)},
    {.key = "verdict", .text = verdict_of},
    {.key = "because", CLI_FIELD(NAME, claim_row, judged.because)},
    {0}};

static roof_status print_claim(const cli_args *args, const roof_whole *w, const roof_model_judged *j,
                               roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  claim_row row = {w->target.machine->name, w->model.name, w->claim, *j};
  if (args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(claim_columns, &row, 1));
  } else if (args->json) {
    status = roof_model_claim_write(&w->target, &w->claim, j, &out, error);
  } else {
    roof_text_addf(&out, RF_MARK_BOLD "%s%s" RF_MARK_END "\n", rf_screen_verdict(j->because), j->because);
  }
  if (!args->csv && !args->json && !args->quiet) {
    roof_text_add(&out, "\n");
    add_run(&out, &w->target);
    roof_text_addf(&out, "  limit    perfect overlap at the machine's peaks, %s%s\n", j->phase,
                   j->all_accepted ? ", all drafted tokens right" : "");
    if (j->possible) {
      roof_text_addf(&out, "  verdict  %s: %s\n", j->placed.verdict->name, j->placed.verdict->meaning);
    }
  }
  return cli_print_end(&out, status, error);
}

roof_status cli_whole_claim(const cli_args *args, bool sp, roof_error *error) {
  whole w = {0};
  roof_model_judged judged = {.possible = true};
  roof_status status = read_one(args, true, &w, error);
  if (status == ROOF_OK && isnan(w.run->claim.value)) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT,
                       "claim: what is claimed of %s? ttft=80ms, tpot=18ms, 5000tokens/s, step=14s, mfu=45%%",
                       args->words[0]);
  }
  if (status == ROOF_OK) {
    w.run->settings.sp |= sp;
  }
  status = status == ROOF_OK ? roof_whole_judge(w.run, w.machines[0], &judged, error) : status;
  status = status == ROOF_OK ? print_claim(args, w.run, &judged, error) : status;
  end(&w);
  return status == ROOF_OK && !judged.possible ? ROOF_E_GATE : status;
}

/* energy */

static const cli_column energy_columns[] = {
    {"phase", "phase", CLI_FIELD(TEXT, roof_model_joules, phase)},
    {"seconds", "time", "s", CLI_FIELD(NUMBER, roof_model_joules, seconds)},
    {"joules", "energy", "J", CLI_FIELD(NUMBER, roof_model_joules, joules)},
    {"watts", "power", "W", CLI_FIELD(NUMBER, roof_model_joules, watts)},
    {"tokens", "tokens", .fixed = true, CLI_FIELD(NUMBER, roof_model_joules, tokens)},
    {"joules_per_token", "per token", "J", CLI_FIELD(NUMBER, roof_model_joules, joules_per_token)},
    {"flops_per_joule", "GFLOP/J", .scale = 1e-9, .digits = 4,
     CLI_FIELD(NUMBER, roof_model_joules, flops_per_joule)},
    {"regime", "bound by", CLI_FIELD(REGIME, roof_model_joules, regime)},
    {0}};

static void energy_text(roof_text *out, const roof_whole *w, const roof_model_joules *rows, size_t count) {
  char x[CLI_SHORT];
  double each = w->answer.joules_per_token;
  const char *about = w->target.plain.costs.power_only ? "at full power " : "about ";
  roof_text_addf(out, RF_MARK_BOLD "%s: %s", roof_model_title(&w->model), about);
  if (isnan(each)) {
    roof_text_addf(out, "%s per token", cli_quantity(x, rows[0].joules_per_token, "J"));
  } else {
    roof_text_addf(out, "%s per generated token, its prompt included", cli_quantity(x, each, "J"));
  }
  roof_text_add(out, RF_MARK_END "\n\n");
  add_run(out, &w->target);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(energy_columns, rows, count));
  roof_text_add(out, w->target.plain.costs.power_only
                         ? "\n  The machine says its power alone: whatever is faster takes fewer joules.\n"
                         : "");
}

roof_status cli_whole_energy(const cli_args *args, const roof_energy_given *given, roof_bars *chart,
                             roof_error *error) {
  whole w = {0};
  roof_text out = {0};
  roof_model_joules rows[ROOF_PHASE_COUNT];
  roof_status status = answer_one(args, given, &w, error);
  status =
      status == ROOF_OK ? roof_model_check_fit(&w.run->target, &w.run->answer, "weights", error) : status;
  size_t count = status == ROOF_OK ? roof_model_joules_of(&w.run->target, &w.run->answer, rows) : 0;
  if (status == ROOF_OK && isnan(rows[0].joules)) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "energy: %s says neither joules nor watts",
                            w.machines[0]->name);
  } else if (status == ROOF_OK && chart != NULL) {
    status = roof_model_energy_chart(&w.run->target, &w.run->answer, chart, error);
  } else if (status == ROOF_OK && args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(energy_columns, rows, count));
  } else if (status == ROOF_OK && args->json) {
    status = roof_model_energy_write(&w.run->target, &w.run->answer, &out, error);
  } else if (status == ROOF_OK) {
    energy_text(&out, w.run, rows, count);
  }
  end(&w);
  return cli_print_end(&out, status, error);
}

/* advise */

static const cli_column lever_columns[] = {
    {"lever", "lever", CLI_FIELD(TEXT, roof_model_lever, name)},
    {"change", "change", CLI_FIELD(NAME, roof_model_lever, change)},
    {"rate_gain", "tokens/s", "x", .digits = 3, CLI_FIELD(NUMBER, roof_model_lever, rate_gain)},
    {"ttft_gain", "TTFT", "x", .digits = 3, CLI_FIELD(NUMBER, roof_model_lever, ttft_gain)},
    {"tpot_gain", "TPOT", "x", .digits = 3, CLI_FIELD(NUMBER, roof_model_lever, tpot_gain)},
    {"total_bytes", "memory", .binary = true, CLI_FIELD(NUMBER, roof_model_lever, total_bytes)},
    {.key = "fits", CLI_FIELD(FLAG, roof_model_lever, fits)},
    {.key = "helps", CLI_FIELD(FLAG, roof_model_lever, helps)},
    {0}};

/** Of a run that does not fit: what its changed runs reach. */
static const cli_column fit_columns[] = {
    {NULL, "lever", CLI_FIELD(TEXT, roof_model_lever, name)},
    {NULL, "change", CLI_FIELD(NAME, roof_model_lever, change)},
    {NULL, "tokens/s", .digits = 4, CLI_FIELD(NUMBER, roof_model_lever, device_tokens_per_second)},
    {NULL, "TTFT", "s", CLI_FIELD(NUMBER, roof_model_lever, ttft_seconds)},
    {NULL, "TPOT", "s", CLI_FIELD(NUMBER, roof_model_lever, tpot_seconds)},
    {NULL, "memory", .binary = true, CLI_FIELD(NUMBER, roof_model_lever, total_bytes)},
    {0}};

/** Of a run that does not fit, nor does its changed one. */
static const cli_column short_columns[] = {
    {NULL, "lever", CLI_FIELD(TEXT, roof_model_lever, name)},
    {NULL, "change", CLI_FIELD(NAME, roof_model_lever, change)},
    {NULL, "memory", .binary = true, CLI_FIELD(NUMBER, roof_model_lever, total_bytes)},
    {0}};

static bool helps(const void *row) {
  return ((const roof_model_lever *)row)->helps;
}

/** The request's time gains what the rate does not. */
static bool is_sooner(const void *row) {
  const roof_model_lever *l = row;
  return !l->helps && l->fits && rf_model_lever_gains(fmax(l->ttft_gain, l->tpot_gain));
}

static bool does_not_help(const void *row) {
  return !helps(row) && !is_sooner(row);
}

/** The levers that are `shown`; nothing where none is. */
static void add_levers(roof_text *out, const char *title, const cli_column *columns,
                       bool (*shown)(const void *), const roof_model_lever *levers, size_t count) {
  cli_rows rows = CLI_ROWS(columns, levers, count);
  size_t first = 0;
  while (first < count && !shown(&levers[first])) {
    first++;
  }
  if (first < count) {
    rows.shown = shown;
    roof_text_addf(out, "\n%s\n", title);
    cli_columns_add_text(out, rows);
  }
}

static void levers_head(roof_text *out, const roof_whole *w) {
  char x[CLI_SHORT], y[CLI_SHORT];
  const roof_model_answer *a = &w->answer;
  const char *regime = roof_regime_name(roof_model_phase_regime(roof_model_step(a)));
  roof_text_addf(out, RF_MARK_BOLD "%s: ", roof_model_title(&w->model));
  if (!roof_model_has_times(a)) {
    roof_text_addf(out, "does not fit, %s short on each device",
                   roof_bytes_format(x, CLI_SHORT, -a->capacity.spare_bytes));
  } else if (isnan(a->tpot_seconds)) {
    roof_text_addf(out, "%s, bound by %s", cli_quantity(x, a->ttft_seconds, "s"), regime);
  } else {
    roof_text_addf(out, "TTFT %s, TPOT %s; decoding is bound by %s", cli_quantity(x, a->ttft_seconds, "s"),
                   cli_quantity(y, a->tpot_seconds, "s"), regime);
  }
  roof_text_add(out, RF_MARK_END "\n\n");
  add_run(out, &w->target);
}

static void levers_text(roof_text *out, const roof_whole *w, const roof_model_lever *levers, size_t count) {
  levers_head(out, w);
  if (roof_model_has_times(&w->answer)) {
    add_levers(out, "what would help, by the gain in tokens/s per device", lever_columns, helps, levers,
               count);
    add_levers(out, "what would answer sooner, at no more tokens/s per device", lever_columns, is_sooner,
               levers, count);
    add_levers(out, "what would not, or does not fit", lever_columns, does_not_help, levers, count);
    roof_text_add(out, "\n  x: times as fast as now, so that TTFT 2x is half the time\n");
  } else {
    add_levers(out, "what would make it fit, by the tokens/s per device", fit_columns, helps, levers, count);
    add_levers(out, "what would not", short_columns, does_not_help, levers, count);
    roof_text_add(out, "\n");
  }
  roof_text_add(out, "  tokens/s of requests one after another, per device; TTFT, TPOT of one batch\n");
}

roof_status cli_whole_advise(const cli_args *args, roof_error *error) {
  whole w = {0};
  roof_text out = {0};
  roof_model_lever levers[ROOF_MODEL_LEVERS_MAX];
  int count = 0;
  roof_status status = answer_one(args, NULL, &w, error);
  status = status == ROOF_OK ? roof_model_levers_of(&w.run->target, &w.run->answer, levers, &count, error)
                             : status;
  if (status == ROOF_OK && args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(lever_columns, levers, (size_t)count));
  } else if (status == ROOF_OK && args->json) {
    status = roof_model_levers_write(&w.run->target, levers, count, &out, error);
  } else if (status == ROOF_OK) {
    levers_text(&out, w.run, levers, (size_t)count);
  }
  end(&w);
  return cli_print_end(&out, status, error);
}

/* seal */

enum { SEAL_WORDS = 32 };

static const char phase_word[] = "phase=";

/** The words of an exported prediction as they are typed: without its phase (NULL: none is said), and its formats as
 * options. */
static const char *take_phase(cli_args *args, const char *words[SEAL_WORDS]) {
  const char *phase = NULL;
  int count = 0;
  for (int i = 0; i < args->word_count; i++) {
    phase = strncmp(args->words[i], phase_word, sizeof phase_word - 1) == 0 ? args->words[i] : phase;
  }
  if (phase == NULL || args->word_count > SEAL_WORDS) {
    return NULL;
  }
  for (int i = 0; i < args->word_count; i++) {
    const char *word = args->words[i];
    if (strncmp(word, "weights=", strlen("weights=")) == 0) {
      args->formats.weights = word + strlen("weights=");
    } else if (strncmp(word, "kv=", strlen("kv=")) == 0) {
      args->formats.kv = word + strlen("kv=");
    } else if (word != phase && strncmp(word, "dtype=", strlen("dtype=")) != 0) {
      words[count++] = word;
    }
  }
  args->words = words;
  args->word_count = count;
  return phase + sizeof phase_word - 1;
}

/** Leaves the prediction of the phase alone, from `first` on. */
static roof_status keep_phase(roof_sealings *all, size_t first, const char *phase, roof_error *error) {
  size_t length = strlen(phase), kept = first;
  for (size_t i = first; i < all->count; i++) {
    const char *own = all->list[i].parameters + sizeof phase_word - 1;
    if (strncmp(own, phase, length) == 0 && own[length] == ' ') {
      all->list[kept++] = all->list[i];
    }
  }
  all->count = kept;
  return kept > first
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "phase=%.40s: the run has no such phase", phase);
}

roof_status cli_whole_collect(const cli_args *typed, roof_sealings *sealings, roof_error *error) {
  whole w = {0};
  cli_args copy = *typed, *args = &copy;
  const char *words[SEAL_WORDS], *phase = take_phase(args, words);
  bool served = phase != NULL && (strcmp(phase, "TTFT") == 0 || strcmp(phase, "TPOT") == 0);
  roof_status status = read_whole(args, &w, false, error);
  for (int i = 0; status == ROOF_OK && i < w.machine_count; i++) {
    size_t first = sealings->count;
    status = roof_whole_on(w.run, w.machines[i], error);
    status =
        status == ROOF_OK ? roof_model_check_fit(&w.run->target, &w.run->answer, "weights", error) : status;
    if (status == ROOF_OK) {
      status = (served ? roof_model_served_sealings : roof_model_sealings)(&w.run->target, &w.run->answer,
                                                                           sealings, error);
    }
    if (status == ROOF_OK && phase != NULL) {
      status = keep_phase(sealings, first, phase, error);
    }
    for (; status == ROOF_OK && first < sealings->count; first++) {
      status = roof_sealing_complete(&sealings->list[first], w.machines[i], error);
    }
  }
  end(&w);
  return status;
}
