/* The documents that a program's regions write at exit, one for each process, as parts: ranks of a job work at the same time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "host/folder.h"
#include "region/program.h"

void rf_program_part_init(roof_program_part *part, const char *label) {
  memset(part, 0, sizeof *part);
  roof_measurement_init(&part->measurement);
  part->measurement.dtype = ROOF_FP64;
  part->measurement.calls = part->measurement.total_seconds = 0;
  snprintf(part->measurement.label, sizeof part->measurement.label, "%s", label);
}

/** The region of that name, made when it is new. */
static roof_status find_part(roof_program *program, const char *name, roof_program_part **part,
                             roof_error *error) {
  for (int i = 0; i < program->region_count; i++) {
    if (strcmp(program->regions[i].measurement.label, name) == 0) {
      *part = &program->regions[i];
      return ROOF_OK;
    }
  }
  roof_program_part *grown = realloc(program->regions, ((size_t)program->region_count + 1) * sizeof *grown);
  if (grown == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "regions: out of memory");
  }
  program->regions = grown;
  *part = &grown[program->region_count++];
  rf_program_part_init(*part, name);
  return ROOF_OK;
}

/** What one rank did of a region in one run. */
typedef struct share {
  int part, run, rank;
  double threads, seconds; /**< of each thread */
} share;

typedef struct reader {
  roof_program *program;
  int run, rank; /**< of the document that is read */
  share *shares;
  size_t count;
} reader;

/** Processes of one rank follow one another; those of several ranks work at the same time. */
static roof_status add_share(reader *r, int part, const roof_measurement *region, roof_error *error) {
  double seconds = region->total_seconds / fmax(region->threads, 1);
  for (size_t i = 0; i < r->count; i++) {
    share *s = &r->shares[i];
    if (s->part == part && s->run == r->run && s->rank == r->rank) {
      s->threads = fmax(s->threads, region->threads);
      s->seconds += seconds;
      return ROOF_OK;
    }
  }
  share *grown = realloc(r->shares, (r->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "regions: out of memory");
  }
  r->shares = grown;
  grown[r->count++] = (share){part, r->run, r->rank, region->threads, seconds};
  return ROOF_OK;
}

static roof_status add_region(reader *r, const roof_measurement *region, roof_error *error) {
  roof_program_part *part = NULL;
  roof_status status = find_part(r->program, region->label, &part, error);
  if (status == ROOF_OK) {
    status = add_share(r, (int)(part - r->program->regions), region, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  roof_measurement *m = &part->measurement;
  m->calls += region->calls;
  m->total_seconds += region->total_seconds;
  m->own_seconds = region->own_seconds + (isnan(m->own_seconds) ? 0 : m->own_seconds);
  part->bytes += region->calls * region->level_bytes[ROOF_MEMORY];
  if (isnan(region->flops)) {
    part->flops[ROOF_FP64] = NAN;
  }
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    part->flops[d] += isnan(region->dtype_flops[d]) ? 0 : region->calls * region->dtype_flops[d];
  }
  memcpy(m->counted_flops, region->counted_flops, sizeof m->counted_flops);
  memcpy(m->counted, region->counted, sizeof m->counted);
  for (size_t i = 0; i < region->sample_count && status == ROOF_OK; i++) {
    status = roof_measurement_sample(m, region->samples[i], error);
  }
  return status;
}

static roof_status add_document(reader *r, const roof_measurements *regions, roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < regions->count && status == ROOF_OK; i++) {
    status = add_region(r, &regions->list[i], error);
  }
  for (size_t i = 0; i < regions->skipped_count && status == ROOF_OK; i++) {
    status =
        roof_measurements_skip(&r->program->missed, regions->skipped[i].what, regions->skipped[i].why, error);
  }
  return status;
}

static roof_status read_document(reader *r, const char *path, roof_error *error) {
  roof_measurements regions = {0};
  roof_text text = {0};
  roof_error why = {0};
  const char *name = strrchr(path, '/');
  char *rest = NULL;
  r->run = (int)strtol(name != NULL ? name + 1 : path, &rest, 10);
  r->rank = *rest == '.' ? (int)strtol(rest + 1, NULL, 10) : 0;
  roof_status status = rf_file_read(path, &text, &why);
  if (status == ROOF_OK) {
    status = roof_measurements_parse(text.data != NULL ? text.data : "", text.length, path, &regions, &why);
  }
  if (status == ROOF_OK) {
    status = add_document(r, &regions, &why);
  }
  roof_measurements_done(&regions);
  roof_text_done(&text);
  return status == ROOF_OK ? ROOF_OK
                           : roof_error_set(error, status, "%s: its regions cannot be read: %s",
                                            r->program->name, why.message);
}

/** Threads of a part in one run, those of all its ranks. */
static double threads_in(const reader *r, int part, int run, int *ranks) {
  double sum = 0;
  *ranks = 0;
  for (size_t i = 0; i < r->count; i++) {
    if (r->shares[i].part == part && r->shares[i].run == run) {
      sum += r->shares[i].threads;
      ++*ranks;
    }
  }
  return sum;
}

/** What a rank took in all runs. */
static double seconds_of(const reader *r, int part, int rank) {
  double sum = 0;
  for (size_t i = 0; i < r->count; i++) {
    sum += r->shares[i].part == part && r->shares[i].rank == rank ? r->shares[i].seconds : 0;
  }
  return sum;
}

/** How many threads worked at the same time, and which rank took longest. */
static void sum_ranks(const reader *r, int index) {
  roof_program_part *part = &r->program->regions[index];
  int runs = r->program->options.runs;
  double all = 0;
  for (int run = 0; run < runs; run++) {
    int ranks = 0;
    part->threads = fmax(part->threads, threads_in(r, index, run, &ranks));
    part->ranks = ranks > part->ranks ? ranks : part->ranks;
  }
  for (size_t i = 0; i < r->count; i++) {
    double seconds = r->shares[i].part == index ? seconds_of(r, index, r->shares[i].rank) / runs : 0;
    all += r->shares[i].part == index ? r->shares[i].seconds / runs : 0;
    if (seconds > part->slowest_seconds) {
      part->slowest_seconds = seconds;
      part->slowest_rank = r->shares[i].rank;
    }
  }
  part->mean_seconds = all / part->ranks;
}

void rf_program_name_folder(const char *folder, char *named, size_t size) {
  size_t used = 0;
  for (; *folder != '\0' && used + 2 < size; folder++) {
    named[used++] = *folder;
    if (*folder == '%') {
      named[used++] = '%';
    }
  }
  named[used] = '\0';
}

roof_status rf_program_read(roof_program *program, const char *folder, roof_error *error) {
  glob_t found = {0};
  reader r = {.program = program};
  roof_status status = ROOF_OK;
  for (char **path = rf_folder_match(folder, "*.json", &found); *path != NULL && status == ROOF_OK; path++) {
    status = read_document(&r, *path, error);
  }
  globfree(&found);
  for (int i = 0; i < program->region_count && status == ROOF_OK; i++) {
    sum_ranks(&r, i);
  }
  free(r.shares);
  return status;
}
