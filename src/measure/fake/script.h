/** The script of the fake backend: one `key = value` a line, `#` begins a comment. */
#ifndef MEASURE_FAKE_SCRIPT_H
#define MEASURE_FAKE_SCRIPT_H

#include <stddef.h>

#include "roofline/status.h"

enum { RF_SCRIPT_TIMES = 16, RF_SCRIPT_SAMPLES = 64, RF_SCRIPT_DOMAINS = 16 };

/** Scripted samples of one kernel: `time triad = 40ms 41ms`. */
typedef struct rf_script_times {
  char kernel[64];
  double seconds[RF_SCRIPT_SAMPLES];
  size_t count;
} rf_script_times;

/** Keys and units are in the table of script.c. */
typedef struct rf_script {
  char title[96];
  double cores;
  double clock_hz;
  double fp64, fp32;               /**< FLOP/s of all cores */
  double read, triad, copy, write; /**< bytes/s of memory, all cores */
  double memory_bytes;
  double launch_seconds;
  double core_read; /**< bytes/s of memory that one core reads; this and what follows: 0 not scripted */
  double cache, cache_read; /**< bytes of the one cache, bytes/s that one core reads of it */
  double hidden;     /**< share of the shorter of both times that computing and reading hide of each other */
  double divide;     /**< divisions/s of all cores */
  double pace;       /**< rate of memory while kernels run, as a share of what was measured */
  double efficiency; /**< share of the bound that a kernel without times of its own reaches */
  double
      domains[RF_SCRIPT_DOMAINS]; /**< bytes/s that the cores of each memory domain read of it, all at once */
  int domain_count;
  rf_script_times times[RF_SCRIPT_TIMES];
  int time_count;
} rf_script;

/** Reads the built-in script, then the file that ROOFLINE_FAKE names, which overrides it.
 *  Units: s, bytes, FLOP. Ownership: writes *script on success only.
 *  Errors: ROOF_E_INPUT, ROOF_E_PARSE and ROOF_E_NAME with file and line. */
roof_status rf_script_read(rf_script *script, roof_error *error);

#endif
