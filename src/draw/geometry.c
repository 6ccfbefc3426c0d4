#include "draw/geometry.h"

#include <math.h>
#include <stdio.h>

#include "roofline/units.h"

enum { ANY_STYLE = -1 };

double rf_length(double dx, double dy) {
  return sqrt(dx * dx + dy * dy);
}

static bool is_flat(const roof_scene_roof *roof) {
  return !isnan(roof->flops_per_second);
}

static double log_rate(const roof_scene_roof *roof) {
  return log10(is_flat(roof) ? roof->flops_per_second : roof->bytes_per_second);
}

/** The log rate of the highest (sign 1) or lowest (-1) flat roof or ramp of a series and style; NaN: none. */
static double extreme(const roof_scene *scene, int series, int style, bool flat, int sign) {
  double best = NAN;
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    if (roof->series == series && (style == ANY_STYLE || (int)roof->style == style) &&
        is_flat(roof) == flat) {
      double rate = log_rate(roof);
      best = isnan(best) || (rate - best) * sign > 0 ? rate : best;
    }
  }
  return best;
}

bool rf_scene_has_ramp(const roof_scene *scene, int series) {
  for (int i = 0; i < scene->roof_count; i++) {
    if (scene->roofs[i].series == series && !is_flat(&scene->roofs[i])) {
      return true;
    }
  }
  return false;
}

int rf_scene_ramps(const roof_scene *scene, int series) {
  bool format = !rf_scene_has_ramp(scene, series) && !isnan(extreme(scene, series, ANY_STYLE, true, 1));
  return format ? 0 : series;
}

/** The outermost level, its theoretical ramp where there is one; NULL: none. */
static const roof_scene_roof *outer_ramp(const roof_scene *scene, int series) {
  const roof_scene_roof *outer = NULL;
  series = rf_scene_ramps(scene, series);
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    if (roof->series != series || is_flat(roof)) {
      continue;
    }
    bool all = outer != NULL && roof->level == outer->level && roof->cores == 0 && outer->cores > 0;
    if (outer != NULL && roof->level == outer->level && roof->cores > 0 && outer->cores == 0) {
      continue; /* of some cores only */
    }
    bool solid = outer != NULL && roof->style == ROOF_SOLID && outer->style != ROOF_SOLID;
    bool lower = outer != NULL && roof->style == outer->style && log_rate(roof) < log_rate(outer);
    if (outer == NULL || roof->level > outer->level ||
        (roof->level == outer->level && (all || solid || lower))) {
      outer = roof;
    }
  }
  return outer;
}

/** As `extreme`, of the style where the series has one, else of any. */
static double preferred(const roof_scene *scene, int series, int style, bool flat, int sign) {
  double best = extreme(scene, series, style, flat, sign);
  return isnan(best) ? extreme(scene, series, ANY_STYLE, flat, sign) : best;
}

/** Log intensity where a roof meets its partner: the highest roof, of all formats that share the ramp, for a roof
 * the highest ramp. NaN: none. */
static double meeting(const roof_scene *scene, const roof_scene_roof *roof) {
  if (is_flat(roof)) {
    return log_rate(roof) - preferred(scene, rf_scene_ramps(scene, roof->series), (int)roof->style, false, 1);
  }
  double highest = preferred(scene, roof->series, (int)roof->style, true, 1);
  for (int series = 0; series < scene->series_count; series++) {
    if (series != roof->series && rf_scene_ramps(scene, series) == roof->series) {
      highest = fmax(highest, preferred(scene, series, (int)roof->style, true, 1));
    }
  }
  return highest - log_rate(roof);
}

/** The next of 1, 2, 5, 10, ... at or beyond `value` (log10) in the direction of `sign`. */
static double snap(double value, int sign) {
  static const double steps[] = {0, 0.30102999566398120, 0.69897000433601880, 1};
  double whole = floor(value);
  for (int i = 0; i < 4; i++) {
    double step = whole + (sign > 0 ? steps[i] : steps[3 - i]);
    if ((step - value) * sign >= -1e-9) {
      return step;
    }
  }
  return value;
}

static void widen(double *low, double *high, double from, double to) {
  *low = fmin(*low, from);
  *high = fmax(*high, to);
}

static void range_x(const roof_scene *scene, rf_geometry *g) {
  double low = NAN, high = NAN;
  for (int i = 0; i < scene->roof_count; i++) {
    double ridge = meeting(scene, &scene->roofs[i]);
    widen(&low, &high, ridge - 1, ridge + 1.3);
  }
  widen(&low, &high, -1, isnan(high) ? 2 : high);
  for (int i = 0; i < scene->dot_count; i++) {
    double x = log10(scene->dots[i].intensity);
    widen(&low, &high, x - 0.3, x + 0.5);
  }
  g->low.x = snap(low, -1);
  g->high.x = snap(high, 1);
}

static void range_y(const roof_scene *scene, rf_geometry *g) {
  double low = NAN, high = NAN;
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    double rate = log_rate(roof), ridge = meeting(scene, roof);
    if (is_flat(roof)) {
      widen(&low, &high, rate - (isnan(ridge) ? 2 : 0.5), rate + 0.35);
    } else {
      widen(&low, &high, rate + g->low.x, rate + (isnan(ridge) ? g->high.x : ridge) + 0.1);
    }
  }
  for (int i = 0; i < scene->dot_count; i++) {
    double y = log10(scene->dots[i].flops_per_second);
    widen(&low, &high, y - 0.4, y + 0.35);
  }
  g->low.y = snap(low, -1);
  g->high.y = snap(high, 1);
}

static void place_roof(const roof_scene *scene, int i, rf_geometry *g) {
  const roof_scene_roof *roof = &scene->roofs[i];
  double rate = log_rate(roof), ridge = meeting(scene, roof);
  if (is_flat(roof)) {
    g->from[i] = (rf_point){isnan(ridge) ? g->low.x : ridge, rate};
    g->to[i] = (rf_point){g->high.x, rate};
  } else {
    double end = isnan(ridge) ? g->high.x : ridge;
    g->from[i] = (rf_point){g->low.x, rate + g->low.x};
    g->to[i] = (rf_point){end, rate + end};
  }
}

static void place_dot(const roof_scene *scene, int i, rf_geometry *g) {
  const roof_scene_dot *dot = &scene->dots[i];
  if (dot->ceiling_flops_per_second > 0) {
    g->ceilings[i] = log10(dot->ceiling_flops_per_second);
    g->above[i] = dot->above;
    return;
  }
  const roof_scene_roof *ramp = outer_ramp(scene, dot->series);
  double slope = ramp != NULL ? log_rate(ramp) : NAN;
  double roof = preferred(scene, dot->series, ROOF_SOLID, true, 1);
  g->ceilings[i] = dot->inner ? NAN : fmin(slope + log10(dot->intensity), roof);
  g->above[i] = log10(dot->flops_per_second) > g->ceilings[i] + log10(1.005);
}

/** Where the highest roof meets the outermost ramp: a measured one the highest measured. */
static rf_point ridge_of(const roof_scene *scene, int series) {
  const roof_scene_roof *ramp = outer_ramp(scene, series);
  double roof = preferred(scene, series, ramp != NULL ? (int)ramp->style : ROOF_SOLID, true, 1);
  return (rf_point){ramp != NULL ? roof - log_rate(ramp) : NAN, roof};
}

roof_status rf_geometry_make(const roof_scene *scene, rf_geometry *geometry, roof_error *error) {
  if (scene->roof_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "chart: there is no roof to draw");
  }
  range_x(scene, geometry);
  range_y(scene, geometry);
  for (int i = 0; i < scene->roof_count; i++) {
    place_roof(scene, i, geometry);
  }
  for (int i = 0; i < scene->dot_count; i++) {
    place_dot(scene, i, geometry);
  }
  for (int series = 0; series < ROOF_SCENE_SERIES; series++) {
    geometry->ridges[series] = ridge_of(scene, series);
  }
  return ROOF_OK;
}

int rf_axis_step(double low, double high, int most) {
  int step = 1;
  while ((high - low) / step > most) {
    step++;
  }
  return step;
}

void rf_axis_label(char *buffer, size_t size, int exponent, const char *unit) {
  static const char *const prefixes[] = {"p", "n", "\xC2\xB5", "m", "", "k", "M", "G", "T", "P", "E"};
  static const char *const digits[] = {"1", "10", "100"};
  static const char *const plain[] = {"0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000"};
  bool has_unit = unit[0] != '\0';
  if (!has_unit && exponent >= -4 && exponent <= 4) {
    snprintf(buffer, size, "%s", plain[exponent + 4]);
  } else if (has_unit && exponent >= -12 && exponent <= 20) {
    snprintf(buffer, size, "%s %s%s", digits[(exponent + 12) % 3], prefixes[(exponent + 12) / 3], unit);
  } else {
    snprintf(buffer, size, "1e%d%s%s", exponent, has_unit ? " " : "", unit);
  }
}

void rf_axis_number(char *buffer, size_t size, double value) {
  static const long long tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  if (!(value >= 1e-4 && value < 1e7)) {
    char digits[ROOF_NUMBER_SIZE];
    roof_number_write(digits, value, 4);
    snprintf(buffer, size, "%s", digits);
    return;
  }
  int decimals = 3 - (int)floor(log10(value));
  decimals = decimals < 0 ? 0 : decimals > 7 ? 7 : decimals;
  long long scaled = llround(value * (double)tens[decimals]);
  while (decimals > 0 && scaled % 10 == 0) {
    scaled /= 10;
    decimals--;
  }
  snprintf(buffer, size, decimals > 0 ? "%lld.%0*lld" : "%lld", scaled / tens[decimals], decimals,
           scaled % tens[decimals]);
}

void rf_scene_describe(const roof_scene *scene, roof_text *out) {
  if (scene->description[0] != '\0') {
    roof_text_add(out, scene->description);
    return;
  }
  roof_text_add(out, "Roofline chart, both axes logarithmic: performance in FLOP/s over arithmetic intensity "
                     "in FLOP/byte. Ceilings: ");
  for (int i = 0; i < scene->roof_count; i++) {
    roof_text_addf(out, "%s%s", i > 0 ? "; " : "", scene->roofs[i].label);
  }
  enum { MOST = 32 };
  for (int i = 0; i < scene->dot_count && i < MOST; i++) {
    const roof_scene_dot *dot = &scene->dots[i];
    char intensity[40], rate[40];
    rf_axis_number(intensity, sizeof intensity, dot->intensity);
    roof_quantity_format(rate, sizeof rate, dot->flops_per_second, "FLOP/s");
    roof_text_addf(out, "%s%s: %s FLOP/byte, %s%s", i > 0 ? "; " : ". Kernels: ", dot->label, intensity, rate,
                   dot->predicted ? " predicted" : " measured");
  }
  if (scene->dot_count > MOST) {
    roof_text_addf(out, "; and %d more", scene->dot_count - MOST);
  }
  roof_text_add(out, ".");
}
