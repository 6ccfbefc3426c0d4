/* Triton's Proton: a tree of scopes and kernels with metrics of each node alone, then what devices there
 * were. FLOPs and bytes are what the kernels' own metadata functions say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_json.h"

static const struct {
  const char *name;
  roof_dtype dtype;
  roof_unit unit;
} widths[] = {{"flops64", ROOF_FP64, ROOF_VECTOR},
              {"flops32", ROOF_FP32, ROOF_VECTOR},
              {"flops16", ROOF_FP16, ROOF_MATRIX},
              {"flops8", ROOF_FP8, ROOF_MATRIX}};

static const char overhead[] = "__proton_launch_metadata";

static int detect(const char *text, size_t size) {
  (void)size;
  bool tree = strstr(text, "\"frame\"") != NULL && strstr(text, "\"metrics\"") != NULL;
  return tree && text[strspn(text, " \t\r\n")] == '[' ? 90 : 0;
}

/** The node's own figures as a record; scopes have none. */
static roof_status take_node(roof_profile *profile, const char *name, const json_t *metrics,
                             roof_error *error) {
  double calls = rf_import_member(metrics, "count"), time = rf_import_member(metrics, "time (ns)");
  uint64_t picoseconds;
  if (!(calls >= 1 && calls < 1e15) || !rf_import_picoseconds(time * 1e-9, &picoseconds)) {
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  bool counted = false;
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    double flops = rf_import_member(metrics, widths[i].name);
    if (flops >= 0) {
      rf_import_add(&record->flops[widths[i].dtype][widths[i].unit], flops, "the kernel's metadata function",
                    ROOF_QUALITY_DERIVED);
      counted = true;
    }
  }
  if (!counted && rf_import_member(metrics, "flops") >= 0) {
    rf_import_skip(profile, name, "its `flops` are of no stated width (flops8, flops16, flops32, flops64)");
  }
  double bytes = rf_import_member(metrics, "bytes");
  if (bytes >= 0) {
    rf_import_add(&record->bytes[ROOF_MEMORY], bytes, "the kernel's metadata function", ROOF_QUALITY_DERIVED);
  } else {
    rf_import_missing(&record->bytes[ROOF_MEMORY], "no metadata function gives its bytes");
  }
  return ROOF_OK;
}

/** A node and all below it. Depth is that of the JSON, which the parser limits. */
static roof_status take_tree(roof_profile *profile, const json_t *node, const char **device,
                             roof_error *error) {
  const char *name = rf_import_member_text(json_object_get(node, "frame"), "name");
  const json_t *metrics = json_object_get(node, "metrics"), *children = json_object_get(node, "children");
  if (strcmp(name, overhead) == 0) {
    rf_import_skip(profile, overhead, "kernels that metadata functions launched: Proton's own");
    return ROOF_OK;
  }
  roof_status status = take_node(profile, name, metrics, error);
  const char *on = rf_import_member_text(metrics, "device_id");
  *device = **device == '\0' ? on : *device;
  for (size_t i = 0; i < json_array_size(children) && status == ROOF_OK; i++) {
    status = take_tree(profile, json_array_get(children, i), device, error);
  }
  return status;
}

/** The memory's peak of the device that the kernels ran on: two transfers a clock over the bus. */
static void take_device(roof_profile *profile, const char *vendor, const json_t *device) {
  double rate =
      2 * rf_import_member(device, "bus_width") / 8 * rf_import_member(device, "memory_clock_rate") * 1e3;
  roof_machine *m = rf_import_machine(profile);
  if (m == NULL || m->level_count > 0) {
    return;
  }
  snprintf(m->title, sizeof m->title, "%.20s device, architecture %.20s", vendor,
           rf_import_member_text(device, "arch"));
  if (rate > 0) {
    roof_level *level = roof_machine_add_level(m);
    snprintf(level->name, sizeof level->name, "DRAM");
    snprintf(level->source, sizeof level->source, "2 x bus_width x memory_clock_rate of the profile");
    level->level = ROOF_MEMORY;
    level->kind = ROOF_DATASHEET;
    level->instances = 1;
    level->bytes_per_second = rate;
  }
}

static roof_status take_all(roof_source *source, roof_profile *profile, const json_t *list,
                            roof_error *error) {
  const char *device = "";
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    const json_t *tree = json_array_get(list, i);
    if (json_object_get(tree, "frame") != NULL) {
      status = take_tree(profile, tree, &device, error);
    }
  }
  for (size_t i = 0; i < json_array_size(list) && status == ROOF_OK; i++) {
    const char *vendor;
    json_t *devices;
    json_object_foreach(json_array_get(list, i), vendor, devices) {
      const json_t *found = json_object_get(devices, device);
      if (json_is_object(found) && json_object_get(found, "arch") != NULL) {
        take_device(profile, vendor, found);
      }
    }
  }
  return status != ROOF_OK || profile->count > 0
             ? status
             : rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                               "no kernel with `count` and `time (ns)` in it");
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  json_t *document = NULL;
  roof_status status = rf_import_document(source, &document, error);
  if (status == ROOF_OK) {
    status = take_all(source, profile, document, error);
  }
  json_decref(document);
  return status;
}

const roof_format rf_format_proton = {
    .name = "proton",
    .title = "Triton Proton JSON (hatchet)",
    .gives = "time, FLOPs and bytes of metadata functions, the memory's peak",
    .detect = detect,
    .read = read,
};
