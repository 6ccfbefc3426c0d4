/* The critical batch of a layer on a machine: cc predict.c $(pkg-config --cflags --libs roofline) */
#include <roofline/roofline.h>

#include <stdio.h>

static roof_status critical_batch(const char *name, double in, double out, double *batch, roof_error *error) {
  roof_machine *machine = NULL;
  roof_target target;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  const roof_op *linear = NULL;
  double values[ROOF_PARAM_MAX];
  roof_status status = roof_catalog_load(name, &machine, error);
  if (status == ROOF_OK) {
    status = roof_target_init(&target, machine, &types, &options, error);
  }
  if (status == ROOF_OK) {
    status = roof_op_find("linear", &linear, error);
  }
  if (status == ROOF_OK) {
    roof_op_defaults(linear, values);
    values[roof_op_param_index(linear, "in")] = in;
    values[roof_op_param_index(linear, "out")] = out;
    *batch = roof_predict_crossing(&target, linear, values, roof_op_param_index(linear, "batch"));
  }
  roof_machine_free(machine);
  return status;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "h100";
  double batch = 0;
  roof_error error = {0};
  if (critical_batch(name, 8192, 28672, &batch, &error) != ROOF_OK) {
    fprintf(stderr, "%s\n", error.message);
    return roof_status_exit_code(error.code);
  }
  printf("%s: a layer of 8192 x 28672 in fp16 is compute-bound from a batch of %.1f\n", name, batch);
  return 0;
}
