/* Joules of the whole processor: idle, per FLOP and per byte of memory. */
#include "measure/cpu/energy.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/number.h"
#include "host/clock.h"
#include "host/memory.h"
#include "host/probe.h"
#include "kernels/data.h"
#include "measure/cpu/cpu.h"
#include "roofline/units.h"

static const char folder[] = "/sys/class/powercap";

/** Microjoules of a zone's file as joules; NaN when it has none, and errno says why. */
static double read_joules(const char *root, const char *zone, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", zone, name);
  return 1e-6 * rf_probe_number(root, path, "");
}

static void refuse(rf_meter *meter, const char *path) {
  int why = errno;
  snprintf(meter->reason, sizeof meter->reason, "%.120s/energy_uj: %s%s", path,
           why != 0 ? strerror(why) : "no number",
           why == EACCES ? "; run as root, or as root: chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"
                         : "");
}

/** Adds a zone if it is a package or a memory zone. Other zones would be counted twice: those inside a
 * package are part of it, and the platform zone (psys) contains the packages. */
static void consider(rf_meter *meter, const char *entry) {
  char path[ROOF_SOURCE_MAX], named[1024], name[64];
  snprintf(path, sizeof path, "%s/%.64s", folder, entry);
  snprintf(named, sizeof named, "%s/name", path);
  if (strncmp(entry, "intel-rapl:", 11) != 0 || !rf_probe_line(meter->root, named, name, sizeof name)) {
    return;
  }
  bool package = strncmp(name, "package-", 8) == 0, memory = strcmp(name, "dram") == 0;
  if (!(package || memory) || meter->count == RF_ZONE_MAX) {
    return;
  }
  rf_zone zone = {.range = read_joules(meter->root, path, "max_energy_range_uj")};
  zone.last = read_joules(meter->root, path, "energy_uj");
  if (isnan(zone.last)) {
    refuse(meter, path);
    return;
  }
  snprintf(zone.path, sizeof zone.path, "%s", path);
  meter->packages += package;
  meter->memories += memory;
  meter->zones[meter->count++] = zone;
}

void rf_meter_start(rf_meter *meter, const char *root) {
  char full[1024];
  *meter = (rf_meter){.root = root};
  snprintf(full, sizeof full, "%s%s", root, folder);
  DIR *zones = opendir(full);
  for (struct dirent *entry; zones != NULL && (entry = readdir(zones)) != NULL;) {
    consider(meter, entry->d_name);
  }
  if (zones != NULL) {
    closedir(zones);
  }
  if (meter->packages == 0 && meter->reason[0] == '\0') {
    snprintf(meter->reason, sizeof meter->reason,
             "no %s/intel-rapl:0: the processor, hypervisor or kernel provides no energy counters; measure "
             "on bare metal, with the module intel_rapl_msr",
             folder);
  }
}

double rf_meter_read(rf_meter *meter) {
  for (int i = 0; i < meter->count; i++) {
    rf_zone *zone = &meter->zones[i];
    double now = read_joules(meter->root, zone->path, "energy_uj");
    meter->joules += now - zone->last + (now < zone->last ? zone->range : 0);
    zone->last = now;
  }
  return meter->reason[0] == '\0' ? meter->joules : NAN;
}

/** What is counted: "RAPL through powercap: 1 package, memory not counted". */
static char *describe(const rf_meter *meter, char *text, size_t size) {
  snprintf(text, size, "RAPL through powercap: %d package%s, memory %s", meter->packages,
           meter->packages == 1 ? "" : "s", meter->memories > 0 ? "counted" : "not counted");
  return text;
}

void rf_meter_fill(rf_meter *meter, double seconds, roof_measurement *out) {
  double watts = rf_meter_read(meter) / seconds;
  bool known = isfinite(watts) && watts > 0;
  out->watts = known ? watts : NAN;
  out->joules = out->watts * out->seconds;
  if (known) {
    describe(meter, out->power, sizeof out->power);
  } else {
    snprintf(out->power, sizeof out->power, "not measured: %.180s",
             meter->reason[0] != '\0' ? meter->reason : "the counters did not change or could not be read");
  }
}

/** A load that ran for some time: its work in FLOP or bytes, its time and its energy. */
typedef struct window {
  double work, seconds, joules;
} window;

/** Instructions or loads, the same on every core. */
typedef struct effort {
  const rf_bench *bench;
  const rf_peak_kernel_way *way;
  size_t rounds;
  size_t part, bytes; /**< of memory: each thread's part, and how much of it the thread reads repeatedly */
  char *data;
  _Alignas(64) char seeds[3 * RF_PEAK_BYTES];
} effort;

static void compute(void *user, int thread, int threads) {
  const effort *e = user;
  _Alignas(64) char result[2 * RF_PEAK_BYTES];
  (void)thread, (void)threads;
  e->way->run(e->rounds, e->seeds, result);
}

static void read_memory(void *user, int thread, int threads) {
  const effort *e = user;
  char *mine = e->data + (size_t)thread * e->part;
  (void)threads;
  e->bench->lanes->transfers[RF_LOAD][RF_AHEAD](&(rf_lanes_span){mine, mine, mine, e->part, 0, e->bytes});
}

static window watch(rf_meter *meter, effort *e, rf_team_body *body, double work) {
  int threads = e->bench->team.threads;
  double before = rf_meter_read(meter), start = rf_clock_seconds();
  rf_team_time(&e->bench->team, threads, body, e);
  double seconds = rf_clock_seconds() - start;
  return (window){work, seconds, rf_meter_read(meter) - before};
}

static window watch_idle(rf_meter *meter, double seconds) {
  struct timespec pause = {.tv_sec = (time_t)seconds};
  pause.tv_nsec = (long)(1e9 * (seconds - (double)pause.tv_sec));
  double before = rf_meter_read(meter), start = rf_clock_seconds();
  nanosleep(&pause, NULL);
  double waited = rf_clock_seconds() - start;
  return (window){0, waited, rf_meter_read(meter) - before};
}

static const rf_peak_kernel *peak_kernel_of(const roof_peak *peak) {
  const rf_peak_kernel *kernel = NULL;
  for (int i = 0; peak != NULL && (kernel = rf_peak_kernel_at(i)) != NULL; i++) {
    if (kernel->dtype == peak->dtype && kernel->available() && strcmp(kernel->isa, peak->isa) == 0) {
      return kernel;
    }
  }
  return NULL;
}

/** The fastest multiply-adds of the format on all cores, for about `seconds`. */
static window watch_flops(rf_bench *bench, rf_meter *meter, roof_dtype dtype, double seconds) {
  const roof_peak *peak = roof_machine_peak(bench->machine, dtype, ROOF_VECTOR, false, ROOF_MEASURED);
  const rf_peak_kernel *kernel = peak_kernel_of(peak);
  if (kernel == NULL) {
    return (window){NAN, NAN, NAN};
  }
  effort e = {.bench = bench, .way = rf_cpu_choose_way(bench, kernel)};
  int threads = bench->team.threads;
  double step = kernel->operations * e.way->chains;
  e.rounds = (size_t)fmax(1, peak->flops_per_second / threads * seconds / step);
  rf_peak_kernel_seeds(kernel, e.seeds);
  return watch(meter, &e, compute, threads * step * (double)e.rounds);
}

/** Loads of memory on all cores, for about `seconds`. */
static window watch_bytes(rf_bench *bench, rf_meter *meter, double seconds) {
  enum { STEP = 1024 };
  const roof_level *memory = roof_machine_memory(bench->machine, ROOF_MEASURED);
  int threads = bench->team.threads;
  double wanted = fmin(fmax(4 * rf_topology_last_cache(&bench->team.topology, threads), 0x1p28),
                       rf_memory_available("") / 4);
  effort e = {.bench = bench, .part = STEP};
  while (2 * (double)e.part * threads <= wanted) {
    e.part *= 2;
  }
  void *data = NULL;
  if (memory == NULL || isnan(memory->read_bytes_per_second) ||
      rf_data_new("energy", (double)e.part * threads, &data, NULL) != ROOF_OK) {
    return (window){NAN, NAN, NAN};
  }
  rf_data_fill(data, ROOF_FP64, e.part * (size_t)threads / sizeof(double), 1, threads);
  e.data = data;
  e.bytes = (size_t)fmax(1, memory->read_bytes_per_second / threads * seconds / STEP) * STEP;
  window w = watch(meter, &e, read_memory, threads * (double)e.bytes);
  free(data);
  return w;
}

/** Joules per unit of work, less the energy of an idle machine; NaN if the load took no more than that. */
static double over_idle(const window *w, double idle_watts) {
  double joules = (w->joules - idle_watts * w->seconds) / w->work;
  return joules > 0 ? joules : NAN;
}

static double in_all(const window *w) {
  double joules = w->joules / w->work;
  return joules > 0 ? joules : NAN;
}

void rf_cpu_measure_energy(rf_bench *bench, const char *root) {
  static const double quick_window = 0.15, whole_window = 0.6;
  double seconds = bench->options->quick ? quick_window : whole_window;
  rf_meter meter;
  rf_bench_step(bench, "energy");
  rf_meter_start(&meter, root);
  if (meter.reason[0] != '\0') {
    rf_bench_note(bench, "energy: not measured: %s", meter.reason);
    return;
  }
  window idle = watch_idle(&meter, seconds);
  window fp64 = watch_flops(bench, &meter, ROOF_FP64, seconds);
  window fp32 = watch_flops(bench, &meter, ROOF_FP32, seconds);
  window bytes = watch_bytes(bench, &meter, seconds);
  roof_energy *e = &bench->machine->energy;
  double watts = idle.joules / idle.seconds;
  e->kind = ROOF_MEASURED;
  e->idle_watts = watts > 0 ? watts : NAN;
  e->watts = fmax(fp64.joules / fp64.seconds, fp32.joules / fp32.seconds);
  e->joules_per_flop = over_idle(&fp64, watts);
  e->fp32_joules_per_flop = over_idle(&fp32, watts);
  e->joules_per_byte = over_idle(&bytes, watts);
  e->total_joules_per_flop = in_all(&fp64);
  e->total_fp32_joules_per_flop = in_all(&fp32);
  e->total_joules_per_byte = in_all(&bytes);
  char counted[96];
  memcpy(e->date, bench->machine->date, sizeof e->date);
  rf_format(e->source, sizeof e->source, "%s; windows of %g s idle, multiply-adds, reading memory, all cores",
            describe(&meter, counted, sizeof counted), seconds);
}
