#include "cli/advise/advise.h"

#include <math.h>
#include <string.h>

#include "cli/predict/grid.h"

enum { PARTS_MAX = 16, SHORT = 48, WORD_MAX = 256 };

/** What a part of the time waits on, by the name of the phase or of the resource. */
static const struct {
  const char *name;
  roof_regime regime;
} phases[] = {
    {"decode", ROOF_MEMORY_BOUND},     {"prefill", ROOF_COMPUTE_BOUND}, {"train", ROOF_COMPUTE_BOUND},
    {"memory", ROOF_MEMORY_BOUND},     {"compute", ROOF_COMPUTE_BOUND}, {"network", ROOF_NETWORK_BOUND},
    {"overhead", ROOF_OVERHEAD_BOUND},
};

typedef struct part {
  const char *name;
  roof_regime regime;
  double share;
  double from, to; /**< of the resource, on both machines */
  double gain;
} part;

typedef struct mix {
  part parts[PARTS_MAX];
  int count;
  double gain;
} mix;

static roof_status add_part(mix *m, char *word, roof_error *error) {
  const char *names[sizeof phases / sizeof phases[0] + 1] = {NULL};
  char *equals = strchr(word, '=');
  double share = 0;
  if (equals == NULL || m->count == PARTS_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: `%s`: PHASE=SHARE, at most %d of them", word,
                          PARTS_MAX);
  }
  *equals = '\0';
  roof_status status = roof_quantity_parse(equals + 1, &share, error);
  if (status != ROOF_OK || !(share >= 0 && share <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: %s=%s: a share from 0 to 1", word, equals + 1);
  }
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
    names[i] = phases[i].name;
    if (strcmp(word, names[i]) == 0) {
      m->parts[m->count++] = (part){.name = names[i], .regime = phases[i].regime, .share = share};
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "--mix", word, names, NULL);
}

static roof_status parse(const char *text, mix *m, roof_error *error) {
  char copy[WORD_MAX], *rest = NULL;
  double sum = 0;
  if (strlen(text) >= sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: too long");
  }
  strcpy(copy, text);
  for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
    roof_status status = add_part(m, word, error);
    if (status != ROOF_OK) {
      return status;
    }
    sum += m->parts[m->count - 1].share;
  }
  return fabs(sum - 1) <= 1e-6
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "--mix %s: the shares add up to %g, not 1", text, sum);
}

/** Rate of what a regime waits on. */
static double resource_of(const roof_target *t, roof_regime regime) {
  const double rates[ROOF_REGIME_COUNT] = {
      [ROOF_COMPUTE_BOUND] = 1 / t->seconds_per_flop[ROOF_MATRIX],
      [ROOF_MEMORY_BOUND] = 1 / t->seconds_per_byte[t->memory][0],
      [ROOF_NETWORK_BOUND] = t->link != NULL ? t->link->bytes_per_second : NAN,
      [ROOF_OVERHEAD_BOUND] = 1,
      [ROOF_CAPACITY_BOUND] = NAN,
  };
  return rates[regime];
}

static const char *unit_of(roof_regime regime) {
  return regime == ROOF_COMPUTE_BOUND ? "FLOP/s" : regime == ROOF_OVERHEAD_BOUND ? "" : "B/s";
}

static roof_status solve(mix *m, const roof_target *from, const roof_target *to, roof_error *error) {
  double time = 0;
  for (int i = 0; i < m->count; i++) {
    part *p = &m->parts[i];
    p->from = resource_of(from, p->regime);
    p->to = resource_of(to, p->regime);
    p->gain = p->to / p->from;
    if (isnan(p->gain)) {
      return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: what is %s-bound has no figure on %s", p->name,
                            roof_regime_name(p->regime),
                            isnan(p->from) ? from->machine->name : to->machine->name);
    }
    time += p->share / p->gain;
  }
  m->gain = 1 / time;
  return ROOF_OK;
}

static void write_text(const mix *m, const roof_target *from, const roof_target *to, roof_text *out) {
  cli_grid grid = {0};
  const char *heads[] = {"phase",           "share", "bound by",   from->machine->name,
                         to->machine->name, "gain",  "share after"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; i < m->count; i++) {
    const part *p = &m->parts[i];
    char a[SHORT], b[SHORT];
    cli_grid_add(&grid, "%s", p->name);
    cli_grid_add(&grid, "%.3g %%", 100 * p->share);
    cli_grid_add(&grid, "%s", roof_regime_name(p->regime));
    cli_grid_add(&grid, "%s", roof_quantity_format(a, SHORT, p->from, unit_of(p->regime)));
    cli_grid_add(&grid, "%s", roof_quantity_format(b, SHORT, p->to, unit_of(p->regime)));
    cli_grid_add(&grid, "%.3fx", p->gain);
    cli_grid_add(&grid, "%.3g %%", 100 * p->share / p->gain * m->gain);
  }
  roof_text_addf(out, "%.3fx: the mix on %s against %s, by the shares of its time\n\n", m->gain,
                 cli_advise_title(to->machine), cli_advise_title(from->machine));
  cli_grid_end(&grid, out, "lrlrrrr");
  roof_text_add(out, "\n  1 / (");
  for (int i = 0; i < m->count; i++) {
    roof_text_addf(out, "%s%.4g / %.4g", i > 0 ? " + " : "", m->parts[i].share, m->parts[i].gain);
  }
  roof_text_addf(out, ") = %.5g\n", m->gain);
}

static json_t *mix_json(const mix *m, const roof_target *from, const roof_target *to) {
  json_t *parts = json_array();
  for (int i = 0; i < m->count; i++) {
    const part *p = &m->parts[i];
    json_array_append_new(parts, json_pack("{s:s, s:s, s:o, s:o}", "name", p->name, "regime",
                                           roof_regime_name(p->regime), "share", cli_json_number(p->share),
                                           "gain", cli_json_number(p->gain)));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", "roofline.mix/1", "machine", from->machine->name,
                   "against", to->machine->name, "gain", cli_json_number(m->gain), "parts", parts);
}

static roof_status print_mix(const cli_args *args, const mix *m, const roof_target *from,
                             const roof_target *to, roof_error *error) {
  if (args->json || args->csv) {
    return cli_answer_print(args, mix_json(m, from, to), error);
  }
  roof_text out = {0};
  write_text(m, from, to, &out);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

roof_status cli_advise_mix(const cli_args *args, const char *text, const char *against, roof_error *error) {
  mix m = {0};
  if (against == NULL || args->machines == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: needs two machines: --machine NAME --against NAME");
  }
  const char *names[] = {args->machines[0], against, NULL};
  cli_args both = *args;
  cli_targets targets;
  both.machines = names;
  roof_status status = parse(text, &m, error);
  if (status == ROOF_OK) {
    status = cli_select_targets(&both, &targets, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  status = solve(&m, &targets.targets[0], &targets.targets[1], error);
  if (status == ROOF_OK) {
    status = print_mix(args, &m, &targets.targets[0], &targets.targets[1], error);
  }
  cli_targets_done(&targets);
  return status;
}
