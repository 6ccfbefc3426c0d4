/* A ranking of kernels in words: what takes the time, what is lost, what was left out or recorded. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "models/words.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 48, SHOWN = 3 };

static const char *quantity(char buffer[SHORT], double value, const char *unit) {
  return roof_quantity_format(buffer, SHORT, value, unit);
}

/** The share of the time that all rows of the longest kernel's name take. */
static double longest_share(const roof_ranking *r) {
  double share = 0;
  for (size_t i = 0; i < r->count; i++) {
    bool same = r->rows[i].record->name == r->longest->record->name;
    share += same && !isnan(r->rows[i].time_share) ? r->rows[i].time_share : 0;
  }
  return share;
}

static void add_kernels(const roof_profile *profile, const roof_ranking *r, bool device, roof_text *out) {
  char seconds[SHORT];
  roof_text_add(out, device && profile->truncated ? "truncated file: " : "");
  size_t kernels = r->kernels > 0 ? r->kernels : r->count;
  const char *what = profile->count > 0 && profile->records[0].run != NULL ? "run" : "kernel";
  roof_text_addf(out, "%zu %s%s", kernels, what, kernels == 1 ? "" : "s");
  if (!isnan(r->seconds)) {
    roof_text_addf(out, ", %s", r->seconds > 0 ? quantity(seconds, r->seconds, "s") : "no times");
  }
  if (device && profile->device[0] != '\0') {
    roof_text_addf(out, " on %s", profile->device);
  }
  if (isnan(r->seconds)) {
    roof_text_add(out, ": their times are not added up, as a region may lie in another");
  } else if (kernels > 1 && r->longest != NULL) {
    roof_text_addf(out, ", %.0f %% of it in %s", 100 * longest_share(r), r->longest->shown);
  }
}

void roof_ranking_time(const roof_profile *profile, const roof_ranking *r, roof_text *out) {
  char seconds[SHORT];
  double idle = roof_profile_fact(profile, "idle_share");
  add_kernels(profile, r, true, out);
  if (!isnan(idle)) {
    roof_text_addf(out, "; idle %.1f %% of %s", 100 * idle,
                   quantity(seconds, roof_profile_fact(profile, "span_seconds"), "s"));
  }
}

/** Why exchanges are not judged that no link of the machine carries, of the one that takes longest. */
static void add_apart(const roof_ranking *r, roof_text *out) {
  for (size_t i = 0; i < r->count; i++) {
    const roof_ranked_record *row = &r->rows[i];
    bool exchange = row->record->link_ranks > 1 && row->record->link_bytes.value > 0;
    if (exchange && isnan(row->at.share) && row->at.seconds > 0) {
      roof_text_addf(out, "  %s: %s\n", row->shown, row->at.why);
      return;
    }
  }
}

static void add_time(roof_text *out, const char *name, double value) {
  char seconds[SHORT];
  if (value > 0) {
    roof_text_addf(out, ", %s %s", name, quantity(seconds, value, "s"));
  }
}

/** The only run of a service with the times of its requests; NULL: the file is of something else, or of several. */
static const roof_served *service_of(const roof_profile *profile) {
  const roof_served *run = profile->count == 1 ? profile->records[0].run : NULL;
  return run != NULL && run->model[0] != '\0' && strncmp(run->settings, "batch=", strlen("batch=")) == 0 &&
                 (run->seconds[ROOF_SERVED_TTFT] > 0 || run->seconds[ROOF_SERVED_TPOT] > 0)
             ? run
             : NULL;
}

/** What a service's requests saw, and how it is compared. */
static void add_service(const roof_profile *profile, const roof_served *run, roof_text *out) {
  int digits = (int)strcspn(run->settings, " ") - (int)strlen("batch=");
  const char *batch = run->settings + strlen("batch="), *rest = batch + digits;
  double rate = roof_profile_fact(profile, "output_tokens_per_second");
  char x[SHORT];
  roof_text_addf(out, "%s: %.*s request%s at once", run->model, digits, batch,
                 strncmp(batch, "1 ", 2) == 0 ? "" : "s");
  if (rate > 0) {
    roof_text_addf(out, ", %s tokens/s", rf_plain_number(x, SHORT, rate));
  }
  add_time(out, "TTFT", run->seconds[ROOF_SERVED_TTFT]);
  add_time(out, "TPOT", run->seconds[ROOF_SERVED_TPOT]);
  roof_text_addf(
      out,
      "\n  with its queue: `roofline serve %s --concurrency %.*s%s --machine NAME`\n"
      "  sealed before a run: `roofline model %s %s --machine NAME --seal`, then `roofline record FILE` "
      "and `roofline reconcile`",
      run->model, digits, batch, rest, run->model, run->settings);
}

/** Devices of other names, whose kernels stand among those of the first. */
static void add_other_devices(const roof_profile *profile, roof_text *out) {
  for (size_t i = 0; i < profile->fact_count; i++) {
    if (strcmp(profile->facts[i].name, IMPORT_ANOTHER_DEVICE) == 0) {
      roof_text_addf(out, "kernels of several devices, %s among them, are judged by the same ceilings\n",
                     profile->facts[i].text);
    }
  }
}

void roof_ranking_sentence(const roof_profile *profile, const roof_ranking *r, const roof_machine *machine,
                           roof_text *out) {
  char lost[SHORT];
  const roof_served *service = service_of(profile);
  if (service != NULL) {
    add_service(profile, service, out);
  } else if (profile->timeline != NULL) { /* roof_accounting_sentence says of the device */
    add_kernels(profile, r, false, out);
  } else {
    roof_ranking_time(profile, r, out);
  }
  roof_text_add(out, "\n");
  if (machine == NULL) {
    roof_text_add(out, service == NULL ? "no ceilings: name a machine with --machine\n" : "");
    return;
  }
  double judged = r->judged_seconds / r->seconds;
  if (judged < 0.995) {
    roof_text_addf(out, judged >= 0.1 ? "%.0f" : "%.2g", 100 * judged);
    roof_text_addf(out, " %% of the time can be judged on %s: the rest was not counted, or in part\n",
                   machine->name);
    add_apart(r, out);
  }
  if (r->worst != NULL && isnan(r->lost_seconds)) {
    roof_text_addf(out, "most time lost against the ceilings of %s in %s: %s\n", machine->name,
                   r->worst->shown, quantity(lost, r->worst->at.lost_seconds, "s"));
  } else if (r->worst != NULL) {
    roof_text_addf(out, "%s (%.0f %% of it) lost against the ceilings of %s, most in %s\n",
                   quantity(lost, r->lost_seconds, "s"), 100 * r->lost_seconds / r->seconds, machine->name,
                   r->worst->shown);
  } else {
    roof_text_addf(out, "ceilings: %s\n", machine->name);
  }
  add_other_devices(profile, out);
}

void roof_profile_remarks(const roof_profile *profile, roof_text *out) {
  char line[160];
  for (size_t i = 0; i < profile->fact_count; i++) {
    bool accounted = profile->timeline != NULL && rf_import_is_time_fact(&profile->facts[i]);
    if (accounted || strcmp(profile->facts[i].name, IMPORT_CAPABILITY) == 0) {
      continue; /* roof_accounting_sentence says it; the other is said where it is not the machine's */
    }
    roof_text_addf(out, "  %s\n", roof_fact_sentence(&profile->facts[i], line, sizeof line));
  }
  for (size_t i = 0; i < profile->skip_count && i < SHOWN; i++) {
    const roof_skip *s = &profile->skips[i];
    roof_text_addf(out, "  left out: %s: %s", s->what, s->why);
    if (s->times > 1) {
      roof_text_addf(out, " (%llu times)", (unsigned long long)s->times);
    }
    roof_text_add(out, "\n");
  }
  if (profile->skip_count > SHOWN) {
    roof_text_addf(out, "  and %zu more left out, all in --json\n", profile->skip_count - SHOWN);
  }
}

void roof_recorded_remarks(const roof_ranking *r, const roof_recorded *recorded, roof_text *out) {
  size_t left_out = 0;
  for (size_t i = 0; i < r->count; i++) {
    if (recorded->why[i] == NULL) {
      roof_text_addf(out, "recorded `%s` in %s\n", r->rows[i].record->name, recorded->ledger);
    }
  }
  for (size_t i = 0; i < r->count; i++) {
    if (recorded->why[i] != NULL && left_out++ < SHOWN) {
      roof_text_addf(out, "  not recorded: %.60s: %s\n", r->rows[i].record->name, recorded->why[i]);
    }
  }
  if (left_out > SHOWN) {
    roof_text_addf(out, "  and %zu more that are not recorded\n", left_out - SHOWN);
  }
}
