/* One run over all nodes: started on each by mpirun or srun, it finds itself under the launcher. */
#include "cli/measure/cluster.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cluster/cluster.h"
#include "cluster/collect.h"
#include "cluster/fabric_job.h"
#include "cluster/fabric_roll.h"
#include "cluster/launcher.h"
#include "host/clock.h"

static const char usual_file[] = "cluster.json";
static const double start_patience = 60, leave_patience = 30, network_patience = 120; /* s */
static const double roll_patience = 5; /* that calling the roll takes, and more */

/* --- a signal leaves no half file: a thread of the first rank waits for it --- */

static struct {
  pthread_mutex_t lock;
  const rf_job *job;
  rf_collection *collection; /* NULL: nothing is kept yet, or all is written */
  _Atomic double end;        /* when a rank is taken to hang; infinity: that is found elsewhere */
} watched = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, INFINITY};

static void watched_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

/** What there is goes to the file so far; says `why` the run ends. */
static void keep(const char *why) {
  pthread_mutex_lock(&watched.lock);
  if (watched.collection != NULL) {
    roof_error error;
    roof_error_set(&error, ROOF_E_UNSUPPORTED, "%s", rf_collection_keep(watched.collection, why));
    cli_report("", &error);
  }
}

/** Names who hangs in the network's part. */
static void keep_silent(void) {
  char names[512], why[640];
  snprintf(why, sizeof why, "no answer from %s, so that the network is not measured",
           rf_roll_silent(watched.job, names, sizeof names));
  keep(why);
}

static void *watch(void *unused) {
  const struct timespec look = {.tv_sec = 1};
  sigset_t set;
  int signal = 0;
  watched_signals(&set);
  while ((signal = sigtimedwait(&set, NULL, &look)) < 0 && rf_clock_seconds() < watched.end) {
  }
  if (signal < 0) {
    keep_silent();
    _exit(roof_status_exit_code(ROOF_E_UNSUPPORTED));
  }
  keep("the launcher or somebody ended the run");
  _exit(128 + signal);
  return unused;
}

static roof_status watch_signals(roof_error *error) {
  pthread_t thread;
  sigset_t set;
  watched_signals(&set);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 || pthread_create(&thread, NULL, watch, NULL) != 0) {
    return roof_error_set(error, ROOF_E_MEMORY, "cluster: no thread can be started");
  }
  pthread_detach(thread);
  return ROOF_OK;
}

static void set_watched(rf_collection *collection) {
  pthread_mutex_lock(&watched.lock);
  watched.collection = collection;
  pthread_mutex_unlock(&watched.lock);
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

/** The network into the nodes of the first rank, whose `nodes` is NULL on the others. */
static roof_status measure_network(const rf_job *job, const asked *a, roof_nodes *nodes, roof_error *error) {
  char commit[ROOF_DIGEST_MAX];
  roof_text json = {0};
  roof_fabric fabric = {0};
  rf_fabric_task task = a->fabric;
  double patience = a->collect.patience > 0 ? a->collect.patience : network_patience;
  double end = rf_clock_seconds() + patience + 10 * task.plan.seconds;
  rf_roll_at(end);
  watched.job = job;
  watched.end = end + roll_patience;
  roof_status status = job->rank == 0 ? roof_ledger_commit(commit, error) : ROOF_OK;
  task.how.commit = job->rank == 0 ? commit : NULL;
  status = status == ROOF_OK ? rf_fabric_of_job(job, &task, &fabric, error) : status;
  if (status == ROOF_OK && nodes != NULL) {
    status = roof_fabric_write(&fabric, &json, error);
    nodes->network = json.data;
  }
  roof_fabric_done(&fabric);
  if (status != ROOF_OK && rf_roll_is_due() && job->rank == 0) {
    keep_silent();
    _exit(roof_status_exit_code(ROOF_E_UNSUPPORTED));
  }
  watched.end = INFINITY;
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
  set_watched(&collection);
  status = collect(job, a, &collection, error);
  set_watched(NULL);
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
  rf_job_end(job);
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
    status = watch_signals(error);
  }
  if (status == ROOF_OK && args->file == NULL) {
    status = cli_to_check(usual_file, error);
  }
  status = status == ROOF_OK ? rf_job_begin(&job, start_patience, error) : status;
  return status == ROOF_OK && job.size > 0 ? run(&job, &a, error) : status;
}
