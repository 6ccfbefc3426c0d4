/* The kernel describes the counters of the memory controllers in sysfs, scale and unit included (Intel's
 * uncore_imc*: Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-events). */
#include "region/uncore.h"

#include <errno.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/number.h"
#include "host/probe.h"
#include "region/events.h"

enum { PATH = 512, LINE = 128 };

/** Event names: server processors count commands, client processors count data, from Tiger Lake on under names of
 * their own (tgl_uncore_imc_events of Linux). */
static const char *const names[] = {"cas_count_read", "cas_count_write", "data_reads",
                                    "data_writes",    "data_read",       "data_write"};

/** The first line of FOLDER/NAME; false when there is none. */
static bool read_line(const char *folder, const char *name, char line[LINE]) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return rf_probe_line("", path, line, LINE);
}

/** Puts the value of `field` where FOLDER/format says, a range of bits of `config`. */
static bool place_field(const char *folder, const char *field, uint64_t value, uint64_t *config) {
  char name[LINE], line[LINE];
  int low = 0;
  snprintf(name, sizeof name, "format/%.100s", field);
  if (!read_line(folder, name, line) || sscanf(line, "config:%d", &low) != 1 || low < 0 || low > 63) {
    return false;
  }
  *config |= value << low;
  return true;
}

/** "event=0x04,umask=0x03" as a `config`. */
static bool parse_event(const char *folder, char *text, uint64_t *config) {
  char *rest = NULL;
  bool good = true;
  *config = 0;
  for (char *part = strtok_r(text, ",", &rest); part != NULL && good; part = strtok_r(NULL, ",", &rest)) {
    char *equals = strchr(part, '=');
    uint64_t value = equals != NULL ? strtoull(equals + 1, NULL, 0) : 1;
    part[strcspn(part, "=")] = '\0';
    good = place_field(folder, part, value, config);
  }
  return good;
}

/** Bytes per count: the scale times the unit, which every driver gives as MiB; NaN for another unit. */
static double parse_worth(const char *folder, const char *event) {
  char name[LINE], line[LINE];
  snprintf(name, sizeof name, "events/%s.unit", event);
  if (!read_line(folder, name, line) || strcmp(line, "MiB") != 0) {
    return NAN;
  }
  snprintf(name, sizeof name, "events/%s.scale", event);
  double scale = NAN;
  return read_line(folder, name, line) && rf_numbers_read(line, &scale, 1) == 1 ? scale * 0x1p20 : NAN;
}

/** The first and last processor of "2" or "0-3". */
static void parse_range(const char *text, int *first, int *last) {
  char *end = NULL;
  *first = *last = (int)strtol(text, &end, 10);
  if (*end == '-') {
    *last = (int)strtol(end + 1, NULL, 10);
  }
}

/** Adds `event` of one controller once per socket: `cpumask` names one processor of each. */
static void add_event(rf_uncore *uncore, const char *folder, const char *event) {
  char name[LINE], line[LINE], cpus[LINE], type[LINE], *rest = NULL;
  uint64_t config = 0;
  double bytes = parse_worth(folder, event);
  snprintf(name, sizeof name, "events/%s", event);
  if (!read_line(folder, name, line) || !(bytes > 0) || !parse_event(folder, line, &config) ||
      !read_line(folder, "type", type) || !read_line(folder, "cpumask", cpus)) {
    return;
  }
  rf_uncore_event added = {
      .type = (uint32_t)strtoul(type, NULL, 10), .config = config, .bytes = bytes, .file = -1};
  for (char *part = strtok_r(cpus, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
    int last;
    for (parse_range(part, &added.cpu, &last); added.cpu <= last && uncore->count < RF_UNCORE_MAX;
         added.cpu++) {
      uncore->events[uncore->count++] = added;
    }
  }
}

bool rf_uncore_find(const char *root, rf_uncore *uncore) {
  char pattern[PATH];
  glob_t found = {0};
  uncore->count = 0;
  snprintf(pattern, sizeof pattern, "%s/sys/bus/event_source/devices/uncore_imc*", root);
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        add_event(uncore, found.gl_pathv[i], names[k]);
      }
    }
  }
  globfree(&found);
  return uncore->count > 0;
}

const char *rf_uncore_start(rf_uncore *uncore, char *buffer, size_t size) {
  for (int i = 0; i < uncore->count; i++) {
    rf_uncore_event *e = &uncore->events[i];
    struct perf_event_attr what = {.type = e->type, .size = sizeof what, .config = e->config};
    e->file = (int)syscall(SYS_perf_event_open, &what, -1, e->cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (e->file < 0) {
      int code = errno;
      rf_uncore_stop(uncore);
      return rf_events_explain(code, buffer, size);
    }
  }
  return NULL;
}

double rf_uncore_stop(rf_uncore *uncore) {
  double bytes = 0;
  for (int i = 0; i < uncore->count; i++) {
    rf_uncore_event *e = &uncore->events[i];
    uint64_t value = 0;
    bool good = e->file >= 0 && read(e->file, &value, sizeof value) == (ssize_t)sizeof value;
    bytes += good ? (double)value * e->bytes : NAN;
    if (e->file >= 0) {
      close(e->file);
    }
    e->file = -1;
  }
  return bytes;
}
