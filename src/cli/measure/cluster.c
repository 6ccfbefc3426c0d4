/* One run over all nodes: started on each by mpirun or srun, it finds itself under the launcher. */
#include "cli/measure/cluster.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cluster/cluster.h"
#include "cluster/collect.h"
#include "cluster/launcher.h"

static const char usual_file[] = "cluster.json";
static const double start_patience = 60, leave_patience = 30; /* s */

/* --- a signal leaves no half file: a thread of the first rank waits for it --- */

static struct {
  pthread_mutex_t lock;
  rf_collection *collection; /* NULL: nothing is kept yet, or all is written */
} watched = {PTHREAD_MUTEX_INITIALIZER, NULL};

static void watched_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

static void *watch(void *unused) {
  sigset_t set;
  int signal = 0;
  watched_signals(&set);
  sigwait(&set, &signal);
  pthread_mutex_lock(&watched.lock);
  if (watched.collection != NULL) {
    roof_error why;
    roof_error_set(&why, ROOF_E_UNSUPPORTED, "%s",
                   rf_collection_keep(watched.collection, "the launcher or somebody ended the run"));
    cli_report("", &why);
  }
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

static roof_status run_first(const cli_args *args, const rf_job *job, const rf_collect_options *options,
                             roof_error *error) {
  rf_collection collection;
  roof_status status = rf_collection_init(&collection, job, options, error);
  if (status != ROOF_OK) {
    return status;
  }
  set_watched(&collection);
  status = rf_collect(job, options, &collection, error);
  set_watched(NULL);
  status = status == ROOF_OK ? answer(args, collection.nodes, options->path, error) : status;
  rf_collection_done(&collection);
  return status;
}

/** A rank of a job that has begun; the job ends with it. */
static roof_status run(const cli_args *args, rf_job *job, const rf_collect_options *options,
                       roof_error *error) {
  roof_status status =
      job->rank == 0 ? run_first(args, job, options, error) : rf_collect(job, options, NULL, error);
  status = status == ROOF_OK ? rf_collect_leave(job, leave_patience, error) : status;
  if (status != ROOF_OK) {
    if (job->rank == 0 || status != ROOF_E_NAME) { /* a name that is wrong is wrong for all */
      cli_report("", error);
    }
    rf_job_abort(job, status);
  }
  rf_job_end(job);
  return ROOF_OK;
}

roof_status cli_measure_cluster(const cli_args *args, const roof_measure_options *how, const char *backends,
                                double patience, roof_error *error) {
  const rf_launcher *launcher = rf_job_under_launcher(NULL);
  rf_collect_options options = {.backends = backends,
                                .how = *how,
                                .patience = patience,
                                .path = args->file != NULL ? args->file : usual_file};
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
  return status == ROOF_OK ? run(args, &job, &options, error) : status;
}
