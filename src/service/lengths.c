/* The tokens of a request: distributions by name, and how requests arrive. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/units.h"
#include "service/source.h"

static const struct {
  const char *name, *form;
} kinds[] = {
#define ROW(symbol, name, form) {name, form},
    ROOF_LENGTHS_MAP(ROW)
#undef ROW
};

double roof_lengths_mean(const roof_lengths *l) {
  return l->kind == ROOF_LENGTHS_UNIFORM ? (l->mean + l->other) / 2 : l->mean;
}

char *roof_lengths_text(const roof_lengths *l, char *buffer, size_t size) {
  const char *name = (unsigned)l->kind < ROOF_LENGTHS_COUNT ? kinds[l->kind].name : "?";
  if (l->kind == ROOF_LENGTHS_CONSTANT) {
    rf_format(buffer, size, "%.0f", l->mean);
  } else if (l->kind == ROOF_LENGTHS_EXPONENTIAL) {
    rf_format(buffer, size, "%s:%.10g", name, l->mean);
  } else {
    rf_format(buffer, size, "%s:%.10g:%.10g", name, l->mean, l->other);
  }
  return buffer;
}

static roof_status find_kind(const char *text, size_t length, roof_lengths_kind *kind, roof_error *error) {
  const char *names[ROOF_LENGTHS_COUNT + 1] = {NULL};
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
  for (int i = 0; i < ROOF_LENGTHS_COUNT; i++) {
    names[i] = kinds[i].name;
    if (strcmp(name, names[i]) == 0) {
      *kind = (roof_lengths_kind)i;
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "lengths", name, names, NULL);
}

/** The numbers after the name, with colons between them. */
static roof_status read_numbers(const char *text, roof_lengths *l, roof_error *error) {
  char first[32], more[32] = "";
  size_t length = strcspn(text, ":");
  int wanted = l->kind == ROOF_LENGTHS_UNIFORM || l->kind == ROOF_LENGTHS_LOGNORMAL ? 2 : 1;
  bool second = text[length] == ':';
  if (length >= sizeof first || strlen(text) - length >= sizeof more || second != (wanted == 2)) {
    return roof_error_set(error, ROOF_E_PARSE, "lengths `%.40s`: written as %s", text, kinds[l->kind].form);
  }
  snprintf(first, sizeof first, "%.*s", (int)length, text);
  snprintf(more, sizeof more, "%s", second ? text + length + 1 : "");
  roof_status status = roof_quantity_parse_unit(first, "", &l->mean, error);
  return status == ROOF_OK && second ? roof_quantity_parse_unit(more, "", &l->other, error) : status;
}

roof_status roof_lengths_parse(const char *text, roof_lengths *lengths, roof_error *error) {
  roof_lengths l = {.kind = ROOF_LENGTHS_CONSTANT};
  const char *numbers = text, *colon = strchr(text, ':');
  roof_status status = ROOF_OK;
  if (colon != NULL || !(text[0] >= '0' && text[0] <= '9')) {
    status = find_kind(text, strcspn(text, ":"), &l.kind, error);
    numbers = colon != NULL ? colon + 1 : "";
  }
  status = status == ROOF_OK ? read_numbers(numbers, &l, error) : status;
  bool wide = l.kind == ROOF_LENGTHS_UNIFORM;
  if (status == ROOF_OK && !(l.mean >= 1 && l.mean <= 1e8 && l.other >= 0 && l.other <= (wide ? 1e8 : 5) &&
                             (!wide || l.other >= l.mean))) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "lengths `%.40s`: from 1 to 1e8%s", text,
                            wide                               ? ", the lowest first"
                            : l.kind == ROOF_LENGTHS_LOGNORMAL ? ", sigma up to 5"
                                                               : "");
  }
  if (status == ROOF_OK) {
    *lengths = l;
  }
  return status;
}

double rf_lengths_draw(const roof_lengths *l, service_random *random) {
  double tokens = l->mean;
  if (l->kind == ROOF_LENGTHS_UNIFORM) {
    tokens = l->mean + floor(rf_random_share(random) * (l->other - l->mean + 1) - 0x1p-40);
  } else if (l->kind == ROOF_LENGTHS_EXPONENTIAL) {
    tokens = l->mean * rf_random_exponential(random);
  } else if (l->kind == ROOF_LENGTHS_LOGNORMAL) {
    tokens = l->mean * rf_random_exp(l->other * rf_random_normal(random) - l->other * l->other / 2);
  }
  return fmax(1, floor(tokens + 0.5));
}
