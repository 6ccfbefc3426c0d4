#include "doctor/doctor.h"

#include <stdio.h>

#include "doctor/checks.h"
#include "roofline/measure.h"

static const rf_check checks[] = {
    {"governor",
     "another governor than `performance` lowers the clock when it expects little work",
     "cpupower frequency-set -g performance",
     rf_check_governor,
     {0}},
    {"turbo",
     "the clock then depends on temperature and on how many cores work: figures drift from run to run",
     "to compare runs: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
     "/sys/devices/system/cpu/cpufreq/boost",
     rf_check_turbo,
     {0}},
    {"smt",
     "what runs on a core's other hardware thread takes its units and caches",
     "leave the siblings idle, or echo off > /sys/devices/system/cpu/smt/control",
     rf_check_smt,
     {0}},
    {"clock source",
     "a clock that is read through a device takes a microsecond a reading",
     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if it is available there",
     rf_check_clocksource,
     {0}},
    {"virtual machine",
     "caches and clocks may be reported wrongly, and neighbours share memory and caches",
     "measure on the machine itself, or repeat at other times and keep the best",
     rf_check_machine,
     {0}},
    {"steal",
     "the hypervisor ran somebody else while this machine had work",
     "ask for dedicated processors, or repeat",
     rf_check_steal,
     {0}},
    {"load", "others take cores, caches and memory bandwidth", "stop them or wait", rf_check_load, {0}},
    {"swap",
     "memory is short: what is measured may be the disk",
     "free memory, or swapoff -a",
     rf_check_swap,
     {0}},
    {"cpu limit",
     "the control group stops a process that has used its time, in the middle of a measurement",
     "raise cpu.max of the group (docker: --cpus)",
     rf_check_quota,
     {0}},
    {"cores allowed",
     "figures of all cores are figures of the allowed ones",
     "start without taskset or cpuset",
     rf_check_cores,
     {0}},
    {"binding",
     "a thread that moves between cores loses its caches",
     "allow sched_setaffinity in the container",
     rf_check_pinning,
     {0}},
    {"numa balancing",
     "the kernel unmaps pages to see who uses them, and moves them while they are measured",
     "echo 0 > /proc/sys/kernel/numa_balancing",
     rf_check_balancing,
     {0}},
    {"huge pages",
     "with 4 KiB pages alone, address translation lowers the memory's bandwidth",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
     rf_check_pages,
     {0}},
    {"counters",
     "without them FLOPs and bytes are what formulas say, not what was counted",
     "echo 1 > /proc/sys/kernel/perf_event_paranoid; a virtual machine needs its host's leave",
     rf_check_counters,
     {0}},
    {"energy",
     "joules stay unknown",
     "run on hardware with RAPL, as root or with energy_uj readable",
     rf_check_energy,
     {0}},
    {"OpenBLAS",
     "`run gemm-blas` shows what a library reaches",
     "apt install libopenblas0-pthread",
     rf_check_library,
     {"libopenblas.so.0"}},
    {"BLIS",
     "`run gemm-blis` shows what a library reaches",
     "apt install libblis4-pthread",
     rf_check_library,
     {"libblis.so.4", "libblis.so.3"}},
    {"oneDNN",
     "`run gemm-onednn` shows what a library reaches in bf16 and int8 too",
     "apt install libdnnl2",
     rf_check_library,
     {"libdnnl.so.3", "libdnnl.so.2"}},
    {"PAPI",
     "other tools name their counters through it",
     "apt install libpapi7.0",
     rf_check_library,
     {"libpapi.so", "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.6.0",
      "libpapi.so.5.7"}},
    {"OpenCL",
     "accelerators and processors of other makers are reached through it",
     "apt install ocl-icd-libopencl1",
     rf_check_library,
     {"libOpenCL.so.1"}},
    {"CUDA",
     "NVIDIA devices are reached through their driver",
     "install the driver where there is such a device",
     rf_check_library,
     {"libcuda.so.1"}},
};

/** A backend, which tells by itself. */
static void examine_backend(const roof_backend *backend, const char *root, rf_diagnosis *out) {
  *out = (rf_diagnosis){.name = "backend",
                        .why = "a backend that is off measures nothing; the others work without it",
                        .remedy = "see its reason"};
  if (rf_probe_captured(root, backend->name, out)) {
    return;
  }
  const char *reason = backend->disabled_reason();
  rf_diagnose(out, reason == NULL ? RF_HEALTH_OK : RF_HEALTH_WARN, backend->name, "%s",
              reason == NULL ? backend->summary : reason);
}

size_t rf_doctor_examine(const char *root, rf_diagnosis *diagnoses, size_t capacity) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0] && count < capacity; i++) {
    rf_diagnosis *out = &diagnoses[count++];
    *out = (rf_diagnosis){.name = checks[i].name, .why = checks[i].why, .remedy = checks[i].remedy};
    checks[i].look(&checks[i], root, out);
  }
  for (int i = 0; i < roof_backend_count() && count < capacity; i++) {
    examine_backend(roof_backend_at(i), root, &diagnoses[count++]);
  }
  return count;
}

const char *rf_health_name(rf_health health) {
  static const char *const names[] = {"unknown", "ok", "warn"};
  _Static_assert(sizeof names / sizeof names[0] == RF_HEALTH_COUNT, "a name a health");
  return (unsigned)health < RF_HEALTH_COUNT ? names[health] : "?";
}
