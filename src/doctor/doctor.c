#include "doctor/doctor.h"

#include <stdio.h>

#include "doctor/checks.h"
#include "roofline/measure.h"

static const roof_check checks[] = {
    {"governor",
     "another governor than `performance` lowers the clock when it expects little work",
     "cpupower frequency-set -g performance",
     roof_look_governor,
     {0}},
    {"turbo",
     "the clock then depends on temperature and on how many cores work: figures drift from run to run",
     "to compare runs: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
     "/sys/devices/system/cpu/cpufreq/boost",
     roof_look_turbo,
     {0}},
    {"smt",
     "what runs on a core's other hardware thread takes its units and caches",
     "leave the siblings idle, or echo off > /sys/devices/system/cpu/smt/control",
     roof_look_smt,
     {0}},
    {"clock source",
     "a clock that is read through a device takes a microsecond a reading",
     "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, if it is available there",
     roof_look_clocksource,
     {0}},
    {"virtual machine",
     "caches and clocks may be reported wrongly, and neighbours share memory and caches",
     "measure on the machine itself, or repeat at other times and keep the best",
     roof_look_machine,
     {0}},
    {"steal",
     "the hypervisor ran somebody else while this machine had work",
     "ask for dedicated processors, or repeat",
     roof_look_steal,
     {0}},
    {"load", "others take cores, caches and memory bandwidth", "stop them or wait", roof_look_load, {0}},
    {"swap",
     "memory is short: what is measured may be the disk",
     "free memory, or swapoff -a",
     roof_look_swap,
     {0}},
    {"cpu limit",
     "the control group stops a process that has used its time, in the middle of a measurement",
     "raise cpu.max of the group (docker: --cpus)",
     roof_look_quota,
     {0}},
    {"cores allowed",
     "figures of all cores are figures of the allowed ones",
     "start without taskset or cpuset",
     roof_look_cores,
     {0}},
    {"binding",
     "a thread that moves between cores loses its caches",
     "allow sched_setaffinity in the container",
     roof_look_pinning,
     {0}},
    {"numa balancing",
     "the kernel unmaps pages to see who uses them, and moves them while they are measured",
     "echo 0 > /proc/sys/kernel/numa_balancing",
     roof_look_balancing,
     {0}},
    {"huge pages",
     "with 4 KiB pages alone, address translation lowers the memory's bandwidth",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
     roof_look_pages,
     {0}},
    {"counters",
     "without them FLOPs and bytes are what formulas say, not what was counted",
     "echo 1 > /proc/sys/kernel/perf_event_paranoid; a virtual machine needs its host's leave",
     roof_look_counters,
     {0}},
    {"energy",
     "joules stay unknown",
     "run on hardware with RAPL, as root or with energy_uj readable",
     roof_look_energy,
     {0}},
    {"OpenBLAS",
     "`run gemm-blas` shows what a library reaches",
     "apt install libopenblas0-pthread",
     roof_look_library,
     {"libopenblas.so.0"}},
    {"BLIS",
     "`run gemm-blis` shows what a library reaches",
     "apt install libblis4-pthread",
     roof_look_library,
     {"libblis.so.4", "libblis.so.3"}},
    {"oneDNN",
     "`run gemm-onednn` shows what a library reaches in bf16 and int8 too",
     "apt install libdnnl2",
     roof_look_library,
     {"libdnnl.so.3", "libdnnl.so.2"}},
    {"PAPI",
     "other tools name their counters through it",
     "apt install libpapi7.0",
     roof_look_library,
     {"libpapi.so", "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.6.0",
      "libpapi.so.5.7"}},
    {"OpenCL",
     "accelerators and processors of other makers are reached through it",
     "apt install ocl-icd-libopencl1",
     roof_look_library,
     {"libOpenCL.so.1"}},
    {"CUDA",
     "NVIDIA devices are reached through their driver",
     "install the driver where there is such a device",
     roof_look_library,
     {"libcuda.so.1"}},
};

/** A backend, which tells by itself. */
static void examine_backend(const roof_backend *backend, const char *root, roof_diagnosis *out) {
  *out = (roof_diagnosis){.name = "backend",
                          .why = "a backend that is off measures nothing; the others work without it",
                          .remedy = "see its reason"};
  if (roof_probe_captured(root, backend->name, out)) {
    return;
  }
  const char *reason = backend->disabled_reason();
  roof_diagnose(out, reason == NULL ? ROOF_HEALTH_OK : ROOF_HEALTH_WARN, backend->name, "%s",
                reason == NULL ? backend->summary : reason);
}

size_t roof_doctor_examine(const char *root, roof_diagnosis *diagnoses, size_t capacity) {
  size_t count = 0;
  for (size_t i = 0; i < sizeof checks / sizeof checks[0] && count < capacity; i++) {
    roof_diagnosis *out = &diagnoses[count++];
    *out = (roof_diagnosis){.name = checks[i].name, .why = checks[i].why, .remedy = checks[i].remedy};
    checks[i].look(&checks[i], root, out);
  }
  for (int i = 0; i < roof_backend_count() && count < capacity; i++) {
    examine_backend(roof_backend_at(i), root, &diagnoses[count++]);
  }
  return count;
}

const char *roof_health_name(roof_health health) {
  static const char *const names[] = {"unknown", "ok", "warn"};
  _Static_assert(sizeof names / sizeof names[0] == ROOF_HEALTH_COUNT, "a name a health");
  return (unsigned)health < ROOF_HEALTH_COUNT ? names[health] : "?";
}
