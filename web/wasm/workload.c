#include "web/wasm/workload.h"

#include "documents/json.h"
#include "roofline/catalog.h"
#include "roofline/graphs.h"

/** Refuses options of a model's layers where a file lists its operations. */
static roof_status check_options(const web_asked *asked, roof_error *error) {
  const struct {
    const char *name;
    bool typed;
  } of_models[] = {{"precision", asked->precision != NULL},
                   {"kv", asked->formats.kv != NULL},
                   {"fuse", asked->fuse != NULL},
                   {"lenient", asked->lenient != 0},
                   {"network", asked->network != NULL},
                   {"recompute", asked->recompute != NULL},
                   {"train", asked->train != 0},
                   {"to", asked->to != NULL},
                   {"price", asked->price != NULL}};
  for (size_t i = 0; i < sizeof of_models / sizeof of_models[0]; i++) {
    if (of_models[i].typed) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "--%s: of a model's config, not of a graph or a list of operations",
                            of_models[i].name);
    }
  }
  return ROOF_OK;
}

static roof_status load(const web_asked *asked, const roof_machine *machine, roof_workload *w,
                        roof_error *error) {
  static roof_dimensions sizes;
  roof_workload_reading reading = {.floats = ROOF_DTYPE_COUNT};
  roof_status status = roof_formats_read(&asked->formats, machine, &reading.types, error);
  if (status == ROOF_OK && asked->formats.dtype != NULL) {
    reading.floats = reading.types.compute;
  }
  status = status == ROOF_OK
               ? roof_dimensions_parse(asked->words.texts + 1, asked->words.count - 1, &sizes, error)
               : status;
  reading.dimensions = sizes.list;
  reading.dimension_count = sizes.count;
  return status == ROOF_OK ? roof_workload_load(asked->words.texts[0], &reading, w, error) : status;
}

static roof_status answer_on(const roof_workload *w, const roof_machine *machine,
                             const roof_workload_settings *settings, json_t *all, roof_error *error) {
  roof_workload_answer answer;
  roof_status status = roof_workload_answer_of(w, machine, settings, &answer, error);
  if (status == ROOF_OK) {
    rf_json_append(all, rf_workload_json(w, machine, settings, &answer));
    roof_workload_answer_done(&answer);
  }
  return status;
}

roof_status web_workload(const web_asked *asked, roof_text *out, roof_error *error) {
  roof_workload w = {0};
  roof_workload_settings settings = roof_workload_settings_default();
  roof_machine **machines = NULL;
  int count = 0;
  json_t *all = json_array();
  roof_status status = check_options(asked, error);
  status = status == ROOF_OK ? roof_options_read(&asked->options, &settings.options, error) : status;
  settings.kernel_seconds = settings.options.launch;
  status = status == ROOF_OK && asked->mode != NULL ? roof_launch_parse(asked->mode, &settings.launch, error)
                                                    : status;
  status = status == ROOF_OK ? roof_machines_load(asked->machines.texts, &machines, &count, error) : status;
  status = status == ROOF_OK ? load(asked, machines[0], &w, error) : status;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = answer_on(&w, machines[i], &settings, all, error);
  }
  status = status == ROOF_OK ? web_write_each(all, out, error) : status;
  json_decref(all);
  roof_workload_done(&w);
  roof_machines_free(machines, count);
  return status;
}
