#include "region/timeline.h"

#include <inttypes.h>
#include <unistd.h>

/** ns of CLOCK_MONOTONIC */
static uint64_t nanoseconds_at(const rf_recorder *r, uint64_t ticks) {
  return r->start_nanoseconds + (uint64_t)((double)(ticks - r->start_ticks) * r->tick_seconds * 1e9);
}

/** "12.345", of thousandths */
static void add_thousandths(roof_text *out, uint64_t value) {
  roof_text_addf(out, "%" PRIu64 ".%03" PRIu64, value / 1000, value % 1000);
}

static void add_node(roof_text *out) {
  char node[256] = "";
  bool known = gethostname(node, sizeof node - 1) == 0;
  roof_text_add_json(out, known ? node : "unknown");
}

/** The one rank: where it is, and how much of it is there. */
static void add_rank(roof_text *out, const rf_recorder *r, const rf_calls_of *of) {
  const rf_region_calls *calls = &r->calls;
  roof_text_addf(out, "  \"ranks\": [{\"rank\": %s, \"node\": ", of->rank != NULL ? of->rank : "null");
  add_node(out);
  roof_text_addf(out, ", \"calls\": %zu, \"dropped\": %" PRIu64 ", \"whole_until_us\": ", calls->count,
                 calls->dropped);
  if (calls->dropped > 0) {
    add_thousandths(out, nanoseconds_at(r, calls->whole));
  } else {
    roof_text_add(out, "null");
  }
  roof_text_add(out, ", \"offset_seconds\": null, \"drift\": null, \"uncertainty_seconds\": null}],\n");
}

static void add_call(roof_text *out, const rf_recorder *r, const rf_region_call *call, const char *process) {
  uint64_t start = nanoseconds_at(r, call->start), end = nanoseconds_at(r, call->end);
  roof_text_add(out, ",\n    {\"name\": ");
  roof_text_add_json(out, call->region->name);
  roof_text_add(out, ", \"cat\": \"region\", \"ph\": \"X\", \"ts\": ");
  add_thousandths(out, start);
  roof_text_add(out, ", \"dur\": ");
  add_thousandths(out, end - start);
  roof_text_addf(out, ", \"pid\": %s, \"tid\": %" PRIu32 "}", process, call->thread);
}

void rf_calls_document(roof_text *out, const rf_recorder *r, const rf_calls_of *of) {
  const char *process = of->rank != NULL ? of->rank : "0";
  roof_text_add(out, "{\n  \"schema\": \"roofline.timeline/1\",\n  \"source\": ");
  roof_text_add_json(out, of->program);
  roof_text_addf(out, ",\n  \"taken\": \"%s\",\n  \"displayTimeUnit\": \"ns\",\n", of->taken);
  add_rank(out, r, of);
  roof_text_add(out, "  \"traceEvents\": [\n    {\"name\": \"process_name\", \"ph\": \"M\", \"pid\": ");
  roof_text_addf(out, "%s, \"args\": {\"name\": \"%s%s\"}}", process, of->rank != NULL ? "rank " : "process",
                 of->rank != NULL ? of->rank : "");
  for (size_t i = 0; i < r->calls.count; i++) {
    add_call(out, r, &r->calls.list[i], process);
  }
  roof_text_add(out, "\n  ]\n}\n");
}
