#include "roofline/effects.h"

#include <stdio.h>
#include <string.h>

#include "core/form.h"
#include "core/letters.h"
#include "core/number.h"
#include "roofline/text.h"

static const struct {
  const char *name, *text;
} effects[ROOF_EFFECT_COUNT] = {
#define ROW(symbol, name, text) [symbol] = {name, text},
    ROOF_EFFECT_MAP(ROW)
#undef ROW
};

static const roof_constant_row constants[ROOF_CONSTANT_COUNT] = {
#define ROW(symbol, name, unit, least, most, neutral, effect, text)                                          \
  [symbol] = {name, unit, least, most, neutral, effect, text},
    ROOF_CONSTANT_MAP(ROW)
#undef ROW
};

static const char *const kinds[] = {
#define NAME(symbol, name) name,
    ROOF_KERNEL_MAP(NAME)
#undef NAME
        NULL};

#define USES(constant) (1u << (constant))
#define INTERVAL (USES(ROOF_TIME_LOW) | USES(ROOF_TIME_HIGH))

/** The form of each kind of kernel, and the constants that it uses; without one the expected time is a share of the
 * bound. */
static const struct {
  rf_form *seconds;
  unsigned uses;
} forms[ROOF_KERNEL_KIND_COUNT] = {
    [ROOF_KERNEL_STREAM] = {rf_form_stream, USES(ROOF_LATENCY_SECONDS) | USES(ROOF_EFFICIENCY) |
                                                USES(ROOF_BANDWIDTH) | USES(ROOF_CACHE_GAIN) |
                                                USES(ROOF_CORNER) | INTERVAL},
    [ROOF_KERNEL_DECODE] = {rf_form_decode, USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) |
                                                USES(ROOF_EFFICIENCY) | USES(ROOF_BANDWIDTH) |
                                                USES(ROOF_CACHE_GAIN) | USES(ROOF_UNIT_BANDWIDTH) |
                                                USES(ROOF_CORNER) | USES(ROOF_SPLIT_SECONDS) | INTERVAL},
    [ROOF_KERNEL_PREFILL] = {rf_form_prefill, USES(ROOF_LATENCY_SECONDS) | USES(ROOF_WAVE_SECONDS) |
                                                  USES(ROOF_EFFICIENCY) | USES(ROOF_BANDWIDTH) |
                                                  USES(ROOF_CACHE_GAIN) | USES(ROOF_STORE_PASSES) |
                                                  USES(ROOF_CORNER) | INTERVAL},
};

const char *roof_effect_name(roof_effect effect) {
  return (unsigned)effect < ROOF_EFFECT_COUNT ? effects[effect].name : "?";
}

const char *roof_effect_text(roof_effect effect) {
  return (unsigned)effect < ROOF_EFFECT_COUNT ? effects[effect].text : "";
}

roof_status roof_effect_parse(const char *text, roof_effect *effect, roof_error *error) {
  const char *names[ROOF_EFFECT_COUNT + 1] = {NULL};
  for (int i = 0; i < ROOF_EFFECT_COUNT; i++) {
    names[i] = effects[i].name;
    if (rf_letters_compare(text, names[i]) == 0) {
      *effect = (roof_effect)i;
      return ROOF_OK;
    }
  }
  roof_error_unknown(error, "effect", text, names, NULL);
  return ROOF_E_NAME;
}

const roof_constant_row *roof_constant_row_of(roof_constant constant) {
  return (unsigned)constant < ROOF_CONSTANT_COUNT ? &constants[constant] : NULL;
}

const char *roof_kernel_kind_name(roof_kernel_kind kind) {
  return (unsigned)kind < ROOF_KERNEL_KIND_COUNT ? kinds[kind] : "?";
}

roof_status roof_kernel_kind_parse(const char *text, roof_kernel_kind *kind, roof_error *error) {
  for (int i = 0; i < ROOF_KERNEL_KIND_COUNT; i++) {
    if (rf_letters_compare(text, kinds[i]) == 0) {
      *kind = (roof_kernel_kind)i;
      return ROOF_OK;
    }
  }
  roof_error_unknown(error, "kind of kernel", text, kinds, NULL);
  return ROOF_E_NAME;
}

bool roof_kernel_uses(roof_kernel_kind kind, roof_constant constant) {
  return (unsigned)kind < ROOF_KERNEL_KIND_COUNT && (unsigned)constant < ROOF_CONSTANT_COUNT &&
         (forms[kind].uses & USES(constant)) != 0;
}

/** How far a format is from the one wanted: 0 for itself, wider ones before narrower ones. */
static double distance(roof_dtype have, roof_dtype wanted) {
  double by = roof_dtype_bytes(have) - roof_dtype_bytes(wanted);
  return have == wanted ? 0 : by >= 0 ? 1 + by : 100 - by;
}

const roof_constants *roof_constants_find(const roof_machine *machine, roof_kernel_kind kind,
                                          const roof_types *types, const char *framework) {
  const roof_constants *found = NULL;
  double least = INFINITY;
  for (int i = 0; i < machine->constants_count; i++) {
    const roof_constants *c = &machine->constants[i];
    bool own = framework != NULL && strcmp(c->framework, framework) == 0;
    double far = distance(c->dtype, types->compute) - (own ? 0.5 : 0);
    if (c->kernel == kind && (own || c->framework[0] == '\0') && far < least) {
      found = c;
      least = far;
    }
  }
  return found;
}

/** Takes the values of `own`, neutral where they are unknown or their effect is left out. */
static void take(const double *own, unsigned without, double *values) {
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    bool out = constants[i].effect < ROOF_EFFECT_COUNT && (without & 1u << constants[i].effect) != 0;
    values[i] = out || isnan(own[i]) ? constants[i].neutral : own[i];
  }
}

void rf_forms_resolve(roof_target *target) {
  unsigned without = target->options.without;
  for (int k = 0; k < ROOF_KERNEL_KIND_COUNT; k++) {
    const roof_constants *own =
        roof_constants_find(target->machine, (roof_kernel_kind)k, &target->types, target->options.framework);
    roof_form *form = &target->forms[k];
    form->known = own != NULL && forms[k].seconds != NULL && without != ROOF_EFFECTS_ALL;
    if (form->known) {
      take(own->values, without, form->values);
    }
  }
}

static double known(double value) {
  return isnan(value) ? 0 : value;
}

double rf_form_seconds(const roof_target *target, const roof_prediction *p, const double *values,
                       unsigned without, rf_cut *cut) {
  rf_cut unused;
  rf_run run = {.target = target,
                .work = &p->work,
                .compute = known(p->compute_seconds),
                .memory = known(p->memory_seconds),
                .network = known(p->network_seconds),
                .c = values,
                .without = without};
  return forms[p->work.kernel.kind].seconds(&run, cut != NULL ? cut : &unused) +
         values[ROOF_LATENCY_SECONDS] * p->work.launches;
}

double roof_effects_seconds(const roof_target *target, const roof_prediction *prediction,
                            const double values[ROOF_CONSTANT_COUNT]) {
  return forms[prediction->work.kernel.kind].seconds != NULL
             ? rf_form_seconds(target, prediction, values, target->options.without, NULL)
             : NAN;
}

/** What an effect did, where the way the kernel is cut or a constant says it. */
static void explain(const roof_target *target, const roof_prediction *p, const rf_cut *cut,
                    const double *values, roof_effect_part *part) {
  char *text = part->text;
  size_t size = sizeof part->text;
  const roof_machine *machine = target->machine;
  switch (part->effect) {
  case ROOF_EFFECT_EFFICIENCY:
    rf_format(text, size, "%.0f %% of the peak", 100 * values[ROOF_EFFICIENCY]);
    return;
  case ROOF_EFFECT_BANDWIDTH:
    rf_format(text, size, "%.0f %% of the bandwidth", 100 * values[ROOF_BANDWIDTH]);
    return;
  case ROOF_EFFECT_CACHE:
    rf_format(text, size, "the last cache, %.0f MB, keeps part of %.3g MB from the run before",
              target->cache_bytes / 1e6, p->work.working_set / 1e6);
    return;
  case ROOF_EFFECT_WAVES:
    if (cut->tiles > 0) {
      char split[24] = "";
      if (cut->split > 1) {
        rf_format(split, sizeof split, ", split in %.0f,", cut->split);
      }
      rf_format(text, size, "%.0f %s%s on %.0f %ss: %.0f wave%s", cut->tiles,
                cut->what != NULL ? cut->what : "parts", split, target->units,
                machine->unit_kind[0] != '\0' ? machine->unit_kind : "unit", cut->waves,
                cut->waves > 1 ? "s" : "");
      return;
    }
    break;
  case ROOF_EFFECT_TILES:
    if (cut->tiles > 0) {
      rf_format(text, size, "%.0f tiles of %.0f x %.0f", cut->tiles, cut->tile_rows, cut->tile_columns);
      return;
    }
    break;
  case ROOF_EFFECT_SPLIT:
    rf_format(text, size, "split in %.0f, added at the end", cut->split);
    return;
  default:
    break;
  }
  rf_format(text, size, "%s", effects[part->effect].text);
}

int roof_effects_of(const roof_target *target, const roof_prediction *prediction,
                    roof_effect_part parts[ROOF_EFFECT_COUNT]) {
  const roof_form *form = &target->forms[prediction->work.kernel.kind];
  unsigned without = ROOF_EFFECTS_ALL;
  double values[ROOF_CONSTANT_COUNT];
  int count = 0;
  if (!form->known) {
    return 0;
  }
  take(form->values, without, values);
  double before = rf_form_seconds(target, prediction, values, without, NULL);
  for (int e = 0; e < ROOF_EFFECT_COUNT; e++) {
    rf_cut cut = {0};
    without &= ~(1u << e) | target->options.without;
    take(form->values, without, values);
    double after = rf_form_seconds(target, prediction, values, without, &cut);
    if (fabs(after - before) > 1e-9 * before) {
      roof_effect_part *part = &parts[count++];
      *part =
          (roof_effect_part){.effect = (roof_effect)e, .seconds = after - before, .factor = after / before};
      explain(target, prediction, &cut, values, part);
    }
    before = after;
  }
  return count;
}
