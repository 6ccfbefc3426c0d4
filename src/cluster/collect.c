#include "cluster/collect.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/write.h"
#include "roofline/time.h"
#include "roofline/version.h"

enum { TAG_NODE = 1, TAG_LEAVE = 2, TAG_LEFT = 3, PART_MAX = 4096 };

static const double beat = 0.01; /* s between two looks of who waits */

static void rest(void) {
  nanosleep(&(struct timespec){.tv_nsec = (long)(beat * 1e9)}, NULL);
}

static roof_status no_memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
}

static roof_status refused(const rf_job *job, roof_error *error) {
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s: %s", job->mpi->library(),
                        job->mpi->reason());
}

/* --- what there is so far --- */

roof_status rf_collection_init(rf_collection *c, const rf_job *job, const rf_collect_options *options,
                               roof_error *error) {
  char date[ROOF_TIME_MAX];
  *c = (rf_collection){.job = job, .options = options, .missing = job->node_count};
  c->nodes = roof_nodes_new();
  c->has = calloc((size_t)job->node_count, sizeof *c->has);
  c->node_of = calloc((size_t)job->node_count, sizeof *c->node_of);
  if (c->nodes == NULL || c->has == NULL || c->node_of == NULL) {
    roof_nodes_free(c->nodes);
    free(c->has);
    free(c->node_of);
    return no_memory(error);
  }
  pthread_mutex_init(&c->lock, NULL);
  snprintf(c->nodes->version, sizeof c->nodes->version, "%s", roof_version());
  snprintf(c->nodes->date, sizeof c->nodes->date, "%s", roof_time_write(roof_time_now(), date));
  snprintf(c->nodes->launcher, sizeof c->nodes->launcher, "%s", job->launcher->name);
  snprintf(c->nodes->mpi, sizeof c->nodes->mpi, "%.127s", job->mpi != NULL ? job->mpi->library() : "");
  c->nodes->ranks = job->size;
  return ROOF_OK;
}

void rf_collection_done(rf_collection *c) {
  pthread_mutex_destroy(&c->lock);
  roof_nodes_free(c->nodes);
  free(c->has);
  free(c->node_of);
  c->nodes = NULL;
}

roof_status rf_collection_take(rf_collection *c, int node, const char *text, size_t length,
                               roof_error *error) {
  pthread_mutex_lock(&c->lock);
  roof_status status = c->has[node] ? roof_error_set(error, ROOF_E_INTERNAL, "cluster: a node answered twice")
                                    : roof_nodes_add(c->nodes, text, length, error);
  if (status == ROOF_OK) {
    c->node_of[c->nodes->count - 1] = node;
    c->has[node] = true;
    c->missing--;
    c->changed = true;
  }
  pthread_mutex_unlock(&c->lock);
  return status;
}

/** Appends the ranks that have ended or, where none is seen to have, the first ranks of the nodes without an answer. */
static void name_missing(const rf_collection *c, roof_text *out) {
  enum { MOST = 4 };
  char name[128];
  int named = 0, gone = 0;
  for (int i = 0; i < c->job->size; i++) {
    gone += rf_job_is_gone(c->job, i);
  }
  bool *seen = calloc((size_t)c->job->node_count, sizeof *seen);
  for (int i = 0; i < c->job->size && seen != NULL; i++) {
    int node = c->job->node_of[i];
    bool first = !seen[node], counts = gone > 0 ? rf_job_is_gone(c->job, i) : first && !c->has[node];
    seen[node] = true;
    if (counts && named++ < MOST) {
      roof_text_addf(out, "%s%s", named > 1 ? ", " : "", rf_job_rank_name(c->job, i, name, sizeof name));
    }
  }
  free(seen);
  if (named == 0) {
    return;
  }
  roof_text_addf(out, "%s%s", named > MOST ? " and more" : "", gone > 0 ? " ended" : " gave no answer");
}

static void part_path(const rf_collection *c, char path[PART_MAX]) {
  snprintf(path, PART_MAX, "%s.part", c->options->path);
}

/** Writes the file of what there is. */
static void write_part(rf_collection *c) {
  char path[PART_MAX];
  roof_text text = {0};
  roof_error unused;
  double begin = rf_clock_seconds();
  part_path(c, path);
  if (c->nodes->count > 0 && roof_nodes_write(c->nodes, &text, &unused) == ROOF_OK) {
    rf_write_file(path, text.data, text.length, &unused);
  }
  roof_text_done(&text);
  c->changed = false;
  c->kept = rf_clock_seconds();
  c->writing = c->kept - begin;
}

const char *rf_collection_keep(rf_collection *c, const char *why) {
  static char line[sizeof c->nodes->incomplete + PART_MAX];
  roof_text words = {0};
  pthread_mutex_lock(&c->lock);
  name_missing(c, &words);
  snprintf(c->nodes->incomplete, sizeof c->nodes->incomplete, "%s%s%s", words.data != NULL ? words.data : "",
           words.length > 0 ? ": " : "", why);
  roof_text_done(&words);
  write_part(c);
  int have = c->job->node_count - c->missing;
  if (have > 0) {
    snprintf(line, sizeof line, "cluster: %s; %d of %d nodes are in %s.part", c->nodes->incomplete, have,
             c->job->node_count, c->options->path);
  } else {
    snprintf(line, sizeof line, "cluster: %s; no node was measured yet", c->nodes->incomplete);
  }
  pthread_mutex_unlock(&c->lock);
  return line;
}

/** Keeps what there is now and then, seldom enough to cost nothing: a launcher may end all ranks without a word. */
static void keep_so_far(rf_collection *c) {
  static const double often = 1, share = 0.05;
  double since = rf_clock_seconds() - c->kept;
  if (c->changed && since > often && since * share > c->writing) {
    rf_collection_keep(c, "the run had not ended");
  }
}

/* --- between ranks --- */

/** Takes all that has arrived. */
static roof_status drain(rf_collection *c, roof_error *error) {
  const rf_mpi *mpi = c->job->mpi;
  for (int from = 0; from >= 0;) {
    size_t bytes = 0;
    if (!mpi->probe(RF_MPI_WORLD, RF_MPI_ANY, TAG_NODE, &from, &bytes)) {
      return refused(c->job, error);
    }
    if (from < 0) {
      break;
    }
    char *text = malloc(bytes + 1);
    bool fine = text != NULL && mpi->receive(RF_MPI_WORLD, from, TAG_NODE, text, bytes);
    roof_status status =
        fine ? rf_collection_take(c, c->job->node_of[from], text, bytes, error) : refused(c->job, error);
    free(text);
    if (status != ROOF_OK) {
      return status;
    }
  }
  keep_so_far(c);
  return ROOF_OK;
}

/** What rank 0 does between two steps of its own measuring. */
typedef struct between {
  rf_collection *collection;
  const roof_measure_options *how;
} between;

static void step(void *user, const char *name, int done, int total) {
  const between *b = user;
  if (b->collection != NULL) {
    roof_error unused;
    drain(b->collection, &unused);
  }
  if (b->how->progress != NULL) {
    b->how->progress(b->how->user, name, done, total);
  }
}

static bool anyone_gone(const rf_job *job) {
  bool gone = false;
  for (int i = 0; i < job->size && !gone; i++) {
    gone = rf_job_is_gone(job, i);
  }
  return gone;
}

/** Waits for the other nodes, for so long and no longer. */
static roof_status wait_for_nodes(rf_collection *c, double patience, roof_error *error) {
  double end = rf_clock_seconds() + patience;
  roof_status status = drain(c, error);
  while (status == ROOF_OK && c->missing > 0) {
    char why[128] = "";
    if (anyone_gone(c->job)) {
      snprintf(why, sizeof why, "the run cannot be completed");
    } else if (rf_clock_seconds() > end) {
      snprintf(why, sizeof why, "not within %.0f s after the first node", patience);
    }
    if (why[0] != '\0') {
      return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s", rf_collection_keep(c, why));
    }
    rest();
    status = drain(c, error);
  }
  return status;
}

/** A message sent, or received, by one who sleeps meanwhile. False: refused, or `end` (NaN: none) has passed. */
static bool complete(const rf_job *job, rf_mpi_request *request, double end) {
  bool done = false, fine = true;
  while (fine && !done && !(rf_clock_seconds() > end)) {
    fine = job->mpi->test(request, &done);
    if (!done) {
      rest();
    }
  }
  return fine && done;
}

/* --- one run --- */

/** How the launcher bound the ranks of this node; after it this process may use all that the node's job may. */
static roof_status unbind(const rf_job *job, roof_node *node, roof_error *error) {
  cpu_set_t own, all;
  cpu_set_t *each = calloc((size_t)job->node_size, sizeof *each);
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  if (each == NULL || !job->mpi->all_gather(job->node_group, &own, each, sizeof own)) {
    roof_status status = each == NULL ? no_memory(error) : refused(job, error);
    free(each);
    return status;
  }
  free(each);
  memset(&all, 0xff, sizeof all); /* what the control group does not permit is left out by the system */
  sched_setaffinity(0, sizeof all, &all);
  sched_getaffinity(0, sizeof all, &all);
  int bound = CPU_COUNT(&own), may = CPU_COUNT(&all);
  if (bound < may) {
    snprintf(node->bound, sizeof node->bound, "%d of %d hardware threads per rank; measured on all", bound,
             may);
  } else {
    snprintf(node->bound, sizeof node->bound, "not bound");
  }
  return ROOF_OK;
}

/** Measures this node: its line goes to the first rank. */
static roof_status measure(const rf_job *job, const rf_collect_options *options, rf_collection *c,
                           roof_error *error) {
  roof_node known;
  roof_text line = {0};
  rf_node_init(&known);
  snprintf(known.name, sizeof known.name, "%s", job->nodes[job->node].name);
  known.ranks = job->node_size;
  between b = {c, &options->how};
  roof_measure_options how = options->how;
  how.progress = step;
  how.user = &b;
  rf_domain_reads reads;
  roof_status status = unbind(job, &known, error);
  status = status == ROOF_OK ? rf_domains_read(job, options->backends, how.quick, &reads, error) : status;
  if (status == ROOF_OK && job->node_rank == 0) {
    snprintf(known.domains, sizeof known.domains, "%s", reads.words);
    status = rf_node_measure(&known, &reads, options->backends, &how, &line, error);
  }
  if (status == ROOF_OK && c != NULL) {
    status = rf_collection_take(c, job->node, line.data, line.length, error);
  } else if (status == ROOF_OK && job->node_rank == 0) {
    rf_mpi_request request;
    bool sent = job->mpi->start_send(RF_MPI_WORLD, 0, TAG_NODE, line.data, line.length, &request);
    status = sent && complete(job, &request, NAN) ? ROOF_OK : refused(job, error);
  }
  roof_text_done(&line);
  return status;
}

/** The nodes in the order of the job. */
static roof_status sort(rf_collection *c, roof_error *error) {
  roof_node *list = calloc(c->nodes->count + 1, sizeof *list);
  if (list == NULL) {
    return no_memory(error);
  }
  for (size_t i = 0; i < c->nodes->count; i++) {
    list[c->node_of[i]] = c->nodes->list[i];
  }
  memcpy(c->nodes->list, list, c->nodes->count * sizeof *list);
  free(list);
  return ROOF_OK;
}

roof_status rf_collect(const rf_job *job, const rf_collect_options *options, rf_collection *c,
                       roof_error *error) {
  static const double least = 60;
  char path[PART_MAX];
  double begin = rf_clock_seconds();
  roof_status status = measure(job, options, c, error);
  if (status != ROOF_OK || c == NULL) {
    return status;
  }
  double patience = options->patience > 0 ? options->patience : rf_clock_seconds() - begin + least;
  status = wait_for_nodes(c, patience, error);
  if (status == ROOF_OK) {
    c->nodes->incomplete[0] = '\0';
    part_path(c, path);
    unlink(path);
    status = sort(c, error);
    status = status == ROOF_OK ? roof_nodes_judge(c->nodes, error) : status;
  }
  return status;
}

/** The first rank: all others may leave, and say that they do. */
static roof_status dismiss(const rf_job *job, double end, roof_error *error) {
  char name[128], token = 0;
  for (int i = 1; i < job->size; i++) {
    rf_mpi_request request;
    if (!job->mpi->start_send(RF_MPI_WORLD, i, TAG_LEAVE, &token, 1, &request) ||
        !complete(job, &request, end)) {
      return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s no longer answers",
                            rf_job_rank_name(job, i, name, sizeof name));
    }
  }
  for (int i = 1; i < job->size; i++) {
    rf_mpi_request request;
    if (!job->mpi->start_receive(RF_MPI_WORLD, i, TAG_LEFT, &token, 1, &request) ||
        !complete(job, &request, end)) {
      return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s no longer answers",
                            rf_job_rank_name(job, i, name, sizeof name));
    }
  }
  return ROOF_OK;
}

roof_status rf_collect_leave(const rf_job *job, double patience, roof_error *error) {
  char token = 0;
  rf_mpi_request request;
  if (job->rank == 0) {
    return dismiss(job, rf_clock_seconds() + patience, error);
  }
  bool fine = job->mpi->start_receive(RF_MPI_WORLD, 0, TAG_LEAVE, &token, 1, &request) &&
              complete(job, &request, NAN) &&
              job->mpi->start_send(RF_MPI_WORLD, 0, TAG_LEFT, &token, 1, &request) &&
              complete(job, &request, NAN);
  return fine ? ROOF_OK : refused(job, error);
}
