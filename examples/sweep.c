/* Predicts a sweep, one line per point: ./sweep 'm=1..4096*4 n=8192 k=8192' */
#include <stdio.h>
#include <stdlib.h>

#include <roofline/roofline.h>

static roof_error error;

static void must(roof_status status) {
  if (status != ROOF_OK) {
    fprintf(stderr, "%s: %s\n", roof_status_text(status), error.message);
    exit(roof_status_exit_code(status));
  }
}

int main(int argc, char **argv) {
  roof_machine *machine = NULL;
  roof_target target; /* points into the machine */
  roof_shape shape;
  const roof_op *gemm = NULL;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  must(roof_catalog_load("h100", &machine, &error));
  must(roof_target_init(&target, machine, &types, &options, &error));
  must(roof_op_find("gemm", &gemm, &error));
  must(roof_shape_parse_text(&shape, gemm, argc > 1 ? argv[1] : "m=1..4096*4 n=8192 k=8192", &error));
  for (size_t i = 0; i < shape.points; i++) {
    double values[ROOF_PARAM_MAX];
    roof_prediction p;
    char time[32], rate[32];
    must(roof_shape_point(&shape, i, values, &error));
    roof_predict(&target, shape.op, values, &p);
    printf("m=%-5g %8s %16s  %s\n", values[roof_op_param_index(gemm, "m")],
           roof_quantity_format(time, sizeof time, p.expected_seconds, "s"),
           roof_quantity_format(rate, sizeof rate, p.work.flops / p.expected_seconds, "FLOP/s"),
           roof_regime_name(p.regime));
  }
  roof_shape_done(&shape);
  roof_machine_free(machine);
  return 0;
}
