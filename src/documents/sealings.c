/* Predictions read from documents, for the ledger. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "documents/question.h"
#include "roofline/formats.h"
#include "roofline/ops.h"
#include "roofline/sealing.h"
#include "roofline/text.h"
#include "roofline/units.h"

/** Where a number of a document goes: the member `name` of the object `section`, of the whole without one. */
static const struct number {
  const char *section, *name;
  size_t offset;
} numbers[] = {
#define NUMBER(section, name, member)                                                                        \
  { section, name, offsetof(roof_sealing, member) }
    NUMBER(NULL, "flops", flops),
    NUMBER(NULL, "bytes", bytes),
    NUMBER("seconds", "compute", compute_seconds),
    NUMBER("seconds", "memory", memory_seconds),
    NUMBER("seconds", "overhead", overhead_seconds),
    NUMBER("seconds", "network", network_seconds),
    NUMBER("seconds", "lower", lower_seconds),
    NUMBER("seconds", "upper", upper_seconds),
    NUMBER("seconds", "expected", expected_seconds),
    NUMBER("seconds", "mine", mine_seconds),
    NUMBER("seconds", "expected_low", expected_low_seconds),
    NUMBER("seconds", "expected_high", expected_high_seconds),
};

static const struct text {
  const char *name;
  size_t offset, size;
} texts[] = {
#define TEXT(name, member)                                                                                   \
  { name, offsetof(roof_sealing, member), sizeof((roof_sealing *)0)->member }
    TEXT("machine", machine),
    TEXT("machine_sha256", machine_digest),
    TEXT("device_class", device_class),
    TEXT("op", op),
    TEXT("dtype", dtype),
    TEXT("regime", regime),
    TEXT("binding", binding),
};

static const roof_ceiling no_ceiling = {NAN, NAN, NAN};

void roof_sealing_init(roof_sealing *sealing) {
  *sealing = (roof_sealing){.least_seconds = NAN, .ceilings = {no_ceiling, no_ceiling}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    *(double *)(void *)((char *)sealing + numbers[i].offset) = NAN;
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    sealing->level_bytes_per_second[i] = NAN;
  }
}

const char *roof_sealing_origin_name(roof_sealing_origin origin) {
  static const char *const names[] = {"", "predicted", "recomputed", "by hand"};
  return names[origin];
}

roof_status roof_label_check(const char *label, roof_error *error) {
  size_t length = strnlen(label, ROOF_LABEL_MAX);
  if (length == 0 || length >= ROOF_LABEL_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "label `%.40s`: must have 1 to %d bytes", label,
                          ROOF_LABEL_MAX - 1);
  }
  if (!roof_text_is_plain(label)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "label `%.40s`: is not one line of text that can be shown",
                          label);
  }
  return ROOF_OK;
}

roof_status roof_sealing_name(roof_sealing *sealing, const char *label, roof_error *error) {
  roof_status status = roof_label_check(label, error);
  if (status == ROOF_OK) {
    snprintf(sealing->label, sizeof sealing->label, "%s", label);
    sealing->named = true;
  }
  return status;
}

void roof_sealing_ask(roof_sealing *s, const roof_types *types, const roof_options *options) {
  char formats[ROOF_TYPED_MAX / 2], more[ROOF_TYPED_MAX / 2], all[ROOF_TYPED_MAX];
  size_t used = strlen(s->label);
  snprintf(all, sizeof all, "%s%s", roof_formats_words(types, true, formats, sizeof formats),
           roof_options_words(options, more, sizeof more));
  snprintf(s->typed, sizeof s->typed, "%s", all + strspn(all, " "));
  if (used > 0 && !s->named) {
    snprintf(s->label + used, sizeof s->label - used, "%s",
             roof_formats_words(types, false, formats, sizeof formats));
  }
}

/** A share, or with a unit seconds; the other is NaN. */
static roof_status read_mine(const char *text, double *share, double *seconds, roof_error *error) {
  char number[32];
  size_t length = strcspn(text, "%");
  bool percent = text[length] == '%' && text[length + 1] == '\0';
  bool plain = percent || strspn(text, "0123456789.") == strlen(text);
  roof_error why = {0};
  *share = *seconds = NAN;
  snprintf(number, sizeof number, "%.*s", percent ? (int)length : (int)strlen(text), text);
  roof_status status = roof_quantity_parse_unit(number, plain ? "" : "s", plain ? share : seconds, &why);
  *share /= percent ? 100 : 1;
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "--mine %s", why.message);
  }
  return (*share > 0 && *share <= 1) || *seconds > 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "--mine %s: a share from 0 to 1, as 70%%, or a time",
                              text);
}

roof_status roof_sealings_mine(roof_sealings *all, const char *text, roof_error *error) {
  double share, seconds;
  roof_status status = read_mine(text, &share, &seconds, error);
  if (status == ROOF_OK && isnan(share) && all->count > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "--mine %s: one time, but %zu predictions; a share goes with several", text,
                            all->count);
  }
  if (status == ROOF_OK && all->count == 1 && seconds < all->list[0].lower_seconds) {
    char least[48];
    status =
        roof_error_set(error, ROOF_E_ARGUMENT, "--mine %s: %s takes at least %s", text, all->list[0].label,
                       roof_quantity_format(least, sizeof least, all->list[0].lower_seconds, "s"));
  }
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    all->list[i].mine_seconds = isnan(share) ? seconds : all->list[i].lower_seconds / share;
  }
  return status;
}

roof_status roof_sealings_add(roof_sealings *all, const roof_sealing *one, roof_error *error) {
  if ((all->count & (all->count - 1)) == 0) {
    roof_sealing *grown = realloc(all->list, (all->count > 0 ? 2 * all->count : 1) * sizeof *grown);
    if (grown == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "seal: out of memory");
    }
    all->list = grown;
  }
  all->list[all->count++] = *one;
  return ROOF_OK;
}

void roof_sealings_done(roof_sealings *all) {
  free(all->list);
  *all = (roof_sealings){0};
}

void roof_sealings_name_machines(roof_sealings *all) {
  bool several = false;
  for (size_t i = 1; i < all->count; i++) {
    several |= strcmp(all->list[i].machine, all->list[0].machine) != 0;
  }
  for (size_t i = 0; i < all->count && several; i++) {
    roof_sealing *s = &all->list[i];
    size_t length = strlen(s->label);
    if (!s->named) {
      snprintf(s->label + length, sizeof s->label - length, " on %s", s->machine);
    }
  }
}

/** The operation as the document describes it: its parameters (ROOF_PARAM_MAX + 1 of them), with the defaults of the
 * built-in one. */
static int describe(json_t *parameters, const char *name, roof_op *op, roof_param *own, double *values) {
  const roof_op *known = NULL;
  const char *key;
  json_t *value;
  int count = 0;
  (void)roof_op_find(name, &known, NULL);
  *op = (roof_op){.name = name, .params = own};
  memset(own, 0, (ROOF_PARAM_MAX + 1) * sizeof *own);
  json_object_foreach(parameters, key, value) {
    int index = known != NULL ? roof_op_param_index(known, key) : -1;
    const char *choice = json_string_value(value);
    if (count == ROOF_PARAM_MAX) {
      break;
    }
    roof_param *param = &own[count];
    *param = index >= 0 ? known->params[index] : (roof_param){.fallback = NAN, .choices = {choice}};
    param->name = key;
    values[count] = rf_json_number_of(value);
    if (choice != NULL &&
        (index < 0 || roof_op_value_parse(op, count, choice, &values[count], NULL) != ROOF_OK)) {
      values[count] = ROOF_CHOICE_VALUE(0);
    }
    count++;
  }
  return count;
}

/** The formats and options of the document. */
static void ask(roof_sealing *s) {
  roof_options options = s->options;
  options.link = s->link[0] != '\0' ? s->link : NULL;
  options.framework = s->framework[0] != '\0' ? s->framework : NULL;
  roof_sealing_ask(s, &s->types, &options);
}

/** The parameters as text, and the label made of them where none is given. */
static roof_status read_parameters(json_t *document, roof_sealing *s, roof_error *error) {
  roof_op op;
  roof_param own[ROOF_PARAM_MAX + 1];
  double values[ROOF_PARAM_MAX];
  roof_dtype dtype;
  const char *label = json_string_value(json_object_get(document, "label"));
  describe(json_object_get(document, "parameters"), s->op, &op, own, values);
  roof_op_write_values(&op, values, s->parameters, sizeof s->parameters);
  if (label != NULL) {
    ask(s);
    return roof_sealing_name(s, label, error);
  }
  if (s->op[0] != '\0' && roof_dtype_parse_scaled(s->dtype, &dtype, NULL) == ROOF_OK) {
    roof_op_label(&op, s->op, dtype, values, s->label, sizeof s->label);
  }
  ask(s);
  return ROOF_OK;
}

static roof_ceiling ceiling_of(json_t *document, const char *basis) {
  json_t *ceiling = json_object_get(json_object_get(document, "ceilings"), basis);
  return (roof_ceiling){.seconds = rf_json_number_of(json_object_get(ceiling, "seconds")),
                        .flops_per_second = rf_json_number_of(json_object_get(ceiling, "flops_per_second")),
                        .bytes_per_second = rf_json_number_of(json_object_get(ceiling, "bytes_per_second"))};
}

static roof_status read_prediction(json_t *document, roof_sealing *s, roof_error *error) {
  roof_sealing_init(s);
  if (strcmp(rf_json_text_of(json_object_get(document, "schema")), "roofline.prediction/1") != 0) {
    return roof_error_set(error, ROOF_E_PARSE,
                          "seal: its `schema` is not roofline.prediction/1, as `predict "
                          "--json` prints it");
  }
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    snprintf((char *)s + texts[i].offset, texts[i].size, "%s",
             rf_json_text_of(json_object_get(document, texts[i].name)));
  }
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    json_t *section = numbers[i].section != NULL ? json_object_get(document, numbers[i].section) : document;
    *(double *)(void *)((char *)s + numbers[i].offset) =
        rf_json_number_of(json_object_get(section, numbers[i].name));
  }
  s->origin = ROOF_SEALING_HAND; /* until predicting it anew gives the same */
  rf_question_read(document, s);
  s->ceilings[ROOF_THEORETICAL] = ceiling_of(document, "theoretical");
  s->ceilings[ROOF_ACHIEVED] = ceiling_of(document, "achieved");
  roof_status status = read_parameters(document, s, error);
  if (status == ROOF_OK && (s->regime[0] == '\0' || s->binding[0] == '\0')) {
    status = roof_error_set(error, ROOF_E_PARSE, "%.60s: `regime` or `binding` is missing",
                            s->label[0] != '\0' ? s->label : "a prediction");
  }
  return status;
}

roof_status roof_sealings_read(roof_sealings *all, const char *text, size_t length, const char *file,
                               roof_error *error) {
  json_t *root = NULL;
  roof_status status = rf_json_read(text, length, JSON_REJECT_DUPLICATES, file, "", &root, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *many = json_object_get(root, "predictions"), *points = json_object_get(root, "points");
  json_t *list = json_is_array(root) ? root : json_is_array(many) ? many : points;
  bool single = !json_is_array(list);
  size_t count = single ? 1 : json_array_size(list);
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    roof_sealing one;
    status = read_prediction(single ? root : json_array_get(list, i), &one, error);
    status = status == ROOF_OK ? roof_sealings_add(all, &one, error) : status;
  }
  json_decref(root);
  return status;
}
