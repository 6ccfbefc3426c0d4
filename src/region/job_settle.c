/* What ranks did at the same time, added up by node and for the job, and placed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "region/job.h"

static void begin_part(roof_job_part *part, const char *name, int node) {
  *part = (roof_job_part){.node = node, .share = NAN, .regime = ROOF_REGIME_COUNT, .slowest = -1};
  snprintf(part->name, sizeof part->name, "%s", name);
}

static void add_share(roof_job_part *part, const roof_job_share *share) {
  part->ranks++;
  part->threads += share->threads;
  part->flops_per_second += share->flops_per_second;
  part->bytes_per_second += share->bytes_per_second;
  part->mean_seconds += share->busy_seconds;
  if (part->slowest < 0 || share->busy_seconds > part->slowest_seconds) {
    part->slowest = share->rank;
    part->slowest_seconds = share->busy_seconds;
  }
}

/** The part of a node, -1: of the job. */
static roof_job_part *part_of(const roof_job *job, int region, int node) {
  return &job->parts[(size_t)(node + 1) * (size_t)job->region_count + (size_t)region];
}

/* Cores */

/** Which cores the ranks of each node may use together; the first two of them that may use the same. */
static bool join_cores(roof_job *job, cpu_set_t *together) {
  bool known = true;
  for (int i = 0; i < job->rank_count; i++) {
    const roof_job_rank *rank = &job->ranks[i];
    cpu_set_t both;
    if (rank->node < 0) {
      continue;
    }
    cpu_set_t *all = &together[rank->node];
    CPU_AND(&both, all, &job->sums->cores[i]);
    if (rank->cores > 0 && CPU_COUNT(&both) > 0 && job->twice[1] < 0) {
      job->twice[1] = i;
    }
    CPU_OR(all, all, &job->sums->cores[i]);
    known &= rank->cores > 0;
  }
  return known;
}

/** The rank that shares cores with the one that was found. */
static int partner_of(const roof_job *job, int second) {
  for (int i = 0; i < second; i++) {
    cpu_set_t both;
    CPU_AND(&both, &job->sums->cores[i], &job->sums->cores[second]);
    if (job->ranks[i].node == job->ranks[second].node && CPU_COUNT(&both) > 0) {
      return i;
    }
  }
  return -1;
}

static roof_status judge_pinning(roof_job *job, roof_error *error) {
  size_t nodes = (size_t)job->node_count + 1;
  cpu_set_t *together = calloc(nodes, sizeof *together);
  job->node_cores = calloc(nodes, sizeof *job->node_cores);
  if (together == NULL || job->node_cores == NULL) {
    free(together);
    return roof_error_set(error, ROOF_E_MEMORY, "job: out of memory");
  }
  bool known = join_cores(job, together), bound = false;
  for (int i = 0; i < job->rank_count; i++) {
    bound |= job->ranks[i].is_bound;
  }
  for (int i = 0; i < job->node_count && known; i++) {
    job->node_cores[i] = CPU_COUNT(&together[i]);
  }
  job->twice[0] = job->twice[1] >= 0 ? partner_of(job, job->twice[1]) : -1;
  job->pinning = !known              ? ROOF_JOB_PINNING_UNKNOWN
                 : !bound            ? ROOF_JOB_FREE
                 : job->twice[1] < 0 ? ROOF_JOB_APART
                                     : ROOF_JOB_SHARED;
  free(together);
  return ROOF_OK;
}

/* Placement */

/** Of a node's threads each has a core, as far as there are so many that its ranks may use. */
static int cores_of(const roof_job *job, const roof_job_part *part) {
  int may = job->node_cores[part->node];
  double threads = part->threads >= 1 ? part->threads : may;
  return may > 0 && threads > may ? may : (int)fmin(threads, 1e6);
}

/** Rates of a node's ranks are the work of one second. */
static void place_node(const roof_job *job, const roof_ceilings *ceilings, const rf_job_rate *rate,
                       roof_job_part *part) {
  roof_counted work;
  roof_placed placed;
  roof_counted_init(&work);
  work.seconds = 1;
  work.cores = part->cores = cores_of(job, part);
  work.bytes[ROOF_MEMORY] = rate->bytes;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    work.other_flops[d] = rate->flops[d] == 0 ? (double)NAN : rate->flops[d];
  }
  roof_place(ceilings, &work, &placed);
  part->share = placed.share;
  part->regime = placed.regime;
  snprintf(part->binding, sizeof part->binding, "%s",
           placed.regime < ROOF_REGIME_COUNT ? placed.binding : "");
}

/** The job's roof is the sum of its nodes': each rate over its share. */
static void place_job(const roof_job *job, int region) {
  roof_job_part *whole = part_of(job, region, -1);
  double roof = 0, reached = 0;
  for (int node = 0; node < job->node_count; node++) {
    const roof_job_part *part = part_of(job, region, node);
    double rate = part->regime == ROOF_COMPUTE_BOUND ? part->flops_per_second : part->bytes_per_second;
    if (part->ranks > 0) {
      whole->cores += part->cores;
      reached += rate;
      roof += rate / part->share;
    }
  }
  const roof_job_rank *slowest = whole->slowest >= 0 ? &job->ranks[whole->slowest] : NULL;
  if (slowest != NULL) {
    const roof_job_part *there = part_of(job, region, slowest->node);
    whole->regime = there->regime;
    memcpy(whole->binding, there->binding, sizeof whole->binding);
    whole->share = reached / roof;
  }
}

static roof_status place_all(roof_job *job, const rf_job_rate *rates, const roof_machine *machine, int cores,
                             roof_error *error) {
  roof_options reached = roof_options_default();
  roof_ceilings *ceilings = malloc(sizeof *ceilings);
  reached.achieved = true;
  roof_status status = ceilings != NULL ? roof_ceilings_init(ceilings, machine, cores, &reached, error)
                                        : roof_error_set(error, ROOF_E_MEMORY, "job: out of memory");
  for (int region = 0; region < job->region_count && status == ROOF_OK; region++) {
    for (int node = 0; node < job->node_count; node++) {
      roof_job_part *part = part_of(job, region, node);
      if (part->ranks > 0) {
        place_node(job, ceilings, &rates[part - job->parts], part);
      }
    }
    place_job(job, region);
  }
  free(ceilings);
  return status;
}

/** The measurement of a region over all ranks: one call on one thread, as in every such document. */
static roof_status settle_region(roof_job *job, int region, roof_error *error) {
  roof_measurement *m = &job->measured.list[region];
  const double *flops = &job->sums->flops[(size_t)region * ROOF_DTYPE_COUNT];
  double most = 0;
  m->flops = 0;
  m->bytes = m->level_bytes[ROOF_MEMORY] = job->sums->bytes[region] / m->calls;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    m->flops += flops[d] / m->calls;
    if (flops[d] > most) {
      most = flops[d];
      m->dtype = (roof_dtype)d;
    }
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT && !isnan(m->flops); d++) {
    m->dtype_flops[d] = flops[d] != 0 || d == (int)m->dtype ? flops[d] / m->calls : (double)NAN;
  }
  roof_status status = roof_measurement_settle(m, error);
  m->given.ceiling_seconds = m->seconds * part_of(job, region, -1)->share;
  return status;
}

/** Adds the rates of a share to those of a part. */
static void add_rates(rf_job_rate *sum, const rf_job_rate *rate) {
  sum->bytes += rate->bytes;
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    sum->flops[d] += rate->flops[d];
  }
}

static void add_up(roof_job *job, rf_job_rate *rates) {
  for (int node = -1; node < job->node_count; node++) {
    for (int region = 0; region < job->region_count; region++) {
      begin_part(part_of(job, region, node), job->measured.list[region].label, node);
    }
  }
  for (size_t i = 0; i < job->share_count; i++) {
    const roof_job_share *share = &job->shares[i];
    roof_job_part *there = part_of(job, share->part, job->ranks[share->rank].node);
    add_share(there, share);
    add_share(part_of(job, share->part, -1), share);
    add_rates(&rates[there - job->parts], &job->sums->rates[i]);
  }
  for (int i = 0; i < job->region_count * (1 + job->node_count); i++) {
    job->parts[i].mean_seconds /= job->parts[i].ranks;
  }
}

roof_status roof_job_settle(roof_job *job, const roof_machine *machine, int cores, roof_error *error) {
  job->region_count = (int)job->measured.count;
  job->machine = machine;
  size_t parts = (size_t)job->region_count * (1 + (size_t)job->node_count);
  rf_job_rate *rates = calloc(parts + 1, sizeof *rates);
  job->parts = calloc(parts + 1, sizeof *job->parts);
  roof_status status = rates != NULL && job->parts != NULL
                           ? judge_pinning(job, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "job: out of memory");
  if (status == ROOF_OK) {
    add_up(job, rates);
    status = place_all(job, rates, machine, cores, error);
  }
  for (int region = 0; region < job->region_count && status == ROOF_OK; region++) {
    status = settle_region(job, region, error);
  }
  free(rates);
  return status;
}
