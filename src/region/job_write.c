/* A job, and one rank of it, as roofline.measurements/1. */
#include <math.h>

#include "documents/json.h"
#include "documents/measurements.h"
#include "region/job.h"
#include "roofline/version.h"

static json_t *text_or_null(const char *text) {
  return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *count_or_null(int count) {
  return count > 0 ? json_integer(count) : json_null();
}

roof_status roof_job_rank_write(const roof_program *program, const roof_job_place *place, roof_text *out,
                                roof_error *error) {
  json_t *document = NULL;
  roof_status status = rf_program_document(program, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_json_set(document, "rank",
              json_pack("{s:i, s:s, s:o, s:o, s:o}", "rank", place->rank, "node", place->node, "processors",
                        text_or_null(place->processors), "cores", text_or_null(place->cores),
                        "node_processors", count_or_null(place->node_processors)));
  return rf_json_write(document, "rank", out, error);
}

/* The job */

static json_t *part_json(const roof_job_part *part) {
  return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "name", part->name, "ranks",
                   part->ranks, "threads", rf_json_number(part->threads), "cores", count_or_null(part->cores),
                   "flops_per_second", rf_json_number(part->flops_per_second), "bytes_per_second",
                   rf_json_number(part->bytes_per_second), "fraction_of_ceiling", rf_json_number(part->share),
                   "binding", text_or_null(part->binding), "slowest", part->slowest, "slowest_seconds",
                   rf_json_number(part->slowest_seconds), "mean_seconds", rf_json_number(part->mean_seconds));
}

/** Those that ranks of this node called; `node` -1: of the job. */
static json_t *parts_json(const roof_job *job, int node) {
  json_t *list = json_array();
  for (int i = 0; i < job->region_count; i++) {
    const roof_job_part *part = &job->parts[(node + 1) * job->region_count + i];
    if (part->ranks > 0) {
      rf_json_append(list, part_json(part));
    }
  }
  return list;
}

static json_t *nodes_json(const roof_job *job) {
  json_t *list = json_array();
  for (int i = 0; i < job->node_count; i++) {
    rf_json_append(list, json_pack("{s:s, s:o, s:o}", "node", job->nodes[i], "cores",
                                   count_or_null(job->node_cores[i]), "regions", parts_json(job, i)));
  }
  return list;
}

static json_t *share_json(const roof_job *job, const roof_job_share *share) {
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", job->parts[share->part].name, "calls",
                   rf_json_number(share->calls), "threads", rf_json_number(share->threads), "seconds",
                   rf_json_number(share->seconds), "busy_seconds", rf_json_number(share->busy_seconds),
                   "flops_per_second", rf_json_number(share->flops_per_second), "bytes_per_second",
                   rf_json_number(share->bytes_per_second));
}

static json_t *rank_json(const roof_job_rank *rank) {
  bool there = rank->node >= 0;
  return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rank", rank->place.rank, "node",
                   text_or_null(rank->place.node), "processors", text_or_null(rank->place.processors),
                   "cores", count_or_null(rank->cores), "bound",
                   there ? json_boolean(rank->is_bound) : json_null(), "seconds",
                   rf_json_number(there ? rank->seconds : (double)NAN), "cores_busy",
                   rf_json_number(there ? rank->cores_busy : (double)NAN), "peak_bytes",
                   rf_json_number(there ? rank->peak_bytes : (double)NAN), "missing",
                   text_or_null(there ? "" : rank->why), "regions", json_array());
}

static json_t *ranks_json(const roof_job *job) {
  json_t *list = json_array();
  for (int i = 0; i < job->rank_count; i++) {
    rf_json_append(list, rank_json(&job->ranks[i]));
  }
  for (size_t i = 0; i < job->share_count; i++) {
    json_t *rank = json_array_get(list, (size_t)job->shares[i].rank);
    rf_json_append(json_object_get(rank, "regions"), share_json(job, &job->shares[i]));
  }
  return list;
}

static json_t *job_json(const roof_job *job) {
  static const char *const pinnings[] = {NULL, "apart", "shared", "free"};
  return json_pack("{s:o, s:i, s:i, s:s?, s:o, s:o, s:o}", "launcher", text_or_null(job->launcher),
                   "rank_count", job->rank_count, "missing", job->missing, "pinning", pinnings[job->pinning],
                   "regions", parts_json(job, -1), "nodes", nodes_json(job), "ranks", ranks_json(job));
}

/** What `run` says of every region. */
static void add_placed(json_t *kernel, const roof_measurement *m, const roof_job_part *part) {
  roof_placed placed = {.regime = part->regime,
                        .ceiling_seconds = m->given.ceiling_seconds,
                        .slowest_seconds = NAN,
                        .share = part->share,
                        .at_least = NAN,
                        .lost_seconds = m->seconds - m->given.ceiling_seconds,
                        .basis = ROOF_ACHIEVED,
                        .verdict =
                            roof_verdict_in(part->regime, roof_verdict_on(ROOF_ACHIEVED, part->share))};
  snprintf(placed.binding, sizeof placed.binding, "%s", part->binding);
  rf_json_set(kernel, "intensity", rf_json_number(m->flops / m->bytes));
  rf_json_add_placed(kernel, &placed, 1);
  rf_json_set(kernel, "ranks",
              rf_program_ranks_json(part->ranks, part->slowest, part->slowest_seconds, part->mean_seconds));
}

roof_status roof_job_write(const roof_job *job, const roof_program *program, roof_text *out,
                           roof_error *error) {
  roof_measurements all = job->measured;
  json_t *answer = NULL, *about = rf_program_json(program);
  snprintf(all.source, sizeof all.source, "roofline " ROOF_VERSION_TEXT);
  snprintf(all.format, sizeof all.format, "program");
  snprintf(all.machine, sizeof all.machine, "%s", job->machine != NULL ? job->machine->name : "host");
  roof_status status = about != NULL ? rf_measurements_document(&all, &answer, error)
                                     : roof_error_set(error, ROOF_E_ARGUMENT,
                                                      "%s: a word of its command is not UTF-8", job->name);
  if (status != ROOF_OK) {
    json_decref(about);
    return status;
  }
  for (int i = 0; i < job->region_count; i++) {
    add_placed(json_array_get(json_object_get(answer, "kernels"), (size_t)i), &all.list[i], &job->parts[i]);
  }
  rf_json_set(answer, "program", about);
  rf_json_set(answer, "job", job_json(job));
  return rf_json_write(answer, "job", out, error);
}
