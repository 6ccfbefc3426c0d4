/* A job in words: its rate against the roof of the cores that its ranks use, how they are pinned, which rank the others wait for. */
#include <math.h>

#include "region/job.h"
#include "region/program.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { SHORT = 48, NAMED = 4 };

static const double even = 0.02; /* of the mean: no rank is waited for */

/** The region that takes longest; NULL without one. */
static const roof_job_part *longest(const roof_job *job) {
  const roof_job_part *found = NULL;
  for (int i = 0; i < job->region_count; i++) {
    const roof_job_part *part = &job->parts[i];
    found = found == NULL || part->mean_seconds > found->mean_seconds ? part : found;
  }
  return found;
}

static void add_rate(roof_text *out, const roof_job_part *part) {
  char rate[SHORT];
  bool compute = part->regime == ROOF_COMPUTE_BOUND || !(part->bytes_per_second > 0);
  double value = compute ? part->flops_per_second : part->bytes_per_second;
  if (value > 0) {
    roof_text_addf(out, "%s at %s in all", part->name,
                   roof_quantity_format(rate, SHORT, value, compute ? "FLOP/s" : "B/s"));
  } else {
    roof_text_addf(out, "%s takes %s, its FLOPs and bytes are unknown", part->name,
                   roof_quantity_format(rate, SHORT, part->mean_seconds, "s"));
  }
  if (value > 0 && isnan(part->share)) {
    roof_text_add(out, ", its ceiling is unknown");
  }
}

static void add_roof(roof_text *out, const roof_job *job, const roof_job_part *part) {
  roof_text_addf(out, ", %.1f %% of the ceiling of %d core%s", 100 * part->share, part->cores,
                 part->cores == 1 ? "" : "s");
  if (job->node_count > 1) {
    roof_text_addf(out, " on %d nodes", job->node_count);
  }
  roof_text_addf(out, " (%s)", part->binding);
}

/** "rank 3 (n2) takes 1.21 times the mean" */
static void add_imbalance(roof_text *out, const roof_job *job, const roof_job_part *part) {
  double over = part->slowest_seconds / part->mean_seconds;
  if (part->ranks < 2 || isnan(over)) {
    return;
  }
  if (over > 1 + even) {
    roof_text_addf(out, "rank %d (%s) takes %.2f times the mean", part->slowest,
                   job->ranks[part->slowest].place.node, over);
  } else {
    roof_text_add(out, "all ranks take equally long");
  }
}

void roof_job_describe(roof_text *out, const roof_job *job) {
  const roof_job_part *part = longest(job);
  int there = job->rank_count - job->missing;
  roof_text_addf(out, "%s: ", job->name);
  if (job->missing > 0) {
    roof_text_addf(out, "%d of ", there);
  }
  roof_text_addf(out, "%d rank%s on %d node%s", job->rank_count, job->rank_count == 1 ? "" : "s",
                 job->node_count, job->node_count == 1 ? "" : "s");
  if (part != NULL) {
    roof_text_add(out, ": ");
    add_rate(out, part);
    if (!isnan(part->share)) {
      add_roof(out, job, part);
    }
    roof_text_add(out, part->ranks > 1 ? "; " : "");
    add_imbalance(out, job, part);
  }
  roof_text_add(out, "\n");
}

static void add_pinning(roof_text *out, const roof_job *job) {
  const roof_job_rank *first = &job->ranks[job->twice[0] >= 0 ? job->twice[0] : 0];
  if (job->pinning == ROOF_JOB_APART) {
    roof_text_add(out, "  pinned by the launcher: no two ranks of a node may use the same core\n");
  } else if (job->pinning == ROOF_JOB_FREE) {
    roof_text_addf(out, "  not pinned: the launcher lets every rank use all hardware threads of its node%s\n",
                   job->twice[1] >= 0 ? ", so that ranks may disturb each other (mpirun --bind-to core)"
                                      : "");
  } else if (job->pinning == ROOF_JOB_SHARED) {
    roof_text_addf(out,
                   "  pinned by the launcher, but ranks %d and %d (%s) may use the same cores: hardware "
                   "threads %s and %s\n",
                   job->twice[0], job->twice[1], first->place.node, first->place.processors,
                   job->ranks[job->twice[1]].place.processors);
  } else {
    roof_text_add(out, "  how the ranks are pinned is unknown\n");
  }
}

static void add_missing(roof_text *out, const roof_job *job) {
  int named = 0;
  for (int i = 0; i < job->rank_count && job->missing > 0; i++) {
    const roof_job_rank *rank = &job->ranks[i];
    if (rank->node < 0 && named++ < NAMED) {
      roof_text_addf(out, "  rank %d%s%s%s is missing: %s\n", i, rank->place.node[0] != '\0' ? " (" : "",
                     rank->place.node, rank->place.node[0] != '\0' ? ")" : "", rank->why);
    }
  }
  if (named > NAMED) {
    roof_text_addf(out, "  and %d more\n", named - NAMED);
  }
}

void roof_job_remarks_describe(roof_text *out, const roof_job *job) {
  const roof_job_part *named = longest(job);
  add_missing(out, job);
  add_pinning(out, job);
  for (int i = 0; i < job->region_count; i++) {
    const roof_job_part *part = &job->parts[i];
    if (part != named && part->slowest_seconds > (1 + even) * part->mean_seconds) {
      roof_text_addf(out, "  %s: ", part->name);
      add_imbalance(out, job, part);
      roof_text_add(out, "\n");
    }
    if (part->share > 1 + ROOF_PLACE_ROUNDING) {
      roof_text_addf(out, "  %s: %s\n", part->name, rf_program_above(part->regime));
    }
  }
  for (size_t i = 0; i < job->measured.skipped_count; i++) {
    roof_text_addf(out, "  %s: %s\n", job->measured.skipped[i].what, job->measured.skipped[i].why);
  }
  if (!job->is_marked) {
    roof_text_add(out, "  no region was marked (docs/regions.md): each rank is taken as a whole\n");
  }
  if (job->machine == NULL) {
    roof_text_add(out, "  ceilings: unknown; `roofline measure` finds them\n");
  } else {
    bool measured = job->machine->kind == ROOF_MEASURED;
    roof_text_addf(out, "  ceilings: %s%s%s%s\n", job->machine->name, measured ? " as measured on " : "",
                   measured ? job->machine->date : "",
                   job->node_count > 1 ? " where rank 0 is, taken for every node" : "");
  }
}
