/* Shares of a time, each bound by something, on another machine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/advise.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { WORD_MAX = 256 };

/** What a part of the time waits on, by the name of the phase or of the resource. */
static const struct {
  const char *name;
  roof_regime regime;
} phases[] = {
    {"decode", ROOF_MEMORY_BOUND},     {"prefill", ROOF_COMPUTE_BOUND}, {"train", ROOF_COMPUTE_BOUND},
    {"memory", ROOF_MEMORY_BOUND},     {"compute", ROOF_COMPUTE_BOUND}, {"network", ROOF_NETWORK_BOUND},
    {"overhead", ROOF_OVERHEAD_BOUND},
};

static roof_status add_part(roof_time_mix *m, char *word, roof_error *error) {
  const char *names[sizeof phases / sizeof phases[0] + 1] = {NULL};
  char *equals = strchr(word, '=');
  double share = 0;
  if (equals == NULL || m->count == ROOF_TIME_SHARES) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: `%s`: PHASE=SHARE, at most %d of them", word,
                          ROOF_TIME_SHARES);
  }
  *equals = '\0';
  roof_status status = roof_quantity_parse_unit(equals + 1, "%", &share, error);
  if (status != ROOF_OK || !(share >= 0 && share <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: %s=%s: a share from 0 to 1", word, equals + 1);
  }
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
    names[i] = phases[i].name;
    if (strcmp(word, names[i]) == 0) {
      m->parts[m->count++] = (roof_time_share){.name = names[i], .regime = phases[i].regime, .share = share};
      return ROOF_OK;
    }
  }
  return roof_error_unknown(error, "--mix", word, names, NULL);
}

roof_status roof_time_mix_parse(const char *text, roof_time_mix *out, roof_error *error) {
  roof_time_mix made = {0}, *m = &made;
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
  if (!(fabs(sum - 1) <= 1e-6)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix %s: the shares add up to %g, not 1", text, sum);
  }
  *out = made;
  return ROOF_OK;
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

roof_status roof_time_mix_solve(roof_time_mix *m, const roof_target *from, const roof_target *to,
                                roof_error *error) {
  double time = 0;
  for (int i = 0; i < m->count; i++) {
    roof_time_share *p = &m->parts[i];
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
  for (int i = 0; i < m->count; i++) {
    m->parts[i].after = m->parts[i].share / m->parts[i].gain * m->gain;
  }
  return ROOF_OK;
}
