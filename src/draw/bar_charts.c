/* What bars show: peaks by format, shares of ceilings, cascades of losses, the energy of a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "draw/hue.h"
#include "roofline/charts.h"

static roof_status start(roof_bars **made, roof_error *error) {
  *made = calloc(1, sizeof **made);
  return *made != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
}

/** Hands the chart over, or says why not; frees `made`. */
static roof_status finish(roof_bars *made, roof_bars *chart, roof_status status, const char *empty,
                          roof_error *error) {
  if (status == ROOF_OK && made->count == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s", empty);
  }
  if (status == ROOF_OK) {
    *chart = *made;
  }
  free(made);
  return status;
}

static roof_bar *add_bar(roof_bars *chart, roof_error *error) {
  if (chart->count == ROOF_BARS_MAX) {
    roof_error_set(error, ROOF_E_ARGUMENT, "chart: it holds at most %d bars", ROOF_BARS_MAX);
    return NULL;
  }
  return &chart->bars[chart->count++];
}

/** A machine's dense peak of a format on a unit, with its ratio to fp32 on the vector unit. */
static roof_status add_peak(roof_bars *chart, const roof_machine *machine, const roof_peak *peak, int series,
                            bool several, roof_error *error) {
  const roof_peak *fp32 = roof_machine_peak(machine, ROOF_FP32, ROOF_VECTOR, false, ROOF_DATASHEET);
  roof_bar *bar = add_bar(chart, error);
  if (bar == NULL) {
    return ROOF_E_ARGUMENT;
  }
  bar->value = peak->flops_per_second;
  bar->series = series;
  snprintf(bar->label, sizeof bar->label, "%s %s%s%.60s", roof_dtype_name(peak->dtype),
           roof_unit_name(peak->unit), several ? " " : "", several ? machine->name : "");
  if (fp32 != NULL && fp32->flops_per_second > 0) {
    rf_format(bar->note, sizeof bar->note, "%.3gx fp32, %s", peak->flops_per_second / fp32->flops_per_second,
              roof_provenance_name(peak->kind));
  }
  return ROOF_OK;
}

roof_status roof_peaks_chart(roof_machine *const *machines, int count, roof_bars *chart, roof_error *error) {
  roof_bars *made;
  roof_status status = start(&made, error);
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(made->title, sizeof made->title, "%.90s: dense peaks by format",
           count > 1 ? "Several machines" : roof_machine_title(machines[0]));
  snprintf(made->x_title, sizeof made->x_title, "FLOP/s, logarithmic");
  snprintf(made->unit, sizeof made->unit, "FLOP/s");
  for (int i = 0; i < count * ROOF_DTYPE_COUNT * ROOF_UNIT_COUNT && status == ROOF_OK; i++) {
    int machine = i / (ROOF_DTYPE_COUNT * ROOF_UNIT_COUNT);
    roof_dtype dtype = (roof_dtype)(i / ROOF_UNIT_COUNT % ROOF_DTYPE_COUNT);
    const roof_peak *peak =
        roof_machine_peak(machines[machine], dtype, (roof_unit)(i % ROOF_UNIT_COUNT), false, ROOF_DATASHEET);
    if (peak != NULL && peak->flops_per_second > 0) {
      status =
          add_peak(made, machines[machine], peak, count > 1 ? machine : (int)peak->unit, count > 1, error);
    }
  }
  return finish(made, chart, status, "peaks: no peak is known", error);
}

/** What a level reaches in each mix that a figure is given for; else of any mix, as reading. */
typedef struct mixes {
  int list[ROOF_MIX_COUNT];
  int count;
  double costs[ROOF_MIX_COUNT];
} mixes;

static mixes mixes_of(const roof_level *level) {
  static const int order[] = {ROOF_MIX_READ, ROOF_MIX_WRITE, ROOF_MIX_COPY, ROOF_MIX_TRIAD, ROOF_MIX_UPDATE};
  const double rates[] = {level->read_bytes_per_second, level->write_bytes_per_second,
                          level->copy_bytes_per_second, level->triad_bytes_per_second,
                          level->update_bytes_per_second};
  mixes m = {.count = 0};
  roof_level_costs(level, m.costs);
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    if (rates[i] > 0) {
      m.list[m.count++] = order[i];
    }
  }
  double any = 1 / roof_costs_least(m.costs);
  if (m.count == 0 && any > 0 && isfinite(any)) {
    m.list[m.count++] = ROOF_MIX_READ;
  }
  return m;
}

/** Of all figures of a level's name, of datasheets and measured: the fastest, and how many bars they are. */
typedef struct level_bars {
  double best;
  int count;
} level_bars;

static level_bars bars_of(const roof_machine *machine, const char *name) {
  level_bars all = {0};
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *level = &machine->levels[i];
    mixes m = mixes_of(level);
    if (level->cores == 0 && m.count > 0 && strcmp(level->name, name) == 0) {
      all.best = fmax(all.best, 1 / roof_costs_least(m.costs));
      all.count += m.count;
    }
  }
  return all;
}

/** A level's bandwidth for each mix of reads and writes, pale up to what its fastest reaches. */
static roof_status add_bandwidths(roof_bars *chart, const roof_machine *machine, const roof_level *level,
                                  roof_error *error) {
  static const char *const names[ROOF_MIX_COUNT] = {[ROOF_MIX_READ] = "read",
                                                    [ROOF_MIX_TRIAD] = "triad",
                                                    [ROOF_MIX_COPY] = "copy",
                                                    [ROOF_MIX_WRITE] = "write",
                                                    [ROOF_MIX_UPDATE] = "update"};
  const mixes m = mixes_of(level);
  const level_bars all = bars_of(machine, level->name);
  for (int i = 0; i < m.count; i++) {
    roof_bar *bar = add_bar(chart, error);
    if (bar == NULL) {
      return ROOF_E_ARGUMENT;
    }
    bar->value = 1 / m.costs[m.list[i]];
    bar->whole = all.best;
    bar->series = rf_hue_of_level(level->level);
    snprintf(bar->label, sizeof bar->label, "%.30s %s", level->name, names[m.list[i]]);
    if (all.count > 1) {
      rf_format(bar->note, sizeof bar->note, "%.1f %% of best, %s", 100 * bar->value / all.best,
                roof_provenance_name(level->kind));
    } else {
      snprintf(bar->note, sizeof bar->note, "%s", roof_provenance_name(level->kind));
    }
  }
  return ROOF_OK;
}

roof_status roof_bandwidths_chart(const roof_machine *machine, roof_bars *chart, roof_error *error) {
  roof_bars *made;
  roof_status status = start(&made, error);
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(made->title, sizeof made->title, "%.80s: bandwidth of each level", roof_machine_title(machine));
  snprintf(made->x_title, sizeof made->x_title, "bytes per second, logarithmic; pale: the best of the level");
  snprintf(made->unit, sizeof made->unit, "B/s");
  for (int i = 0; i < machine->level_count && status == ROOF_OK; i++) {
    status =
        machine->levels[i].cores == 0 ? add_bandwidths(made, machine, &machine->levels[i], error) : ROOF_OK;
  }
  return finish(made, chart, status, "bandwidths: none is known", error);
}

roof_status roof_shares_chart(const roof_machine *machine, const roof_measurement *list, size_t count,
                              roof_bars *chart, roof_error *error) {
  roof_ceilings ceilings;
  roof_bars *made;
  roof_status status = start(&made, error);
  if (status != ROOF_OK) {
    return status;
  }
  made->linear = true;
  snprintf(made->title, sizeof made->title, "%.90s: shares of the ceilings", roof_machine_title(machine));
  snprintf(made->x_title, sizeof made->x_title, "achieved / ceiling");
  snprintf(made->unit, sizeof made->unit, "%%");
  status = roof_ceilings_init(&ceilings, machine, 0, NULL, error);
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    roof_placed at;
    status = roof_place_measurement(&ceilings, &list[i], &at, error);
    if (status != ROOF_OK || !(at.share > 0)) {
      continue;
    }
    roof_bar *bar = add_bar(made, error);
    status = bar != NULL ? ROOF_OK : ROOF_E_ARGUMENT;
    if (bar != NULL) {
      bar->value = at.share;
      bar->whole = 1;
      bar->series = at.state > ROOF_PLACE_POSSIBLE;
      snprintf(bar->label, sizeof bar->label, "%s", list[i].label);
      snprintf(bar->note, sizeof bar->note, "%.40s, %s", at.binding,
               at.verdict != NULL ? at.verdict->name : roof_place_state_name(at.state));
    }
  }
  return finish(made, chart, status, "shares: no kernel's share of its ceiling is known", error);
}

void roof_losses_chart(const roof_losses *losses, roof_bars *chart) {
  *chart = (roof_bars){.linear = true, .count = losses->count};
  snprintf(chart->title, sizeof chart->title, "%s", losses->title);
  snprintf(chart->x_title, sizeof chart->x_title, "%s; pale: what the step took", losses->unit);
  snprintf(chart->unit, sizeof chart->unit, "%s", losses->unit);
  for (int i = 0; i < losses->count; i++) {
    const roof_loss *step = &losses->steps[i];
    roof_bar *bar = &chart->bars[i];
    bar->value = step->rate;
    bar->whole = i > 0 ? losses->steps[i - 1].rate : 0;
    snprintf(bar->label, sizeof bar->label, "%s", step->name);
    rf_format(bar->note, sizeof bar->note, "%.1f %%%s%s", 100 * step->share, step->why[0] != '\0' ? "; " : "",
              step->why);
  }
}

/** How often a phase's step happens for one token: generated, or of those that go in. */
static double steps_per_token(const roof_model_target *t, const roof_model_answer *a,
                              const roof_model_phase *p) {
  const roof_model_settings *s = &t->settings;
  bool first = p->kind == roof_model_first_phase(t);
  double prompts = s->batch * (s->prompt - roof_model_prefix(s)), generated = s->batch * fmax(1, s->generate);
  if (isnan(a->joules_per_token)) {
    return first ? 1 / prompts : 0;
  }
  bool next = p->kind == (s->draft > 0 ? ROOF_PHASE_VERIFY : ROOF_PHASE_DECODE);
  double steps = fmax(0, s->generate - 1) * p->sequences / p->yield;
  return (first ? 1 : next ? steps : 0) / generated;
}

static void add_phase(roof_bars *chart, const roof_model_target *t, const roof_model_answer *a,
                      const roof_model_phase *p, int series) {
  roof_model_kind kinds[ROOF_OPERATION_KIND_COUNT];
  int count = roof_model_kinds(p, kinds);
  for (int i = 0; i < count; i++) {
    double joules = t->devices * kinds[i].joules * steps_per_token(t, a, p);
    if (joules > 0 && chart->count < ROOF_BARS_MAX) {
      roof_bar *bar = &chart->bars[chart->count++];
      bar->value = joules;
      bar->series = series;
      snprintf(bar->label, sizeof bar->label, "%s: %s", roof_phase_name(p->kind), kinds[i].name);
      snprintf(bar->note, sizeof bar->note, "%s-bound", roof_regime_name(kinds[i].regime));
    }
  }
}

/** Writes what share of all each is in front of its note. */
static void add_shares(roof_bars *chart) {
  double all = 0;
  for (int i = 0; i < chart->count; i++) {
    all += chart->bars[i].value;
  }
  for (int i = 0; i < chart->count; i++) {
    char note[64];
    roof_bar *bar = &chart->bars[i];
    snprintf(note, sizeof note, "%.63s", bar->note);
    rf_format(bar->note, sizeof bar->note, "%.1f %%, %s", 100 * bar->value / all, note);
  }
}

roof_status roof_model_energy_chart(const roof_model_target *target, const roof_model_answer *answer,
                                    roof_bars *chart, roof_error *error) {
  const roof_machine *machine = target->plain.machine;
  roof_bars *made;
  int series = 0;
  roof_status status = start(&made, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool most = target->plain.costs.power_only;
  made->linear = true;
  snprintf(made->title, sizeof made->title, "%.50s on %.60s: energy", roof_model_title(target->model),
           roof_machine_title(machine));
  snprintf(made->subtitle, sizeof made->subtitle, "%s",
           most ? "at full power: joules are not known, the machine's power is taken as drawn all the time"
                : "");
  snprintf(made->x_title, sizeof made->x_title, "joules per %s",
           isnan(answer->joules_per_token) ? "token" : "generated token, its prompt included");
  snprintf(made->unit, sizeof made->unit, "J");
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    int before = made->count;
    add_phase(made, target, answer, &answer->phases[i], series);
    series += made->count > before;
  }
  add_shares(made);
  if (made->count == 0) {
    status =
        roof_error_set(error, ROOF_E_UNSUPPORTED, "energy: %s says neither joules nor watts", machine->name);
  }
  return finish(made, chart, status, "", error);
}
