/* The kernels of a profile under a machine's ceilings, most time lost first. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "roofline/advise.h"

static double timed(const roof_ranked_record *row) {
  double own = rf_ranked_own(row);
  return isnan(own) ? 0 : own;
}

/** What a kernel may hide: the time it lost, or all of its time where that is not known. */
static double at_stake(const roof_ranked_record *row) {
  double lost = rf_ranked_lost(row);
  return isnan(lost) ? rf_ranked_own(row) : lost;
}

/** Most at stake first, then what has no time. */
static int by_stake(const void *a, const void *b) {
  const roof_ranked_record *x = *(roof_ranked_record *const *)a, *y = *(roof_ranked_record *const *)b;
  double vx = at_stake(x), vy = at_stake(y);
  if (isnan(vx) || isnan(vy) || vx == vy) {
    return isnan(vx) != isnan(vy) ? (isnan(vx) ? 1 : -1) : strcmp(x->record->name, y->record->name);
  }
  return vx > vy ? -1 : 1;
}

/** Sorts the rows by what is at stake: rows are large, so their addresses are sorted, and each then moves once. False when
 * out of memory. */
static bool sort_rows(roof_ranked_record *rows, size_t count) {
  roof_ranked_record **order = malloc((count + 1) * sizeof(roof_ranked_record *));
  if (order == NULL) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    order[i] = &rows[i];
  }
  qsort(order, count, sizeof *order, by_stake);
  for (size_t i = 0; i < count; i++) {
    roof_ranked_record first = rows[i];
    size_t to = i;
    for (size_t from = (size_t)(order[i] - rows); from != i; from = (size_t)(order[to] - rows)) {
      rows[to] = rows[from];
      order[to] = &rows[to];
      to = from;
    }
    rows[to] = first;
    order[to] = &rows[to];
  }
  free(order);
  return true;
}

/** A device with work in less than half of its cycles waits for the host, whatever its ceilings say. */
static bool is_starved(const roof_record *record) {
  double clue[ROOF_CLUE_COUNT];
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    clue[i] = NAN;
  }
  for (size_t i = 0; i < record->counter_count; i++) {
    roof_clue which;
    if (roof_clue_parse(record->counters[i].name, &which, NULL) == ROOF_OK) {
      clue[which] = record->counters[i].value;
    }
  }
  roof_seen seen = roof_regime_seen(clue);
  return seen.resource != NULL && seen.busy && seen.regime == ROOF_OVERHEAD_BOUND;
}

/** What a machine's lanes do at most in a second of whole numbers: one operation in the place of a multiply-add of fp32,
 * which counts 2. NaN: not known. */
static double integer_rate(const roof_ceilings *ceilings) {
  const roof_peak *peak = ceilings->peak[ROOF_FP32][ROOF_VECTOR];
  bool lanes = peak != NULL && peak->dtype == ROOF_FP32 && peak->unit == ROOF_VECTOR;
  return lanes ? 0.5 / ceilings->reached.flop[ROOF_FP32][ROOF_VECTOR] : NAN;
}

/** Whether whole numbers take longer than what has a ceiling: no machine's file has one for them, but half the rate of
 * fp32 is one that is not reached before. */
static bool is_integer_work(roof_placed *at, const roof_record *record, const roof_ceilings *ceilings) {
  double done = roof_record_counter(record, "integer_operations_per_second"), rate = integer_rate(ceilings);
  double share = done > rate ? 1 : done / rate;
  bool most = at->share >= 0 ? share > at->share : done > 0;
  if (at->state <= ROOF_PLACE_POSSIBLE && most && share > 0) {
    at->state = ROOF_PLACE_POSSIBLE;
    at->share = share;
    snprintf(at->binding, sizeof at->binding, "fp32 vector / 2");
  }
  return most;
}

/** What keeps a row from being judged: a wall is stated only where the other resource was counted too. A transfer over
 * a link has no other. */
static const char *uncounted_of(roof_placed *at, const roof_record *record, const roof_counted *work,
                                const roof_ceilings *ceilings) {
  bool flops = !isnan(at->flops) || !isnan(work->busy_compute);
  bool bytes = !isnan(at->bytes) || !isnan(work->link_bytes) || !isnan(work->busy_memory);
  bool link = work->link_bytes > 0 && isnan(at->bytes);
  const char *said = record->uncounted;
  bool nothing = said != NULL && said[0] == '\0';
  return nothing                                                   ? said
         : is_integer_work(at, record, ceilings)                   ? "integer"
         : said != NULL                                            ? said
         : !flops && !link && (bytes || !isnan(work->other_bytes)) ? "compute"
         : flops && !bytes                                         ? "memory"
                                                                   : "";
}

/** "9.0" of "sm_90 tensor core" or "sm_90". */
static bool is_capability_of(const char *isa, const char *capability) {
  size_t major = strcspn(capability, ".");
  const char *minor = capability + major + strspn(capability + major, ".");
  size_t length = strlen(minor);
  return strncmp(isa, "sm_", 3) == 0 && strncmp(isa + 3, capability, major) == 0 &&
         strncmp(isa + 3 + major, minor, length) == 0 && !isdigit((unsigned char)isa[3 + major + length]);
}

/** The compute capability that the files say, where the machine's peaks are of other chips; else NULL. */
static const char *other_chip(const roof_profile *profile, const roof_machine *machine) {
  const char *said = NULL;
  for (size_t i = 0; i < profile->fact_count; i++) {
    said = strcmp(profile->facts[i].name, IMPORT_CAPABILITY) == 0 ? profile->facts[i].text : said;
  }
  if (machine == NULL || said == NULL) {
    return NULL;
  }
  bool other = machine->vendor[0] != '\0' && strcmp(machine->vendor, "NVIDIA") != 0;
  for (int i = 0; i < machine->peak_count; i++) {
    const char *isa = machine->peaks[i].isa;
    if (is_capability_of(isa, said)) {
      return NULL;
    }
    other |= strncmp(isa, "sm_", 3) == 0;
  }
  return other ? said : NULL;
}

static void add(roof_ranking *r, const roof_ceilings *ceilings, const roof_record *record) {
  roof_ranked_record *row = &r->rows[r->count++];
  roof_counted work;
  row->record = record;
  roof_record_counted(record, &work);
  if (r->other_chip != NULL) {
    work.busy_compute = work.busy_memory = NAN;
  }
  roof_place(ceilings, &work, &row->at);
  if (record->ran != NULL) {
    roof_place_heed(ceilings, record->ran->op, record->ran->values, &record->ran->types,
                    (double)record->calls, &row->at);
  }
  row->uncounted = uncounted_of(&row->at, record, &work, ceilings);
  roof_place_withhold(&row->at, row->uncounted);
  if (ceilings->machine != NULL) {
    roof_place_given(&record->given, work.noise, &row->at);
  }
  row->starved = is_starved(record);
  r->seconds += timed(row);
  r->lost_seconds += row->at.lost_seconds > 0 ? rf_ranked_lost(row) : 0;
  r->judged_seconds += isnan(row->at.share) ? 0 : timed(row);
}

double roof_ranked_rate(const roof_ranked_record *row, const char **unit) {
  const roof_placed *at = &row->at;
  double link = row->record->link_bytes.value;
  bool moves = at->regime == ROOF_MEMORY_BOUND || at->regime == ROOF_OVERHEAD_BOUND;
  bool arithmetic = at->flops > 0 && isnan(link) && (!moves || isnan(at->bytes));
  *unit = arithmetic ? "FLOP/s" : "B/s";
  double done = arithmetic ? at->flops : isnan(link) ? at->bytes : link;
  return at->seconds > 0 ? done / at->seconds : NAN;
}

roof_status roof_ranking_name(roof_ranking *ranking, size_t width, roof_error *error) {
  const char **names = calloc(ranking->count + 1, sizeof *names);
  for (size_t i = 0; i < ranking->count && names != NULL; i++) {
    names[i] = ranking->rows[i].record->name;
  }
  width = width < ROOF_KERNEL_SHOWN ? width : ROOF_KERNEL_SHOWN;
  roof_status status = names == NULL ? roof_error_set(error, ROOF_E_MEMORY, "import: out of memory")
                       : ranking->count == 0
                           ? ROOF_OK
                           : roof_kernel_names(names, ranking->count, width, ranking->rows[0].shown,
                                               sizeof *ranking->rows, error);
  free(names);
  return status;
}

/** Rows of one name together, the longest of them first: equal texts of a profile are one. */
static int by_name(const void *a, const void *b) {
  const roof_ranked_record *x = *(roof_ranked_record *const *)a, *y = *(roof_ranked_record *const *)b;
  uintptr_t one = (uintptr_t)x->record->name, other = (uintptr_t)y->record->name;
  double vx = timed(x), vy = timed(y);
  return one != other ? (one > other) - (one < other) : vx != vy ? (vx > vy ? -1 : 1) : (x > y) - (x < y);
}

/** Counts the names among the rows, and finds the one whose rows take most time together: a kernel may have a row for each
 * part that it is of. False when out of memory. */
static bool sum_names(roof_ranking *r) {
  const roof_ranked_record **rows = calloc(r->count + 1, sizeof *rows);
  double most = 0;
  for (size_t i = 0; i < r->count && rows != NULL; i++) {
    rows[i] = &r->rows[i];
  }
  if (rows == NULL) {
    return false;
  }
  qsort(rows, r->count, sizeof *rows, by_name);
  for (size_t i = 0, next; i < r->count; i = next) {
    double seconds = 0;
    for (next = i; next < r->count && rows[next]->record->name == rows[i]->record->name; next++) {
      seconds += timed(rows[next]);
    }
    r->kernels++;
    if (seconds > most || (seconds == most && seconds > 0 && rows[i] < r->longest)) {
      most = seconds;
      r->longest = rows[i];
    }
  }
  free(rows);
  return true;
}

/** Shares of the time, and the kernel that lost most of it; `overlap`: kernels may lie in each other, so nothing adds up. */
static void share_time(roof_ranking *r, bool overlap) {
  if (overlap && r->count > 1) {
    r->seconds = r->lost_seconds = r->judged_seconds = NAN;
  }
  for (size_t i = 0; i < r->count; i++) {
    roof_ranked_record *row = &r->rows[i];
    row->time_share = rf_ranked_own(row) / r->seconds;
    if (row->at.lost_seconds > 0 && (r->worst == NULL || rf_ranked_lost(row) > rf_ranked_lost(r->worst))) {
      r->worst = row;
    }
  }
}

roof_status roof_profile_rank(const roof_profile *profile, const roof_ceilings *ceilings, const char *filter,
                              roof_ranking *ranking, roof_error *error) {
  regex_t pattern;
  double none = ceilings->machine != NULL ? 0 : NAN;
  roof_ranking r = {
      .lost_seconds = none, .judged_seconds = none, .other_chip = other_chip(profile, ceilings->machine)};
  roof_status status = filter != NULL ? rf_import_regex("--filter", filter, &pattern, error) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  r.rows = calloc(profile->count + 1, sizeof *r.rows);
  for (size_t i = 0; i < profile->count && r.rows != NULL; i++) {
    if (filter == NULL || regexec(&pattern, profile->records[i].name, 0, NULL, 0) == 0) {
      add(&r, ceilings, &profile->records[i]);
    }
  }
  if (filter != NULL) {
    regfree(&pattern);
  }
  if (r.rows != NULL && r.count == 0 && filter != NULL) {
    free(r.rows);
    return roof_error_set(error, ROOF_E_NAME, "--filter `%.60s`: no kernel's name matches", filter);
  }
  if (r.rows == NULL || !sort_rows(r.rows, r.count) || !sum_names(&r)) {
    free(r.rows);
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  share_time(&r, profile->overlap);
  status = roof_ranking_name(&r, ROOF_KERNEL_SHOWN, error);
  if (status == ROOF_OK) {
    *ranking = r;
  } else {
    free(r.rows);
  }
  return status;
}
