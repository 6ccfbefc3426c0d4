/* Types random text for the parameters of a random operation and predicts what is accepted: nothing may
 * crash, and no accepted shape may give a negative time. The first bytes choose operation, formats and
 * machine; the rest is the text of the values, one per line. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "roofline/ops.h"
#include "roofline/predict.h"
#include "roofline/units.h"

enum { CHOICES = 4, TEXT_MAX = 512 };

/** A machine that lacks what the bits of `choice` say. */
static void make_machine(roof_machine **slot, unsigned choice) {
  roof_machine_free(*slot);
  roof_machine *machine = *slot = roof_machine_new();
  for (int i = 0; i < 2; i++) {
    roof_machine_add_peak(machine);
    roof_machine_add_level(machine);
  }
  roof_machine_add_link(machine);
  machine->peaks[0].dtype = ROOF_FP32;
  machine->peaks[0].flops_per_second = 67e12;
  machine->peaks[1] = machine->peaks[0];
  machine->peaks[1].dtype = ROOF_FP16;
  machine->peaks[1].unit = ROOF_MATRIX;
  machine->peak_count = choice & 1 ? 0 : 2;
  machine->levels[0].level = ROOF_L2;
  machine->levels[0].bytes = 50e6;
  machine->levels[1].level = ROOF_MEMORY;
  machine->levels[1].bytes = 80e9;
  machine->levels[1].bytes_per_second = 3.35e12;
  machine->level_count = choice & 2 ? 0 : 2;
  machine->links[0].bytes_per_second = 450e9;
  machine->link_count = choice & 4 ? 0 : 1;
  machine->launch_seconds = choice & 8 ? NAN : 2e-6;
}

static void parse_values(const roof_op *op, char *text, double *values) {
  int count = roof_op_param_count(op), i = 0;
  for (char *line = strtok(text, "\n"); line != NULL && i < count; line = strtok(NULL, "\n"), i++) {
    roof_op_value_parse(op, i, line, &values[i], NULL);
    double quantity = 0;
    if (roof_quantity_parse(line, &quantity, NULL) == ROOF_OK && !isfinite(quantity)) {
      abort();
    }
  }
  for (; i < count; i++) {
    values[i] = isnan(values[i]) && op->params[i].same_as == NULL ? 1024 : values[i];
  }
}

static void check_prediction(const roof_prediction *p) {
  const double times[] = {p->compute_seconds,  p->memory_seconds,       p->overhead_seconds,
                          p->network_seconds,  p->lower_seconds,        p->upper_seconds,
                          p->expected_seconds, p->expected_low_seconds, p->expected_high_seconds};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    if (times[i] < 0) {
      abort();
    }
  }
  bool apart = p->work.link_bytes > 0 && p->link == NULL, stuck = p->bytes > 0 && isnan(p->memory_seconds);
  if (apart || stuck) { /* what no link carries, or no level at a known rate, is unknown */
    if (!isnan(p->lower_seconds) || !isnan(p->expected_seconds) || !isnan(p->upper_seconds)) {
      abort();
    }
    return;
  }
  const double least = 1 - 1e-9, most = 1 + 1e-9;
  if (!(p->lower_seconds <= p->upper_seconds * most) || !(p->lower_seconds * least <= p->expected_seconds) ||
      !(p->expected_low_seconds * least <= p->expected_seconds &&
        p->expected_seconds <= p->expected_high_seconds * most) ||
      roof_regime_name(p->regime)[0] == '?') {
    abort();
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return mutate_text(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < CHOICES) {
    return 0;
  }
  static roof_machine *machine = NULL;
  make_machine(&machine, data[1]);
  const roof_op *op = roof_op_at(data[0] % roof_op_count());
  roof_types types = roof_types_of((roof_dtype)(data[2] % ROOF_DTYPE_COUNT));
  types.weights = (roof_dtype)(data[3] % ROOF_DTYPE_COUNT);
  roof_options options = roof_options_default();
  options.warm = data[1] & 16;
  options.tile = data[1] & 32 ? data[3] : 0;
  char text[TEXT_MAX + 1];
  size_t length = size - CHOICES < TEXT_MAX ? size - CHOICES : TEXT_MAX;
  memcpy(text, data + CHOICES, length);
  text[length] = '\0';

  double values[ROOF_PARAM_MAX];
  roof_target target;
  roof_prediction prediction;
  roof_op_defaults(op, values);
  parse_values(op, text, values);
  if (roof_op_complete(op, values, NULL) != ROOF_OK ||
      roof_target_init(&target, machine, &types, &options, NULL) != ROOF_OK) {
    return 0;
  }
  roof_predict(&target, op, values, &prediction);
  check_prediction(&prediction);
  if (op->batch != NULL &&
      roof_predict_crossing(&target, op, values, roof_op_param_index(op, op->batch)) < 1) {
    abort();
  }
  return 0;
}
