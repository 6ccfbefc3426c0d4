/* Whether something shares the cores: how wide they are, one at a time and two at once. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/stats.h"
#include "doctor/checks.h"
#include "host/clock.h"
#include "measure/team.h"

enum { LOOKS = RF_SHARING_LOOKS };

static const char what[] = "additions per cycle";

/** LOOKS widths of each thread that looks, at once. */
static void look(void *widths, int thread, int threads) {
  double *own = (double *)widths + (ptrdiff_t)thread * LOOKS;
  (void)threads;
  for (int i = 0; i < LOOKS; i++) {
    own[i] = rf_clock_width();
  }
}

/** The widest that one core was, of widths that it sorts. */
static double widest_of(double *widths) {
  rf_stats_sort(widths, LOOKS);
  return widths[LOOKS - RF_CLOCK_LOOKS];
}

/** How often that many widths were those of a whole core, in percent. */
static double whole_percent(const double *widths, int count, double widest) {
  int whole = 0;
  for (int i = 0; i < count; i++) {
    whole += widths[i] >= RF_CLOCK_WHOLE * widest;
  }
  return round(100.0 * whole / count);
}

void rf_sharing_judge(double *widths, bool several, roof_diagnosis *out) {
  static const double enough = 90;
  double *both = widths + LOOKS, one, two = 100, widest = widest_of(widths);
  if (several) {
    widest = fmax(widest, fmax(widest_of(both), widest_of(both + LOOKS)));
    two = whole_percent(both, 2 * LOOKS, widest);
  }
  one = whole_percent(widths, LOOKS, widest);
  rf_diagnose(out, one >= enough && two >= enough ? ROOF_HEALTH_OK : ROOF_HEALTH_WARN, what,
              several ? "one core was whole %.0f %% of the time, two at once %.0f %%"
                      : "the core was whole %.0f %% of the time",
              one, two);
}

/** One core of the team is looked at, then two. */
static void examine(const rf_team *team, double *widths, roof_diagnosis *out) {
  bool several = team->threads > 1;
  rf_team_time(team, 1, look, widths);
  if (several) {
    rf_team_time(team, 2, look, widths + LOOKS);
  }
  rf_sharing_judge(widths, several, out);
}

void rf_check_sharing(const rf_check *check, const char *root, roof_diagnosis *out) {
  rf_team team;
  roof_error error;
  (void)check;
  if (rf_probe_captured(root, what, out)) {
    return;
  }
  double *widths = isnan(rf_clock_width()) ? NULL : calloc(3 * LOOKS, sizeof *widths);
  if (widths == NULL) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, what, "this processor has no probe for it");
  } else if (rf_team_init(&team, 0, &error) != ROOF_OK) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, what, "%s", error.message);
  } else {
    examine(&team, widths, out);
    rf_team_done(&team);
  }
  free(widths);
}
