#include "cluster/domains.h"

#include <stdio.h>
#include <string.h>

/** What a rank found; sent as it lies in memory, for the ranks of a node are of one program. */
typedef struct found {
  roof_domain_read read;
  bool known;
  char why[64];
} found;

/** The ranks that read. */
typedef struct readers {
  const rf_mpi *mpi;
  int group;
  bool begun;
} readers;

static void begin(void *user) {
  readers *r = user;
  r->begun = true;
  r->mpi->barrier(r->group);
}

static roof_status refused(const rf_job *job, roof_error *error) {
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "cluster: %s: %s", job->mpi->library(),
                        job->mpi->reason());
}

/** The first backend of the list that knows of domains. */
static const roof_backend *backend_of(const char *list) {
  char names[128], *rest = NULL;
  snprintf(names, sizeof names, "%s", list != NULL ? list : "cpu");
  for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
    const roof_backend *backend = NULL;
    if (roof_backend_find(name, &backend, NULL) == ROOF_OK && backend->domain_count != NULL) {
      return backend;
    }
  }
  return NULL;
}

/** By the ranks of the group: each its domain, then all at the first. */
static bool read_at_once(readers *r, const roof_backend *backend, bool quick, found *all) {
  static const double usual = 1.5, hasty = 0.25; /* s */
  roof_error why = {.message = ""};
  found own = {.known = false};
  own.known = backend->read_domain(r->mpi->rank(r->group), quick ? hasty : usual, begin, r, &own.read,
                                   &why) == ROOF_OK;
  if (!r->begun) { /* the others wait */
    begin(r);
  }
  snprintf(own.why, sizeof own.why, "%.63s", why.message);
  return r->mpi->gather(r->group, 0, &own, all, sizeof own);
}

/** Those that are known, and why one is not. */
static void keep(const found *all, int count, rf_domain_reads *reads) {
  snprintf(reads->words, sizeof reads->words, "%d at once, by a rank each", count);
  for (int i = 0; i < count; i++) {
    if (all[i].known) {
      reads->of[reads->count++] = all[i].read;
    } else {
      snprintf(reads->words, sizeof reads->words, "not all of %d at once: %s", count, all[i].why);
    }
  }
}

roof_status rf_domains_read(const rf_job *job, const char *backends, bool quick, rf_domain_reads *reads,
                            roof_error *error) {
  const rf_mpi *mpi = job->mpi;
  const roof_backend *backend = backend_of(backends);
  found all[RF_DOMAINS_MAX];
  int count = job->node_rank == 0 && backend != NULL ? backend->domain_count() : 0;
  *reads = (rf_domain_reads){.count = 0};
  if (!mpi->broadcast(job->node_group, 0, &count, sizeof count)) {
    return refused(job, error);
  }
  if (count < 2 || count > RF_DOMAINS_MAX) {
    return ROOF_OK;
  }
  if (job->node_size < count) {
    snprintf(reads->words, sizeof reads->words,
             "%d one after the other; with %d ranks a node they are read at once", count, count);
    return ROOF_OK;
  }
  readers r = {.mpi = mpi, .group = mpi->split(job->node_group, job->node_rank < count)};
  if (r.group < 0) {
    return refused(job, error);
  }
  if (job->node_rank < count && !read_at_once(&r, backend, quick, all)) {
    return refused(job, error);
  }
  if (job->node_rank == 0) {
    keep(all, count, reads);
  }
  return ROOF_OK;
}
