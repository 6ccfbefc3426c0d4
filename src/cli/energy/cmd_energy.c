/* The roofline of energy: joules of FLOPs, bytes and time, of a machine and of operations on it. */
#include <math.h>
#include <stdlib.h>

#include "cli/chart.h"
#include "cli/energy/energy.h"
#include "cli/whole/whole.h"

enum { SUBJECT_MAX = ROOF_PANEL_CURVES };

static char *per_flop, *per_byte, *idle;
static int train;
static const struct poptOption options[] = {
    {"joules-per-flop", '\0', POPT_ARG_STRING, &per_flop, 0, "instead of the machine's, for instance 0.3pJ",
     "J"},
    {"joules-per-byte", '\0', POPT_ARG_STRING, &per_byte, 0, "of memory, for instance 20pJ", "J"},
    {"idle-watts", '\0', POPT_ARG_STRING, &idle, 0, "constant power, drawn even when idle", "W"},
    {"train", '\0', POPT_ARG_NONE, &train, 0,
     "of a model: a training step of batch x prompt tokens with Adam", NULL},
    POPT_TABLEEND};

/** What is typed in place of the machine's figures. */
static roof_status read_given(roof_energy_given *given, roof_error *error) {
  const struct {
    const char *name, *text, *unit;
    double *value;
  } typed[] = {{"joules-per-flop", per_flop, "J", &given->joules_per_flop},
               {"joules-per-byte", per_byte, "J", &given->joules_per_byte},
               {"idle-watts", idle, "W", &given->idle_watts}};
  *given = (roof_energy_given){NAN, NAN, NAN};
  for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
    roof_error why = {0};
    roof_status status = typed[i].text != NULL
                             ? roof_quantity_parse_unit(typed[i].text, typed[i].unit, typed[i].value, &why)
                             : ROOF_OK;
    if (status != ROOF_OK || *typed[i].value < 0) {
      return roof_error_set(error, status != ROOF_OK ? status : ROOF_E_ARGUMENT, "--%s: %s", typed[i].name,
                            status != ROOF_OK ? why.message : "must not be negative");
    }
  }
  return ROOF_OK;
}

CLI_WORD(name, roof_energy_subject, r->target.machine->name)

/** What the chart shows, for its page. */
static const cli_column lines[] = {
    {NULL, "machine", .text = name},
    {NULL, "GFLOP/s per watt at best", .scale = 1e-9, .digits = 5,
     CLI_FIELD(NUMBER, roof_energy_subject, best_flops_per_joule)},
    {NULL, "time balance", .digits = 4, CLI_FIELD(NUMBER, roof_energy_subject, time_balance)},
    {NULL, "energy balance", .digits = 4, CLI_FIELD(NUMBER, roof_energy_subject, energy_balance)},
    {NULL, "most power (W)", .digits = 4, CLI_FIELD(NUMBER, roof_energy_subject, most_watts)},
    {0}};

static roof_status draw(const cli_args *args, const roof_energy_subject *all, int count, roof_error *error) {
  roof_curves *chart = cli_chart_room();
  roof_status status = roof_energy_chart(all, count, chart, error);
  if (status == ROOF_OK) {
    status = cli_chart_write_curves(args, chart, "Lines", &CLI_ROWS(lines, all, (size_t)count), error);
  }
  return status;
}

static roof_status print(const cli_args *args, const roof_energy_subject *all, int count, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    status = cli_energy_csv(&out, all, count, error);
  } else if (args->json) {
    status = roof_energy_write(all, count, &out, error);
  } else {
    for (int i = 0; i < count && status == ROOF_OK; i++) {
      roof_text_add(&out, i > 0 ? "\n" : "");
      status = cli_energy_text(&out, &all[i], error);
    }
  }
  return cli_print_end(&out, status, error);
}

/** `shape` may be NULL. */
static roof_status answer(const cli_args *args, const roof_shape *shape, roof_error *error) {
  roof_targets t = {0};
  roof_energy_given given;
  roof_energy_subject *all = NULL;
  roof_status status = read_given(&given, error);
  status = status == ROOF_OK ? cli_select_targets(args, &t, error) : status;
  status = status == ROOF_OK && shape != NULL ? roof_targets_check(&t, shape, error) : status;
  if (status == ROOF_OK && args->file != NULL && t.count > SUBJECT_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--to %s: a chart holds at most %d machines", args->to,
                            SUBJECT_MAX);
  }
  if (status == ROOF_OK && (all = calloc((size_t)t.count, sizeof *all)) == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  }
  for (int i = 0; i < t.count && status == ROOF_OK; i++) {
    roof_energy_give(&given, t.machines[i]);
    status = roof_energy_subject_of(&t.targets[i], shape, &given, &all[i], error);
  }
  if (status == ROOF_OK) {
    status = args->file != NULL ? draw(args, all, t.count, error) : print(args, all, t.count, error);
  }
  free(all);
  roof_targets_done(&t);
  return status;
}

/** Of a whole model whose words are all there. */
static roof_status answer_words(const cli_args *args, roof_error *error) {
  roof_energy_given given;
  roof_status status = read_given(&given, error);
  if (status != ROOF_OK || args->file == NULL) {
    return status == ROOF_OK ? cli_whole_energy(args, &given, NULL, error) : status;
  }
  roof_bars *chart = cli_chart_room();
  status = cli_whole_energy(args, &given, chart, error);
  status = status == ROOF_OK ? cli_chart_bars(args, chart, false, error) : status;
  return status;
}

/** Of a whole model: --train is one of the words that describe its run. */
static roof_status answer_whole(const cli_args *args, roof_error *error) {
  cli_args all = *args;
  const char **words = train ? calloc((size_t)args->word_count + 1, sizeof *words) : NULL;
  if (train && words == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  }
  for (int i = 0; train && i < args->word_count; i++) {
    words[i] = args->words[i];
  }
  if (train) {
    words[all.word_count++] = "train";
    all.words = words;
  }
  roof_status status = answer_words(&all, error);
  free(words);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_shape shape;
  roof_status status = ROOF_OK;
  if (args->word_count == 0) {
    status = answer(args, NULL, error);
  } else if (cli_whole_is(args)) {
    status = answer_whole(args, error);
  } else if (train) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--train: of a model, which `%s` is not", args->words[0]);
  } else {
    status = cli_select_words(args, "energy", "gemm m=4096 n=4096 k=4096", &shape, error);
    if (status == ROOF_OK) {
      status = answer(args, &shape, error);
      roof_shape_done(&shape);
    }
  }
  free(per_flop);
  free(per_byte);
  free(idle);
  return status;
}

static const cli_effect effects[] = {
    {.options = "overhead tile accumulate"},
    {.options = "efficiency launch overlap warm weights group output kv train", .without = "key=value"},
    {0}};

const cli_command cli_cmd_energy = {
    .name = "energy",
    .task = CLI_TASK_ASK,
    .arguments = "[OP|MODEL key=value ...]",
    .summary = "the roofline of energy: joules of FLOPs, bytes and time; power; whether racing to halt pays",
    .examples = "  roofline energy --machine h100\n"
                "  roofline energy llama-3.1-8b batch=32 --machine h100\n"
                "  roofline energy llama-3.1-8b --train recompute=full batch=64 dp=8 zero=1 --machine h100\n"
                "  roofline energy gemm m=4096 n=4096 k=4096 --machine h100 --joules-per-flop 0.3pJ \\\n"
                "    --joules-per-byte 20pJ\n"
                "  roofline energy gemm m=1..4096*4 n=4096 k=4096 --machine a100 --machine h100 --to "
                "energy.svg\n"
                "Settings of a model: those of `roofline model`; of a training step the words `sp` and "
                "`recompute=selective` or `full` too\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .options = options,
    .effects = effects,
    .run = run,
};
