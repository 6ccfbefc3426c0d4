/* The ceilings of the machine this runs on. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/effects.h"
#include "cli/grid.h"
#include "cli/ledger/seal.h"
#include "cli/machine/machine.h"
#include "cli/measure/brief.h"
#include "cli/measure/cluster.h"

enum { MOST = 24 }; /* machines of one answer */

enum { UNSAID = INT_MIN };
static int quick, threads = UNSAID, verbose, cluster;
static char *backend_name, *old_name, *samples_name;
static char *percent, *device, *patience, *network, *ledger;

static const struct poptOption options[] = {
    {"quick", '\0', POPT_ARG_NONE, &quick, 0, "shorter measurements: a few seconds", NULL},
    {"verbose", 'v', POPT_ARG_NONE, &verbose, 0, "every figure with its source, as `machine show`", NULL},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0,
     "what measures, several separated by commas: cpu (default), opencl, cuda, hip, fake", "NAME"},
    {"device", '\0', POPT_ARG_STRING, &device, 0,
     "which accelerator of --backend: its number, a part of its name, or `all` with what each copies to each",
     "N|NAME|all"},
    {"threads", 't', POPT_ARG_INT, &threads, 0, "cores to use; default: all this process may", "N"},
    {"interval", '\0', POPT_ARG_STRING, &percent, 0,
     "stop when the median's 95 % interval is within this share of it, in percent; default 1", "PCT"},
    {"cluster", '\0', POPT_ARG_NONE, &cluster, 0,
     "every node of the job that mpirun or srun started this in, into one file: cluster.json, or --to "
     "FILE.json",
     NULL},
    {"patience", '\0', POPT_ARG_STRING, &patience, 0,
     "of --cluster: how long nodes may take longer than the first; default: as long as it took, and a minute",
     "TIME"},
    {"network", '\0', POPT_ARG_STRING, &network, 0,
     "of --cluster: the network between all ranks as well, and between their GPUs by NCCL or RCCL, so long "
     "for "
     "each distance, all pairs, halves and collectives: 10s is good",
     "TIME"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger, 0,
     "of --network: where predictions of collectives are sealed before they run; default roofline.ledger",
     "FILE"},
    {"samples", '\0', POPT_ARG_STRING, &samples_name, 0, "write every sample of every ceiling, as JSON",
     "FILE"},
    {"compare", '\0', POPT_ARG_STRING, &old_name, 0,
     "show what changed against OLD, and whether it is more than noise: exit 1 when a ceiling fell; with NEW "
     "nothing is measured",
     "OLD"},
    POPT_TABLEEND};

static bool draws(const cli_args *args) {
  return args->file != NULL && cli_is_among("svg png pdf", args->ending);
}

/** Every ceiling in the format of the first peak. */
static roof_status draw(const cli_args *args, const roof_machine *machine, roof_error *error) {
  roof_scene *scene = cli_chart_room();
  roof_scene_init(scene);
  roof_dtype dtype = machine->peak_count > 0 ? machine->peaks[0].dtype : ROOF_FP32;
  roof_status status = roof_scene_add_ceilings(scene, machine, dtype, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_scene_thin(scene);
  return cli_chart_write_scene(args, scene, false, error);
}

static roof_status save(const cli_args *args, const roof_machine *machine, roof_error *error) {
  if (args->file == NULL || draws(args)) {
    return roof_catalog_save(machine, error);
  }
  roof_text json = {0};
  if (strcmp(args->file, "-") == 0) {
    return ROOF_OK; /* the answer is that file */
  }
  roof_status status = roof_machine_write(machine, &json, error);
  status = status == ROOF_OK ? cli_to_write(args, args->file, &json, error) : status;
  roof_text_done(&json);
  return status;
}

/** What a kernel that hangs takes nothing from. The end saves again, and says what goes wrong. */
static void save_so_far(void *user, const roof_machine *machine) {
  save(user, machine, NULL);
}

static roof_status save_samples(const cli_args *args, roof_text *samples, roof_error *error) {
  roof_status status = roof_windows_finish(samples, error);
  return status == ROOF_OK ? cli_to_write(args, samples_name, samples, error) : status;
}

/** What the options say of how to measure. */
static roof_status options_of(const cli_args *args, roof_measure_options *how, roof_error *error) {
  *how = roof_measure_options_default();
  how->quick = quick != 0;
  how->threads = threads == UNSAID ? 0 : threads;
  how->progress = cli_show_progress;
  how->user = (void *)(uintptr_t)args;
  roof_status status = cli_args_interval(percent, &how->precision, error);
  return status == ROOF_OK && threads != UNSAID && threads < 1
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--threads %d: must be at least 1", threads)
             : status;
}

/** Measures one device (NULL: the first) into *machine and keeps it. */
static roof_status measure(const cli_args *args, const char *name, const char *one, roof_machine **machine,
                           roof_error *error) {
  const roof_backend *backend = NULL;
  roof_measure_options how;
  roof_text samples = {0};
  roof_status status = options_of(args, &how, error);
  how.keep = samples_name != NULL ? roof_windows_write : NULL;
  how.keep_user = &samples;
  how.so_far = save_so_far;
  if (status == ROOF_OK) {
    status = cli_select_backend(name, &backend, error);
  }
  how.device = one;
  status = status == ROOF_OK ? cli_select_device(one, backend, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  status = backend->measure(&how, machine, error);
  cli_show_progress(how.user, "", 1, 1);
  status = status == ROOF_OK ? save(args, *machine, error) : status;
  if (status == ROOF_OK && samples_name != NULL) {
    status = save_samples(args, &samples, error);
  }
  roof_text_done(&samples);
  return status;
}

/** The machine, and for comparison the catalogue's machine for a device of that name. */
static roof_status show(const cli_args *args, roof_machine *machine, roof_error *error) {
  roof_machine *rated = NULL;
  bool brief = !verbose && !args->json && !args->csv;
  roof_status drawn =
      args->page != NULL || draws(args) ? cli_chart_or_none(args, draw(args, machine, error)) : ROOF_OK;
  if (draws(args) || drawn != ROOF_OK) {
    return drawn;
  }
  roof_status status = brief ? cli_measure_print_brief(machine, args->file, error)
                             : cli_machine_show_print(args, machine, error);
  roof_error why = {0};
  if (status == ROOF_OK && !args->json && !args->csv &&
      roof_catalog_load_device(machine->title, &rated, &why) == ROOF_E_MEMORY) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s", why.message);
  }
  if (status == ROOF_OK && rated != NULL) {
    status = cli_print(&(roof_text){.data = (char[]){"\n"}, .length = 1}, error);
    status = status == ROOF_OK ? cli_machine_compare_print(args, (roof_machine *[]){rated, machine}, 2, error)
                               : status;
  }
  roof_machine_free(rated);
  return status;
}

/** What one machine's answer takes for itself, when several are measured. */
static roof_status check_list(const cli_args *args, roof_error *error) {
  const char *option = args->file != NULL     ? "--to"
                       : old_name != NULL     ? "--compare"
                       : samples_name != NULL ? "--samples"
                                              : NULL;
  return option == NULL ? ROOF_OK
                        : roof_error_set(error, ROOF_E_ARGUMENT,
                                         "%s: is for one machine, and several are measured", option);
}

static roof_status print_json(roof_machine *const *machines, int count, roof_error *error) {
  roof_text text = {0};
  roof_status status = roof_machines_write((const roof_machine *const *)machines, count, &text, error);
  return cli_print_end(&text, status, error);
}

/** What each device copies to each other, as nvbandwidth shows it; nothing where none was measured. */
static roof_status print_links(roof_machine *const *machines, int count, roof_error *error) {
  char columns[MOST + 2] = "l", text[CLI_SHORT];
  bool any = false;
  cli_grid grid = {0};
  roof_text out = {0};
  cli_grid_add(&grid, "copies from");
  for (int i = 0; i < count; i++) {
    cli_grid_add(&grid, "%s", machines[i]->name);
    columns[i + 1] = 'r';
  }
  for (int i = 0; i < count; i++) {
    cli_grid_add(&grid, "%s", machines[i]->name);
    for (int k = 0; k < count; k++) {
      double rate = roof_device_link(machines[i], machines[k]);
      any = any || !isnan(rate);
      cli_grid_add(&grid, "%s", isnan(rate) ? "-" : cli_quantity(text, rate, "B/s"));
    }
  }
  roof_text_add(&out, "\n");
  cli_grid_end(&grid, &out, columns);
  if (!any) {
    roof_text_done(&out);
    return ROOF_OK;
  }
  return cli_print_end(&out, ROOF_OK, error);
}

/** Several machines as one answer. */
static roof_status print_all(const cli_args *args, roof_machine *const *machines, int count,
                             roof_error *error) {
  roof_status status = args->json ? print_json(machines, count, error) : ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK && !args->json; i++) {
    status = show(args, machines[i], error);
  }
  return status == ROOF_OK && !args->json && !args->csv ? print_links(machines, count, error) : status;
}

static bool is_all(void) {
  return device != NULL && strcmp(device, "all") == 0;
}

/** Measures a backend's device, or all it has, after the `*count` machines that there are. */
static roof_status measure_backend(const cli_args *args, const roof_backend *backend, roof_machine **machines,
                                   int *count, roof_error *error) {
  int devices = is_all() && backend->device_count != NULL ? backend->device_count() : 1;
  roof_status status = ROOF_OK;
  for (int i = 0; i < devices && *count < MOST && status == ROOF_OK; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    const char *one = !is_all() ? device : backend->device_count != NULL ? number : NULL;
    status = measure(args, backend->name, one, &machines[*count], error);
    *count += status == ROOF_OK;
  }
  return status;
}

/** Measures with each backend of the list; one that cannot work here says why, and the others go on. */
static roof_status measure_list(const cli_args *args, char *list, roof_machine **machines, int *count,
                                roof_error *error) {
  char *rest = NULL;
  roof_status status = ROOF_OK;
  for (char *name = strtok_r(list, ",", &rest); status == ROOF_OK && name != NULL;
       name = strtok_r(NULL, ",", &rest)) {
    const roof_backend *backend = NULL;
    status = roof_backend_find(name, &backend, error);
    const char *why = status == ROOF_OK ? backend->disabled_reason() : NULL;
    if (why != NULL) {
      roof_error skipped;
      roof_error_set(&skipped, ROOF_E_UNSUPPORTED, "backend %s: %s", name, why);
      cli_report("warning: ", &skipped);
    } else if (status == ROOF_OK) {
      status = measure_backend(args, backend, machines, count, error);
    }
  }
  return status == ROOF_OK && *count == 0
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "measure: no backend of the list works here")
             : status;
}

static roof_status run_several(const cli_args *args, roof_error *error) {
  char cpu[] = "cpu";
  roof_machine **machines = calloc(MOST, sizeof *machines);
  int count = 0;
  roof_status status = machines != NULL ? check_list(args, error)
                                        : roof_error_set(error, ROOF_E_MEMORY, "measure: out of memory");
  if (status == ROOF_OK) {
    status = measure_list(args, backend_name != NULL ? backend_name : cpu, machines, &count, error);
  }
  if (status == ROOF_OK) {
    status = print_all(args, machines, count, error);
  }
  roof_machines_free(machines, MOST);
  return status;
}

static roof_status run_one(const cli_args *args, roof_error *error) {
  roof_machine *old = NULL, *machine = NULL;
  roof_status status = cli_args_limit_words(args, old_name != NULL ? 1 : 0, error);
  if (status == ROOF_OK && old_name != NULL) { /* before the file is written over */
    status = roof_catalog_load(old_name, &old, error);
  }
  if (status == ROOF_OK) {
    status = args->word_count > 0 ? roof_catalog_load(args->words[0], &machine, error)
                                  : measure(args, backend_name, device, &machine, error);
  }
  if (status == ROOF_OK) {
    status =
        old_name != NULL ? cli_measure_compare_print(args, old, machine, error) : show(args, machine, error);
  }
  roof_machine_free(old);
  roof_machine_free(machine);
  return status;
}

/** A time that was typed after --NAME: more than 0 s. */
static roof_status take_time(const char *name, const char *text, double *seconds, roof_error *error) {
  roof_status status = text != NULL ? roof_quantity_parse_unit(text, "s", seconds, error) : ROOF_OK;
  return status == ROOF_OK && text != NULL && !(*seconds > 0)
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--%s %s: must be more than 0 s", name, text)
             : status;
}

static roof_status run_cluster(const cli_args *args, roof_error *error) {
  roof_measure_options how;
  cli_cluster_options cluster_options = {.backends = backend_name, .ledger = cli_ledger_name(ledger)};
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? options_of(args, &how, error) : status;
  status = status == ROOF_OK ? take_time("patience", patience, &cluster_options.patience, error) : status;
  status = status == ROOF_OK ? take_time("network", network, &cluster_options.network, error) : status;
  return status == ROOF_OK ? cli_measure_cluster(args, &how, &cluster_options, error) : status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  bool several = is_all() || (backend_name != NULL && strchr(backend_name, ',') != NULL);
  roof_status status = cluster   ? run_cluster(args, error)
                       : several ? run_several(args, error)
                                 : run_one(args, error);
  free(patience);
  free(network);
  free(ledger);
  free(percent);
  free(device);
  free(samples_name);
  free(old_name);
  free(backend_name);
  return status;
}

static const cli_effect effects[] = {{.options = "*", .with = "WORD", .except = "compare"},
                                     {.options = "to", .with = "WORD"},
                                     {.options = "verbose", .with = "compare"},
                                     {.options = "device samples compare verbose", .with = "cluster"},
                                     {.options = "csv", .with = "cluster"},
                                     {.options = "patience network", .without = "cluster"},
                                     {.options = "ledger", .without = "network"},
                                     {0}};

const cli_command cli_cmd_measure = {
    .name = "measure",
    .task = CLI_TASK_MEASURE,
    .arguments = "[NEW]",
    .summary = "what this machine really reaches: clock, peaks, bandwidths; kept as the machine `host`",
    .examples = "  roofline measure --quick\n"
                "  roofline measure --verbose\n"
                "  roofline measure --to laptop.json\n"
                "  roofline measure --compare laptop.json\n"
                "  roofline measure --backend cpu,opencl\n"
                "  roofline measure --backend cuda --device all\n"
                "  roofline measure --quick --json | jq .peaks\n"
                "  mpirun -n 16 --map-by node roofline measure --cluster\n"
                "  mpirun -n 16 --map-by node roofline measure --cluster --network 10s\n"
                "  srun --mpi=pmix --ntasks-per-node=1 roofline measure --cluster --to cluster.json\n",
    .writes = "json svg png pdf html",
    .groups = CLI_ARGS_KEEP | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
