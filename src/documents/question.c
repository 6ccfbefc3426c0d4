#include "documents/question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/json.h"

/** A member of roof_types or roof_options. */
typedef struct member {
  const char *name;
  enum { NUMBER, FORMAT, FLAG, INTEGER, BITS } kind;
  size_t offset;
} member;

static const member formats[] = {{"weights", FORMAT, offsetof(roof_types, weights)},
                                 {"output", FORMAT, offsetof(roof_types, output)},
                                 {"accumulate", FORMAT, offsetof(roof_types, accumulate)},
                                 {"kv", FORMAT, offsetof(roof_types, kv)},
                                 {"scale", FORMAT, offsetof(roof_types, scale)},
                                 {"group", NUMBER, offsetof(roof_types, group)},
                                 {"weight_bytes", NUMBER, offsetof(roof_types, weight_bytes)}};
static const member options[] = {{"efficiency", NUMBER, offsetof(roof_options, efficiency)},
                                 {"efficiency_low", NUMBER, offsetof(roof_options, efficiency_low)},
                                 {"efficiency_high", NUMBER, offsetof(roof_options, efficiency_high)},
                                 {"overlap", NUMBER, offsetof(roof_options, overlap)},
                                 {"overhead_cutoff", NUMBER, offsetof(roof_options, overhead_cutoff)},
                                 {"launch", NUMBER, offsetof(roof_options, launch)},
                                 {"tile", NUMBER, offsetof(roof_options, tile)},
                                 {"sparse", FLAG, offsetof(roof_options, sparse)},
                                 {"achieved", FLAG, offsetof(roof_options, achieved)},
                                 {"cold", FLAG, offsetof(roof_options, cold)},
                                 {"without", BITS, offsetof(roof_options, without)},
                                 {"warm", FLAG, offsetof(roof_options, warm)},
                                 {"unit", INTEGER, offsetof(roof_options, unit)}};
enum { FORMATS = sizeof formats / sizeof formats[0], OPTIONS = sizeof options / sizeof options[0] };

/** What is at the member, as a number. */
static double value_of(const member *m, const void *of) {
  const char *at = (const char *)of + m->offset;
  union {
    double number;
    roof_dtype format;
    bool flag;
    int integer;
    unsigned bits;
  } value = {.number = 0};
  static const size_t sizes[] = {sizeof value.number, sizeof value.format, sizeof value.flag,
                                 sizeof value.integer, sizeof value.bits};
  memcpy(&value, at, sizes[m->kind]);
  switch (m->kind) {
  case FORMAT:
    return (double)value.format;
  case FLAG:
    return value.flag;
  case INTEGER:
    return value.integer;
  case BITS:
    return value.bits;
  default:
    return value.number;
  }
}

/** An object of the members that are not as in `usual`; NULL where all are. */
static json_t *unusual(const member *list, int count, const void *of, const void *usual) {
  json_t *object = NULL;
  for (int i = 0; i < count; i++) {
    double value = value_of(&list[i], of), other = value_of(&list[i], usual);
    if (value == other || (isnan(value) && isnan(other))) {
      continue;
    }
    object = object != NULL ? object : json_object();
    rf_json_set(object, list[i].name,
                list[i].kind == FORMAT ? json_string(roof_dtype_name((roof_dtype)value))
                : list[i].kind == FLAG ? json_boolean(value != 0)
                                       : rf_json_number(value));
  }
  return object;
}

void rf_question_add(json_t *prediction, const roof_target *target) {
  const roof_types types = roof_types_of(target->types.compute);
  const roof_options usual = roof_options_default(), *o = &target->options;
  json_t *named = unusual(formats, FORMATS, &target->types, &types);
  json_t *asked = unusual(options, OPTIONS, o, &usual);
  if (o->link != NULL || o->framework != NULL) {
    asked = asked != NULL ? asked : json_object();
    rf_json_set_text(asked, "link", o->link);
    rf_json_set_text(asked, "framework", o->framework);
  }
  if (named != NULL) {
    rf_json_set(prediction, "formats", named);
  }
  if (asked != NULL) {
    rf_json_set(prediction, "options", asked);
  }
}

static void read_member(const member *m, json_t *value, void *out) {
  void *at = (char *)out + m->offset;
  double number = json_is_boolean(value) ? json_boolean_value(value) : rf_json_number_of(value);
  if (value == NULL) {
    return;
  }
  switch (m->kind) {
  case FORMAT:
    (void)roof_dtype_parse(rf_json_text_of(value), (roof_dtype *)at, NULL);
    break;
  case FLAG:
    *(bool *)at = number > 0;
    break;
  case INTEGER:
    *(int *)at = number >= 0 && number < ROOF_UNIT_COUNT ? (int)number : -1;
    break;
  case BITS:
    *(unsigned *)at = number >= 0 && number < 0x1p32 ? (unsigned)number : 0;
    break;
  default:
    *(double *)at = number;
  }
}

void rf_question_read(json_t *prediction, roof_sealing *s) {
  json_t *named = json_object_get(prediction, "formats"), *asked = json_object_get(prediction, "options");
  roof_dtype compute = ROOF_FP32;
  (void)roof_dtype_parse_scaled(s->dtype, &compute, NULL);
  s->types = roof_types_of(compute);
  s->options = roof_options_default();
  for (int i = 0; i < FORMATS; i++) {
    read_member(&formats[i], json_object_get(named, formats[i].name), &s->types);
  }
  for (int i = 0; i < OPTIONS; i++) {
    read_member(&options[i], json_object_get(asked, options[i].name), &s->options);
  }
  snprintf(s->link, sizeof s->link, "%s", rf_json_text_of(json_object_get(asked, "link")));
  snprintf(s->framework, sizeof s->framework, "%s", rf_json_text_of(json_object_get(asked, "framework")));
}
