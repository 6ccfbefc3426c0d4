/* The columns of the roofline of energy: a FLOP of each format, a byte from each level, the points of an operation. */
#include <math.h>

#include "cli/energy/energy.h"

static const char *flop_dtype(const void *row, char *scratch) {
  (void)scratch;
  return roof_dtype_name(((const roof_energy_flop *)row)->peak->dtype);
}

static const char *flop_unit(const void *row, char *scratch) {
  (void)scratch;
  return roof_unit_name(((const roof_energy_flop *)row)->peak->unit);
}

static const char *flop_name(const void *row, char *scratch) {
  snprintf(scratch, CLI_SCRATCH, "%s %s", flop_dtype(row, NULL), flop_unit(row, NULL));
  return scratch;
}

static const cli_column flop_columns[] = {
    {.key = "dtype", .text = flop_dtype},
    {.key = "unit", .text = flop_unit},
    {NULL, "a FLOP of", .text = flop_name},
    {"flops_per_second", "peak", "FLOP/s", CLI_FIELD(NUMBER, roof_energy_flop, flops_per_second)},
    {"joules", "joules", "J", CLI_FIELD(NUMBER, roof_energy_flop, joules)},
    {"effective_joules", "with constant power", "J", CLI_FIELD(NUMBER, roof_energy_flop, effective_joules)},
    {"flops_per_joule", "GFLOP/s per watt", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, roof_energy_flop, flops_per_joule)},
    {0}};

static const char *byte_level(const void *row, char *scratch) {
  (void)scratch;
  return ((const roof_energy_byte *)row)->level->name;
}

static const cli_column byte_columns[] = {
    {"level", "a byte from", .text = byte_level},
    {"bytes_per_second", "bandwidth", "B/s", CLI_FIELD(NUMBER, roof_energy_byte, bytes_per_second)},
    {"joules", "joules", "J", CLI_FIELD(NUMBER, roof_energy_byte, joules)},
    {"effective_joules", "with constant power", "J", CLI_FIELD(NUMBER, roof_energy_byte, effective_joules)},
    {0}};

cli_rows cli_energy_flops(const roof_energy_subject *s, roof_energy_flop flops[CLI_ENERGY_FLOPS]) {
  size_t count = 0;
  while (count < CLI_ENERGY_FLOPS && roof_energy_subject_flop(s, (int)count, &flops[count])) {
    count++;
  }
  return CLI_ROWS(flop_columns, flops, count);
}

cli_rows cli_energy_bytes(const roof_energy_subject *s, roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT]) {
  size_t count = 0;
  while (count < ROOF_LEVEL_KIND_COUNT && roof_energy_byte_at(&s->target, (int)count, &bytes[count])) {
    count++;
  }
  return CLI_ROWS(byte_columns, bytes, count);
}

static const char *point_op(const void *row, char *scratch) {
  (void)scratch;
  return ((const cli_energy_point *)row)->subject->shape->op->name;
}

static const char *point_bound(const void *row, char *scratch) {
  const cli_energy_point *p = row;
  (void)scratch;
  return p->prediction.work.flops > 0 ? roof_energy_bound(&p->subject->line, p->prediction.intensity) : NULL;
}

/* The text's first column, the label, is headed by the operation. */
const cli_column cli_energy_points[] = {
    {.key = "op", .text = point_op},
    {"label", "", CLI_FIELD(NAME, cli_energy_point, label)},
    {.key = "flops", CLI_FIELD(NUMBER, cli_energy_point, prediction.work.flops)},
    {.key = "bytes", CLI_FIELD(NUMBER, cli_energy_point, prediction.bytes)},
    {.key = "intensity", CLI_FIELD(NUMBER, cli_energy_point, prediction.intensity)},
    {NULL, "FLOP/B", .digits = 4, CLI_FIELD(NUMBER, cli_energy_point, counted_intensity)},
    {.key = "joules.flops", CLI_FIELD(NUMBER, cli_energy_point, use.flop_joules)},
    {.key = "joules.bytes", CLI_FIELD(NUMBER, cli_energy_point, use.byte_joules)},
    {.key = "joules.constant", CLI_FIELD(NUMBER, cli_energy_point, use.constant_joules)},
    {"joules.lower", "times hide", "J", CLI_FIELD(NUMBER, cli_energy_point, use.lower_joules)},
    {"joules.upper", "times add", "J", CLI_FIELD(NUMBER, cli_energy_point, use.upper_joules)},
    {"joules.expected", "expected", "J", CLI_FIELD(NUMBER, cli_energy_point, use.expected_joules)},
    {"watts", "power", "W", CLI_FIELD(NUMBER, cli_energy_point, use.watts)},
    {"flops_per_joule", "GFLOP/s per watt", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, cli_energy_point, flops_per_joule)},
    {.key = "best_flops_per_joule", CLI_FIELD(NUMBER, cli_energy_point, best_flops_per_joule)},
    {"bound", "most of it", .none = "bytes", .text = point_bound},
    {0}};

roof_status cli_energy_point_at(const roof_energy_subject *s, size_t index, cli_energy_point *p,
                                roof_error *error) {
  roof_status status = roof_energy_point(s, index, &p->prediction, &p->use, error);
  bool counted = p->prediction.work.flops > 0;
  if (status == ROOF_OK) {
    p->subject = s;
    roof_energy_point_name(s, index, p->label, sizeof p->label);
    p->counted_intensity = counted ? p->prediction.intensity : NAN;
    p->flops_per_joule = counted ? p->use.flops_per_joule : NAN;
    p->best_flops_per_joule = counted ? p->prediction.work.flops / p->use.lower_joules : NAN;
  }
  return status;
}
