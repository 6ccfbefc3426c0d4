#include "roofline/charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "draw/geometry.h"
#include "draw/glyph.h"
#include "roofline/formats.h"
#include "roofline/units.h"

/** Ceilings that differ by less are one line. */
#define RF_SAME_ROOF 0.01

void roof_scene_init(roof_scene *scene) {
  memset(scene, 0, sizeof *scene);
}

/** What a ceiling is called before its rate: "fp16 matrix", "DRAM read, 1 core". */
typedef struct ceiling {
  const char *name; /**< of the peak or level */
  const char *mix;  /**< of a level's reads and writes; "": it has one figure for all */
  bool brief;       /**< all are measured, which the label need not say */
  int cores;        /**< that it is for; 0: all */
  int threads;      /**< of a core, that worked together; 0: one */
  const char *kind; /**< of the cores, where the machine has several; NULL: any */
  double rate;      /**< FLOP/s, or B/s of a level */
  bool flat;        /**< a peak */
  roof_dtype dtype; /**< of a peak */
  roof_unit unit;
  roof_level_kind level;
  roof_line_style style;
} ceiling;

static double rate_of(const roof_scene_roof *roof) {
  return isnan(roof->flops_per_second) ? roof->bytes_per_second : roof->flops_per_second;
}

/** True for a roof of the same peak or level. */
static bool is_same(const roof_scene_roof *roof, int series, const ceiling *c) {
  size_t length = strlen(c->name);
  bool flat = !isnan(roof->flops_per_second);
  return roof->series == series && flat == c->flat && strncmp(roof->label, c->name, length) == 0 &&
         (roof->label[length] == ' ' || roof->label[length] == ',');
}

/** The label, which says so where a measured ceiling is over the theoretical one that is drawn for it. */
static void name_roof(const roof_scene *scene, int series, const ceiling *c, char *label, size_t size) {
  char quantity[32], cores[48] = "", share[40] = "";
  roof_quantity_format(quantity, sizeof quantity, c->rate, c->flat ? "FLOP/s" : "B/s");
  roof_cores_append(cores, sizeof cores, c->cores, c->kind != NULL ? c->kind : "", c->threads);
  for (int i = 0; i < scene->roof_count && c->style == ROOF_DASHED && c->cores == 0; i++) {
    const roof_scene_roof *limit = &scene->roofs[i];
    if (limit->style == ROOF_SOLID && is_same(limit, series, c) && c->rate > 1.005 * rate_of(limit)) {
      rf_format(share, sizeof share, ", %.0f %% of its limit", 100 * c->rate / rate_of(limit));
    }
  }
  rf_format(label, size, "%.35s%s%.8s%s %s%s%s", c->name, c->mix[0] != '\0' ? " " : "", c->mix, cores,
            quantity, c->style == ROOF_DASHED && !c->brief ? " measured" : "", share);
  rf_glyph_trim(label, size);
}

/** Sets a roof: a new one, or the general one that it takes the place of. */
static void set_roof(roof_scene *scene, roof_scene_roof *roof, int series, const ceiling *c) {
  roof_scene_roof made = {.flops_per_second = c->flat ? c->rate : NAN,
                          .bytes_per_second = c->flat ? NAN : c->rate,
                          .style = c->style,
                          .dtype = c->dtype,
                          .unit = c->unit,
                          .cores = c->cores,
                          .level = c->flat ? ROOF_REGISTERS : c->level,
                          .series = series};
  name_roof(scene, series, c, made.label, sizeof made.label);
  memcpy(made.mixes, roof->mixes, sizeof made.mixes);
  *roof = made;
}

/** The roof added; NULL: none, where the rate is not known, or `full`. */
static roof_scene_roof *add_roof(roof_scene *scene, int series, const ceiling *c, bool *full) {
  if (!(c->rate > 0) || isinf(c->rate)) {
    return NULL;
  }
  if (scene->roof_count == ROOF_SCENE_ROOFS) {
    *full = true;
    return NULL;
  }
  roof_scene_roof *roof = &scene->roofs[scene->roof_count];
  for (int i = 0; i < ROOF_MIX_COUNT; i++) {
    roof->mixes[i] = NAN;
  }
  set_roof(scene, roof, series, c);
  scene->roof_count++;
  return roof;
}

/** The datasheet figure is solid, or the limit of the measured figure if there is no datasheet; the measured
 * figure is dashed. */
static bool add_peaks(roof_scene *scene, int series, const roof_machine *machine, roof_dtype dtype,
                      roof_unit unit) {
  const roof_peak *rated = roof_machine_peak(machine, dtype, unit, false, ROOF_DATASHEET);
  const roof_peak *measured = roof_machine_peak(machine, dtype, unit, false, ROOF_MEASURED);
  bool full = false;
  if (rated == NULL) {
    return true;
  }
  char what[48];
  snprintf(what, sizeof what, "%s %s", roof_dtype_name(dtype), roof_unit_name(unit));
  double limit = rated->kind == ROOF_MEASURED ? rated->limit_flops_per_second : rated->flops_per_second;
  ceiling c = {.name = what,
               .mix = "",
               .rate = limit,
               .flat = true,
               .dtype = dtype,
               .unit = unit,
               .style = ROOF_SOLID};
  add_roof(scene, series, &c, &full);
  if (measured->kind == ROOF_MEASURED) {
    c.rate = measured->flops_per_second;
    c.style = ROOF_DASHED;
    roof_scene_roof *roof = add_roof(scene, series, &c, &full);
    if (roof != NULL) {
      roof->general = true;
    }
  }
  return !full;
}

static double best_limit(const roof_level *level) {
  double limit = fmax(level->limit_bytes_per_second, level->write_limit_bytes_per_second);
  limit = fmax(limit, fmax(level->copy_limit_bytes_per_second, level->update_limit_bytes_per_second));
  return fmax(limit, level->triad_limit_bytes_per_second);
}

/** The mix of reads and writes that is as fast as `rate`; "" where all are, "mixed" where none is. */
static const char *mix_of(const double rates[ROOF_MIX_COUNT], double rate) {
  static const char *const names[ROOF_MIX_COUNT] = {[ROOF_MIX_READ] = "read",
                                                    [ROOF_MIX_TRIAD] = "triad",
                                                    [ROOF_MIX_COPY] = "copy",
                                                    [ROOF_MIX_WRITE] = "write",
                                                    [ROOF_MIX_UPDATE] = "update"};
  const char *mix = "mixed";
  bool all = true;
  for (int i = ROOF_MIX_COUNT - 1; i >= 0; i--) {
    bool same = fabs(rates[i] - rate) <= RF_SAME_ROOF * rate;
    mix = same ? names[i] : mix;
    all = all && (same || isnan(rates[i]));
  }
  return all ? "" : mix;
}

/** Bytes per second of each mix, and of the one that is drawn for all: reads, as of the ridges of `machine show`, else the
 * fastest. */
static double rates_of(const roof_level *level, double rates[ROOF_MIX_COUNT]) {
  roof_level_costs(level, rates);
  double best = 1 / roof_costs_least(rates);
  for (int i = 0; i < ROOF_MIX_COUNT; i++) {
    rates[i] = 1 / rates[i];
  }
  return rates[ROOF_MIX_READ] > 0 ? rates[ROOF_MIX_READ] : best;
}

/** The measured figure is that of reads until kernels are placed under those of their own mix. */
static void add_measured_level(roof_scene *scene, int series, const roof_level *level, bool *full) {
  double rates[ROOF_MIX_COUNT], rate = rates_of(level, rates);
  const ceiling c = {.name = level->name,
                     .mix = mix_of(rates, rate),
                     .rate = rate,
                     .level = level->level,
                     .style = ROOF_DASHED};
  roof_scene_roof *roof = add_roof(scene, series, &c, full);
  if (roof != NULL) {
    roof->general = true;
    memcpy(roof->mixes, rates, sizeof roof->mixes);
  }
}

static bool add_level(roof_scene *scene, int series, const roof_machine *machine, roof_level_kind kind) {
  const roof_level *rated = roof_machine_level(machine, kind, ROOF_DATASHEET);
  const roof_level *measured = roof_machine_level(machine, kind, ROOF_MEASURED);
  double costs[ROOF_MIX_COUNT];
  bool full = false;
  if (rated == NULL) {
    return true;
  }
  roof_level_costs(rated, costs);
  double limit = rated->kind == ROOF_MEASURED ? best_limit(rated) : 1 / roof_costs_least(costs);
  const ceiling c = {.name = rated->name, .mix = "", .rate = limit, .level = kind, .style = ROOF_SOLID};
  add_roof(scene, series, &c, &full);
  if (measured->kind == ROOF_MEASURED) {
    add_measured_level(scene, series, measured, &full);
  }
  return !full;
}

roof_status roof_scene_add_machine(roof_scene *scene, const roof_machine *machine, roof_dtype dtype,
                                   roof_error *error) {
  int roofs = scene->roof_count;
  if (scene->series_count == ROOF_SCENE_SERIES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d machines", machine->name,
                          ROOF_SCENE_SERIES);
  }
  int series = scene->series_count++;
  char *name = scene->series[series];
  snprintf(name, sizeof scene->series[0], "%s", machine->name);
  bool room = add_peaks(scene, series, machine, dtype, ROOF_MATRIX) &&
              add_peaks(scene, series, machine, dtype, ROOF_VECTOR);
  for (int kind = 0; kind < ROOF_LEVEL_KIND_COUNT; kind++) {
    room = room && add_level(scene, series, machine, (roof_level_kind)kind);
  }
  if (room && scene->roof_count > roofs) {
    return ROOF_OK;
  }
  scene->series_count--;
  scene->roof_count = roofs;
  return room ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: no %s ceiling is known", machine->name,
                               roof_dtype_name(dtype))
              : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d ceilings", machine->name,
                               ROOF_SCENE_ROOFS);
}

/** Whether a line of the same kind and cores is drawn at nearly that rate: there is no room for both. */
static bool is_close(const roof_scene *scene, const roof_scene_roof *c) {
  enum { PERCENT = 15 };
  for (const roof_scene_roof *roof = scene->roofs; roof < c; roof++) {
    bool same = !roof->near && roof->series == c->series && roof->cores == c->cores &&
                roof->level == c->level && isnan(roof->flops_per_second) == isnan(c->flops_per_second) &&
                roof->unit == c->unit;
    if (same && 100 * fabs(rate_of(roof) - rate_of(c)) <= PERCENT * rate_of(c)) {
      return true;
    }
  }
  return false;
}

/** A peak by how it is reached: "AVX2+FMA", on all cores or fewer. */
static void add_method(roof_scene *scene, int series, const roof_peak *peak, bool *full) {
  const ceiling c = {.name = peak->isa[0] != '\0' ? peak->isa : roof_unit_name(peak->unit),
                     .mix = "",
                     .brief = true,
                     .cores = peak->cores,
                     .threads = peak->threads_per_core,
                     .kind = peak->core_kind,
                     .rate = peak->flops_per_second,
                     .flat = true,
                     .dtype = peak->dtype,
                     .unit = peak->unit,
                     .style = peak->kind == ROOF_MEASURED ? ROOF_DASHED : ROOF_SOLID};
  roof_scene_roof *roof = add_roof(scene, series, &c, full);
  if (roof != NULL) {
    roof->near = is_close(scene, roof);
  }
}

/** A level's reads, on all cores or fewer. */
static void add_cores(roof_scene *scene, int series, const roof_level *level, bool *full) {
  double rates[ROOF_MIX_COUNT], rate = rates_of(level, rates);
  const ceiling c = {.name = level->name,
                     .mix = mix_of(rates, rate),
                     .brief = true,
                     .cores = level->cores,
                     .threads = level->threads_per_core,
                     .kind = level->core_kind,
                     .rate = rate,
                     .level = level->level,
                     .style = level->kind == ROOF_MEASURED ? ROOF_DASHED : ROOF_SOLID};
  roof_scene_roof *roof = add_roof(scene, series, &c, full);
  if (roof != NULL) {
    roof->near = is_close(scene, roof);
    roof->general = level->kind == ROOF_MEASURED && level->cores == 0;
    memcpy(roof->mixes, rates, sizeof roof->mixes);
  }
}

roof_status roof_scene_add_ceilings(roof_scene *scene, const roof_machine *machine, roof_dtype dtype,
                                    roof_error *error) {
  bool full = scene->series_count == ROOF_SCENE_SERIES;
  int series = scene->series_count, roofs = scene->roof_count;
  for (int i = 0; i < machine->peak_count && !full; i++) {
    const roof_peak *peak = &machine->peaks[i];
    if (peak->dtype == dtype && !peak->sparse && !peak->mixed && !peak->unsupported) {
      add_method(scene, series, peak, &full);
    }
  }
  for (int i = 0; i < machine->level_count && !full; i++) {
    add_cores(scene, series, &machine->levels[i], &full);
  }
  if (full || scene->roof_count == roofs) {
    scene->roof_count = roofs;
    return full ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d ceilings",
                                 machine->name, ROOF_SCENE_ROOFS)
                : roof_error_set(error, ROOF_E_ARGUMENT, "%s: no %s ceiling is known", machine->name,
                                 roof_dtype_name(dtype));
  }
  snprintf(scene->series[scene->series_count++], sizeof scene->series[0], "%s", machine->name);
  snprintf(scene->title, sizeof scene->title, "%.80s: every %s ceiling", roof_machine_title(machine),
           roof_dtype_name(dtype));
  return ROOF_OK;
}

/** The ramp of the outermost level that has a bandwidth. */
static bool add_outer_level(roof_scene *scene, int series, const roof_machine *machine) {
  for (int kind = ROOF_LEVEL_KIND_COUNT - 1; kind >= 0; kind--) {
    int before = scene->roof_count;
    if (!add_level(scene, series, machine, (roof_level_kind)kind)) {
      return false;
    }
    if (scene->roof_count > before) {
      return true;
    }
  }
  return false;
}

static roof_status add_format(roof_scene *scene, const roof_machine *machine, const roof_types *types,
                              roof_error *error) {
  roof_dtype dtype = types->compute;
  char apart[ROOF_FORMATS_APART];
  bool own = types->weights == dtype;
  const roof_peak *matrix = roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_DATASHEET);
  const roof_peak *vector = roof_machine_peak(machine, dtype, ROOF_VECTOR, false, ROOF_DATASHEET);
  if (scene->series_count == ROOF_SCENE_SERIES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d formats", machine->name,
                          ROOF_SCENE_SERIES);
  }
  int series = scene->series_count++;
  snprintf(scene->series[series], sizeof scene->series[0], "%s%s", roof_dtype_name(dtype),
           roof_formats_apart(types, apart, sizeof apart));
  if (own && matrix == NULL && vector == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: no %s peak is known", machine->name,
                          roof_dtype_name(dtype));
  }
  bool faster = vector != NULL && matrix != NULL && vector->flops_per_second > matrix->flops_per_second;
  return !own || add_peaks(scene, series, machine, dtype,
                           matrix == NULL || faster ? ROOF_VECTOR : ROOF_MATRIX)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d ceilings", machine->name,
                              ROOF_SCENE_ROOFS);
}

roof_status roof_scene_add_formats(roof_scene *scene, const roof_machine *machine, const roof_types *types,
                                   int count, roof_error *error) {
  roof_text title = {0};
  roof_status status =
      add_outer_level(scene, 0, machine)
          ? ROOF_OK
          : roof_error_set(error, ROOF_E_ARGUMENT, "%s: no bandwidth is known", machine->name);
  roof_text_addf(&title, "%s:", roof_machine_title(machine));
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    bool own = types[i].weights == types[i].compute;
    status = add_format(scene, machine, &types[i], error);
    roof_text_addf(&title, "%s %s%s", i > 0 ? "," : "", own ? "" : "weights ",
                   roof_dtype_name(types[i].weights));
  }
  snprintf(scene->title, sizeof scene->title, "%s roofline", title.data != NULL ? title.data : "");
  if (status == ROOF_OK && title.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", machine->name);
  }
  roof_text_done(&title);
  return status;
}

void roof_scene_thin(roof_scene *scene) {
  int all = scene->roof_count;
  scene->roof_count = 0;
  for (int i = 0; i < all; i++) {
    if (!scene->roofs[i].near) {
      scene->roofs[scene->roof_count++] = scene->roofs[i];
    }
  }
  int near = all - scene->roof_count;
  size_t used = strlen(scene->title);
  if (near > 0) {
    snprintf(scene->title + used, sizeof scene->title - used, ", but %d near other%s", near,
             near > 1 ? "s" : "");
  }
}

int roof_scene_series(roof_scene *scene, const char *name) {
  char cut[sizeof scene->series[0]];
  snprintf(cut, sizeof cut, "%s", name);
  for (int i = 1; i < scene->series_count; i++) {
    if (strcmp(scene->series[i], cut) == 0) {
      return i;
    }
  }
  if (scene->series_count == ROOF_SCENE_SERIES) {
    return 0;
  }
  memcpy(scene->series[scene->series_count], cut, sizeof cut);
  return scene->series_count++;
}

/** True if another roof of the series hides `roof` from the outline. */
static bool is_detail(const roof_scene *scene, const roof_scene_roof *roof) {
  bool flat = !isnan(roof->flops_per_second);
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *other = &scene->roofs[i];
    if (other->series != roof->series || isnan(other->flops_per_second) == flat) {
      continue;
    }
    bool rated = other->style == ROOF_SOLID && roof->style == ROOF_DASHED;
    if ((!flat && other->level > roof->level) || (rated && (flat || other->level == roof->level))) {
      return true;
    }
  }
  return false;
}

void roof_scene_outline(roof_scene *scene) {
  bool detail[ROOF_SCENE_ROOFS];
  int all = scene->roof_count;
  for (int i = 0; i < all; i++) {
    detail[i] = is_detail(scene, &scene->roofs[i]);
  }
  scene->roof_count = 0;
  for (int i = 0; i < all; i++) {
    if (!detail[i]) {
      scene->roofs[scene->roof_count++] = scene->roofs[i];
    }
  }
}

int roof_scene_add_dot(roof_scene *scene, const roof_scene_dot *dot) {
  bool placed = dot->intensity > 0 && isfinite(dot->intensity) && dot->flops_per_second > 0 &&
                isfinite(dot->flops_per_second);
  if (!placed || dot->series < 0 || dot->series >= ROOF_SCENE_SERIES || scene->dot_count == ROOF_SCENE_DOTS) {
    return -1;
  }
  roof_scene_dot *copy = &scene->dots[scene->dot_count];
  *copy = *dot;
  rf_glyph_trim(copy->label, sizeof copy->label);
  rf_glyph_trim(copy->key, sizeof copy->key);
  rf_glyph_trim(copy->detail, sizeof copy->detail);
  return scene->dot_count++;
}

/** Names the formats of the peaks drawn; where none is, the title stays. */
static void title_formats(roof_scene *scene) {
  char formats[48] = "";
  for (int i = 0, length = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    bool first = !isnan(roof->flops_per_second);
    for (int j = 0; j < i && first; j++) {
      first = isnan(scene->roofs[j].flops_per_second) || scene->roofs[j].dtype != roof->dtype;
    }
    if (first && length < (int)sizeof formats) {
      length += snprintf(formats + length, sizeof formats - (size_t)length, "%s%s", length > 0 ? ", " : "",
                         roof_dtype_name(roof->dtype));
    }
  }
  if (scene->machines[0] != '\0' && formats[0] != '\0') {
    snprintf(scene->title, sizeof scene->title, "%s: %s roofline", scene->machines, formats);
  }
}

void rf_scene_title(roof_scene *scene, const char *machines, roof_dtype dtype) {
  snprintf(scene->machines, sizeof scene->machines, "%s", machines);
  snprintf(scene->title, sizeof scene->title, "%s: %s roofline", scene->machines, roof_dtype_name(dtype));
  title_formats(scene);
}

roof_status roof_scene_add_peak(roof_scene *scene, int series, const roof_machine *machine, roof_dtype dtype,
                                roof_unit unit, roof_error *error) {
  int roofs = scene->roof_count;
  bool shares =
      !rf_scene_has_ramp(scene, series); /* one more format of the first machine: its roof may be there */
  for (int i = 0; i < roofs; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    bool same = !isnan(roof->flops_per_second) && roof->dtype == dtype && roof->unit == unit;
    if (same && (shares || roof->series == series)) {
      return ROOF_OK;
    }
  }
  if (add_peaks(scene, series, machine, dtype, unit)) {
    title_formats(scene);
    return ROOF_OK;
  }
  scene->roof_count = roofs;
  return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d ceilings", machine->name,
                        ROOF_SCENE_ROOFS);
}

/** The general roof of the ceiling's peak or level and style, else the first that is not; NULL: none. Counts
 *  the others. */
static roof_scene_roof *find_roof(roof_scene *scene, int series, const ceiling *c, int *others) {
  roof_scene_roof *found = NULL;
  *others = 0;
  for (int i = 0; i < scene->roof_count; i++) {
    roof_scene_roof *roof = &scene->roofs[i];
    if (is_same(roof, series, c) && roof->style == c->style) {
      *others += !roof->general;
      found = found == NULL || roof->general ? roof : found;
    }
  }
  return found;
}

/** True where one of the roofs is at the ceiling's rate, which is then a kernel's own. */
static bool is_drawn(roof_scene *scene, int series, const ceiling *c) {
  for (int i = 0; i < scene->roof_count; i++) {
    roof_scene_roof *roof = &scene->roofs[i];
    if (is_same(roof, series, c) && roof->style == c->style &&
        fabs(rate_of(roof) - c->rate) <= RF_SAME_ROOF * c->rate) {
      roof->general = roof->near = false;
      return true;
    }
  }
  return false;
}

/** The series of the machine that a dot is judged by: its own, else, where that is but a colour, the first. */
static int judging_series(const roof_scene *scene, int series) {
  for (int i = 0; i < scene->roof_count; i++) {
    if (scene->roofs[i].series == series) {
      return series;
    }
  }
  return 0;
}

/** True for a bandwidth that a mix of reads and writes can have. */
static bool is_between(const double rates[ROOF_MIX_COUNT], double rate) {
  double low = NAN, high = NAN;
  for (int i = 0; i < ROOF_MIX_COUNT; i++) {
    low = fmin(low, rates[i]);
    high = fmax(high, rates[i]);
  }
  return rate >= low * (1 - RF_SAME_ROOF) && rate <= high * (1 + RF_SAME_ROOF);
}

/** True where all roofs are measured and do not say so. */
static bool is_brief(const roof_scene_roof *roof) {
  return roof->style == ROOF_DASHED && strstr(roof->label, " measured") == NULL;
}

/** Draws the ceiling by which work was judged where it is none of those that are drawn: of its own mix of reads
 *  and writes, of the cores it used. The ceiling that stands for all of a level gives way to it. */
static void add_judge(roof_scene *scene, int series, const roof_placed *at, double rate) {
  enum { MOST = 5 }; /* of one level or peak: more hide what they show */
  bool flat = at->regime == ROOF_COMPUTE_BOUND, full = false;
  ceiling c = {.name = at->binding,
               .mix = "",
               .cores = at->cores,
               .rate = flat ? rate : rate / at->intensity,
               .flat = flat,
               .dtype = at->dtype,
               .unit = at->unit,
               .level = at->level,
               .style = at->basis == ROOF_ACHIEVED ? ROOF_DASHED : ROOF_SOLID};
  int others = 0;
  if ((!flat && at->regime != ROOF_MEMORY_BOUND) || at->binding[0] == '\0' || !(c.rate > 0) ||
      isinf(c.rate) || is_drawn(scene, series, &c)) {
    return;
  }
  roof_scene_roof *drawn = find_roof(scene, series, &c, &others);
  bool inner = drawn != NULL && !flat && drawn->level != at->level;
  if (drawn == NULL || others >= MOST || (flat && at->cores == 0) ||
      (inner && !is_between(drawn->mixes, c.rate))) {
    return; /* more bytes of an inner level than of the outer one, or several formats: no one line is its ceiling */
  }
  c.level = drawn->level;
  c.brief = is_brief(drawn);
  c.mix = at->cores == 0 ? mix_of(drawn->mixes, c.rate) : "";
  if (drawn->general && at->cores == 0) {
    set_roof(scene, drawn, series, &c);
    return;
  }
  roof_scene_roof *added = add_roof(scene, series, &c, &full);
  if (added != NULL) {
    memcpy(added->mixes, drawn->mixes, sizeof added->mixes);
  }
}

void rf_scene_heed_mix(roof_scene *scene, int series, const roof_target *target, const roof_work *work) {
  const roof_level *outer = target->level[target->memory];
  bool measured = outer != NULL && outer->kind == ROOF_MEASURED;
  int others = 0;
  if (!measured) {
    return;
  }
  ceiling c = {.name = outer->name,
               .rate = roof_ceiling_of(target, ROOF_ACHIEVED, work).bytes_per_second,
               .level = target->memory,
               .style = ROOF_DASHED};
  series = rf_scene_ramps(scene, series);
  roof_scene_roof *drawn = find_roof(scene, series, &c, &others);
  if (drawn != NULL && drawn->general && c.rate > 0) {
    c.mix = mix_of(drawn->mixes, c.rate);
    c.brief = is_brief(drawn);
    set_roof(scene, drawn, series, &c);
  }
}

int roof_scene_add_placed(roof_scene *scene, const roof_scene_dot *dot, const roof_placed *placed) {
  roof_scene_dot judged = *dot;
  double flops = placed->flops;
  judged.intensity = dot->intensity > 0 ? dot->intensity : placed->intensity;
  judged.flops_per_second = dot->flops_per_second > 0 ? dot->flops_per_second : flops / placed->seconds;
  if (placed->state != ROOF_PLACE_UNKNOWN && flops > 0 && !dot->inner) {
    judged.ceiling_flops_per_second = judged.flops_per_second / placed->share;
    judged.above = placed->state > ROOF_PLACE_POSSIBLE;
    judged.verdict = placed->verdict != NULL ? placed->verdict->name : NULL;
  }
  int added = roof_scene_add_dot(scene, &judged);
  if (added >= 0 && judged.ceiling_flops_per_second > 0) {
    add_judge(scene, judging_series(scene, judged.series), placed, judged.ceiling_flops_per_second);
  }
  return added;
}
