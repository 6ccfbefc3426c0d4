#include "cli/run/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/folder.h"
#include "import/import.h"
#include "region/program.h"

static const double early_patience = 10, late_patience = 2; /* s, and no more than */
static const double part = 0.2; /* of what the first rank waits for an answer, which comes after them */

/* Clocks of one machine drift by less: Linux steers its own by 500 millionths at most. */
static const double most_drift = 1e-3;

/* What ranks attach to their answers: their clock, and below it the files of their processes. */
static const char attached[] = "timeline";

enum { CALLS_OF_JOB = 2000000, CALLS_OF_RANK = 20000, CALLS_LEAST = 100, NUMBERS = 5 };

roof_status cli_timeline_check(const cli_timeline *t, int repeats, roof_error *error) {
  if (t->file == NULL) {
    return ROOF_OK;
  }
  return repeats > 1 ? roof_error_set(error, ROOF_E_ARGUMENT,
                                      "--timeline %s: is of one run, not of --repeat %d", t->file, repeats)
                     : cli_to_check(t->file, error);
}

/* Reading */

/** Adds the time line of one process. */
static roof_status add_file(cli_timeline *t, const char *path, const rf_gather *gather, int rank,
                            const char *node, const roof_alignment *alignment, roof_error *error) {
  roof_profile one = {0};
  roof_status status = roof_profile_init(&one, error);
  status = status == ROOF_OK ? roof_import(path, NULL, &one, error) : status;
  if (status == ROOF_OK && one.timeline != NULL) {
    roof_timeline_align(one.timeline, alignment);
    if (gather != NULL) {
      roof_timeline_place(&one, rank, node);
    }
    status = roof_profile_join(&t->all, &one, false, error);
  }
  roof_profile_done(&one);
  return status;
}

static roof_status begin_profile(cli_timeline *t, roof_error *error) {
  return t->all.store != NULL ? ROOF_OK : roof_profile_init(&t->all, error);
}

/** Says which rank waits for which, by what was written, and what is not in it. */
static roof_status add_waits(const roof_text *written, roof_text *out, roof_error *error) {
  roof_profile profile = {0};
  roof_waits waits = {0};
  roof_status status = roof_profile_init(&profile, error);
  if (status == ROOF_OK) {
    status = roof_import_memory(written->data, written->length, "time line", NULL, &profile, error);
  }
  if (status == ROOF_OK && roof_profile_waits(&profile, &waits, NULL) == ROOF_OK) {
    roof_waits_sentence(&waits, out);
  }
  if (status == ROOF_OK) {
    roof_profile_remarks(&profile, out);
  }
  roof_waits_done(&waits);
  roof_profile_done(&profile);
  return status;
}

roof_status cli_timeline_write(cli_timeline *t, const cli_args *args, const char *program,
                               roof_error *error) {
  roof_text text = {0}, words = {0};
  if (t->file == NULL) {
    return ROOF_OK;
  }
  if (t->all.timeline == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "--timeline %s: not written: no marked region was called (docs/regions.md)",
                          t->file);
  }
  t->all.timeline->aligned = true;
  roof_status status = roof_timeline_write(&t->all, program, &text, error);
  status = status == ROOF_OK ? add_waits(&text, &words, error) : status;
  status = status == ROOF_OK ? cli_to_write(args, t->file, &text, error) : status;
  if (status == ROOF_OK && !args->quiet && words.length > 0) {
    status = cli_note(&words, error);
  }
  roof_text_done(&text);
  roof_text_done(&words);
  return status;
}

/** What the variable of the program is: a file for each process, in `folder`. */
static void name_files(cli_timeline *t, const char *folder, const char *rank) {
  char named[2 * PATH_MAX];
  rf_program_name_folder(folder, named, sizeof named);
  snprintf(t->pattern, sizeof t->pattern, "%s/%s.%%p.trace", named, rank);
}

/* A program without a job */

roof_status cli_timeline_begin(cli_timeline *t, roof_program_options *how, roof_error *error) {
  if (t->file == NULL) {
    return ROOF_OK;
  }
  roof_status status = rf_folder_make(t->folder, sizeof t->folder, error);
  name_files(t, t->folder, "%r");
  how->timeline = t->pattern;
  return status;
}

roof_status cli_timeline_end(cli_timeline *t, const cli_args *args, const char *program, roof_error *error) {
  const roof_alignment own = roof_alignment_none();
  glob_t found = {0};
  if (t->file == NULL) {
    return ROOF_OK;
  }
  roof_status status = begin_profile(t, error);
  for (char **path = rf_folder_match(t->folder, "*.trace", &found); *path != NULL && status == ROOF_OK;
       path++) {
    status = add_file(t, *path, NULL, 0, "", &own, error);
  }
  globfree(&found);
  return status == ROOF_OK ? cli_timeline_write(t, args, program, error) : status;
}

void cli_timeline_done(cli_timeline *t) {
  rf_clock_server_stop(t->server);
  if (t->all.store != NULL) {
    roof_profile_done(&t->all);
  }
  if (t->folder[0] != '\0') {
    rf_folder_remove(t->folder, "");
  }
}

/* Every rank of a job */

roof_status cli_timeline_meet(cli_timeline *t, const rf_gather *gather, double patience,
                              roof_program_options *how, roof_error *error) {
  if (t->file == NULL) {
    return ROOF_OK;
  }
  int room = CALLS_OF_JOB / gather->size;
  char rank[16];
  snprintf(rank, sizeof rank, "%d", gather->rank);
  name_files(t, gather->folder, rank);
  how->timeline = t->pattern;
  how->timeline_calls = secure_getenv("ROOFLINE_TIMELINE_CALLS") != NULL ? 0
                        : room > CALLS_OF_RANK                           ? CALLS_OF_RANK
                        : room < CALLS_LEAST                             ? CALLS_LEAST
                                                                         : room;
  if (gather->rank == 0) {
    return rf_clock_server_start(gather, &t->server, error);
  }
  (void)rf_clock_ask(gather, fmin(patience * part, early_patience), &t->readings,
                     NULL); /* it may answer later */
  return ROOF_OK;
}

/** By all that was heard; false: nothing was. */
static bool find_clock(const rf_clock_readings *readings, roof_alignment *a) {
  roof_clock clock;
  if (!rf_clock_fit(readings->list, readings->count, &clock)) {
    return false;
  }
  bool drifts = !isnan(clock.drift.value);
  *a = (roof_alignment){.at = clock.at,
                        .offset = clock.offset.value,
                        .offset_error = (clock.offset.high - clock.offset.low) / 2,
                        .drift = drifts ? clock.drift.value : 0,
                        .drift_error = drifts ? (clock.drift.high - clock.drift.low) / 2 : most_drift};
  return true;
}

/** A line of numbers, then a line for each file. */
static void add_attachment(const rf_gather *gather, const roof_alignment *a, roof_text *out) {
  const double numbers[NUMBERS] = {a->at, a->offset, a->offset_error, a->drift, a->drift_error};
  char names[32], number[ROOF_NUMBER_SIZE];
  glob_t found = {0};
  for (int i = 0; i < NUMBERS; i++) {
    roof_number_write(number, numbers[i], 0);
    roof_text_addf(out, "%s%s", number, i + 1 < NUMBERS ? " " : "\n");
  }
  snprintf(names, sizeof names, "%d.*.trace", gather->rank);
  for (char **path = rf_folder_match(gather->folder, names, &found); *path != NULL; path++) {
    roof_text_addf(out, "%s\n", strrchr(*path, '/') + 1);
  }
  globfree(&found);
}

roof_status cli_timeline_give(cli_timeline *t, const rf_gather *gather, double patience, roof_error *error) {
  roof_alignment a = roof_alignment_none();
  roof_error why = {0};
  roof_text text = {0};
  if (t->file == NULL) {
    return ROOF_OK;
  }
  if (gather->rank != 0) {
    (void)rf_clock_ask(gather, fmin(patience * part, late_patience), &t->readings, &why);
  }
  if (gather->rank == 0 || find_clock(&t->readings, &a)) {
    add_attachment(gather, &a, &text);
  } else {
    roof_text_addf(&text, "%s\n", why.message);
  }
  roof_status status = text.failed ? roof_error_set(error, ROOF_E_MEMORY, "time line: out of memory")
                                   : rf_gather_attach(gather, attached, &text, error);
  roof_text_done(&text);
  return status;
}

/* The first rank */

/** The numbers of a line; false where it has others. */
static bool read_clock(const char *line, roof_alignment *a) {
  double *numbers[NUMBERS] = {&a->at, &a->offset, &a->offset_error, &a->drift, &a->drift_error};
  size_t left = strlen(line);
  for (int i = 0; i < NUMBERS; i++) {
    size_t length = roof_number_read(line, left, numbers[i]);
    if (length == 0) {
      return false;
    }
    line += length;
    left -= length;
    line += left > 0;
    left -= left > 0;
  }
  return left == 0;
}

static void leave_out(cli_timeline *t, int rank, const char *node, const char *why) {
  rf_import_skip(&t->all, rf_import_textf(&t->all, "rank %d (%s)", rank, node), why);
}

static roof_status take_files(cli_timeline *t, const rf_gather *gather, int rank, const char *node,
                              char *text, roof_error *error) {
  char *rest = NULL, *line = strtok_r(text, "\n", &rest), path[PATH_MAX + 300];
  roof_alignment a;
  roof_status status = ROOF_OK;
  int files = 0;
  if (line == NULL || !read_clock(line, &a)) {
    leave_out(t, rank, node, rf_import_textf(&t->all, "its clock is unknown: %s", line != NULL ? line : "?"));
    return ROOF_OK;
  }
  while ((line = strtok_r(NULL, "\n", &rest)) != NULL && status == ROOF_OK) {
    snprintf(path, sizeof path, "%s/%s", gather->folder, line);
    status = add_file(t, path, gather, rank, node, &a, error);
    files++;
  }
  if (files == 0) {
    leave_out(t, rank, node, "no marked region was called");
  }
  return status;
}

roof_status cli_timeline_take(cli_timeline *t, const rf_gather *gather, int rank, const char *node,
                              roof_error *error) {
  roof_text text = {0};
  if (t->file == NULL) {
    return ROOF_OK;
  }
  roof_status status = begin_profile(t, error);
  status = status == ROOF_OK ? rf_gather_attached(gather, rank, attached, &text, error) : status;
  status = status == ROOF_OK ? take_files(t, gather, rank, node, text.data, error) : status;
  roof_text_done(&text);
  return status;
}
