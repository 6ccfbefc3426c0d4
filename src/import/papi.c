/* PAPI's high-level output (papi_hl_output/rank_0.json): every call of a region by a thread, all numbers as
 * texts. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "import/_events.h"
#include "import/_json.h"
#include "import/_ncu.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool new = strstr(text, "\"papi_version\"") != NULL &&strstr(text, "\"threads\"") != NULL;
  bool old = strstr(text, "\"cpu in mhz\"") != NULL && strstr(text, "\"region_count\"") != NULL;
  return new ? 95 : old ? 85 : 0;
}

typedef struct reading {
  roof_profile *profile;
  const json_t *definitions;
  event_regions regions;
  bool failed;
} reading;

/** The value of an event in a region, which is an object when it was read inside the region too. */
static double value_of(const json_t *value) {
  return json_is_object(value) ? rf_import_member(value, "region_value") : rf_import_number_of(value);
}

/** "cuda:::dram__bytes:stat=sum:device=0" and "cuda:::dram__bytes.sum:device=0" as Nsight Compute calls it.
 * False for an event of anything else. */
static bool cuda_metric(const char *event, char *out, size_t size) {
  if (strncmp(event, "cuda:::", 7) != 0) {
    return false;
  }
  const char *stat = strstr(event, ":stat=");
  snprintf(out, size, "%.*s%s%.*s", (int)strcspn(event + 7, ":"), event + 7, stat != NULL ? "." : "",
           stat != NULL ? (int)strcspn(stat + 6, ":") : 0, stat != NULL ? stat + 6 : "");
  return true;
}

/** The metrics of a graphics processor in one call; false when it has none. */
static bool take_cuda(reading *r, const json_t *call, const char *name, roof_error *error) {
  ncu_launch launch;
  bool found = false;
  const char *key;
  const json_t *value;
  rf_ncu_launch_init(&launch);
  json_object_foreach((json_t *)(uintptr_t)call, key, value) {
    char metric[160];
    if (cuda_metric(key, metric, sizeof metric)) {
      double scale = strstr(metric, "__time_duration") != NULL ? 1e-9
                     : strstr(metric, ".pct") != NULL          ? 1e-2
                                                               : 1;
      rf_ncu_launch_set(&launch, metric, value_of(value) * scale);
      found = true;
    }
  }
  if (found) {
    r->failed = rf_ncu_launch_add(r->profile, &launch, name, strlen(name), error) != ROOF_OK || r->failed;
  }
  return found;
}

static bool instant(const reading *r, const char *event) {
  const json_t *definition = json_object_get(r->definitions, event);
  return strcmp(rf_import_member_text(definition, "type"), "instant") == 0;
}

static void take_events(reading *r, event_region *region, const json_t *call) {
  static const char *const own[] = {"name", "parent_region_id", "cycles", "real_time_nsec", "region_count"};
  const char *key;
  const json_t *value;
  json_object_foreach((json_t *)(uintptr_t)call, key, value) {
    bool skip = strncmp(key, "cuda:::", 7) == 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
      skip = skip || strcmp(key, own[i]) == 0;
    }
    if (!skip && instant(r, key)) {
      rf_import_skip(r->profile, key, "an instant reading, which cannot be added up");
    } else if (!skip) {
      r->failed = !rf_event_region_add(region, roof_profile_text(r->profile, key), value_of(value), NAN, 1) ||
                  r->failed;
    }
  }
}

/** Adds one entry: a call of the region `label`, or (before version 7) all of them. The threads run side by
 * side: the region's time is that of the thread that spends most in it. */
static void take_entry(reading *r, const char *label, const json_t *entry, event_regions *thread,
                       roof_error *error) {
  const char *name = roof_profile_text(r->profile, label);
  double seconds = rf_import_member(entry, "real_time_nsec") * 1e-9;
  double count = rf_import_member(entry, "region_count");
  event_region *all = rf_event_region_of(&r->regions, name), *mine = rf_event_region_of(thread, name);
  if (all == NULL || mine == NULL) {
    r->failed = true;
    return;
  }
  mine->calls += count >= 1 && count < 1e15 ? (uint64_t)count : 1;
  mine->time[0] = isnan(mine->time[0]) ? seconds : mine->time[0] + seconds;
  take_events(r, all, entry);
  if (!take_cuda(r, entry, name, error) && seconds >= 0) {
    roof_record *record = rf_import_record(r->profile, name, strlen(name));
    if (record != NULL) {
      rf_import_sample(r->profile, record, seconds);
    }
  }
}

static void take_thread(reading *r, const json_t *thread, roof_error *error) {
  event_regions own = {0};
  const json_t *regions = json_object_get(thread, "regions"), *entry;
  const char *key;
  size_t index;
  json_object_foreach((json_t *)(uintptr_t)regions, key, entry) {
    take_entry(r, rf_import_member_text(entry, "name"), entry, &own, error);
  }
  json_array_foreach(regions, index, entry) { /* before version 7: a list of {"dot": {...}} */
    const json_t *inner;
    json_object_foreach((json_t *)(uintptr_t)entry, key, inner) {
      take_entry(r, key, inner, &own, error);
    }
  }
  for (size_t i = 0; i < own.count; i++) {
    event_region *all = rf_event_region_of(&r->regions, own.list[i].name);
    if (all != NULL && (all->calls == 0 || own.list[i].time[0] > all->time[0])) {
      all->time[0] = own.list[i].time[0];
      all->calls = own.list[i].calls;
    }
  }
  rf_event_regions_done(&own);
}

static void finish(reading *r, event_region *region) {
  roof_record *record = rf_import_record(r->profile, region->name, strlen(region->name));
  bool cuda = record != NULL && record->calls > 0; /* has its kernels' own calls and time */
  bool timed = cuda && record->timed;
  uint64_t samples = record != NULL ? record->sampled : 0;
  region->calls = cuda ? 0 : region->calls;
  record = rf_event_region_settle(region, timed ? NAN : region->time[0], ROOF_FP64, r->profile);
  if (record == NULL) {
    return;
  }
  if (record->sampled > samples) { /* each call has given its own */
    record->sampled--;
    record->sample_count--;
  }
  if (!record->timed) {
    rf_import_skip(r->profile, "time", "this version of PAPI wrote none");
  }
  if (isnan(roof_record_flops(record, NULL, NULL))) {
    rf_import_missing(&record->flops[ROOF_FP64][ROOF_VECTOR], "no event that counts it was read");
  }
  rf_import_missing(&record->bytes[ROOF_MEMORY], "no event that counts it was read");
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  json_t *document = NULL, *thread;
  const char *key;
  size_t index;
  reading r = {.profile = profile};
  roof_status status = rf_import_document(source, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  r.definitions = json_object_get(document, "event_definitions");
  json_t *threads = json_object_get(document, "threads");
  json_object_foreach(threads, key, thread) {
    take_thread(&r, thread, error);
  }
  json_array_foreach(threads, index, thread) {
    take_thread(&r, thread, error);
  }
  const char *cpu = rf_import_member_text(document, "cpu_info");
  if (cpu[0] != '\0') {
    rf_import_device(profile, cpu);
  }
  for (size_t i = 0; i < r.regions.count; i++) {
    finish(&r, &r.regions.list[i]);
  }
  if (r.failed) {
    status = roof_error_set(error, ROOF_E_MEMORY, "papi: out of memory");
  } else if (r.regions.count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no region in its threads");
  }
  rf_event_regions_done(&r.regions);
  json_decref(document);
  return status;
}

const roof_format rf_format_papi = {
    .name = "papi",
    .title = "PAPI high-level JSON",
    .gives =
        "time, FLOPs by format, bytes of L2, L3 and DRAM where counted; CUDA metrics as Nsight Compute's",
    .detect = detect,
    .read = read,
};
