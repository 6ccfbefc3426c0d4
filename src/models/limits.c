/* What a search of plans may spend, and its load, as they are typed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/limits.h"
#include "models/step.h"
#include "roofline/choice.h"
#include "roofline/model_sweep.h"
#include "roofline/units.h"

roof_status rf_limit_parse(const char *text, const char *unit, const char *name, double *value,
                           roof_error *error) {
  roof_error why = {0};
  roof_status status = text != NULL ? roof_quantity_parse_unit(text, unit, value, &why) : ROOF_OK;
  if (status == ROOF_OK && text != NULL && !(*value > 0)) {
    status = roof_error_set(&why, ROOF_E_ARGUMENT, "`%s` is not above 0", text);
  }
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "--%s: %s", name, why.message);
}

roof_status rf_limit_ask_unit(const char *before, const char *text, double seconds, double most,
                              roof_error *error) {
  return text[strlen(text) - 1] != 's' && seconds > most
             ? roof_error_set(error, ROOF_E_ARGUMENT, "%s%s: %s s? write %sms, or %ss", before, text, text,
                              text, text)
             : ROOF_OK;
}

static roof_status parse_time(const char *text, const char *name, double most, double *value,
                              roof_error *error) {
  char option[16];
  roof_status status = rf_limit_parse(text, "s", name, value, error);
  snprintf(option, sizeof option, "--%s ", name);
  return status == ROOF_OK && text != NULL ? rf_limit_ask_unit(option, text, *value, most, error) : status;
}

roof_status rf_limit_times(const char *ttft, const char *tpot, double *ttft_seconds, double *tpot_seconds,
                           roof_error *error) {
  roof_status status = parse_time(ttft, "ttft", 60, ttft_seconds, error);
  return status == ROOF_OK ? parse_time(tpot, "tpot", 1, tpot_seconds, error) : status;
}

roof_status rf_limit_generates(const char *command, const roof_model_settings *s, roof_error *error) {
  return s->generate >= 1
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "%s: generate=%.0f: requests that generate nothing have no time per token; "
                              "`model` with it gives the time of their prompts",
                              command, s->generate);
}

/** "4/s", "240/min", "4". */
static roof_status parse_rate(const char *rate, double *value, roof_error *error) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"/min", 60}, {"/h", 3600}, {"/s", 1}};
  size_t i = 0;
  while (i < 2 && rate != NULL && strstr(rate, units[i].unit) == NULL) {
    i++;
  }
  roof_status status = rf_limit_parse(rate, units[i].unit, "rate", value, error);
  *value /= units[i].seconds;
  return status;
}

/** "90", "p99", "99.9%", "mean": as a share. */
static roof_status parse_percentile(const char *percentile, double *share, roof_error *error) {
  *share = 0.9;
  if (percentile == NULL || strcmp(percentile, "mean") == 0) {
    *share = percentile == NULL ? *share : 0;
    return ROOF_OK;
  }
  roof_status status = rf_limit_parse(percentile + (percentile[0] == 'p'), "%", "percentile", share, error);
  *share = *share > 1 ? *share / 100 : *share;
  return status != ROOF_OK || (*share >= 0.5 && *share < 1)
             ? status
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "--percentile: `%s` is not from 50 to under 100, nor mean", percentile);
}

roof_status roof_plan_limits_read(const roof_plan_limits_text *typed, roof_plan_limits *limits,
                                  roof_error *error) {
  roof_plan_limits l = {.ttft_seconds = NAN, .tpot_seconds = NAN};
  roof_status status = rf_limit_parse(typed->devices, "", "devices", &l.devices, error);
  status = status == ROOF_OK
               ? rf_limit_times(typed->ttft, typed->tpot, &l.ttft_seconds, &l.tpot_seconds, error)
               : status;
  status = status == ROOF_OK ? parse_rate(typed->rate, &l.rate, error) : status;
  status = status == ROOF_OK ? rf_limit_parse(typed->energy_price, "", "energy-price", &l.energy_price, error)
                             : status;
  status = status == ROOF_OK ? parse_percentile(typed->percentile, &l.share, error) : status;
  if (status == ROOF_OK) {
    *limits = l;
  }
  return status;
}

/** By the name that was typed: another setting means the same elsewhere. */
static roof_status check_users(const roof_model_settings *s, roof_error *error) {
  return !rf_model_typed(s, "users") || (s->batch >= 1 && s->batch <= 1e9 && s->batch == floor(s->batch))
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "users=%g: not a whole number from 1 to 1e9", s->batch);
}

roof_status roof_plan_settings_read(const roof_model *model, const char *const *words, int count,
                                    roof_model_settings *settings, roof_plan_limits *limits,
                                    roof_error *error) {
  roof_model_settings s = *settings;
  s.batch = NAN;
  s.memory_share = s.train ? s.memory_share : ROOF_ENGINE_MEMORY_SHARE;
  roof_status status = roof_model_settings_read(words, count, &s, NULL, error);
  status = status == ROOF_OK ? check_users(&s, error) : status;
  status = status == ROOF_OK ? roof_model_settings_check(model, &s, NULL, true, NULL, error) : status;
  if (status == ROOF_OK) {
    limits->users = isnan(s.batch) || s.train ? 0 : s.batch;
    s.batch = isnan(s.batch) && !s.train ? 1 : s.batch;
    *settings = s;
  }
  return status;
}
