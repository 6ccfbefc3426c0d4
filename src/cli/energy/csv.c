/* The roofline of energy as one table: what FLOPs cost, what bytes cost, the points of the operation. */
#include <math.h>

#include "cli/energy/energy.h"

/** A row: a FLOP, a byte or a point; the others are as in `nothing`. */
typedef struct row {
  const char *machine, *dtype, *unit, *level, *op;
  double cost, flops_per_joule;
  roof_energy_flop flop;
  roof_energy_byte byte;
  roof_energy_point point;
} row;

static const row nothing = {
    .cost = NAN,
    .flops_per_joule = NAN,
    .flop.flops_per_second = NAN,
    .byte.bytes_per_second = NAN,
    .point = {.prediction = {.work.flops = NAN, .bytes = NAN, .intensity = NAN},
              .use = {.lower_joules = NAN, .upper_joules = NAN, .expected_joules = NAN, .watts = NAN}}};

static const cli_column columns[] = {
    {.key = "machine", CLI_FIELD(TEXT, row, machine)},
    {.key = "dtype", CLI_FIELD(TEXT, row, dtype)},
    {.key = "unit", CLI_FIELD(TEXT, row, unit)},
    {.key = "level", CLI_FIELD(TEXT, row, level)},
    {.key = "flops_per_second", CLI_FIELD(NUMBER, row, flop.flops_per_second)},
    {.key = "bytes_per_second", CLI_FIELD(NUMBER, row, byte.bytes_per_second)},
    {.key = "cost_joules", CLI_FIELD(NUMBER, row, cost)},
    {.key = "op", CLI_FIELD(TEXT, row, op)},
    {.key = "label", CLI_FIELD(NAME, row, point.label)},
    {.key = "flops", CLI_FIELD(NUMBER, row, point.prediction.work.flops)},
    {.key = "bytes", CLI_FIELD(NUMBER, row, point.prediction.bytes)},
    {.key = "intensity", CLI_FIELD(NUMBER, row, point.prediction.intensity)},
    {.key = "lower_joules", CLI_FIELD(NUMBER, row, point.use.lower_joules)},
    {.key = "upper_joules", CLI_FIELD(NUMBER, row, point.use.upper_joules)},
    {.key = "expected_joules", CLI_FIELD(NUMBER, row, point.use.expected_joules)},
    {.key = "watts", CLI_FIELD(NUMBER, row, point.use.watts)},
    {.key = "flops_per_joule", CLI_FIELD(NUMBER, row, flops_per_joule)},
    {.key = "bound", CLI_FIELD(TEXT, row, point.bound)},
    {0}};

/** What all rows of a machine have. */
static row begin(const roof_energy_subject *s) {
  row r = nothing;
  r.machine = s->target.machine->name;
  r.dtype = roof_dtype_name(s->dtype);
  r.unit = roof_unit_name(s->unit);
  return r;
}

static void add_flops(roof_text *out, const roof_energy_subject *s) {
  roof_energy_flop flops[ROOF_ENERGY_FLOPS];
  size_t count = roof_energy_flops(s, flops);
  row r = begin(s);
  for (size_t i = 0; i < count; i++) {
    r.flop = flops[i];
    r.dtype = roof_dtype_name(r.flop.peak->dtype);
    r.unit = roof_unit_name(r.flop.peak->unit);
    r.cost = r.flop.effective_joules;
    r.flops_per_joule = r.flop.flops_per_joule;
    cli_columns_add_csv_row(out, columns, &r);
  }
}

static void add_bytes(roof_text *out, const roof_energy_subject *s) {
  roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT];
  size_t count = roof_energy_bytes(s, bytes);
  row r = begin(s);
  for (size_t i = 0; i < count; i++) {
    r.byte = bytes[i];
    r.level = r.byte.level->name;
    r.cost = r.byte.effective_joules;
    cli_columns_add_csv_row(out, columns, &r);
  }
}

static roof_status add_points(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  roof_status status = ROOF_OK;
  row r = begin(s);
  for (size_t i = 0; s->shape != NULL && i < s->shape->points && status == ROOF_OK; i++) {
    status = roof_energy_point_at(s, i, &r.point, error);
    r.op = s->shape->op->name;
    r.flops_per_joule = r.point.flops_per_joule;
    cli_columns_add_csv_row(out, columns, &r);
  }
  return status;
}

roof_status cli_energy_csv(roof_text *out, const roof_energy_subject *all, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  cli_columns_add_csv(out, CLI_ROWS(columns, &nothing, 0)); /* the header */
  for (int i = 0; i < count; i++) {
    add_flops(out, &all[i]);
  }
  for (int i = 0; i < count; i++) {
    add_bytes(out, &all[i]);
  }
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = add_points(out, &all[i], error);
  }
  return status;
}
