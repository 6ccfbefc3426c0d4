/* A workload, of an ONNX graph or a list of operations, on one machine: as text, JSON or rows. */
#include <stdlib.h>

#include "cli/model/model.h"

enum { SHORT = 96 };

/** The answer with what it is of. */
typedef struct shown {
  const roof_workload *w;
  const roof_machine *machine;
  const roof_workload_settings *s;
  const roof_workload_answer *a;
} shown;

/* Text. */

static void add_head(roof_text *out, const shown *v) {
  char x[SHORT];
  const roof_workload_answer *a = v->a;
  const char *title = roof_machine_title(v->machine);
  roof_text_addf(out, RF_MARK_BOLD "%s on %s: %s", v->w->name, title,
                 cli_quantity(x, a->expected_seconds, "s"));
  roof_text_addf(out, " (at best %s), %s-bound", cli_quantity(x, a->lower_seconds, "s"),
                 roof_regime_name(a->regime));
  if (v->w->batch > 0) {
    roof_text_addf(out, "; %s inputs/s at batch %.0f", cli_number(x, v->w->batch / a->expected_seconds),
                   v->w->batch);
  }
  roof_text_add(out, RF_MARK_END "\n\n");
}

static roof_status add_text(roof_text *out, const shown *v, roof_error *error) {
  roof_text_add(out, out->length > 0 ? "\n" : "");
  add_head(out, v);
  roof_workload_describe(out, v->w, v->s, v->a);
  roof_status status = cli_model_add_workload(out, v->w, v->machine, v->a, false, error);
  roof_text_add(out, v->w->note_count > 0 ? "\n" : "");
  for (int i = 0; i < v->w->note_count; i++) {
    roof_text_addf(out, "  note        %s\n", v->w->notes[i]);
  }
  return status;
}

/* The answer. */

static roof_status answer_on(const cli_args *args, const roof_workload *w, const roof_machine *machine,
                             const roof_workload_settings *s, roof_text *text, json_t *json,
                             roof_error *error) {
  roof_workload_answer a;
  roof_status status = roof_workload_answer_of(w, machine, s, &a, error);
  if (status != ROOF_OK) {
    return status;
  }
  shown v = {w, machine, s, &a};
  if (args->json) {
    rf_json_append(json, rf_workload_json(w, machine, s, &a));
  } else if (args->csv) {
    status = cli_model_add_workload(text, w, machine, &a, true, error);
  } else {
    status = add_text(text, &v, error);
  }
  roof_workload_answer_done(&a);
  return status;
}

static roof_status read_workload(const cli_args *args, char *dtype, const roof_machine *machine,
                                 roof_workload *w, roof_error *error) {
  static roof_dimensions sizes;
  const roof_op **ops = NULL;
  roof_workload_reading reading = {.floats = ROOF_DTYPE_COUNT};
  cli_args typed = *args;
  typed.formats.dtype = dtype;
  roof_status status = cli_select_types(&typed, machine, &reading.types, error);
  if (status == ROOF_OK && dtype != NULL) {
    reading.floats = reading.types.compute;
  }
  status = status == ROOF_OK ? roof_dimensions_parse(args->words + 1, args->word_count - 1, &sizes, error)
                             : status;
  reading.dimensions = sizes.list;
  reading.dimension_count = sizes.count;
  status = status == ROOF_OK ? roof_userops_list(args->userops, args->userops_count, &ops, error) : status;
  reading.ops = ops;
  status = status == ROOF_OK ? roof_workload_load(args->words[0], &reading, w, error) : status;
  free(ops);
  return status;
}

roof_status cli_model_workload(const cli_args *args, char *dtype, const char *mode, roof_text *text,
                               json_t *json, roof_error *error) {
  roof_workload w = {0};
  roof_workload_settings s = roof_workload_settings_default();
  roof_machine **machines = NULL;
  int count = 0;
  roof_status status = cli_select_options(args, &s.options, error);
  s.kernel_seconds = s.options.launch;
  status = status == ROOF_OK && mode != NULL ? roof_launch_parse(mode, &s.launch, error) : status;
  status = status == ROOF_OK ? cli_select_machines(args, &machines, &count, error) : status;
  status = status == ROOF_OK ? read_workload(args, dtype, machines[0], &w, error) : status;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = answer_on(args, &w, machines[i], &s, text, json, error);
  }
  roof_workload_done(&w);
  roof_machines_free(machines, count);
  return status;
}
