#include "cli/advise/advise.h"

static const char *unit_of(roof_regime regime) {
  return regime == ROOF_COMPUTE_BOUND ? "FLOP/s" : regime == ROOF_OVERHEAD_BOUND ? "" : "B/s";
}

CLI_WORD(rate_before, roof_time_share,
         roof_quantity_format(scratch, CLI_SCRATCH, r->from, unit_of(r->regime)))
CLI_WORD(rate_after, roof_time_share, roof_quantity_format(scratch, CLI_SCRATCH, r->to, unit_of(r->regime)))

enum { BEFORE = 4, AFTER = 5 }; /* columns that the machines name */

static const cli_column part_columns[] = {
    {"name", "phase", CLI_FIELD(TEXT, roof_time_share, name)},
    {NULL, "share", " %", .scale = 100, .digits = 3, CLI_FIELD(NUMBER, roof_time_share, share)},
    {"regime", "bound by", CLI_FIELD(REGIME, roof_time_share, regime)},
    {.key = "share", CLI_FIELD(NUMBER, roof_time_share, share)},
    [BEFORE] = {NULL, "", .right = true, .text = rate_before},
    [AFTER] = {NULL, "", .right = true, .text = rate_after},
    {"gain", "gain", "x", .fixed = true, .digits = 3, CLI_FIELD(NUMBER, roof_time_share, gain)},
    {NULL, "share after", " %", .scale = 100, .digits = 3, CLI_FIELD(NUMBER, roof_time_share, after)},
    {0}};

static void add_text(const roof_time_mix *m, const roof_target *from, const roof_target *to, roof_text *out) {
  cli_column columns[sizeof part_columns / sizeof part_columns[0]];
  cli_columns_copy(part_columns, columns, sizeof columns / sizeof columns[0]);
  columns[BEFORE].header = from->machine->name;
  columns[AFTER].header = to->machine->name;
  roof_text_addf(out, "%.3fx: the mix on %s against %s, by the shares of its time\n\n", m->gain,
                 roof_machine_title(to->machine), roof_machine_title(from->machine));
  cli_columns_add_text(out, CLI_ROWS(columns, m->parts, (size_t)m->count));
  roof_text_add(out, "\n  1 / (");
  for (int i = 0; i < m->count; i++) {
    roof_text_addf(out, "%s%.4g / %.4g", i > 0 ? " + " : "", m->parts[i].share, m->parts[i].gain);
  }
  roof_text_addf(out, ") = %.5g\n", m->gain);
}

static roof_status print_mix(const cli_args *args, const roof_time_mix *m, const roof_target *from,
                             const roof_target *to, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    cli_columns_add_csv(&out, CLI_ROWS(part_columns, m->parts, (size_t)m->count));
  } else if (args->json) {
    status = roof_time_mix_write(m, from, to, &out, error);
  } else {
    add_text(m, from, to, &out);
  }
  return cli_print_end(&out, status, error);
}

roof_status cli_advise_mix(const cli_args *args, const char *text, roof_error *error) {
  roof_time_mix mix;
  roof_targets targets;
  roof_status status = roof_time_mix_parse(text, &mix, error);
  status = status == ROOF_OK ? cli_select_targets(args, &targets, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  const roof_target *from = &targets.targets[0], *to = &targets.targets[1];
  status = targets.count == 2 ? roof_time_mix_solve(&mix, from, to, error)
                              : roof_error_set(error, ROOF_E_ARGUMENT,
                                               "--mix: of two machines: --machine NAME --machine NAME");
  status = status == ROOF_OK ? print_mix(args, &mix, from, to, error) : status;
  roof_targets_done(&targets);
  return status;
}
