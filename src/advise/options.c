/* Options of a prediction as they are typed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/effects.h"
#include "roofline/formats.h"
#include "roofline/units.h"

/** The value of option `name`, which the message names too. */
static roof_status parse_option(const char *name, const char *text, const char *unit, double *value,
                                roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, unit, value, &why);
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "--%s %s", name, why.message);
}

static roof_status parse_efficiency(const char *text, roof_options *o, roof_error *error) {
  char copy[96];
  snprintf(copy, sizeof copy, "%s", text);
  double shares[3];
  int count = 0;
  char *rest = NULL;
  for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
    if (count == 3) {
      count = 0;
      break;
    }
    roof_status status = parse_option("efficiency", part, "%", &shares[count++], error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  if (count != 1 && count != 3) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--efficiency %s: one share, or LOW,TYPICAL,HIGH", text);
  }
  o->efficiency_low = shares[0];
  o->efficiency = shares[count / 2];
  o->efficiency_high = shares[count - 1];
  return ROOF_OK;
}

/** A launch that is given takes the place of the latency known. */
static unsigned implied_without(const roof_options *o) {
  return isnan(o->launch) ? o->without : o->without | 1u << ROOF_EFFECT_LATENCY;
}

static roof_status parse_without(const char *text, unsigned *without, roof_error *error) {
  char copy[160];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = NULL;
  for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
    roof_effect effect;
    if (strcmp(part, "all") == 0) {
      *without = ROOF_EFFECTS_ALL;
    } else if (roof_effect_parse(part, &effect, error) != ROOF_OK) {
      return ROOF_E_NAME;
    } else {
      *without |= 1u << effect;
    }
  }
  return ROOF_OK;
}

roof_status roof_options_read(const roof_options_text *typed, roof_options *options, roof_error *error) {
  roof_options o = roof_options_default();
  const struct {
    const char *name, *text, *unit;
    double *value;
  } quantities[] = {{"overhead", typed->overhead, "s", &o.overhead_cutoff},
                    {"launch", typed->launch, "s", &o.launch},
                    {"overlap", typed->overlap, "%", &o.overlap},
                    {"tile", typed->tile, "", &o.tile}};
  roof_status status = typed->efficiency != NULL ? parse_efficiency(typed->efficiency, &o, error) : ROOF_OK;
  for (size_t i = 0; i < sizeof quantities / sizeof quantities[0] && status == ROOF_OK; i++) {
    if (quantities[i].text != NULL) {
      status = parse_option(quantities[i].name, quantities[i].text, quantities[i].unit, quantities[i].value,
                            error);
    }
  }
  roof_unit unit = ROOF_VECTOR;
  if (status == ROOF_OK && typed->unit != NULL) {
    status = roof_unit_parse(typed->unit, &unit, error);
    o.unit = (int)unit;
  }
  if (status == ROOF_OK && typed->without != NULL) {
    status = parse_without(typed->without, &o.without, error);
  }
  if (status == ROOF_OK && typed->warm != 0 && typed->cold != 0) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "--warm and --cold: data are in a cache or not; give one");
  }
  if (status != ROOF_OK) {
    return status;
  }
  o.sparse = typed->sparse != 0;
  o.warm = typed->warm != 0;
  o.cold = typed->cold != 0;
  o.framework = typed->framework;
  o.achieved = typed->achieved != 0;
  o.without = typed->efficiency != NULL ? ROOF_EFFECTS_ALL : implied_without(&o);
  o.link = typed->link;
  *options = o;
  return ROOF_OK;
}

bool roof_options_typed(const roof_options_text *typed) {
  return typed->efficiency != NULL || typed->overhead != NULL || typed->launch != NULL ||
         typed->overlap != NULL || typed->tile != NULL || typed->unit != NULL || typed->link != NULL ||
         typed->without != NULL || typed->framework != NULL || typed->sparse != 0 || typed->warm != 0 ||
         typed->cold != 0 || typed->achieved != 0;
}
