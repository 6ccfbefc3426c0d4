#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ledger/seal.h"
#include "cli/loop/loop.h"
#include "core/number.h"
#include "roofline/advise.h"
#include "roofline/time.h"

static int quick;
static char *backend_name, *report_path, *ledger_path, *dtype_name;

static const struct poptOption options[] = {
    {"quick", '\0', POPT_ARG_NONE, &quick, 0, "smaller shapes and shorter measurements: under 20 s", NULL},
    {"backend", 'b', POPT_ARG_STRING, &backend_name, 0, "what measures: cpu (default), opencl, cuda, fake",
     "NAME"},
    {"dtype", 'd', POPT_ARG_STRING, &dtype_name, 0, "fp32 (default) or fp64", "TYPE"},
    {"report", '\0', POPT_ARG_STRING, &report_path, 0, "the HTML report; default roofline-report.html",
     "FILE"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    POPT_TABLEEND};

/** Fails before measuring where the report could not be kept. */
static roof_status check_report(const cli_loop *loop, roof_error *error) {
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", loop->report);
  if (access(dirname(copy), W_OK) != 0) {
    return roof_error_set(error, ROOF_E_OUTPUT, "%s: %s", loop->report, strerror(errno));
  }
  return ROOF_OK;
}

static bool is_wanted(const cli_loop *loop, const roof_kernel *kernel) {
  return kernel->in_loop && roof_kernel_runs_on(kernel, loop->backend->name);
}

/** Some kernel must be written for the format asked for. */
static roof_status check_format(const cli_loop *loop, roof_error *error) {
  roof_dtype dtype = loop->dtype;
  for (int i = 0; i < roof_kernel_count(); i++) {
    if (is_wanted(loop, roof_kernel_at(i)) && roof_kernel_at(i)->supports(dtype)) {
      return ROOF_OK;
    }
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED,
                        "--dtype %s: no built-in kernel is written for it; use fp32 or fp64",
                        roof_dtype_name(dtype));
}

static roof_status set_up(cli_loop *loop, roof_error *error) {
  roof_status status = cli_select_backend(backend_name, &loop->backend, error);
  if (status == ROOF_OK && dtype_name != NULL) {
    status = roof_dtype_parse(dtype_name, &loop->dtype, error);
  }
  if (status == ROOF_OK) {
    status = check_format(loop, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  loop->kernels = calloc((size_t)roof_kernel_count(), sizeof *loop->kernels);
  if (loop->kernels == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "loop: out of memory");
  }
  for (int i = 0; i < roof_kernel_count(); i++) {
    if (is_wanted(loop, roof_kernel_at(i))) {
      loop->kernels[loop->count++].kernel = roof_kernel_at(i);
    }
  }
  loop->options = roof_measure_options_default();
  loop->options.quick = quick != 0;
  loop->options.progress = cli_show_progress;
  loop->options.user = (void *)(uintptr_t)loop->args;
  return check_report(loop, error);
}

/** Measures this machine, keeps it under its name (`host`), and resolves it for predictions. */
static roof_status characterise(cli_loop *loop, roof_error *error) {
  roof_types types = roof_types_of(loop->dtype);
  roof_options o = roof_options_default();
  o.achieved = true;
  roof_status status = loop->backend->measure(&loop->options, &loop->machine, error);
  if (status == ROOF_OK) {
    status = roof_catalog_save(loop->machine, error);
  }
  return status == ROOF_OK ? roof_target_init(&loop->target, loop->machine, &types, &o, error) : status;
}

static roof_status predict(cli_loop *loop, cli_loop_kernel *k, roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = roof_op_find(k->kernel->op, &op, error);
  if (status == ROOF_OK) {
    status = roof_kernel_values(k->kernel, k->shape, k->values, error);
  }
  if (status == ROOF_OK) {
    roof_kernel_label(k->kernel, loop->dtype, k->values, k->label, sizeof k->label);
    roof_predict(&loop->target, op, k->values, &k->prediction);
  }
  return status;
}

static roof_status add_sealing(cli_loop *loop, const cli_loop_kernel *k, roof_sealings *list,
                               roof_error *error) {
  const roof_op *op = NULL;
  roof_sealing s;
  roof_status status = roof_op_find(k->kernel->op, &op, error);
  if (status == ROOF_OK) {
    status = roof_sealing_of(&loop->target, op, k->values, &k->prediction, &s, error);
  }
  if (status == ROOF_OK) {
    status = roof_sealing_name(&s, k->label, error);
  }
  return status == ROOF_OK ? roof_sealings_add(list, &s, error) : status;
}

/** Seals a prediction for every kernel that can run, before any is measured, into a ledger that holds. */
static roof_status seal_all(cli_loop *loop, roof_error *error) {
  roof_ledger_summary summary;
  roof_sealings list = {0};
  roof_status status = ROOF_OK;
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    cli_loop_kernel *k = &loop->kernels[i];
    k->shape = roof_backend_sizes(loop->backend, k->kernel, quick != 0);
    const char *why = k->kernel->disabled_reason != NULL ? k->kernel->disabled_reason() : NULL;
    if (why == NULL && !k->kernel->supports(loop->dtype)) {
      why = "not written for this number format";
    }
    snprintf(k->label, sizeof k->label, "%s %s %s", k->kernel->name, k->shape, roof_dtype_name(loop->dtype));
    snprintf(k->skipped, sizeof k->skipped, "%s", why != NULL ? why : "");
    status = predict(loop, k, error);
    if (status == ROOF_OK && why == NULL) {
      status = add_sealing(loop, k, &list, error);
    }
  }
  if (status == ROOF_OK) {
    status = cli_seal_all(loop->ledger, &list, NULL, error);
  }
  roof_sealings_done(&list);
  return status == ROOF_OK ? roof_ledger_verify(loop->ledger, NULL, &summary, error) : status;
}

/** Runs a kernel and records it. Sets *seconds and `how` (of 256 bytes) on success. */
static roof_status measure_kernel(cli_loop *loop, const cli_loop_kernel *k, double *seconds, char *how,
                                  roof_error *error) {
  roof_measurement m;
  roof_measure_options silent = loop->options;
  silent.progress = NULL;
  roof_measurement_init(&m);
  double taken = roof_time_now();
  roof_status status = loop->backend->run(k->kernel, loop->dtype, k->values, &silent, &m, error);
  if (status == ROOF_OK) {
    m.taken = taken;
    snprintf(m.label, sizeof m.label, "%s", k->label);
    snprintf(m.machine, sizeof m.machine, "%s", loop->machine->name);
    status = roof_ledger_record(loop->ledger, &m, 1, NULL, error);
    *seconds = m.seconds;
    rf_format(how, sizeof k->how, "median of %zu samples, spread %.1f %%; %s", m.sample_count,
              100 * m.stats.spread, m.note);
  }
  roof_measurement_done(&m);
  return status;
}

/** Runs every kernel; one that cannot run is skipped with its reason, a ledger that fails ends the loop. */
static roof_status measure_all(cli_loop *loop, roof_error *error) {
  for (int i = 0; i < loop->count; i++) {
    cli_loop_kernel *k = &loop->kernels[i];
    roof_error why = {0};
    if (k->skipped[0] != '\0') {
      continue;
    }
    cli_show_progress(loop->options.user, k->kernel->name, i, loop->count);
    roof_status status = measure_kernel(loop, k, &k->measured_seconds, k->how, &why);
    if (status == ROOF_E_OUTPUT || status == ROOF_E_PARSE || status == ROOF_E_GATE) {
      return roof_error_set(error, status, "%s", why.message);
    }
    snprintf(k->skipped, sizeof k->skipped, "%s", why.message);
  }
  cli_show_progress(loop->options.user, "", loop->count, loop->count);
  return ROOF_OK;
}

static roof_status reconcile(cli_loop *loop, roof_error *error) {
  roof_reconcile all;
  roof_status status = roof_ledger_reconcile(loop->ledger, &all, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < loop->count; i++) {
    cli_loop_kernel *k = &loop->kernels[i];
    for (size_t j = 0; j < all.count && k->skipped[0] == '\0'; j++) {
      if (strcmp(all.entries[j].label, k->label) == 0) {
        k->reconciled = all.entries[j];
        roof_place_work(&loop->target, &k->prediction.work, k->measured_seconds, NAN, &k->placed);
        loop->done++;
      }
    }
  }
  roof_reconcile_done(&all);
  return ROOF_OK;
}

static bool too_good(const char *verdict) {
  return strcmp(verdict, "remeasure") == 0 || strcmp(verdict, "explain") == 0;
}

static double ceiling_spread(const roof_prediction *p) {
  bool compute = p->regime == ROOF_COMPUTE_BOUND && p->peak != NULL;
  bool memory = p->regime == ROOF_MEMORY_BOUND && p->binding != NULL;
  return compute ? p->peak->spread : memory ? p->binding->spread : NAN;
}

/** Says whether a second measurement confirms the first, and what that means over a measured ceiling. */
static void compare(const roof_target *target, cli_loop_kernel *k, double seconds) {
  char time[32], ceiling[96] = "";
  roof_placed again;
  roof_place_work(target, &k->prediction.work, seconds, NAN, &again);
  const char *verdict = again.verdict->name;
  bool same = strcmp(verdict, k->reconciled.verdict) == 0;
  double spread = ceiling_spread(&k->prediction);
  if (same && again.state > ROOF_PLACE_POSSIBLE && !isnan(spread)) {
    rf_format(ceiling, sizeof ceiling,
              ": it outruns the loop that measured the ceiling, whose spread is %.1f %%", 100 * spread);
  }
  rf_format(k->again, sizeof k->again, "measured again: %s, %.1f %% of the ceiling, %s%s%s",
            roof_quantity_format(time, sizeof time, seconds, "s"), 100 * again.share,
            same ? "confirmed" : "not confirmed: ", same ? "" : verdict, ceiling);
}

/** Measures once more what came out too good. */
static roof_status doubt_all(cli_loop *loop, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < loop->count && status == ROOF_OK; i++) {
    cli_loop_kernel *k = &loop->kernels[i];
    double seconds = NAN;
    char how[sizeof k->how];
    if (k->skipped[0] != '\0' || !too_good(k->reconciled.verdict)) {
      continue;
    }
    cli_show_progress(loop->options.user, k->kernel->name, i, loop->count);
    status = measure_kernel(loop, k, &seconds, how, error);
    if (status == ROOF_OK) {
      compare(&loop->target, k, seconds);
    }
  }
  cli_show_progress(loop->options.user, "", loop->count, loop->count);
  return status;
}

static roof_status tell(const cli_loop *loop, roof_error *error) {
  roof_text html = {0}, text = {0};
  roof_status status = cli_loop_html(loop, &html, error);
  if (status == ROOF_OK) {
    status = rf_write_file(loop->report, html.data, html.length, error);
  }
  if (status == ROOF_OK && loop->args->json) {
    status = cli_json_print(cli_loop_json(loop), error);
  } else if (status == ROOF_OK) {
    (loop->args->csv ? cli_loop_csv : cli_loop_text)(loop, &text);
    status = cli_print(&text, error);
  }
  roof_text_done(&html);
  roof_text_done(&text);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  static roof_status (*const steps[])(cli_loop *, roof_error *) = {set_up,      characterise, seal_all,
                                                                   measure_all, reconcile,    doubt_all};
  cli_loop loop = {
      .args = args,
      .dtype = ROOF_FP32,
      .ledger = ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER,
      .report = report_path != NULL ? report_path : "roofline-report.html",
  };
  roof_status status = cli_args_limit_words(args, 0, error);
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ROOF_OK; i++) {
    status = steps[i](&loop, error);
  }
  if (status == ROOF_OK) {
    status = tell(&loop, error);
  }
  free(loop.kernels);
  roof_machine_free(loop.machine);
  free(backend_name);
  free(report_path);
  free(ledger_path);
  free(dtype_name);
  return status;
}

const cli_command cli_cmd_loop = {
    .name = "loop",
    .arguments = "",
    .summary = "the main job: measure this machine, seal, run the kernels, reconcile, write a report",
    .examples = "  roofline loop --quick\n"
                "  roofline loop --report today.html --ledger today.ledger\n"
                "  roofline loop --quick --json | jq '.entries[] | {label, verdict, headroom}'\n",
    .options = options,
    .run = run,
};
