/* The roofline of energy: joules of FLOPs, bytes and time, of a machine and of operations on it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/energy/energy.h"

enum { SUBJECT_MAX = ROOF_PANEL_CURVES };

static char *per_flop, *per_byte, *idle;
static const struct poptOption options[] = {
    {"joules-per-flop", '\0', POPT_ARG_STRING, &per_flop, 0, "instead of the machine's, for instance 0.3pJ",
     "J"},
    {"joules-per-byte", '\0', POPT_ARG_STRING, &per_byte, 0, "of memory, for instance 20pJ", "J"},
    {"idle-watts", '\0', POPT_ARG_STRING, &idle, 0, "constant power, drawn whatever is done", "W"},
    POPT_TABLEEND};

/** What is typed in place of the machine's figures. */
static roof_status override(roof_machine *m, roof_error *error) {
  roof_energy *e = &m->energy;
  double zero = 0;
  const struct {
    const char *name, *text, *unit;
    double *value;
  } typed[] = {{"joules-per-flop", per_flop, "J", &e->joules_per_flop},
               {"joules-per-byte", per_byte, "J", &e->joules_per_byte},
               {"idle-watts", idle, "W", &e->idle_watts}};
  for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
    roof_error why = {0};
    double value = zero;
    roof_status status = typed[i].text != NULL
                             ? roof_quantity_parse_unit(typed[i].text, typed[i].unit, &value, &why)
                             : ROOF_OK;
    if (status != ROOF_OK || value < 0) {
      return roof_error_set(error, status != ROOF_OK ? status : ROOF_E_ARGUMENT, "--%s: %s", typed[i].name,
                            status != ROOF_OK ? why.message : "must not be negative");
    }
    if (typed[i].text != NULL) {
      *typed[i].value = value;
      e->kind = ROOF_ASSUMED;
      snprintf(e->source, sizeof e->source, "given");
    }
  }
  if (per_flop != NULL) {
    e->flop_count = 0;
    e->fp32_joules_per_flop = NAN;
  }
  e->byte_count = per_byte != NULL ? 0 : e->byte_count;
  return ROOF_OK;
}

/** The unit that the operation uses, else the one with the higher peak. */
static roof_unit choose_unit(const roof_target *t, const roof_shape *shape) {
  const roof_peak *vector = t->peak[ROOF_VECTOR], *matrix = t->peak[ROOF_MATRIX];
  if (shape != NULL) {
    return shape->op->unit;
  }
  bool slower = matrix == NULL || (vector != NULL && vector->flops_per_second > matrix->flops_per_second);
  return slower ? ROOF_VECTOR : ROOF_MATRIX;
}

static roof_status make_subject(const cli_args *args, roof_machine *machine, const roof_types *types,
                                const roof_shape *shape, roof_energy_subject *s, roof_error *error) {
  roof_options option;
  *s = (roof_energy_subject){.shape = shape, .only_dtype = per_flop != NULL};
  roof_status status = override(machine, error);
  status = status == ROOF_OK ? cli_select_options(args, &option, error) : status;
  status = status == ROOF_OK ? roof_target_init(&s->target, machine, types, &option, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  const roof_energy_costs *costs = &s->target.costs;
  roof_unit unit = choose_unit(&s->target, shape);
  const roof_peak *peak = s->target.peak[unit];
  s->line = roof_energy_line_of(&s->target, unit);
  s->dtype = peak != NULL ? peak->dtype : types->compute;
  s->unit = peak != NULL ? peak->unit : unit;
  if (costs->power_only && (per_flop != NULL || per_byte != NULL || idle != NULL)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--joules-per-flop and --joules-per-byte: both are needed, for %s says neither",
                          machine->name);
  }
  if (isnan(costs->constant_watts)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "%s: its file says neither joules nor watts; give --joules-per-flop and "
                          "--joules-per-byte",
                          machine->name);
  }
  return shape != NULL ? roof_target_supports(&s->target, shape->op->unit, error) : ROOF_OK;
}

static roof_status print_text(const cli_args *args, const roof_energy_subject *all, int count,
                              roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    roof_text_add(&out, i > 0 ? "\n" : "");
    status = cli_energy_text(&out, &all[i], cli_use_color(args, stdout), error);
  }
  status = status == ROOF_OK ? cli_print(&out, error) : status;
  roof_text_done(&out);
  return status;
}

static roof_status print_json(const cli_args *args, const roof_energy_subject *all, int count,
                              roof_error *error) {
  json_t *machines = json_array();
  for (int i = 0; i < count; i++) {
    json_t *object = cli_energy_json(&all[i], error);
    if (object == NULL) {
      json_decref(machines);
      return error->code;
    }
    json_array_append_new(machines, object);
  }
  return cli_answer_print(args, json_pack("{s:s, s:o}", "schema", "roofline.energy/1", "machines", machines),
                          error);
}

static roof_status answer(const cli_args *args, roof_machine **machines, int count, const roof_shape *shape,
                          roof_error *error) {
  roof_types types;
  roof_energy_subject *all = calloc((size_t)count, sizeof *all);
  if (all == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  }
  roof_status status = cli_select_types(args, machines[0], &types, error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = make_subject(args, machines[i], &types, shape, &all[i], error);
  }
  if (status == ROOF_OK && args->to != NULL) {
    status = cli_energy_draw(args->to, all, count, error);
  } else if (status == ROOF_OK) {
    status = (args->json || args->csv ? print_json : print_text)(args, all, count, error);
  }
  free(all);
  return status;
}

static roof_status answer_op(const cli_args *args, roof_machine **machines, int count, roof_error *error) {
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = cli_select_op(args, args->words[0], &op, error);
  status = status == ROOF_OK
               ? roof_shape_parse(&shape, op, args->words + 1, args->word_count - 1, NULL, error)
               : status;
  if (status != ROOF_OK) {
    return status;
  }
  status = answer(args, machines, count, &shape, error);
  roof_shape_done(&shape);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  roof_status status = args->to != NULL ? cli_chart_check(args->to, error) : ROOF_OK;
  status = status == ROOF_OK ? cli_select_machines(args, &machines, &count, error) : status;
  if (status == ROOF_OK && args->to != NULL && count > SUBJECT_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--to %s: a chart holds at most %d machines", args->to,
                            SUBJECT_MAX);
  }
  if (status == ROOF_OK) {
    status = args->word_count > 0 ? answer_op(args, machines, count, error)
                                  : answer(args, machines, count, NULL, error);
  }
  cli_machines_free(machines, count);
  free(per_flop);
  free(per_byte);
  free(idle);
  return status;
}

const cli_command cli_cmd_energy = {
    .name = "energy",
    .arguments = "[OP key=value ...]",
    .summary = "the roofline of energy: joules of FLOPs, bytes and time; power; whether racing to halt pays",
    .examples = "  roofline energy --machine h100\n"
                "  roofline energy gemm m=4096 n=4096 k=4096 --machine h100 --joules-per-flop 0.3pJ \\\n"
                "    --joules-per-byte 20pJ\n"
                "  roofline energy gemm m=1..4096*4 n=4096 k=4096 --machine a100 --machine h100 --to "
                "energy.svg\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL | CLI_ARGS_FILE,
    .options = options,
    .run = run,
};
