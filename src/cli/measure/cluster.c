/* One run over all nodes: started on each by mpirun or srun, it finds itself under the launcher. */
#include "cli/measure/cluster.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cluster/cluster.h"
#include "cli/measure/watch.h"
#include "cluster/collect.h"
#include "cluster/fabric_job.h"
#include "cluster/fabric_roll.h"
#include "cluster/gpus_measure.h"
#include "cluster/launcher.h"
#include "host/clock.h"

static const char usual_file[] = "cluster.json";
static const double start_patience = 60, leave_patience = 30, network_patience = 120; /* s */
static const double roll_patience = 5; /* that calling the roll takes, and more */

/** A cli_watch_keeper of a collection: names who hangs, which only the network's part waits for. */
static const char *keep(void *user, const char *why) {
  rf_collection *collection = user;
  char names[512], silent[640];
  if (why == NULL) {
    bool gpus = collection->nodes->network != NULL; /* that between ranks is there */
    snprintf(silent, sizeof silent, "no answer from %s, so that the network%s is not measured",
             rf_roll_silent(collection->job, names, sizeof names), gpus ? " between GPUs" : "");
  }
  return rf_collection_keep(collection, why != NULL ? why : silent);
}

/* --- the run --- */

/** The file, complete; then the report. */
static roof_status answer(const cli_args *args, const roof_nodes *nodes, const char *file,
                          roof_error *error) {
  roof_text json = {0}, out = {0};
  roof_status status = roof_nodes_write(nodes, &json, error);
  bool printed = args->json || strcmp(file, "-") == 0;
  if (status == ROOF_OK && strcmp(file, "-") != 0) {
    status = cli_to_write(args, file, &json, error);
  }
  if (status == ROOF_OK && printed) {
    status = cli_print_document(&json, error);
  }
  roof_text_done(&json);
  if (status != ROOF_OK || printed) {
    return status;
  }
  cli_cluster_add_report(nodes, file, &out);
  return cli_print_end(&out, ROOF_OK, error);
}

/** A run, as each rank has it. */
typedef struct asked {
  const cli_args *args;
  rf_collect_options collect;
  rf_fabric_task fabric; /* its plan's seconds 0: the network is not measured */
} asked;

static void show_step(void *user, const char *what) {
  cli_show_progress(user, what, 0, 1);
}

/** Gives the network's parts together so long; rank 0 then names who hangs. */
static void limit(double patience, const rf_fabric_task *task) {
  double end = rf_clock_seconds() + patience + 10 * task->plan.seconds;
  rf_roll_at(end);
  cli_watch_limit(end + roll_patience - rf_clock_seconds());
}

/** What was measured so far into the nodes of the first rank, whose `nodes` is NULL on the others. */
static roof_status keep_network(const roof_fabric *fabric, roof_nodes *nodes, roof_error *error) {
  roof_text json = {0};
  if (nodes == NULL) {
    return ROOF_OK;
  }
  roof_status status = roof_fabric_write(fabric, &json, error);
  free(nodes->network);
  nodes->network = json.data;
  return status == ROOF_OK ? roof_nodes_judge(nodes, error) : status;
}

/** Between GPUs; where there are some that cannot be measured, it is said why. */
static roof_status measure_gpus(const rf_job *job, const rf_fabric_task *task, roof_fabric *fabric,
                                roof_nodes *nodes, roof_error *error) {
  char why[RF_GPUS_WHY];
  roof_text note = {0};
  roof_status status = rf_gpus_measure(job, task, fabric, why, error);
  status = status == ROOF_OK && fabric->gpus != NULL ? keep_network(fabric, nodes, error) : status;
  if (status == ROOF_OK && job->rank == 0 && why[0] != '\0') {
    roof_text_addf(&note, "GPUs: messages between them are %s: %s\n",
                   fabric->gpus != NULL ? "not measured on all ranks" : "not measured", why);
    status = cli_note(&note, error);
    roof_text_done(&note);
  }
  return status;
}

/** Between ranks, then between GPUs. */
static roof_status measure_network(const rf_job *job, const asked *a, roof_nodes *nodes, roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  roof_fabric fabric = {0};
  rf_fabric_task task = a->fabric;
  double patience = a->collect.patience > 0 ? a->collect.patience : network_patience;
  limit(patience, &task);
  roof_status status = job->rank == 0 ? roof_ledger_commit(commit, error) : ROOF_OK;
  task.how.commit = job->rank == 0 ? commit : NULL;
  status = status == ROOF_OK ? rf_fabric_of_job(job, &task, &fabric, error) : status;
  status = status == ROOF_OK ? keep_network(&fabric, nodes, error) : status;
  if (status == ROOF_OK) {
    limit(patience, &task);
    status = measure_gpus(job, &task, &fabric, nodes, error);
  }
  roof_fabric_done(&fabric);
  if (status != ROOF_OK && rf_roll_is_due() && job->rank == 0) {
    cli_watch_hang();
  }
  cli_watch_limit(INFINITY);
  return status;
}

/** By all ranks; `c` is of the first alone. */
static roof_status collect(const rf_job *job, const asked *a, rf_collection *c, roof_error *error) {
  roof_status status = rf_collect(job, &a->collect, c, error);
  if (status == ROOF_OK && a->fabric.plan.seconds > 0) {
    status = measure_network(job, a, c != NULL ? c->nodes : NULL, error);
    if (status != ROOF_OK && c != NULL) {
      rf_collection_keep(c, "the network could not be measured");
    }
  }
  return status;
}

static roof_status run_first(const rf_job *job, const asked *a, roof_error *error) {
  rf_collection collection;
  roof_status status = rf_collection_init(&collection, job, &a->collect, error);
  if (status != ROOF_OK) {
    return status;
  }
  cli_watch_set(keep, &collection);
  status = collect(job, a, &collection, error);
  cli_watch_set(NULL, NULL);
  cli_show_progress((void *)(uintptr_t)a->args, "", 1, 1);
  status = status == ROOF_OK ? answer(a->args, collection.nodes, a->collect.path, error) : status;
  rf_collection_done(&collection);
  return status;
}

/** A rank of a job that has begun; the job ends with it. */
static roof_status run(rf_job *job, asked *a, roof_error *error) {
  rf_fabric_prepare(job, &a->fabric);
  roof_status status = job->rank == 0 ? run_first(job, a, error) : collect(job, a, NULL, error);
  status = status == ROOF_OK ? rf_collect_leave(job, leave_patience, error) : status;
  bool said_by_first = job->rank != 0 && status == ROOF_E_NAME; /* a name that is wrong is wrong for all */
  if (status != ROOF_OK && !said_by_first) {
    cli_report("", error);
    rf_job_abort(job, status);
  }
  rf_job_end(job, true);
  return ROOF_OK;
}

roof_status cli_measure_cluster(const cli_args *args, const roof_measure_options *how,
                                const cli_cluster_options *options, roof_error *error) {
  const rf_launcher *launcher = rf_job_under_launcher(NULL);
  asked a = {.args = args,
             .collect = {.backends = options->backends,
                         .how = *how,
                         .patience = options->patience,
                         .path = args->file != NULL ? args->file : usual_file},
             .fabric = {.plan = {.seconds = options->network,
                                 .factor = how->quick ? 4 : 2,
                                 .listener = show_step,
                                 .user = (void *)(uintptr_t)args},
                        .ledger = options->ledger}};
  rf_job job;
  roof_status status = ROOF_OK;
  if (args->file != NULL && strcmp(args->ending, "json") != 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "--to %s: the cluster's file is JSON; `roofline cluster report FILE.json --to %s` draws it", args->to,
        args->to);
  }
  if (launcher != NULL && rf_launcher_rank(launcher) == 0) {
    status = cli_watch_begin(error);
  }
  if (status == ROOF_OK && args->file == NULL) {
    status = cli_to_check(usual_file, error);
  }
  status = status == ROOF_OK ? rf_job_begin(&job, start_patience, error) : status;
  return status == ROOF_OK && job.size > 0 ? run(&job, &a, error) : status;
}
