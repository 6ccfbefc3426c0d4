/* What changes the clock, and whether the processor is virtual. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/number.h"
#include "doctor/checks.h"
#include "host/noise.h"

enum { LINE = 256 };

#define CPU "/sys/devices/system/cpu"

void rf_check_governor(const rf_check *check, const char *root, roof_diagnosis *out) {
  (void)check;
  char pattern[4096], line[LINE], other[LINE] = "";
  glob_t found = {0};
  size_t slow = 0, known = 0;
  snprintf(pattern, sizeof pattern, "%s" CPU "/cpu[0-9]*/cpufreq/scaling_governor", root);
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      if (rf_probe_line("", found.gl_pathv[i], line, sizeof line)) {
        known++;
        if (strcmp(line, "performance") != 0) {
          slow++;
          memcpy(other, line, sizeof other);
        }
      }
    }
  }
  const char *path = CPU "/cpu*/cpufreq/scaling_governor";
  if (known == 0) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, path, "no such file: this system does not control the clock");
  } else if (slow == 0) {
    rf_diagnose(out, ROOF_HEALTH_OK, path, "performance on all %zu processors", known);
  } else {
    rf_diagnose(out, ROOF_HEALTH_WARN, path, "%s on %zu of %zu processors", other, slow, known);
  }
  globfree(&found);
}

void rf_check_turbo(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const struct {
    const char *path, *on;
  } switches[] = {{CPU "/intel_pstate/no_turbo", "0"}, {CPU "/cpufreq/boost", "1"}};
  (void)check;
  char line[LINE];
  for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
    if (rf_probe_line(root, switches[i].path, line, sizeof line)) {
      bool on = strcmp(line, switches[i].on) == 0;
      rf_diagnose(out, on ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, switches[i].path, "%s: turbo is %s", line,
                  on ? "on" : "off");
      return;
    }
  }
  rf_diagnose(out, ROOF_HEALTH_UNKNOWN, switches[0].path, "no switch for it: %s", line);
}

void rf_check_smt(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = CPU "/smt/active";
  (void)check;
  char line[LINE];
  if (!rf_probe_line(root, path, line, sizeof line)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, path, "%s", line);
  } else if (strcmp(line, "0") == 0) {
    rf_diagnose(out, ROOF_HEALTH_OK, path, "0: one hardware thread per core");
  } else {
    rf_diagnose(out, ROOF_HEALTH_WARN, path, "%s: hardware threads share cores", line);
  }
}

/** True when the text is one of the blank-separated words of `list`. */
static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

void rf_check_machine(const rf_check *check, const char *root, roof_diagnosis *out) {
  (void)check;
  char line[4096];
  if (rf_probe_key(root, "/proc/cpuinfo", "flags", line, sizeof line)) { /* x86 */
    bool guest = has_word(line, "hypervisor");
    rf_diagnose(out, guest ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/cpuinfo",
                guest ? "a virtual machine: the hypervisor flag is set" : "no hypervisor flag");
  } else if (rf_probe_line(root, "/sys/hypervisor/type", line, LINE)) {
    rf_diagnose(out, ROOF_HEALTH_WARN, "/sys/hypervisor/type", "a virtual machine: %.200s", line);
  } else {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, "/proc/cpuinfo", "no flags that show a virtual machine");
  }
}

static double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

void rf_check_steal(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const double much = 1;
  static const struct timespec moment = {.tv_nsec = 200000000};
  (void)check;
  double wanted, stolen, wanted_now, stolen_now;
  if (!rf_ticks_read(root, &wanted, &stolen)) {
    rf_diagnose(out, ROOF_HEALTH_UNKNOWN, "/proc/stat", "does not report steal time");
    return;
  }
  double share = percent(stolen, wanted), now = 0;
  if (root[0] == '\0') {
    nanosleep(&moment, NULL);
    now =
        rf_ticks_read(root, &wanted_now, &stolen_now) ? percent(stolen_now - stolen, wanted_now - wanted) : 0;
    rf_diagnose(out, share > much || now > much ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/stat",
                "%.1f %% of the time worked since the start, %.0f %% now", share, now);
  } else {
    rf_diagnose(out, share > much ? ROOF_HEALTH_WARN : ROOF_HEALTH_OK, "/proc/stat",
                "%.1f %% of the time worked since the start", share);
  }
}

void rf_check_clocksource(const rf_check *check, const char *root, roof_diagnosis *out) {
  static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  static const struct {
    const char *name;
    roof_health health;
  } sources[] = {{"tsc", ROOF_HEALTH_OK},       {"arch_sys_counter", ROOF_HEALTH_OK},
                 {"kvm-clock", ROOF_HEALTH_OK}, {"hyperv_clocksource_tsc_page", ROOF_HEALTH_OK},
                 {"hpet", ROOF_HEALTH_WARN},    {"acpi_pm", ROOF_HEALTH_WARN},
                 {"xen", ROOF_HEALTH_WARN},     {"jiffies", ROOF_HEALTH_WARN}};
  (void)check;
  char line[LINE];
  roof_health health = ROOF_HEALTH_UNKNOWN;
  bool known = rf_probe_line(root, path, line, sizeof line);
  for (size_t i = 0; known && i < sizeof sources / sizeof sources[0]; i++) {
    health = strcmp(line, sources[i].name) == 0 ? sources[i].health : health;
  }
  rf_diagnose(out, health, path, "%s", line);
}
