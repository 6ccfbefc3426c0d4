/* `run KERNEL --strong|--weak`: a kernel shared out over 1, 2, 4 ... ranks of a job, sealed before it is measured. */
#include "cli/run/scaling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/scaling.h"
#include "cli/ledger/seal.h"
#include "cli/measure/watch.h"
#include "cluster/collect.h"
#include "cluster/fabric_roll.h"
#include "cluster/launcher.h"
#include "cluster/scaling_measure.h"

static const double start_patience = 60, usual_patience = 60, leave_patience = 30; /* s */

/** A study as this rank runs it. */
typedef struct run {
  const cli_scaling *asked;
  rf_job job;
  const rf_scaling_kernel *kernel;
  double values[ROOF_PARAM_MAX];
  rf_scaling_study study;
  roof_fabric fabric;
} run;

static roof_status answer(const run *r, roof_error *error) {
  const cli_args *args = r->asked->args;
  roof_status status = cli_scaling_draw(args, &r->study, error);
  return status == ROOF_OK ? cli_scaling_print(args, &r->study, NULL, r->asked->ledger, error) : status;
}

/* --- the run --- */

/** Why the run ends: ranks whose processes are gone; or those that hang, where no reason is given. */
static void add_why(const rf_job *job, const char *why, roof_text *out) {
  char name[512];
  for (int i = 0; i < job->size; i++) {
    if (rf_job_is_gone(job, i)) {
      roof_text_addf(out, "%s ended: ", rf_job_rank_name(job, i, name, sizeof name));
    }
  }
  roof_text_addf(out, why != NULL ? "%s" : "no answer from %s",
                 why != NULL ? why : rf_roll_silent(job, name, sizeof name));
}

/** A cli_watch_keeper: what was measured is in the ledger already. */
static const char *keep(void *user, const char *why) {
  static char line[512];
  const run *r = user;
  roof_text text = {0};
  add_why(&r->job, why, &text);
  snprintf(line, sizeof line, "run: %.300s; %d of %d numbers of ranks were measured%s%.128s",
           text.data != NULL ? text.data : "", r->study.measured, r->study.count,
           r->study.measured > 0 ? ": " : "", r->study.measured > 0 ? r->asked->ledger : "");
  roof_text_done(&text);
  return line;
}

static void hear(void *user, const char *what, double seconds) {
  const run *r = user;
  cli_show_progress((void *)(uintptr_t)r->asked->args, what, r->study.measured,
                    r->study.count > 0 ? r->study.count : 1);
  cli_watch_limit(r->asked->patience > 0 ? r->asked->patience : usual_patience + 10 * seconds);
}

static rf_scaling_task task_of(run *r, const roof_machine *machine, const char *commit) {
  const cli_scaling *asked = r->asked;
  return (rf_scaling_task){.kernel = r->kernel,
                           .weak = asked->weak,
                           .values = r->values,
                           .machine = machine,
                           .seconds = asked->quick ? 0.1 : 1,
                           .factor = asked->quick ? 8 : 2,
                           .ledger = asked->ledger,
                           .how = {.commit = commit, .key = asked->key},
                           .listener = hear,
                           .user = r};
}

/** Of a job that has begun. */
static roof_status run_job(run *r, const rf_scaling_task *task, roof_error *error) {
  if (r->job.rank == 0) {
    cli_watch_set(keep, r);
  }
  roof_status status = rf_scaling_of_job(&r->job, task, &r->study, &r->fabric, error);
  roof_status ended = status; /* the same on all ranks */
  cli_watch_limit(usual_patience);
  if (status == ROOF_OK && r->job.rank == 0) {
    cli_show_progress((void *)(uintptr_t)r->asked->args, "", 1, 1);
    status = answer(r, error);
  }
  roof_fabric_done(&r->fabric);
  if (status == ROOF_OK) {
    status = rf_collect_leave(&r->job, leave_patience, error);
  } else if (ended == ROOF_OK) { /* at the answer: nobody else knows */
    cli_report("", error);
    rf_job_abort(&r->job, status);
  }
  cli_watch_set(NULL, NULL);
  rf_job_end(&r->job, status == ROOF_OK);
  return status;
}

/** What can be wrong before any rank meets another. */
static roof_status prepare(run *r, roof_error *error) {
  const cli_args *args = r->asked->args;
  const char *mode = r->asked->weak ? "weak" : "strong";
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "--%s: of which kernel? `mpirun -n 4 roofline run gemm --%s`", mode, mode);
  }
  roof_status status = rf_scaling_find(args->words[0], &r->kernel, error);
  if (status == ROOF_OK) {
    status = rf_scaling_problem(r->kernel, args->words + 1, args->word_count - 1, r->values, error);
  }
  roof_dtype dtype = ROOF_DTYPE_COUNT;
  if (status == ROOF_OK && r->asked->dtype != NULL) {
    status = roof_dtype_parse(r->asked->dtype, &dtype, error);
    if (status == ROOF_OK && dtype != r->kernel->dtype) {
      status = roof_error_set(error, ROOF_E_UNSUPPORTED, "--dtype %s: ranks share %s in %s", r->asked->dtype,
                              r->kernel->name, roof_dtype_name(r->kernel->dtype));
    }
  }
  return status;
}

/** The ceilings that predict: of the first rank's machine, or of the one that was named. */
static roof_status load_ceilings(const cli_args *args, roof_machine **machine, roof_error *error) {
  if (args->machines == NULL) {
    roof_status status = roof_catalog_load_known("host", machine, error);
    return status == ROOF_OK && *machine == NULL
               ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                                "run: the ceilings that would predict it are unknown; `roofline measure` "
                                "finds them, --machine names others")
               : status;
  }
  return cli_select_machine(args, "run", machine, error);
}

/** One line is enough, one file and one exit code: those of the first rank. Launchers end all ranks where one fails. */
static roof_status be_silent(void) {
  roof_text none = {0};
  if (cli_print_caught(&none)) {
    roof_text_done(&none);
  }
  return ROOF_OK;
}

roof_status cli_scaling_run(const cli_scaling *asked, roof_error *error) {
  const rf_launcher *launcher = rf_job_under_launcher(NULL);
  run r = {.asked = asked};
  char commit[ROOF_DIGEST_MAX] = "";
  roof_machine *machine = NULL;
  bool first = launcher == NULL || rf_launcher_rank(launcher) == 0;
  roof_status status = prepare(&r, error);
  status = status == ROOF_OK && first ? load_ceilings(asked->args, &machine, error) : status;
  status = status == ROOF_OK && first ? roof_ledger_commit(commit, error) : status;
  status = status == ROOF_OK && first && launcher != NULL ? cli_watch_begin(error) : status;
  if (status != ROOF_OK) {
    roof_machine_free(machine);
    return first ? status : be_silent();
  }
  status = rf_job_begin(&r.job, start_patience, error);
  bool begun = status == ROOF_OK && r.job.size > 0, says = first || (status != ROOF_OK && !begun);
  if (begun) {
    const rf_scaling_task task = task_of(&r, machine, commit);
    status = run_job(&r, &task, error);
  }
  roof_machine_free(machine);
  return says ? status : be_silent();
}
