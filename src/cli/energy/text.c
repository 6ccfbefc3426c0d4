/* The roofline of energy for people. */
#include <math.h>
#include <stdlib.h>

#include "cli/energy/energy.h"

enum { ROWS_MAX = 64 };

static void add_answer(roof_text *out, const roof_energy_subject *s) {
  roof_text_addf(out, RF_MARK_BOLD "%s, %s %s: ", roof_machine_title(s->target.machine),
                 roof_dtype_name(s->dtype), roof_unit_name(s->unit));
  if (!isnan(s->energy_balance)) {
    roof_text_addf(out, "at best %.5g GFLOP/s per watt, half of it at %.4g FLOP/B; ",
                   s->best_flops_per_joule / 1e9, s->energy_balance);
    roof_text_add(out, s->race_to_halt ? "racing to halt pays" : "racing to halt is not enough");
  } else {
    roof_text_add(out, "no peak or bandwidth is known, so no balance");
  }
  roof_text_add(out, RF_MARK_END "\n\n");
}

CLI_WORD(flop_name, roof_energy_flop,
         cli_column_say(scratch, "%s %s", roof_dtype_name(r->peak->dtype), roof_unit_name(r->peak->unit)))

static const cli_column flop_columns[] = {
    {NULL, "a FLOP of", .text = flop_name},
    {NULL, "peak", "FLOP/s", CLI_FIELD(NUMBER, roof_energy_flop, flops_per_second)},
    {NULL, "joules", "J", CLI_FIELD(NUMBER, roof_energy_flop, joules)},
    {NULL, "with constant power", "J", CLI_FIELD(NUMBER, roof_energy_flop, effective_joules)},
    {NULL, "GFLOP/s per watt", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, roof_energy_flop, flops_per_joule)},
    {0}};

CLI_WORD(byte_level, roof_energy_byte, r->level->name)

static const cli_column byte_columns[] = {
    {NULL, "a byte from", .text = byte_level},
    {NULL, "bandwidth", "B/s", CLI_FIELD(NUMBER, roof_energy_byte, bytes_per_second)},
    {NULL, "joules", "J", CLI_FIELD(NUMBER, roof_energy_byte, joules)},
    {NULL, "with constant power", "J", CLI_FIELD(NUMBER, roof_energy_byte, effective_joules)},
    {0}};

static void add_costs(roof_text *out, const roof_energy_subject *s) {
  roof_energy_flop flops[ROOF_ENERGY_FLOPS];
  roof_energy_byte bytes[ROOF_LEVEL_KIND_COUNT];
  size_t flop_count = roof_energy_flops(s, flops), byte_count = roof_energy_bytes(s, bytes);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(flop_columns, flops, flop_count));
  roof_text_add(out, "\n");
  cli_columns_add_text(out, CLI_ROWS(byte_columns, bytes, byte_count));
}

/* The first column is headed by the operation. */
static const cli_column point_columns[] = {
    {NULL, "", CLI_FIELD(NAME, roof_energy_point, label)},
    {NULL, "FLOP/B", .digits = 4, CLI_FIELD(NUMBER, roof_energy_point, intensity)},
    {NULL, "times hide", "J", CLI_FIELD(NUMBER, roof_energy_point, use.lower_joules)},
    {NULL, "times add", "J", CLI_FIELD(NUMBER, roof_energy_point, use.upper_joules)},
    {NULL, "expected", "J", CLI_FIELD(NUMBER, roof_energy_point, use.expected_joules)},
    {NULL, "power", "W", CLI_FIELD(NUMBER, roof_energy_point, use.watts)},
    {NULL, "GFLOP/s per watt", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, roof_energy_point, flops_per_joule)},
    {NULL, "most of it", .none = "bytes", CLI_FIELD(TEXT, roof_energy_point, bound)},
    {0}};

static roof_status add_points(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  cli_column columns[sizeof point_columns / sizeof point_columns[0]];
  size_t points = s->shape->points, count = 0;
  roof_energy_point *rows = calloc(ROWS_MAX + 1, sizeof *rows);
  roof_status status = rows != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  for (size_t i = 0; i < points && status == ROOF_OK; i++) {
    i = i == ROWS_MAX ? points - 1 : i;
    status = roof_energy_point_at(s, i, &rows[count++], error);
  }
  if (status == ROOF_OK) {
    cli_columns_copy(point_columns, columns, sizeof columns / sizeof columns[0]);
    columns[0].header = s->shape->op->name;
    cli_columns_add_text(out, CLI_ROWS(columns, rows, count));
  }
  if (points > ROWS_MAX + 1) {
    roof_text_addf(out, "  %d of %zu points; --csv has all\n", ROWS_MAX + 1, points);
  }
  free(rows);
  return status;
}

static roof_status add_op(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  char x[CLI_SHORT], y[CLI_SHORT];
  roof_energy_point p;
  roof_status status = roof_energy_point_at(s, 0, &p, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool several = s->shape->points > 1;
  if (!several && isnan(p.use.expected_joules)) {
    roof_text_add(out, RF_MARK_BOLD);
    roof_prediction_sentence(out, &s->target, s->shape->op, &p.prediction);
    roof_text_add(out, RF_MARK_END "\n");
    return ROOF_OK;
  }
  roof_text_addf(out, RF_MARK_BOLD "%s on %s: ", s->shape->op->name, roof_machine_title(s->target.machine));
  if (several) {
    roof_text_addf(out, "%zu points, ", s->shape->points);
    bool timed = s->target.costs.power_only;
    roof_text_addf(out, "%s at %.4g FLOP/B", timed ? "ridge" : "energy balance",
                   timed ? s->time_balance : s->energy_balance);
  } else {
    roof_text_addf(out, "%s%s, %s on average", s->target.costs.power_only ? "at full power " : "about ",
                   cli_quantity(x, p.use.expected_joules, "J"), cli_quantity(y, p.use.watts, "W"));
  }
  roof_text_add(out, RF_MARK_END "\n\n");
  if (several) {
    return add_points(out, s, error);
  }
  roof_energy_point_describe(out, s, &p);
  return ROOF_OK;
}

roof_status cli_energy_text(roof_text *out, const roof_energy_subject *s, roof_error *error) {
  roof_status status = ROOF_OK;
  if (s->shape != NULL) {
    status = add_op(out, s, error);
    roof_text_add(out, "\n");
  } else {
    add_answer(out, s);
  }
  roof_energy_source_describe(out, s);
  if (s->shape == NULL) {
    add_costs(out, s);
    roof_energy_balance_describe(out, s);
  }
  return status;
}
