/* Where the time of devices went, in words. */
#include <math.h>

#include "roofline/timeline.h"
#include "roofline/units.h"

/** A share of something; one that is there is not 0. */
static void add_share(roof_text *out, double share) {
  roof_text_addf(out, share == 0 || 100 * share >= 0.05 ? "%.1f %%" : "%.1g %%", 100 * share);
}

/** One of several shares, those too small to show left out; whether it was shown. */
static bool add_part(roof_text *out, bool first, const char *before, const char *name, double share) {
  if (!(share >= 0.0005)) {
    return false;
  }
  roof_text_addf(out, "%s%s ", first ? before : ", ", name);
  add_share(out, share);
  return true;
}

static void add_idle(const roof_device_time *d, roof_text *out) {
  bool any = false;
  for (int i = 0; i < ROOF_IDLE_COUNT; i++) {
    bool shown = i != ROOF_IDLE_UNKNOWN || any; /* unknown alone says nothing */
    if (shown &&
        add_part(out, !any, "  why idle: ", roof_idle_name((roof_idle)i), d->idle[i] / d->span_seconds)) {
      any = true;
    }
  }
  roof_text_add(out, any ? "\n" : "");
}

static void add_busy(const roof_device_time *d, roof_text *out) {
  bool any = false;
  if (!(d->seconds[ROOF_ACTIVITY_COMPUTE] < d->busy_seconds) &&
      d->seconds[ROOF_ACTIVITY_COMMUNICATION] == 0 && d->seconds[ROOF_ACTIVITY_COPY] == 0) {
    return; /* it computed, and nothing else */
  }
  for (int i = 0; i < ROOF_ACTIVITY_COUNT; i++) {
    const char *name = roof_activity_name((roof_activity)i);
    if (add_part(out, !any, "  of the busy time: ", name, d->seconds[i] / d->busy_seconds)) {
      any = true;
      if (d->hidden[i] > 0 && d->seconds[i] >= 0.01 * d->busy_seconds) {
        roof_text_add(out, " (");
        add_share(out, d->hidden[i] / d->seconds[i]);
        roof_text_add(out, " hidden)");
      }
    }
  }
  roof_text_add(out, any ? "\n" : "");
}

static void add_one(const roof_device_time *d, roof_text *out) {
  char span[32];
  roof_text_addf(out, "%s: idle ", d->name[0] != '\0' ? d->name : d->label);
  add_share(out, d->idle_seconds / d->span_seconds);
  roof_text_addf(out, " of %s, busy ", roof_quantity_format(span, sizeof span, d->span_seconds, "s"));
  add_share(out, d->busy_seconds / d->span_seconds);
  roof_text_add(out, "\n");
  add_idle(d, out);
  add_busy(d, out);
}

void roof_accounting_sentence(const roof_accounting *a, roof_text *out) {
  double least = INFINITY, most = -INFINITY, longest = 0;
  size_t timed = 0, one = 0;
  char span[32];
  for (size_t i = 0; i < a->device_count; i++) {
    const roof_device_time *d = &a->devices[i];
    if (d->span_seconds > 0) {
      timed++;
      one = i;
      least = fmin(least, d->idle_seconds / d->span_seconds);
      most = fmax(most, d->idle_seconds / d->span_seconds);
      longest = fmax(longest, d->span_seconds);
    }
  }
  if (timed == 1) {
    add_one(&a->devices[one], out);
  } else if (timed > 1) {
    roof_text_addf(out, "%zu devices: idle ", timed);
    add_share(out, least);
    if (most - least >= 0.001) {
      roof_text_add(out, " to ");
      add_share(out, most);
    }
    roof_text_addf(out, " of up to %s\n", roof_quantity_format(span, sizeof span, longest, "s"));
  }
}
