#include "roofline/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/checks.h"
#include "documents/json.h"
#include "host/papi.h"
#include "roofline/measure.h"

static const rf_check checks[] = {
    {"governor",
     "governors other than `performance` lower the clock when they expect little work",
     "cpupower frequency-set -g performance",
     rf_check_governor,
     {0}},
    {"turbo",
     "the clock then depends on temperature and on the number of busy cores: figures drift from run to run",
     "to compare runs: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
     "/sys/devices/system/cpu/cpufreq/boost",
     rf_check_turbo,
     {0}},
    {"smt",
     "work on a core's other hardware thread shares its units and caches",
     "leave the siblings idle, or echo off > /sys/devices/system/cpu/smt/control",
     rf_check_smt,
     {0}},
    {"clock source",
     "reading a clock through a device takes about a microsecond",
     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if it is available there",
     rf_check_clocksource,
     {0}},
    {"virtual machine",
     "caches and clocks may be reported wrongly, and other guests share memory and caches",
     "measure on the machine itself, or repeat at other times and keep the best",
     rf_check_machine,
     {0}},
    {"steal",
     "the hypervisor ran other guests while this machine had work",
     "ask for dedicated processors, or repeat",
     rf_check_steal,
     {0}},
    {"shared cores",
     "another hardware thread takes up to half of a core: other work, a guest's neighbour, or another "
     "processor of this guest",
     "ask for whole cores, or repeat; `run` leaves out what one thread took on a shared core",
     rf_check_sharing,
     {0}},
    {"load", "others take cores, caches and memory bandwidth", "stop them or wait", rf_check_load, {0}},
    {"swap",
     "memory is short: measurements may include disk access",
     "free memory, or swapoff -a",
     rf_check_swap,
     {0}},
    {"cpu limit",
     "a cgroup CPU quota pauses a process that has used its share, in the middle of a measurement",
     "raise cpu.max of the cgroup (docker: --cpus)",
     rf_check_quota,
     {0}},
    {"cores allowed",
     "figures of all cores are then figures of the allowed cores only",
     "start without taskset or cpuset",
     rf_check_cores,
     {0}},
    {"binding",
     "a thread that moves to another core loses its cached data",
     "allow sched_setaffinity in the container",
     rf_check_pinning,
     {0}},
    {"numa balancing",
     "the kernel unmaps pages to see which node uses them, and moves them during a measurement",
     "echo 0 > /proc/sys/kernel/numa_balancing",
     rf_check_balancing,
     {0}},
    {"huge pages",
     "with 4 KiB pages only, address translation lowers memory bandwidth",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
     rf_check_pages,
     {0}},
    {"counters",
     "without them FLOPs and bytes come from formulas, not from counters",
     "echo 1 > /proc/sys/kernel/perf_event_paranoid; a virtual machine needs its host's permission",
     rf_check_counters,
     {0}},
    {"energy",
     "energy stays unknown",
     "run on hardware with RAPL, as root or with energy_uj readable",
     rf_check_energy,
     {0}},
    {"loader",
     "without it there are no devices (CUDA, HIP, OpenCL), no libraries to compare with, no PNG, no formulas "
     "of "
     "your own (muParser) and no C++ names",
     "install the command that is linked with shared libraries",
     rf_check_loader,
     {0}},
    {"OpenBLAS",
     "needed by `run gemm-blas`, a library to compare with",
     "apt install libopenblas0-pthread",
     rf_check_library,
     {.sonames = {"libopenblas.so.0"},
      .core_setting = "OPENBLAS_CORETYPE",
      .core_name = "openblas_get_corename"}},
    {"BLIS",
     "needed by `run gemm-blis`, a library to compare with",
     "apt install libblis4-pthread",
     rf_check_library,
     {.sonames = {"libblis.so.4"}, .core_setting = "BLIS_ARCH_TYPE"}},
    {"oneDNN",
     "needed by `run gemm-onednn`, a library to compare with in bf16 and int8 too",
     "apt install libdnnl2",
     rf_check_library,
     {.sonames = {"libdnnl.so.3", "libdnnl.so.2"}}},
    {"FFTW",
     "needed by `run fft-fftw`, a library to compare with",
     "apt install libfftw3-double3 libfftw3-single3",
     rf_check_library,
     {.sonames = {"libfftw3_threads.so.3"}}},
    {"PAPI",
     "needed to count FLOPs by portable counter names",
     "apt install libpapi7.0",
     rf_check_library,
     {.sonames = {RF_PAPI_SONAMES}}},
    {"OpenCL",
     "needed to measure accelerators not made by NVIDIA",
     "apt install ocl-icd-libopencl1",
     rf_check_library,
     {.sonames = {"libOpenCL.so.1"}}},
    {"CUDA",
     "needed to measure NVIDIA devices",
     "install the driver if the machine has such a device",
     rf_check_library,
     {.sonames = {"libcuda.so.1"}}},
    {"HIP",
     "needed to measure AMD devices with HIP; OpenCL measures them too",
     "install AMD's ROCm if the machine has such a device",
     rf_check_library,
     {.sonames = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}}},
};

enum { CHECKS = sizeof checks / sizeof checks[0] };

/** A backend reports its own reason. */
static void examine_backend(const roof_backend *backend, const char *root, roof_diagnosis *out) {
  *out = (roof_diagnosis){.name = "backend",
                          .why = "a disabled backend measures nothing; the others work without it",
                          .remedy = "see its reason"};
  if (rf_probe_captured(root, backend->name, out)) {
    return;
  }
  const char *reason = backend->disabled_reason();
  rf_diagnose(out, reason == NULL ? ROOF_HEALTH_OK : ROOF_HEALTH_INFO, backend->name, "%s",
              reason == NULL ? backend->summary : reason);
}

/** Another root than this machine's needs a /proc to read. */
static roof_status check_root(const char *root, roof_error *error) {
  roof_text proc = {0};
  roof_text_addf(&proc, "%s/proc", root);
  roof_status status = proc.failed ? roof_error_set(error, ROOF_E_MEMORY, "doctor: out of memory")
                       : root[0] == '\0' || access(proc.data, R_OK | X_OK) == 0
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_INPUT, "%s: %s", proc.data, strerror(errno));
  roof_text_done(&proc);
  return status;
}

roof_status roof_doctor_examine(const char *root, roof_examination *examination, roof_error *error) {
  roof_examination e = {0};
  root = root != NULL ? root : "";
  roof_status status = check_root(root, error);
  if (status != ROOF_OK) {
    return status;
  }
  e.diagnoses = calloc(CHECKS + (size_t)roof_backend_count(), sizeof *e.diagnoses);
  if (e.diagnoses == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "doctor: out of memory");
  }
  for (size_t i = 0; i < CHECKS; i++) {
    roof_diagnosis *out = &e.diagnoses[e.count++];
    *out = (roof_diagnosis){.name = checks[i].name, .why = checks[i].why, .remedy = checks[i].remedy};
    checks[i].look(&checks[i], root, out);
  }
  for (int i = 0; i < roof_backend_count(); i++) {
    examine_backend(roof_backend_at(i), root, &e.diagnoses[e.count++]);
  }
  for (size_t i = 0; i < e.count; i++) {
    e.healths[e.diagnoses[i].health]++;
  }
  *examination = e;
  return ROOF_OK;
}

void roof_examination_done(roof_examination *examination) {
  free(examination->diagnoses);
  *examination = (roof_examination){0};
}

static json_t *diagnosis_json(const roof_diagnosis *d) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", d->name, "state", roof_health_name(d->health),
                   "path", d->path, "value", d->value, "why", d->why, "remedy", d->remedy);
}

roof_status roof_examination_write(const roof_examination *e, roof_text *out, roof_error *error) {
  json_t *list = json_array();
  for (size_t i = 0; i < e->count; i++) {
    rf_json_append(list, diagnosis_json(&e->diagnoses[i]));
  }
  return rf_json_write(json_pack("{s:s, s:i, s:i, s:i, s:i, s:o}", "schema", "roofline.doctor/1", "ok",
                                 e->healths[ROOF_HEALTH_OK], "warn", e->healths[ROOF_HEALTH_WARN], "info",
                                 e->healths[ROOF_HEALTH_INFO], "unknown", e->healths[ROOF_HEALTH_UNKNOWN],
                                 "checks", list),
                       "doctor", out, error);
}

const char *roof_health_name(roof_health health) {
  static const char *const names[] = {"unknown", "ok", "warn", "info"};
  _Static_assert(sizeof names / sizeof names[0] == ROOF_HEALTH_COUNT, "one name per health");
  return (unsigned)health < ROOF_HEALTH_COUNT ? names[health] : "?";
}

void roof_examination_sentence(const roof_examination *e, roof_text *out) {
  int warnings = e->healths[ROOF_HEALTH_WARN];
  roof_text_addf(out, "%d warning%s, %d unknown, %d info, %d ok", warnings, warnings == 1 ? "" : "s",
                 e->healths[ROOF_HEALTH_UNKNOWN], e->healths[ROOF_HEALTH_INFO], e->healths[ROOF_HEALTH_OK]);
}

void roof_examination_remedies(const roof_examination *e, roof_text *out) {
  for (size_t i = 0; i < e->count; i++) {
    const roof_diagnosis *d = &e->diagnoses[i];
    if (d->health == ROOF_HEALTH_WARN) {
      roof_text_addf(out, "\n%s: %s\n  %s\n", d->name, d->why, d->remedy);
    }
  }
}
