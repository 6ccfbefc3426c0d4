/* A machine's ceilings and a predicted kernel as SVG on standard output: ./chart h100 > chart.svg */
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
  roof_target target;
  roof_prediction p;
  const roof_op *gemm = NULL;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  double values[ROOF_PARAM_MAX];
  roof_text svg = {0};
  roof_scene *scene = malloc(sizeof *scene);
  must(scene != NULL ? ROOF_OK : roof_error_set(&error, ROOF_E_MEMORY, "out of memory"));
  must(roof_catalog_load(argc > 1 ? argv[1] : "h100", &machine, &error));
  must(roof_target_init(&target, machine, &types, &options, &error));
  must(roof_op_find("gemm", &gemm, &error));
  must(roof_shape_values(gemm, "m=64 n=8192 k=8192", values, &error));
  roof_predict(&target, gemm, values, &p);
  roof_scene_init(scene);
  snprintf(scene->title, sizeof scene->title, "GEMM of 64 rows");
  must(roof_scene_add_machine(scene, machine, ROOF_FP16, &error));
  roof_scene_dot dot = {.label = "gemm m=64",
                        .intensity = p.intensity,
                        .flops_per_second = p.work.flops / p.expected_seconds,
                        .predicted = true,
                        .next = -1};
  roof_scene_add_dot(scene, &dot);
  must(roof_draw_svg(scene, 0, &svg, &error));
  fwrite(svg.data, 1, svg.length, stdout);
  roof_text_done(&svg);
  free(scene);
  roof_machine_free(machine);
  return 0;
}
