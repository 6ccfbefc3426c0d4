/* The roofline.measurements/1 document of the regions, and their time line, written at exit. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/write.h"
#include "region/calls.h"
#include "region/recorder.h"
#include "region/timeline.h"
#include "roofline/text.h"
#include "roofline/time.h"
#include "roofline/units.h"

enum { SECONDS_DIGITS = 9, SUM_DIGITS = 15 };

int roof_region_enabled; /* defined here so that any program that marks a region also links the writer */

static pid_t owner;             /* the process that writes */
static roof_text path;          /* the file; empty if it is not asked for */
static roof_text timeline_path; /* the same */
static char began[ROOF_TIME_MAX];

static void add_number(roof_text *out, double value, int digits) {
  char buffer[32];
  if (isfinite(value)) {
    roof_text_add_bytes(out, buffer, roof_number_write(buffer, value, digits));
  } else {
    roof_text_add(out, "null");
  }
}

static bool is_counted(const rf_tally *t) {
  return t->counted_calls == t->calls;
}

/** FLOPs per call by format, as the processor counted them. */
static void add_counted_flops(roof_text *out, const rf_tally *t) {
  for (int i = 0; i < rf_counters_count(); i++) {
    roof_text_addf(out, "%s\"%s\": ", i > 0 ? ", " : "{", roof_dtype_name(rf_counters_dtype(i)));
    add_number(out, t->counted_flops[i] / (double)t->calls, SUM_DIGITS);
  }
  roof_text_add(out, "}");
}

/** FLOPs per call by format, as the program gave them; null if they were unknown for any call. */
static void add_formula_flops(roof_text *out, const rf_tally *t) {
  double sum = 0;
  for (int i = 0; i < ROOF_DTYPE_COUNT; i++) {
    sum += t->flops[i];
  }
  if (!isfinite(sum)) {
    roof_text_add(out, "null");
    return;
  }
  if (sum == 0) {
    roof_text_add(out, "{\"fp64\": 0}");
    return;
  }
  const char *separator = "{";
  for (int i = 0; i < ROOF_DTYPE_COUNT; i++) {
    if (t->flops[i] != 0) {
      roof_text_addf(out, "%s\"%s\": ", separator, roof_dtype_name((roof_dtype)i));
      add_number(out, t->flops[i] / (double)t->calls, SUM_DIGITS);
      separator = ", ";
    }
  }
  roof_text_add(out, "}");
}

static void add_bytes(roof_text *out, const rf_tally *t) {
  if (isfinite(t->bytes)) {
    roof_text_add(out, "{\"DRAM\": ");
    add_number(out, t->bytes / (double)t->calls, SUM_DIGITS);
    roof_text_add(out, "}");
  } else {
    roof_text_add(out, "null");
  }
}

static void add_samples(roof_text *out, const rf_tally *t, double tick) {
  roof_text_add(out, "[");
  for (size_t i = 0; i < rf_tally_kept(t); i++) {
    roof_text_add(out, i > 0 ? ", " : "");
    add_number(out, (double)t->samples[i] * tick, SECONDS_DIGITS);
  }
  roof_text_add(out, "]");
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/** Sorts the samples. */
static double median(rf_tally *t) {
  size_t n = rf_tally_kept(t);
  qsort(t->samples, n, sizeof t->samples[0], ascending);
  return 0.5 * ((double)t->samples[(n - 1) / 2] + (double)t->samples[n / 2]);
}

static void add_counted(roof_text *out, const rf_recorder *r, const rf_tally *t) {
  roof_text_add(out, "\"counted\": {\"flops\": \"");
  for (int i = 0; is_counted(t) && i < rf_counters_count(); i++) {
    roof_text_addf(out, "%s%s", i > 0 ? ", " : "", rf_counters_name(i));
  }
  roof_text_add(out, is_counted(t) ? "\"" : "formula\"");
  roof_text_add(out, ", \"bytes\": \"formula\", \"seconds\": \"");
  if (r->clock != NULL) {
    roof_text_addf(out, "%s at %.4g GHz", r->clock, 1e-9 / r->tick_seconds);
  } else {
    roof_text_add(out, "clock_gettime");
  }
  roof_text_add(out, ", what is nested inside included\", \"samples\": \"");
  if (rf_tally_kept(t) == t->calls) {
    roof_text_add(out, "all");
  } else {
    roof_text_addf(out, "%zu of %" PRIu64 " calls, each as likely as any other", rf_tally_kept(t), t->calls);
  }
  roof_text_add(out, "\"}");
}

static void add_kernel(roof_text *out, const rf_recorder *r, const roof_region *region) {
  rf_tally *t = region->merged;
  roof_text_add(out, "    {\"name\": ");
  roof_text_add_json(out, region->name);
  roof_text_addf(out, ", \"calls\": %" PRIu64 ", \"threads\": %" PRIu64 ",\n     \"samples\": ", t->calls,
                 t->threads);
  add_samples(out, t, r->tick_seconds);
  roof_text_add(out, ",\n     \"seconds\": ");
  add_number(out, median(t) * r->tick_seconds, SECONDS_DIGITS);
  roof_text_add(out, ", \"total_seconds\": ");
  add_number(out, (double)t->ticks * r->tick_seconds, SECONDS_DIGITS);
  roof_text_add(out, ", \"own_seconds\": ");
  add_number(out, (double)t->own * r->tick_seconds, SECONDS_DIGITS);
  roof_text_add(out, ",\n     \"flops\": ");
  if (is_counted(t)) {
    add_counted_flops(out, t);
  } else {
    add_formula_flops(out, t);
  }
  roof_text_add(out, ", \"formula_flops\": ");
  add_formula_flops(out, t);
  roof_text_add(out, ", \"bytes\": ");
  add_bytes(out, t);
  roof_text_add(out, ",\n     ");
  add_counted(out, r, t);
  roof_text_add(out, "}");
}

/** Adds one thing that was not measured. */
static void add_skipped(roof_text *out, const char *what, const char *why) {
  bool first = out->length == 0;
  roof_text_add(out, first ? "\n    {\"what\": " : ",\n    {\"what\": ");
  roof_text_add_json(out, what);
  roof_text_add(out, ", \"why\": ");
  roof_text_add_json(out, why);
  roof_text_add(out, "}");
}

/** The same for something that went wrong `count` times. */
static void add_fault(roof_text *out, const char *what, const char *why, uint64_t count) {
  char text[96];
  if (count > 0) {
    snprintf(text, sizeof text, "%s: %" PRIu64, why, count);
    add_skipped(out, what, text);
  }
}

static void add_faults(roof_text *skipped, const roof_region *region) {
  static const rf_tally none;
  const rf_tally *t = region->merged != NULL ? region->merged : &none;
  add_fault(skipped, region->name, "ended without a begin", t->unbegun);
  add_fault(skipped, region->name, "begun and never ended", t->unended);
  add_fault(skipped, region->name, "nested too deeply to be timed", t->too_deep);
  add_fault(skipped, region->name, "still open when this was written", region->open);
}

static void add_document(roof_text *out, const rf_recorder *r) {
  roof_text skipped = {0};
  roof_text_add(out, "{\n  \"schema\": \"roofline.measurements/1\",\n  \"source\": ");
  roof_text_add_json(out, program_invocation_short_name);
  roof_text_addf(
      out, ",\n  \"format\": \"region\",\n  \"machine\": \"host\",\n  \"taken\": \"%s\",\n  \"kernels\": [",
      began);
  const char *separator = "\n";
  for (const roof_region *region = r->first; region != NULL; region = region->next) {
    if (region->merged != NULL && region->merged->calls > 0) {
      roof_text_add(out, separator);
      add_kernel(out, r, region);
      separator = ",\n";
    }
    add_faults(&skipped, region);
  }
  if (r->starved) {
    add_skipped(&skipped, "regions", "out of memory: calls are missing");
  }
  if (r->uncounted != NULL) {
    add_skipped(&skipped, "counters", r->uncounted);
  }
  roof_text_add(out, "\n  ],\n  \"skipped\": [");
  roof_text_add_bytes(out, skipped.data != NULL ? skipped.data : "", skipped.length);
  roof_text_add(out, skipped.length > 0 ? "\n  ]\n}\n" : "]\n}\n");
  out->failed = out->failed || skipped.failed;
  roof_text_done(&skipped);
}

/** The rank that the launcher says this is; NULL: there is none. */
static const char *rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  const char *text = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && text == NULL; i++) {
    text = secure_getenv(names[i]);
    text = text != NULL && text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' ? text : NULL;
  }
  return text;
}

static void add_timeline(roof_text *out, const rf_recorder *r) {
  rf_calls_document(out, r, &(rf_calls_of){program_invocation_short_name, began, rank()});
}

/** Writes one of them, where it is asked for. */
static roof_status write_to(const roof_text *file, void (*add)(roof_text *out, const rf_recorder *recorder),
                            const rf_recorder *recorder, roof_error *error) {
  roof_text out = {0};
  if (file->length == 0) {
    return ROOF_OK;
  }
  add(&out, recorder);
  roof_status status = out.failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file->data)
                                  : rf_write_file(file->data, out.data, out.length, error);
  roof_text_done(&out);
  return status;
}

static roof_status write_all(const rf_recorder *recorder, roof_error *error) {
  if (recorder->first == NULL) {
    const roof_text *file = path.length > 0 ? &path : &timeline_path;
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no region was reached", file->data);
  }
  roof_status status = write_to(&path, add_document, recorder, error);
  return status == ROOF_OK ? write_to(&timeline_path, add_timeline, recorder, error) : status;
}

roof_status roof_region_write(roof_error *error) {
  if (!roof_region_enabled) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "regions: not recorded: neither ROOFLINE_REGIONS nor ROOFLINE_TIMELINE is set");
  }
  if (getpid() != owner) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "regions: the process that forked this one writes them");
  }
  return rf_recorder_visit(write_all, error);
}

/** A file's name with `%p` as the process id and `%r` as the rank, 0 where there is none. */
static void set_path(roof_text *file, const char *pattern) {
  for (const char *at = strchr(pattern, '%'); at != NULL; at = strchr(pattern, '%')) {
    roof_text_add_bytes(file, pattern, (size_t)(at - pattern));
    if (at[1] == 'p') {
      roof_text_addf(file, "%ld", (long)owner);
    } else if (at[1] == 'r') {
      roof_text_add(file, rank() != NULL ? rank() : "0");
    } else {
      roof_text_add(file, "%");
    }
    pattern = at + (at[1] == 'p' || at[1] == 'r' || at[1] == '%' ? 2 : 1);
  }
  roof_text_add(file, pattern);
}

/** How many calls the time line may have: $ROOFLINE_TIMELINE_CALLS. */
static size_t room_for_calls(void) {
  const char *text = secure_getenv("ROOFLINE_TIMELINE_CALLS");
  unsigned long room = text != NULL ? strtoul(text, NULL, 10) : 0;
  return room > 0 && room <= RF_CALLS_MOST ? room : RF_CALLS_ROOM;
}

/** Whether the variable names a file, which becomes `file`. */
static bool is_asked_for(const char *variable, roof_text *file) {
  const char *pattern = secure_getenv(variable);
  if (pattern == NULL || pattern[0] == '\0') {
    return false;
  }
  set_path(file, pattern);
  return !file->failed;
}

__attribute__((constructor)) static void start(void) {
  owner = getpid();
  bool sums = is_asked_for("ROOFLINE_REGIONS", &path),
       calls = is_asked_for("ROOFLINE_TIMELINE", &timeline_path);
  if (calls && !rf_calls_start(room_for_calls())) {
    roof_text_done(&timeline_path);
    calls = false;
  }
  if (sums || calls) {
    roof_time_write(roof_time_now(), began);
    roof_region_enabled = rf_recorder_start(secure_getenv("ROOFLINE_COUNTERS"));
  }
}

__attribute__((destructor)) static void finish(void) {
  if (roof_region_enabled) {
    roof_region_write(NULL); /* at exit there is no caller to report to; a program that needs the status calls
                                roof_region_write */
  }
}
