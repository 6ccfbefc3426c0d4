/* The effects' constants fitted to timings. */
#include "roofline/calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "cli/accuracy/fits.h"
#include "cli/accuracy/lines.h"
#include "roofline/catalog.h"

static char *family, *kernel_name, *dtype_name, *source;
static const struct poptOption options[] = {
    {"family", '\0', POPT_ARG_STRING, &family, 0,
     "timings of this family's machines alone, or of a class of devices: hopper, gpu", "NAME"},
    {"kernel", '\0', POPT_ARG_STRING, &kernel_name, 0,
     "one kind of kernel: stream, product, decode, prefill, mla-decode, mla-prefill, experts, collective",
     "KIND"},
    {"dtype", '\0', POPT_ARG_STRING, &dtype_name, 0, "arithmetic in one format", "FORMAT"},
    {"source", '\0', POPT_ARG_STRING, &source, 0, "who measured what, for the constants' source", "TEXT"},
    POPT_TABLEEND};

/** The machine named, or the one that all timings are of, to be changed. */
static roof_status copy_machine(const cli_args *args, const roof_calibration *c, const roof_machine *machine,
                                roof_machine **copy, roof_error *error) {
  if (machine == NULL) {
    return c->machine[0] != '\0'
               ? roof_catalog_load(c->machine, copy, error)
               : roof_error_set(
                     error, ROOF_E_ARGUMENT,
                     "--to %s: the timings are of several machines; --family NAME keeps the constants, "
                     "--machine NAME that machine with them",
                     args->to);
  }
  *copy = roof_machine_copy(machine);
  return *copy != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "calibrate: out of memory");
}

/** The machine with its constants, or these alone under the name of the family. */
static roof_status keep(const cli_args *args, const roof_calibration *c, const roof_machine *machine,
                        roof_error *error) {
  if (c->count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--to %s: runs of whole models give no kernel's constants; timings of kernels do",
                          args->to);
  }
  roof_text document = {0};
  roof_machine *copy = NULL;
  roof_status status = family == NULL ? copy_machine(args, c, machine, &copy, error) : ROOF_OK;
  if (status == ROOF_OK && family != NULL) {
    status = roof_calibration_write_constants(c, family, &document, error);
  } else if (status == ROOF_OK) {
    status = roof_calibration_apply(c, copy, error);
    status = status == ROOF_OK ? roof_machine_write(copy, &document, error) : status;
  }
  status = status == ROOF_OK ? cli_to_write(args, args->file, &document, error) : status;
  roof_machine_free(copy);
  roof_text_done(&document);
  return status;
}

static roof_status answer(const cli_args *args, const roof_calibration *c, const roof_machine *machine,
                          roof_error *error) {
  roof_text out = {0};
  roof_status status = args->file != NULL ? keep(args, c, machine, error) : ROOF_OK;
  if (status == ROOF_OK && args->json) {
    status = roof_calibration_write(c, &out, error);
  } else if (status == ROOF_OK) {
    cli_fits_add(c, &out);
  }
  return cli_print_end(&out, status, error);
}

static roof_status read_names(roof_calibrate_options *how, roof_error *error) {
  roof_kernel_kind kernel = ROOF_KERNEL_KIND_COUNT;
  roof_dtype dtype = ROOF_DTYPE_COUNT;
  roof_status status = kernel_name != NULL ? roof_kernel_kind_parse(kernel_name, &kernel, error) : ROOF_OK;
  if (status == ROOF_OK && dtype_name != NULL) {
    status = roof_dtype_parse(dtype_name, &dtype, error);
  }
  how->kernel = kernel_name != NULL ? (int)kernel : -1;
  how->dtype = dtype_name != NULL ? (int)dtype : -1;
  how->family = family;
  return status;
}

/** What was measured: as --source says, else the files. */
static void name_source(const cli_args *args, roof_text *out) {
  for (int i = 0; i < args->word_count && source == NULL; i++) {
    const char *slash = strrchr(args->words[i], '/');
    roof_text_addf(out, "%s%s", i > 0 ? ", " : "", slash != NULL ? slash + 1 : args->words[i]);
  }
  roof_text_add(out, source != NULL ? source : "");
}

static roof_status calibrate(const cli_args *args, roof_calibrate_options *how, roof_error *error) {
  roof_profile profile = {0};
  roof_options model;
  roof_calibration calibration = {0};
  roof_text named = {0};
  roof_status status = cli_select_options(args, &model, error);
  status = status == ROOF_OK ? cli_timings_import(args, &profile, error) : status;
  if (status == ROOF_OK) {
    name_source(args, &named);
    how->source = named.data;
    status = roof_calibrate(&profile, how, &model, &calibration, error);
  }
  status = status == ROOF_OK ? answer(args, &calibration, how->machine, error) : status;
  roof_calibration_done(&calibration);
  roof_profile_done(&profile);
  roof_text_done(&named);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_calibrate_options how = roof_calibrate_options_default();
  roof_machine *machine = NULL;
  roof_status status = read_names(&how, error);
  if (status == ROOF_OK && args->machines != NULL) {
    status = cli_select_machine(args, "calibrate", &machine, error);
  }
  how.machine = machine;
  status = status == ROOF_OK ? calibrate(args, &how, error) : status;
  roof_machine_free(machine);
  free(family);
  free(kernel_name);
  free(dtype_name);
  free(source);
  return status;
}

static const cli_effect effects[] = {{.options = "family", .with = "machine"}, {.options = "csv"}, {0}};

const cli_command cli_cmd_calibrate = {
    .name = "calibrate",
    .task = CLI_TASK_MEASURE,
    .arguments = "TIMINGS.csv ...",
    .summary = "fit the constants of the effects between the bare roofline and the expected time to timings",
    .examples = "  roofline calibrate timings.csv --machine h200 --to h200.json\n"
                "  roofline calibrate gemm_*.csv --family hopper --kernel product --to hopper.product.json\n"
                "\n"
                "  One shape in five is not fitted: it judges the constants and gives the interval.\n"
                "  --to keeps the machine that the timings are of with its constants, or with --family the "
                "constants alone.\n",
    .writes = "json",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_MODEL | CLI_ARGS_KEEP,
    .options = options,
    .effects = effects,
    .run = run,
};
