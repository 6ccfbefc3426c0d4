/* A job's ranks as one answer: what each did, read from its document. */
#include "region/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/text.h"

static roof_status no_memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "job: out of memory");
}

/** An array of `count` of `size` bytes with room for one more, or NULL; rooms are powers of two. */
static void *grown(void *array, size_t count, size_t size) {
  return (count & (count - 1)) != 0 ? array : realloc(array, (count > 0 ? 2 * count : 1) * size);
}

roof_status roof_job_new(const char *name, int ranks, roof_job **job, roof_error *error) {
  if (ranks < 1 || ranks > ROOF_JOB_RANKS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "job: %d ranks: must be from 1 to %d", ranks,
                          ROOF_JOB_RANKS);
  }
  roof_job *made = calloc(1, sizeof *made);
  struct rf_job_sums *sums = calloc(1, sizeof *sums);
  if (made != NULL && sums != NULL) {
    made->ranks = calloc((size_t)ranks, sizeof *made->ranks);
    sums->cores = calloc((size_t)ranks, sizeof *sums->cores);
  }
  if (made == NULL || sums == NULL || made->ranks == NULL || sums->cores == NULL) {
    free(made != NULL ? made->ranks : NULL);
    free(sums != NULL ? sums->cores : NULL);
    free(made);
    free(sums);
    return no_memory(error);
  }
  snprintf(made->name, sizeof made->name, "%s", name);
  made->sums = sums;
  made->rank_count = made->missing = ranks;
  made->twice[0] = made->twice[1] = -1;
  for (int i = 0; i < ranks; i++) {
    made->ranks[i] = (roof_job_rank){.place.rank = i, .node = -1, .why = "it gave no answer"};
  }
  *job = made;
  return ROOF_OK;
}

void roof_job_free(roof_job *job) {
  if (job == NULL) {
    return;
  }
  free(job->sums->cores);
  free(job->sums->rates);
  free(job->sums->flops);
  free(job->sums->bytes);
  free(job->sums);
  free(job->ranks);
  free(job->nodes);
  free(job->node_cores);
  free(job->shares);
  free(job->parts);
  roof_measurements_done(&job->measured);
  free(job);
}

void roof_job_miss(roof_job *job, int rank, const char *node, const char *why) {
  if (rank >= 0 && rank < job->rank_count && job->ranks[rank].node < 0) {
    snprintf(job->ranks[rank].place.node, ROOF_JOB_NODE, "%s", node);
    snprintf(job->ranks[rank].why, sizeof job->ranks[rank].why, "%s", why);
  }
}

/* One document */

/** The text of a member, where it can be shown. */
static bool take_text(json_t *object, const char *key, char *text, size_t size) {
  const char *found = rf_json_text_of(json_object_get(object, key));
  bool fits = roof_text_is_plain(found) && strlen(found) < size;
  snprintf(text, size, "%s", fits ? found : "");
  return fits && found[0] != '\0';
}

static roof_status read_place(json_t *document, const char *file, roof_job_rank *rank, cpu_set_t *cores,
                              roof_error *error) {
  json_t *about = json_object_get(document, "rank"), *program = json_object_get(document, "program");
  cpu_set_t processors;
  double number = rf_json_number_of(json_object_get(about, "rank")),
         threads = rf_json_number_of(json_object_get(about, "node_processors"));
  *rank = (roof_job_rank){.node = -1};
  if (!(number >= 0 && number < ROOF_JOB_RANKS) ||
      !take_text(about, "node", rank->place.node, sizeof rank->place.node)) {
    return roof_error_set(error, ROOF_E_INPUT, "%s: it says of no rank what it is", file);
  }
  rank->place.rank = (int)number;
  rank->place.node_processors = threads >= 1 && threads <= CPU_SETSIZE ? (int)threads : 0;
  take_text(about, "processors", rank->place.processors, sizeof rank->place.processors);
  take_text(about, "cores", rank->place.cores, sizeof rank->place.cores);
  if (rf_job_list_read(rank->place.cores, cores)) {
    rank->cores = CPU_COUNT(cores);
  }
  rank->is_bound = rf_job_list_read(rank->place.processors, &processors) &&
                   CPU_COUNT(&processors) < rank->place.node_processors;
  rank->seconds = rf_json_number_of(json_object_get(program, "seconds"));
  rank->cores_busy = rf_json_number_of(json_object_get(program, "cores_busy"));
  rank->peak_bytes = rf_json_number_of(json_object_get(program, "peak_bytes"));
  return ROOF_OK;
}

/** The node of that name, made when it is new. Ranks of a node mostly follow one another: the last is asked first. */
static bool find_node(roof_job *job, const char *name, int *node) {
  for (int i = job->node_count - 1; i >= 0; i--) {
    if (strcmp(job->nodes[i], name) == 0) {
      *node = i;
      return true;
    }
  }
  void *more = grown(job->nodes, (size_t)job->node_count, sizeof *job->nodes);
  if (more == NULL) {
    return false;
  }
  job->nodes = more;
  snprintf(job->nodes[job->node_count], ROOF_JOB_NODE, "%s", name);
  *node = job->node_count++;
  return true;
}

/** The region of that name, made when it is new; *at is its index. */
static roof_status find_part(roof_job *job, const roof_measurement *m, size_t *at, roof_error *error) {
  for (*at = 0; *at < job->measured.count; ++*at) {
    if (strcmp(job->measured.list[*at].label, m->label) == 0) {
      return ROOF_OK;
    }
  }
  struct rf_job_sums *s = job->sums;
  double *flops = realloc(s->flops, (*at + 1) * ROOF_DTYPE_COUNT * sizeof *flops);
  s->flops = flops != NULL ? flops : s->flops;
  double *bytes = realloc(s->bytes, (*at + 1) * sizeof *bytes);
  s->bytes = bytes != NULL ? bytes : s->bytes;
  roof_measurement *made = NULL;
  if (flops == NULL || bytes == NULL) {
    return no_memory(error);
  }
  roof_status status = roof_measurements_add(&job->measured, &made, error);
  if (status == ROOF_OK) {
    snprintf(made->label, sizeof made->label, "%s", m->label);
    memcpy(made->counted, m->counted, sizeof made->counted);
    memcpy(made->counted_flops, m->counted_flops, sizeof made->counted_flops);
    made->taken = m->taken;
    made->taken_from = m->taken_from;
    made->dtype = m->dtype;
    made->calls = made->total_seconds = 0;
    memset(flops + *at * ROOF_DTYPE_COUNT, 0, ROOF_DTYPE_COUNT * sizeof *flops);
    bytes[*at] = 0;
  }
  return status;
}

/** Some of its calls, so many that those of all ranks fit. */
static roof_status add_samples(const roof_job *job, const roof_measurement *from, roof_measurement *to,
                               roof_error *error) {
  size_t most = RF_JOB_SAMPLES / (size_t)job->rank_count + 1, step = (from->sample_count + most - 1) / most;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < from->sample_count && status == ROOF_OK; i += step) {
    status = roof_measurement_sample(to, from->samples[i], error);
  }
  return status;
}

/** What one rank did in it, as rates of all its threads. */
static roof_job_share share_of(const roof_measurement *m, int rank, size_t part, rf_job_rate *rate) {
  double threads = m->threads >= 1 ? m->threads : 1, seconds = m->seconds > 0 ? m->seconds : (double)NAN;
  *rate = (rf_job_rate){.bytes = threads * m->level_bytes[ROOF_MEMORY] / seconds};
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    rate->flops[d] = isnan(m->dtype_flops[d]) ? 0 : threads * m->dtype_flops[d] / seconds;
  }
  if (isnan(m->flops)) {
    rate->flops[m->dtype] = NAN;
  }
  return (roof_job_share){.rank = rank,
                          .part = (int)part,
                          .calls = m->calls,
                          .threads = m->threads,
                          .seconds = m->seconds,
                          .busy_seconds = m->total_seconds / threads,
                          .flops_per_second = threads * m->flops / seconds,
                          .bytes_per_second = rate->bytes};
}

static roof_status add_share(roof_job *job, const roof_measurement *m, int rank, roof_error *error) {
  size_t at = 0;
  roof_status status = find_part(job, m, &at, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_job_share *shares = grown(job->shares, job->share_count, sizeof *shares);
  job->shares = shares != NULL ? shares : job->shares;
  rf_job_rate *rates = grown(job->sums->rates, job->share_count, sizeof *rates);
  job->sums->rates = rates != NULL ? rates : job->sums->rates;
  if (shares == NULL || rates == NULL) {
    return no_memory(error);
  }
  shares[job->share_count] = share_of(m, rank, at, &rates[job->share_count]);
  job->share_count++;
  roof_measurement *sum = &job->measured.list[at];
  sum->calls += m->calls;
  sum->total_seconds += m->total_seconds;
  sum->threads = isnan(sum->threads) ? m->threads : sum->threads + m->threads;
  job->sums->bytes[at] += m->calls * m->level_bytes[ROOF_MEMORY];
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    job->sums->flops[at * ROOF_DTYPE_COUNT + (size_t)d] +=
        isnan(m->dtype_flops[d]) ? 0 : m->calls * m->dtype_flops[d];
  }
  if (isnan(m->flops)) {
    job->sums->flops[at * ROOF_DTYPE_COUNT + m->dtype] = NAN;
  }
  return add_samples(job, m, sum, error);
}

static roof_status add_all(roof_job *job, const roof_measurements *done, int rank, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < done->count && status == ROOF_OK; i++) {
    status = add_share(job, &done->list[i], rank, error);
    job->is_marked |= done->list[i].threads >= 1;
  }
  for (size_t i = 0; i < done->skipped_count && status == ROOF_OK; i++) {
    status = roof_measurements_skip(&job->measured, done->skipped[i].what, done->skipped[i].why, error);
  }
  return status;
}

/** A document of a rank that is known. */
static roof_status add_rank(roof_job *job, const roof_job_rank *rank, const cpu_set_t *cores,
                            const roof_measurements *done, const char *file, roof_error *error) {
  int number = rank->place.rank, node = 0;
  if (number >= job->rank_count || job->ranks[number].node >= 0) {
    return roof_error_set(error, ROOF_E_INPUT, "%s: rank %d %s", file, number,
                          number >= job->rank_count ? "is not of this job" : "answered twice");
  }
  if (!find_node(job, rank->place.node, &node)) {
    return no_memory(error);
  }
  job->ranks[number] = *rank;
  job->ranks[number].node = node;
  job->sums->cores[number] = *cores;
  job->missing--;
  return add_all(job, done, number, error);
}

roof_status roof_job_add(roof_job *job, const char *text, size_t length, const char *file,
                         roof_error *error) {
  roof_measurements done = {0};
  roof_job_rank rank;
  cpu_set_t cores;
  json_t *document = NULL;
  roof_status status = roof_measurements_parse(text, length, file, &done, error);
  status = status == ROOF_OK ? rf_json_read(text, length, 0, file, "", &document, error) : status;
  status = status == ROOF_OK ? read_place(document, file, &rank, &cores, error) : status;
  status = status == ROOF_OK ? add_rank(job, &rank, &cores, &done, file, error) : status;
  json_decref(document);
  roof_measurements_done(&done);
  return status;
}
