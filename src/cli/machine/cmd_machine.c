/* The catalogue: list, show, compare, new, lint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"

static char *units, *clock_text, *per_cycle, *bus, *rate, *dtype;
static const struct poptOption options[] = {
    {"units", '\0', POPT_ARG_STRING, &units, 0, "new: compute units (SMs, cores)", "N"},
    {"clock", '\0', POPT_ARG_STRING, &clock_text, 0, "new: their clock, for instance 1.41GHz", "HZ"},
    {"flops-per-cycle", '\0', POPT_ARG_STRING, &per_cycle, 0,
     "new: FLOP of a unit in a cycle, an FMA is two; the three give the peak", "N"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype, 0, "new: format of that peak; default fp32", "TYPE"},
    {"bus", '\0', POPT_ARG_STRING, &bus, 0, "new: bits of the memory's bus", "BITS"},
    {"rate", '\0', POPT_ARG_STRING, &rate, 0, "new: transfers of a pin (3.19GT/s); both give the bandwidth",
     "RATE"},
    POPT_TABLEEND};

/** The parts typed; *any: at least one. */
static roof_status read_parts(roof_machine_parts *parts, bool *any, roof_error *error) {
  const struct {
    const char *name, *text, *unit;
    double *value;
  } typed[] = {{"units", units, "", &parts->units},
               {"clock", clock_text, "Hz", &parts->clock_hz},
               {"flops-per-cycle", per_cycle, "", &parts->flops_per_cycle},
               {"bus", bus, "", &parts->bus_bits},
               {"rate", rate, "T/s", &parts->transfers_per_second}};
  roof_status status = dtype != NULL ? roof_dtype_parse(dtype, &parts->dtype, error) : ROOF_OK;
  *any = dtype != NULL;
  for (size_t i = 0; i < sizeof typed / sizeof typed[0] && status == ROOF_OK; i++) {
    roof_error why = {0};
    *any = *any || typed[i].text != NULL;
    status = typed[i].text != NULL
                 ? roof_quantity_parse_unit(typed[i].text, typed[i].unit, typed[i].value, &why)
                 : ROOF_OK;
    if (status != ROOF_OK) {
      roof_error_set(error, status, "--%s %s", typed[i].name, why.message);
    }
  }
  return status;
}

static roof_status new_run(const cli_args *args, roof_error *error) {
  roof_text text = {0};
  roof_machine_parts parts = {NAN, NAN, NAN, NAN, NAN, ROOF_FP32};
  bool computed = false;
  roof_status status = read_parts(&parts, &computed, error);
  if (status == ROOF_OK) {
    status = computed ? roof_machine_compute(args->words[1], &parts, &text, error)
                      : roof_machine_template(args->words[1], &text, error);
  }
  status = status == ROOF_OK ? cli_print_document(&text, error) : status;
  roof_text_done(&text);
  return status;
}

static const struct {
  const char *name;
  int least, most; /* words after it */
  roof_status (*run)(const cli_args *args, roof_error *error);
  const char *usage;
} verbs[] = {
    {"list", 0, 1, cli_machine_list_run, "list [TEXT]"},
    {"show", 1, 1, cli_machine_show_run, "show NAME"},
    {"compare", 2, 16, cli_machine_compare_run, "compare NAME NAME ..."},
    {"new", 1, 1, new_run, "new NAME [--to FILE.json]"},
    {"lint", 0, 1000, cli_machine_lint_run, "lint [NAME|FILE ...]"},
};

enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static roof_status dispatch(const cli_args *args, roof_error *error) {
  bool listed = args->list || args->word_count == 0;
  const char *typed = listed ? "list" : args->words[0];
  const char *names[VERB_COUNT + 1] = {NULL};
  int words = listed ? args->word_count : args->word_count - 1;
  for (int i = 0; i < VERB_COUNT; i++) {
    names[i] = verbs[i].name;
    if (strcmp(typed, verbs[i].name) != 0) {
      continue;
    }
    if (words < verbs[i].least || words > verbs[i].most) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "machine %s: usage is `roofline machine %s`", typed,
                            verbs[i].usage);
    }
    return verbs[i].run(args, error);
  }
  return roof_suggest(typed, names) != NULL
             ? roof_error_unknown(error, "machine", typed, names, NULL)
             : roof_error_set(error, ROOF_E_NAME, "machine %.80s: use `roofline machine show %.80s`, or %s",
                              typed, typed, "list, compare, new or lint");
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = dispatch(args, error);
  char *texts[] = {units, clock_text, per_cycle, bus, rate, dtype};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  return status;
}

static const cli_effect effects[] = {
    {.options = "units clock flops-per-cycle dtype bus rate", .without = "new"},
    {.options = "csv", .with = "new"},
    {0}};

const cli_command cli_cmd_machine = {
    .name = "machine",
    .task = CLI_TASK_LOOK_UP,
    .arguments = "list [TEXT] | show NAME | compare NAME NAME ... | new NAME | lint [NAME|FILE ...]",
    .summary = "the catalogue: any GPU or CPU from one file, every figure with its source",
    .examples = "  roofline machine list hbm\n  roofline machine show h100\n  roofline machine compare h100 "
                "b200 mi300x\n"
                "  roofline machine new my-gpu --to my-gpu.json && roofline machine lint my-gpu.json\n"
                "  roofline machine new my-gpu --units 108 --clock 1.41GHz --flops-per-cycle 128 --bus 5120 "
                "--rate 3.186GT/s\n",
    .writes = "txt json csv",
    .groups = CLI_ARGS_LIST,
    .options = options,
    .effects = effects,
    .run = run,
};
