/* `mpirun -n N roofline run -- PROGRAM`: each rank's program runs under its own roofline, rank 0 reports on all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/run/measured.h"
#include "cli/run/program.h"
#include "cli/run/timeline.h"
#include "cluster/gather.h"
#include "cluster/launcher.h"
#include "region/program.h"
#include "roofline/job.h"

static const double usual_patience =
    120; /* s: what one node has written, another may see half a minute later over NFS */

enum { FEW = 32 };

/* Tables */

static const roof_job *shown; /* that the columns are of */

CLI_WORD(slowest_of, roof_job_part, r->ranks > 1 ? cli_column_say(scratch, "%d", r->slowest) : NULL)
CLI_VALUE(uneven_of, roof_job_part, r->ranks > 1 ? r->slowest_seconds / r->mean_seconds : (double)NAN)
CLI_WORD(node_of, roof_job_part, r->node >= 0 ? shown->nodes[r->node] : NULL)
CLI_WORD(part_share_of, roof_job_part, cli_measured_share(r->share, scratch))

static const cli_column part_columns[] = {
    {.header = "node", .name = true, .optional = true, .text = node_of},
    {.header = "region", .name = true, CLI_FIELD(NAME, roof_job_part, name)},
    {.header = "ranks", .rank = 4, .fixed = true, CLI_FIELD(COUNT, roof_job_part, ranks)},
    {.header = "cores", .rank = 3, .fixed = true, CLI_FIELD(COUNT, roof_job_part, cores)},
    {.header = "time", .unit = "s", .rank = 2, CLI_FIELD(NUMBER, roof_job_part, mean_seconds)},
    {.header = "max/mean", .digits = 2, .fixed = true, .number = uneven_of},
    {.header = "slowest", .right = true, .rank = 1, .text = slowest_of},
    {.header = "FLOPs", .unit = "FLOP/s", CLI_FIELD(NUMBER, roof_job_part, flops_per_second)},
    {.header = "memory", .unit = "B/s", CLI_FIELD(NUMBER, roof_job_part, bytes_per_second)},
    {.header = "of ceiling", .right = true, .text = part_share_of},
    {.header = "bound by", .rank = 5, CLI_FIELD(NAME, roof_job_part, binding)},
    {0}};

static const roof_job_rank *rank_of(const roof_job_share *share) {
  return &shown->ranks[share->rank];
}

CLI_VALUE(number_of, roof_job_share, rank_of(r)->place.rank)
CLI_WORD(place_of, roof_job_share, rank_of(r)->place.node)
CLI_WORD(processors_of, roof_job_share,
         rank_of(r)->place.processors[0] != '\0' ? rank_of(r)->place.processors : NULL)
CLI_WORD(region_of, roof_job_share, shown->parts[r->part].name)

static const cli_column share_columns[] = {
    {.key = "rank", .header = "rank", .fixed = true, .number = number_of},
    {.key = "node", .header = "node", .name = true, .rank = 1, .text = place_of},
    {.key = "processors", .header = "on", .name = true, .text = processors_of},
    {.key = "region", .header = "region", .name = true, .text = region_of},
    {.key = "calls", .header = "calls", .rank = 3, .fixed = true, CLI_FIELD(NUMBER, roof_job_share, calls)},
    {.key = "threads",
     .header = "threads",
     .rank = 4,
     .fixed = true,
     CLI_FIELD(NUMBER, roof_job_share, threads)},
    {.key = "seconds", .header = "call", .rank = 2, .unit = "s", CLI_FIELD(NUMBER, roof_job_share, seconds)},
    {.key = "busy_seconds", .header = "time", .unit = "s", CLI_FIELD(NUMBER, roof_job_share, busy_seconds)},
    {.key = "flops_per_second",
     .header = "FLOPs",
     .unit = "FLOP/s",
     CLI_FIELD(NUMBER, roof_job_share, flops_per_second)},
    {.key = "bytes_per_second",
     .header = "memory",
     .unit = "B/s",
     CLI_FIELD(NUMBER, roof_job_share, bytes_per_second)},
    {0}};

static bool was_called(const void *row) {
  return ((const roof_job_part *)row)->ranks > 0;
}

static int by_rank(const void *a, const void *b) {
  const roof_job_share *x = a, *y = b;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                            : (x->part > y->part) - (x->part < y->part);
}

/** Of many ranks the one that each region waits for. */
static bool is_slowest(const void *row) {
  const roof_job_share *share = row;
  return shown->parts[share->part].slowest == share->rank;
}

static cli_rows shares_of(const roof_job *job) {
  qsort(job->shares, job->share_count, sizeof *job->shares, by_rank);
  return CLI_ROWS(share_columns, job->shares, job->share_count);
}

static void add_text(const cli_args *args, const roof_job *job, const roof_program *program, roof_text *out) {
  size_t regions = (size_t)job->region_count;
  cli_rows whole = CLI_ROWS(part_columns, job->parts, regions);
  cli_rows nodes = CLI_ROWS(part_columns, job->parts + regions, regions * (size_t)job->node_count);
  cli_rows shares = shares_of(job);
  nodes.shown = was_called;
  roof_job_describe(out, job);
  roof_text_add(out, "\n");
  cli_columns_add_text(out, whole);
  if (job->node_count > 1 && nodes.count <= FEW) {
    roof_text_add(out, "\n");
    cli_columns_add_text(out, nodes);
  }
  if (shares.count > FEW) {
    roof_text_addf(out, "\nof %d ranks those that took longest (all of them: --json, --csv):\n",
                   job->rank_count);
    shares.shown = is_slowest;
  }
  roof_text_add(out, shares.count > FEW ? "" : "\n");
  cli_columns_add_text(out, shares);
  roof_text_add(out, "\n");
  if (!args->quiet) {
    roof_job_remarks_describe(out, job);
    rf_program_unused_describe(out, program);
  }
}

static roof_status report(const cli_args *args, const roof_job *job, const roof_program *program,
                          roof_error *error) {
  roof_text text = {0};
  roof_status status = ROOF_OK;
  shown = job;
  if (args->csv) {
    cli_columns_add_csv(&text, shares_of(job));
  } else if (args->json) {
    status = roof_job_write(job, program, &text, error);
  } else {
    add_text(args, job, program, &text);
  }
  status = status == ROOF_OK ? cli_program_put(args, &text, error) : status;
  roof_text_done(&text);
  return status;
}

/* Rank 0 */

/** What the first rank makes of the answers. */
typedef struct taken {
  const rf_gather *gather;
  roof_job *job;
  cli_timeline *timeline;
} taken;

static roof_status take(void *user, int rank, const char *text, size_t length, roof_error *error) {
  const taken *t = user;
  char name[32];
  snprintf(name, sizeof name, "rank %d", rank);
  roof_status status = roof_job_add(t->job, text, length, name, error);
  return status == ROOF_OK
             ? cli_timeline_take(t->timeline, t->gather, rank, t->job->ranks[rank].place.node, error)
             : status;
}

static void miss(void *user, int rank, const char *node, const char *why) {
  const taken *t = user;
  roof_job_miss(t->job, rank, node, why);
}

/** The report names those that are missing. */
static roof_status incomplete(const roof_job *job, const char *unwritten, roof_error *error) {
  return job->missing == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %d of %d ranks gave no answer%s%s%s", job->name,
                              job->missing, job->rank_count, unwritten != NULL ? ": " : "",
                              unwritten != NULL ? unwritten : "", unwritten != NULL ? " is not written" : "");
}

static roof_status report_all(const cli_args *args, const rf_gather *gather, double patience, int cores,
                              const roof_program *program, const roof_machine *machine,
                              cli_timeline *timeline, roof_error *error) {
  roof_job *job = NULL;
  roof_status status = roof_job_new(program->name, gather->size, &job, error);
  if (status != ROOF_OK) {
    return status;
  }
  taken all = {gather, job, timeline};
  const rf_gather_taker taker = {take, miss, &all};
  snprintf(job->launcher, sizeof job->launcher, "%s", rf_job_under_launcher(NULL)->name);
  status = rf_gather_take(gather, patience, &taker, error);
  status = status == ROOF_OK ? roof_job_settle(job, machine, cores, error) : status;
  status = status == ROOF_OK ? report(args, job, program, error) : status;
  status = status == ROOF_OK && job->missing == 0 ? cli_timeline_write(timeline, args, program->name, error)
                                                  : status;
  status = status == ROOF_OK ? incomplete(job, timeline->file, error) : status;
  roof_job_free(job);
  return status;
}

/* Every rank */

/** Its program, as a document in the folder where all meet. */
static roof_status give(const rf_gather *gather, const roof_program *program, double patience,
                        roof_error *error) {
  roof_job_place place;
  roof_text text = {0};
  roof_job_place_here(&place);
  place.rank = gather->rank;
  snprintf(place.node, sizeof place.node, "%s", gather->node);
  roof_status status = roof_job_rank_write(program, &place, &text, error);
  status = status == ROOF_OK ? rf_gather_give(gather, &text, patience, error) : status;
  roof_text_done(&text);
  return status;
}

/** A rank's own failure, which it names itself: rank 0 may be waiting for it, or gone. */
static roof_status fail(const rf_gather *gather, roof_status status, roof_error *error) {
  roof_error why = *error;
  rf_gather_fail(gather, why.message);
  return roof_error_set(error, status, "rank %d (%s): %s", gather->rank, gather->node, why.message);
}

/** What a job does not take. */
static roof_status refuse(const rf_gather *gather, const cli_args *args, const cli_program_options *options,
                          roof_error *error) {
  const char *option = options->repeats > 1 ? "--repeat" : args->file != NULL ? "--to" : NULL;
  if (option == NULL) {
    return ROOF_OK;
  }
  return options->repeats > 1
             ? roof_error_set(error, ROOF_E_ARGUMENT,
                              "--repeat %d: a rank starts MPI once; start mpirun or srun as often",
                              options->repeats)
             : roof_error_set(error, ROOF_E_ARGUMENT,
                              "--to %s: a job of %d ranks is written as text, JSON or CSV", args->to,
                              gather->size);
}

/** By a rank that has met the others. */
static roof_status run_rank(const cli_args *args, const cli_program_options *options,
                            roof_program_options *how, const rf_gather *gather, const roof_machine *machine,
                            cli_timeline *timeline, roof_error *error) {
  double patience = options->patience > 0 ? options->patience : usual_patience;
  roof_program *program = NULL;
  roof_status status = cli_timeline_meet(timeline, gather, patience, how, error);
  status = status == ROOF_OK ? roof_program_run(args->program, NULL, how, &program, error) : status;
  status = status == ROOF_OK ? cli_timeline_give(timeline, gather, patience, error) : status;
  if (status != ROOF_OK) {
    roof_program_free(program);
    return fail(gather, status, error);
  }
  status = give(gather, program, patience, error);
  if (gather->rank != 0) {
    roof_text nothing = {0};
    cli_print_caught(&nothing); /* --to FILE is written by rank 0 alone */
    roof_text_done(&nothing);
  } else if (status == ROOF_OK) {
    status = report_all(args, gather, patience, options->threads, program, machine, timeline, error);
  }
  roof_program_free(program);
  return status;
}

roof_status cli_program_job(const cli_args *args, const cli_program_options *options,
                            const roof_program_options *how, const roof_machine *machine, roof_error *error) {
  roof_program_options mine = *how;
  cli_timeline timeline = {.file = options->timeline};
  rf_gather gather = {.size = rf_gather_ranks()};
  roof_status status = refuse(&gather, args, options, error);
  if (status != ROOF_OK) {
    return rf_gather_once(status, error);
  }
  status = rf_gather_begin(&gather, options->gather != NULL ? options->gather : ".", error);
  status = status == ROOF_OK ? run_rank(args, options, &mine, &gather, machine, &timeline, error) : status;
  cli_timeline_done(&timeline);
  return status;
}
