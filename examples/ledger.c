/* Seals a prediction, measures, records, reconciles: ./ledger cpu (the scripted machine `fake` by default) */
#include <stdio.h>
#include <stdlib.h>

#include <roofline/roofline.h>

static const char path[] = "example.ledger";
static roof_error error;

static void must(roof_status status) {
  if (status != ROOF_OK) {
    fprintf(stderr, "%s: %s\n", roof_status_text(status), error.message);
    exit(roof_status_exit_code(status));
  }
}

static void seal(const roof_machine *machine, const roof_kernel *kernel, const double *values) {
  roof_target target;
  roof_prediction prediction;
  roof_sealing sealing;
  const roof_op *op = NULL;
  roof_types types = roof_kernel_types(kernel, ROOF_FP64);
  roof_options options = roof_options_default();
  char label[ROOF_LABEL_MAX];
  must(roof_op_find(kernel->op, &op, &error));
  must(roof_target_init(&target, machine, &types, &options, &error));
  roof_predict(&target, op, values, &prediction);
  must(roof_sealing_of(&target, op, values, &prediction, &sealing, &error));
  must(
      roof_sealing_name(&sealing, roof_kernel_label(kernel, ROOF_FP64, values, label, sizeof label), &error));
  must(roof_ledger_seal(path, &sealing, 1, NULL, &error));
}

int main(int argc, char **argv) {
  const roof_backend *backend = NULL;
  const roof_kernel *triad = NULL;
  roof_machine *machine = NULL;
  roof_measurement measured = {0};
  roof_reconcile result;
  roof_measure_options how = roof_measure_options_default();
  double values[ROOF_PARAM_MAX];
  how.quick = true;
  must(roof_backend_find(argc > 1 ? argv[1] : "fake", &backend, &error));
  must(roof_kernel_find("triad", &triad, &error));
  must(roof_kernel_values(triad, roof_backend_sizes(backend, triad, true), values, &error));
  must(backend->measure(&how, &machine, &error));
  remove(path);
  seal(machine, triad, values);
  must(backend->run(triad, ROOF_FP64, values, &how, &measured, &error));
  must(roof_ledger_record(path, &measured, 1, NULL, &error));
  must(roof_ledger_reconcile(path, false, &result, &error));
  printf("%s: %.1f %% of its ceiling, %s\n", result.entries[0].label,
         100 * result.entries[0].fraction_of_ceiling, result.entries[0].verdict);
  roof_reconcile_done(&result);
  roof_measurement_done(&measured);
  roof_machine_free(machine);
  return 0;
}
