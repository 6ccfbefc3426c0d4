/* Options of a prediction as they are typed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise/options.h"
#include "core/number.h"
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
static unsigned replaced(const roof_options *o) {
  return isnan(o->launch) ? 0 : 1u << ROOF_EFFECT_LATENCY;
}

bool rf_advise_leaves_out(const roof_options *o) {
  return (o->without & ~replaced(o)) != 0;
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
  if (status == ROOF_OK && typed->tile != NULL && o.tile == 0) {
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "--tile %s: must be from 1 to 2^53 elements", typed->tile);
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
  if (status == ROOF_OK && typed->without != NULL && typed->efficiency != NULL) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "--without: has no effect: --efficiency takes the place of all effects");
  }
  if (status != ROOF_OK) {
    return status;
  }
  o.sparse = typed->sparse != 0;
  o.warm = typed->warm != 0;
  o.cold = typed->cold != 0;
  o.framework = typed->framework;
  o.achieved = typed->achieved != 0;
  o.without = typed->efficiency != NULL ? ROOF_EFFECTS_ALL : o.without | replaced(&o);
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

/** Appends " --name value"; of a value with a blank in quotes. NULL: not said. */
static void add_word(char *buffer, size_t size, const char *name, const char *value) {
  size_t used = strlen(buffer);
  if (value != NULL) {
    const char *quote = strchr(value, ' ') != NULL ? "'" : "";
    snprintf(buffer + used, size - used, " --%s %s%s%s", name, quote, value, quote);
  }
}

/** Appends an option with a number, where it is not the usual one. */
static void add_number(char *buffer, size_t size, const char *name, double value, double usual,
                       const char *unit) {
  char text[48];
  if (value != usual && !isnan(value)) {
    rf_format(text, sizeof text, "%.15g%s", value, unit);
    add_word(buffer, size, name, text);
  }
}

/** Efficiency takes the place of all effects, a launch that of the latency. */
static void add_effects(char *buffer, size_t size, const roof_options *o, const roof_options *usual) {
  const unsigned implied = replaced(o);
  char text[160] = "";
  if (o->efficiency != usual->efficiency || o->efficiency_low != usual->efficiency_low ||
      o->efficiency_high != usual->efficiency_high) {
    bool one = o->efficiency_low == o->efficiency && o->efficiency == o->efficiency_high;
    rf_format(text, sizeof text, one ? "%.15g" : "%.15g,%.15g,%.15g", o->efficiency_low, o->efficiency,
              o->efficiency_high);
    add_word(buffer, size, "efficiency", text);
    return;
  }
  for (int i = 0; i < ROOF_EFFECT_COUNT && o->without != ROOF_EFFECTS_ALL; i++) {
    size_t used = strlen(text);
    if ((o->without >> i & ~(implied >> i) & 1) != 0) {
      snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "," : "",
               roof_effect_name((roof_effect)i));
    }
  }
  add_word(buffer, size, "without", o->without == ROOF_EFFECTS_ALL ? "all" : text[0] != '\0' ? text : NULL);
}

char *roof_options_words(const roof_options *o, char *buffer, size_t size) {
  const roof_options usual = roof_options_default();
  const struct {
    const char *name;
    bool is;
  } switches[] = {
      {" --sparse", o->sparse}, {" --warm", o->warm}, {" --cold", o->cold}, {" --achieved", o->achieved}};
  buffer[0] = '\0';
  add_effects(buffer, size, o, &usual);
  add_number(buffer, size, "overhead", o->overhead_cutoff, NAN, "s");
  add_number(buffer, size, "launch", o->launch, NAN, "s");
  add_number(buffer, size, "overlap", o->overlap, usual.overlap, "");
  add_number(buffer, size, "tile", o->tile, usual.tile, "");
  add_word(buffer, size, "unit", o->unit >= 0 ? roof_unit_name((roof_unit)o->unit) : NULL);
  add_word(buffer, size, "link", o->link);
  add_word(buffer, size, "framework", o->framework);
  for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
    size_t used = strlen(buffer);
    snprintf(buffer + used, size - used, "%s", switches[i].is ? switches[i].name : "");
  }
  return buffer;
}
