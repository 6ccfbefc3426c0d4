#include "cli/advise/advise.h"
#include "cli/grid.h"

enum { SHORT = 48 };

static const char *unit_of(roof_regime regime) {
  return regime == ROOF_COMPUTE_BOUND ? "FLOP/s" : regime == ROOF_OVERHEAD_BOUND ? "" : "B/s";
}

static void write_text(const roof_time_mix *m, const roof_target *from, const roof_target *to,
                       roof_text *out) {
  cli_grid grid = {0};
  const char *heads[] = {"phase",           "share", "bound by",   from->machine->name,
                         to->machine->name, "gain",  "share after"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (int i = 0; i < m->count; i++) {
    const roof_time_share *p = &m->parts[i];
    char a[SHORT], b[SHORT];
    cli_grid_add(&grid, "%s", p->name);
    cli_grid_add(&grid, "%.3g %%", 100 * p->share);
    cli_grid_add(&grid, "%s", roof_regime_name(p->regime));
    cli_grid_add(&grid, "%s", roof_quantity_format(a, SHORT, p->from, unit_of(p->regime)));
    cli_grid_add(&grid, "%s", roof_quantity_format(b, SHORT, p->to, unit_of(p->regime)));
    cli_grid_add(&grid, "%.3fx", p->gain);
    cli_grid_add(&grid, "%.3g %%", 100 * p->share / p->gain * m->gain);
  }
  roof_text_addf(out, "%.3fx: the mix on %s against %s, by the shares of its time\n\n", m->gain,
                 roof_machine_title(to->machine), roof_machine_title(from->machine));
  cli_grid_end(&grid, out, "lrlrrrr");
  roof_text_add(out, "\n  1 / (");
  for (int i = 0; i < m->count; i++) {
    roof_text_addf(out, "%s%.4g / %.4g", i > 0 ? " + " : "", m->parts[i].share, m->parts[i].gain);
  }
  roof_text_addf(out, ") = %.5g\n", m->gain);
}

static json_t *mix_json(const roof_time_mix *m, const roof_target *from, const roof_target *to) {
  json_t *parts = json_array();
  for (int i = 0; i < m->count; i++) {
    const roof_time_share *p = &m->parts[i];
    json_array_append_new(parts, json_pack("{s:s, s:s, s:o, s:o}", "name", p->name, "regime",
                                           roof_regime_name(p->regime), "share", cli_json_number(p->share),
                                           "gain", cli_json_number(p->gain)));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", "roofline.mix/1", "machine", from->machine->name,
                   "against", to->machine->name, "gain", cli_json_number(m->gain), "parts", parts);
}

static roof_status print_mix(const cli_args *args, const roof_time_mix *m, const roof_target *from,
                             const roof_target *to, roof_error *error) {
  if (args->json || args->csv) {
    return cli_answer_print(args, mix_json(m, from, to), error);
  }
  roof_text out = {0};
  write_text(m, from, to, &out);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

roof_status cli_advise_mix(const cli_args *args, const char *text, const char *against, roof_error *error) {
  roof_time_mix m;
  if (against == NULL || args->machines == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--mix: needs two machines: --machine NAME --against NAME");
  }
  const char *names[] = {args->machines[0], against, NULL};
  cli_args both = *args;
  cli_targets targets;
  both.machines = names;
  roof_status status = roof_time_mix_parse(text, &m, error);
  if (status == ROOF_OK) {
    status = cli_select_targets(&both, &targets, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  status = roof_time_mix_solve(&m, &targets.targets[0], &targets.targets[1], error);
  if (status == ROOF_OK) {
    status = print_mix(args, &m, &targets.targets[0], &targets.targets[1], error);
  }
  cli_targets_done(&targets);
  return status;
}
